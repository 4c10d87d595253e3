// Translating: what a peer sends and what its handler gets, if a translator changes, leaves out or refuses messages.

package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// words writes in capitals and reads what was written so. It knows no gossip and no riddles.
type words struct{}

var errRiddle = errors.New("a riddle")

func (words) convert(m *rpc.Message, f func([]byte) []byte) (keep bool, err error) {
	if m.Method == "riddle" {
		return false, errRiddle
	}
	m.Params, m.Result = f(m.Params), f(m.Result)
	return m.Method != "gossip", nil
}

func (w words) Sent(m *rpc.Message) (keep bool, err error)     { return w.convert(m, bytes.ToUpper) }
func (w words) Received(m *rpc.Message) (keep bool, err error) { return w.convert(m, bytes.ToLower) }

func TestATranslatorChangesWhatIsSentAndReceived(t *testing.T) {
	x, y := net.Pipe()
	got := make(chan rpc.Message, 10)
	note := handler(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		got <- *m
		return m.Params, nil
	})
	plain, translated := rpc.NewPeer(rpc.Stream(x), nil), rpc.NewPeer(rpc.Stream(y), nil)
	translated.Translate(words{})
	for _, p := range []*rpc.Peer{plain, translated} {
		go func() { _ = p.Serve(context.WithoutCancel(t.Context()), note) }()
		t.Cleanup(func() { _ = p.Close() })
	}

	result, err := translated.Call(t.Context(), "say", json.RawMessage(`["a"]`))
	require.NoError(t, err)
	require.Equal(t, `["A"]`, string(soon(t, got).Params), "sent")
	require.Equal(t, `["a"]`, string(result), "received")

	result, err = plain.Call(t.Context(), "say", json.RawMessage(`["B"]`))
	require.NoError(t, err)
	require.Equal(t, `["b"]`, string(soon(t, got).Params), "received")
	require.Equal(t, `["B"]`, string(result), "sent")

	require.NoError(t, translated.Notify(t.Context(), "gossip", nil), "left out")
	require.NoError(t, plain.Notify(t.Context(), "gossip", nil), "left out")
	require.ErrorIs(t, translated.Notify(t.Context(), "riddle", nil), errRiddle)
	_, err = plain.Call(t.Context(), "riddle", json.RawMessage(`["C"]`))
	var refused *rpc.Error
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, rpc.InvalidParams, refused.Code)

	require.NoError(t, plain.Notify(t.Context(), "riddle", json.RawMessage(`["D"]`)))
	told := soon(t, got)
	require.ErrorIs(t, told.DecodeError, errRiddle, "the handler learns that it missed something")
	require.Empty(t, got, "what is left out reaches nobody")

	translated.Translate(nil)
	require.NoError(t, translated.Notify(t.Context(), "gossip", json.RawMessage(`["e"]`)))
	require.Equal(t, `["e"]`, string(soon(t, got).Params))
}

// numbering numbers what is sent, some of it slowly.
type numbering struct {
	words
	n int
}

func (w *numbering) Sent(m *rpc.Message) (keep bool, err error) {
	w.n++
	number := json.RawMessage(strconv.Itoa(w.n))
	if w.n%3 == 0 {
		time.Sleep(time.Millisecond)
	}
	if m.Kind == rpc.Result {
		m.Result = number
	} else {
		m.Params = json.RawMessage(`[` + string(number) + `]`)
	}
	return true, nil
}

func TestMessagesAreTranslatedInTheOrderInWhichTheyAreSent(t *testing.T) {
	b := servedByHand(t, nil, handler(func(context.Context, *rpc.Message) (json.RawMessage, error) { return null, nil }))
	b.peer.Translate(&numbering{})
	const each = 50
	for range 4 {
		go func() {
			for range each {
				_ = b.peer.Notify(t.Context(), "note", nil)
			}
		}()
	}
	go func() {
		for range each {
			_, _ = b.peer.Call(t.Context(), "call", nil)
		}
	}()
	for i := range each {
		b.says(request(i+1, "answer"))
	}
	for n := 1; n <= 6*each; n++ {
		var m struct {
			ID             int
			Method         string
			Params, Result any
		}
		require.NoError(t, json.Unmarshal([]byte(soon(t, b.lines)), &m))
		if m.Method == "call" {
			b.says(result(m.ID))
		}
		require.True(t, m.Result == float64(n) || m.Params != nil && m.Params.([]any)[0] == float64(n), "%v at place %d", m, n)
	}
}

func TestWhatIsTranslatedWaitsForRoomToo(t *testing.T) {
	x, _ := net.Pipe() // which nobody reads
	p := rpc.NewPeer(rpc.Stream(x), &rpc.Options{MaxUnsent: 100})
	p.Translate(words{})
	text := json.RawMessage(`"` + strings.Repeat("x", 80) + `"`)
	require.NoError(t, p.Notify(t.Context(), "note", text))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := p.Call(ctx, "call", text)
	require.ErrorIs(t, err, context.DeadlineExceeded, "it has waited")
	require.ErrorContains(t, p.Notify(t.Context(), "note", text), "the peer is too far behind")
}

// stuck does not return before it is told to.
type stuck struct {
	words
	entered, goOn chan struct{}
}

func (s stuck) Sent(*rpc.Message) (keep bool, err error) {
	s.entered <- struct{}{}
	<-s.goOn
	return true, nil
}

func TestTheEndOfAConnectionWaitsForNoTranslator(t *testing.T) {
	b := servedByHand(t, nil, nil)
	s := stuck{entered: make(chan struct{}, 2), goOn: make(chan struct{})}
	defer close(s.goOn)
	b.peer.Translate(s)
	go func() { _ = b.peer.Notify(t.Context(), "note", nil) }()
	soon(t, s.entered)
	go b.peer.EndReplaced() // as a server does, with a lock that the translator may wait for
	b.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"replaced by another connection of the same client","data":{"ended":"replaced"}}}`)
}

func TestARefusedMessageOfABatchIsAnsweredWithTheOthers(t *testing.T) {
	b := servedByHand(t, nil, withBatches(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) { return m.ID, nil }))
	b.peer.Translate(words{})
	b.says(`[` + request(1, "say") + `,` + request(2, "riddle") + `,{"jsonrpc":"2.0","method":"riddle"}]`)
	line := soon(t, b.lines)
	require.Contains(t, line, `{"jsonrpc":"2.0","id":1,"result":1}`)
	require.Contains(t, line, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,`)
	require.NoError(t, b.peer.Shutdown(t.Context()), "nothing is owed")
}
