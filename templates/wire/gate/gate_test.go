package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/gate"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/typed"
)

func TestAdvertised(t *testing.T) {
	const said = `{"can": {"run": true, "stop": false, "write": {}, "read": null, "no": "yes", "some": [1], "none": [ ], "n": 1, "a.b": true}, "\u0063alm": true}`
	for path, want := range map[string]bool{
		"can.run": true, "can.stop": false, "can.write": true, "can.read": false, "can.no": false, "can.some": true, "can.none": false, "can.n": false,
		"can": true, "can.run.more": false, "can.other": false, "other": false, "other.run": false, "can.write.x": false, "calm": true, "can.a.b": false,
	} {
		require.Equal(t, want, gate.Advertised([]byte(said), path), path)
	}
	for _, said := range []string{``, `null`, `[]`, `{"can": tru`, `{`} {
		require.False(t, gate.Advertised([]byte(said), "can"), said)
	}
}

var gates = &gate.Gates{
	Method: "open", Opens: true,
	Methods: map[string]string{"load": "can.load", "note": "can.note"},
	Values: []gate.Value{
		{Method: "say", Member: "parts[].kind", Is: "image", Needs: "can.images"},
		{Method: "say", Member: "more.folders", Needs: "can.folders"},
		{Method: "note", Member: "lists[].items[].kind", Is: "x", Needs: "can.x"},
	},
}

// params are JSON.
type params string

func (p params) AppendJSON(dst []byte) ([]byte, error) { return append(dst, p...), nil }

// recorded is a connection that only notes what is sent.
type recorded struct {
	sent   []string
	answer string
}

func (r *recorded) Call(_ context.Context, method string, p json.RawMessage) (json.RawMessage, error) {
	r.sent = append(r.sent, method+string(p))
	if r.answer == "" {
		return nil, errors.New("broken")
	}
	return json.RawMessage(r.answer), nil
}

func (r *recorded) Notify(_ context.Context, method string, p json.RawMessage) error {
	r.sent = append(r.sent, method+string(p))
	return nil
}

var table = &spec.Table{Since: func(string) (string, bool) { return "1.0.0", true }, Extension: "_"}

func call(t *testing.T, l typed.Link, method, p string) error {
	t.Helper()
	return typed.CallNoResult(t.Context(), l, method, params(p))
}

func TestNothingIsSentThatThePeerHasNotAdvertised(t *testing.T) {
	conn := &recorded{}
	guard := gate.New(gates, conn)
	link := typed.NewLink(conn, table).Guarded(guard)
	refused := func(err error, want string) {
		t.Helper()
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, gate.ErrNotAdvertised)
		require.Empty(t, conn.sent)
	}
	refused(call(t, link, "load", `{}`), "load: can.load is not advertised by the peer") // it has said nothing yet
	refused(typed.Notify(t.Context(), link, "note", params(`{}`)), "note: can.note is not advertised by the peer")
	refused(call(t, link, "say", `{"parts": [{"kind": "text"}, {"kind": "im\u0061ge"}]}`), `say: "image" at parts[].kind: can.images is not advertised by the peer`)
	refused(call(t, link, "say", `{"more": {"folders": ["/"]}}`), `say: more.folders: can.folders is not advertised by the peer`)
	require.False(t, guard.Supports("load"))
	require.True(t, guard.Supports("say"))

	require.Error(t, call(t, link, "open", `{}`), "an introduction that fails says nothing")
	conn.sent, conn.answer = nil, `{"can": {"load": true, "images": {}}}`
	require.NoError(t, call(t, link, "open", `{}`))
	require.NoError(t, call(t, link, "load", `{}`))
	require.NoError(t, call(t, link, "say", `{"parts": [{"kind": "image"}], "more": {"folders": []}}`))
	require.NoError(t, call(t, link, "say", `{"more": {"folders": null}, "parts": {"kind": "image"}}`))
	_, err := link.CallExtension(t.Context(), "_own", nil)
	require.NoError(t, err)
	require.True(t, guard.Supports("load"))
	require.Len(t, conn.sent, 5)
	var missing *gate.Error
	require.ErrorAs(t, call(t, link, "say", `{"more": {"folders": {"a": 1}}}`), &missing)
	require.Equal(t, &gate.Error{Method: "say", Value: "more.folders", Capability: "can.folders"}, missing)
	at, err := link.AtVersion("1.0.0")
	require.NoError(t, err)
	require.ErrorIs(t, typed.Notify(t.Context(), at, "note", params(`{}`)), gate.ErrNotAdvertised, "a link at a version has the guard as well")
}

// host is a handler with an introduction.
type host struct{ hooks rpc.Hooks }

func (host) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, table) }

func (h host) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	return h.hooks.Serve(ctx, m, func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if string(m.Params) == `{"bad":1}` {
			return nil, rpc.InvalidParams
		}
		return json.RawMessage(`{"can":{"load":true}}`), nil
	})
}

func TestBothSidesOfAConnectionKeepWhatThePeerHasSaid(t *testing.T) {
	a, b := net.Pipe()
	here, there := rpc.NewPeer(rpc.Stream(a), nil), rpc.NewPeer(rpc.Stream(b), nil)
	go func() { _ = here.Serve(context.WithoutCancel(t.Context()), nil) }()
	go func() { _ = there.Serve(context.WithoutCancel(t.Context()), host{rpc.Hooks{Introduction: "open"}}) }()
	defer func() { _, _ = here.Close(), there.Close() }()
	back := *gates
	back.Opens = false
	serves := gate.New(&back, there)
	opens := typed.NewLink(here, table).Guarded(gate.New(gates, here))
	require.Error(t, call(t, opens, "open", `{"bad":1}`))
	require.Nil(t, there.Introduction(), "it was refused")
	require.NoError(t, call(t, opens, "other", `{"can":{"note":true}}`))
	require.NoError(t, call(t, opens, "open", `{"can":{"load":true}}`))
	require.NoError(t, call(t, opens, "load", `{}`))
	require.True(t, serves.Supports("load"))
	require.False(t, serves.Supports("note"))
	require.ErrorIs(t, typed.Notify(t.Context(), typed.NewLink(there, table).Guarded(serves), "note", params(`{}`)), gate.ErrNotAdvertised)
}

var _ wire.Appender = params("")
