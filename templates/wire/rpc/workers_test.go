package rpc

import (
	"bufio"
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGoroutinesThatWaitForWorkEnd: none outlives its last message for long, although its connection is open.
func TestGoroutinesThatWaitForWorkEnd(t *testing.T) {
	on := make(chan int, 1)
	working := func() int {
		stacks := make([]byte, 1<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "rpc.workOn(")
	}
	for range 10 {
		ours, theirs := net.Pipe()
		defer ours.Close()
		go func() {
			_ = NewPeer(Stream(theirs), nil).Serve(context.Background(), &handlers{open: func(context.Context, *noteParams) (*noteParams, error) {
				on <- working()
				return &noteParams{"x"}, nil
			}})
		}()
		go func() {
			_, _ = ours.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"open","params":{"text":"a"}}` + "\n"))
		}()
		line, err := bufio.NewReader(ours).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "result")
		require.NotZero(t, <-on, "a handler runs on one")
	}
	require.Eventually(t, func() bool { return working() == 0 }, time.Minute, time.Millisecond)
}
