// What a connection does about peers, handlers and calls that do not end by themselves.

package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/typed"
)

// byHand is a peer that is spoken to in lines of JSON.
type byHand struct {
	t      *testing.T
	end    net.Conn
	lines  chan string
	served chan error
	peer   *rpc.Peer
}

func servedByHand(t *testing.T, o *rpc.Options, h rpc.Handler) *byHand {
	t.Helper()
	ours, theirs := sockets(t)
	b := &byHand{t: t, end: theirs, lines: make(chan string, 10_000), served: make(chan error, 1), peer: rpc.NewPeer(rpc.Stream(ours), o)}
	go func() { b.served <- b.peer.Serve(context.WithoutCancel(t.Context()), h) }()
	go func() {
		defer func() {
			_ = theirs.Close() // as peers do at the end: nobody has to wait for the other half
			close(b.lines)
		}()
		in := json.NewDecoder(theirs)
		for {
			var line json.RawMessage
			if in.Decode(&line) != nil {
				return
			}
			b.lines <- string(line)
		}
	}()
	t.Cleanup(func() { _, _ = b.peer.Close(), theirs.Close() })
	return b
}

func (b *byHand) says(lines ...string) {
	b.t.Helper()
	_, err := io.WriteString(b.end, strings.Join(lines, "\n")+"\n")
	require.NoError(b.t, err)
}

func (b *byHand) hears(want string) {
	b.t.Helper()
	require.JSONEq(b.t, want, soon(b.t, b.lines))
}

func request(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
}

func result(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":null}`, id) }

func TestAHandlerThatPanicsOrEndsItsGoroutineStopsNothing(t *testing.T) {
	bad := make(chan error, 10)
	b := servedByHand(t, &rpc.Options{OnBad: func(err error) { bad <- err }}, handler(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "exit" {
			runtime.Goexit()
		}
		if m.Method == "panic" {
			panic("ouch")
		}
		return null, nil
	}))
	b.says(request(1, "exit"), `{"jsonrpc":"2.0","method":"exit"}`, request(2, "panic"), request(3, "go on"))
	b.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the handler failed"}}`)
	b.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the handler failed"}}`)
	b.hears(result(3))
	require.EqualError(t, soon(t, bad), "the handler of exit ended its goroutine")
	require.EqualError(t, soon(t, bad), "the handler of exit ended its goroutine")
	require.EqualError(t, soon(t, bad), "the handler of panic panicked: ouch")
}

func TestAnAnswerThatComesLaterStandsWhereItIsGiven(t *testing.T) {
	type reply = func(json.RawMessage, error)
	later := make(chan reply, 1)
	b := servedByHand(t, nil, handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "later" {
			later <- rpc.DeferReply(ctx)
			require.Nil(t, rpc.DeferReply(ctx), "taken already")
			return nil, errors.New("goes nowhere")
		}
		return null, nil
	}))
	b.says(request(1, "later"), request(2, "soon"))
	b.hears(result(2))
	answer := soon(t, later)
	require.NoError(t, b.peer.Notify(t.Context(), "before", nil))
	answer(nil, nil)
	answer(nil, errors.New("a second answer is none"))
	require.NoError(t, b.peer.Notify(t.Context(), "after", nil))
	b.hears(`{"jsonrpc":"2.0","method":"before"}`)
	b.hears(result(1))
	b.hears(`{"jsonrpc":"2.0","method":"after"}`)
	require.Nil(t, rpc.DeferReply(t.Context()), "no request's")
}

func TestACallWithoutAnAnswerEnds(t *testing.T) {
	b := servedByHand(t, &rpc.Options{CallTimeout: 20 * time.Millisecond}, nil)
	_, err := b.peer.Call(t.Context(), "mute", nil)
	require.EqualError(t, err, "no answer within 20ms")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	b.hears(request(1, "mute"))

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // counts where there is one
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		_, err := b.peer.Call(ctx, "slow", nil)
		answered <- err
	}()
	b.hears(request(2, "slow"))
	time.Sleep(40 * time.Millisecond)
	b.says(result(1), result(2)) // the first is late, which is no mistake
	require.NoError(t, soon(t, answered))
}

// table is a protocol that can cancel.
var table = spec.Table{Cancel: &spec.Cancelling{Method: "$/cancel", Member: "requestId"}}

type cancellable struct{ handler }

func (cancellable) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, &table) }

