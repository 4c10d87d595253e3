// Typed schemas: keywords in their places, so that a property named like a keyword is a property.

package schema

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Schema is a schema with parsed keywords. Purely constraining keywords are in Limits.
type Schema struct {
	Pos  diag.Pos
	Doc  *Document
	Node *Node

	Any     bool // true or {}: any value
	Never   bool // false: no value
	Unknown bool // stands for variants of newer versions

	Ref        *Reference
	Types      []string
	Enum       []*Node
	Const      *Node
	Properties []Property
	Object     bool    // properties is present, even if empty
	Required   []*Node // strings
	Additional *Schema // additionalProperties, or nil
	Items      *Schema
	OneOf      []*Schema
	AnyOf      []*Schema
	AllOf      []*Schema

	Title         string
	Description   string
	Deprecated    bool
	Format        string
	Encoding      string // contentEncoding
	Default       *Node
	Discriminator string // propertyName of the discriminator
	Limits        []Member
	Vendor        []Member // x-… keywords
	Foreign       []ForeignKeyword

	// Memo is reserved for package analyze to cache results.
	Memo any
}

// Reference is a $ref with its target, or nil if it is dangling.
type Reference struct {
	Text   string
	Pos    diag.Pos
	Target *Definition
}

// Property is a member of an object schema.
type Property struct {
	Name   string
	Pos    diag.Pos // position of the name
	Schema *Schema
}

// Property returns the property with the name, or nil.
func (s *Schema) Property(name string) *Property {
	if len(s.Properties) == 0 {
		return nil
	}
	// Properties have the order of the members they were parsed from.
	i := s.Node.Get("properties").find(name)
	if i < 0 || i >= len(s.Properties) {
		return nil
	}
	return &s.Properties[i]
}

// Limit returns the value of a constraining keyword such as maxProperties, or nil.
func (s *Schema) Limit(keyword string) *Node { return member(s.Limits, keyword) }

// Extension returns the value of a vendor keyword, or nil.
func (s *Schema) Extension(keyword string) *Node { return member(s.Vendor, keyword) }

// VendorMember returns a vendor keyword with its position.
func (s *Schema) VendorMember(keyword string) (Member, bool) {
	for _, m := range s.Vendor {
		if m.Key == keyword {
			return m, true
		}
	}
	return Member{}, false
}

