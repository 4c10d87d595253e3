// Foreign keywords: vendor keywords of other people's schemas, which mean what a profile says, whatever the
// vocabulary has under the same name.

package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Meaning is what a foreign keyword says about the schema that it stands on.
type Meaning string

// The meanings that a profile can give to a keyword. Each is listed in profile.schema.json as well.
const (
	MeansMethod       Meaning = "method"       // the definition is a message of the method that it names
	MeansSide         Meaning = "side"         // who receives that method
	MeansLenient      Meaning = "lenient"      // on a member: it is left out if it is malformed
	MeansLenientItems Meaning = "lenientItems" // on a list: items that are malformed are dropped
	MeansLenientNull  Meaning = "lenientNull"  // on a list or a map: null is an empty one
	MeansEnvelope     Meaning = "envelope"     // the definition is what messages travel in, and no type of the package
)

// Foreign says what keywords mean, those that are passed over included, from now on. They are no keywords of the
// vocabulary any more.
func (s *Set) Foreign(meanings map[string]Meaning, ignored []string) {
	s.meanings, s.passed = meanings, ignored
}

// isForeign reports whether a keyword is none of the vocabulary, because a profile gives it a meaning or none.
func (s *Set) isForeign(key string) bool {
	_, ok := s.meanings[key]
	return ok || slices.Contains(s.passed, key)
}

// passVendor passes over a keyword that may have come with a newer release of other people's schemas, because a profile knows
// other keywords of theirs. Each is reported once. It is false for any other keyword.
func (s *Set) passVendor(m Member, diags *diag.List) bool {
	if len(s.meanings) == 0 || !strings.HasPrefix(m.Key, "x-") {
		return false
	}
	if !slices.Contains(s.vendor, m.Key) {
		s.vendor = append(s.vendor, m.Key)
		diags.Warnf(m.KeyPos, "unknown-keyword", "say under keywords in the profile what it means, or list it under ignoreKeywords",
			"keyword %q is passed over, because nothing says what it means", m.Key)
	}
	return true
}

// Mentions reports whether a file has a keyword anywhere, be it as another name.
func (s *Set) Mentions(keyword string) bool {
	return slices.ContainsFunc(s.Docs, func(d *Document) bool { return bytes.Contains(d.Data, []byte(`"`+keyword+`"`)) })
}

// Own is a file as the vocabulary has it: without the foreign keywords.
func (s *Set) Own(doc *Document) *Node {
	if len(s.meanings) == 0 && len(s.passed) == 0 {
		return doc.Root
	}
	return s.own(doc.Root)
}

// schemaMaps and schemaLists are keywords whose value is not a schema itself, but has some.
var (
	schemaMaps  = []string{"$defs", "definitions", "properties"}
	schemaLists = []string{"oneOf", "anyOf", "allOf"}
)

// own is a schema without foreign keywords. Members that are named like one stay: they are none.
func (s *Set) own(n *Node) *Node {
	if n.Kind != Object {
		return n
	}
	out := &Node{Kind: n.Kind, Pos: n.Pos}
	for _, m := range n.Members {
		if s.isForeign(m.Key) {
			continue
		}
		switch {
		case m.Key == "items" || m.Key == "additionalProperties":
			m.Value = s.own(m.Value)
		case slices.Contains(schemaMaps, m.Key) && m.Value.Kind == Object:
			inner := &Node{Kind: Object, Pos: m.Value.Pos}
			for _, def := range m.Value.Members {
				def.Value = s.own(def.Value)
				inner.Members = append(inner.Members, def)
			}
			m.Value = inner
		case slices.Contains(schemaLists, m.Key) && m.Value.Kind == Array:
			list := &Node{Kind: Array, Pos: m.Value.Pos}
			for _, item := range m.Value.Items {
				list.Items = append(list.Items, s.own(item))
			}
			m.Value = list
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// foreign notes a foreign keyword that has a meaning, and reports whether a keyword is one at all.
func (p *schemaParser) foreign(s *Schema, m Member) bool {
	meaning, ok := p.set.meanings[m.Key]
	if ok {
		s.Foreign = append(s.Foreign, ForeignKeyword{Meaning: meaning, Member: m})
	}
	return ok || p.set.isForeign(m.Key)
}

// ForeignKeyword is a keyword together with what it means.
type ForeignKeyword struct {
	Meaning
	Member
}

// Means returns the keyword that says something about the schema, and whether there is one.
func (s *Schema) Means(meaning Meaning) (Member, bool) {
	for _, k := range s.Foreign {
		if k.Meaning == meaning {
			return k.Member, true
		}
	}
	return Member{}, false
}

// References calls f for every reference in a schema and in what is inside it.
func (s *Schema) References(f func(*Reference)) {
	if s == nil {
		return
	}
	if s.Ref != nil {
		f(s.Ref)
	}
	for _, p := range s.Properties {
		p.Schema.References(f)
	}
	s.Additional.References(f)
	s.Items.References(f)
	for _, list := range [][]*Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, child := range list {
			child.References(f)
		}
	}
}
