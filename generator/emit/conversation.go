// Conversation: what the runtime of calls has to know of the protocol, and the handshake.

package emit

import (
	"slices"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/gotext"
)

// conversation prints what the runtime of calls has to know of the protocol.
func (e *emitter) conversation(f *jenFile) {
	if e.pkg.RPC == nil {
		return
	}
	e.knownMethods(f)
	e.errorNames(f)
	e.errorData(f)
	if e.pkg.Actions != nil {
		e.actionVersions(f)
	}
	f.add([]string{"extensionPrefix begins the names of methods that the protocol leaves to others; it is empty where it does not."},
		Const().Id("extensionPrefix").Op("=").Add(text(e.pkg.RPC.Extension)))
	f.add([]string{"passThroughs tells the channels that carry methods of other protocols."},
		Var().Id("passThroughs").Op("=").Index(Op("...")).Id("passThrough").ValuesFunc(func(g *Group) {
			for _, p := range e.pkg.RPC.PassThroughs {
				g.Values(text(p.Member), text(p.Start))
			}
		}))
	if e.pkg.RPC.Handshake != nil {
		e.handshake(f)
	}
}

func (e *emitter) knownMethods(f *jenFile) {
	f.add([]string{"knownMethod returns the method of that name, if the protocol has it."},
		Func().Id("knownMethod").Params(Id("text").Index().Byte()).Params(Id("Method"), Bool()).Block(
			Switch(Id("Method").Call(Id("text"))).BlockFunc(func(g *Group) {
				for _, m := range e.pkg.Methods {
					g.Case(Id(m.Const)).Block(Return(Id(m.Const), True()))
				}
			}),
			Return(Lit(""), False()),
		))
	f.add([]string{"readNotification decodes the parameters of a notification, if the method is one that has them."},
		Func().Id("readNotification").Params(Id("d").Op("*").Id("decoder"), Id("m").Id("Method")).Id("JSONAppender").Block(
			Switch(Id("m")).BlockFunc(func(g *Group) {
				for _, m := range e.pkg.Methods {
					if m.Notification && m.Params != nil {
						g.Case(Id(m.Const)).BlockFunc(func(g *Group) { readPayload(g, m.Params) })
					}
				}
			}),
			Return(Nil()),
		))
}

func readPayload(g *Group, t golang.Type) {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		g.Id("v").Op(":=").New(Id(t.Name))
		g.Id("v").Dot("decodeJSON").Call(Id("d"))
		g.Return(Id("v"))
	case golang.UnionType:
		g.Return(Id(reader(t.Union)).Call(Id("d")))
	}
}

// errorNames prints how codes are called. Where the protocol lists none, their type is printed too.
func (e *emitter) errorNames(f *jenFile) {
	if len(e.pkg.Errors) == 0 {
		f.add([]string{"ErrorCode is the code of a JSON-RPC error."}, Type().Id("ErrorCode").Int64())
		f.add(nil, Func().Id("errorName").Params(Id("ErrorCode")).String().Add(inline(Return(Lit("")))))
		return
	}
	f.add(nil, Func().Id("errorName").Params(Id("c").Id("ErrorCode")).String().Block(
		List(Id("info"), Id("_")).Op(":=").Id("LookupErrorCode").Call(Id("c")),
		Return(Id("info").Dot("Name")),
	))
}

// errorData prints what makes the data of errors findable by errors.As, and errors of their own.
func (e *emitter) errorData(f *jenFile) {
	type typed struct {
		t     golang.Type
		name  string
		codes []*golang.ErrorCode
	}
	var list []*typed
	for _, c := range e.pkg.Errors {
		if c.Data == nil {
			continue
		}
		name := decoder(c.Data)
		i := slices.IndexFunc(list, func(t *typed) bool { return t.name == name })
		if i < 0 {
			i = len(list)
			list = append(list, &typed{t: golang.Underlying(c.Data), name: name})
		}
		list[i].codes = append(list[i].codes, c)
	}
	f.add([]string{"As implements the interface that errors.As looks for: it finds the data of errors that carry some."},
		Func().Params(Id("e").Op("*").Id("RPCError")).Id("As").Params(Id("target").Any()).Bool().BlockFunc(func(g *Group) {
			if len(list) > 0 {
				g.Switch(Id("target").Op(":=").Id("target").Assert(Type())).BlockFunc(func(g *Group) {
					for _, t := range list {
						g.Case(Op("*").Add(payload(t.t))).BlockFunc(func(g *Group) {
							has := Empty()
							for i, c := range t.codes {
								if i > 0 {
									has.Op("||")
								}
								has.Id("e").Dot("Code").Op("==").Id(c.Const)
							}
							if len(t.codes) > 1 {
								has = Parens(has)
							}
							g.Return(has.Op("&&").Id("decodeData").Call(Id("e"), Id("target"), Id(t.name)))
						})
					}
				})
			}
			g.Return(False())
		}))
	for _, t := range list {
		s, ok := t.t.(golang.StructType)
		if !ok {
			continue
		}
		f.add([]string{"Error implements error, so that errors.As finds the data of an error."},
			Func().Params(Id("v").Op("*").Id(s.Name)).Id("Error").Params().String().Add(inline(Return(Id(t.codes[0].Const).Dot("Error").Call()))))
		if len(t.codes) == 1 {
			f.Line()
			f.Add(Func().Params(Id("v").Op("*").Id(s.Name)).Id("rpcError").Params().Params(Op("*").Id("RPCError"), Error()).Block(
				Return(Id("NewRPCError").Call(Id(t.codes[0].Const), Id("v").Dot("Error").Call(), Id("v"))),
			))
		}
	}
}

