// The server: binding package server to the protocol's messages.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

func (e *emitter) serverPkg(name string) *Statement { return Qual(e.pkg.Wire+"/server", name) }

func (e *emitter) serverSide(f *jenFile) {
	s := e.pkg.Session
	if s == nil {
		return
	}
	state, action := e.anyState(), func() *Statement { return Id(e.pkg.Store.Action.Name) }
	names := e.pkg.Own
	of := func(name string) *Statement { return e.serverPkg(name) }
	typed := func(name string) *Statement { return of(name).Types(e.anyState(), action()) }
	from := func() *Statement { return Op("*").Add(of("Client")) }
	f.add(e.told(names("ServerOptions")+" configures a ["+names("Server")+"]. Zero fields use defaults."),
		Type().Add(e.own("ServerOptions")).StructFunc(func(g *Group) {
			e.field(g, "Versions", Index().String(), "Versions lists the supported versions. The default is ["+names("SupportedVersions")+"].")
			e.field(g, "Authorize", Func().Params(ctxParam(), Id("c").Add(from()), Id("claim").Add(of("Claim"))).Error(),
				"Authorize decides whether a connection may be the client that it claims to be, in the handshake and on reconnection. The transport has determined the principal. The default is [server.Owned]: a client ID belongs to the principal that first used it. Authorize may call the server.")
			e.field(g, "Opened", Func().Params(ctxParam(), Id("c").Add(from()), Id("p").Op("*").Id(structOf(s.Open.Params).Name), Id("r").Op("*").Id(structOf(s.Open.Result).Name)).Error(),
				"Opened completes the result of a handshake, or rejects the client with an error. It must not call the server.")
			e.field(g, "Handlers", Func().Params(from()).Op("*").Id(s.Server.Handlers),
				"Handlers returns the handlers of requests and notifications that the server does not handle itself. It is called once for each connection.")
			e.field(g, "Validate", Func().Params(Id("from").Add(from()), Id("channel").String(), Id("now").Add(state), Id("action").Add(action())).Error(),
				"Validate may reject an action of a client with an error, whose text is sent to the client. The state is the one before the action. Validate must not call the server.")
			e.field(g, "Accepted", Func().Params(Id("from").Add(from()), Id("channel").String(), Id("action").Add(action())),
				"Accepted is called with each action of a client after it was applied, in order. It may call the server. The next call waits for it to return.")
			e.field(g, "Admit", Func().Params(ctxParam(), Id("c").Add(from()), Id("channel").String()).Error(),
				"Admit may refuse a client access to a channel with an error, which is sent to the client, or open the channel on demand. It is called for each channel that a client subscribes to, also on reconnection, and for a channel that it dispatches on without a subscription.")
			e.field(g, "Subscribed", Func().Params(ctxParam(), Id("c").Add(from()), Id("p").Op("*").Id(structOf(s.Subscribe.Params).Name), Id("r").Op("*").Id(structOf(s.Subscribe.Result).Name)).Error(),
				"Subscribed completes the result of a subscription, or rejects it with an error. A state in the result is shared with the channel: it may be replaced, but not modified. Subscribed must not call the server.")
			e.listFields(g, s)
			e.field(g, "Empty", Func().Params(Id("channel").String()),
				"Empty is called with a channel after its last subscriber has unsubscribed or disconnected. It may call the server; CloseEmpty ends a channel that still has no subscriber.")
			e.field(g, "Left", Func().Params(from()), "Left is called after a client disconnects.")
			e.field(g, "OnError", Func().Params(Error()), "OnError is called with errors that belong to no request.")
			e.field(g, "Log", of("Log"), "Log stores what must survive the process. The default stores nothing.")
			e.field(g, "Upgrade", Func().Params(of("Older")).Params(Qual(jsonPath, "RawMessage"), Error()),
				"Upgrade converts what the log holds from another version. If it returns nil, the data is used as it is, if it can be decoded.")
			e.field(g, "Limits", of("Limits"), "Limits bounds the resources that clients can use.")
		}))
	f.add(e.told(names("Server")+" holds the states of channels for clients. It numbers actions, applies them, and sends them to all subscribers. It handles "+
		methodNames(s)+" itself, and passes other messages to handlers."),
		Type().Add(e.own("Server")).Struct(Op("*").Add(typed("Server"))))
	e.newServer(f, s)
	e.broadcast(f, s)
	e.serverProtocol(f, s)
}

