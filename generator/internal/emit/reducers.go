// Reducers: one method for each channel, the bodies of stated effects, and a method for all states.

package emit

import (
	"fmt"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

func (e *emitter) reducers(f *jenFile) {
	set := e.pkg.Reducers
	if set == nil {
		return
	}
	e.reducerType(f)
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
		e.keyFunc(f, k)
	}
}

// state names something of the package that changes states.
func (e *emitter) state(name string) *Statement { return Qual(e.pkg.Wire+"/state", name) }

// reducerType prints the type that the reducers are methods of.
func (e *emitter) reducerType(f *jenFile) {
	name := e.pkg.Own("Reducer")
	f.add([]string{
		name + " applies actions to the states of channels. States are immutable: a method copies what",
		"changes, shares the rest, and returns the state it was given where nothing changes. So an old",
		"state may be read while a new one is made.",
		"",
		"Where there is no state, because it is nil, there is none afterwards. Where there is no action,",
		"because it is nil or a nil pointer, nothing changes.",
		"",
		"The zero value is ready to use, and must not be copied afterwards. Reducers of the same connection",
		"are best shared: they know the buffers in which streamed text grows, which live as long as texts",
		"are in them. They may be used by several goroutines at a time.",
	}, Type().Id(name).Struct(
		Comment("// Now is the clock; nil is [time.Now]."),
		Id("Now").Func().Params().Qual("time", "Time"),
		Line().Id("texts").Add(e.state("Texts")),
	))
	receiver := func() *Statement { return Func().Params(Id("r").Op("*").Id(name)) }
	f.Line()
	f.Add(receiver().Id("now").Params().Qual("time", "Time").Add(inline(Return(e.state("Now").Call(Id("r").Dot("Now"))))))
	f.Add(receiver().Id("appendText").Params(List(Id("old"), Id("more")).String()).String().
		Add(inline(Return(Id("r").Dot("texts").Dot("Append").Call(Id("old"), Id("more"))))))
	f.Add(receiver().Id("extendText").Params(Id("text").Op("*").String(), Id("more").String()).Bool().
		Add(inline(Return(e.state("ExtendText").Call(Op("&").Id("r").Dot("texts"), Id("text"), Id("more"))))))
}

// anyState is the type of any state: the union of just these, where a schema declares one.
func (e *emitter) anyState() *Statement {
	if u := e.pkg.Reducers.State; u != nil {
		return Id(u.Name)
	}
	return e.own("ChannelState")
}

