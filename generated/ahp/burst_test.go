// Bursts: what it costs a client to do many things at once, with a host at the other end of a socket.

package ahp_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

const notesChannel = "ahp-session:/s/annotations"

// bursts are kinds of actions that a user may do many of.
var bursts = []struct {
	kind, channel string
	action        func(i int) ahp.ClientAction
}{
	{"titles", sessionChannel, func(i int) ahp.ClientAction { return titled(fmt.Sprint("title ", i)) }},
	{"annotations", notesChannel, func(i int) ahp.ClientAction {
		id := fmt.Sprint("note ", i)
		return &ahp.AnnotationsSetAction{Annotation: ahp.Annotation{
			ID: id, Origin: ahp.AnnotationOrigin{Session: sessionChannel}, Resource: "file:///a.go", Entries: []ahp.AnnotationEntry{{ID: id, Text: ahp.StringOrMarkdownString("look here")}},
		}}
	}},
	{"queued messages", chatURI, func(i int) ahp.ClientAction {
		return &ahp.ChatPendingMessageSetAction{Kind: ahp.PendingMessageKindQueued, ID: fmt.Sprint(i), Message: ahp.Message{Text: "next", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}}}
	}},
}

// bursting returns a client of a host over TCP that has subscribed to the channels of bursts.
func bursting(tb testing.TB) *ahp.Conn {
	tb.Helper()
	host, err := ahp.NewServer(nil)
	require.NoError(tb, err)
	require.NoError(tb, host.OpenChannel(sessionChannel, emptySession()))
	require.NoError(tb, host.OpenChannel(chatURI, streamingChat(1, 1, 0)))
	require.NoError(tb, host.OpenChannel(notesChannel, &ahp.AnnotationsState{Annotations: []ahp.Annotation{}}))
	address := listen(tb, host)
	c, err := ahp.Connect(tb.Context(), func(ctx context.Context) (rpc.Transport, error) {
		socket, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return rpc.Stream(socket), nil
	}, nil)
	require.NoError(tb, err)
	for _, b := range bursts {
		require.NoError(tb, c.Subscribe(tb.Context(), b.channel))
	}
	return c
}

// burst dispatches actions, at once or each when the one before is confirmed, and returns how long it takes until all are.
func burst(tb testing.TB, kind, count int, atOnce bool) time.Duration {
	tb.Helper()
	c := bursting(tb)
	b := bursts[kind]
	settled := func() {
		for {
			if v, _ := c.Store.View(b.channel); v.Pending == 0 {
				return
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
	start := time.Now()
	for i := range count {
		require.NoError(tb, c.Dispatch(tb.Context(), b.channel, b.action(i)))
		if !atOnce {
			settled()
		}
	}
	settled()
	took := time.Since(start)
	require.NoError(tb, c.Close())
	return took
}

// TestABurstTakesNoLongerThanOneByOne allows for twice as long.
func TestABurstTakesNoLongerThanOneByOne(t *testing.T) {
	for kind, b := range bursts {
		atOnce, single := burst(t, kind, 1000, true), burst(t, kind, 1000, false)
		t.Logf("%s: at once %v, one by one %v", b.kind, atOnce, single)
		require.Less(t, atOnce, 2*single, b.kind)
	}
}

// BenchmarkBurst is what the table in the README was made with.
func BenchmarkBurst(b *testing.B) {
	for kind := range bursts {
		for _, count := range []int{100, 250, 500, 1000} {
			for _, way := range []string{"at once", "one by one"} {
				b.Run(fmt.Sprintf("%s/%d/%s", bursts[kind].kind, count, way), func(b *testing.B) {
					for b.Loop() {
						burst(b, kind, count, way == "at once")
					}
				})
			}
		}
	}
}
