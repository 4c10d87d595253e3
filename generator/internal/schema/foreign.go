// Foreign keywords: vendor keywords of other authors, with meanings assigned by a profile. They take precedence over
// the vocabulary.

package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Meaning is the meaning of a foreign keyword.
type Meaning string

// The meanings a profile can assign, as listed in profile.schema.json.
const (
	MeansMethod       Meaning = "method"       // the definition is a message of the named method
	MeansSide         Meaning = "side"         // the receiver of the method
	MeansLenient      Meaning = "lenient"      // on a member: omitted if malformed
	MeansLenientItems Meaning = "lenientItems" // on a list: malformed items are dropped
	MeansLenientNull  Meaning = "lenientNull"  // on a list or map: null means empty
	MeansEnvelope     Meaning = "envelope"     // the definition is a message envelope and becomes no type
	MeansValues       Meaning = "values"       // on a text: values that it may have among others
	MeansValueTexts   Meaning = "valueTexts"   // beside values, an enum or a text with values: their descriptions
)

// Foreign sets the meanings of foreign keywords. They are no longer part of the vocabulary.
func (s *Set) Foreign(meanings map[string]Meaning, ignored []string) {
	s.meanings, s.passed = meanings, ignored
}

// isForeign reports whether a profile redefines a keyword.
func (s *Set) isForeign(key string) bool {
	_, ok := s.meanings[key]
	return ok || slices.Contains(s.passed, key) || !IsStandard(key) && slices.ContainsFunc(s.passed, func(pattern string) bool { return Wild(pattern, key) })
}

// passVendor ignores an unknown keyword that is probably newer than the profile, because the profile defines others
// with its prefix, or since the schemas may be of another version. It reports each once.
func (s *Set) passVendor(m Member) (passed bool, found []diag.Diagnostic) {
	if !s.Other && (len(s.meanings) == 0 || !strings.HasPrefix(m.Key, "x-")) {
		return false, nil
	}
	if !slices.Contains(s.vendor, m.Key) {
		s.vendor = append(s.vendor, m.Key)
		found = append(found, diag.Warnf(m.KeyPos, "unknown-keyword", "say under keywords in the profile what it means, or list it under ignoreKeywords",
			"keyword %q is passed over, because nothing says what it means", m.Key))
	}
	return true, found
}

// pass is passVendor for a keyword of a schema.
func (p *schemaParser) pass(m Member) bool {
	passed, found := p.set.passVendor(m)
	p.Add(found...)
	return passed
}

// Mentions reports whether a keyword occurs in any file, even as another name.
func (s *Set) Mentions(keyword string) bool {
	return slices.ContainsFunc(s.Docs, func(d *Document) bool { return bytes.Contains(d.Data, []byte(`"`+keyword+`"`)) })
}

// HoldsSchemas reports whether the value of a keyword has schemas as its members.
func HoldsSchemas(keyword string) bool { return slices.Contains(schemaMaps, keyword) }

// schemaMaps and schemaLists are keywords whose values contain schemas.
var (
	schemaMaps  = []string{"$defs", "definitions", "properties", "patternProperties"}
	schemaLists = []string{"oneOf", "anyOf", "allOf"}
)

// own returns a schema without foreign keywords. Members with such names are preserved.
func (s *Set) own(n *Node) *Node {
	if len(s.meanings) == 0 && len(s.passed) == 0 {
		return n
	}
	return mapSchemas(n, func(m Member) bool { return !s.isForeign(m.Key) })
}

// foreign records a foreign keyword with a meaning, and reports whether the keyword is foreign.
func (p *schemaParser) foreign(s *Schema, m Member) bool {
	meaning, ok := p.set.meanings[m.Key]
	if ok {
		s.Foreign = append(s.Foreign, ForeignKeyword{Meaning: meaning, Member: m})
	}
	return ok || p.set.isForeign(m.Key)
}

// enumerated returns a schema whose foreign keywords list values as one that is a choice between them and any text, and
// that has their descriptions under the name of the vocabulary.
func (p *schemaParser) enumerated(n *Node) *Node {
	var values, texts Member
	for _, m := range n.Members {
		switch p.set.meanings[m.Key] {
		case MeansValues:
			values = m
		case MeansValueTexts:
			texts = Member{Key: "x-enum-descriptions", KeyPos: m.KeyPos, Value: m.Value}
		}
	}
	if values.Value == nil && texts.Value == nil {
		return n
	}
	listed := &Node{Kind: Object, Pos: n.Pos}
	rest := &Node{Kind: Object, Pos: n.Pos}
	for _, m := range n.Members {
		switch meaning := p.set.meanings[m.Key]; {
		case meaning == MeansValueTexts && values.Value == nil:
			rest.Members = append(rest.Members, texts)
		case meaning == MeansValues || meaning == MeansValueTexts || m.Key == "type" && values.Value != nil:
		default:
			rest.Members = append(rest.Members, m)
		}
	}
	if values.Value == nil {
		return rest
	}
	if typ := n.Get("type"); typ.Str() != "string" || values.Value.Kind != Array {
		p.unread(values.KeyPos, "bad-keyword", "take its meaning from keywords in the profile, or put it beside \"type\": \"string\"", "%s has to list values of a text", values.Key)
		return n
	}
	listed.Members = append(listed.Members, Member{Key: "enum", KeyPos: values.KeyPos, Value: values.Value})
	if texts.Value != nil {
		listed.Members = append(listed.Members, texts)
	}
	typ, _ := n.keyword("type")
	open := &Node{Kind: Object, Pos: n.Pos, Members: []Member{typ}}
	choice := &Node{Kind: Array, Pos: values.KeyPos, Items: []*Node{listed, open}}
	rest.Members = append(rest.Members, Member{Key: "anyOf", KeyPos: values.KeyPos, Value: choice})
	return rest
}

// ForeignKeyword is a keyword with its meaning.
type ForeignKeyword struct {
	Meaning
	Member
}

// Means returns the keyword of a schema with the given meaning.
func (s *Schema) Means(meaning Meaning) (Member, bool) {
	for _, k := range s.Foreign {
		if k.Meaning == meaning {
			return k.Member, true
		}
	}
	return Member{}, false
}

// References calls f for all references in a schema.
func (s *Schema) References(f func(*Reference)) {
	if s == nil {
		return
	}
	if s.Ref != nil {
		f(s.Ref)
	}
	for _, inner := range s.Inside() {
		inner.References(f)
	}
}

// Inside returns the schemas that stand in a schema: those of its members, of items and other values, alternatives and parts.
func (s *Schema) Inside() []*Schema {
	members := each.Map(s.Properties, func(p Property) *Schema { return p.Schema })
	all := slices.Concat(members, []*Schema{s.Items, s.Additional}, s.OneOf, s.AnyOf, s.AllOf)
	return slices.DeleteFunc(all, func(inner *Schema) bool { return inner == nil })
}