// signsOfLife prints the answers to pings.
func (e *emitter) signsOfLife(s *golang.Session) *Statement {
	out := Null()
	for i, m := range s.Anytime {
		if m.Notification || m.Result != nil {
			continue
		}
		params := []Code{contextOnly()}
		if m.Params != nil {
			params = append(params, e.payload(m.Params))
		}
		if i > 0 {
			out.Line()
		}
		out.If(Id("h").Dot(m.Name).Op("==").Nil()).Block(
			Id("h").Dot(m.Name).Op("=").Func().Params(params...).Error().Add(inline(Return(Nil()))),
		)
	}
	return out
}

// broadcast prints the sending of notifications to several clients.
func (e *emitter) broadcast(f *jenFile, s *golang.Session) {
	f.add(e.told("All returns a sender of notifications to all subscribers of a channel, in order with its actions. Subscribers whose version does not know a notification do not receive it. Requests fail."),
		Func().Params(Id("s").Op("*").Add(e.own("Server"))).Id("All").Params(Id("channel").String()).Op("*").Id(s.Server.Name).Block(
			Return(Id(s.Server.New).Call(Id("s").Dot("To").Call(Id("channel")))),
		))
}

// serverProtocol prints the server.Protocol of the package.
func (e *emitter) serverProtocol(f *jenFile, s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	state, action := e.anyState, func() *Statement { return Id(e.pkg.Store.Action.Name) }
	protocol := func() *Statement { return of("Protocol").Types(state(), action()) }
	f.add(e.told("hosting describes to package server how the protocol hosts clients."),
		Func().Id("hosting").Params(Id("o").Op("*").Add(e.own("ServerOptions"))).Op("*").Add(protocol()).Block(
			Var().Id("clock").Qual("time", "Time").Comment("the same when a state is computed again from the log"),
			Id("reducer").Op(":=").Op("&").Add(e.own("Reducer")).Values(Id("Now").Op(":").Func().Params().Qual("time", "Time").Add(inline(Return(Id("clock"))))),
			Return(Op("&").Add(protocol()).ValuesFunc(func(g *Group) {
				set := func(name string, value Code) { g.Line().Id(name).Op(":").Add(value) }
				set("Version", text(e.pkg.Version))
				set("Table", Op("&").Id("methods"))
				set("Open", text(s.Open.Wire))
				set("Resume", text(s.Resume.Wire))
				set("Subscribe", text(s.Subscribe.Wire))
				set("Unsubscribe", text(s.Unsubscribe.Wire))
				set("Dispatch", text(s.Dispatch.Wire))
				set("Action", text(s.Action.Wire))
				if len(s.Anytime) > 0 {
					set("Anytime", Index().String().ValuesFunc(func(g *Group) {
						for _, m := range s.Anytime {
							g.Add(text(m.Wire))
						}
					}))
				}
				e.serverForms(set, s)
				e.serverLists(set, s)
				set("DispatchChannel", text(e.pkg.Store.Dispatch.Channel.Wire))
				set("DispatchSequence", text(e.pkg.Store.Dispatch.ClientSequence.Wire))
				set("DispatchAction", text(e.pkg.Store.Dispatch.Action.Wire))
				set("Members", of("Members").Values(Dict{
					Id("Channel"): text(e.pkg.Store.Snapshot.Channel.Wire), Id("State"): text(e.pkg.Store.Snapshot.State.Wire),
					Id("Sequence"): text(e.pkg.Store.Snapshot.Sequence.Wire), Id("Action"): text(e.pkg.Store.Envelope.Action.Wire),
				}))
				e.serverReaders(set, s)
				e.serverWriters(set, s)
				set("NotFound", Id(s.Missing.Const))
				set("Negotiate", Func().Params(Id("offered").Index().String()).Params(String(), Error()).Block(
					Return(e.own("NegotiateVersion").Call(Id("offered"), Id("o").Dot("Versions").Op("..."))),
				))
				set("Apply", Func().Params(Id("now").Add(state()), Id("action").Add(action()), Id("at").Qual("time", "Time")).Add(state()).Block(
					Id("clock").Op("=").Id("at"),
					Return(Id("reducer").Dot("Apply").Call(Id("now"), Id("action"))),
				))
				set("Fits", Id("actsOn"))
				set("Refusal", Id("refusalOf"))
				set("Since", Func().Params(Id("action").Add(action())).Params(String(), Bool()).Block(
					Id("name").Op(":=").Id("action").Dot(e.pkg.Actions.Union.Tag.Name).Call(),
					If(List(Id("info"), Id("ok")).Op(":=").Id("name").Dot("Info").Call(), Id("ok")).Block(Return(Id("info").Dot("Since"), True())),
					Return(Id("methods").Dot("Extended").Call(String().Call(Id("name")))),
				))
				g.Line()
			})),
		))
	e.serverHelpers(f, s)
}

