// Net: connections of others.

package tap

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Target is a host that connections go to.
type Target struct {
	Scheme  string // tcp, unix, ws, wss, http or https
	Address string // host:port, or a path
	URL     *url.URL
}

// ErrTarget is returned for an address that none can be dialled at.
var ErrTarget = errors.New("no address: write host:port, unix:PATH, or a URL that begins with ws://, wss://, http:// or https://")

// ParseTarget reads an address.
func ParseTarget(text string) (Target, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		return Target{Scheme: "unix", Address: strings.TrimPrefix(path, "//")}, nil
	}
	scheme, _, isURL := strings.Cut(text, "://")
	if !isURL {
		scheme, text = "tcp", "tcp://"+text
	}
	u, err := url.Parse(text)
	ports := map[string]string{"tcp": "", "ws": "80", "wss": "443", "http": "80", "https": "443"}
	port, known := ports[scheme]
	if err != nil || !known || u.Host == "" || scheme == "tcp" && u.Port() == "" {
		return Target{}, ErrTarget
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), port)
	}
	return Target{Scheme: scheme, Address: address, URL: u}, nil
}

// IsWeb reports whether the target is a WebSocket, and IsHTTP whether it takes a request for each message.
func (t *Target) IsWeb() bool { return t.Scheme == "ws" || t.Scheme == "wss" }

// IsHTTP reports whether messages are requests of HTTP.
func (t *Target) IsHTTP() bool { return t.Scheme == "http" || t.Scheme == "https" }

// Dial connects to the target.
func (t *Target) Dial(ctx context.Context) (net.Conn, error) {
	switch t.Scheme {
	case "unix":
		return (&net.Dialer{}).DialContext(ctx, "unix", t.Address)
	case "wss", "https":
		return (&tls.Dialer{}).DialContext(ctx, "tcp", t.Address)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", t.Address)
}

// splitter tells messages apart.
type splitter interface {
	Split(data []byte, put func(record.Entry))
	Finish(put func(record.Entry))
}

// newSplitter returns a splitter for the framing.
func (t *Tap) newSplitter() splitter {
	if t.framing == record.Messages {
		return record.NewWeb()
	}
	return record.NewSplitter(t.framing)
}

// Serve connects each client that a listener accepts with the target, until ctx ends, or after the first if there is to be one
// only. Failed is called with what went wrong with one of them.
func (t *Tap) Serve(ctx context.Context, l net.Listener, to Target, once bool, failed func(error)) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for n := 1; ; n++ {
		client, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		one := func() {
			if err := t.join(ctx, n, client, to); err != nil {
				failed(err)
			}
		}
		if once {
			_ = l.Close()
			one()
			return nil
		}
		all.Add(1)
		go func() {
			defer all.Done()
			one()
		}()
	}
}

// join connects a client with the target until both have ended.
func (t *Tap) join(ctx context.Context, n int, client net.Conn, to Target) error {
	host, err := to.Dial(ctx)
	if err != nil {
		_ = client.Close()
		return err
	}
	end := func() {
		_ = client.Close()
		_ = host.Close()
	}
	defer context.AfterFunc(ctx, end)()
	var in io.Reader = client
	if to.IsWeb() {
		in = &addressed{Reader: client, host: to.URL.Host}
	}
	var both sync.WaitGroup
	pass := func(from protocol.Side, dst net.Conn, src io.Reader) {
		defer both.Done()
		if t.Pass(n, from, dst, src) != nil {
			end()
			return
		}
		if half, ok := dst.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		} else {
			end()
		}
	}
	both.Add(2)
	go pass(protocol.FromClient, host, in)
	pass(protocol.FromHost, client, host)
	both.Wait()
	end()
	return nil
}

// addressed is what a client sends whose request names the tap as its host: it is made to name the target, which may check it.
// Nothing else is changed.
type addressed struct {
	io.Reader
	host string
	head []byte // what is read of the request
	done bool
}

// Read implements [io.Reader].
func (a *addressed) Read(p []byte) (int, error) {
	const most = 64 << 10
	for !a.done {
		n, err := a.Reader.Read(p)
		a.head = append(a.head, p[:n]...)
		if i := bytes.Index(a.head, []byte("\r\n\r\n")); i >= 0 {
			var out []byte
			for line := range bytes.Lines(a.head[:i+2]) {
				if name, _, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("Host")) {
					line = []byte("Host: " + a.host + "\r\n")
				}
				out = append(out, line...)
			}
			a.head, a.done = append(out, a.head[i+2:]...), true
		} else if err != nil || len(a.head) > most {
			a.done = true
		}
	}
	if len(a.head) > 0 {
		n := copy(p, a.head)
		a.head = a.head[n:]
		return n, nil
	}
	return a.Reader.Read(p)
}
