// Session: the connection that a client keeps, and the server that holds the states. Both are thin: what they
// do is the floor's, and what is printed here says it in the words of the protocol.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

func (e *emitter) connPkg(name string) *Statement   { return Qual(e.pkg.Wire+"/conn", name) }
func (e *emitter) serverPkg(name string) *Statement { return Qual(e.pkg.Wire+"/server", name) }

// structOf is what a method takes or returns, which is an object.
func structOf(t golang.Type) *golang.Struct {
	return golang.Underlying(t).(golang.StructType).Struct
}

// field is a field of options with its comment.
func field(g *Group, name string, t Code, doc string) {
	for _, line := range comments(comment(doc)) {
		g.Add(line)
	}
	g.Id(name).Add(t)
}

func (e *emitter) conn(f *jenFile) {
	s := e.pkg.Session
	if s == nil {
		return
	}
	open := structOf(s.Open.Params)
	names := e.pkg.Own
	f.add(comment(names("ConnOptions")+" are how a client introduces itself and what it wants to be told. The zero value of each field is a default."),
		Type().Add(e.own("ConnOptions")).StructFunc(func(g *Group) {
			field(g, "ClientID", String(), "ClientID is what the client calls itself: no other client that is connected does. The default is one that"+
				" nobody else has. Under one that was stored, the client goes on as the one that it was.")
			field(g, "Sequence", Int64(), "Sequence is the number of the latest action that was dispatched under a stored id, where that is known.")
			field(g, "Opening", Op("*").Id(open.Name), "Opening is what else the client introduces itself with. Where it offers no versions, these are ["+names("SupportedVersions")+"].")
			field(g, "Reducer", Op("*").Add(e.own("Reducer")), "Reducer applies actions. Its clock is that of this client: states that are to be equal to the host's to the letter need the same one there.")
			field(g, "Handlers", Op("*").Add(e.own(s.Client.Name+"Handlers")), "Handlers handle what else the host sends than envelopes of actions, which the store takes.")
			field(g, "Received", Func().Params(Op("*").Id(structOf(s.Action.Params).Name), e.state("Outcome")),
				"Received is told of every envelope, those that are replayed included, and of what became of it, in order. It must not wait for the host.")
			field(g, "Opened", Func().Params(Op("*").Id(structOf(s.Open.Result).Name)), "Opened is told what the host has answered to the introduction, each time.")
			field(g, "Reconnected", Func().Params(Op("*").Add(e.own("Reconnection"))), "Reconnected is told what a lost connection has cost, once the store is up to date again; after Opened, where the host did not know the client any more. It must not wait for the host.")
			field(g, "Ready", Func().Params(contextOnly(), Op("*").Add(e.own(s.Client.Name))).Error(),
				"Ready is called whenever the connection is about to be ready, the first time and after each loss: the place to ask for what is not replayed. An error counts as a lost connection.")
			field(g, "Keep", e.connPkg("Options"), "Keep says how the connection is kept, and who is told how it stands.")
		}))
	f.add(comment(names("Conn")+" is a client's connection to a host, which is taken up again when it is lost, with the states that the client has"+
		" subscribed to. Its methods may be called by several goroutines at a time, and wait while there is no connection."),
		Type().Add(e.own("Conn")).Struct(
			Op("*").Add(e.connPkg("Conn")),
			Comment("Store has the states."),
			Id("Store").Op("*").Add(e.own("Store")),
			Comment("Client sends all other requests and notifications."),
			Id("Client").Op("*").Add(e.own(s.Client.Name)),
		))
	f.add(comment(names("Connect")+" connects to a host and introduces the client. Where that fails, the error says why; later losses are mended. The context is"+
		" for the first connection; Close ends what goes on from there. Dial makes a transport, such as one of rpc.Stream."),
		Func().Add(e.own("Connect")).Params(ctxParam(), Id("dial").Func().Params(contextOnly()).Params(e.rpc("Transport"), Error()), Id("o").Op("*").Add(e.own("ConnOptions"))).
			Params(Op("*").Add(e.own("Conn")), Error()).Block(
			Id("k").Op(":=").Op("&").Id("keeper").Values(),
			If(Id("o").Op("!=").Nil()).Block(Id("k").Dot("options").Op("=").Op("*").Id("o")),
			List(Id("id"), Id("sequence")).Op(":=").Add(e.connPkg("Identity")).Call(Id("k").Dot("options").Dot("ClientID"), Id("k").Dot("options").Dot("Sequence")),
			List(Id("k").Dot("id"), Id("k").Dot("store")).Op("=").List(Id("id"), e.own("NewStore").Call(Id("id"), Id("k").Dot("options").Dot("Reducer"))),
			Id("k").Dot("store").Dot("replicas").Dot("StartAt").Call(Id("sequence")),
			List(Id("c"), Err()).Op(":=").Add(e.connPkg("Connect")).Call(Id("ctx"), Id("dial"), Id("k").Dot("protocol").Call(), Id("k").Dot("options").Dot("Keep")),
			If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
			Return(Op("&").Add(e.own("Conn")).Values(Id("c"), Id("k").Dot("store"), e.own("New"+s.Client.Name).Call(Id("c"))), Nil()),
		))
	f.add(comment("ID is what the client calls itself, to be stored by a program that wants to go on as the same client."),
		Func().Params(Id("c").Op("*").Add(e.own("Conn"))).Id("ID").Params().String().Add(inline(Return(Id("c").Dot("Store").Dot("replicas").Dot("Client").Call()))))
	f.add(comment("Sequence is the number of the client's latest action, to be stored with its id."),
		Func().Params(Id("c").Op("*").Add(e.own("Conn"))).Id("Sequence").Params().Int64().Add(inline(Return(Id("c").Dot("Store").Dot("replicas").Dot("Sequence").Call()))))
	e.connDispatch(f, s)
	e.keeper(f, s)
}