// serverReaders prints the decoding of what clients send.
func (e *emitter) serverReaders(set func(string, Code), s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	reads := func(m *golang.Method, result Code, set ...Code) *Statement {
		return Func().Params(Id("data").Index().Byte()).Params(Id("out").Add(result), Err().Error()).Block(
			List(Id("p"), Err()).Op(":=").Add(e.decoder(m.Params)).Call(Id("data")),
			If(Err().Op("==").Nil()).Block(set...),
			Return(Id("out"), Err()),
		)
	}
	from := func(field string) *Statement { return Id("p").Dot(field) }
	into := func(fields ...string) *Statement {
		return ListFunc(func(g *Group) {
			for _, name := range fields {
				g.Id("out").Dot(name)
			}
		}).Op("=")
	}
	set("ReadOpen", reads(s.Open.Method, of("Opening"), into("Client", "Offers", "Subscriptions").List(from(s.Open.Client.Name), from(s.Negotiate.Offer.Name), from(s.Open.Subscriptions.Name))))
	set("ReadResume", reads(s.Resume.Method, of("Resuming"), into("Client", "Seen", "Subscriptions").List(from(s.Resume.Client.Name), from(s.Resume.Sequence.Name), from(s.Resume.Subscriptions.Name))))
	set("ReadSubscribe", reads(s.Subscribe.Method, String(), Id("out").Op("=").Add(from(s.Subscribe.Channel.Name))))
	set("ReadUnsubscribe", reads(s.Unsubscribe, String(), Id("out").Op("=").Add(from(s.UnsubscribeChannel.Name))))
	d := e.pkg.Store.Dispatch
	set("ReadDispatch", reads(s.Dispatch, of("Dispatched").Types(Id(e.pkg.Store.Action.Name)),
		into("Channel", "Sequence", "Action").List(from(d.Channel.Name), from(d.ClientSequence.Name), from(d.Action.Name))))
	set("ReadEnvelope", Id("keptEnvelope"))
	set("ReadSnapshot", Func().Params(Id("data").Index().Byte()).Params(Id("out").Add(of("Snapshot")).Types(e.anyState()), Err().Error()).Block(
		List(Id("p"), Err()).Op(":=").Add(e.own("Decode")).Types(Id(e.pkg.Store.Snapshot.Type.Name)).Call(Id("data")),
		If(Err().Op("!=").Nil()).Block(Return(Id("out"), Err())),
		List(Id("channel"), Id("now"), Err()).Op(":=").Id("snapshotOf").Call(Id("p")),
		Return(of("Snapshot").Types(e.anyState()).Values(Dict{Id("Channel"): Id("channel"), Id("State"): Id("now").Dot("State"), Id("Sequence"): Id("now").Dot("Sequence")}), Err()),
	))
	set("Refused", Func().Params(Id("data").Index().Byte()).Bool().Block(
		Id("d").Op(":=").Add(e.wire("NewDecoder")).Call(Id("data")),
		List(Id("_"), Id("refused")).Op(":=").Id("d").Dot("OnlyString").Call(text(e.pkg.Store.Envelope.Rejection.Wire)),
		Return(Id("refused")),
	))
}

