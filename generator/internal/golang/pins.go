// Pins: names stated by the user. They take precedence over the lock, the profile and the schemas.

package golang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Pin is a stated Go name.
type Pin struct {
	At   string   // one of Nameable
	Name string   // a valid Go identifier
	Pos  diag.Pos // position of the statement
}

// pins are the stated names by subject.
type pins map[string]Pin

func pinsOf(list []Pin) pins {
	p := pins{}
	for _, pin := range list {
		p[pin.At] = pin
	}
	return p
}

// name returns the stated name of a subject, or "".
func (p pins) name(at string) string { return p[at].Name }

// Nameable returns all subjects that can have a stated name: Definition, Definition.member, Enum.value, the path of
// an inline type, which it shares with its member, and method().
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

// methodName returns the Go name of a method.
func (b *builder) methodName(m *protocol.Method) string {
	isTwin := func(other *protocol.Method) bool { return other.Name == m.Name && !other.Notification }
	if i := slices.IndexFunc(b.in.Methods, isTwin); m.Notification && i >= 0 { // a request of the same name
		return "Notify" + b.methodName(b.in.Methods[i])
	}
	return b.namer.upper(cmp.Or(b.pins.name(m.Name+"()"), m.GoName, b.namer.part(m.Name)))
}

// stated returns the stated name of a type, or "".
func (b *builder) stated(t protocol.Type) string {
	return cmp.Or(b.pins.name(t.Head().Name), t.Head().GoName)
}

// fieldName returns the Go name of a member.
func (b *builder) fieldName(in *protocol.Struct, f *protocol.Field) string {
	return cmp.Or(b.pins.name(in.Name+"."+f.Name), f.GoName, b.locked.member(in.Name, f.Name), b.unqualified(in, f), b.namer.exported(f.Name))
}

// unqualified returns the Go name of a member such as com.example/name without the domain, or "" if that is the name of
// another member or there is no domain.
func (b *builder) unqualified(in *protocol.Struct, f *protocol.Field) string {
	domain, base, ok := strings.Cut(f.Name, "/")
	if !ok || !strings.Contains(domain, ".") {
		return ""
	}
	name := b.namer.exported(base)
	for _, other := range in.Fields {
		if _, rest, ok := strings.Cut(other.Name, "/"); other != f && (b.namer.exported(other.Name) == name || ok && b.namer.exported(rest) == name) {
			return ""
		}
	}
	return name
}

// statedHint is the remedy for a conflict caused by a stated name.
const statedHint = "state another name, or leave the entry out"

// state marks the last added declaration as named by the user, if it is.
func (s *scope) state(name, at string) {
	if pin, ok := s.pins[at]; ok && at != "" {
		list := s.names[name]
		list[len(list)-1].stated = pin.Pos
	}
}
