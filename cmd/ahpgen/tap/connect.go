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
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// ErrNoHTTP is returned for a URL whose messages are requests of HTTP.
var ErrNoHTTP = errors.New("only a tap passes on HTTP: name a program, or an address of a stream or a WebSocket")

// Connect connects with a target.
func Connect(ctx context.Context, f record.Framing, to Target) (rpc.Transport, error) {
	switch {
	case to.IsHTTP():
		return nil, ErrNoHTTP
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
