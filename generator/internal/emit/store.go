// The store: what turns the protocol's messages into calls of the replicas in the runtime.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

func (e *emitter) store(f *jenFile) {
	s := e.pkg.Store
	if s == nil {
		return
	}
	e.storeType(f, s)
	e.storeSubscriptions(f, s)
	e.storeViews(f, s)
	e.storeActions(f, s)
	e.storeReconnect(f, s)
	e.storeHelpers(f, s)
}

// onStore starts a method.
func (e *emitter) onStore(name string) *Statement {
	return Func().Params(Id("s").Op("*").Add(e.own("Store"))).Id(name)
}

// view is the type of a view of states of one type.
func (e *emitter) view(state Code) *Statement { return e.state("View").Types(state) }

// replicas calls a method of the replicas.
func replicas(method string, args ...Code) *Statement {
	return Id("s").Dot("replicas").Dot(method).Call(args...)
}

func (e *emitter) storeType(f *jenFile, s *golang.Store) {
	f.add(e.lines(
		e.pkg.Own("Store")+" holds a client's copies of the states that it has subscribed to, over one connection and those",
		"that take it up again. The client's own actions are applied at once and stay pending until the host",
		"answers; when it refuses one, or other actions come before it, the states are made anew.",
		"",
		"Hand everything over in the order in which the connection brings it. All methods may be called by",
		"several goroutines at a time. Those that return views never wait for those that change something.",
		"States and actions belong to everybody who has them: do not change them.",
	), Type().Add(e.own("Store")).Struct(
		Id("replicas").Op("*").Add(e.state("Replicas")).Types(e.anyState(), Id(s.Action.Name)),
	))
	f.add(e.lines(
		e.pkg.Own("NewStore")+" returns an empty store. The id is the one that the client gives the host, and no other client",
		"or earlier process has it. The reducer may be nil.",
	), Func().Add(e.own("NewStore")).Params(Id("clientID").String(), Id("r").Op("*").Add(e.own("Reducer"))).Op("*").Add(e.own("Store")).Block(
		If(Id("r").Op("==").Nil()).Block(Id("r").Op("=").New(e.own("Reducer"))),
		Return(Op("&").Add(e.own("Store")).Values(e.state("NewReplicas").Call(Id("clientID"), Id("r").Dot("Apply")))),
	))
}

func (e *emitter) storeSubscriptions(f *jenFile, s *golang.Store) {
	f.add(e.lines(
		"Await keeps the envelopes of a channel until its snapshot is there. Call it before asking the host for",
		"the subscription: envelopes may overtake the snapshot on their way through the client. Where the host",
		"refuses, call Unsubscribe. Of envelopes that are too many none is kept, which state.Overflowed says.",
	), e.onStore("Await").Params(Id("channel").String()).Block(replicas("Await", Id("channel"))))
	f.add(e.lines(
		"Subscribe takes the snapshot that a subscription starts with. For a channel that the store has already",
		"it counts where it is newer, and what is pending stays pending. After state.ErrSnapshotTooOld the channel is",
		"still awaited: ask the host for the subscription once more.",
	), e.onStore("Subscribe").Params(Id("snapshot").Op("*").Id(s.Snapshot.Type.Name)).Error().Block(
		List(Id("channel"), Id("now"), Id("err")).Op(":=").Id("snapshotOf").Call(Id("snapshot")),
		If(Id("err").Op("!=").Nil()).Block(Return(Id("err"))),
		Return(replicas("Subscribe", Id("channel"), Id("now").Dot("State"), Id("now").Dot("Sequence"))),
	))
	f.add(e.lines("Unsubscribe forgets a channel and ends what watches it."),
		e.onStore("Unsubscribe").Params(Id("channel").String()).Block(replicas("Unsubscribe", Id("channel"))))
	f.add(e.lines("Subscriptions lists the channels that the store has, sorted: those to ask for when connecting again."),
		e.onStore("Subscriptions").Params().Index().String().Block(Return(replicas("Subscriptions"))))
	f.add(e.lines("LastSeen is the sequence number after which the host has to replay when connecting again."),
		e.onStore("LastSeen").Params().Int64().Block(Return(replicas("LastSeen"))))
}

