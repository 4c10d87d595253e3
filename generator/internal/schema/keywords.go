// Keywords: the handling of each keyword.

package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
)

// The handling of keywords other than applicators.
var (
	annotations = []string{
		"$comment", "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$recursiveAnchor", "examples", "default",
		"readOnly", "writeOnly", "contentEncoding", "contentMediaType",
	}
	limits = []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	}
	// validating are keywords with schemas that restrict values without giving them another type.
	validating = []string{
		"not", "if", "then", "else", "propertyNames", "contains", "minContains", "maxContains", "unevaluatedItems",
		"unevaluatedProperties", "dependencies", "dependentRequired", "dependentSchemas", "contentSchema",
	}
	unsupported = []string{"$dynamicRef", "$recursiveRef"}
	// elsewhere maps keywords of other dialects to their JSON Schema equivalent.
	elsewhere = map[string]string{"nullable": `add null to the types, as in "type": ["string", "null"], or an alternative {"type": "null"}`}
	handled   = []string{
		"$ref", "$defs", "definitions", "type", "enum", "const", "properties", "patternProperties", "required",
		"additionalProperties", "items", "prefixItems", "additionalItems", "oneOf", "anyOf", "allOf", "title", "description", "deprecated", "format", "discriminator",
	}
	typeNames = []string{"string", "number", "integer", "boolean", "object", "array", "null"}
)

// IsStandard reports whether a keyword is one of JSON Schema.
func IsStandard(key string) bool {
	return slices.ContainsFunc([][]string{annotations, limits, validating, unsupported, handled}, func(list []string) bool { return slices.Contains(list, key) })
}

// Restricts reports whether a keyword can say that something is no value of a schema.
func Restricts(key string) bool {
	return slices.Contains(limits, key) || slices.Contains(validating, key) || slices.Contains(unsupported, key) ||
		slices.Contains(handled, key) && !slices.Contains([]string{"$defs", "definitions", "title", "description", "deprecated", "discriminator"}, key)
}

// keywordTypes maps keywords to the type they apply to.
var keywordTypes = map[string]string{
	"properties": "object", "patternProperties": "object", "required": "object", "additionalProperties": "object", "items": "array", "prefixItems": "array",
}

// contradictions reports keywords without effect, which validators ignore.
func (p *schemaParser) contradictions(s *Schema) {
	choice, both := s.OneOf != nil, s.AnyOf != nil
	if anyOf, _ := s.Node.keyword("anyOf"); choice && both {
		p.Errorf(anyOf.KeyPos, "two-choices", "keep one of the two, or give one a definition of its own", "anyOf beside oneOf is not supported")
	}
	types := s.valueTypes()
	for _, keyword := range slices.Sorted(maps.Keys(keywordTypes)) {
		want := keywordTypes[keyword]
		m, ok := s.Node.keyword(keyword)
		switch {
		case !ok, p.At(m.Value.Pos):
		case len(types) > 0 && !slices.Contains(types, want):
			p.Unread(m.KeyPos, "without-effect", withoutEffect(s, want), "keyword %q says nothing about a value of type %s", keyword, strings.Join(types, " or "))
		case (choice || both) && keyword == "additionalProperties" && !s.Object:
			p.Unread(m.KeyPos, "beside-alternatives", "put it into each alternative", "keyword %q beside alternatives is not supported", keyword)
		case keyword == "required" && p.misspelt(s.Node, "properties"):
		case keyword == "required" && !s.Object && s.Node.Get("properties") == nil && s.Ref == nil && s.AllOf == nil && len(s.Required) > 0 && !choice && !both && !p.parts[s.Node] && s.Node.Get("patternProperties") == nil:
			p.Errorf(m.KeyPos, "required-alone", "declare the members under properties", "required members need properties")
		}
	}
	if len(s.Types) == 0 {
		return
	}
	values := s.Enum
	if s.Const != nil {
		values = append(slices.Clone(values), s.Const)
	}
	fits := func(v *Node) bool { return slices.ContainsFunc(s.Types, v.fits) }
	if len(values) > 1 && !slices.ContainsFunc(values, fits) {
		p.Unread(s.Node.Get("type").Pos, "wrong-constant", "correct the type or the values", "none of the values is of type %s", strings.Join(s.Types, " or "))
		return
	}
	for _, v := range values {
		if !fits(v) {
			p.Unread(v.Pos, "wrong-constant", "correct the value or the type", "%s is no value of type %s", v.Compact(), strings.Join(s.Types, " or "))
		}
	}
}

// withoutEffect returns the remedy for a keyword that says something about values of a type which a schema does not have.
func withoutEffect(s *Schema, want string) string {
	if s.constants() != nil {
		return "remove it, or give it and the constants an alternative each under oneOf"
	}
	return fmt.Sprintf("remove it, or make the type %q", want)
}