// serverWriters prints the encoding of what is sent to clients.
func (e *emitter) serverWriters(set func(string, Code), s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	snapshot := func() *Statement { return of("Snapshot").Types(e.anyState()) }
	envelope := func() *Statement { return of("Envelope").Types(Id(e.pkg.Store.Action.Name)) }
	appender := func() *Statement { return e.wire("Appender") }
	r := e.pkg.Store.Reconnect
	set("Envelope", Func().Params(Id("e").Add(envelope())).Add(appender()).Add(inline(Return(Id("envelopeOf").Call(Id("e"))))))
	set("Snapshot", Func().Params(Id("now").Add(snapshot())).Add(appender()).Block(
		Id("out").Op(":=").Id("snapshotsOf").Call(Index().Add(snapshot()).Values(Id("now"))),
		Return(Op("&").Id("out").Index(Lit(0))),
	))
	set("Opened", Func().Params(ctxParam(), Id("data").Index().Byte(), Id("in").Add(of("Opened")).Types(e.anyState())).Params(appender(), Error()).Block(
		Id("r").Op(":=").Op("&").Id(structOf(s.Open.Result).Name).Values(Dict{
			Id(s.Negotiate.Answer.Name): Id("in").Dot("Version"), Id(s.Open.Sequence.Name): Id("in").Dot("Sequence"), Id(s.Open.Snapshots.Name): Id("snapshotsOf").Call(Id("in").Dot("Snapshots")),
		}),
		If(Id("o").Dot("Opened").Op("==").Nil()).Block(Return(Id("r"), Nil())),
		List(Id("p"), Err()).Op(":=").Add(e.decoder(s.Open.Params)).Call(Id("data")),
		If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
		Return(Id("r"), Id("o").Dot("Opened").Call(Id("ctx"), Id("in").Dot("Client"), Id("p"), Id("r"))),
	))
	e.serverSubscribed(set, s)
	set("Replayed", Func().Params(Id("missed").Index().Add(envelope()), Id("missing").Index().String()).Add(appender()).Block(
		Id("r").Op(":=").Op("&").Id(r.Replay.Name).Values(Dict{
			Id(e.pkg.Store.Reconnect.Envelopes.Name): Make(Index().Id(e.pkg.Store.Envelope.Type.Name), Lit(0), Len(Id("missed"))), Id(e.pkg.Store.Reconnect.Missing.Name): Id("missing"),
		}),
		For(List(Id("_"), Id("e")).Op(":=").Range().Id("missed")).Block(
			Id("r").Dot(e.pkg.Store.Reconnect.Envelopes.Name).Op("=").Append(Id("r").Dot(e.pkg.Store.Reconnect.Envelopes.Name), Op("*").Id("envelopeOf").Call(Id("e"))),
		),
		Return(Id("r")),
	))
	set("Restarted", Func().Params(Id("now").Index().Add(snapshot())).Add(appender()).Block(
		Return(Op("&").Id(r.Restart.Name).Values(Id(e.pkg.Store.Reconnect.Snapshots.Name).Op(":").Id("snapshotsOf").Call(Id("now")))),
	))
	if u := e.pkg.Store.Action.Unknown; u != nil {
		set("Raw", Func().Params(Id("raw").Add(rawMessage())).Id(e.pkg.Store.Action.Name).Add(inline(Return(Op("&").Id(u.Name).Values(Id("Raw").Op(":").Id("raw"))))))
	}
}

