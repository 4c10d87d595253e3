// Both ends over a stream, in both directions.

package ahp_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

func TestBothEndsOverAStream(t *testing.T) {
	a, b := net.Pipe()
	clientEnd, hostEnd := rpc.NewPeer(rpc.Stream(a), nil), rpc.NewPeer(rpc.Stream(b), nil)
	actions := make(chan ahp.ActionType, 1)
	clientHandlers := &ahp.ClientHandlers{
		Action: func(_ context.Context, e *ahp.ActionEnvelope) { actions <- e.Action.ActionType() },
		ResourceRead: func(_ context.Context, p *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
			return &ahp.ResourceReadResult{Data: "of " + p.URI, Encoding: ahp.ContentEncodingUTF8}, nil
		},
	}
	host := ahp.NewClientConn(hostEnd)
	hostHandlers := &ahp.HostHandlers{
		// The answer needs the client's help, and so one more request the other way.
		ListSessions: func(ctx context.Context, p *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
			if p.Cursor == nil {
				panic("no cursor")
			}
			read, err := host.ResourceRead(ctx, &ahp.ResourceReadParams{URI: *p.Cursor})
			if err != nil {
				return nil, err
			}
			return &ahp.ListSessionsResult{NextCursor: &read.Data}, nil
		},
		DispatchAction: func(ctx context.Context, p *ahp.DispatchActionParams) {
			_ = host.Action(ctx, &ahp.ActionEnvelope{Channel: p.Channel, Action: p.Action})
		},
	}
	var ends sync.WaitGroup
	ends.Go(func() {
		if err := clientEnd.Serve(ctx, clientHandlers); err != nil {
			t.Error(err)
		}
	})
	ends.Go(func() {
		if err := hostEnd.Serve(ctx, hostHandlers); err != nil {
			t.Error(err)
		}
	})
	client := ahp.NewHostConn(clientEnd)

	var calls sync.WaitGroup
	for i := range 10 {
		calls.Go(func() {
			cursor := fmt.Sprint("file:///", i)
			got, err := client.ListSessions(ctx, &ahp.ListSessionsParams{Cursor: &cursor})
			if err != nil || *got.NextCursor != "of "+cursor {
				t.Error(got, err)
			}
		})
	}
	calls.Wait()
	_, err := client.ListSessions(ctx, &ahp.ListSessionsParams{})
	require.ErrorIs(t, err, ahp.ErrorCodeInternalError, "a panic is answered")
	require.NoError(t, client.DispatchAction(ctx, &ahp.DispatchActionParams{Channel: "ahp-session:/1", Action: &ahp.SessionTitleChangedAction{Title: "Hello"}}))
	require.Equal(t, ahp.ActionTypeSessionTitleChanged, <-actions)
	require.ErrorIs(t, client.CreateSession(ctx, &ahp.CreateSessionParams{Channel: "ahp-session:/2"}), ahp.ErrorCodeMethodNotFound)

	require.NoError(t, clientEnd.Close())
	ends.Wait()
	require.ErrorIs(t, client.CreateSession(ctx, &ahp.CreateSessionParams{Channel: "ahp-session:/3"}), rpc.ErrClosed)
}