func TestCancellingEndsTheContextOfTheHandler(t *testing.T) {
	started := make(chan struct{}, 1)
	b := servedByHand(t, nil, cancellable{func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method != "work" {
			return null, nil
		}
		started <- struct{}{}
		<-ctx.Done()
		return nil, &rpc.Error{Code: -32800, Message: context.Cause(ctx).Error()}
	}})
	b.says(`{"jsonrpc":"2.0","id":"a","method":"work"}`)
	soon(t, started)
	b.says(`{"jsonrpc":"2.0","id":"b","method":"work"}`) // waits behind the first, and is cancelled before its turn
	b.says(`{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":"b"}}`, `{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":"a"}}`)
	b.hears(`{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"cancelled by the peer"}}`)
	b.hears(`{"jsonrpc":"2.0","id":"b","error":{"code":-32800,"message":"cancelled by the peer"}}`)
	b.says(`{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":"a"}}`, `{"jsonrpc":"2.0","method":"$/cancel","params":[]}`, request(3, "other"))
	b.hears(result(3)) // late answers are ignored
}

func TestACallThatEndsCancelsWhereTheProtocolCan(t *testing.T) {
	b := servedByHand(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		failed <- typed.CallNoParamsNoResult(ctx, typed.NewLink(b.peer, &table), "work")
	}()
	b.hears(request(1, "work"))
	cancel()
	require.ErrorIs(t, soon(t, failed), context.Canceled)
	b.hears(`{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":1}}`)
}

// pinged is a transport whose other side answers pings, or does not.
type pinged struct {
	rpc.Transport
	answers bool
	pings   atomic.Int32
}

func (p *pinged) Ping(ctx context.Context) error {
	p.pings.Add(1)
	if p.answers {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestAPeerThatIsSilentIsAskedAndCutOff(t *testing.T) {
	for _, answers := range []bool{true, false} {
		ours, _ := sockets(t)
		transport := &pinged{Transport: rpc.Stream(ours), answers: answers}
		peer := rpc.NewPeer(transport, &rpc.Options{Silence: 20 * time.Millisecond})
		served := make(chan error, 1)
		go func() { served <- peer.Serve(t.Context(), nil) }()
		if !answers {
			require.EqualError(t, soon(t, served), "the peer is silent: no sign of life for 40ms")
			continue
		}
		require.Eventually(t, func() bool { return transport.pings.Load() >= 3 }, time.Minute, time.Millisecond)
		require.NoError(t, peer.Close())
		require.NoError(t, soon(t, served))
	}
}

func TestAPeerIsNotSilentWhileThisSideDoesNotRead(t *testing.T) {
	ours, theirs := sockets(t)
	transport := &pinged{Transport: rpc.Stream(ours)}
	peer := rpc.NewPeer(transport, &rpc.Options{Silence: 20 * time.Millisecond, Backlog: 1})
	busy, goOn := make(chan struct{}), make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(t.Context(), handler(func(context.Context, *rpc.Message) (json.RawMessage, error) {
			busy <- struct{}{}
			<-goOn
			return null, nil
		}))
	}()
	_, err := io.WriteString(theirs, request(1, "slow")+"\n"+request(2, "slow")+"\n"+request(3, "waits for room")+"\n"+request(4, "is not read")+"\n")
	require.NoError(t, err)
	soon(t, busy)
	time.Sleep(200 * time.Millisecond)
	close(goOn)
	for range 3 {
		soon(t, busy)
	}
	answers := json.NewDecoder(theirs)
	for range 4 {
		var answer json.RawMessage
		require.NoError(t, answers.Decode(&answer))
	}
	require.EqualError(t, soon(t, served), "the peer is silent: no sign of life for 40ms", "as soon as nothing is left to read")
}

func TestAPeerHasToIntroduceItself(t *testing.T) {
	b := servedByHand(t, &rpc.Options{GreetingTimeout: 20 * time.Millisecond}, nil)
	require.EqualError(t, soon(t, b.served), "the peer did not initialize within 20ms")

	large := `{"jsonrpc":"2.0","method":"x","params":["` + strings.Repeat("x", 200) + `"]}`
	b = servedByHand(t, &rpc.Options{MaxGreeting: 100}, nil)
	b.says(large)
	require.ErrorIs(t, soon(t, b.served), rpc.ErrTooLarge)

	got := make(chan string, 1)
	b = servedByHand(t, &rpc.Options{MaxGreeting: 100, GreetingTimeout: 50 * time.Millisecond}, handler(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		got <- m.Method
		return null, nil
	}))
	b.peer.Welcome()
	time.Sleep(100 * time.Millisecond)
	b.says(request(1, "a")) // the one that is being read keeps the limit that it began with
	require.Equal(t, "a", soon(t, got))
	b.says(large)
	require.Equal(t, "x", soon(t, got))
}

