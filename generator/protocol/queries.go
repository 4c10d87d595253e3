// Queries: common questions about a protocol.

package protocol

import (
	"iter"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// As returns the declared type of kind T that an expression refers to, resolving aliases, or nil.
func As[T Type](e Expr) T {
	ref, _ := Underlying(e).(Ref)
	t, _ := ref.Type.(T)
	return t
}

// Held returns the type an expression names, directly or as an element of lists and maps, or nil.
func Held(e Expr) Type {
	for {
		switch at := e.(type) {
		case Ref:
			return at.Type
		case List:
			e = at.Elem
		case Map:
			e = at.Elem
		default:
			return nil
		}
	}
}

// Parts returns the expressions in a declared type, some of which may be nil.
func Parts(t Type) []Expr {
	var out []Expr
	switch t := t.(type) {
	case *Struct:
		for _, f := range t.Fields {
			out = append(out, f.Type)
		}
		for _, c := range t.Choices {
			out = append(out, Ref{c.Type})
		}
		out = append(out, t.Extra)
	case *Union:
		for _, v := range t.Variants {
			out = append(out, v.Type)
		}
		if t.Tag != nil {
			out = append(out, Ref{t.Tag})
		}
	case *Alias:
		out = append(out, t.Target)
	}
	return out
}

// Elem returns the type of the items of a list or of the values of a map, or nil for other types.
func Elem(e Expr) Expr {
	switch e := e.(type) {
	case List:
		return e.Elem
	case Map:
		return e.Elem
	}
	return nil
}

// Inner returns the types that a declared type names in its parts.
func Inner(t Type) []Type {
	held := each.Map(Parts(t), Held)
	return each.Where(held, func(t Type) bool { return t != nil })
}

// Each yields the types of one kind.
func Each[T Type](types []Type) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, t := range types {
			if of, ok := t.(T); ok && !yield(of) {
				return
			}
		}
	}
}

// Allowed returns the values that a member is restricted to beyond its type, or nil.
func (f *Field) Allowed() []Value {
	if f.Const != nil {
		return []Value{*f.Const}
	}
	return f.Values
}

// Has reports whether an enum lists a value.
func (e *Enum) Has(v Value) bool {
	return slices.ContainsFunc(e.Members, func(m *EnumMember) bool { return m.Value == v })
}

// AllActions returns the rows of the action table.
func (p *Protocol) AllActions() []*Action {
	if p.Actions == nil {
		return nil
	}
	return p.Actions.Actions
}

// States returns the states of channels, each once.
func (p *Protocol) States() []*Struct {
	var out []*Struct
	for _, c := range p.Channels {
		if c.State != nil {
			out = each.With(out, c.State)
		}
	}
	return out
}

// Method returns the first method of a name, or nil.
func (p *Protocol) Method(name string) *Method {
	return each.First(p.Methods, func(m *Method) bool { return m.Name == name })
}

// Error returns the error with a code, or nil.
func (p *Protocol) Error(code int64) *ErrorCode {
	return each.First(p.Errors, func(e *ErrorCode) bool { return e.Code == code })
}

// Kind returns "request" or "notification".
func (m *Method) Kind() string {
	if m.Notification {
		return "notification"
	}
	return "request"
}

// Structs returns the variants of a case in order.
func (c *Case) Structs() []*Struct {
	if c.Next == nil {
		return []*Struct{c.Struct}
	}
	return c.Next.Structs()
}

// Structs returns the variants of a decision in order.
func (d *Dispatch) Structs() []*Struct {
	var out []*Struct
	for _, c := range d.Cases {
		out = append(out, c.Structs()...)
	}
	return out
}

// Describes reports whether decoded JSON is an object with the constants of a struct, and whether it has any that tell
// it from others.
func (s *Struct) Describes(v any) (is, told bool) {
	object, is := v.(map[string]any)
	for _, f := range s.Fields {
		if values := f.Allowed(); len(values) > 0 {
			told = true
			is = is && slices.ContainsFunc(values, func(c Value) bool { return object[f.Name] == c.Plain() })
		}
	}
	return is, told
}