func member(list []Member, key string) *Node {
	for _, m := range list {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Options states what a parser tolerates.
type Options struct {
	Profile bool   // the user has a profile that could contain repairs
	Unknown []Mark // how alternatives for unknown variants look
}

// hint selects a remedy by whether the user has a profile.
func (o Options) hint(profile, without string) string {
	if o.Profile {
		return profile
	}
	return without
}

// unknown returns the remedy for an unknown keyword.
func (o Options) unknown() string {
	return o.hint("remove it, or list it under ignoreKeywords in the profile if it means nothing for Go",
		"remove it; a profile can list it under ignoreKeywords if it means nothing for Go")
}

// Parse parses all definitions and resolves references. Equal copies in other files are not parsed again, but their
// references are checked. Nothing is said twice about places that are known to be wrong.
func (s *Set) Parse(opts Options, wrong diag.Places) []diag.Diagnostic {
	p := &schemaParser{set: s, opts: opts, wrong: wrong, noted: map[string]bool{}, parts: map[*Node]bool{}}
	defer p.Mark()
	s.opts = opts
	for _, doc := range s.Docs {
		p.Add(s.checkDialect(doc, opts)...)
		p.Add(s.checkRoot(doc, opts)...)
	}
	for next := s.merged; len(next) > 0; { // references into definitions add some
		known := len(s.merged)
		for _, def := range next {
			p.doc = def.Doc
			p.Working(def.Pos)
			def.Schema = p.schema(def.Node)
		}
		next = s.merged[known:]
	}
	for _, m := range p.nested {
		if s.indexPlaces().nodes[m.Value] == nil {
			p.Warnf(m.KeyPos, "unreachable-definition", "refer to it, or move it to the definitions of the file", "nothing refers to the definition %s here, so it gets no type", m.Key)
		}
	}
	for _, doc := range s.Docs {
		for _, def := range doc.defs {
			if s.byName[def.Name] != def {
				p.Add(checkCopy(s, def)...)
			}
		}
	}
	p.settle()
	return p.Items()
}

// settle gives what stands beside references and choices to what it is about, and joins alternatives, which takes what references lead to.
func (p *schemaParser) settle() {
	other, sometimes := each.Once(isOther), each.Once(mayBeOther)
	for _, s := range p.choices {
		distributeMembers(s, other, sometimes)
	}
	for _, s := range p.beside {
		dropBesideReference(s, sometimes)
	}
	whole := each.SetFunc(p.set.merged, func(def *Definition) *Schema { return def.Schema })
	for _, s := range p.typed {
		if !whole[s] || !slices.Contains(s.Types, "object") { // an object that is named is a type of its own
			dropRepeatedType(s)
		}
	}
	joined, listed := map[*Schema]bool{}, map[*Schema]bool{}
	for _, s := range p.choices {
		joinStrings(s, joined)
		joinNumbers(s)
		joinLists(s, listed)
	}
}

// checkCopy checks the references of a copy.
func checkCopy(s *Set, def *Definition) (found []diag.Diagnostic) {
	var walk func(n *Node, schema *Schema)
	walk = func(n *Node, schema *Schema) {
		if n == nil || schema == nil {
			return
		}
		if schema.Ref != nil {
			if ref := n.Get("$ref"); ref != nil {
				_, wrong := s.resolve(def.Doc, ref)
				found = append(found, wrong...)
			}
		}
		for _, p := range schema.Properties {
			walk(n.Get("properties").Get(p.Name), p.Schema)
		}
		walk(n.Get("additionalProperties"), schema.Additional)
		walk(n.Get("items"), schema.Items)
		for keyword, list := range map[string][]*Schema{"oneOf": schema.OneOf, "anyOf": schema.AnyOf, "allOf": schema.AllOf} {
			branches := n.Get(keyword)
			for i := range list {
				if branches != nil && i < len(branches.Items) {
					walk(branches.Items[i], list[i])
				}
			}
		}
	}
	walk(def.Node, s.byName[def.Name].Schema)
	return found
}

type schemaParser struct {
	set     *Set
	doc     *Document
	opts    Options
	wrong   diag.Places     // known before
	noted   map[string]bool // keywords that only validate
	parts   map[*Node]bool  // of allOf
	choices []*Schema
	beside  []*Schema // with something beside a reference
	typed   []*Schema // with a type beside a reference or a part
	nested  []Member  // definitions in what is neither a file nor a definition
	diag.List
}

// At reports whether something is known to be wrong at a place.
func (p *schemaParser) At(pos diag.Pos) bool { return p.wrong[pos] || p.List.At(pos) }

// unread reports what cannot be read at a place about which nothing is said yet.
func (p *schemaParser) unread(pos diag.Pos, code, hint, format string, args ...any) {
	if !p.At(pos) {
		p.Unread(pos, code, hint, format, args...)
	}
}

// alternative parses an alternative of a choice.
func (p *schemaParser) alternative(n *Node) *Schema {
	if n.Kind == Object && p.isUnknown(n) {
		// It tells validators what is not a known variant, and has no further meaning.
		return &Schema{Pos: n.Pos, Doc: p.doc, Node: n, Unknown: true, Any: !hasStructure(n)}
	}
	return p.schema(n)
}

// schema parses a schema.
func (p *schemaParser) schema(n *Node) *Schema {
	s := &Schema{Pos: n.Pos, Doc: p.doc, Node: n}
	switch n.Kind {
	case Bool:
		s.Any, s.Never = n.Bool, !n.Bool
		return s
	case Object:
	default:
		hint := `write an object such as {"type": "string"}`
		if n.Kind == String && slices.Contains(typeNames, n.Text) {
			hint = fmt.Sprintf("write {\"type\": %q}", n.Text)
		}
		p.unread(n.Pos, "not-a-schema", hint, "a schema is an object or a boolean, not %s", n.Kind)
		s.Any = true
		return s
	}
	structural := false
	n = p.enumerated(n)
	s.Node = n
	for _, m := range n.Members {
		if p.keyword(s, m) {
			structural = true
		}
	}
	s.Any = !structural
	p.contradictions(s)
	takeInPart(s)
	giveType(s)
	splitTypes(s)
	dropRepeatedMembers(s)
	passOnRequired(s)
	if s.Ref != nil && len(n.Members) > 1 {
		p.beside = append(p.beside, s)
	}
	if len(s.Types) > 0 && (s.Ref != nil || len(s.AllOf) == 1) {
		p.typed = append(p.typed, s)
	}
	return s
}

// keyword returns the member of an object with the key.
func (n *Node) keyword(key string) (Member, bool) {
	if i := n.find(key); i >= 0 {
		return n.Members[i], true
	}
	return Member{}, false
}

// typeName returns the JSON Schema type of a value: integer for a number that is written as one of 64 bits.
func (n *Node) typeName() string {
	if n.Kind == Number {
		if _, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return "integer"
		}
	}
	return kindTypes[n.Kind]
}

// fits reports whether a value has a JSON Schema type.
func (n *Node) fits(typ string) bool {
	return kindTypes[n.Kind] == typ || n.Kind == Number && typ == "integer"
}

// kindTypes are the JSON Schema types of the kinds of values.
var kindTypes = [...]string{Null: "null", Bool: "boolean", Number: "number", String: "string", Array: "array", Object: "object"}
