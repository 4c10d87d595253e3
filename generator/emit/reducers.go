// Reducers: one method for each channel, the bodies of stated effects, and a method for all states.

package emit

import (
	"fmt"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
)

func (e *emitter) reducers(f *jenFile) {
	set := e.pkg.Reducers
	if set == nil {
		return
	}
	e.channelState(f, set)
	for _, c := range set.Channels {
		e.channelReducer(f, c)
		for _, a := range c.Actions {
			if a.Stated && len(a.Steps) > 0 {
				e.actionReducer(f, c, a)
			}
		}
	}
	for _, k := range set.Keys {
		keyFunc(f, k)
	}
}

// channelState prints the type that stands for the state of any channel, and its reducer.
func (e *emitter) channelState(f *jenFile, set *golang.Reducers) {
	var names []string
	for _, state := range set.States() {
		names = append(names, "  - [*"+state.Name+"]")
	}
	f.used = true
	f.Line()
	for _, c := range comments(append([]string{"ChannelState is the state of a channel. The types are:"}, names...)) {
		f.Add(c)
	}
	f.Comment("//sumtype:decl")
	f.Add(Type().Id("ChannelState").Interface(Id("JSONAppender"), Id("isChannelState").Params()))
	f.Line()
	for _, state := range set.States() {
		f.Func().Params(Op("*").Id(state.Name)).Id("isChannelState").Params().Block()
	}
	f.add([]string{
		"Apply applies an action to the state of any channel. An action of another channel changes nothing.",
	}, Func().Params(Id("r").Op("*").Id("Reducer")).Id("Apply").Params(Id("s").Id("ChannelState"), Id("a").Id(set.Action.Name)).Id("ChannelState").Block(
		Switch(Id("s").Op(":=").Id("s").Assert(Type())).BlockFunc(func(g *Group) {
			for _, state := range set.States() {
				g.Case(Op("*").Id(state.Name)).BlockFunc(func(g *Group) {
					for _, c := range set.Of(state) {
						g.If(List(Id("a"), Id("ok")).Op(":=").Id("a").Assert(Id(c.Union.Name)), Id("ok")).Block(
							Return(Id("r").Dot(c.Method).Call(Id("s"), Id("a"))),
						)
					}
				})
			}
		}),
		Return(Id("s")),
	))
}

func (e *emitter) channelReducer(f *jenFile, c *golang.ChannelReducer) {
	doc := []string{
		fmt.Sprintf("%s applies an action to the state of a channel of kind %s. It returns a changed copy, or the state itself", c.Method, c.Channel),
		"where the action changes nothing, as one does that this version does not know.",
	}
	var moving, still []*golang.ActionReducer // by whether they can change anything
	for _, a := range c.Actions {
		if a.Stated && len(a.Steps) == 0 {
			still = append(still, a)
		} else {
			moving = append(moving, a)
		}
	}
	f.add(doc, Func().Params(Id("r").Op("*").Id("Reducer")).Id(c.Method).
		Params(Id("s").Op("*").Id(c.State.Name), Id("a").Id(c.Union.Name)).Op("*").Id(c.State.Name).BlockFunc(func(g *Group) {
		if len(moving) == 0 {
			g.Return(Id("s")).Comment("no action is stated to change anything")
			return
		}
		g.If(Id("s").Op("==").Nil()).Block(Return(Nil()))
		g.Switch(Id("a").Op(":=").Id("a").Assert(Type())).BlockFunc(func(g *Group) {
			for _, a := range moving {
				g.Case(Op("*").Id(a.Action.Name)).Block(If(Id("a").Op("!=").Nil()).Block(Return(Id("r").Dot(a.Method).Call(Id("s"), Id("a")))))
			}
			if len(still) > 0 {
				g.CaseFunc(func(g *Group) {
					for _, a := range still {
						g.Op("*").Id(a.Action.Name)
					}
				}).Block(Comment("stated to change nothing"))
			}
		})
		g.Return(Id("s"))
	}))
}

// actionReducer prints the body of stated effects.
func (e *emitter) actionReducer(f *jenFile, c *golang.ChannelReducer, a *golang.ActionReducer) {
	f.add(a.Effect,
		Func().Params(Id("r").Op("*").Id("Reducer")).Id(a.Method).
			Params(Id("s").Op("*").Id(c.State.Name), Id("a").Op("*").Id(a.Action.Name)).Op("*").Id(c.State.Name).Block(
			Return(change(c.State.Name, a.Steps)),
		))
}

// change prints the call that makes the changed copy of a state.
func change(state string, steps []*golang.Step) *Statement {
	if s := steps[0]; len(steps) == 1 && s.Func == "patchMember" && s.When == "" && len(s.Then) == 0 {
		member := Func().Params(Id("next").Op("*").Id(state)).Op("**").Id(s.Patch.Type).Add(inline(Return(Id(s.Args[0]))))
		return Id("changeThrough").Call(Id("s"), member, closure(s.Patch))
	}
	return Id("changeState").Call(Id("s"), closure(&golang.Closure{Param: "next", Type: state, Steps: steps}))
}

