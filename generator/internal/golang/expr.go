// Expressions in reducer steps, as data for package emit.

package golang

import "github.com/ahpgen/ahpgen/generator/protocol"

// Expr is a Go expression.
type Expr interface{ isExpr() }

// Place is a variable, or a field reached from one, such as next.Config.Values.
type Place struct {
	Var  string `go:"identifier"`
	Path []*Field
}

// Composite expressions and constants.
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
	// KeyIs compares the first non-nil key with a value.
	KeyIs struct {
		Keys  []Place
		Value Expr
	}
	// Texts is a list of strings.
	Texts []Expr
	// Helper is a call of a function in package state.
	Helper struct {
		Func  string    `go:"identifier"`
		Types []*Struct // explicit type arguments
		Arg   Expr
	}
	// Constant is a constant, converted to a type unless that is nil.
	Constant struct {
		Value protocol.Value
		Type  Type
	}
	// Named is a named constant.
	Named struct {
		Name string `go:"identifier"`
	}
	// Bits is a bit mask.
	Bits uint64
	// Len is len(Of).
	Len struct{ Of Place }
	// Nil is nil.
	Nil struct{}
)

// Operator is a binary operator.
type Operator int

// Operators in order of precedence, And before Or.
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
func (Len) isExpr()      {}
func (Nil) isExpr()      {}

// Optional reports whether the place is a pointer that may be nil.
func (p Place) Optional() bool { return len(p.Path) > 0 && p.Path[len(p.Path)-1].Pointer }

// there returns the condition that something is not nil.
func there(of Expr) Expr { return Binary{NotEqual, of, Nil{}} }

// and joins conditions, ignoring nil ones.
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

// negated returns the opposite of a condition.
func negated(condition Expr) Expr {
	switch x := condition.(type) {
	case Not:
		return x.Of
	case Binary:
		switch x.Op {
		case And:
			return Binary{Or, negated(x.X), negated(x.Y)}
		case Equal:
			return Binary{NotEqual, x.X, x.Y}
		case NotEqual:
			return Binary{Equal, x.X, x.Y}
		}
	}
	return Not{condition}
}

// pointerTo returns the address of a value.
func pointerTo(value Expr) Expr {
	switch v := value.(type) {
	case Pointee:
		return v.Of
	case Place:
		return Address{v}
	}
	return Helper{Func: "Pointer", Arg: value}
}
