// Typed schemas: each keyword in its place, so that a property named like a keyword is a property.

package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Schema is one schema with its keywords sorted out. Keywords that only constrain values without
// changing their type are kept in Limits.
type Schema struct {
	Pos  diag.Pos
	Doc  *Document
	Node *Node

	Any     bool // true or {}: anything goes
	Never   bool // false: nothing does
	Unknown bool // stands for the variants that a newer version may have

	Ref        *Reference
	Types      []string
	Enum       []*Node
	Const      *Node
	Properties []Property
	Object     bool    // properties is stated, be it empty
	Required   []*Node // strings
	Additional *Schema // additionalProperties, nil where not stated
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
	Discriminator string // its propertyName
	Limits        []Member
	Vendor        []Member // x-… keywords
	Foreign       []ForeignKeyword

	// Memo is for package analyze, which asks the same of a schema wherever something refers to it.
	Memo any
}

// Reference is a $ref and what it leads to, nil where it leads nowhere.
type Reference struct {
	Text   string
	Pos    diag.Pos
	Target *Definition
}

// Property is a named member of an object schema.
type Property struct {
	Name   string
	Pos    diag.Pos // of the name
	Schema *Schema
}

// Property returns the property with the name, nil where there is none.
func (s *Schema) Property(name string) *Property {
	if len(s.Properties) == 0 {
		return nil
	}
	// Properties are in the order of the members they were read from.
	i := s.Node.Get("properties").find(name)
	if i < 0 || i >= len(s.Properties) {
		return nil
	}
	return &s.Properties[i]
}

// Limit returns the value of a constraining keyword such as maxProperties, nil where not stated.
func (s *Schema) Limit(keyword string) *Node { return member(s.Limits, keyword) }

// Extension returns the value of a vendor keyword, nil where not stated.
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

// What is done with each keyword that is not an applicator of its own.
var (
	annotations = []string{"$comment", "$schema", "$id", "examples", "default", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"}
	limits      = []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	}
	unsupported = []string{
		"not", "if", "then", "else", "patternProperties", "propertyNames", "contains", "minContains", "maxContains",
		"prefixItems", "additionalItems", "unevaluatedItems", "unevaluatedProperties", "dependencies", "dependentRequired",
		"dependentSchemas", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
		"contentSchema",
	}
	handled = []string{
		"$ref", "$defs", "definitions", "type", "enum", "const", "properties", "required", "additionalProperties", "items",
		"oneOf", "anyOf", "allOf", "title", "description", "deprecated", "format", "discriminator",
	}
	typeNames = []string{"string", "number", "integer", "boolean", "object", "array", "null"}
)

// Options say what a reader passes over.
type Options struct {
	Profile bool   // there is a profile, which could repair what is wrong
	Unknown []Mark // how alternatives look that stand for the variants of newer versions
}

// hint chooses by whether there is a profile to add to.
func (o Options) hint(profile, without string) string {
	if o.Profile {
		return profile
	}
	return without
}

// unknown is what to do about a keyword that nobody knows.
func (o Options) unknown() string {
	return o.hint("remove it, or list it under ignoreKeywords in the profile if it means nothing for Go",
		"remove it; a profile can list it under ignoreKeywords if it means nothing for Go")
}

// Parse sorts out every definition of the set and resolves its references. Equal copies in other
// files are not parsed again, but their references are checked where they stand.
func (s *Set) Parse(opts Options, diags *diag.List) {
	p := &schemaParser{set: s, opts: opts, diags: diags}
	s.opts = opts
	for _, doc := range s.Docs {
		s.checkRoot(doc, opts, diags)
	}
	for _, def := range s.merged {
		p.doc = def.Doc
		diags.Working(def.Pos)
		def.Schema = p.schema(def.Node)
	}
	for _, doc := range s.Docs {
		for _, def := range doc.defs {
			if s.byName[def.Name] != def {
				checkCopy(s, def, diags)
			}
		}
	}
}

