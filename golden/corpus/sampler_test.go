// Samples: values that schemas allow, at least one for each definition, each alternative in it, and each way in which a
// member may be left out or null.

package corpus

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/inside"
)

// sampler makes samples of parsed schemas.
type sampler struct {
	// object is called for each object that a schema has members for, once it is complete; nil for nothing.
	object func(map[string]any)

	open map[*inside.Schema]bool // what is being made
}

// definition returns samples of a definition: the first has all that it can have. Numbers are json.Number.
func (g *sampler) definition(def *inside.Definition) []any {
	if def.Schema == nil {
		return nil
	}
	g.open = map[*inside.Schema]bool{}
	return g.all(def.Schema, whole)
}

// role is what an object is for.
type role int

const (
	whole role = iota // a value of its own
	part              // some of the members of another, which completes it
)

// all returns samples for each alternative in a schema, none if it can have no end. Definitions that it refers to
// are for others to sample: there is one of each. The caller completes partial objects.
func (g *sampler) all(s *inside.Schema, as role) []any {
	if ref, ok := s.Reference(); ok {
		if ref.Target == nil || ref.Target.Schema == nil {
			return nil
		}
		return first(g.all(ref.Target.Schema, as))
	}
	if g.open[s] {
		return nil
	}
	g.open[s] = true
	defer delete(g.open, s)
	switch {
	case s.Unknown:
		return []any{g.unknown(s, as)}
	case s.Never:
		return nil
	case s.Any:
		return []any{map[string]any{"any": []any{json.Number("1"), nil}}}
	case s.Const != nil:
		return []any{value(s.Const)}
	case s.Enum != nil:
		return values(s.Enum)
	case isObject(s):
		return g.objects(s, as)
	case s.Choices() != nil:
		var out []any
		for _, branch := range s.Choices() {
			out = append(out, g.all(branch, as)...)
		}
		return notNullFirst(out)
	}
	return g.typed(s)
}

// typed returns samples of a schema that says no more than a type, of each that it lists.
func (g *sampler) typed(s *inside.Schema) []any {
	types := s.Types
	switch {
	case types != nil:
	case s.Items != nil:
		types = []string{"array"}
	case s.Additional != nil:
		types = []string{"object"}
	}
	var out []any
	for _, t := range types {
		switch t {
		case "string":
			out = append(out, sampleText(s))
		case "boolean":
			out = append(out, true, false)
		case "integer", "number":
			out = append(out, numbers(s, t)...)
		case "null":
			out = append(out, nil)
		case "array":
			out = append(out, g.lists(s)...)
		case "object":
			out = append(out, g.maps(s)...)
		}
	}
	return notNullFirst(out)
}

func (g *sampler) lists(s *inside.Schema) []any {
	out := []any{}
	if s.Items == nil {
		out = append(out, []any{"item"})
	} else if items := g.all(s.Items, whole); len(items) > 0 {
		out = append(out, items)
	}
	if least := s.Limit("minItems"); least == nil || least.Text == "0" {
		out = append(out, []any{})
	}
	return out
}

func (g *sampler) maps(s *inside.Schema) []any {
	if s.Additional == nil || s.Additional.Any {
		return []any{map[string]any{"key": "value", "large": json.Number("9007199254740993")}, map[string]any{}}
	}
	out := []any{map[string]any{}}
	if inner := g.all(s.Additional, whole); len(inner) > 0 {
		out = append([]any{map[string]any{"key": inner[0]}}, out...)
	}
	return out
}

// unknown returns an object that stands for the variants of newer versions. All its members are text.
func (g *sampler) unknown(s *inside.Schema, as role) any {
	out := map[string]any{}
	if properties := s.Node.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			if types := m.Value.Get("type"); types == nil || types.Kind == inside.String && types.Text == "string" {
				out[m.Key] = "_sample"
			}
		}
	}
	g.complete(out, as)
	return out
}

func (g *sampler) complete(object map[string]any, as role) {
	if as == whole && g.object != nil {
		g.object(object)
	}
}

