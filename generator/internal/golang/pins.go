// Pins: names that whoever uses the package has stated. They come before those of the lock, the profile and
// the schemas.

package golang

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Pin states a name in Go.
type Pin struct {
	At   string   // one of Nameable
	Name string   // fit for a Go declaration
	Pos  diag.Pos // where that is said
}

// pins are the stated names by what they are for.
type pins map[string]Pin

func pinsOf(list []Pin) pins {
	p := pins{}
	for _, pin := range list {
		p[pin.At] = pin
	}
	return p
}

// name is the name that is stated for something, "" if none is.
func (p pins) name(at string) string { return p[at].Name }

// Nameable lists all that a name can be stated for: Definition, Definition.member, Enum.value, the path of
// an inline type, which its member shares, and method().
func Nameable(in *protocol.Protocol) []string {
	var out []string
	for _, t := range in.Types {
		out = append(out, t.Head().Name)
		switch t := t.(type) {
		case *protocol.Struct:
			for _, f := range t.Fields {
				if f.Const == nil {
					out = append(out, t.Name+"."+f.Name)
				}
			}
		case *protocol.Enum:
			for _, m := range t.Members {
				out = append(out, t.Name+"."+m.Value.String())
			}
		}
	}
	for _, m := range in.Methods {
		out = append(out, m.Name+"()")
	}
	return out
}

// methodName is what a method is called in Go.
func (b *builder) methodName(m *protocol.Method) string {
	isTwin := func(other *protocol.Method) bool { return other.Name == m.Name && !other.Notification }
	if i := slices.IndexFunc(b.in.Methods, isTwin); m.Notification && i >= 0 { // a request of its name
		return "Notify" + b.methodName(b.in.Methods[i])
	}
	return b.namer.upper(cmp.Or(b.pins.name(m.Name+"()"), m.GoName, b.namer.part(m.Name)))
}

// stated is the name that a type is given, "" if the rules or an earlier run say it.
func (b *builder) stated(t protocol.Type) string {
	return cmp.Or(b.pins.name(t.Head().Name), t.Head().GoName)
}

// fieldName is what a member is called in Go.
func (b *builder) fieldName(in *protocol.Struct, f *protocol.Field) string {
	return cmp.Or(b.pins.name(in.Name+"."+f.Name), f.GoName, b.locked.member(in.Name, f.Name), b.namer.exported(f.Name))
}

// statedHint is what to do if two things share a name because it is stated.
const statedHint = "state another name, or leave the entry out"

// state notes of what was added last under a name if that name is stated for it.
func (s *scope) state(name, at string) {
	if pin, ok := s.pins[at]; ok && at != "" {
		list := s.names[name]
		list[len(list)-1].stated = pin.Pos
	}
}
