// Connect: being one side of a conversation.

package tap

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/web"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// ErrNoHTTP is returned for a URL whose messages are requests of HTTP, where the order of messages matters.
var ErrNoHTTP = errors.New("a recording is not played over HTTP: name a program, or an address of a stream or a WebSocket")

// Connect connects with a target. The protocol says how its messages travel over HTTP.
func Connect(ctx context.Context, f record.Framing, to Target, p *protocol.Protocol) (rpc.Transport, error) {
	switch {
	case to.IsHTTP():
		return web.Dial(to.URL.String(), dialectOf(p), nil), nil
	case to.IsWeb():
		return ws.Dial(ctx, to.URL.String(), nil)
	}
	c, err := to.Dial(ctx)
	if err != nil {
		return nil, err
	}
	if f == record.Headers {
		return rpc.HeaderStream(c), nil
	}
	return rpc.Stream(c), nil
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

// Start starts a program and connects with its standard input and output. Closing the transport ends it.
func Start(f record.Framing, args []string, errs io.Writer) (rpc.Transport, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pipes := rpc.Pipes
	if f == record.Headers {
		pipes = rpc.HeaderPipes
	}
	return &program{Wrapped: rpc.Wrapped{Transport: pipes(out, in)}, end: sync.OnceFunc(func() {
		late := time.AfterFunc(leftover, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait() // its exit code says nothing about the conversation
	})}, nil
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
