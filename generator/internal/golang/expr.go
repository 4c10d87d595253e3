// Expressions: what steps of reducers are made of, as values. Package emit writes them; nothing here is text.

package golang

import "github.com/ahpgen/ahpgen/generator/protocol"

// Expr is a Go expression.
type Expr interface{ isExpr() }

// Place is a variable, or a field that a path of fields leads to from it, such as next.Config.Values.
type Place struct {
	Var  string `go:"identifier"`
	Path []*Field
}

// Expressions made of others, and constants.
type (
	// Address is &Of.
	Address struct{ Of Place }
	// Pointee is *Of.
	Pointee struct{ Of Expr }
	// Not is !Of.
	Not struct{ Of Expr }
	// Binary is X Op Y.
	Binary struct {
		Op   Operator
		X, Y Expr
	}
	// KeyIs compares the first of some keys that leads somewhere with a value.
	KeyIs struct {
		Keys  []Place
		Value Expr
	}
	// Texts is a list of strings.
	Texts []Expr
	// Helper calls a function of the package that changes states.
	Helper struct {
		Func string `go:"identifier"`
		Arg  Expr
	}
	// Constant is a value as Go writes it, converted to a type unless that is nil.
	Constant struct {
		Value protocol.Value
		Type  Type
	}
	// Named is the name of a constant.
	Named struct {
		Name string `go:"identifier"`
	}
	// Bits are bits of a number.
	Bits uint64
	// Nil is nil.
	Nil struct{}
)

// Operator is what joins two expressions.
type Operator int

// Operators, by how closely they bind: And binds closer than Or, and so on.
const (
	Or Operator = iota
	And
	Equal
	NotEqual
	BitOr
	BitClear
)

func (Place) isExpr()    {}
func (Address) isExpr()  {}
func (Pointee) isExpr()  {}
func (Not) isExpr()      {}
func (Binary) isExpr()   {}
func (KeyIs) isExpr()    {}
func (Texts) isExpr()    {}
func (Helper) isExpr()   {}
func (Constant) isExpr() {}
func (Named) isExpr()    {}
func (Bits) isExpr()     {}
func (Nil) isExpr()      {}

// Optional reports whether the place is a pointer, which may be nil.
func (p Place) Optional() bool { return len(p.Path) > 0 && p.Path[len(p.Path)-1].Pointer }

// there says that something is not nil.
func there(of Expr) Expr { return Binary{NotEqual, of, Nil{}} }

// and joins conditions, each of which may be nil.
func and(conditions ...Expr) Expr {
	var out Expr
	for _, c := range conditions {
		switch {
		case c == nil:
		case out == nil:
			out = c
		default:
			out = Binary{And, out, c}
		}
	}
	return out
}

// pointerTo takes the address of a value.
func pointerTo(value Expr) Expr {
	switch v := value.(type) {
	case Pointee:
		return v.Of
	case Place:
		return Address{v}
	}
	return Helper{"Pointer", value}
}
