// Processes: hosts and NATS servers that are killed, paused and cut off.

package nats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	log "github.com/ahpgen/ahpgen/generated/wire/jetstream"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

// role is the environment variable that makes this program a host or a NATS server.
const role = "AHPGEN_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "host":
		os.Exit(runHost(os.Args[1], os.Args[2], os.Args[3]))
	case "node":
		os.Exit(runNode(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// runNode runs a NATS server of a cluster.
func runNode(args []string) int {
	var port, cluster int
	_, err := fmt.Sscan(args[1]+" "+args[2], &port, &cluster)
	if err != nil {
		panic(err)
	}
	o := &natsserver.Options{
		ServerName: args[0], Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: args[3], NoLog: true,
		Cluster: natsserver.ClusterOpts{Name: "cluster", Host: "127.0.0.1", Port: cluster}, Routes: natsserver.RoutesFromStr(args[4]),
	}
	s, err := natsserver.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
	return 0
}

// leaseDuration is short, so that pauses are longer.
const leaseDuration = 2 * time.Second

// runHost runs a host.
func runHost(name, address, urls string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	nc, err := nats.Connect(urls, nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true),
		nats.IgnoreDiscoveredServers(), nats.PingInterval(5*time.Second))
	if err != nil {
		panic(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		panic(err)
	}
	l, err := log.Open(ctx, js, &log.Options{Name: "ahp", Replicas: 3})
	if err != nil {
		panic(err)
	}
	go agent(ctx, l, name)
	var host *ahp.Server
	options := &ahp.ServerOptions{
		Shared: l, OwnLists: true, Limits: server.Limits{Window: 1 << 20, WindowBytes: 1 << 30},
		Admit: func(_ context.Context, _ *server.Client, channel string) error {
			err := host.OpenChannel(channel, &ahp.AnnotationsState{Annotations: []ahp.Annotation{}})
			if errors.Is(err, server.ErrChannelExists) {
				return nil
			}
			return err
		},
		OnError: func(err error) { fmt.Fprintln(os.Stderr, "host error:", err) },
	}
	// While servers are away for long, a host does not start, and its supervisor starts it again.
	for host, err = ahp.NewServer(options); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; host, err = ahp.NewServer(options) {
		fmt.Fprintln(os.Stderr, "host error:", err)
	}
	if err != nil {
		panic(err)
	}
	sockets := &ws.Handler{Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) { _ = host.Serve(ctx, t) }}
	go func() {
		<-host.Done()
		fmt.Fprintln(os.Stderr, "host ended:", host.Err())
		os.Exit(1)
	}()
	// While the host was away, a connection of another process may have taken its port for a moment.
	for err = ws.ListenAndServe(ctx, address, sockets); errors.Is(err, syscall.EADDRINUSE); err = ws.ListenAndServe(ctx, address, sockets) {
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		panic(err)
	}
	return 0
}

// agent does work while it holds a lease: it appends records with the number of its acquisition.
func agent(ctx context.Context, l shared.Log, name string) {
	for serial := int64(1); ctx.Err() == nil; {
		lease, err := shared.Acquire(ctx, l, "agent", &shared.LeaseOptions{Holder: name, Duration: leaseDuration})
		if err != nil {
			fmt.Fprintln(os.Stderr, "lease:", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		for fenced := true; fenced && ctx.Err() == nil; serial++ {
			fence := lease.Fence()
			r := shared.Record{Key: "work", Kind: shared.LeaseKind, Writer: name, Serial: serial, Data: fmt.Append(nil, fence.Last)}
			_, err := l.Append(ctx, shared.Batch{Records: []shared.Record{r}, If: []shared.Condition{fence}})
			var conflict *shared.ConflictError
			if errors.As(err, &conflict) {
				if now, err := l.Last(ctx, fence.Key); err == nil && now != fence.Last {
					fmt.Fprintln(os.Stderr, "a former holder was refused")
					fenced = false
				}
			}
			time.Sleep(50 * time.Millisecond) // and it does not look whether it still has the lease
		}
		_ = lease.Release(ctx)
	}
}

// process is a program that is started again after it was killed.
type process struct {
	t    *testing.T
	role string
	args []string
	out  string // file with what it prints

	mu  sync.Mutex
	cmd *exec.Cmd
}

// begin starts a process.
func (p *process) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, err := os.OpenFile(p.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(p.t, err)
	defer func() { _ = out.Close() }()
	p.cmd = exec.Command(os.Args[0], p.args...)
	p.cmd.Env = append(os.Environ(), role+"="+p.role)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	require.NoError(p.t, p.cmd.Start())
}

// kill kills the process with SIGKILL.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

func (p *process) signal(s os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Process.Signal(s)
}

// proxy passes connections on, until it is told not to.
type proxy struct {
	l  net.Listener
	to string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// through starts a proxy before an address.
func through(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{l: l, to: to, conns: map[net.Conn]bool{}}
	go p.run()
	t.Cleanup(func() { _ = l.Close(); p.set(true) })
	return p
}

func (p *proxy) run() {
	for {
		in, err := p.l.Accept()
		if err != nil {
			return
		}
		out, err := net.DialTimeout("tcp", p.to, time.Second)
		if err != nil || !p.enter(in, out) {
			_ = in.Close()
			continue
		}
		pass := func(to, from net.Conn) {
			_, _ = io.Copy(to, from)
			_, _ = to.Close(), from.Close()
			p.mu.Lock()
			delete(p.conns, to)
			p.mu.Unlock()
		}
		go pass(in, out)
		go pass(out, in)
	}
}

func (p *proxy) enter(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.cut {
			_ = c.Close()
		} else {
			p.conns[c] = true
		}
	}
	return !p.cut
}

// set cuts all connections, or lets new ones through.
func (p *proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for c := range p.conns {
			_ = c.Close()
		}
	}
}

// fleet is three hosts and three NATS servers, with a proxy between each two.
type fleet struct {
	nodes, hosts []*process
	addresses    []string // of hosts
	proxies      [][]*proxy
	urls         string
}

func launch(t *testing.T) *fleet {
	const n = 3
	dir, f := t.TempDir(), &fleet{}
	ports := free(t, 3*n)
	routes := make([]string, n)
	for i := range n {
		routes[i] = fmt.Sprintf("nats://127.0.0.1:%d", ports[n+i])
	}
	urls := make([]string, n)
	for i := range n {
		urls[i] = fmt.Sprintf("nats://127.0.0.1:%d", ports[i])
		p := &process{t: t, role: "node", out: filepath.Join(dir, fmt.Sprint("node", i, ".txt")), args: []string{
			fmt.Sprint("node", i), fmt.Sprint(ports[i]), fmt.Sprint(ports[n+i]), filepath.Join(dir, fmt.Sprint("store", i)), strings.Join(routes, ","),
		}}
		f.nodes = append(f.nodes, p)
		p.begin()
		t.Cleanup(p.kill)
	}
	f.urls = strings.Join(urls, ",")
	for i := range n {
		var own []*proxy
		var through3 []string
		for j := range n {
			p := through(t, fmt.Sprintf("127.0.0.1:%d", ports[(i+j)%n]))
			own, through3 = append(own, p), append(through3, "nats://"+p.l.Addr().String())
		}
		f.proxies = append(f.proxies, own)
		address := fmt.Sprintf("127.0.0.1:%d", ports[2*n+i])
		f.addresses = append(f.addresses, address)
		p := &process{t: t, role: "host", out: filepath.Join(dir, fmt.Sprint("host", i, ".txt")), args: []string{
			fmt.Sprint("host", i), address, strings.Join(through3, ","),
		}}
		f.hosts = append(f.hosts, p)
		p.begin()
		t.Cleanup(p.kill)
	}
	return f
}

// said returns how often hosts printed a line that begins with a text.
func (f *fleet) said(t *testing.T, start string) (lines []string) {
	for _, p := range f.hosts {
		data, err := os.ReadFile(p.out)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, start) {
				lines = append(lines, p.args[0]+": "+strings.TrimSpace(line))
			}
		}
	}
	return lines
}
