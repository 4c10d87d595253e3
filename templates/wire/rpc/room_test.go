// Messages that are so large that two of them are more than may wait to be sent.

package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

var roomy = json.RawMessage(`["` + strings.Repeat("x", 700<<10) + `"]`)

// TestAPeerThatReadsGetsAllCallsAndAnswers makes many calls at once, each as large as its answer.
func TestAPeerThatReadsGetsAllCallsAndAnswers(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		e := start(t, connect, &rpc.Options{MaxUnsent: 1 << 20}, nil, fixed(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			return m.Params, nil
		}))
		failed := make(chan error, 10)
		for range cap(failed) {
			go func() {
				got, err := e.a.Call(t.Context(), "x", roomy)
				if err == nil && len(got) != len(roomy) {
					err = fmt.Errorf("%d bytes", len(got))
				}
				failed <- err
			}()
			require.NoError(t, e.a.Notify(t.Context(), "y", json.RawMessage(`{}`)))
		}
		for range cap(failed) {
			require.NoError(t, soon(t, failed))
		}
	})
}

// TestAPeerThatDoesNotReadItsAnswersIsReadNoFurther asks again and again, and reads nothing.
func TestAPeerThatDoesNotReadItsAnswersIsReadNoFurther(t *testing.T) {
	x, stranger := net.Pipe() // which holds nothing that is not read
	handled := make(chan int, 100)
	peer := rpc.NewPeer(rpc.Stream(x), &rpc.Options{MaxUnsent: 1 << 20, WriteTimeout: 500 * time.Millisecond})
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(context.WithoutCancel(t.Context()), handler(func(context.Context, *rpc.Message) (json.RawMessage, error) {
			handled <- 1
			return roomy, nil
		}))
	}()
	for id := range cap(handled) {
		if _, err := fmt.Fprintln(stranger, request(id, "x")); err != nil {
			break // it is cut off already
		}
	}
	time.Sleep(100 * time.Millisecond)
	require.Less(t, len(handled), 10, "as many as there is room for on the way")
	require.ErrorContains(t, soon(t, served), "the peer is not reading")
}

// TestAnswersBesideOthersThatWaitAreBounded has handlers that let others go on all answer at once.
func TestAnswersBesideOthersThatWaitAreBounded(t *testing.T) {
	x, stranger := net.Pipe()
	answer, waiting := make(chan struct{}), make(chan struct{}, 10)
	peer := rpc.NewPeer(rpc.Stream(x), &rpc.Options{MaxUnsent: 1 << 20})
	go func() {
		_ = peer.Serve(context.WithoutCancel(t.Context()), handler(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			waiting <- struct{}{}
			<-answer
			return roomy, nil
		}))
	}()
	t.Cleanup(func() { _ = peer.Close() })
	for id := range cap(waiting) {
		_, err := fmt.Fprintln(stranger, request(id, "x"))
		require.NoError(t, err)
	}
	for range cap(waiting) {
		soon(t, waiting)
	}
	close(answer)
	time.Sleep(time.Second) // nothing is read until all of them wait, or do not
	in := json.NewDecoder(stranger)
	require.NoError(t, stranger.SetReadDeadline(time.Now().Add(time.Minute)))
	good, bad := 0, 0
	for range cap(waiting) {
		var m struct {
			Error *rpc.Error
		}
		require.NoError(t, in.Decode(&m), "the connection lives on")
		if m.Error == nil {
			good++
		} else {
			require.Equal(t, "too much is queued", m.Error.Message)
			bad++
		}
	}
	require.Equal(t, 2, good, "one in the queue and one that waits")
	require.Equal(t, 8, bad)
}

// TestWhoeverSendsALotMayWaitForRoom sends large notifications to a peer that begins to read late.
func TestWhoeverSendsALotMayWaitForRoom(t *testing.T) {
	x, stranger := net.Pipe()
	peer := rpc.NewPeer(rpc.Stream(x), &rpc.Options{MaxUnsent: 1 << 20})
	t.Cleanup(func() { _ = peer.Close() })
	require.NoError(t, peer.WaitForRoom(t.Context()), "nothing waits")
	require.NoError(t, peer.Notify(t.Context(), "x", roomy))
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, peer.WaitForRoom(short), context.DeadlineExceeded)
	go func() { _, _ = io.Copy(io.Discard, stranger) }()
	for range 5 {
		require.NoError(t, peer.WaitForRoom(t.Context()))
		require.NoError(t, peer.Notify(t.Context(), "x", roomy))
	}
	_ = stranger.Close()
	require.NoError(t, peer.WaitForRoom(t.Context()), "the end of the connection is an end of waiting")
}