func (e *emitter) storeViews(f *jenFile, s *golang.Store) {
	f.add(e.lines("View returns the state of a channel, and whether the store has it."),
		e.onStore("View").Params(Id("channel").String()).Params(e.view(e.anyState()), Bool()).Block(Return(replicas("View", Id("channel")))))
	for _, c := range s.Channels {
		f.add([]string{c.Method + " is View for " + c.Channel + " channels. A channel of another kind counts as one that is not there."},
			e.onStore(c.Method).Params(Id("channel").String()).Params(e.view(Op("*").Id(c.State.Name)), Bool()).Block(
				List(Id("v"), Id("_")).Op(":=").Add(replicas("View", Id("channel"))),
				Return(e.state("ViewAs").Types(Op("*").Id(c.State.Name)).Call(Id("v"))),
			))
	}
	f.add(e.lines(
		"Watch returns a channel that brings the view of a state now and after each change. Whoever is slower",
		"than the changes gets the latest and misses those before; the store never waits. It is closed by stop, and",
		"where the subscription ends; where there is none, at once.",
	), e.onStore("Watch").Params(Id("channel").String()).
		Params(Id("views").Op("<-").Chan().Add(e.view(e.anyState())), Id("stop").Func().Params()).
		Block(Return(replicas("Watch", Id("channel")))))
}

func (e *emitter) storeActions(f *jenFile, s *golang.Store) {
	d, env := s.Dispatch, s.Envelope
	f.add(e.lines(
		"Dispatch applies an action to the optimistic state and returns what to send. Send in the order of the",
		"client's numbers. The errors are state.ErrNotSubscribed and state.ErrForeignAction; then nothing has changed.",
	), e.onStore("Dispatch").Params(Id("channel").String(), Id("action").Id(s.Dispatchable.Name)).Params(Op("*").Id(d.Type.Name), Error()).Block(
		List(Id("confirmed"), Id("ok")).Op(":=").Add(replicas("Confirmed", Id("channel"))),
		If(Op("!").Id("ok")).Block(Return(Nil(), e.state("ErrNotSubscribed"))),
		If(e.wire("IsNil").Call(Id("action")).Op("||").Op("!").Id("actsOn").Call(Id("action"), Id("confirmed"))).Block(Return(Nil(), e.state("ErrForeignAction"))),
		List(Id("sequence"), Id("err")).Op(":=").Add(replicas("Dispatch", Id("channel"), Id("action"))),
		If(Id("err").Op("!=").Nil()).Block(Return(Nil(), Id("err"))),
		Return(Op("&").Id(d.Type.Name).Values(Dict{
			Id(d.Channel.Name): Id("channel"), Id(d.Action.Name): Id("action"), Id(d.ClientSequence.Name): Id("sequence"),
		}), Nil()),
	))
	f.add(e.lines(
		"Receive takes an envelope and says what became of it. After state.Rejected the envelope has the action and",
		"the reason to tell the user. No envelope, nil, is one of an unknown channel; one without an action changes",
		"no state.",
	), e.onStore("Receive").Params(Id("envelope").Op("*").Id(env.Type.Name)).Add(e.state("Outcome")).Block(
		If(Id("envelope").Op("==").Nil()).Block(Return(e.state("UnknownChannel"))),
		Return(replicas("Receive", Id("received").Call(Id("envelope")))),
	))
}