// checkCopy checks the references of a definition that is parsed where it stands first.
func checkCopy(s *Set, def *Definition, diags *diag.List) {
	var walk func(n *Node, schema *Schema)
	walk = func(n *Node, schema *Schema) {
		if n == nil || schema == nil {
			return
		}
		if schema.Ref != nil {
			if ref := n.Get("$ref"); ref != nil {
				s.resolve(def.Doc, ref, diags)
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
}

type schemaParser struct {
	set   *Set
	doc   *Document
	opts  Options
	diags *diag.List
}

func (p *schemaParser) schema(n *Node) *Schema { return p.read(n, false) }

// errorf reports what is wrong at a place about which nothing is said yet.
func (p *schemaParser) errorf(pos diag.Pos, code, hint, format string, args ...any) {
	if !p.diags.At(pos) {
		p.diags.Errorf(pos, code, hint, format, args...)
	}
}

// read sorts out a schema, which may be an alternative of a choice.
func (p *schemaParser) read(n *Node, alternative bool) *Schema {
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
		p.errorf(n.Pos, "not-a-schema", hint, "a schema is an object or a boolean, not %s", n.Kind)
		s.Any = true
		return s
	}
	if alternative && p.isUnknown(n) {
		// It tells validators what the known variants are not; there is nothing to read out of it.
		s.Unknown = true
		return s
	}
	structural := false
	for _, m := range n.Members {
		if p.keyword(s, m) {
			structural = true
		}
	}
	s.Any = !structural
	p.contradictions(s)
	return s
}

// keywordTypes says which type a keyword is about.
var keywordTypes = map[string]string{
	"properties": "object", "required": "object", "additionalProperties": "object", "items": "array",
}

// contradictions reports keywords that have no effect where they stand. A validator passes over
// them; whoever wrote them meant something.
func (p *schemaParser) contradictions(s *Schema) {
	_, choice := s.Node.keyword("oneOf")
	anyOf, both := s.Node.keyword("anyOf")
	if choice && both {
		p.diags.Errorf(anyOf.KeyPos, "two-choices", "keep one of the two, or give one a definition of its own", "anyOf beside oneOf is not supported")
	}
	for keyword, want := range keywordTypes {
		m, ok := s.Node.keyword(keyword)
		switch {
		case !ok, p.diags.At(m.Value.Pos):
		case len(s.Types) > 0 && !slices.Contains(s.Types, want):
			p.diags.Errorf(m.KeyPos, "without-effect", fmt.Sprintf("remove it, or make the type %q", want),
				"keyword %q says nothing about a value of type %s", keyword, strings.Join(s.Types, " or "))
		case (choice || both) && keyword == "additionalProperties" && !s.Object:
			p.diags.Errorf(m.KeyPos, "without-effect", "put it into each alternative", "keyword %q beside alternatives is not supported", keyword)
		case keyword == "required" && !s.Object && s.Node.Get("properties") == nil && s.Ref == nil && s.AllOf == nil && len(s.Required) > 0 && !choice && !both:
			p.diags.Errorf(m.KeyPos, "undeclared-required", "declare the members under properties", "required members need properties")
		}
	}
	if len(s.Types) == 0 {
		return
	}
	values := s.Enum
	if s.Const != nil {
		values = append(slices.Clone(values), s.Const)
	}
	fitting := 0
	for _, v := range values {
		if slices.ContainsFunc(s.Types, func(t string) bool { return v.fits(t) }) {
			fitting++
		}
	}
	if len(values) > 1 && fitting == 0 {
		p.diags.Errorf(s.Node.Get("type").Pos, "wrong-constant", "correct the type or the values", "none of the values is of type %s", strings.Join(s.Types, " or "))
		return
	}
	for _, v := range values {
		if !slices.ContainsFunc(s.Types, func(t string) bool { return v.fits(t) }) {
			p.diags.Errorf(v.Pos, "wrong-constant", "correct the value or the type", "%s is no value of type %s", v.Compact(), strings.Join(s.Types, " or "))
		}
	}
}

// keyword returns the member of an object with the key.
func (n *Node) keyword(key string) (Member, bool) {
	if i := n.find(key); i >= 0 {
		return n.Members[i], true
	}
	return Member{}, false
}

// fits reports whether the value is of a JSON Schema type.
func (n *Node) fits(typ string) bool {
	switch typ {
	case "string":
		return n.Kind == String
	case "number", "integer":
		return n.Kind == Number
	case "boolean":
		return n.Kind == Bool
	case "null":
		return n.Kind == Null
	case "array":
		return n.Kind == Array
	}
	return n.Kind == Object
}

// keyword handles one keyword and reports whether it says anything about values.
func (p *schemaParser) keyword(s *Schema, m Member) bool {
	v := m.Value
	switch m.Key {
	case "$ref":
		if !p.want(m, String) {
			return true
		}
		if s.Const = p.set.constant(v.Text); s.Const == nil {
			s.Ref = &Reference{Text: v.Text, Pos: v.Pos, Target: p.set.resolve(p.doc, v, p.diags)}
		}
	case "type":
		s.Types = p.types(v)
	case "enum":
		if p.want(m, Array) {
			s.Enum = v.Items
			if len(v.Items) == 0 {
				p.diags.Errorf(v.Pos, "empty-enum", "list the values, or drop the keyword", "enum lists no value")
			}
		}
	case "const":
		s.Const = v
	case "properties":
		if p.want(m, Object) {
			s.Object = true
			for _, property := range v.Members {
				s.Properties = append(s.Properties, Property{Name: property.Key, Pos: property.KeyPos, Schema: p.schema(property.Value)})
			}
		}
	case "required":
		if p.want(m, Array) {
			for _, item := range v.Items {
				if item.Kind != String {
					p.errorf(item.Pos, "bad-keyword", "list the names of members", "required lists member names, not %s", item.Kind)
					continue
				}
				s.Required = append(s.Required, item)
			}
		}
	case "additionalProperties":
		s.Additional = p.schema(v)
	case "items":
		if v.Kind == Array {
			p.diags.Errorf(v.Pos, "unsupported-keyword", "give all items one schema; a tuple has no counterpart in Go", "items with a list of schemas is not supported")
			return true
		}
		s.Items = p.schema(v)
	case "oneOf":
		s.OneOf = p.branches(m)
	case "anyOf":
		s.AnyOf = p.branches(m)
	case "allOf":
		branches := p.branches(m)
		if len(branches) > 0 && !slices.ContainsFunc(branches, func(b *Schema) bool { return !passedOver(b) }) {
			return false
		}
		s.AllOf = slices.DeleteFunc(branches, passedOver)
	case "title":
		s.Title = p.text(m)
		return false
	case "description":
		s.Description = p.text(m)
		return false
	case "deprecated":
		s.Deprecated = v.Kind == Bool && v.Bool
		return false
	case "format":
		s.Format = p.text(m)
	case "contentEncoding":
		s.Encoding = p.text(m)
		return false
	case "default":
		s.Default = v
		return false
	case "discriminator":
		if name := v.Get("propertyName"); name != nil && name.Kind == String {
			s.Discriminator = name.Text
		} else {
			p.diags.Errorf(v.Pos, "bad-keyword", `write {"propertyName": "type"}`, "discriminator needs the name of a property")
		}
		return false
	case "$defs", "definitions":
		p.diags.Errorf(m.KeyPos, "nested-definitions", "move them to the top of the file", "definitions inside a schema are not supported")
		return false
	default:
		return p.other(s, m)
	}
	return true
}

// passedOver reports whether a schema has nothing but keywords that are passed over.
func passedOver(s *Schema) bool { return s.Any && s.Node.Kind == Object && len(s.Node.Members) > 0 }

func (p *schemaParser) other(s *Schema, m Member) bool {
	switch {
	case p.foreign(s, m), slices.Contains(annotations, m.Key), slices.Contains(rootVocabulary, m.Key):
		return false
	case slices.Contains(limits, m.Key):
		s.Limits = append(s.Limits, m)
		return true
	case slices.Contains(vocabulary, m.Key):
		s.Vendor = append(s.Vendor, m)
		return false
	case slices.Contains(unsupported, m.Key):
		p.diags.Errorf(m.KeyPos, "unsupported-keyword", p.opts.hint("say it with the supported keywords, in the schema or in an overlay of the profile", "say it with the supported keywords"),
			"keyword %q is not supported", m.Key)
		return true
	}
	hint := p.opts.unknown()
	best, bestDistance := "", min(3, len(m.Key)/3+1)
	for _, known := range slices.Concat(handled, limits, annotations, vocabulary) {
		if d := Distance(m.Key, known, bestDistance); d < bestDistance {
			best, bestDistance = known, d
		}
	}
	if best != "" {
		hint = fmt.Sprintf("did you mean %q? Otherwise %s", best, hint)
	}
	p.diags.Errorf(m.KeyPos, "unknown-keyword", hint, "unknown keyword %q", m.Key)
	return true
}

func (p *schemaParser) want(m Member, kind Kind) bool {
	if m.Value.Kind == kind {
		return true
	}
	hint := "write " + kind.String()
	if m.Key == "required" && m.Value.Kind == Bool {
		hint = "take it away, and list the member under required of the object that has it"
	}
	p.errorf(m.Value.Pos, "bad-keyword", hint, "%s must be %s, not %s", m.Key, kind, m.Value.Kind)
	return false
}

func (p *schemaParser) text(m Member) string {
	if p.want(m, String) {
		return m.Value.Text
	}
	return ""
}

func (p *schemaParser) types(v *Node) []string {
	items := []*Node{v}
	if v.Kind == Array {
		items = v.Items
	}
	var out []string
	for _, item := range items {
		switch {
		case item.Kind != String || !slices.Contains(typeNames, item.Text):
			hint := "the types are " + join(typeNames, "and")
			if near := NearestOf(item.Text, typeNames); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			p.errorf(item.Pos, "bad-keyword", hint, "%s is not a type", item.Compact())
		case slices.Contains(out, item.Text):
			p.errorf(item.Pos, "bad-keyword", "list it once", "type %q is listed twice", item.Text)
		default:
			out = append(out, item.Text)
		}
	}
	return out
}

func (p *schemaParser) branches(m Member) []*Schema {
	if !p.want(m, Array) {
		return nil
	}
	if len(m.Value.Items) == 0 {
		p.diags.Errorf(m.Value.Pos, "bad-keyword", "list the alternatives, or drop the keyword", "%s lists no schema", m.Key)
	}
	out := make([]*Schema, len(m.Value.Items))
	for i, item := range m.Value.Items {
		out[i] = p.read(item, true)
	}
	return out
}
