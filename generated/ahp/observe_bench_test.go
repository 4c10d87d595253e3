// Benchmark of what a host sends to its clients, without an observer and with one that counts.

package ahp_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	observing "github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// sink is a client that introduces itself, and then counts what it gets.
type sink struct {
	hello chan []byte
	got   *atomic.Int64
	done  chan struct{}
}

func (s *sink) Read(int64) ([]byte, error) {
	select {
	case data := <-s.hello:
		return data, nil
	case <-s.done:
		return nil, io.EOF
	}
}

func (s *sink) Write(context.Context, []byte) error {
	s.got.Add(1)
	return nil
}

func (s *sink) Close(string) error {
	close(s.done)
	return nil
}

func BenchmarkFanOut(b *testing.B) {
	for name, o := range map[string]rpc.Observer{"off": nil, "counting": new(observing.Counts)} {
		b.Run(name, func(b *testing.B) { fanOut(b, &ahp.ServerOptions{Observe: o}) })
	}
}

// fanOut publishes actions to 100 clients.
func fanOut(b *testing.B, o *ahp.ServerOptions) {
	b.Helper()
	const clients = 100
	var got atomic.Int64
	await := func(n int64) {
		for got.Load() < n {
		}
	}
	host, err := ahp.NewServer(o)
	require.NoError(b, err)
	defer host.Close()
	require.NoError(b, host.OpenChannel(sessionURI, &ahp.SessionState{}))
	for i := range clients {
		hello := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","clientId":"c%d","protocolVersions":["1.0.0"],"initialSubscriptions":["%s"]}}`, i, sessionURI)
		s := &sink{make(chan []byte, 1), &got, make(chan struct{})}
		s.hello <- []byte(hello)
		go func() { _ = host.Serve(context.Background(), s) }()
	}
	await(clients)
	action := title(strings.Repeat("x", 100))
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if err := host.Publish(sessionURI, action); err != nil {
			b.Fatal(err)
		}
		if i%64 == 63 { // no client is cut off
			await(clients + int64(i+1)*clients)
		}
	}
	await(clients + int64(b.N)*clients)
}
