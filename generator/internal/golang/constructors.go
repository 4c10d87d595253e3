// Constructors: functions that make values from parameters, as trees of composite literals.

package golang

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Constructor is a function that makes a value.
type Constructor struct {
	Name       string   `go:"identifier"`
	Doc        []string `go:"comment"`
	Parameters []*Parameter
	Struct     *Struct // that it returns a pointer to
	Value      *Made
	Of         *protocol.Constructor
}

// Parameter is one of a constructor.
type Parameter struct {
	Name string `go:"identifier"`
	Type Type   // nil if it is not used
}

// Made is a value: one of a parameter, a struct, a list, a text or a truth value.
type Made struct {
	Type      Type
	Parameter *Parameter
	Struct    *Struct
	Fields    []MadeField
	Items     []*Made
	Text      string `go:"text"`
	Bool      *bool
}

// MadeField is a field with a value.
type MadeField struct {
	*Field
	Value *Made
}

// constructors builds all of them.
func (b *builder) constructors() {
	if !b.out.Parts[PartHelpers] {
		return
	}
	for _, in := range b.in.Constructors {
		m := &maker{builder: b, in: in, parameters: map[string]*Parameter{}}
		out := &Constructor{Doc: []string{in.Doc}, Of: in}
		for _, name := range in.Parameters {
			p := &Parameter{Name: b.parameter(name)}
			m.parameters[name] = p
			out.Parameters = append(out.Parameters, p)
		}
		out.Value = m.value(in.Value, b.typ(protocol.Ref{Type: in.Of}))
		for _, p := range out.Parameters {
			if p.Type == nil && !m.failed {
				m.fail("take it away, or write it into the value", "the value has no \"$%s\"", p.Name)
			}
		}
		if out.Value != nil && out.Value.Struct != nil && !m.failed {
			out.Struct = out.Value.Struct
			out.Name = b.derive(in.Name, "constructor "+in.Name, in.Pos)
			b.out.Constructors = append(b.out.Constructors, out)
		}
	}
}

// parameter returns the Go name of a parameter, which must not hide what the function uses.
func (b *builder) parameter(name string) string {
	if out := b.namer.local(name); out != "wire" {
		return out
	}
	return "wireValue"
}

// written returns a value as JSON.
func written(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return "" // it was JSON
	}
	return string(out)
}

// maker builds the value of a constructor.
type maker struct {
	*builder
	in         *protocol.Constructor
	parameters map[string]*Parameter
	failed     bool
}

func (m *maker) fail(hint, format string, args ...any) *Made {
	m.failed = true
	m.Errorf(m.in.Pos, "bad-constructor", hint, "constructor %s: "+format, append([]any{m.in.Name}, args...)...)
	return nil
}

// value builds a value of a type.
func (m *maker) value(v any, t Type) *Made {
	if text, ok := v.(string); ok && strings.HasPrefix(text, "$") {
		p := m.parameters[text[1:]]
		if p == nil {
			return m.fail("name it among the parameters", "there is no parameter %q", text[1:])
		}
		if p.Type != nil {
			return m.fail("use each parameter once", "the value has %q twice", text)
		}
		p.Type = t
		return &Made{Type: t, Parameter: p}
	}
	switch of := Underlying(t).(type) {
	case StructType:
		return m.object(v, of.Struct, of.Struct.Consts)
	case UnionType:
		return m.variant(v, of.Union)
	case Slice:
		items, ok := v.([]any)
		if !ok {
			return m.fail("write a list", "%s is no list", written(v))
		}
		out := &Made{Type: t, Items: []*Made{}}
		for _, item := range items {
			out.Items = append(out.Items, m.value(item, of.Elem))
		}
		return out
	}
	switch v := v.(type) {
	case string:
		if _, ok := Underlying(t).(EnumType); ok || Underlying(t) == String {
			return &Made{Type: t, Text: v}
		}
	case bool:
		if Underlying(t) == Bool {
			return &Made{Type: t, Bool: &v}
		}
	}
	return m.fail("write a text, true or false where the type has one, or make it a parameter", "%s does not fit its type", written(v))
}

// variant builds a variant of a union: the one whose constants are in the object.
func (m *maker) variant(v any, u *Union) *Made {
	object, _ := v.(map[string]any)
	var found *Struct
	for _, s := range u.Structs {
		fits := len(s.Consts) > 0 && !slices.ContainsFunc(s.Consts, func(c Const) bool { return object[c.Wire] != c.Value.Plain() })
		if fits && found != nil {
			return m.fail("write the constants of one variant", "the value may be several variants of %s", u.Name)
		}
		if fits {
			found = s
		}
	}
	if found == nil {
		return m.fail("write an object with the constants of a variant", "%s is no variant of %s", written(v), u.Name)
	}
	return m.object(v, found, found.Consts)
}

// object builds a struct.
func (m *maker) object(v any, s *Struct, consts []Const) *Made {
	object, ok := v.(map[string]any)
	if !ok {
		return m.fail("write an object", "%s is no object", written(v))
	}
	out := &Made{Type: StructType{s}, Struct: s}
	for _, member := range slices.Sorted(maps.Keys(object)) {
		if s.Field(member) == nil && !slices.ContainsFunc(consts, func(c Const) bool { return c.Wire == member }) {
			m.fail("take it away", "%s has no member %q", s.Name, member)
		}
	}
	for _, f := range s.Fields {
		if v, ok := object[f.Wire]; ok {
			out.Fields = append(out.Fields, MadeField{f, m.value(v, f.Type)})
		}
	}
	return out
}