// actionVersions prints which version knows which action.
func (e *emitter) actionVersions(f *jenFile) {
	tag := e.pkg.Actions.Union.Tag.Name
	f.add([]string{"IntroducedIn returns the version of the protocol that an action came in with, \"\" where that is unknown."},
		Func().Params(Id("v").Id(tag)).Id("IntroducedIn").Params().String().Block(
			List(Id("info"), Id("_")).Op(":=").Id("LookupAction").Call(Id("v")),
			Return(Id("info").Dot("Since")),
		))
	f.add([]string{"KnownIn reports whether a version of the protocol has the action. A malformed version has none."},
		Func().Params(Id("v").Id(tag)).Id("KnownIn").Params(Id("version").String()).Bool().Block(
			List(Id("info"), Id("ok")).Op(":=").Id("LookupAction").Call(Id("v")),
			Return(Id("ok").Op("&&").Id("knownIn").Call(Id("version"), Id("info").Dot("Since"))),
		))
	f.Line()
	f.Add(Func().Params(Id("g").Id("gate")).Id("action").Params(Id("v").Id(tag)).Error().Block(
		If(Id("g").Dot("version").Op("==").Lit("").Op("||").Id("v").Dot("KnownIn").Call(Id("g").Dot("version"))).Block(Return(Nil())),
		Return(Id("g").Dot("refuses").Call(String().Call(Id("v")))),
	))
}

// handshake prints how a host picks a version.
func (e *emitter) handshake(f *jenFile) {
	h := e.pkg.RPC.Handshake
	data := golang.Underlying(h.Error.Data).(golang.StructType)
	list := func(field *golang.Field, v string) *Statement { return Id(v).Dot(field.Name) }
	f.add([]string{
		"NegotiateVersion returns the version that a host answers " + gotext.Literal(h.Method.Wire) + " with, as [ChooseVersion]",
		"picks it among those supported; without any, among [SupportedVersions]. The error is one to answer with:",
		"[" + h.Error.Const + "] where none fits, after which the host closes the connection,",
		"and -32602 where an offer is malformed.",
	}, Func().Id("NegotiateVersion").Params(Id("offered").Index().String(), Id("supported").Op("...").String()).Params(String(), Error()).Block(
		If(Len(Id("supported")).Op("==").Lit(0)).Block(Id("supported").Op("=").Id("SupportedVersions").Call()),
		List(Id("version"), Err()).Op(":=").Id("ChooseVersion").Call(Id("offered"), Id("supported")),
		Switch().Block(
			Case(Qual("errors", "Is").Call(Err(), Id("ErrNoCommonVersion"))).Block(
				List(Id("refusal"), Err()).Op(":=").Id("NewRPCError").Call(Id(h.Error.Const), Err().Dot("Error").Call(),
					Op("&").Id(data.Name).Values(Id(h.Supported.Name).Op(":").Id("supported"))),
				If(Err().Op("!=").Nil()).Block(Return(Lit(""), Err())),
				Return(Lit(""), Id("refusal")),
			),
			Case(Err().Op("!=").Nil()).Block(
				Return(Lit(""), Op("&").Id("RPCError").Values(
					Id("Code").Op(":").Id("codeInvalidParams"),
					Id("Message").Op(":").Id("atMember").Call(Lit("params"), Id("atMember").Call(text(h.Offer.Wire), Err())).Dot("Error").Call(),
				)),
			),
		),
		Return(Id("version"), Nil()),
	))
	handler := func() *Statement {
		return Func().Params(Qual(contextPath, "Context"), payload(h.Method.Params)).Params(payload(h.Method.Result), Error())
	}
	f.add([]string{"checkedAnswer holds the handler of " + gotext.Literal(h.Method.Wire) + " to the rule that a host picks one of the offered versions."},
		Func().Id("checkedAnswer").Params(Id("f").Add(handler())).Add(handler()).Block(
			If(Id("f").Op("==").Nil()).Block(Return(Nil())),
			Return(Func().Params(ctxParam(), Id("p").Add(payload(h.Method.Params))).Params(payload(h.Method.Result), Error()).Block(
				List(Id("r"), Err()).Op(":=").Id("f").Call(Id("ctx"), Id("p")),
				If(Err().Op("!=").Nil().Op("||").Id("r").Op("==").Nil()).Block(Return(Id("r"), Err())),
				If(Err().Op(":=").Id("CheckVersion").Call(list(h.Offer, "p"), list(h.Answer, "r")), Err().Op("!=").Nil()).Block(
					Return(Nil(), Id("atMember").Call(Lit("result"), Id("atMember").Call(text(h.Answer.Wire), Err()))),
				),
				Return(Id("r"), Nil()),
			)),
		))
}