// channelState prints the type that stands for the state of any channel, and its reducer.
func (e *emitter) channelState(f *jenFile, set *golang.Reducers) {
	f.used = true
	if set.State == nil {
		var names []string
		for _, state := range set.States() {
			names = append(names, "[*"+state.Name+"]")
		}
		f.Line()
		for _, c := range comments(comment(e.pkg.Own("ChannelState") + " is the state of a channel: " + strings.Join(names, ", ") + ".")) {
			f.Add(c)
		}
		f.Comment("//")
		f.Comment("//sumtype:decl")
		f.Add(Type().Add(e.anyState()).Interface(e.wire("Value"), Id("isChannelState").Params()))
		f.Line()
		for _, state := range set.States() {
			f.Func().Params(Op("*").Id(state.Name)).Id("isChannelState").Params().Block()
		}
	}
	f.add([]string{
		"Apply applies an action to the state of any channel. An action of another channel changes nothing.",
	}, Func().Params(Id("r").Op("*").Add(e.own("Reducer"))).Id("Apply").Params(Id("s").Add(e.anyState()), Id("a").Id(set.Action.Name)).Add(e.anyState()).Block(
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
	f.add(doc, Func().Params(Id("r").Op("*").Add(e.own("Reducer"))).Id(c.Method).
		Params(Id("s").Op("*").Id(c.State.Name), Id("a").Id(c.Union.Name)).Op("*").Id(c.State.Name).BlockFunc(func(g *Group) {
		if len(moving) == 0 {
			g.Return(Id("s")).Comment("no action is stated to change anything")
			return
		}
		g.If(Id("s").Op("==").Nil().Op("||").Add(e.wire("IsNil")).Call(Id("a"))).Block(Return(Id("s")))
		g.Switch(Id("a").Op(":=").Id("a").Assert(Type())).BlockFunc(func(g *Group) {
			for _, a := range moving {
				g.Case(Op("*").Id(a.Action.Name)).Block(Return(Id("r").Dot(a.Method).Call(Id("s"), Id("a"))))
			}
			if len(still) > 0 {
				g.CaseFunc(func(g *Group) {
					for _, a := range still {
						g.Op("*").Id(a.Action.Name)
					}
				}).Block(Return(Id("s")).Comment("stated to change nothing"))
			}
			g.Default().Block(Return(Id("s")))
		})
	}))
}

// actionReducer prints the body of stated effects.
func (e *emitter) actionReducer(f *jenFile, c *golang.ChannelReducer, a *golang.ActionReducer) {
	f.add(a.Effect,
		Func().Params(Id("r").Op("*").Add(e.own("Reducer"))).Id(a.Method).
			Params(Id("s").Op("*").Id(c.State.Name), Id("a").Op("*").Id(a.Action.Name)).Op("*").Id(c.State.Name).Block(
			Return(e.change(c.State.Name, a.Steps)),
		))
}

// change prints the call that makes the changed copy of a state.
func (e *emitter) change(state string, steps []*golang.Step) *Statement {
	if s := steps[0]; len(steps) == 1 && s.Func == "PatchMember" && s.When == "" && len(s.Then) == 0 {
		member := Func().Params(Id("next").Op("*").Id(state)).Op("**").Id(s.Patch.Type).Add(inline(Return(Id(s.Args[0]))))
		return e.state("ChangeThrough").Call(Id("s"), member, e.closure(s.Patch))
	}
	return e.state("Change").Call(Id("s"), e.closure(&golang.Closure{Param: "next", Type: state, Steps: steps}))
}

// closure prints a function that changes what its parameter points to.
func (e *emitter) closure(c *golang.Closure) *Statement {
	closure := Func().Params(Id(c.Param).Op("*").Id(c.Type)).Bool()
	if len(c.Steps) == 1 && len(c.Steps[0].Then) == 0 {
		return closure.Add(inline(Return(Id(and(c.Guard, c.Steps[0].When)).Add(e.stepCall(c.Steps[0])))))
	}
	return closure.BlockFunc(func(g *Group) {
		if c.Refuse != "" {
			g.If(Id(c.Refuse)).Block(Return(False()))
		}
		e.steps(g, c.Steps)
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
func (e *emitter) steps(g *Group, list []*golang.Step) {
	for i, s := range list {
		call := Id(and(s.When)).Add(e.stepCall(s))
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

// then prints steps after which it is known that something changed.
func (e *emitter) then(g *Group, list []*golang.Step) {
	for _, s := range list {
		switch {
		case len(s.Then) > 0:
		case s.When == "":
			g.Add(e.stepCall(s))
			continue
		default:
			g.If(Id(s.When)).Block(e.stepCall(s))
			continue
		}
		g.If(Id(and(s.When)).Add(e.stepCall(s))).BlockFunc(func(g *Group) { e.then(g, s.Then) })
	}
}

func (e *emitter) stepCall(s *golang.Step) *Statement {
	name := e.state(s.Func)
	if s.Own {
		name = Id("r").Dot(s.Func)
	}
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
func (e *emitter) keyFunc(f *jenFile, k *golang.KeyFunc) {
	f.add([]string{fmt.Sprintf("%s returns what tells one [%s] from another: %s.", k.Name, k.Union.Name, strings.Join(k.Paths, " or "))},
		Func().Id(k.Name).Params(Id("item").Op("*").Id(k.Union.Name)).Params(String(), Bool()).Block(
			If(e.wire("IsNil").Call(Op("*").Id("item"))).Block(Return(Lit(""), False())),
			Switch(Id("v").Op(":=").Parens(Op("*").Id("item")).Assert(Type())).BlockFunc(func(g *Group) {
				for _, c := range k.Cases {
					g.Case(Op("*").Id(c.Struct.Name)).BlockFunc(func(g *Group) {
						if c.Func != "" {
							g.Return(Id(c.Func).Call(Op("&").Id(c.Union)))
							return
						}
						returnKey(g, c.Keys)
					})
				}
				if k.Union.Unknown != nil {
					g.Case(Op("*").Id(k.Union.Unknown.Name)).Block(Return(e.state("RawKey").CallFunc(func(g *Group) {
						g.Id("v").Dot("Raw")
						for _, path := range k.Paths {
							g.Index().String().ValuesFunc(func(g *Group) {
								for _, name := range strings.Split(path, ".") {
									g.Add(text(name))
								}
							})
						}
					})))
				}
				g.Default().Block(Comment("it has no key"))
			}),
			Return(Lit(""), False()),
		))
}
