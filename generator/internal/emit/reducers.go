// Reducers: a method for each channel, bodies of stated effects, and a method for any state.

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

// state refers to an identifier of package state.
func (e *emitter) state(name string) *Statement { return Qual(e.pkg.Wire+"/state", name) }

// reducerType prints the receiver type of the reducers.
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
	method := func(of string) *Statement { return Parens(Op("*").Id(name)).Dot(of) }
	f.add([]string{"Every reducer may call these, one that you write too. A checker would report what none calls yet."},
		Var().List(Id("_"), Id("_"), Id("_")).Op("=").List(method("now"), method("appendText"), method("extendText")))
}

// anyState returns the type of any state: the schema's union of all states, if there is one.
func (e *emitter) anyState() *Statement {
	if u := e.pkg.Reducers.State; u != nil {
		return Id(u.Name)
	}
	return e.own("ChannelState")
}

// channelState prints the interface of all states, and its reducer.
func (e *emitter) channelState(f *jenFile, set *golang.Reducers) {
	f.used = true
	if set.State == nil {
		var names []string
		for _, state := range set.States() {
			names = append(names, "[*"+state.Name+"]")
		}
		f.Line()
		addComments(f, comment(e.pkg.Own("ChannelState")+" is the state of a channel: "+strings.Join(names, ", ")+"."))
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
	var moving, still []*golang.ActionReducer // with and without effect
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
			Return(e.change(c.State, a.Steps)),
		))
}