// objects returns samples of an object: with all its members, with each alternative of each member, with as few members as
// possible, and with null wherever that may be.
func (g *sampler) objects(s *inside.Schema, as role) []any {
	members := map[string]member{}
	var choices [][]any
	if !g.gather(s, members, &choices, map[*inside.Schema]bool{}) {
		return nil
	}
	names := slices.Sorted(maps.Keys(members))
	var out []any
	add := func(set func(object map[string]any), beside ...any) {
		object := map[string]any{}
		for _, name := range names {
			if m := members[name]; len(m.samples) > 0 {
				object[name] = m.samples[0]
			}
		}
		for _, b := range beside {
			join(object, b)
		}
		set(object)
		g.complete(object, as)
		out = append(out, object)
	}
	rest := make([]any, len(choices))
	for i, c := range choices {
		rest[i] = c[0]
	}
	add(func(map[string]any) {}, rest...)
	for i, c := range choices {
		for _, alternative := range c[1:] {
			others := slices.Clone(rest)
			others[i] = alternative
			add(func(map[string]any) {}, others...)
		}
	}
	for _, name := range names {
		for _, v := range members[name].samples[min(1, len(members[name].samples)):] {
			add(func(object map[string]any) { object[name] = v }, rest...)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return !members[name].required }) {
		add(func(object map[string]any) {
			for _, name := range names {
				if !members[name].required {
					delete(object, name)
				}
			}
		}, rest...)
	}
	return out
}

// member is what a member may be.
type member struct {
	samples  []any
	required bool
}

// gather collects the members of an object and its bases, and the alternatives beside these. It is false for an object that
// can have no end.
func (g *sampler) gather(s *inside.Schema, members map[string]member, choices *[][]any, seen map[*inside.Schema]bool) bool {
	if seen[s] {
		return true
	}
	seen[s] = true
	bases := s.AllOf
	if s.Ref != nil {
		bases = append([]*inside.Schema{{Pos: s.Ref.Pos, Ref: s.Ref}}, bases...)
	}
	for _, base := range bases {
		if target := base.Follow(); target != nil && !g.gather(target, members, choices, seen) {
			return false
		}
	}
	for _, p := range s.Properties {
		old := members[p.Name]
		if samples := g.all(p.Schema, whole); old.samples == nil || len(samples) > 0 && len(samples) <= len(old.samples) {
			members[p.Name] = member{samples, old.required}
		}
	}
	for _, r := range s.Required {
		m := members[r.Text]
		m.required = true
		if members[r.Text] = m; len(m.samples) == 0 {
			return false
		}
	}
	if s.Choices() == nil {
		return true
	}
	var alternatives []any
	for _, branch := range s.Choices() {
		for _, v := range g.all(branch, part) {
			if _, ok := v.(map[string]any); ok {
				alternatives = append(alternatives, v)
			}
		}
	}
	if len(alternatives) == 0 {
		return false
	}
	*choices = append(*choices, alternatives)
	return true
}

func isObject(s *inside.Schema) bool { return s.Object || s.Ref != nil || s.AllOf != nil }

// join adds the members of one object to another.
func join(object map[string]any, beside any) {
	if more, ok := beside.(map[string]any); ok {
		maps.Copy(object, more)
	}
}

func first(list []any) []any { return list[:min(1, len(list))] }

// notNullFirst puts null behind the other values.
func notNullFirst(list []any) []any {
	slices.SortStableFunc(list, func(a, b any) int {
		switch {
		case a == nil && b != nil:
			return 1
		case a != nil && b == nil:
			return -1
		}
		return 0
	})
	return list
}

// value is a constant as encoding/json has it.
func value(n *inside.Node) any {
	d := json.NewDecoder(strings.NewReader(n.Compact()))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil // it was parsed as JSON already
	}
	return v
}

func values(nodes []*inside.Node) []any {
	var out []any
	for _, n := range nodes {
		out = append(out, value(n))
	}
	return notNullFirst(out)
}

// sampleTexts are what strings of a format look like.
var sampleTexts = map[string]string{
	"date-time": "2026-03-01T10:20:30.123456789+01:00", "date": "2026-03-01", "uri": "file:///home/user/project", "uuid": "8c7a0b1e-6f5d-4c3b-9a2e-1d0f9e8c7b6a",
	"email": "user@example.com", "byte": "aGVsbG8=", "regex": "^a+$",
}

func sampleText(s *inside.Schema) any {
	if t, ok := sampleTexts[s.Format]; ok {
		return t
	}
	if s.Encoding == "base64" {
		return sampleTexts["byte"]
	}
	return "text"
}

// largest are the largest integers of a format.
var largest = map[string]string{
	"int8": "127", "int16": "32767", "int32": "2147483647", "int64": "9223372036854775807",
	"uint8": "255", "uint16": "65535", "uint32": "4294967295", "uint64": "18446744073709551615",
}

// numbers are an ordinary one and the largest.
func numbers(s *inside.Schema, typ string) []any {
	if typ == "number" {
		return []any{json.Number("0.5"), json.Number("1")}
	}
	out := []any{json.Number("1")}
	if most := s.Limit("maximum"); most != nil {
		return append(out, json.Number(most.Text))
	}
	if most, ok := largest[s.Format]; ok {
		out = append(out, json.Number(most))
	}
	return out
}
