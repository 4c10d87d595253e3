// The vocabulary: vendor keywords that state in schemas what profiles state from outside. Their syntax and allowed
// places are in schemas/vocabulary.schema.json; schemas/README.md explains them.

package schema

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/schemas"
)

// Keyword is a keyword of the vocabulary. The zero value is none.
type Keyword struct {
	Name  string
	Stand Stand
	On    string // what it applies to, according to its description, such as "member that may be null"
}

// Stand is where a keyword is allowed.
type Stand int

// The places for keywords.
const (
	AtRoot       Stand = iota + 1 // at the root of a file
	OnDefinition                  // on a definition
	OnMember                      // on a member of an object
	OnNamed                       // on a definition or a member
	Anywhere                      // beside the keywords it modifies
)

// stands maps the lists of the vocabulary file to places.
var stands = []struct {
	pointer string
	stand   Stand
}{
	{"/$defs/anywhere/properties", Anywhere}, {"/$defs/onDefinitions/properties", OnDefinition}, {"/$defs/onMembers/properties", OnMember},
	{"/$defs/onNamed/properties", OnNamed}, {"/$defs/atRoot/properties", AtRoot},
}

// vocabulary lists the keywords, in the order in which they are suggested.
var vocabulary = sync.OnceValue(func() (out struct {
	keywords []Keyword
	byName   map[string]Keyword
}) {
	root, found := ParseJSON("vocabulary.schema.json", schemas.VocabularySchema)
	if len(found) > 0 {
		panic(found[0]) // an embedded file
	}
	out.byName = map[string]Keyword{}
	for _, s := range stands {
		for _, m := range root.At(s.pointer).Members {
			_, on, _ := strings.Cut(m.Value.Get("description").Str(), " a ")
			on, _, _ = strings.Cut(on, ":")
			out.keywords = append(out.keywords, Keyword{m.Key, s.stand, on})
			out.byName[m.Key] = out.keywords[len(out.keywords)-1]
		}
	}
	return out
})

// KeywordOf returns the keyword with a name.
func KeywordOf(name string) Keyword {
	if !isVendor(name) {
		return Keyword{}
	}
	return vocabulary().byName[name]
}

// rootKeywords returns the keywords for the root of a file.
func rootKeywords() []string { return keywords(func(s Stand) bool { return s == AtRoot }) }

// schemaKeywords returns the keywords for schemas.
func schemaKeywords() []string { return keywords(func(s Stand) bool { return s != AtRoot }) }

func keywords(fit func(Stand) bool) []string {
	var out []string
	for _, k := range vocabulary().keywords {
		if fit(k.Stand) {
			out = append(out, k.Name)
		}
	}
	return out
}

// forms validates the values of keywords.
var forms = sync.OnceValue(func() *Validator {
	v, err := NewValidator("vocabulary.schema.json", schemas.VocabularySchema)
	if err != nil {
		panic(err) // an embedded file
	}
	return v
})

// CheckVocabulary validates the vendor keywords of the files that use them.
func (s *Set) CheckVocabulary(wrong diag.Places) (found []diag.Diagnostic) {
	for _, doc := range s.Docs {
		if doc.Vendor {
			found = append(found, forms().Check(s.own(doc.Root), vocabularyCode, wrong)...)
		}
	}
	return found
}

// checkRoot reports keywords at the root of a file that have no effect there. A root that is a schema is checked like
// a definition.
func (s *Set) checkRoot(doc *Document, opts Options) []diag.Diagnostic {
	if hasStructure(doc.Root) {
		return nil
	}
	var diags diag.List
	known := slices.Concat([]string{"$defs", "definitions", "title", "description", "deprecated"}, annotations, rootKeywords())
	for _, m := range doc.Root.Members {
		if slices.Contains(known, m.Key) || s.isForeign(m.Key) || doc.isOldID(m) {
			continue
		}
		passed, found := s.passVendor(m)
		diags.Add(found...)
		if !passed {
			const says = "unknown keyword %q at the root of the file"
			if near := similar.Nearest(m.Key, known); near != "" {
				diags.Unread(m.KeyPos, "misspelt-keyword", fmt.Sprintf("did you mean %q? Otherwise %s", near, opts.unknown()), says, m.Key)
			} else {
				diags.Errorf(m.KeyPos, "unknown-keyword", opts.unknown(), says, m.Key)
			}
		}
	}
	return diags.Items()
}

// Protocol returns the protocol stated in the files, or "".
func (s *Set) Protocol() string { return s.RootKeyword("x-protocol").Get("name").Str() }

// RepeatedRootKeywords reports root keywords in more than one file. Only the first is used.
func (s *Set) RepeatedRootKeywords() (found []diag.Diagnostic) {
	for _, keyword := range rootKeywords() {
		var first *Document
		for _, doc := range s.Docs {
			m, ok := doc.Root.keyword(keyword)
			switch {
			case !ok:
			case first == nil:
				first = doc
			default:
				found = append(found, diag.Errorf(m.KeyPos, "duplicate-keyword", "keep one of the two", "%s stands in %s already", keyword, first.Name))
			}
		}
	}
	return found
}

// RootKeyword returns the first value of a root keyword, or nil.
func (s *Set) RootKeyword(keyword string) *Node {
	if s.isForeign(keyword) {
		return nil
	}
	for _, doc := range s.Docs {
		if n := doc.Root.Get(keyword); n != nil {
			return n
		}
	}
	return nil
}
