// A host that sends nonsense among what it should: a client's store has what the good messages say,
// in their order, each once.

package ahpws_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahpws"
)

const title = `{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-session:/1","serverSeq":%d,"action":{"type":"session/titleChanged","title":"%s"}}}`

// end is the number of the last action.
const end = 1_000_000_000

// told is what a client should make of messages: a state, and the number of the latest action in it.
type told struct {
	state    *ahp.SessionState
	seen     int64
	reducers ahp.Reducer
}

// hear applies a message the plain way: if it is a good envelope for the channel and newer.
func (w *told) hear(message []byte) {
	f, err := ahp.DecodeFrame(message)
	envelope, ok := f.Decoded.(*ahp.ActionEnvelope)
	if err != nil || !ok || envelope.Channel != "ahp-session:/1" || envelope.ServerSeq <= w.seen {
		return
	}
	w.seen = envelope.ServerSeq
	if a, ok := envelope.Action.(ahp.SessionAction); ok && envelope.RejectionReason == nil {
		w.state = w.reducers.Session(w.state, a)
	}
}

func TestNonsenseDoesNotCorruptTheStore(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan struct{})
	random := rand.New(rand.NewPCG(3, 4))
	want := &told{state: &ahp.SessionState{Title: "start"}}
	store := ahp.NewStore("me", nil)
	require.NoError(t, store.Subscribe(&ahp.Snapshot{Resource: "ahp-session:/1", State: want.state}))

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		socket, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // the client says so
		}
		defer socket.CloseNow()
		go func() { // answers to nonsense are not read by anybody else
			for {
				if _, _, err := socket.Read(ctx); err != nil {
					return
				}
			}
		}()
		for n := range 3000 {
			message := []byte(fmt.Sprintf(title, n/2, strings.Repeat("x", n%7)))
			if n%2 == 0 {
				message = mutate(random, string(message))
			}
			want.hear(message)
			if socket.Write(ctx, websocket.MessageText, message) != nil {
				return // what arrived is too little then
			}
		}
		last := []byte(fmt.Sprintf(title, end, "the end"))
		want.hear(last)
		_ = socket.Write(ctx, websocket.MessageText, last) // the client waits for it
		select {
		case <-over:
		case <-ctx.Done():
		}
	}))
	defer server.Close()

	conn, err := ahpws.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http"), nil)
	require.NoError(t, err)
	applied := 0
	served := conn.Serve(serving, &ahp.ClientHandlers{Action: func(_ context.Context, e *ahp.ActionEnvelope) {
		store.Receive(e)
		applied++
		if e.ServerSeq == end {
			stop()
		}
	}})
	close(over)
	require.NoError(t, served)
	require.Greater(t, applied, 1000)
	view, ok := store.Session("ahp-session:/1")
	require.True(t, ok)
	expected, err := want.state.AppendJSON(nil)
	require.NoError(t, err)
	got, err := view.Confirmed.AppendJSON(nil)
	require.NoError(t, err)
	require.True(t, bytes.Equal(expected, got), "%s\n%s", expected, got)
	require.Same(t, view.Confirmed, view.Optimistic)
	require.Equal(t, want.seen, store.LastSeen())
}