func (e *emitter) storeReconnect(f *jenFile, s *golang.Store) {
	r := s.Reconnect
	f.add(e.lines(e.pkg.Own("Reconnection")+" says what a lost connection has cost."), Type().Add(e.own("Reconnection")).StructFunc(func(g *Group) {
		e.field(g, "Rejected", Index().Op("*").Id(s.Envelope.Type.Name), "Rejected are the client's own actions that the host refused meanwhile.")
		e.field(g, "Lost", Index().Op("*").Id(s.Dispatch.Type.Name), "Lost are the client's own actions without an answer, none of which is pending any more. The host never", "got them where it replayed what was missed. Where it sent snapshots, these may have them.")
		e.field(g, "Gone", Index().String(), "Gone are the channels that have ended, sorted where the host did not list them.")
		e.field(g, "Replayed", Bool(), "Replayed says that the host sent what was missed, and not new states.")
		e.field(g, "Missed", Index().Op("*").Id(s.Envelope.Type.Name), "Missed are the envelopes that the host replayed, and Outcomes what became of each.")
		g.Id("Outcomes").Index().Add(e.state("Outcome"))
	}))
	f.add(e.lines(
		"Reconnected takes the host's answer to a client that has come back: what was missed, or new states. Nothing",
		"is pending afterwards. Hand over what the new connection brings only then, and nothing more of the old one.",
	), e.onStore("Reconnected").Params(Id("result").Id(r.Type.Name)).Params(Op("*").Add(e.own("Reconnection")), Error()).Block(
		If(e.wire("IsNil").Call(Id("result"))).Block(Return(Nil(), Qual("errors", "New").Call(Lit("cannot reconnect by nothing")))),
		Switch(Id("result").Op(":=").Id("result").Assert(Type())).Block(
			Case(Op("*").Id(r.Replay.Name)).Block(Return(Id("s").Dot("replay").Call(
				Id("result").Dot(r.Envelopes.Name), Id("result").Dot(r.Missing.Name)), Nil())),
			Case(Op("*").Id(r.Restart.Name)).Block(Return(Id("s").Dot("Reset").Call(Id("result").Dot(r.Snapshots.Name)))),
			Default().Block(Return(Nil(), Qual("fmt", "Errorf").Call(Lit("cannot reconnect by %T"), Id("result")))), // the union may have others
		),
	))
	f.add(e.lines(
		"Reset starts over with snapshots. Channels without one end, and nothing is pending afterwards. Where a snapshot",
		"holds no state, the error is state.ErrNoState and nothing has changed.",
	), e.onStore("Reset").Params(Id("snapshots").Index().Id(s.Snapshot.Type.Name)).Params(Op("*").Add(e.own("Reconnection")), Error()).Block(
		Id("states").Op(":=").Make(Map(String()).Add(e.state("Snapshot")).Types(e.anyState()), Len(Id("snapshots"))),
		For(Id("i").Op(":=").Range().Id("snapshots")).Block(
			List(Id("channel"), Id("now"), Id("err")).Op(":=").Id("snapshotOf").Call(Op("&").Id("snapshots").Index(Id("i"))),
			If(Id("err").Op("!=").Nil()).Block(Return(Nil(), Id("err"))),
			Id("states").Index(Id("channel")).Op("=").Id("now"),
		),
		List(Id("gone"), Id("lost")).Op(":=").Add(replicas("Restarted", Id("states"))),
		Return(Op("&").Add(e.own("Reconnection")).Values(Dict{Id("Lost"): Id("unsent").Call(Id("lost")), Id("Gone"): Id("gone")}), Nil()),
	))
	f.add(nil, e.onStore("replay").Params(Id("missed").Index().Id(s.Envelope.Type.Name), Id("missing").Index().String()).Op("*").Add(e.own("Reconnection")).Block(
		Id("list").Op(":=").Make(Index().Add(e.state("Received")).Types(Id(s.Action.Name)), Len(Id("missed"))),
		For(Id("i").Op(":=").Range().Id("missed")).Block(
			Id("list").Index(Id("i")).Op("=").Id("received").Call(Op("&").Id("missed").Index(Id("i"))),
		),
		List(Id("outcomes"), Id("gone"), Id("lost")).Op(":=").Add(replicas("Replayed", Id("list"), Id("missing"))),
		Id("out").Op(":=").Op("&").Add(e.own("Reconnection")).Values(Dict{Id("Lost"): Id("unsent").Call(Id("lost")), Id("Gone"): Id("gone"), Id("Outcomes"): Id("outcomes"), Id("Replayed"): True()}),
		For(List(Id("i"), Id("outcome")).Op(":=").Range().Id("outcomes")).Block(
			Id("out").Dot("Missed").Op("=").Append(Id("out").Dot("Missed"), Op("&").Id("missed").Index(Id("i"))),
			If(Id("outcome").Op("==").Add(e.state("Rejected"))).Block(
				Id("out").Dot("Rejected").Op("=").Append(Id("out").Dot("Rejected"), Op("&").Id("missed").Index(Id("i"))),
			),
		),
		Return(Id("out")),
	))
}

// stateOf prints what reads the state of a snapshot. What is no state of a channel is none at all.
func (e *emitter) stateOf(s *golang.Store) *Statement {
	held := Id("snapshot").Dot(s.Snapshot.State.Name)
	if s.Snapshot.Any {
		return Id("now").Op(":=").Add(held)
	}
	return List(Id("now"), Id("_")).Op(":=").Add(held).Assert(e.anyState())
}