// connDispatch prints how an action is dispatched over the connection.
func (e *emitter) connDispatch(f *jenFile, s *golang.Session) {
	d := e.pkg.Store.Dispatch
	f.add(comment("Dispatch applies an action at once, where its channel is subscribed to, and sends it. What becomes of it, the view of the channel shows. Where the"+
		" connection is lost before the host has answered, the action is among those that Reconnected is told of as lost; so it is after an error that wraps rpc.ErrClosed."+
		" After any other error nothing has happened: the action is one of another kind of channel, or one that the agreed version does not know, or the context ended while there was no connection."+
		" What was dispatched on a channel without a state, nobody keeps count of."),
		Func().Params(Id("c").Op("*").Add(e.own("Conn"))).Id("Dispatch").Params(ctxParam(), Id("channel").String(), Id("action").Id(e.pkg.Store.Dispatchable.Name)).Error().Block(
			If(e.wire("IsNil").Call(Id("action"))).Block(Return(e.state("ErrForeignAction"))),
			Return(Id("c").Dot("InOrder").Call(Id("ctx"), Func().Params(Id("to").Add(e.rpc("Conn"))).Error().Block(
				Id("client").Op(":=").Add(e.own("New"+s.Client.Name)).Call(Id("to")),
				If(Err().Op(":=").Id("checkAction").Call(Id("client").Dot("link"), Id("action").Dot(e.pkg.Actions.Union.Tag.Name).Call()), Err().Op("!=").Nil()).Block(Return(Err())),
				List(Id("p"), Err()).Op(":=").Id("c").Dot("Store").Dot("Dispatch").Call(Id("channel"), Id("action")),
				If(Qual("errors", "Is").Call(Err(), e.state("ErrNotSubscribed"))).Block(
					List(Id("p"), Err()).Op("=").List(Op("&").Id(d.Type.Name).Values(Dict{
						Id(d.Channel.Name): Id("channel"), Id(d.Action.Name): Id("action"), Id(d.ClientSequence.Name): Id("c").Dot("Store").Dot("replicas").Dot("Loose").Call(),
					}), Nil()),
				),
				If(Err().Op("!=").Nil()).Block(Return(Err())),
				Return(Id("client").Dot(s.Dispatch.Name).Call(Qual(contextPath, "WithoutCancel").Call(Id("ctx")), Id("p"))),
			))),
		))
}

