// What a server owes clients besides: kinds of channels, and what is completed by the host.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// serverForms prints the kinds of channels.
func (e *emitter) serverForms(set func(string, Code), s *golang.Session) {
	if len(s.Forms) == 0 {
		return
	}
	form := e.serverPkg("Form").Types(e.anyState())
	set("Forms", Index().Add(form).ValuesFunc(func(g *Group) {
		for _, f := range s.Forms {
			g.Line().ValuesFunc(func(g *Group) {
				if f.URI != "" {
					g.Id("URI").Op(":").Add(text(f.URI))
				}
				if f.Other {
					g.Id("Other").Op(":").True()
				}
				if f.State != nil {
					g.Id("Is").Op(":").Id("holds").Types(Op("*").Id(f.State.Name))
				}
				if f.Ignored {
					g.Id("Ignored").Op(":").True()
				}
			})
		}
		g.Line()
	}))
}

// holds prints what tells the type of a state.
func (e *emitter) holds(f *jenFile, s *golang.Session) {
	for _, form := range s.Forms {
		if form.State != nil || len(s.Lists) > 0 {
			f.add(e.told("holds reports whether a state is of a type."),
				Func().Id("holds").Types(Id("T").Add(e.anyState())).Params(Id("now").Add(e.anyState())).Bool().Block(
					List(Id("_"), Id("ok")).Op(":=").Id("now").Assert(Id("T")),
					Return(Id("ok")),
				))
			return
		}
	}
}

// serverSubscribed prints what answers a client that subscribes.
func (e *emitter) serverSubscribed(set func(string, Code), s *golang.Session) {
	snapshot := func() *Statement { return e.serverPkg("Snapshot").Types(e.anyState()) }
	result, field := structOf(s.Subscribe.Result).Name, s.Subscribe.Snapshot
	body := []Code{Id("r").Op(":=").New(Id(result))}
	held := []Code{Id("out").Op(":=").Id("snapshotsOf").Call(Index().Add(snapshot()).Values(Op("*").Id("now")))}
	if field.Pointer {
		set("Stateless", True())
		held = append(held, Id("r").Dot(field.Name).Op("=").Op("&").Id("out").Index(Lit(0)))
	} else {
		held = append(held, Id("r").Dot(field.Name).Op("=").Id("out").Index(Lit(0)))
	}
	body = append(body,
		If(Id("now").Op("!=").Nil()).Block(held...),
		If(Id("o").Dot("Subscribed").Op("==").Nil()).Block(Return(Id("r"), Nil())),
		List(Id("p"), Err()).Op(":=").Add(e.decoder(s.Subscribe.Params)).Call(Id("data")),
		If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
		Return(Id("r"), Id("o").Dot("Subscribed").Call(Id("ctx"), Id("c"), Id("p"), Id("r"))),
	)
	set("Subscribed", Func().Params(ctxParam(), Id("c").Op("*").Add(e.serverPkg("Client")), Id("data").Index().Byte(), Id("now").Op("*").Add(snapshot())).
		Params(e.wire("Appender"), Error()).Block(body...))
}
