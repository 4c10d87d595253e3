// Servers that have ended: who is told, and what.

package ahp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

const logFailed = "the server has ended: its log has failed"

func TestAServerWhoseLogFailedSaysSo(t *testing.T) {
	log := &failing{at: 1, block: make(chan struct{})}
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Limits: countingOn()})
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() {
		served <- ws.Serve(ctx, l, &ws.Handler{Serve: func(ctx context.Context, tr rpc.Transport, _ *http.Request) { _ = s.Serve(ctx, tr) }})
	}()
	t.Cleanup(func() { cancel(); require.NoError(t, <-served) })
	over, _, err := websocket.Dial(within(t), "ws://"+l.Addr().String(), nil) //nolint:bodyclose // the library does
	require.NoError(t, err)
	require.NoError(t, over.Write(within(t), websocket.MessageText, []byte(introduces("w"))))
	_, _, err = over.Read(within(t))
	require.NoError(t, err)
	lines := come(t, s, "")
	lines.says(introduces("l"))
	lines.hearsLine()
	select {
	case <-s.Done():
		require.FailNow(t, "it goes on")
	default:
		require.NoError(t, s.Err())
	}

	// What waits to be kept when the log fails is answered, and the connection ends with a reason.
	require.NoError(t, s.Publish(sessionChannel, titled("lost")))
	lines.says(`{"jsonrpc":"2.0","id":7,"method":"subscribe","params":{"channel":"ahp-session:/s"}}`)
	require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 1 }, time.Minute, time.Millisecond)
	close(log.block)
	<-s.Done()
	require.ErrorIs(t, s.Err(), server.ErrClosed)
	require.ErrorContains(t, s.Err(), "the disk is full")
	lines.hears(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + logFailed + `"}}`)
	_, err = lines.in.ReadByte()
	require.Error(t, err)
	_, _, err = over.Read(within(t))
	var end websocket.CloseError
	require.ErrorAs(t, err, &end)
	require.Equal(t, logFailed, end.Reason)

	newcomersAreTold(t, s, l.Addr().String())
	require.ErrorContains(t, s.Close(), "the disk is full")
}

// TestAnswersAreSentBeforeAServerWhoseLogFailedCloses has many clients wait for an answer when the log fails.
func TestAnswersAreSentBeforeAServerWhoseLogFailedCloses(t *testing.T) {
	log := &failing{at: 1, block: make(chan struct{})}
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Limits: countingOn()})
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	clients := make([]*spoken, 64)
	for i := range clients {
		clients[i] = come(t, s, "")
		clients[i].says(introduces(fmt.Sprint("c", i)))
		clients[i].hearsLine()
	}
	require.NoError(t, s.Publish(sessionChannel, titled("lost")))
	for _, c := range clients {
		c.says(`{"jsonrpc":"2.0","id":7,"method":"subscribe","params":{"channel":"ahp-session:/s"}}`)
	}
	require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == len(clients) }, time.Minute, time.Millisecond)
	close(log.block)
	for _, c := range clients {
		c.hears(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + logFailed + `"}}`)
	}
	require.ErrorContains(t, s.Close(), "the disk is full")
}

// newcomersAreTold has clients come to a server whose log has failed, and ask for different things first.
func newcomersAreTold(t *testing.T, s *ahp.Server, address string) {
	t.Helper()
	for _, asks := range []string{introduces("n"), strings.Replace(comesBack("l", 0), `"id":2`, `"id":1`, 1)} {
		late := come(t, s, "")
		late.says(asks)
		late.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"` + logFailed + `"}}`)
		_, err := late.in.ReadByte()
		require.Error(t, err)
	}
	over, _, err := websocket.Dial(within(t), "ws://"+address, nil) //nolint:bodyclose // the library does
	require.NoError(t, err)
	require.NoError(t, over.Write(within(t), websocket.MessageText, []byte(introduces("n"))))
	_, answer, err := over.Read(within(t))
	require.NoError(t, err)
	require.Contains(t, string(answer), logFailed)
	_, _, err = over.Read(within(t))
	var end websocket.CloseError
	require.ErrorAs(t, err, &end)
	require.Equal(t, logFailed, end.Reason)
}

func TestAServerThatWasClosedSaysSo(t *testing.T) {
	s, err := ahp.NewServer(nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	<-s.Done()
	require.Equal(t, server.ErrClosed, s.Err())
	late := come(t, s, "")
	late.says(introduces("n"))
	late.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server has ended"}}`)
	require.NoError(t, s.Close(), "once more")
}