// keeper prints what the floor needs to keep a connection.
func (e *emitter) keeper(f *jenFile, s *golang.Session) {
	self := func() *Statement { return Func().Params(Id("k").Op("*").Id("keeper")) }
	client := func() *Statement { return e.own("New" + s.Client.Name).Call(Id("to")) }
	options := func(name string) *Statement { return Id("k").Dot("options").Dot(name) }
	to := []Code{ctxParam(), Id("to").Add(e.rpc("Conn"))}
	envelope := structOf(s.Action.Params).Name
	f.add([]string{"keeper says what a client owes a host, in the words of the protocol."}, Type().Id("keeper").Struct(
		Id("options").Add(e.own("ConnOptions")),
		Id("id").String(),
		Id("store").Op("*").Add(e.own("Store")),
	))
	f.Line()
	f.Add(self().Id("protocol").Params().Add(e.connPkg("Protocol")).Block(
		Id("handlers").Op(":=").New(e.own(s.Client.Name+"Handlers")),
		If(options("Handlers").Op("!=").Nil()).Block(Op("*").Id("handlers").Op("=").Op("*").Add(options("Handlers"))),
		Id("handlers").Dot(s.Action.Name).Op("=").Func().Params(Id("_").Qual(contextPath, "Context"), Id("envelope").Op("*").Id(envelope)).Block(
			Id("outcome").Op(":=").Id("k").Dot("store").Dot("Receive").Call(Id("envelope")),
			If(options("Received").Op("!=").Nil()).Block(options("Received").Call(Id("envelope"), Id("outcome"))),
		),
		Return(e.connPkg("Protocol").ValuesFunc(func(g *Group) {
			set := func(name string, value Code) { g.Line().Id(name).Op(":").Add(value) }
			set("Open", Id("k").Dot("open"))
			set("Resume", Id("k").Dot("resume"))
			set("Subscribe", Id("k").Dot("subscribe"))
			set("Unsubscribe", Id("k").Dot("unsubscribe"))
			set("Drop", Id("k").Dot("store").Dot("Unsubscribe"))
			set("Ready", Id("k").Dot("ready"))
			set("Has", Func().Params(Id("channel").String()).Bool().Block(
				List(Id("_"), Id("ok")).Op(":=").Id("k").Dot("store").Dot("View").Call(Id("channel")),
				Return(Id("ok")),
			))
			set("Renew", Id("k").Dot("store").Dot("replicas").Dot("Renew"))
			set("Final", Func().Params(Err().Error()).Bool().Add(inline(Return(Qual("errors", "Is").Call(Err(), Id(s.Negotiate.Error.Const))))))
			set("Handler", Id("handlers"))
			set("Envelope", text(s.Action.Wire))
			set("Channel", text(e.pkg.Store.Envelope.Channel.Wire))
			if len(s.Repeat) > 0 {
				set("Repeat", Map(String()).String().ValuesFunc(func(g *Group) {
					for _, r := range s.Repeat {
						g.Add(text(r.Wire)).Op(":").Add(text(r.Key))
					}
				}))
			}
			g.Line()
		})),
	))
	h := s.Negotiate
	f.add([]string{"open introduces the client."}, self().Id("open").Params(append(to, Id("channels").Index().String(), Id("again").Bool())...).
		Params(String(), e.connPkg("Take"), Error()).Block(
		Var().Id("p").Id(structOf(s.Open.Params).Name),
		If(options("Opening").Op("!=").Nil()).Block(Id("p").Op("=").Op("*").Add(options("Opening"))),
		List(Id("p").Dot(s.Open.Client.Name), Id("p").Dot(s.Open.Subscriptions.Name)).Op("=").List(Id("k").Dot("id"), Id("channels")),
		If(Id("p").Dot(h.Offer.Name).Op("==").Nil()).Block(Id("p").Dot(h.Offer.Name).Op("=").Add(e.own("SupportedVersions")).Call()),
		List(Id("r"), Err()).Op(":=").Add(client()).Dot(s.Open.Name).Call(Id("ctx"), Op("&").Id("p")),
		If(List(Id("_"), Err()).Op("=").Add(e.connPkg("Salvage")).Call(Err()), Err().Op("!=").Nil()).Block(Return(Lit(""), Nil(), Err())),
		Return(Id("r").Dot(h.Answer.Name), Func().Params().Params(e.connPkg("Taken"), Error()).Block(
			List(Id("cost"), Err()).Op(":=").Id("k").Dot("store").Dot("Reset").Call(Id("r").Dot(s.Open.Snapshots.Name)),
			If(Err().Op("!=").Nil()).Block(Return(e.connPkg("Taken").Values(), Err())),
			If(options("Opened").Op("!=").Nil()).Block(options("Opened").Call(Id("r"))),
			If(Id("again").Op("&&").Add(options("Reconnected")).Op("!=").Nil()).Block(options("Reconnected").Call(Id("cost"))),
			Return(e.connPkg("Taken").Values(), Nil()).Comment("what is gone is asked for once more"),
		), Nil()),
	))
	places := []Code{text(e.pkg.Store.Envelope.Channel.Wire)} // where an item says its channel
	if e.pkg.Store.Snapshot.Channel.Wire != e.pkg.Store.Envelope.Channel.Wire {
		places = append(places, text(e.pkg.Store.Snapshot.Channel.Wire))
	}
	f.add([]string{"resume takes up a connection that was lost."}, self().Id("resume").Params(append(to, Id("channels").Index().String())...).
		Params(e.connPkg("Take"), Error()).Block(
		List(Id("r"), Err()).Op(":=").Add(client()).Dot(s.Resume.Name).Call(Id("ctx"), Op("&").Id(structOf(s.Resume.Params).Name).Values(Dict{
			Id(s.Resume.Client.Name): Id("k").Dot("id"), Id(s.Resume.Sequence.Name): Id("k").Dot("store").Dot("LastSeen").Call(), Id(s.Resume.Subscriptions.Name): Id("channels"),
		})),
		List(Id("renew"), Err()).Op(":=").Add(e.connPkg("Salvage")).Call(append([]Code{Err()}, places...)...),
		If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
		Return(Func().Params().Params(e.connPkg("Taken"), Error()).Block(
			List(Id("cost"), Err()).Op(":=").Id("k").Dot("store").Dot("Reconnected").Call(Id("r")),
			If(Err().Op("!=").Nil()).Block(Return(e.connPkg("Taken").Values(), Err())),
			If(options("Received").Op("!=").Nil()).Block(
				For(List(Id("i"), Id("envelope")).Op(":=").Range().Id("cost").Dot("Missed")).Block(
					options("Received").Call(Id("envelope"), Id("cost").Dot("Outcomes").Index(Id("i"))),
				),
			),
			If(options("Reconnected").Op("!=").Nil()).Block(options("Reconnected").Call(Id("cost"))),
			Return(e.connPkg("Taken").Values(Id("Gone").Op(":").Id("cost").Dot("Gone"), Id("Renew").Op(":").Id("renew")), Nil()),
		), Nil()),
	))
	snapshot := Op("&").Id("r").Dot(s.Subscribe.Snapshot.Name)
	stateless := Null()
	if s.Subscribe.Snapshot.Pointer {
		snapshot = Id("r").Dot(s.Subscribe.Snapshot.Name)
		stateless = If(Id("r").Dot(s.Subscribe.Snapshot.Name).Op("==").Nil()).Block(
			Id("k").Dot("store").Dot("Unsubscribe").Call(Id("channel")).Comment("it has no state"),
			Return(Nil()),
		)
	}
	f.add([]string{"subscribe gets the state of a channel."}, self().Id("subscribe").Params(append(to, Id("channel").String())...).Error().Block(
		List(Id("_"), Id("had")).Op(":=").Id("k").Dot("store").Dot("View").Call(Id("channel")),
		Id("k").Dot("store").Dot("Await").Call(Id("channel")),
		List(Id("r"), Err()).Op(":=").Add(client()).Dot(s.Subscribe.Name).Call(Id("ctx"), Op("&").Id(structOf(s.Subscribe.Params).Name).Values(Dict{Id(s.Subscribe.Channel.Name): Id("channel")})),
		If(Err().Op("!=").Nil()).Block(
			If(Op("!").Id("had").Op("||").Add(e.connPkg("Refused")).Call(Err())).Block(Id("k").Dot("store").Dot("Unsubscribe").Call(Id("channel"))),
			Return(Err()),
		),
		stateless,
		Return(Id("k").Dot("store").Dot("Subscribe").Call(snapshot)),
	))
	f.add([]string{"unsubscribe ends a subscription."}, self().Id("unsubscribe").Params(append(to, Id("channel").String())...).Error().Block(
		Return(client().Dot(s.Unsubscribe.Name).Call(Id("ctx"), Op("&").Id(structOf(s.Unsubscribe.Params).Name).Values(Dict{Id(s.UnsubscribeChannel.Name): Id("channel")}))),
	))
	f.Line()
	f.Add(self().Id("ready").Params(to...).Error().Block(
		If(options("Ready").Op("==").Nil()).Block(Return(Nil())),
		Return(options("Ready").Call(Id("ctx"), client())),
	))
}

