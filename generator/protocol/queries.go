// Queries: what several stages ask of a protocol.

package protocol

import (
	"iter"
	"slices"
)

// As is the declared type that an expression stands for, aliases looked through, if that is of a kind; nil for
// anything else.
func As[T Type](e Expr) T {
	ref, _ := Underlying(e).(Ref)
	t, _ := ref.Type.(T)
	return t
}

// Held is the type that is named by an expression, or by what its lists and maps hold; nil for none.
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

// Parts are what a declared type is made of. Some may be nil.
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

// Each yields the types of a kind in a list.
func Each[T Type](types []Type) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, t := range types {
			if of, ok := t.(T); ok && !yield(of) {
				return
			}
		}
	}
}

// AllActions are the rows of the action table, none if the protocol has no actions.
func (p *Protocol) AllActions() []*Action {
	if p.Actions == nil {
		return nil
	}
	return p.Actions.Actions
}

// Method returns the first method of a name, nil if there is none.
func (p *Protocol) Method(name string) *Method {
	return first(p.Methods, func(m *Method) bool { return m.Name == name })
}

// Error returns the error with a code, nil if there is none.
func (p *Protocol) Error(code int64) *ErrorCode {
	return first(p.Errors, func(e *ErrorCode) bool { return e.Code == code })
}

func first[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// Kind is what a method is in a word.
func (m *Method) Kind() string {
	if m.Notification {
		return "notification"
	}
	return "request"
}

// Structs are the variants that a case leads to, in order.
func (c *Case) Structs() []*Struct {
	if c.Next == nil {
		return []*Struct{c.Struct}
	}
	return c.Next.Structs()
}

// Structs are the variants that a decision leads to, in order.
func (d *Dispatch) Structs() []*Struct {
	var out []*Struct
	for _, c := range d.Cases {
		out = append(out, c.Structs()...)
	}
	return out
}
