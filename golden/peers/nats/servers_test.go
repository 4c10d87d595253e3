// Servers: NATS servers in this process, and connections that lose what they are told to.

package nats

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// cluster is one server, or several that form a cluster.
type cluster struct {
	dir     string
	options []*server.Options
	servers []*server.Server
	logs    atomic.Int64 // for names
}

// start starts servers with empty stores.
func start(t testing.TB, n int) *cluster {
	t.Helper()
	c := &cluster{dir: t.TempDir(), servers: make([]*server.Server, n)}
	routes, ports := make([]string, n), free(t, 2*n)
	for i := range n {
		routes[i] = fmt.Sprintf("nats://127.0.0.1:%d", ports[n+i])
	}
	for i := range n {
		o := &server.Options{
			ServerName: fmt.Sprint("node", i), Host: "127.0.0.1", Port: ports[i], NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(c.dir, "now", fmt.Sprint(i)),
		}
		if n > 1 {
			o.Cluster = server.ClusterOpts{Name: "cluster", Host: "127.0.0.1", Port: ports[n+i]}
			o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		}
		c.options = append(c.options, o)
	}
	t.Cleanup(c.stop)
	c.run(t)
	return c
}

// free returns ports that nothing listens on.
func free(t testing.TB, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// runOne starts a server that does not run.
func (c *cluster) runOne(t testing.TB, i int) {
	t.Helper()
	s, err := server.NewServer(c.options[i].Clone())
	require.NoError(t, err)
	c.servers[i] = s
	go s.Start()
}

// run starts all servers, and waits until they can be used.
func (c *cluster) run(t testing.TB) {
	t.Helper()
	for i := range c.options {
		if c.servers[i] == nil {
			c.runOne(t, i)
		}
	}
	require.Eventually(t, func() bool {
		for _, s := range c.servers {
			if !s.ReadyForConnections(time.Second) || !s.JetStreamIsCurrent() {
				return false
			}
		}
		return true
	}, time.Minute, 50*time.Millisecond, "the servers do not begin")
}

// stopOne stops a server.
func (c *cluster) stopOne(i int) {
	if s := c.servers[i]; s != nil {
		s.Shutdown()
		s.WaitForShutdown()
		c.servers[i] = nil
	}
}

func (c *cluster) stop() {
	for i := range c.servers {
		c.stopOne(i)
	}
}

// copyTo copies the stores of all servers, which do not run meanwhile.
func (c *cluster) copy(t testing.TB, from, to string) {
	t.Helper()
	c.stop()
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, to)))
	require.NoError(t, os.CopyFS(filepath.Join(c.dir, to), os.DirFS(filepath.Join(c.dir, from))))
	c.run(t)
}

// urls returns the addresses of the servers, one of them first.
func (c *cluster) urls(first int) string {
	var out []string
	for i := range c.options {
		out = append(out, fmt.Sprintf("nats://127.0.0.1:%d", c.options[(first+i)%len(c.options)].Port))
	}
	return strings.Join(out, ",")
}

// dial connects to a server through a wire that can lose something.
func (c *cluster) dial(t testing.TB, w *wire) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(c.urls(int(c.logs.Load())%len(c.options)), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond),
		nats.ReconnectJitter(10*time.Millisecond, 10*time.Millisecond), nats.DontRandomize(), nats.IgnoreDiscoveredServers(), nats.SetCustomDialer(w), nats.Timeout(5*time.Second))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	return js
}

// eventually calls a function until it succeeds.
func eventually(t testing.TB, f func(context.Context) error) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = f(ctx)
		cancel()
		if err == nil {
			return
		}
	}
	require.NoError(t, err)
}

// wire is a dialer whose connections lose one direction, when they are told to, and end then.
type wire struct {
	mode atomic.Int32
	down atomic.Bool // nothing can be dialed
	conn atomic.Pointer[lossy]
}

// What a wire does.
const (
	whole int32 = iota
	noReplies
	noRequests
)

// lose loses one direction from now on, until shortly after the next request.
func (w *wire) lose(mode int32) { w.mode.Store(mode) }

// Dial implements nats.CustomDialer.
func (w *wire) Dial(network, address string) (net.Conn, error) {
	if w.down.Load() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return nil, err
	}
	l := &lossy{Conn: c, wire: w}
	w.conn.Store(l)
	return l, nil
}

// cut ends the connection, and lets none be made until it is mended.
func (w *wire) cut() {
	w.down.Store(true)
	if c := w.conn.Load(); c != nil {
		_ = c.Close()
	}
}

func (w *wire) mend() { w.down.Store(false) }

type lossy struct {
	net.Conn
	wire   *wire
	ending atomic.Bool
}

func (l *lossy) Write(p []byte) (int, error) {
	mode := l.wire.mode.Load()
	if mode != whole && !l.ending.Swap(true) {
		time.AfterFunc(300*time.Millisecond, func() {
			l.wire.mode.Store(whole)
			_ = l.Close()
		})
	}
	if mode == noRequests {
		return len(p), nil
	}
	return l.Conn.Write(p)
}

func (l *lossy) Read(p []byte) (int, error) {
	for {
		n, err := l.Conn.Read(p)
		if err != nil || !l.ending.Load() {
			return n, err
		}
	}
}
