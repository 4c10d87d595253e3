package passthrough

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// inner is the protocol on the channel.
var inner = &spec.Table{
	Cancel:   &spec.Cancelling{Method: "cancelled", Member: "requestId"},
	Progress: &spec.Progressing{Method: "progress", Token: "token", Request: []string{"_meta", "token"}, Takes: func(string) bool { return true }},
}

// serving is a protocol made of functions by method.
type serving map[string]func(ctx context.Context, m *rpc.Message) (json.RawMessage, error)

func (serving) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, inner) }

func (s serving) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	if f := s[m.Method]; f != nil {
		return f(ctx, m)
	}
	return nil, m.NotFound()
}

// outer is the protocol with the channel.
type outer struct{ handle rpc.PassThroughHandler }

func (outer) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, &spec.Table{}) }

func (o outer) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	return o.handle(ctx, "x://1", m.Method, m.Params)
}

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

func soon[V any](t *testing.T, c <-chan V) (v V) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing comes")
	}
	return v
}

// pair returns two connected peers.
func pair(t *testing.T) (a, b *rpc.Peer) {
	t.Helper()
	here, there := net.Pipe()
	a, b = rpc.NewPeer(rpc.Stream(here), nil), rpc.NewPeer(rpc.Stream(there), nil)
	t.Cleanup(func() {
		_ = a.Close()
		_ = b.Close()
	})
	return a, b
}

// relay starts a server behind a relay.
func relay(t *testing.T, server rpc.Handler) *Relay {
	t.Helper()
	to, from := pair(t)
	r := &Relay{Server: to, Member: "channel", URI: "x://1", Table: inner, Answers: map[string]json.RawMessage{"ping": []byte(`{}`)}}
	go func() { _ = to.Serve(context.Background(), r) }()
	go func() { _ = from.Serve(context.Background(), server) }()
	return r
}

// join connects a client to a relay.
func join(t *testing.T, r *Relay, h rpc.Handler) *Channel {
	t.Helper()
	client, host := pair(t)
	c := New(client, "channel", "x://1")
	c.Handler, c.Answers = h, map[string]json.RawMessage{"initialize": []byte(`{"name":"server"}`)}
	go func() { _ = host.Serve(context.Background(), outer{r.Handle}) }()
	go func() { _ = client.Serve(context.Background(), outer{c.Handle}) }()
	return c
}

func TestARelayMapsIDsProgressAndCancelling(t *testing.T) {
	ended := make(chan error, 2)
	tokens := map[string]bool{}
	r := relay(t, serving{
		"work": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			var params struct {
				Channel *string
				N       json.Number
				Meta    struct {
					Token string
					Other int
				} `json:"_meta"`
			}
			check(t, json.Unmarshal(m.Params, &params), nil)
			check(t, params.Channel == nil, true, "the server knows of no channel")
			check(t, []any{params.N.String(), params.Meta.Other}, []any{"9007199254740993", 1})
			tokens[params.Meta.Token] = true
			caller := rpc.CallerOf(ctx)
			for range 3 {
				check(t, caller.Notify(ctx, "progress", []byte(`{"token":"`+params.Meta.Token+`","done":1}`)), nil)
			}
			check(t, caller.Notify(ctx, "changed", nil), nil)
			_, err := caller.Call(ctx, "ping", nil)
			check(t, err, nil)
			return caller.Call(ctx, "ask", []byte(`{"q":1}`))
		},
		"wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			m := rpc.HandledID(ctx)
			rpc.Async(ctx)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return m, ctx.Err()
		},
	})
	changed := make(chan string, 10)
	handler := serving{
		"ask":     func(_ context.Context, m *rpc.Message) (json.RawMessage, error) { return m.Params, nil },
		"changed": func(context.Context, *rpc.Message) (json.RawMessage, error) { changed <- "changed"; return nil, nil },
	}
	for _, c := range []*Channel{join(t, r, handler), join(t, r, handler)} {
		got, err := c.Call(t.Context(), "initialize", nil)
		check(t, string(got), `{"name":"server"}`, err)

		told := 0
		got, err = c.Call(t.Context(), "work", []byte(`{"n":9007199254740993,"_meta":{"token":"mine","other":1}}`))
		check(t, string(got), `{"q":1}`, err, "with a token of its own, whose progress the handler would get")
		ctx, params := rpc.PrepareCall(rpc.WithProgress(t.Context(), func(json.RawMessage) { told++ }), inner, "work", []byte(`{"n":9007199254740993,"_meta":{"other":1}}`))
		got, err = c.Call(ctx, "work", params)
		check(t, string(got), `{"q":1}`, err)
		check(t, told, 3)
		check(t, soon(t, changed), "changed")

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		ctx, _ = rpc.PrepareCall(ctx, inner, "wait", nil)
		_, err = c.Call(ctx, "wait", nil)
		check(t, errors.Is(err, context.DeadlineExceeded), true, err)
		check(t, soon(t, ended), rpc.ErrCancelled)

		_, err = c.Call(t.Context(), "work", []byte(`[]`))
		check(t, err != nil && strings.Contains(err.Error(), "are no object"), true, err)
		_, err = c.Call(t.Context(), "none", nil)
		check(t, errors.Is(err, rpc.MethodNotFound), true, err)
	}
	check(t, len(tokens), 4, "each request has a token of its own")
}

func TestAServerWhoseClientsHaveLeftIsAnswered(t *testing.T) {
	r := &Relay{Table: inner, Member: "channel"}
	_, err := r.ServeRPC(t.Context(), &rpc.Message{Kind: rpc.Request, Method: "ask"})
	check(t, errors.Is(err, rpc.MethodNotFound), true, err)
	c := New(nil, "channel", "x://1")
	_, err = c.Handle(t.Context(), "x://1", "ask", nil)
	check(t, errors.Is(err, rpc.MethodNotFound), true, err)
}

func TestARequestIsCancelledThoughAnotherOfItsIDHasEnded(t *testing.T) {
	goOn, began, ended := make(chan bool), make(chan bool, 2), make(chan error, 2)
	wait := func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		began <- true
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}
	r := relay(t, serving{"wait": wait, "end": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		began <- true
		<-goOn
		return []byte(`{}`), nil
	}})
	client, there := net.Pipe()
	host := rpc.NewPeer(rpc.Stream(there), nil)
	t.Cleanup(func() { _, _ = client.Close(), host.Close() })
	go func() { _ = host.Serve(context.Background(), outer{r.Handle}) }()
	says := func(line string) {
		_, err := client.Write([]byte(line + "\n"))
		check(t, err, nil)
	}
	says(`{"jsonrpc":"2.0","id":1,"method":"end","params":{"channel":"x://1"}}`)
	soon(t, began)
	says(`{"jsonrpc":"2.0","id":1,"method":"wait","params":{"channel":"x://1"}}`)
	soon(t, began)
	goOn <- true
	_, err := client.Read(make([]byte, 1000))
	check(t, err, nil)
	go func() { _, _ = client.Read(make([]byte, 1000)) }()
	time.Sleep(20 * time.Millisecond) // the first one has left by then
	says(`{"jsonrpc":"2.0","method":"cancelled","params":{"channel":"x://1","requestId":1}}`)
	select {
	case err := <-ended:
		check(t, err, rpc.ErrCancelled)
	case <-time.After(5 * time.Second):
		t.Fatal("it is not cancelled")
	}
}
