// How connections end: what is reported, and what is still accepted then.

package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/typed"
)

func TestTheCauseOfAContextIsKept(t *testing.T) {
	cause := errors.New("the user has closed the window")
	b := servedByHand(t, nil, nil)
	link := typed.NewLink(b.peer, &table)
	for name, f := range map[string]func(context.Context) error{
		"call":          func(ctx context.Context) error { _, err := b.peer.Call(ctx, "x", nil); return err },
		"notify":        func(ctx context.Context) error { return b.peer.Notify(ctx, "x", nil) },
		"typed call":    func(ctx context.Context) error { return typed.CallNoParamsNoResult(ctx, link, "x") },
		"typed message": func(ctx context.Context) error { return typed.NotifyNoParams(ctx, link, "x") },
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		err := f(ctx)
		require.ErrorIs(t, err, cause, name)
		require.ErrorIs(t, err, context.Canceled, name)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := b.peer.Call(ctx, "waits", nil)
		failed <- err
	}()
	b.hears(request(2, "waits"))
	cancel(cause)
	require.EqualError(t, soon(t, failed), "context canceled: the user has closed the window")

	late, stop := context.WithTimeoutCause(t.Context(), time.Nanosecond, cause)
	defer stop()
	<-late.Done()
	require.EqualError(t, rpc.ContextError(late), "context deadline exceeded: the user has closed the window")
	plain, cancelPlain := context.WithCancel(t.Context())
	require.NoError(t, rpc.ContextError(plain))
	cancelPlain()
	require.Equal(t, context.Canceled, rpc.ContextError(plain))
}

// TestABurstBeforeAnEndIsTakenWhole has a peer send a burst and go away while this side still writes to it: the failing
// writes are no reason not to read what has arrived.
func TestABurstBeforeAnEndIsTakenWhole(t *testing.T) {
	const burst = 100
	connects := map[string]func(*testing.T) (net.Conn, rpc.Transport){
		"tcp": func(t *testing.T) (net.Conn, rpc.Transport) {
			a, b := sockets(t)
			return a, rpc.Stream(b)
		},
	}
	for name, connect := range connects {
		for range 20 {
			end, transport := connect(t)
			var taken atomic.Int64
			peer := rpc.NewPeer(transport, nil)
			served := make(chan error, 1)
			go func() {
				served <- peer.Serve(context.WithoutCancel(t.Context()), handler(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
					_ = peer.Notify(ctx, "echo", json.RawMessage(`{"text":"`+strings.Repeat("x", 1000)+`"}`))
					time.Sleep(100 * time.Microsecond)
					taken.Add(1)
					return nil, nil
				}))
			}()
			_, err := io.WriteString(end, strings.Repeat(`{"jsonrpc":"2.0","method":"x"}`+"\n", burst))
			require.NoError(t, err)
			require.NoError(t, end.Close()) // with echoes unread, which resets the connection
			soon(t, served)
			require.Equal(t, int64(burst), taken.Load(), name)
		}
	}
}

// failing is a transport that cannot write.
type failing struct {
	rpc.Transport
	lines chan string
}

func (f failing) Write(context.Context, []byte) error { return errors.New("broken pipe") }

func (f failing) Read(int64) ([]byte, error) {
	line, ok := <-f.lines
	if !ok {
		return nil, io.EOF
	}
	return []byte(line), nil
}

func (f failing) Close(string) error { return nil }

func TestWhatHasArrivedIsReadAfterAFailedWrite(t *testing.T) {
	transport := failing{lines: make(chan string, 1000)}
	var taken atomic.Int64
	peer := rpc.NewPeer(transport, nil)
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(t.Context(), handler(func(context.Context, *rpc.Message) (json.RawMessage, error) {
			taken.Add(1)
			return null, nil
		}))
	}()
	require.NoError(t, peer.Notify(t.Context(), "x", nil))
	require.Eventually(t, func() bool { return peer.Notify(t.Context(), "x", nil) != nil }, time.Minute, time.Millisecond)
	for i := range 500 {
		transport.lines <- request(i, "late")
	}
	require.Eventually(t, func() bool { return taken.Load() == 500 }, time.Minute, time.Millisecond)
	select { // no more comes, so that it ends by itself
	case <-peer.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for ever")
	}
	close(transport.lines)
	require.EqualError(t, soon(t, served), "broken pipe")
}

func TestAPeerIsToldWhyTheConnectionEnds(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		for _, c := range []struct {
			end  func(*rpc.Peer)
			want string
		}{
			{(*rpc.Peer).EndReplaced, rpc.ErrReplaced.Error()},
			{func(p *rpc.Peer) {
				p.End(&rpc.Error{Code: -32603, Message: "disk full", Data: json.RawMessage(`{"ended":"log"}`)})
			}, "the peer ended the connection: disk full"},
		} {
			a, b := connect(t)
			ours, theirs := rpc.NewPeer(a, nil), rpc.NewPeer(b, nil)
			go func() {
				_ = ours.Serve(context.WithoutCancel(t.Context()), handler(func(context.Context, *rpc.Message) (json.RawMessage, error) {
					c.end(ours)
					return nil, rpc.ErrClosed // which goes nowhere
				}))
			}()
			served := make(chan error, 1)
			go func() { served <- theirs.Serve(context.WithoutCancel(t.Context()), nil) }()
			_, err := theirs.Call(t.Context(), "x", nil)
			require.ErrorIs(t, err, rpc.ErrClosed)
			require.ErrorContains(t, err, c.want)
			require.NotErrorAs(t, err, new(*rpc.Error), "it is no answer")
			require.EqualError(t, soon(t, served), c.want)
		}
	})
}

