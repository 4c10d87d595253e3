// The connection that a client keeps: what the floor does, said in the words of the protocol.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

func (e *emitter) connPkg(name string) *Statement { return Qual(e.pkg.Wire+"/conn", name) }

// structOf is what a method takes or returns, which is an object.
func structOf(t golang.Type) *golang.Struct {
	return golang.Underlying(t).(golang.StructType).Struct
}

// field is a field of options with its comment.
func (e *emitter) field(g *Group, name string, t Code, doc ...string) {
	told := e.lines(doc...)
	if len(doc) == 1 {
		told = e.told(doc[0])
	}
	addComments(g, told)
	g.Id(name).Add(t)
}

func (e *emitter) conn(f *jenFile) {
	s := e.pkg.Session
	if s == nil {
		return
	}
	open := structOf(s.Open.Params)
	names := e.pkg.Own
	f.add(e.told(names("ConnOptions")+" are how a client introduces itself and what it wants to be told. The zero value of each field is a default."),
		Type().Add(e.own("ConnOptions")).StructFunc(func(g *Group) {
			e.field(g, "ClientID", String(), "ClientID is what the client calls itself: no other client that is connected does. The default is one that"+
				" nobody else has. Under one that was stored, the client goes on as the one that it was.")
			e.field(g, "Sequence", Int64(), "Sequence is the number of the latest action that was dispatched under a stored id, where that is known.")
			e.field(g, "Opening", Op("*").Id(open.Name), "Opening is what else the client introduces itself with. Where it offers no versions, these are ["+names("SupportedVersions")+"].")
			e.field(g, "Reducer", Op("*").Add(e.own("Reducer")), "Reducer applies actions. Its clock is that of this client: states that are to be equal to the host's to the letter need the same one there.")
			e.field(g, "Handlers", Op("*").Id(s.Client.Handlers), "Handlers handle what else the host sends than envelopes of actions, which the store takes.")
			e.field(g, "Received", Func().Params(Op("*").Id(structOf(s.Action.Params).Name), e.state("Outcome")),
				"Received is told of every envelope, those that are replayed included, and of what became of it, in order. It must not wait for the host.")
			e.field(g, "Opened", Func().Params(Op("*").Id(structOf(s.Open.Result).Name)), "Opened is told what the host has answered to the introduction, each time.")
			e.field(g, "Reconnected", Func().Params(Op("*").Add(e.own("Reconnection"))), "Reconnected is told what a lost connection has cost, once the store is up to date again; after Opened, where the host did not know the client any more. It must not wait for the host.")
			e.field(g, "Ready", Func().Params(contextOnly(), Op("*").Id(s.Client.Name)).Error(),
				"Ready is called whenever the connection is about to be ready, the first time and after each loss: the place to ask for what is not replayed. An error counts as a lost connection.")
			e.field(g, "Keep", e.connPkg("Options"), "Keep says how the connection is kept, and who is told how it stands.")
		}))
	f.add(e.told(names("Conn")+" is a client's connection to a host, which is taken up again when it is lost, with the states that the client has"+
		" subscribed to. Its methods may be called by several goroutines at a time, and wait while there is no connection."),
		Type().Add(e.own("Conn")).Struct(
			Op("*").Add(e.connPkg("Conn")),
			Comment("Store has the states."),
			Id("Store").Op("*").Add(e.own("Store")),
			Comment("Client sends all other requests and notifications."),
			Id("Client").Op("*").Id(s.Client.Name),
		))
	f.add(e.told(names("Connect")+" connects to a host and introduces the client. Where that fails, the error says why; later losses are mended. The context is"+
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
			Return(Op("&").Add(e.own("Conn")).Values(Id("c"), Id("k").Dot("store"), Id(s.Client.New).Call(Id("c"))), Nil()),
		))
	f.add(e.told("ID is what the client calls itself, to be stored by a program that wants to go on as the same client."),
		Func().Params(Id("c").Op("*").Add(e.own("Conn"))).Id("ID").Params().String().Add(inline(Return(Id("c").Dot("Store").Dot("replicas").Dot("Client").Call()))))
	f.add(e.told("Sequence is the number of the client's latest action, to be stored with its id."),
		Func().Params(Id("c").Op("*").Add(e.own("Conn"))).Id("Sequence").Params().Int64().Add(inline(Return(Id("c").Dot("Store").Dot("replicas").Dot("Sequence").Call()))))
	e.connDispatch(f, s)
	e.keeper(f, s)
}

