//go:build unix

// What an observer costs on the way to clients, by turns in one process.

package ahp_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	observing "github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

// crowd is a host with clients that read and do nothing else.
type crowd struct {
	host     *ahp.Server
	channels int
	clients  int64
	got      atomic.Int64
	awaited  atomic.Int64  // how many messages a step ends with
	there    chan struct{} // they have come
}

// newCrowd connects clients, each on one of the channels.
func newCrowd(b *testing.B, o rpc.Observer, clients, channels int, connect func(*testing.B, *ahp.Server) func() client) *crowd {
	b.Helper()
	silent := server.Limits{Peer: &rpc.Options{Silence: -1}} // the clients answer no pings
	host, err := ahp.NewServer(&ahp.ServerOptions{Observe: o, Limits: silent})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, host.Close()) })
	c := &crowd{host: host, channels: channels, clients: int64(clients), there: make(chan struct{}, 1)}
	for i := range channels {
		require.NoError(b, host.OpenChannel(channelNumber(i), &ahp.SessionState{ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{}}))
	}
	c.awaited.Store(c.clients)
	dial := connect(b, host)
	for i := range clients {
		next := dial()
		next.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","clientId":"c%d","protocolVersions":["1.0.0"],"initialSubscriptions":["%s"]}}`, i, channelNumber(i%channels)))
		go func() {
			for next.skip() == nil {
				if c.got.Add(1) == c.awaited.Load() {
					c.there <- struct{}{}
				}
			}
		}()
	}
	<-c.there
	return c
}

func channelNumber(i int) string { return fmt.Sprintf("ahp-session:/%d", i) }

// client is one end of a connection.
type client struct {
	write func(text string)
	skip  func() error // reads a message
}

// overSockets connects clients over WebSockets on this machine.
func overSockets(b *testing.B, host *ahp.Server) func() client {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	sockets := &ws.Handler{MaxConnections: 10_000, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) { _ = host.Serve(ctx, t) }}
	web := ws.NewServer(sockets)
	go func() { _ = web.Serve(l) }()
	b.Cleanup(func() { _ = web.Close() })
	return func() client {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(b, err)
		b.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		require.NoError(b, err)
		in := bufio.NewReaderSize(c, 1024)
		answer, err := http.ReadResponse(in, nil)
		require.NoError(b, err)
		require.Equal(b, http.StatusSwitchingProtocols, answer.StatusCode)
		return client{
			func(text string) { // a final text frame with a mask of zeros
				_, err := c.Write(append(binary.BigEndian.AppendUint16([]byte{0x81, 0x80 | 126}, uint16(len(text))), append(make([]byte, 4), text...)...))
				require.NoError(b, err)
			},
			func() error {
				head, err := in.Peek(2)
				if err != nil {
					return err
				}
				size, skip := int(head[1]), 2
				if size == 126 {
					if head, err = in.Peek(4); err != nil {
						return err
					}
					size, skip = int(binary.BigEndian.Uint16(head[2:])), 4
				}
				_, err = in.Discard(skip + size)
				return err
			},
		}
	}
}

// overPipes connects clients over pipes in memory.
func overPipes(b *testing.B, host *ahp.Server) func() client {
	b.Helper()
	return func() client {
		here, there := net.Pipe()
		go func() { _ = host.Serve(context.Background(), rpc.Stream(there)) }()
		in := bufio.NewReaderSize(here, 1024)
		return client{
			func(text string) {
				_, err := io.WriteString(here, text+"\n")
				require.NoError(b, err)
			},
			func() error {
				_, err := in.ReadSlice('\n')
				return err
			},
		}
	}
}

// cost is the processor time and the allocations of a message to a client.
type cost struct{ nanoseconds, allocations float64 }

// measure publishes an action on each channel and waits for it to come to all clients, some times over.
func (c *crowd) measure(b *testing.B, steps int) cost {
	b.Helper()
	action := title(strings.Repeat("x", 100))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime(b)
	for range steps {
		c.awaited.Add(c.clients)
		for i := range c.channels {
			require.NoError(b, c.host.Publish(channelNumber(i), action))
		}
		<-c.there
	}
	took := processorTime(b) - start
	runtime.ReadMemStats(&after)
	n := float64(steps) * float64(c.clients)
	return cost{float64(took) / n, float64(after.Mallocs-before.Mallocs) / n}
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkObserver compares hosts with 1,000 clients on 100 channels: without an observer, without one once more, and with one
// that counts. They take turns, -benchtime 50x is 50 rounds. It fails if counting costs more than 3 % of the processor time that a
// message takes, kernel and clients that only read included, beyond what chance explains, or if it allocates more than once for an action.
func BenchmarkObserver(b *testing.B) {
	for name, connect := range map[string]func(*testing.B, *ahp.Server) func() client{"sockets": overSockets, "pipes": overPipes} {
		b.Run(name, func(b *testing.B) {
			var hosts []*crowd
			for _, o := range []rpc.Observer{nil, nil, new(observing.Counts)} {
				hosts = append(hosts, newCrowd(b, o, 1000, 100, connect))
			}
			costs := make([][]cost, len(hosts))
			for _, h := range hosts {
				h.measure(b, 5)
			}
			b.ResetTimer()
			for round := range b.N {
				for i := range hosts {
					i = (i + round) % len(hosts)
					costs[i] = append(costs[i], hosts[i].measure(b, 1))
				}
			}
			b.StopTimer()
			for i, name := range []string{"off", "off-again", "counting"} {
				b.ReportMetric(median(costs[i], func(n int) float64 { return costs[i][n].nanoseconds }), name+"-ns/message")
			}
			b.ReportMetric(0, "ns/op")
			share := func(what string, part, of func(n int) float64) (least float64) {
				least, half, most := interval(b.N, func(n int) float64 { return 100 * (part(n)/of(n) - 1) })
				b.ReportMetric(half, what+"-%")
				b.ReportMetric(least, what+"-%-least")
				b.ReportMetric(most, what+"-%-most")
				return least
			}
			spent := func(i, n int) float64 { return costs[i][n].nanoseconds }
			share("again", func(n int) float64 { return spent(1, n) }, func(n int) float64 { return spent(0, n) })
			least := share("counting", func(n int) float64 { return spent(2, n) }, func(n int) float64 { return (spent(0, n) + spent(1, n)) / 2 })
			if least > 3 {
				b.Errorf("counting costs more than 3 %%: at least %.1f %%", least)
			}
			off := median(costs[0], func(n int) float64 { return costs[0][n].allocations })
			on := median(costs[2], func(n int) float64 { return costs[2][n].allocations })
			b.ReportMetric(off, "off-allocs/message")
			b.ReportMetric(on, "counting-allocs/message")
			perAction := 100.0 / 1000
			if b.N >= 10 && on > off+perAction+0.02 {
				b.Errorf("%.3f allocations for each message, and %.3f without an observer", on, off)
			}
		})
	}
}

func median(of []cost, value func(int) float64) float64 {
	_, half, _ := interval(len(of), value)
	return half
}

// interval returns the median of some values, and the values between which that of the distribution is with a probability of
// 95 %, as the order of values tells.
func interval(n int, value func(int) float64) (least, half, most float64) {
	values := make([]float64, n)
	for i := range values {
		values[i] = value(i)
	}
	slices.Sort(values)
	aside := int(math.Floor((float64(n) - 1.96*math.Sqrt(float64(n))) / 2))
	if aside < 1 {
		return math.Inf(-1), values[n/2], math.Inf(1)
	}
	return values[aside-1], values[n/2], values[n-aside]
}
