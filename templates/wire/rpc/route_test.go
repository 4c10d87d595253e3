package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
)

// routing is a transport that notes which request each message belongs to.
type routing struct {
	in   chan string
	out  chan string
	fail func(id json.RawMessage, err error)
}

func (r *routing) Read(int64) ([]byte, error) {
	text, ok := <-r.in
	if !ok {
		return nil, io.EOF
	}
	return []byte(text), nil
}

func (r *routing) Write(ctx context.Context, message []byte) error {
	r.out <- fmt.Sprintf("%s: %s", RequestOf(ctx), message)
	return nil
}

func (r *routing) Close(string) error { return nil }

func (r *routing) OnFailure(f func(id json.RawMessage, err error)) { r.fail = f }

func newRouting() *routing { return &routing{in: make(chan string, 10), out: make(chan string, 10)} }

func TestATransportKnowsWhichRequestAMessageBelongsTo(t *testing.T) {
	through := newRouting()
	peer := NewPeer(Wrapped{through}, nil)
	defer peer.Close()
	answer := make(chan bool)
	h := &handlers{open: func(ctx context.Context, p *noteParams) (*noteParams, error) {
		if CallerOf(ctx) != Conn(peer) {
			t.Error("the caller is the peer")
		}
		check(t, CallerOf(WithCaller(ctx, Local(nil))), Local(nil), "the nearest one counts")
		check(t, CallerOf(ctx).Notify(ctx, "during", nil), error(nil))
		check(t, peer.Notify(context.Background(), "beside", nil), error(nil))
		AfterReply(ctx, func(ctx context.Context) { check(t, peer.Notify(ctx, "behind", nil), error(nil)) })
		go func() { _, _ = peer.Call(ctx, "asked", nil) }()
		<-answer
		return p, nil
	}}
	go func() { _ = peer.Serve(context.Background(), batched{h}) }()
	through.in <- `{"jsonrpc":"2.0","id":"a","method":"open","params":{"text":"x"}}`
	check(t, <-through.out, `"a": {"jsonrpc":"2.0","method":"during"}`)
	check(t, <-through.out, `: {"jsonrpc":"2.0","method":"beside"}`)
	check(t, <-through.out, `"a": {"jsonrpc":"2.0","id":1,"method":"asked"}`)
	close(answer)
	check(t, <-through.out, `"a": {"jsonrpc":"2.0","id":"a","result":{"text":"x"}}`)
	check(t, <-through.out, `"a": {"jsonrpc":"2.0","method":"behind"}`)
	through.in <- `{"jsonrpc":"2.0","id":2}`
	check(t, <-through.out, `: {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method: missing"}}`)
	through.in <- `[{"jsonrpc":"2.0","id":7,"method":"x"}]`
	check(t, <-through.out, `7: [{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method not found: \"x\""}}]`)
}

// counted counts what is received.
type counted int

func (*counted) Sent(*Message) (keep bool, err error) { return true, nil }

func (n *counted) Received(*Message) (keep bool, err error) {
	*n++
	return true, nil
}

func TestACallFailsAlone(t *testing.T) {
	through := newRouting()
	peer := NewPeer(Wrapped{through}, nil)
	translated := new(counted)
	peer.Translate(translated)
	go func() { _ = peer.Serve(context.Background(), nil) }()
	defer peer.Close()
	first := make(chan error, 1)
	go func() {
		_, err := peer.Call(context.Background(), "x", nil)
		first <- err
	}()
	<-through.out
	through.fail(json.RawMessage("1"), io.ErrUnexpectedEOF)
	through.fail(json.RawMessage("1"), io.ErrUnexpectedEOF) // no call waits any more
	if err := <-first; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the call has the error: %v", err)
	}
	go func() {
		<-through.out
		through.in <- `{"jsonrpc":"2.0","id":2,"result":5}`
	}()
	got, err := peer.Call(context.Background(), "y", nil)
	check(t, string(got), "5")
	check(t, err, error(nil), "the connection goes on")
	check(t, int(*translated), 1, "nothing was received of the call that failed")
}
