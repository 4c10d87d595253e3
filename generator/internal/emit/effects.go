// Effects: reducer bodies for stated effects, and their expressions.

package emit

import (
	"fmt"
	"strconv"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// operators maps operators to their Go spelling.
var operators = map[golang.Operator]string{
	golang.Or: "||", golang.And: "&&", golang.Equal: "==", golang.NotEqual: "!=", golang.BitOr: "|", golang.BitClear: "&^",
}

// expr prints an expression.
func (e *emitter) expr(x golang.Expr) *Statement {
	switch x := x.(type) {
	case golang.Place:
		return place(x)
	case golang.Address:
		return Op("&").Add(place(x.Of))
	case golang.Pointee:
		return Op("*").Add(e.expr(x.Of))
	case golang.Not:
		return Op("!").Add(e.expr(x.Of))
	case golang.Binary:
		return e.inside(x.X, x.Op).Op(operators[x.Op]).Add(e.inside(x.Y, x.Op))
	case golang.KeyIs:
		equal, _ := e.keyIs(x.Keys, e.expr(x.Value), "==")
		return equal
	case golang.Texts:
		return Index().String().ValuesFunc(func(g *Group) {
			for _, item := range x {
				g.Add(e.expr(item))
			}
		})
	case golang.Helper:
		return e.generic(x.Func, x.Types).Call(e.expr(x.Arg))
	case golang.Constant:
		if x.Type == nil {
			return Add(literal(x.Value))
		}
		return e.goType(x.Type).Call(literal(x.Value))
	case golang.Named:
		return Id(x.Name)
	case golang.Bits:
		return Id(strconv.FormatUint(uint64(x), 10))
	case golang.Len:
		return Len(place(x.Of))
	case golang.Nil:
		return Nil()
	}
	panic(fmt.Sprintf("emit: no text for %T", x)) // the set of expressions is closed
}

// inside prints an expression as an operand, in parentheses if it binds less tightly.
func (e *emitter) inside(x golang.Expr, op golang.Operator) *Statement {
	loose := false
	switch x := x.(type) {
	case golang.Binary:
		loose = x.Op == golang.Or && op != golang.Or
	case golang.KeyIs:
		_, loose = e.keyIs(x.Keys, e.expr(x.Value), "==")
	}
	if loose {
		return Parens(e.expr(x))
	}
	return e.expr(x)
}

// place prints a variable or a field selector.
func place(p golang.Place) *Statement { return below(Id(p.Var), p.Path) }

// below prints a field at the end of a path.
func below(from *Statement, path []*golang.Field) *Statement {
	for _, f := range path {
		from = from.Dot(f.Name)
	}
	return from
}

// keyIs prints the comparison of the first non-nil key with a value, by == or !=. Loose means that it becomes an
// operand of ||.
func (e *emitter) keyIs(keys []golang.Place, value *Statement, op string) (out *Statement, loose bool) {
	k := func() *Statement { return place(keys[0]) } // a jen statement is modified by what follows it
	if !keys[0].Optional() {
		return k().Op(op).Add(value), false
	}
	is := Op("*").Add(k()).Op(op).Add(value)
	if len(keys) == 1 {
		if op == "==" {
			return k().Op("!=").Nil().Op("&&").Add(is), false
		}
		return k().Op("==").Nil().Op("||").Add(is), true
	}
	rest, loose := e.keyIs(keys[1:], value, op)
	if loose {
		rest = Parens(rest)
	}
	return k().Op("!=").Nil().Op("&&").Add(is).Op("||").Add(k()).Op("==").Nil().Op("&&").Add(rest), true
}

// change prints the call that returns a changed copy of a state.
func (e *emitter) change(state *golang.Struct, steps []*golang.Step) *Statement {
	if s := steps[0]; len(steps) == 1 && s.Func == "PatchMember" && s.When == nil && len(s.Then) == 0 {
		member := Func().Params(Id("next").Op("*").Id(state.Name)).Op("**").Add(e.structName(s.Patch.Type)).Add(inline(Return(e.expr(s.Args[0]))))
		return e.state("ChangeThrough").Call(Id("s"), member, e.closure(s.Patch))
	}
	return e.state("Change").Call(Id("s"), e.closure(&golang.Closure{Param: "next", Type: state, Steps: steps}))
}

// closure prints a function that modifies its parameter.
func (e *emitter) closure(c *golang.Closure) *Statement {
	closure := Func().Params(Id(c.Param).Op("*").Add(e.structName(c.Type))).Bool()
	if len(c.Steps) == 1 && len(c.Steps[0].Then) == 0 {
		call := e.limited(c.Steps[0])
		if c.Guard != nil {
			call = e.inside(*c.Guard, golang.And).Op("&&").Add(call)
		}
		return closure.Add(inline(Return(call)))
	}
	return closure.BlockFunc(func(g *Group) {
		if c.Guard != nil {
			differ, _ := e.keyIs(c.Guard.Keys, e.expr(c.Guard.Value), "!=")
			g.If(differ).Block(Return(False()))
		}
		e.steps(g, c.Steps)
		g.Return(Id("changed"))
	})
}

// limited prints a step guarded by its condition.
func (e *emitter) limited(s *golang.Step) *Statement {
	if s.When == nil {
		return e.stepCall(s)
	}
	return e.inside(s.When, golang.And).Op("&&").Add(e.stepCall(s))
}

// steps prints steps that record whether something changed.
func (e *emitter) steps(g *Group, list []*golang.Step) {
	for i, s := range list {
		call := e.limited(s)
		switch {
		case len(s.Then) > 0:
			if i == 0 {
				g.Id("changed").Op(":=").False()
			}
			g.If(call).BlockFunc(func(g *Group) {
				e.then(g, s.Then)
				g.Id("changed").Op("=").True()
			})
		case i == 0:
			g.Id("changed").Op(":=").Add(call)
		default:
			g.Id("changed").Op("=").Add(call).Op("||").Id("changed")
		}
	}
}

// then prints steps that certainly change something.
func (e *emitter) then(g *Group, list []*golang.Step) {
	for _, s := range list {
		switch {
		case len(s.Then) > 0:
		case s.When == nil:
			g.Add(e.stepCall(s))
			continue
		default:
			g.If(e.expr(s.When)).Block(e.stepCall(s))
			continue
		}
		g.If(e.limited(s)).BlockFunc(func(g *Group) { e.then(g, s.Then) })
	}
}

// generic prints a function of package state with its type arguments.
func (e *emitter) generic(name string, types []*golang.Struct) *Statement {
	out := e.state(name)
	if len(types) == 0 {
		return out
	}
	return out.TypesFunc(func(g *Group) {
		for _, t := range types {
			g.Add(e.structName(t))
		}
	})
}

func (e *emitter) stepCall(s *golang.Step) *Statement {
	name := e.generic(s.Func, s.Types)
	if s.Own {
		name = Id("r").Dot(s.Func)
	}
	return name.CallFunc(func(g *Group) {
		for _, arg := range s.Args {
			g.Add(e.expr(arg))
		}
		if s.Key != nil {
			g.Add(e.keyArg(s.Key))
		}
		if s.Patch != nil {
			g.Add(e.closure(s.Patch))
		}
	})
}

func (e *emitter) keyArg(k *golang.KeyArg) *Statement {
	if k.Func != "" {
		if k.Own {
			return Id(k.Func)
		}
		return e.state(k.Func)
	}
	return Func().Params(Id("item").Op("*").Add(e.structName(k.Item))).Params(String(), Bool()).Block(Id(string(view{}.KeyOf(k.Keys))))
}

// KeyOf returns the statements that return the first key that there is.
func (v view) KeyOf(keys []golang.Place) gotext.Code {
	out := gotext.Code("")
	for i, k := range keys {
		at := v.Place(k)
		switch {
		case !k.Optional():
			out += "return " + at + ", true"
		case i < len(keys)-1:
			out += "if " + at + " != nil {\nreturn *" + at + ", true\n}\n"
		default:
			out += "if " + at + " == nil {\nreturn \"\", false\n}\nreturn *" + at + ", true"
		}
	}
	return out
}

// Place returns a variable or a field selector.
func (v view) Place(p golang.Place) gotext.Code { return chain(p.Var, p.Path) }

// Stated returns the paths of a key as text.
func (v view) Stated(k *golang.KeyFunc) string {
	paths := each.Map(k.Paths, func(path []string) string { return strings.Join(path, ".") })
	return strings.Join(paths, " or ")
}
