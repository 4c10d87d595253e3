// What the tests of both libraries share: our client, which asks for all that a connection promises, and our host.

package lines

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

const (
	actions = 500
	// failure is what hosts answer a ping with.
	failure = `{"supportedVersions":["9.9.9","é\u2028"]}`
)

var large = strings.Repeat("0123456789abcdé", 20<<16)

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ourHost serves a stream. Listing sessions asks the client for a resource, whose data is the cursor of the result.
func ourHost(t *testing.T, stream net.Conn) {
	t.Helper()
	peer := rpc.NewPeer(rpc.Stream(stream), nil)
	host := ahp.NewClientConn(peer)
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(context.WithoutCancel(t.Context()), &ahp.HostHandlers{
			ListSessions: func(ctx context.Context, p *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
				for i := range int64(actions) {
					action := &ahp.ActionEnvelope{Channel: "ahp-session:/1", ServerSeq: 1<<53 + 1 + i, Action: &ahp.SessionTitleChangedAction{Title: "x"}}
					if err := host.Action(ctx, action); err != nil {
						return nil, err
					}
				}
				read, err := host.ResourceRead(ctx, &ahp.ResourceReadParams{URI: *p.Cursor})
				if err != nil {
					return nil, err
				}
				return &ahp.ListSessionsResult{Items: []ahp.SessionSummary{}, NextCursor: &read.Data}, nil
			},
			ResourceRead: func(context.Context, *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
				return &ahp.ResourceReadResult{Data: large, Encoding: ahp.ContentEncodingUTF8}, nil
			},
			Ping: func(context.Context, *ahp.PingParams) error {
				return &ahp.UnsupportedProtocolVersionErrorData{SupportedVersions: []string{"9.9.9", "é\u2028"}}
			},
		})
	}()
	t.Cleanup(func() {
		_ = peer.Close()
		require.NoError(t, <-served)
	})
}

// order collects the numbers of actions.
type order struct {
	mu   sync.Mutex
	seen []int64
}

func (o *order) add(params json.RawMessage) {
	var p struct{ ServerSeq int64 }
	_ = json.Unmarshal(params, &p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, p.ServerSeq)
}

// all waits for all actions, in any order.
func (o *order) all(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		slices.Sort(o.seen)
		return len(o.seen) == actions
	}, time.Minute, time.Millisecond)
	o.complete(t)
}

// complete requires all actions in their order.
func (o *order) complete(t *testing.T) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Len(t, o.seen, actions)
	for i, n := range o.seen {
		require.Equal(t, int64(1<<53+1+i), n)
	}
}

func envelope(i int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"channel":"ahp-session:/1","serverSeq":%d,"action":{"type":"session/titleChanged","title":"x"}}`, int64(1<<53+1+i)))
}

// ourClient asks a host on another library, which may give errors data, for what ourHost does.
func ourClient(t *testing.T, stream net.Conn, data bool) {
	t.Helper()
	var got order
	peer := rpc.NewPeer(rpc.Stream(stream), nil)
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(context.WithoutCancel(t.Context()), &ahp.ClientHandlers{
			Action: func(_ context.Context, e *ahp.ActionEnvelope) {
				got.add(json.RawMessage(fmt.Sprintf(`{"serverSeq":%d}`, e.ServerSeq)))
			},
			ResourceRead: func(_ context.Context, p *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
				return &ahp.ResourceReadResult{Data: "of " + p.URI, Encoding: ahp.ContentEncodingUTF8}, nil
			},
		})
	}()
	client := ahp.NewHostConn(peer)
	cursor := "file:///é"
	list, err := client.ListSessions(within(t), &ahp.ListSessionsParams{Cursor: &cursor})
	require.NoError(t, err)
	require.Equal(t, "of file:///é", *list.NextCursor)
	got.complete(t)
	for range 2 {
		read, err := client.ResourceRead(within(t), &ahp.ResourceReadParams{URI: "file:///large"})
		require.NoError(t, err)
		require.True(t, read.Data == large)
	}
	err = client.Ping(within(t), &ahp.PingParams{})
	require.ErrorIs(t, err, ahp.ErrorCodeUnsupportedProtocolVersion)
	if data {
		var versions *ahp.UnsupportedProtocolVersionErrorData
		require.ErrorAs(t, err, &versions)
		require.Equal(t, []string{"9.9.9", "é\u2028"}, versions.SupportedVersions)
	}
	require.ErrorIs(t, client.DisposeChat(within(t), &ahp.DisposeChatParams{Channel: "ahp-chat:/1"}), ahp.ErrorCodeMethodNotFound)
	require.NoError(t, peer.Close())
	require.NoError(t, <-served)
}
