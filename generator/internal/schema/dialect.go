// Dialects: the versions of JSON Schema, and what they write differently.

package schema

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// dialects are the versions of JSON Schema that are read, the newest first.
var dialects = []string{
	"https://json-schema.org/draft/2020-12/schema",
	"https://json-schema.org/draft/2019-09/schema",
	"http://json-schema.org/draft-07/schema",
	"http://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-04/schema",
}

// dialectOf returns the dialect that a $schema names, or "". Schemas write http or https, with and without the "#".
func dialectOf(name string) string {
	bare := func(s string) string {
		_, rest, _ := strings.Cut(strings.TrimRight(s, "#"), "://")
		return rest
	}
	if i := slices.IndexFunc(dialects, func(d string) bool { return bare(d) == bare(name) }); i >= 0 {
		return dialects[i]
	}
	return ""
}

// looksBesideReferences reports whether the dialect of a file, or the newest if it names none, gives a meaning to what stands beside a
// reference.
func (doc *Document) looksBesideReferences() bool {
	return !slices.Contains(dialects[2:], dialectOf(doc.Dialect()))
}

// checkDialect reports a file in a dialect that is not known.
func (s *Set) checkDialect(doc *Document, opts Options) []diag.Diagnostic {
	dialect := doc.Root.Get("$schema")
	if dialect == nil || dialectOf(dialect.Str()) != "" || s.isForeign("$schema") {
		return nil
	}
	hint := opts.hint("; with $schema under ignoreKeywords in the profile, files are read as 2020-12", "")
	return []diag.Diagnostic{diag.Errorf(dialect.Pos, "unknown-dialect", "ahpgen reads draft-04 to 2020-12: "+strings.Join(dialects, ", ")+hint,
		"unsupported JSON Schema dialect %s", dialect.Compact())}
}

// identity returns the identifier that a schema gives itself, or "". Draft-04 calls it id, which is also a common name
// of members, but never with a string in the place of a schema.
func identity(n *Node) string {
	for _, key := range []string{"$id", "id"} {
		if id := n.Get(key); id != nil && id.Kind == String {
			return strings.TrimSuffix(id.Text, "#")
		}
	}
	return ""
}

// isOldID reports whether a keyword is the identifier of a schema in draft-04.
func (doc *Document) isOldID(m Member) bool {
	return m.Key == "id" && m.Value.Kind == String && dialectOf(doc.Dialect()) == dialects[len(dialects)-1]
}

// anchors returns the names under which a schema can be referred to in its file: $anchor, and in older dialects an
// identifier that is only a fragment.
func anchors(n *Node) (names []string) {
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name := n.Get(key).Str(); name != "" {
			names = append(names, name)
		}
	}
	if name, ok := strings.CutPrefix(identity(n), "#"); ok {
		names = append(names, name)
	}
	return names
}

// onlyPlace returns a dynamic reference as a plain one, if it leads to the same place wherever it is used: one schema at most has
// what it looks for.
func (s *Set) onlyPlace(doc *Document, m Member) (Member, bool) {
	name, ok := strings.CutPrefix(m.Value.Str(), "#")
	recursive := m.Key == "$recursiveRef"
	if !ok || recursive != (name == "") {
		return m, false
	}
	found := s.dynamicAnchors()[name]
	m.Key = "$ref"
	if recursive {
		return m, len(found) == 0 || len(found) == 1 && found[0] == doc.Root
	}
	return m, len(found) == 1 && s.marked(doc, "", name) != nil
}

// dynamicAnchors returns the schemas that dynamic references look for, by anchor, which is empty for those of $recursiveAnchor.
func (s *Set) dynamicAnchors() map[string][]*Node {
	if s.dynamic != nil {
		return s.dynamic
	}
	s.dynamic = map[string][]*Node{}
	for _, d := range s.Docs {
		for _, n := range d.Root.all() {
			if name := n.Get("$dynamicAnchor").Str(); name != "" {
				s.dynamic[name] = append(s.dynamic[name], n)
			}
			if n.Get("$recursiveAnchor").True() {
				s.dynamic[""] = append(s.dynamic[""], n)
			}
		}
	}
	return s.dynamic
}