// connDispatch prints how an action is dispatched over the connection.
func (e *emitter) connDispatch(f *jenFile, s *golang.Session) {
	d := e.pkg.Store.Dispatch
	f.add(e.told("Dispatch applies an action at once, where its channel is subscribed to, and sends it. What becomes of it, the view of the channel shows. Where the"+
		" connection is lost before the host has answered, the action is among those that Reconnected is told of as lost; so it is after an error that wraps rpc.ErrClosed."+
		" After any other error nothing has happened: the action is one of another kind of channel, or one that the agreed version does not know, or the context ended while there was no connection."+
		" What was dispatched on a channel without a state, nobody keeps count of."),
		Func().Params(Id("c").Op("*").Add(e.own("Conn"))).Id("Dispatch").Params(ctxParam(), Id("channel").String(), Id("action").Id(e.pkg.Store.Dispatchable.Name)).Error().Block(
			If(e.wire("IsNil").Call(Id("action"))).Block(Return(e.state("ErrForeignAction"))),
			Return(Id("c").Dot("InOrder").Call(Id("ctx"), Func().Params(Id("to").Add(e.rpc("Conn"))).Error().Block(
				Id("client").Op(":=").Id(s.Client.New).Call(Id("to")),
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
	f.add(e.told("keeper says what a client owes a host, in the words of the protocol."), Type().Id("keeper").Struct(
		Id("options").Add(e.own("ConnOptions")),
		Id("id").String(),
		Id("store").Op("*").Add(e.own("Store")),
	))
	e.keeperProtocol(f, s)
	e.keeperOpen(f, s)
	e.keeperResume(f, s)
	e.keeperSubscribe(f, s)
	f.Line()
	f.Add(onKeeper("ready").Params(e.to()...).Error().Block(
		If(keeperOption("Ready").Op("==").Nil()).Block(Return(Nil())),
		Return(keeperOption("Ready").Call(Id("ctx"), e.clientTo(s))),
	))
}

// onKeeper starts a method, and keeperOption is an option of the connection in it.
func onKeeper(name string) *Statement     { return Func().Params(Id("k").Op("*").Id("keeper")).Id(name) }
func keeperOption(name string) *Statement { return Id("k").Dot("options").Dot(name) }

// to are the parameters that say to whom something is sent, and clientTo is what sends it in the protocol's words.
func (e *emitter) to(more ...Code) []Code {
	return append([]Code{ctxParam(), Id("to").Add(e.rpc("Conn"))}, more...)
}

func (e *emitter) clientTo(s *golang.Session) *Statement {
	return Id(s.Client.New).Call(Id("to"))
}

func (e *emitter) keeperProtocol(f *jenFile, s *golang.Session) {
	options := keeperOption
	envelope := structOf(s.Action.Params).Name
	f.Line()
	f.Add(onKeeper("protocol").Params().Add(e.connPkg("Protocol")).Block(
		Id("handlers").Op(":=").New(Id(s.Client.Handlers)),
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
}

func (e *emitter) keeperOpen(f *jenFile, s *golang.Session) {
	options, h := keeperOption, s.Negotiate
	f.add(e.told("open introduces the client."), onKeeper("open").Params(e.to(Id("channels").Index().String(), Id("again").Bool())...).
		Params(String(), e.connPkg("Take"), Error()).Block(
		Var().Id("p").Id(structOf(s.Open.Params).Name),
		If(options("Opening").Op("!=").Nil()).Block(Id("p").Op("=").Op("*").Add(options("Opening"))),
		List(Id("p").Dot(s.Open.Client.Name), Id("p").Dot(s.Open.Subscriptions.Name)).Op("=").List(Id("k").Dot("id"), Id("channels")),
		If(Id("p").Dot(h.Offer.Name).Op("==").Nil()).Block(Id("p").Dot(h.Offer.Name).Op("=").Add(e.own("SupportedVersions")).Call()),
		List(Id("r"), Err()).Op(":=").Add(e.clientTo(s)).Dot(s.Open.Name).Call(Id("ctx"), Op("&").Id("p")),
		If(List(Id("_"), Err()).Op("=").Add(e.connPkg("Salvage")).Call(Err()), Err().Op("!=").Nil()).Block(Return(Lit(""), Nil(), Err())),
		Return(Id("r").Dot(h.Answer.Name), Func().Params().Params(e.connPkg("Taken"), Error()).Block(
			List(Id("cost"), Err()).Op(":=").Id("k").Dot("store").Dot("Reset").Call(Id("r").Dot(s.Open.Snapshots.Name)),
			If(Err().Op("!=").Nil()).Block(Return(e.connPkg("Taken").Values(), Err())),
			If(options("Opened").Op("!=").Nil()).Block(options("Opened").Call(Id("r"))),
			If(Id("again").Op("&&").Add(options("Reconnected")).Op("!=").Nil()).Block(options("Reconnected").Call(Id("cost"))),
			Return(e.connPkg("Taken").Values(), Nil()).Comment("what is gone is asked for once more"),
		), Nil()),
	))
}

func (e *emitter) keeperResume(f *jenFile, s *golang.Session) {
	options := keeperOption
	places := []Code{text(e.pkg.Store.Envelope.Channel.Wire)} // where an item says its channel
	if e.pkg.Store.Snapshot.Channel.Wire != e.pkg.Store.Envelope.Channel.Wire {
		places = append(places, text(e.pkg.Store.Snapshot.Channel.Wire))
	}
	f.add(e.told("resume takes up a connection that was lost."), onKeeper("resume").Params(e.to(Id("channels").Index().String())...).
		Params(e.connPkg("Take"), Error()).Block(
		List(Id("r"), Err()).Op(":=").Add(e.clientTo(s)).Dot(s.Resume.Name).Call(Id("ctx"), Op("&").Id(structOf(s.Resume.Params).Name).Values(Dict{
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
}

func (e *emitter) keeperSubscribe(f *jenFile, s *golang.Session) {
	snapshot := Op("&").Id("r").Dot(s.Subscribe.Snapshot.Name)
	stateless := Null()
	if s.Subscribe.Snapshot.Pointer {
		snapshot = Id("r").Dot(s.Subscribe.Snapshot.Name)
		stateless = If(Id("r").Dot(s.Subscribe.Snapshot.Name).Op("==").Nil()).Block(
			Id("k").Dot("store").Dot("Unsubscribe").Call(Id("channel")).Comment("it has no state"),
			Return(Nil()),
		)
	}
	f.add(e.told("subscribe gets the state of a channel."), onKeeper("subscribe").Params(e.to(Id("channel").String())...).Error().Block(
		List(Id("_"), Id("had")).Op(":=").Id("k").Dot("store").Dot("View").Call(Id("channel")),
		Id("k").Dot("store").Dot("Await").Call(Id("channel")),
		List(Id("r"), Err()).Op(":=").Add(e.clientTo(s)).Dot(s.Subscribe.Name).Call(Id("ctx"), Op("&").Id(structOf(s.Subscribe.Params).Name).Values(Dict{Id(s.Subscribe.Channel.Name): Id("channel")})),
		If(Err().Op("!=").Nil()).Block(
			If(Op("!").Id("had").Op("||").Add(e.connPkg("Refused")).Call(Err())).Block(Id("k").Dot("store").Dot("Unsubscribe").Call(Id("channel"))),
			Return(Err()),
		),
		stateless,
		Return(Id("k").Dot("store").Dot("Subscribe").Call(snapshot)),
	))
	f.add(e.told("unsubscribe ends a subscription."), onKeeper("unsubscribe").Params(e.to(Id("channel").String())...).Error().Block(
		Return(e.clientTo(s).Dot(s.Unsubscribe.Name).Call(Id("ctx"), Op("&").Id(structOf(s.Unsubscribe.Params).Name).Values(Dict{Id(s.UnsubscribeChannel.Name): Id("channel")}))),
	))
}

func contextOnly() *Statement { return Qual(contextPath, "Context") }