// TestALargeMessageMayFollowTheHandshake: both are on their way before the handshake is answered.
func TestALargeMessageMayFollowTheHandshake(t *testing.T) {
	got := make(chan string, 1)
	large := `{"jsonrpc":"2.0","method":"x","params":["` + strings.Repeat("x", 200) + `"]}`
	var b *byHand
	ready := make(chan struct{})
	b = servedByHand(t, &rpc.Options{MaxGreeting: 100}, handler(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		<-ready
		if m.Method == "hello" {
			b.peer.Welcome()
		} else {
			got <- m.Method
		}
		return null, nil
	}))
	close(ready)
	b.says(request(1, "ping"), request(2, "hello"), large)
	require.Equal(t, "ping", soon(t, got))
	require.Equal(t, "x", soon(t, got))
}

func TestWhatWaitsToBeHandledIsBoundedInBytes(t *testing.T) {
	const size = 1 << 20
	release := make(chan struct{})
	b := servedByHand(t, &rpc.Options{BacklogBytes: 3 * size, DrainTimeout: time.Minute}, handler(func(context.Context, *rpc.Message) (json.RawMessage, error) {
		<-release
		return null, nil
	}))
	var written atomic.Int64
	line := []byte(`{"jsonrpc":"2.0","method":"x","params":["` + strings.Repeat("x", size) + `"]}` + "\n")
	go func() {
		for range 100 {
			if _, err := b.end.Write(line); err != nil {
				return
			}
			written.Add(1)
		}
	}()
	still := func() bool { // it has stopped: what the system's own buffers hold aside
		before := written.Load()
		time.Sleep(200 * time.Millisecond)
		return before > 0 && written.Load() == before
	}
	require.Eventually(t, still, time.Minute, time.Millisecond)
	require.Less(t, written.Load(), int64(50))
	close(release)
	require.Eventually(t, func() bool { return written.Load() == 100 }, time.Minute, time.Millisecond)
}

func TestHandlersThatCallTheirPeerAreLimited(t *testing.T) {
	var peer *rpc.Peer
	ready := make(chan struct{})
	b := servedByHand(t, &rpc.Options{MaxRequests: 2}, handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		<-ready
		return peer.Call(ctx, m.Method, nil)
	}))
	peer = b.peer
	close(ready)
	for range 33 {
		b.says(`{"jsonrpc":"2.0","method":"ask"}`) // it never answers
	}
	require.EqualError(t, soon(t, b.served), "too many notifications are being handled at a time")
}

func TestProgressReachesWhoAskedForIt(t *testing.T) {
	table := spec.Table{Progress: &spec.Progressing{
		Method: "progress", Token: "token", Request: []string{"_meta", "token"}, Takes: func(method string) bool { return method == "work" },
	}}
	b := servedByHand(t, nil, decoding{&table, func(context.Context, *rpc.Message) (json.RawMessage, error) {
		t.Error("it is not for the handlers")
		return null, nil
	}})
	heard := make(chan string, 10)
	ctx, cancel := context.WithCancel(rpc.WithProgress(t.Context(), func(params json.RawMessage) { heard <- string(params) }))
	link := typed.NewLink(b.peer, &table)
	done := make(chan error, 1)
	go func() {
		_, err := typed.Call(ctx, link, "work", rawParams(`{"of":{"b":1,"a":1e3},"_meta":{"x":null}}`), func(d *wire.Decoder) string { return string(d.Slice()) })
		done <- err
	}()
	var sent struct {
		Params struct {
			Of   json.RawMessage
			Meta map[string]any `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(soon(t, b.lines)), &sent))
	require.Equal(t, `{"b":1,"a":1e3}`, string(sent.Params.Of), "as it was")
	require.Contains(t, sent.Params.Meta, "x")
	told := fmt.Sprintf(`{"token":%q,"percent":50}`, sent.Params.Meta["token"])
	b.says(`{"jsonrpc":"2.0","method":"progress","params":`+told+`}`, result(1), `{"jsonrpc":"2.0","method":"progress","params":`+told+`}`)
	require.Equal(t, told, soon(t, heard))
	require.NoError(t, soon(t, done))
	require.Equal(t, told, soon(t, heard), "also after the answer")
	cancel()

	go func() { done <- typed.CallNoParamsNoResult(ctx, link, "other") }()
	require.ErrorIs(t, soon(t, done), context.Canceled)
	require.NoError(t, typed.Notify(t.Context(), link, "note", rawParams(`{}`)))
	b.hears(`{"jsonrpc":"2.0","method":"note","params":{}}`)
}

// decoding handles messages of a protocol.
type decoding struct {
	table *spec.Table
	handler
}

func (d decoding) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, d.table) }

// rawParams are parameters as JSON.
type rawParams string

func (p rawParams) AppendJSON(dst []byte) ([]byte, error) { return append(dst, p...), nil }