// closure prints a function that changes what its parameter points to.
func closure(c *golang.Closure) *Statement {
	return Func().Params(Id(c.Param).Op("*").Id(c.Type)).Bool().BlockFunc(func(g *Group) {
		if len(c.Steps) == 1 && len(c.Steps[0].Then) == 0 {
			g.Return(Id(and(c.Guard, c.Steps[0].When)).Add(stepCall(c.Steps[0])))
			return
		}
		if c.Refuse != "" {
			g.If(Id(c.Refuse)).Block(Return(False()))
		}
		steps(g, c.Steps)
		g.Return(Id("changed"))
	})
}

// and joins conditions in front of something, each of which may be "".
func and(conditions ...string) string {
	out := ""
	for _, c := range conditions {
		if c != "" {
			out += c + " && "
		}
	}
	return out
}

// steps prints steps that note in a variable whether something changed.
func steps(g *Group, list []*golang.Step) {
	for i, s := range list {
		call := Id(and(s.When)).Add(stepCall(s))
		switch {
		case len(s.Then) > 0:
			if i == 0 {
				g.Id("changed").Op(":=").False()
			}
			g.If(call).BlockFunc(func(g *Group) {
				then(g, s.Then)
				g.Id("changed").Op("=").True()
			})
		case i == 0:
			g.Id("changed").Op(":=").Add(call)
		default:
			g.Id("changed").Op("=").Add(call).Op("||").Id("changed")
		}
	}
}

// then prints steps after which it is known that something changed.
func then(g *Group, list []*golang.Step) {
	for _, s := range list {
		switch {
		case len(s.Then) > 0:
		case s.When == "":
			g.Add(stepCall(s))
			continue
		default:
			g.If(Id(s.When)).Block(stepCall(s))
			continue
		}
		g.If(Id(and(s.When)).Add(stepCall(s))).BlockFunc(func(g *Group) { then(g, s.Then) })
	}
}

func stepCall(s *golang.Step) *Statement {
	name := Id(s.Func)
	if len(s.Types) > 0 {
		name = name.TypesFunc(func(g *Group) {
			for _, t := range s.Types {
				g.Id(t)
			}
		})
	}
	return name.CallFunc(func(g *Group) {
		for _, arg := range s.Args {
			g.Id(arg)
		}
		if s.Key != nil {
			g.Add(keyArg(s.Key))
		}
		if s.Patch != nil {
			g.Add(closure(s.Patch))
		}
	})
}

func keyArg(k *golang.KeyArg) *Statement {
	if k.Func != "" {
		return Id(k.Func)
	}
	return Func().Params(Id("item").Op("*").Id(k.Item)).Params(String(), Bool()).BlockFunc(func(g *Group) { returnKey(g, k.Keys) })
}

// returnKey prints the return of the first key that leads somewhere.
func returnKey(g *Group, keys []golang.Key) {
	for i, k := range keys {
		switch {
		case k.Nil == "":
			g.Return(Id(k.Expr), True())
		case i < len(keys)-1:
			g.If(Id(k.Nil).Op("!=").Nil()).Block(Return(Id(k.Expr), True()))
		default:
			g.If(Id(k.Nil).Op("==").Nil()).Block(Return(Lit(""), False()))
			g.Return(Id(k.Expr), True())
		}
	}
}

// keyFunc prints the function that returns the key of an item of a union.
func keyFunc(f *jenFile, k *golang.KeyFunc) {
	f.add([]string{fmt.Sprintf("%s returns what tells one [%s] from another: %s.", k.Name, k.Union.Name, strings.Join(k.Paths, " or "))},
		Func().Id(k.Name).Params(Id("item").Op("*").Id(k.Union.Name)).Params(String(), Bool()).Block(
			Switch(Id("v").Op(":=").Parens(Op("*").Id("item")).Assert(Type())).BlockFunc(func(g *Group) {
				for _, c := range k.Cases {
					g.Case(Op("*").Id(c.Struct.Name)).Block(If(Id("v").Op("!=").Nil()).BlockFunc(func(g *Group) {
						if c.Func != "" {
							g.Return(Id(c.Func).Call(Op("&").Id(c.Union)))
							return
						}
						returnKey(g, c.Keys)
					}))
				}
				if k.Union.Unknown != nil {
					g.Case(Op("*").Id(k.Union.Unknown.Name)).Block(If(Id("v").Op("!=").Nil()).Block(Return(Id("rawKey").CallFunc(func(g *Group) {
						g.Id("v").Dot("Raw")
						for _, path := range k.Paths {
							g.Index().String().ValuesFunc(func(g *Group) {
								for _, name := range strings.Split(path, ".") {
									g.Add(text(name))
								}
							})
						}
					}))))
				}
			}),
			Return(Lit(""), False()),
		))
}
