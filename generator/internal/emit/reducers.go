// Reducers: a method for each channel, bodies of stated effects, and a method for any state.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

func (e *emitter) reducers(f *jenFile) {
	set := e.pkg.Reducers
	if set == nil {
		return
	}
	e.template(f, "reducers", view{Package: e.pkg})
	for _, c := range set.Channels {
		e.template(f, "reducer", view{Package: e.pkg, About: c})
		for _, a := range c.Actions {
			if a.Stated && len(a.Steps) > 0 {
				e.actionReducer(f, c, a)
			}
		}
	}
	for _, k := range set.Keys {
		e.template(f, "keys", view{Package: e.pkg, Key: k})
	}
}

// state refers to an identifier of package state.
func (e *emitter) state(name string) *Statement { return Id("state." + name) }

// actionReducer prints the body of stated effects.
func (e *emitter) actionReducer(f *jenFile, c *golang.ChannelReducer, a *golang.ActionReducer) {
	f.add(a.Effect,
		Func().Params(Id("r").Op("*").Add(e.own("Reducer"))).Id(a.Method).
			Params(Id("s").Op("*").Id(c.State.Name), Id("a").Op("*").Id(a.Action.Name)).Op("*").Id(c.State.Name).Block(
			Return(e.change(c.State, a.Steps)),
		))
}
