// Link: one side of a conversation, with what a transport alone does not offer: bytes as they are, and ends without a farewell.

package tap

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/web"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// Link is a connection with a program or an address.
type Link struct {
	rpc.Transport
	// Raw sends bytes without a framing. It is nil if the transport is no stream.
	Raw func([]byte) error
	// Post sends a body that need not be a message, and returns the status of the answer. It is nil unless messages are
	// requests of HTTP.
	Post func(ctx context.Context, body []byte) (status int, err error)
	// EndInput tells the other side that nothing more will come, and goes on to read. It is nil if the transport cannot.
	EndInput func() error
	// Cut ends the connection without a farewell.
	Cut func()
	// Ended waits for the end of the program, and returns its state. It is nil for an address.
	Ended func(time.Duration) (exit Exit, ok bool)
	// Kill ends the program at once. It is nil for an address.
	Kill func()
}

// Unwrap lets [rpc.Find] see what the transport can.
func (l *Link) Unwrap() rpc.Transport { return l.Transport }

// Exit is how a program has ended.
type Exit struct {
	Code   int
	Signal bool // it was ended by a signal, such as that of a crash
}

// Open connects with a target. The header is sent if that is a URL; the protocol says how messages travel over HTTP.
func Open(ctx context.Context, f record.Framing, to Target, header http.Header, p *protocol.Protocol) (*Link, error) {
	switch {
	case to.IsHTTP():
		return openHTTP(to, header, p), nil
	case to.IsWeb():
		return openSocket(ctx, to, header)
	}
	c, err := to.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return LinkOf(f, c), nil
}

// LinkOf returns a link over a connection of a network.
func LinkOf(f record.Framing, c net.Conn) *Link {
	l := &Link{Transport: streamOf(f, c), Raw: rawTo(c), Cut: func() { reset(c) }}
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		l.EndInput = half.CloseWrite
	}
	return l
}

func streamOf(f record.Framing, both io.ReadWriteCloser) rpc.Transport {
	if f == record.Headers {
		return rpc.HeaderStream(both)
	}
	return rpc.Stream(both)
}

func rawTo(to io.Writer) func([]byte) error {
	return func(b []byte) error {
		_, err := to.Write(b)
		return err
	}
}

// reset closes a connection so that the other side notices.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

func openSocket(ctx context.Context, to Target, header http.Header) (*Link, error) {
	var mu sync.Mutex
	var below net.Conn
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		mu.Lock()
		defer mu.Unlock()
		below = c
		return c, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = dial
	t, err := ws.Dial(ctx, to.URL.String(), &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header})
	if err != nil {
		return nil, err
	}
	return &Link{Transport: t, Cut: func() {
		mu.Lock()
		defer mu.Unlock()
		reset(below)
	}}, nil
}

// openHTTP returns a link whose messages are requests.
func openHTTP(to Target, header http.Header, p *protocol.Protocol) *Link {
	d := dialectOf(p)
	address := to.URL.String()
	t := web.Dial(address, d, &web.Options{Header: header})
	post := func(ctx context.Context, body []byte) (int, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		maps.Copy(r.Header, header)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if d.Version != "" {
			r.Header.Set(d.Version, p.Spoken())
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	return &Link{Transport: t, Post: post, Cut: func() { _ = t.Close("cut") }}
}

// dialectOf returns how a protocol uses HTTP, for clients.
func dialectOf(p *protocol.Protocol) *web.Dialect {
	d := &web.Dialect{Batches: p.Batches != nil}
	h := p.HTTP
	if h == nil {
		return d
	}
	d.Session, d.Version, d.VersionAt, d.Method, d.Name = h.Session, h.Version, h.VersionAt, h.Method, h.Name
	d.Mismatch, d.Status, d.Get, d.Delete, d.LastEvent, d.Prime = h.Mismatch, h.Status, h.Get, h.Delete, h.LastEvent, h.Prime
	d.Deferred, d.Scope, d.ScopeAt, d.Names = h.Deferred, h.Scope, h.ScopeAt, map[string]string{}
	if p.Handshake != nil {
		d.Open, d.Agreed = p.Handshake.Method.Name, p.Handshake.Answer
	}
	for _, name := range h.Names {
		d.Names[name.Method.Name] = name.Member
	}
	for _, m := range h.Unscoped {
		d.Unscoped = append(d.Unscoped, m.Name)
	}
	if r := h.Refusal; r != nil {
		d.Unsupported = &web.Unsupported{Code: r.Code, Supported: r.Supported, Requested: r.Requested}
	}
	return d
}

// Start starts a program and links to its standard input and output. Closing the link ends it.
func Start(f record.Framing, args []string, errs io.Writer) (*Link, error) {
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // the command is the user's choice
	cmd.Stderr = unlessDiscarded(errs)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, write, err := os.Pipe() // that of the package is closed as soon as the program ends, with what is unread
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.WaitDelay = write, leftover
	apart(cmd)
	err = cmd.Start()
	_ = write.Close() // it is the child's
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	pipes := rpc.Pipes
	if f == record.Headers {
		pipes = rpc.HeaderPipes
	}
	_, ended, end := wait(cmd)
	return &Link{
		Transport: &program{Wrapped: rpc.Wrapped{Transport: pipes(out, in)}, end: end},
		Raw:       rawTo(in), EndInput: in.Close, Ended: ended, Kill: func() { signalAll(cmd, os.Kill) },
		Cut: func() { _ = errors.Join(in.Close(), out.Close()) },
	}, nil
}

// unlessDiscarded returns a writer, or nil for one that discards: then nothing waits for programs that have inherited the output.
func unlessDiscarded(w io.Writer) io.Writer {
	if w == io.Discard {
		return nil
	}
	return w
}

// wait returns a channel that is closed when a program has ended, a function that waits for that, and one that ends it with all
// that it has started. Until then it gets the signals that end this process, for it is apart from the terminal's group.
func wait(cmd *exec.Cmd) (gone <-chan struct{}, ended func(time.Duration) (Exit, bool), end func()) {
	done := make(chan struct{})
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, Interrupts()...)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case s := <-signals:
				signalAll(cmd, s)
			case <-done:
				return
			}
		}
	}()
	var exit Exit
	go func() {
		defer close(done)
		_ = cmd.Wait() // the state says how it has ended
		exit = Exit{Code: exitCode(cmd.ProcessState), Signal: !cmd.ProcessState.Exited()}
	}()
	ended = func(patience time.Duration) (Exit, bool) {
		select {
		case <-done:
			return exit, true
		case <-time.After(patience):
			return Exit{}, false
		}
	}
	return done, ended, sync.OnceFunc(func() {
		_, ok := ended(leftover)
		signalAll(cmd, os.Kill) // also if it has ended: what it has started need not have
		if !ok {
			ended(leftover)
		}
	})
}

// program is a transport whose other end is a child.
type program struct {
	rpc.Wrapped
	end func()
}

// Close ends the program.
func (p *program) Close(reason string) error {
	err := p.Transport.Close(reason)
	p.end()
	return err
}
