// Stated: keyword statements about schemas written by others.

package profile

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Statement is a set of keywords for a definition or member.
type Statement struct {
	facts.Origin
	At       string
	Keywords []schema.Member
}

// Statements returns the statements for the version.
func (s *Selected) Statements() []*Statement { return s.statements }

func readStatement(n *schema.Node) (Statement, error) {
	return Statement{At: n.Get("at").Str(), Keywords: keywordsOf(n)}, nil
}

// keywordsOf returns the members of a statement to be set on the schema.
func keywordsOf(n *schema.Node) []schema.Member {
	return slices.DeleteFunc(slices.Clone(n.Members), func(m schema.Member) bool {
		return m.Key != "deprecated" && !strings.HasPrefix(m.Key, "x-")
	})
}

// checkStatements requires each statement to be useful where it is, and rejects keywords that have another meaning in
// these schemas.
func checkStatements(root *schema.Node) (found []diag.Diagnostic) {
	refuse := func(pos diag.Pos, hint, format string, args ...any) {
		found = append(found, diag.Errorf(pos, "bad-profile", hint, format, args...))
	}
	if own := root.Get("keywords"); own != nil {
		for _, m := range own.Members {
			if schema.IsStandard(m.Key) {
				refuse(m.KeyPos, "take it away", "keywords: %q is a keyword of JSON Schema, and means what that says", m.Key)
			}
		}
	}
	foreign := root.Get("ignoreKeywords").List()
	for _, n := range root.Get("stated").List() {
		keywords := keywordsOf(n)
		if len(keywords) == 0 && n.Kind == schema.Object {
			refuse(n.Pos, "add a keyword, such as x-go-name", "the entry states nothing")
		}
		for _, m := range keywords {
			atRoot := schema.KeywordOf(m.Key).Stand == schema.AtRoot
			switch {
			case m.Key == "x-protocol":
				refuse(m.KeyPos, "write name, title, versions and sides as members of the profile", "x-protocol is for schemas")
			case atRoot && n.Get("at") != nil:
				refuse(m.KeyPos, `state it in an entry without "at"`, "%s is for the root of a file", m.Key)
			case !atRoot && n.Get("at") == nil:
				refuse(n.Pos, `add "at" with the name of a definition, or Definition.member`, "nothing says what %s is about", m.Key)
			case root.Get("keywords").Get(m.Key) != nil || slices.ContainsFunc(foreign, func(f *schema.Node) bool { return schema.Wild(f.Str(), m.Key) }):
				refuse(m.KeyPos, "state it in another way, or take it out of keywords and ignoreKeywords",
					"%s is no keyword of ahpgen's in these schemas, as the profile itself says", m.Key)
			}
		}
	}
	return found
}
