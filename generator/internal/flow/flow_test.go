// Tests of who sends what.

package flow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/flow"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func object(name string, holds ...protocol.Expr) *protocol.Struct {
	s := &protocol.Struct{Header: protocol.Header{Name: name}}
	for _, e := range holds {
		s.Fields = append(s.Fields, &protocol.Field{Name: "f", Type: e})
	}
	return s
}

func ref(t protocol.Type) protocol.Expr { return protocol.Ref{Type: t} }

var (
	up   = flow.Only(flow.ClientToHost)
	down = flow.Only(flow.HostToClient)
)

func TestMethods(t *testing.T) {
	inner, params, result := object("Inner"), object("Params"), object("Result")
	params.Fields = []*protocol.Field{{Name: "list", Type: protocol.List{Elem: protocol.Map{Elem: ref(inner)}}}}
	told := object("Told")
	for _, c := range []struct {
		from                   protocol.Side
		params, result, notice flow.Set
	}{
		{protocol.FromClient, up, down, up},
		{protocol.FromHost, down, up, down},
		{protocol.FromBoth, flow.Both, flow.Both, flow.Both},
	} {
		m := flow.Of(&protocol.Protocol{Methods: []*protocol.Method{
			{Name: "ask", From: c.from, Params: params, Result: result},
			{Name: "tell", From: c.from, Notification: true, Params: told},
		}})
		require.Equal(t, c.params, m.Directions(params), c.from)
		require.Equal(t, c.params, m.Directions(inner), "through lists and maps")
		require.Equal(t, c.result, m.Directions(result), c.from)
		require.Equal(t, c.notice, m.Directions(told), c.from)
		require.True(t, m.Known())
	}
}

// TestHostOnlyActions: a client's message holds the union of all actions, but host-only actions do not count as sent by clients.
func TestHostOnlyActions(t *testing.T) {
	why := object("Why")
	on, off := object("On"), object("Off", ref(why))
	all := &protocol.Union{Variants: []*protocol.Variant{{Type: ref(on)}, {Type: ref(off)}}}
	dispatch, envelope := object("Dispatch", ref(all)), object("Envelope", ref(all))
	p := &protocol.Protocol{
		Actions: &protocol.ActionSet{Union: all, Client: &protocol.Union{}, Actions: []*protocol.Action{
			{Type: "on", Struct: on, Client: true}, {Type: "off", Struct: off},
		}},
		Methods: []*protocol.Method{
			{Name: "dispatch", From: protocol.FromClient, Notification: true, Params: dispatch},
			{Name: "action", From: protocol.FromHost, Notification: true, Params: envelope},
		},
	}
	m := flow.Of(p)
	require.Equal(t, flow.Both, m.Directions(all))
	require.Equal(t, flow.Both, m.Directions(on))
	require.Equal(t, down, m.Directions(off))
	require.Equal(t, down, m.Directions(why), "what only such an action holds")
	require.Equal(t, "params of dispatch", m.Via(on, flow.ClientToHost))
}

// TestSharedChannels: what goes both ways carries of a client's just the channels that it may hold.
func TestSharedChannels(t *testing.T) {
	watch, lamp := object("Watch"), object("Lamp")
	seen, on := object("Seen"), object("On")
	states := &protocol.Union{Variants: []*protocol.Variant{{Type: ref(watch)}, {Type: ref(lamp)}}}
	all := &protocol.Union{Variants: []*protocol.Variant{{Type: ref(seen)}, {Type: ref(on)}}}
	shared := &protocol.Channel{Name: "watch", State: watch, Shared: true}
	hosts := &protocol.Channel{Name: "lamp", State: lamp}
	m := flow.Of(&protocol.Protocol{
		Channels: []*protocol.Channel{shared, hosts},
		Actions:  &protocol.ActionSet{Union: all, Actions: []*protocol.Action{{Type: "seen", Struct: seen, Channel: shared}, {Type: "on", Struct: on, Channel: hosts}}},
		Methods: []*protocol.Method{
			{Name: "subscribe", From: protocol.FromBoth, Params: object("P"), Result: object("Snapshot", ref(states))},
			{Name: "action", From: protocol.FromBoth, Notification: true, Params: object("Envelope", ref(all))},
		},
	})
	for _, both := range []protocol.Type{watch, seen, states, all} {
		require.Equal(t, flow.Both, m.Directions(both))
	}
	require.Equal(t, down, m.Directions(lamp))
	require.Equal(t, down, m.Directions(on))
}

func TestStateAndErrors(t *testing.T) {
	state, data := object("State"), object("Data")
	state.Fields = []*protocol.Field{{Name: "self", Type: ref(state)}} // a circle ends
	p := &protocol.Protocol{
		Channels: []*protocol.Channel{{Name: "lamp", State: state}, {Name: "logs"}},
		Errors:   []*protocol.ErrorCode{{Name: "Locked", Data: data}, {Name: "Busy"}},
	}
	require.Equal(t, down, flow.Of(p).Directions(state))
	require.Equal(t, down, flow.Of(p).Directions(data), "where nobody asks, the host is taken to answer")
	p.Methods = []*protocol.Method{{Name: "ask", From: protocol.FromHost}}
	require.Equal(t, up, flow.Of(p).Directions(data), "who is asked answers")
}

func TestPlainSchemasSayNothing(t *testing.T) {
	note := object("Note")
	m := flow.Of(&protocol.Protocol{Types: []protocol.Type{note}})
	require.False(t, m.Known())
	require.True(t, m.Directions(note).Empty())
}