// misspelt reports whether a schema contains a probably misspelt keyword, which is reported elsewhere.
func (p *schemaParser) misspelt(n *Node, keyword string) bool {
	return slices.ContainsFunc(n.Members, func(m Member) bool {
		return p.At(m.KeyPos) && similar.Nearest(m.Key, []string{keyword}) != ""
	})
}

// keyword handles a keyword and reports whether it constrains values.
func (p *schemaParser) keyword(s *Schema, m Member) bool {
	v := m.Value
	switch m.Key {
	case "type":
		if s.Types = p.types(v); isEveryType(s.Types) {
			s.Types = nil
		}
		return s.Types != nil || p.At(v.Pos)
	case "$ref":
		p.reference(s, m)
	case "enum":
		if p.want(m, Array) {
			s.Enum = v.Items
			if len(v.Items) == 0 {
				p.Errorf(v.Pos, "empty-enum", "list the values, or drop the keyword", "enum lists no value")
			}
		}
	case "const":
		s.Const = v
	case "required":
		if p.want(m, Array) {
			s.Required = append(s.Required, p.names(v)...)
		}
	case "format":
		s.Format = p.text(m)
	case "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "additionalItems", "oneOf", "anyOf", "allOf":
		return p.applicator(s, m)
	case "title", "description", "deprecated", "contentEncoding", "default", "discriminator":
		p.annotation(s, m)
		return false
	case "$defs", "definitions": // read with the file, or where references lead
		if v != p.doc.Root.Get(m.Key) {
			p.nested = append(p.nested, v.Members...)
		}
		return false
	default:
		return p.other(s, m)
	}
	return true
}

// reference handles a $ref, which may name a constant.
func (p *schemaParser) reference(s *Schema, m Member) {
	if !p.want(m, String) {
		return
	}
	if s.Const = p.set.constant(m.Value.Text); s.Const == nil {
		target, found := p.set.resolve(p.doc, m.Value)
		p.Add(found...)
		s.Ref = &Reference{Text: m.Value.Text, Pos: m.Value.Pos, Target: target}
	}
}

// names returns the member names in a list.
func (p *schemaParser) names(list *Node) []*Node {
	var out []*Node
	for _, item := range list.Items {
		if item.Kind != String {
			p.unread(item.Pos, "bad-keyword", "list the names of members", "required lists member names, not %s", item.Kind)
			continue
		}
		out = append(out, item)
	}
	return out
}

// applicator handles a keyword with subschemas and reports whether they constrain values.
func (p *schemaParser) applicator(s *Schema, m Member) bool {
	v := m.Value
	switch m.Key {
	case "properties":
		if p.want(m, Object) {
			s.Object = true
			for _, property := range v.Members {
				s.Properties = append(s.Properties, Property{Name: property.Key, Pos: property.KeyPos, Schema: p.schema(property.Value)})
			}
		}
	case "additionalProperties":
		if s.Node.Get("patternProperties") == nil {
			s.Additional = p.schema(v)
			if s.Additional.Any && saysNothingElse(s.Node) {
				s.Additional = nil
				return false
			}
		}
	case "items":
		if v.Kind == Array {
			s.Items = p.tuple(s, m, s.Node.Get("additionalItems"))
		} else if s.Node.Get("prefixItems") == nil {
			s.Items = p.schema(v)
		}
	case "prefixItems":
		s.Items = p.tuple(s, m, s.Node.Get("items"))
	case "additionalItems":
		return false // read with items
	case "patternProperties":
		p.patterns(s, m)
	case "oneOf", "anyOf":
		if p.onlyRequires(v) || onlyLimits(s.Node, v) {
			s.Limits = append(s.Limits, m)
			return false
		}
		p.choices = append(p.choices, s)
		if branches := p.branches(m); m.Key == "oneOf" {
			s.OneOf = branches
		} else {
			s.AnyOf = branches
		}
	case "allOf":
		branches := p.branches(m)
		for _, part := range branches {
			if isCondition(part) {
				s.Limits = append(s.Limits, part.Limits...)
			}
		}
		left := slices.DeleteFunc(branches, func(part *Schema) bool { return passedOver(part) || isCondition(part) })
		if len(left) == 0 {
			return len(m.Value.Items) == 0
		}
		s.AllOf = left
	}
	return true
}

// saysNothingElse reports whether no keyword of a schema that allows more members says that values are objects.
func saysNothingElse(n *Node) bool {
	return !slices.ContainsFunc(n.Members, func(m Member) bool {
		return slices.Contains(handled, m.Key) && !slices.Contains([]string{"additionalProperties", "additionalItems", "title", "description", "deprecated"}, m.Key)
	})
}