func (e *emitter) storeHelpers(f *jenFile, s *golang.Store) {
	d := s.Dispatch
	f.add(e.lines("unsent is what was sent, or was about to be, for actions that got no answer."),
		Func().Id("unsent").Params(Id("lost").Index().Add(e.state("Lost")).Types(Id(s.Action.Name))).Index().Op("*").Id(d.Type.Name).Block(
			Var().Id("out").Index().Op("*").Id(d.Type.Name),
			For(List(Id("_"), Id("l")).Op(":=").Range().Id("lost")).Block(
				Id("out").Op("=").Append(Id("out"), Op("&").Id(d.Type.Name).Values(Dict{
					Id(d.Channel.Name): Id("l").Dot("Channel"), Id(d.Action.Name): dispatched(s), Id(d.ClientSequence.Name): Id("l").Dot("Sequence"),
				})),
			),
			Return(Id("out")),
		))
	f.add(e.lines("snapshotOf reads a snapshot."),
		Func().Id("snapshotOf").Params(Id("snapshot").Op("*").Id(s.Snapshot.Type.Name)).
			Params(Id("channel").String(), Id("out").Add(e.state("Snapshot")).Types(e.anyState()), Id("err").Error()).Block(
			If(Id("snapshot").Op("==").Nil()).Block(Return(Lit(""), Id("out"), e.state("ErrNoState"))),
			e.stateOf(s),
			If(e.wire("IsNil").Call(Id("now"))).Block(
				Return(Lit(""), Id("out"), e.wire("Within").Call(Id("snapshot").Dot(s.Snapshot.Channel.Name), e.state("ErrNoState"))),
			),
			Return(Id("snapshot").Dot(s.Snapshot.Channel.Name), e.state("Snapshot").Types(e.anyState()).Values(Id("State").Op(":").Id("now"), Id("Sequence").Op(":").Id("snapshot").Dot(s.Snapshot.Sequence.Name)), Nil()),
		))
	e.received(f, s)
	f.add(e.lines("actsOn reports whether an action is one for the state."),
		Func().Id("actsOn").Params(Id("a").Id(s.Action.Name), Id("now").Add(e.anyState())).Params(Id("ok").Bool()).Block(
			Switch(Id("now").Assert(Type())).BlockFunc(func(g *Group) {
				for _, c := range s.Channels {
					g.Case(Op("*").Id(c.State.Name)).Block(List(Id("_"), Id("ok")).Op("=").Id("a").Assert(Id(c.Union.Name)))
				}
			}),
			Return(Id("ok")),
		))
}

// dispatched is an action of the client as it was dispatched.
func dispatched(s *golang.Store) *Statement {
	action := Id("l").Dot("Action")
	if s.Dispatchable != s.Action {
		return action.Assert(Id(s.Dispatchable.Name))
	}
	return action
}

func (e *emitter) received(f *jenFile, s *golang.Store) {
	env := s.Envelope
	client := []Code{
		Id("in").Dot("Dispatched").Op("=").True(),
		Id("in").Dot("Client").Op("=").Add(value("e", env.Client)),
		Id("in").Dot("ClientSequence").Op("=").Add(value("e", env.ClientSequence)),
	}
	if len(env.Present) > 0 {
		there := Null()
		for i, at := range env.Present {
			if i > 0 {
				there.Op("&&")
			}
			there.Add(below(Id("e"), at)).Op("!=").Nil()
		}
		client = []Code{If(there).Block(client...)}
	}
	f.add(e.lines("received reads an envelope."),
		Func().Id("received").Params(Id("e").Op("*").Id(env.Type.Name)).Params(Id("in").Add(e.state("Received")).Types(Id(s.Action.Name))).Block(append(append([]Code{
			Id("in").Op("=").Add(e.state("Received")).Types(Id(s.Action.Name)).Values(Dict{
				Id("Channel"): Id("e").Dot(env.Channel.Name), Id("Action"): Id("e").Dot(env.Action.Name), Id("Sequence"): Id("e").Dot(env.Sequence.Name),
				Id("Rejected"): Id("e").Dot(env.Rejection.Name).Op("!=").Nil(),
			}),
		}, client...), Return(Id("in")))...))
}

// value is what a path leads to, behind a pointer or not.
func value(of string, path []*golang.Field) *Statement {
	at := below(Id(of), path)
	if path[len(path)-1].Pointer {
		return Op("*").Add(at)
	}
	return at
}