func contextOnly() *Statement { return Qual(contextPath, "Context") }

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
	f.add(comment(names("ServerOptions")+" are what a host decides itself. The zero value of each field is a default."),
		Type().Add(e.own("ServerOptions")).StructFunc(func(g *Group) {
			field(g, "Versions", Index().String(), "Versions are those that are spoken; the default is ["+names("SupportedVersions")+"].")
			field(g, "Opened", Func().Params(from(), Op("*").Id(structOf(s.Open.Params).Name), Op("*").Id(structOf(s.Open.Result).Name)).Error(),
				"Opened completes what a client that introduces itself is answered, or refuses it. It must not call the server.")
			field(g, "Handlers", Func().Params(from()).Op("*").Add(e.own(s.Server.Name+"Handlers")),
				"Handlers handle all requests and notifications of a client that the server does not handle itself. It is called once for each connection.")
			field(g, "Validate", Func().Params(Id("from").Add(from()), Id("channel").String(), Id("now").Add(state), Id("action").Add(action())).Error(),
				"Validate may refuse an action of a client, with an error whose text the client is told. The state is the one that the action would change. It must not call the server.")
			field(g, "Accepted", Func().Params(Id("from").Add(from()), Id("channel").String(), Id("action").Add(action())),
				"Accepted is told of actions of clients that were applied, in order. It may call the server, and holds up what it is told next.")
			field(g, "Admit", Func().Params(ctxParam(), Id("c").Add(from()), Id("channel").String()).Error(),
				"Admit may refuse a client a channel, with an error that it is answered, or open the channel just in time.")
			field(g, "Left", Func().Params(from()), "Left is told of clients whose connection has ended.")
			field(g, "OnError", Func().Params(Error()), "OnError is told of what goes wrong without anybody to answer to.")
			field(g, "Log", of("Log"), "Log keeps what must not be forgotten when the process ends. The default keeps nothing.")
			field(g, "Limits", of("Limits"), "Limits bound what clients can take up.")
		}))
	f.add(comment(names("Server")+" holds the states of channels for clients: it numbers actions, applies them, and sends them to all who have subscribed. It handles "+
		methodNames(s)+" itself; the rest is for handlers."),
		Type().Add(e.own("Server")).Struct(Op("*").Add(typed("Server"))))
	e.newServer(f, s)
	e.broadcast(f, s)
	e.serverProtocol(f, s)
}

