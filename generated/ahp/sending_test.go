// Tests of what is refused before it is sent: values that were forgotten.

package ahp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

func TestWhatWasForgottenIsNotSent(t *testing.T) {
	client, w := toHost(&ahp.HostHandlers{})
	for _, c := range []struct {
		err  error
		want string
	}{
		{client.CreateSession(ctx, &ahp.CreateSessionParams{}), "createSession: params: channel: missing: the URI is empty"},
		{client.DisposeSession(ctx, &ahp.DisposeSessionParams{}), "disposeSession: params: channel: missing: the URI is empty"},
		{client.DispatchAction(ctx, &ahp.DispatchActionParams{Channel: chatChannel, Action: &ahp.ChatPendingMessageRemovedAction{ID: "m"}}),
			"dispatchAction: params: action: kind: missing: the enum has no value"},
	} {
		require.EqualError(t, c.err, c.want)
		require.ErrorAs(t, c.err, new(*wire.EncodeError))
	}
	require.Empty(t, w.sent)
}

const chatChannel = "ahp-chat:/c"

// TestActionsOfOursHaveTheirValues: neither end sends one that lacks them, and nothing comes of it, but a host hands on what others
// have sent as it came.
func TestActionsOfOursHaveTheirValues(t *testing.T) {
	s, dial := hosting(t, &ahp.ServerOptions{Limits: countingOn()})
	require.NoError(t, s.OpenChannel(chatChannel, &ahp.ChatState{}))
	forgotten := &ahp.ChatPendingMessageRemovedAction{ID: "m"}
	const path = "kind: missing: the enum has no value"

	c, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{ClientID: "c0"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.ErrorContains(t, c.Dispatch(within(t), chatChannel, forgotten), path, "without its state")
	require.NoError(t, c.Subscribe(within(t), chatChannel))
	require.EqualError(t, c.Dispatch(within(t), chatChannel, forgotten), path)
	view, ok := c.Store.View(chatChannel)
	require.True(t, ok)
	require.Empty(t, view.Pending)
	require.Same(t, view.Confirmed, view.Optimistic)
	require.ErrorContains(t, s.Publish(chatChannel, forgotten), "action: "+path)
	require.Zero(t, s.Sequence())

	other := speak(t, s)
	other.says(opening, `{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-chat:/c","clientSeq":1,"action":{"type":"chat/pendingMessageRemoved","kind":"","id":"m"}}}`)
	other.hears(opened)
	other.hears(`{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-chat:/c","action":{"type":"chat/pendingMessageRemoved","kind":"","id":"m"},"serverSeq":1,"origin":{"clientId":"c1","clientSeq":1}}}`)
	require.NoError(t, c.Dispatch(within(t), chatChannel, &ahp.ChatPendingMessageRemovedAction{ID: "m", Kind: ahp.PendingMessageKindQueued}))
	require.Eventually(t, func() bool { return s.Sequence() == 2 }, time.Minute, time.Millisecond)
}

// TestAnswersHaveTheirValues: whoever asks is told that there is no answer.
func TestAnswersHaveTheirValues(t *testing.T) {
	client, _ := toHost(&ahp.HostHandlers{ResourceRead: func(context.Context, *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
		return &ahp.ResourceReadResult{}, nil
	}})
	_, err := client.ResourceRead(ctx, &ahp.ResourceReadParams{URI: "file:///a"})
	require.ErrorIs(t, err, rpc.InternalError)
	require.ErrorContains(t, err, "result: encoding: missing: the enum has no value")
}