// isCondition reports whether a part says nothing about the type of values: nothing at all, or limits alone.
func isCondition(s *Schema) bool {
	if s.Node.Kind == Bool {
		return s.Node.Bool
	}
	return s.Node.Kind == Object && !slices.ContainsFunc(s.Node.Members, func(m Member) bool {
		return !slices.Contains(limits, m.Key)
	})
}

// annotation handles an annotation keyword.
func (p *schemaParser) annotation(s *Schema, m Member) {
	v := m.Value
	switch m.Key {
	case "title":
		s.Title = p.text(m)
	case "description":
		s.Description = p.text(m)
	case "deprecated":
		s.Deprecated = v.True()
	case "contentEncoding":
		s.Encoding = p.text(m)
	case "default":
		s.Default = v
	case "discriminator":
		if s.Discriminator = v.Get("propertyName").Str(); s.Discriminator == "" {
			p.Unread(v.Pos, "bad-keyword", `write {"propertyName": "type"}`, "discriminator needs the name of a property")
		}
	}
}

// passedOver reports whether all keywords of a schema are ignored.
func passedOver(s *Schema) bool { return s.Any && s.Node.Kind == Object && len(s.Node.Members) > 0 }

func (p *schemaParser) other(s *Schema, m Member) bool {
	switch {
	case p.foreign(s, m), slices.Contains(annotations, m.Key), KeywordOf(m.Key).Stand == AtRoot:
		return false
	case p.doc.isOldID(m):
		return false
	case slices.Contains(limits, m.Key):
		s.Limits = append(s.Limits, m)
		return true
	case slices.Contains(validating, m.Key):
		p.limit(s, m)
		return false
	case KeywordOf(m.Key).Stand != 0:
		s.Vendor = append(s.Vendor, m)
		return false
	case slices.Contains(unsupported, m.Key):
		if ref, ok := p.set.onlyPlace(p.doc, m); ok {
			p.reference(s, ref)
			return true
		}
		p.Unread(m.KeyPos, "unsupported-keyword", p.opts.hint("say it with the supported keywords, in the schema or in an overlay of the profile", "say it with the supported keywords"),
			"keyword %q is not supported", m.Key)
		return true
	}
	hint := cmp.Or(elsewhere[m.Key], p.opts.unknown())
	best, bestDistance := "", min(3, len(m.Key)/3+1)
	for _, known := range slices.Concat(handled, limits, annotations, schemaKeywords()) {
		if d := similar.Distance(m.Key, known, bestDistance); d < bestDistance {
			best, bestDistance = known, d
		}
	}
	if (best == "" || p.set.Other) && p.pass(m) {
		return false
	}
	if best != "" {
		p.Unread(m.KeyPos, "misspelt-keyword", fmt.Sprintf("did you mean %q? Otherwise %s", best, hint), "unknown keyword %q", m.Key)
	} else {
		p.Errorf(m.KeyPos, "unknown-keyword", hint, "unknown keyword %q", m.Key)
	}
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
	p.unread(m.Value.Pos, "bad-keyword", hint, "%s must be %s, not %s", m.Key, kind, m.Value.Kind)
	return false
}

func (p *schemaParser) text(m Member) string {
	if p.want(m, String) {
		return m.Value.Text
	}
	return ""
}

func (p *schemaParser) types(v *Node) []string {
	var out []string
	for _, item := range v.OneOrMore() {
		switch {
		case item.Kind != String || !slices.Contains(typeNames, item.Text):
			hint := similar.DidYouMean(item.Text, typeNames, "the types are "+diag.Enumerate(typeNames, "and"))
			p.unread(item.Pos, "bad-keyword", hint, "%s is not a type", item.Compact())
		case slices.Contains(out, item.Text):
			p.unread(item.Pos, "bad-keyword", "list it once", "type %q is listed twice", item.Text)
		default:
			out = append(out, item.Text)
		}
	}
	return out
}

// isEveryType reports whether a list of types leaves none out, and says nothing.
func isEveryType(types []string) bool {
	return !slices.ContainsFunc(typeNames, func(t string) bool { return t != "integer" && !slices.Contains(types, t) })
}

func (p *schemaParser) branches(m Member) []*Schema {
	if !p.want(m, Array) {
		return nil
	}
	if len(m.Value.Items) == 0 {
		p.Unread(m.Value.Pos, "bad-keyword", "list the alternatives, or drop the keyword", "%s lists no schema", m.Key)
	}
	out := make([]*Schema, len(m.Value.Items))
	for i, item := range m.Value.Items {
		if m.Key == "allOf" {
			p.parts[item] = true
		}
		out[i] = p.alternative(item)
	}
	return out
}