// methodNames lists the methods that a server handles.
func methodNames(s *golang.Session) string {
	quote := func(m *golang.Method) string { return gotext.Literal(m.Wire) }
	return quote(s.Open.Method) + ", " + quote(s.Resume.Method) + ", " + quote(s.Subscribe.Method) + ", " + quote(s.Unsubscribe) + " and " + quote(s.Dispatch)
}

func (e *emitter) newServer(f *jenFile, s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	typed := func(name string) *Statement { return of(name).Types(e.anyState(), Id(e.pkg.Store.Action.Name)) }
	f.add(comment(e.pkg.Own("NewServer")+" returns a server, which starts from what its log has kept."),
		Func().Add(e.own("NewServer")).Params(Id("o").Op("*").Add(e.own("ServerOptions"))).Params(Op("*").Add(e.own("Server")), Error()).Block(
			Var().Id("options").Add(e.own("ServerOptions")),
			If(Id("o").Op("!=").Nil()).Block(Id("options").Op("=").Op("*").Id("o")),
			List(Id("s"), Err()).Op(":=").Add(of("New")).Call(Id("hosting").Call(Op("&").Id("options")), typed("Options").Custom(Options{Open: "{", Close: "}", Separator: ",", Multi: true},
				Id("Handlers").Op(":").Func().Params(Id("c").Op("*").Add(of("Client"))).Add(e.rpc("Handler")).Block(
					Id("h").Op(":=").New(e.own(s.Server.Name+"Handlers")),
					If(Id("options").Dot("Handlers").Op("!=").Nil()).Block(
						If(Id("own").Op(":=").Id("options").Dot("Handlers").Call(Id("c")), Id("own").Op("!=").Nil()).Block(Op("*").Id("h").Op("=").Op("*").Id("own")),
					),
					e.signsOfLife(s),
					Return(Id("h")),
				),
				Id("Validate").Op(":").Id("options").Dot("Validate"),
				Id("Accepted").Op(":").Id("options").Dot("Accepted"),
				Id("Admit").Op(":").Id("options").Dot("Admit"),
				Id("Left").Op(":").Id("options").Dot("Left"),
				Id("OnError").Op(":").Id("options").Dot("OnError"),
				Id("Log").Op(":").Id("options").Dot("Log"),
				Id("Limits").Op(":").Id("options").Dot("Limits"),
			)),
			If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
			Return(Op("&").Add(e.own("Server")).Values(Id("s")), Nil()),
		))
}

