// Connections that observers close.

package rpc_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// observer is a function.
type observer func(e rpc.Event)

func (f observer) Observe(e rpc.Event) { f(e) }

// TestAnObserverMayCloseTheConnection closes it where messages are written, read and refused. What was sent before arrives.
func TestAnObserverMayCloseTheConnection(t *testing.T) {
	for _, at := range []rpc.EventType{rpc.EventOpened, rpc.EventSent, rpc.EventReceived, rpc.EventMalformed} {
		t.Run(at.String(), func(t *testing.T) {
			in, theirs, err := os.Pipe()
			require.NoError(t, err)
			back, out, err := os.Pipe()
			require.NoError(t, err)
			closed := make(chan time.Duration, 10)
			peers := make(chan *rpc.Peer, 1)
			peer := rpc.NewPeer(rpc.Pipes(in, out), &rpc.Options{Observe: observer(func(e rpc.Event) {
				if e.Type != at {
					return
				}
				p := <-peers
				peers <- p
				began := time.Now()
				require.NoError(t, p.Close())
				closed <- time.Since(began)
			})})
			peers <- peer
			for range 3 {
				require.NoError(t, peer.Notify(t.Context(), "x", nil))
			}
			_, err = theirs.WriteString("{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n{}\n")
			require.NoError(t, err)
			served := make(chan error, 1)
			go func() { served <- peer.Serve(t.Context(), nil) }()
			other := rpc.NewPeer(rpc.Pipes(back, theirs), nil)
			heard := make(chan string, 10)
			go func() {
				_ = other.Serve(t.Context(), handler(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
					heard <- m.Method
					return nil, nil
				}))
				close(heard)
			}()
			require.Less(t, soon(t, closed), 500*time.Millisecond)
			require.NoError(t, soon(t, served))
			n := 0
			for method := range heard {
				require.Equal(t, "x", method)
				n++
			}
			require.Equal(t, 3, n)
		})
	}
}
