// What a client does with an envelope, from the bytes to the callback: what it costs, and what it allocates.

package ahp_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// flood is a connection on which many actions come once it is told so, and the host sends another one.
type flood struct {
	rpc.Transport
	left   atomic.Int64
	number int64
	over   chan bool
}

func (f *flood) Read(limit int64) ([]byte, error) {
	for {
		if left := f.left.Add(-1); left >= 0 {
			f.number++
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"action","params":{"channel":%q,"action":{"type":"session/titleChanged","title":"x"},"serverSeq":%d}}`, sessionChannel, f.number), nil
		} else if left == -1 {
			f.over <- true
		}
		data, err := f.Transport.Read(limit)
		if err != nil || f.left.Load() <= 0 {
			return data, err
		}
	}
}

// flooded returns a function that has a client apply a number of envelopes.
func flooded(tb testing.TB, o *ahp.ConnOptions) func(envelopes int) {
	tb.Helper()
	host, err := ahp.NewServer(nil)
	require.NoError(tb, err)
	require.NoError(tb, host.OpenChannel(sessionChannel, emptySession()))
	link := &flood{over: make(chan bool, 1), number: 1 << 30}
	link.left.Store(-2)
	c, err := ahp.Connect(tb.Context(), func(context.Context) (rpc.Transport, error) {
		ours, theirs := net.Pipe()
		go func() { _ = host.Serve(context.Background(), rpc.Stream(theirs)) }()
		link.Transport = rpc.Stream(ours)
		return link, nil
	}, o)
	require.NoError(tb, err)
	require.NoError(tb, c.Subscribe(tb.Context(), sessionChannel))
	tb.Cleanup(func() {
		require.NoError(tb, c.Close())
		require.NoError(tb, host.Close())
	})
	return func(envelopes int) {
		link.left.Store(int64(envelopes))
		require.NoError(tb, host.Publish(sessionChannel, titled("begin")))
		<-link.over
	}
}

// ignoring is an observer.
type ignoring struct{}

func (ignoring) Observe(rpc.Event) {}

// receivers are clients without a function that is called with envelopes, with one, and with an observer.
func receivers() map[string]*ahp.ConnOptions {
	return map[string]*ahp.ConnOptions{
		"off":      {},
		"on":       {Received: func(*ahp.ActionEnvelope, state.Outcome) {}},
		"observer": {Keep: conn.Options{Observe: ignoring{}}},
	}
}

func BenchmarkReceived(b *testing.B) {
	for name, o := range receivers() {
		b.Run(name, func(b *testing.B) {
			run := flooded(b, o)
			b.ReportAllocs()
			b.ResetTimer()
			run(b.N)
		})
	}
}

// TestCallingReceivedAllocatesNothing, and neither does calling an observer.
func TestCallingReceivedAllocatesNothing(t *testing.T) {
	allocations := map[string]float64{}
	for name, o := range receivers() {
		run := flooded(t, o)
		run(10_000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(50_000)
		runtime.ReadMemStats(&after)
		allocations[name] = float64(after.Mallocs-before.Mallocs) / 50_000
	}
	t.Log(allocations)
	require.InDelta(t, allocations["off"], allocations["on"], 0.5)
	require.InDelta(t, allocations["off"], allocations["observer"], 0.5)
}