// signsOfLife prints answers to requests that ask for nothing but an answer.
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

// broadcast prints what sends notifications to many.
func (e *emitter) broadcast(f *jenFile, s *golang.Session) {
	f.add(comment("All sends notifications to all who have subscribed to a channel, in their place among the actions, and leaves out those whose version does not know them. It makes no requests."),
		Func().Params(Id("s").Op("*").Add(e.own("Server"))).Id("All").Params(Id("channel").String()).Op("*").Add(e.own(s.Server.Name)).Block(
			Return(e.own("New"+s.Server.Name).Call(Id("s").Dot("To").Call(Id("channel")))),
		))
}

// serverProtocol prints what the floor has to know to be a server of the protocol.
func (e *emitter) serverProtocol(f *jenFile, s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	state, action := e.anyState, func() *Statement { return Id(e.pkg.Store.Action.Name) }
	protocol := func() *Statement { return of("Protocol").Types(state(), action()) }
	f.add([]string{"hosting says what a host owes its clients, in the words of the protocol."},
		Func().Id("hosting").Params(Id("o").Op("*").Add(e.own("ServerOptions"))).Op("*").Add(protocol()).Block(
			Var().Id("clock").Qual("time", "Time").Comment("the same for a state now and for the one that is made again from the log"),
			Id("reducer").Op(":=").Op("&").Add(e.own("Reducer")).Values(Id("Now").Op(":").Func().Params().Qual("time", "Time").Add(inline(Return(Id("clock"))))),
			Return(Op("&").Add(protocol()).ValuesFunc(func(g *Group) {
				set := func(name string, value Code) { g.Line().Id(name).Op(":").Add(value) }
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
				set("DispatchChannel", text(e.pkg.Store.Dispatch.Channel.Wire))
				set("DispatchSequence", text(e.pkg.Store.Dispatch.ClientSequence.Wire))
				set("DispatchAction", text(e.pkg.Store.Dispatch.Action.Wire))
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

// serverReaders prints what reads what clients send.
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

// serverWriters prints what makes what is sent to clients.
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
	set("Opened", Func().Params(Id("data").Index().Byte(), Id("in").Add(of("Opened")).Types(e.anyState())).Params(appender(), Error()).Block(
		Id("r").Op(":=").Op("&").Id(structOf(s.Open.Result).Name).Values(Dict{
			Id(s.Negotiate.Answer.Name): Id("in").Dot("Version"), Id(s.Open.Sequence.Name): Id("in").Dot("Sequence"), Id(s.Open.Snapshots.Name): Id("snapshotsOf").Call(Id("in").Dot("Snapshots")),
		}),
		If(Id("o").Dot("Opened").Op("==").Nil()).Block(Return(Id("r"), Nil())),
		List(Id("p"), Err()).Op(":=").Add(e.decoder(s.Open.Params)).Call(Id("data")),
		If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
		Return(Id("r"), Id("o").Dot("Opened").Call(Id("in").Dot("Client"), Id("p"), Id("r"))),
	))
	var subscribed []Code
	if s.Subscribe.Snapshot.Pointer {
		set("Stateless", True())
		subscribed = []Code{
			Id("r").Op(":=").New(Id(structOf(s.Subscribe.Result).Name)),
			If(Id("now").Op("!=").Nil()).Block(
				Id("out").Op(":=").Id("snapshotsOf").Call(Index().Add(snapshot()).Values(Op("*").Id("now"))),
				Id("r").Dot(s.Subscribe.Snapshot.Name).Op("=").Op("&").Id("out").Index(Lit(0)),
			),
			Return(Id("r")),
		}
	} else {
		subscribed = []Code{
			Id("out").Op(":=").Id("snapshotsOf").Call(Index().Add(snapshot()).Values(Op("*").Id("now"))),
			Return(Op("&").Id(structOf(s.Subscribe.Result).Name).Values(Id(s.Subscribe.Snapshot.Name).Op(":").Id("out").Index(Lit(0)))),
		}
	}
	set("Subscribed", Func().Params(Id("now").Op("*").Add(snapshot())).Add(appender()).Block(subscribed...))
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

// serverHelpers prints what several parts of a server's protocol need.
func (e *emitter) serverHelpers(f *jenFile, s *golang.Session) {
	of := func(name string) *Statement { return e.serverPkg(name) }
	envelope, snapshot := e.pkg.Store.Envelope.Type.Name, e.pkg.Store.Snapshot.Type.Name
	value := func(of golang.OriginField, name string) *Statement {
		if of.Pointer {
			return Op("&").Id("e").Dot("Origin").Dot(name)
		}
		return Id("e").Dot("Origin").Dot(name)
	}
	client, number := value(s.Origin.Client, "Client"), value(s.Origin.Sequence, "Sequence")
	origin := List(Id("out").Dot(s.Origin.Client.Name), Id("out").Dot(s.Origin.Sequence.Name)).Op("=").List(client, number)
	if s.Origin.Field != "" {
		object := Id(s.Origin.Type.Name).Values(Dict{Id(s.Origin.Client.Name): client, Id(s.Origin.Sequence.Name): number})
		if s.Origin.Optional {
			object = Op("&").Add(object)
		}
		origin = Id("out").Dot(s.Origin.Field).Op("=").Add(object)
	}
	f.add([]string{"envelopeOf is an envelope as it is sent."},
		Func().Id("envelopeOf").Params(Id("e").Add(of("Envelope")).Types(Id(e.pkg.Store.Action.Name))).Op("*").Id(envelope).Block(
			Id("out").Op(":=").Op("&").Id(envelope).Values(Dict{
				Id(e.pkg.Store.Envelope.Channel.Name): Id("e").Dot("Channel"), Id(e.pkg.Store.Envelope.Action.Name): Id("e").Dot("Action"),
				Id(e.pkg.Store.Envelope.Sequence.Name): Id("e").Dot("Sequence"), Id(e.pkg.Store.Envelope.Rejection.Name): Id("e").Dot("Refusal"),
			}),
			If(Id("e").Dot("Origin").Op("!=").Nil()).Block(origin),
			Return(Id("out")),
		))
	f.add([]string{"keptEnvelope reads an envelope that the log has kept."},
		Func().Id("keptEnvelope").Params(Id("data").Index().Byte()).Params(Id("out").Add(of("Envelope")).Types(Id(e.pkg.Store.Action.Name)), Err().Error()).Block(
			List(Id("p"), Err()).Op(":=").Add(e.own("Decode")).Types(Id(envelope)).Call(Id("data")),
			If(Err().Op("!=").Nil()).Block(Return(Id("out"), Err())),
			Id("in").Op(":=").Id("received").Call(Id("p")),
			List(Id("out").Dot("Channel"), Id("out").Dot("Action"), Id("out").Dot("Sequence"), Id("out").Dot("Refusal")).Op("=").
				List(Id("in").Dot("Channel"), Id("in").Dot("Action"), Id("in").Dot("Sequence"), Id("p").Dot(e.pkg.Store.Envelope.Rejection.Name)),
			If(Id("in").Dot("Dispatched")).Block(
				Id("out").Dot("Origin").Op("=").Op("&").Add(of("Origin")).Values(Dict{Id("Client"): Id("in").Dot("Client"), Id("Sequence"): Id("in").Dot("ClientSequence")}),
			),
			Return(Id("out"), Nil()),
		))
	held, state := Null(), Id("now").Dot("State")
	if u := s.SnapshotUnion; u != nil { // a state that is none of its variants cannot be encoded
		held, state = List(Id("held"), Id("_")).Op(":=").Add(state).Assert(Id(u.Name)), Id("held")
	}
	f.add([]string{"snapshotsOf are states as they are sent."},
		Func().Id("snapshotsOf").Params(Id("list").Index().Add(of("Snapshot")).Types(e.anyState())).Index().Id(snapshot).Block(
			Id("out").Op(":=").Make(Index().Id(snapshot), Len(Id("list"))),
			For(List(Id("i"), Id("now")).Op(":=").Range().Id("list")).Block(
				held,
				Id("out").Index(Id("i")).Op("=").Id(snapshot).Values(Dict{
					Id(e.pkg.Store.Snapshot.Channel.Name): Id("now").Dot("Channel"), Id(e.pkg.Store.Snapshot.State.Name): state, Id(e.pkg.Store.Snapshot.Sequence.Name): Id("now").Dot("Sequence"),
				}),
			),
			Return(Id("out")),
		))
	f.add([]string{"refusalOf says why a client may not dispatch an action, whatever the state."},
		Func().Id("refusalOf").Params(Id("action").Id(e.pkg.Store.Action.Name)).String().BlockFunc(func(g *Group) {
			if u := e.pkg.Store.Action.Unknown; u != nil {
				g.If(List(Id("_"), Id("unknown")).Op(":=").Id("action").Assert(Op("*").Id(u.Name)), Id("unknown")).Block(
					Return(Lit("the action is not known here")),
				)
			}
			if e.pkg.Store.Dispatchable != e.pkg.Store.Action {
				g.If(List(Id("_"), Id("may")).Op(":=").Id("action").Assert(Id(e.pkg.Store.Dispatchable.Name)), Op("!").Id("may")).Block(
					Return(Lit("no client may dispatch the action")),
				)
			}
			g.Return(Lit(""))
		}))
}
