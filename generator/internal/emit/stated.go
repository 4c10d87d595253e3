// Stated: unions whose variants are distinguished by stated signs.

package emit

import (
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// decisions returns the name of the variable with a union's signs.
func decisions(u *golang.Union) string { return "decide" + u.Name }

// signs prints them.
func (e *emitter) signs(f *jenFile) {
	for _, u := range e.pkg.Unions {
		if u.Cases == nil || !u.Cases.Stated || !u.Read {
			continue
		}
		f.at = u.Pos
		f.add(nil, Var().Id(decisions(u)).Op("=").Add(e.wire("Decisions")).ValuesFunc(func(g *Group) {
			for _, c := range u.Cases.Cases {
				g.Line().ValuesFunc(func(g *Group) {
					for _, sign := range c.Signs {
						g.Values(Dict{Id("Path"): texts(strings.Split(sign.Member, ".")), Id("Is"): texts(sign.Is)})
					}
				})
			}
			g.Line()
		}))
	}
}

// texts prints a list of strings, or nil if it is empty.
func texts(list []string) *Statement {
	if len(list) == 0 {
		return Nil()
	}
	return Index().String().ValuesFunc(func(g *Group) {
		for _, s := range list {
			g.Add(text(s))
		}
	})
}

// stated prints the search for the variant whose signs are all present.
func (e *emitter) stated(g *Group, u *golang.Union) {
	var cases []Code
	var paths []string
	for i, c := range u.Cases.Cases {
		cases = append(cases, Case(Lit(i)).BlockFunc(func(g *Group) { returnStruct(g, e.pkg.StructOf(c.Struct)) }))
		for _, sign := range c.Signs {
			paths = each.With(paths, sign.Member)
		}
	}
	g.Switch(Id("d").Dot("Decide").Call(Id(decisions(u)))).Block(cases...)
	if u.Unknown != nil {
		g.If(Id("d").Dot("Kind").Call().Op("==").LitRune('{')).Block(Return(kept(u)))
	}
	g.Id("d").Dot("Failf").Call(text(u.Name + ": no variant fits: what is decided by does not hold: " + gotext.Format(strings.Join(paths, ", "))))
	g.Return(Nil())
}