// serverHelpers prints helpers shared by several parts.
func (e *emitter) serverHelpers(f *jenFile, s *golang.Session) {
	e.template(f, "hosting", nil)
	e.holds(f, s)
	e.listHelpers(f, s)
}

// methodNames returns the methods a server handles.
func methodNames(s *golang.Session) string {
	quote := func(m *golang.Method) string { return gotext.Literal(m.Wire) }
	return quote(s.Open.Method) + ", " + quote(s.Resume.Method) + ", " + quote(s.Subscribe.Method) + ", " + quote(s.Unsubscribe) + " and " + quote(s.Dispatch)
}

func (e *emitter) newServer(f *jenFile, s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	typed := func(name string) *Statement { return of(name).Types(e.anyState(), Id(e.pkg.Store.Action.Name)) }
	f.add(e.told(e.pkg.Own("NewServer")+" returns a server. It restores the states that its log holds."),
		Func().Add(e.own("NewServer")).Params(Id("o").Op("*").Add(e.own("ServerOptions"))).Params(Op("*").Add(e.own("Server")), Error()).Block(
			Var().Id("options").Add(e.own("ServerOptions")),
			If(Id("o").Op("!=").Nil()).Block(Id("options").Op("=").Op("*").Id("o")),
			serverAhead(s, typed("Server")),
			List(Id("s"), Err()).Op(":=").Add(of("New")).Call(Id("hosting").Call(Op("&").Id("options")), typed("Options").Custom(Options{Open: "{", Close: "}", Separator: ",", Multi: true},
				Id("Handlers").Op(":").Func().Params(Id("c").Op("*").Add(of("Client"))).Add(e.rpc("Handler")).Block(
					Id("h").Op(":=").New(Id(s.Server.Handlers)),
					If(Id("options").Dot("Handlers").Op("!=").Nil()).Block(
						If(Id("own").Op(":=").Id("options").Dot("Handlers").Call(Id("c")), Id("own").Op("!=").Nil()).Block(Op("*").Id("h").Op("=").Op("*").Id("own")),
					),
					e.signsOfLife(s),
					e.listAnswers(s),
					Return(Id("h")),
				),
				Id("Authorize").Op(":").Id("options").Dot("Authorize"),
				Id("Validate").Op(":").Id("options").Dot("Validate"),
				Id("Accepted").Op(":").Id("options").Dot("Accepted"),
				Id("Admit").Op(":").Id("options").Dot("Admit"),
				e.listOptions(s),
				Id("Empty").Op(":").Id("options").Dot("Empty"),
				Id("Left").Op(":").Id("options").Dot("Left"),
				Id("OnError").Op(":").Id("options").Dot("OnError"),
				Id("Log").Op(":").Id("options").Dot("Log"),
				Id("Upgrade").Op(":").Id("options").Dot("Upgrade"),
				Id("Limits").Op(":").Id("options").Dot("Limits"),
			)),
			If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
			Return(Op("&").Add(e.own("Server")).Values(Id("s")), Nil()),
		))
}

// structOf returns the struct of parameters or a result that is an object.
func structOf(t golang.Type) *golang.Struct {
	return golang.Underlying(t).(golang.StructType).Struct
}

// field prints an option with its comment.
func (e *emitter) field(g *Group, name string, t Code, doc string) {
	addComments(g, e.told(doc))
	g.Id(name).Add(t)
}

func contextOnly() *Statement { return Qual(contextPath, "Context") }

const contextPath = "context"

// rpc refers to an identifier of package rpc.
func (e *emitter) rpc(name string) *Statement { return Qual(e.pkg.Wire+"/rpc", name) }

func ctxParam() *Statement   { return Id("ctx").Qual(contextPath, "Context") }
func rawMessage() *Statement { return Qual(jsonPath, "RawMessage") }

func (e *emitter) decoder(t golang.Type) *Statement { return Id(string(view{e.pkg, nil}.Decoder(t))) }
func (e *emitter) payload(t golang.Type) *Statement { return Id(string(view{e.pkg, nil}.Payload(t))) }