func TestAPeerThatSpeaksSomethingElse(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nwhat?", `received "HTTP/1.1 400 Bad Request\r\n"`},
		{"SSH-2.0-OpenSSH_9.6\r\n", `received "SSH-2.0-OpenSSH_9.6\r\n"`},
		{"\x15\x03\x01\x00\x02\x02\x46", `received "`},
	} {
		ours, theirs := sockets(t)
		peer := rpc.NewPeer(rpc.Stream(ours), nil)
		served := make(chan error, 1)
		go func() { served <- peer.Serve(context.WithoutCancel(t.Context()), nil) }()
		_, err := io.WriteString(theirs, c.said)
		require.NoError(t, err)
		require.NoError(t, theirs.(*net.TCPConn).CloseWrite())
		_, err = peer.Call(t.Context(), "initialize", nil)
		require.ErrorIs(t, err, rpc.ErrClosed)
		require.ErrorContains(t, err, "the peer does not speak the protocol: "+c.want)
		require.ErrorContains(t, soon(t, served), c.want)
	}
}

// logging is a transport around another one, as a program has it.
type logging struct {
	rpc.Wrapped
	lines *atomic.Int64
}

func (l logging) Write(ctx context.Context, message []byte) error {
	l.lines.Add(1)
	return l.Transport.Write(ctx, message)
}

func TestAWrapperKeepsWhatATransportCanDo(t *testing.T) {
	ours, theirs := sockets(t)
	inner := &pinged{Transport: rpc.Stream(ours)}
	var lines atomic.Int64
	wrapped := logging{rpc.Wrapped{Transport: logging{rpc.Wrapped{Transport: inner}, &lines}}, &lines}
	pinger, ok := rpc.Find[rpc.Pinger](wrapped)
	require.True(t, ok)
	require.Same(t, inner, pinger)
	_, ok = rpc.Find[rpc.Timed](wrapped)
	require.False(t, ok, "inner is no Timed")

	timed := logging{rpc.Wrapped{Transport: rpc.Stream(theirs)}, &lines}
	peer := rpc.NewPeer(timed, &rpc.Options{MessageTimeout: 30 * time.Millisecond})
	served := make(chan error, 1)
	go func() { served <- peer.Serve(context.WithoutCancel(t.Context()), nil) }()
	_, err := io.WriteString(ours, `{"half`)
	require.NoError(t, err)
	require.ErrorContains(t, soon(t, served), "a message was not complete within 30ms")

	lively := rpc.NewPeer(logging{rpc.Wrapped{Transport: &pinged{answers: true}}, &lines}, nil)
	require.True(t, lively.Alive(t.Context(), "ping"), "no request is needed")

	quiet, _ := sockets(t)
	silent := rpc.NewPeer(logging{rpc.Wrapped{Transport: &pinged{Transport: rpc.Stream(quiet)}}, &lines}, &rpc.Options{Silence: 20 * time.Millisecond})
	require.EqualError(t, silent.Serve(t.Context(), nil), "the peer is silent: no sign of life for 40ms")
}

// lively is a protocol with a request that asks for a sign of life.
type lively struct{ handler }

func (lively) AskRPC() (string, json.RawMessage) {
	return "ping", json.RawMessage(`{"channel":"root"}`)
}

func TestSilenceOverLinesIsAskedAboutByTheProtocol(t *testing.T) {
	b := servedByHand(t, &rpc.Options{Silence: 100 * time.Millisecond}, lively{})
	for i := 1; i <= 3; i++ {
		b.hears(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"channel":"root"}}`, i))
		switch i {
		case 1:
			b.says(result(1))
		case 2:
			b.says(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"what?"}}`) // is an answer too
		}
	}
	require.EqualError(t, soon(t, b.served), "the peer is silent: no sign of life for 200ms")

	b = servedByHand(t, &rpc.Options{Silence: 50 * time.Millisecond}, handler(nil)) // a protocol without one
	select {
	case err := <-b.served:
		t.Fatal(err)
	case <-time.After(300 * time.Millisecond):
	}
}

// TestAnEndFromBelowIsOne: what a transport reports whose own Close was called, or whose stream the end of the context has closed.
func TestAnEndFromBelowIsOne(t *testing.T) {
	in, theirs, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = theirs.Close() }()
	_, out, err := os.Pipe()
	require.NoError(t, err)
	transport := rpc.Pipes(in, out)
	served := make(chan error, 1)
	go func() { served <- rpc.NewPeer(transport, nil).Serve(t.Context(), nil) }()
	time.Sleep(20 * time.Millisecond)
	require.NoError(t, transport.Close(""))
	require.NoError(t, soon(t, served))

	for range 1000 {
		ours, theirs := net.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		context.AfterFunc(ctx, func() { _ = ours.Close() }) // as exec.CommandContext does
		go func() { served <- rpc.NewPeer(rpc.Stream(ours), nil).Serve(ctx, nil) }()
		cancel()
		require.NoError(t, soon(t, served))
		_ = theirs.Close()
	}
}
