// Meet: programs that are clients, and find their server by what stands in their arguments.

package tap

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// The places in the arguments of a client for its server: a URL of a WebSocket, an address, and a command.
const (
	PlaceURL     = "{url}"
	PlaceAddress = "{address}"
	PlaceServer  = "{server}"
)

// ErrNoClient is returned for a client that has ended without a connection.
var ErrNoClient = errors.New("the program has ended, and has not connected")

// Meet starts a client and links to it. Its arguments say where its server is: relay is a command that passes on its standard
// input and output to the address that follows it. Without such a place, the standard input and output of the client are the connection.
func Meet(ctx context.Context, f record.Framing, args, relay []string, errs io.Writer) (*Link, error) {
	has := func(place string) bool {
		return slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, place) })
	}
	if !has(PlaceURL) && !has(PlaceAddress) && !has(PlaceServer) {
		return Start(f, args, errs)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	links := make(chan *Link, 1)
	stop := func() { _ = l.Close() }
	if has(PlaceURL) {
		stop = acceptSocket(l, links)
	} else {
		go acceptStream(l, f, links)
	}
	cmd := exec.Command(args[0], replaced(args[1:], l.Addr().String(), relay)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = unlessDiscarded(errs), unlessDiscarded(errs), leftover
	apart(cmd)
	if err := cmd.Start(); err != nil {
		stop()
		return nil, err
	}
	gone, ended, end := wait(cmd)
	kill := sync.OnceFunc(func() {
		stop()
		signalAll(cmd, os.Kill)
		end()
	})
	select {
	case link := <-links:
		link.Ended, link.Kill = ended, kill
		link.Transport = &program{Wrapped: rpc.Wrapped{Transport: link.Transport}, end: kill}
		return link, nil
	case <-gone:
		err = ErrNoClient
	case <-ctx.Done():
		err = ctx.Err()
	}
	kill()
	return nil, err
}

// replaced returns arguments with an address in their places.
func replaced(args []string, address string, relay []string) (out []string) {
	command := append(slices.Clone(relay), address)
	for _, arg := range args {
		if arg == PlaceServer {
			out = append(out, command...)
			continue
		}
		out = append(out, strings.NewReplacer(PlaceURL, "ws://"+address, PlaceAddress, address, PlaceServer, strings.Join(command, " ")).Replace(arg))
	}
	return out
}

// acceptStream accepts one connection.
func acceptStream(l net.Listener, f record.Framing, to chan<- *Link) {
	c, err := l.Accept()
	_ = l.Close()
	if err == nil {
		to <- LinkOf(f, c)
	}
}

// acceptSocket accepts WebSockets, and links to the first.
func acceptSocket(l net.Listener, to chan<- *Link) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var once sync.Once
	go func() {
		_ = ws.Serve(ctx, l, &ws.Handler{Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
			once.Do(func() {
				over := make(chan struct{})
				cut := sync.OnceFunc(func() { close(over) })
				to <- &Link{Transport: &program{Wrapped: rpc.Wrapped{Transport: t}, end: cut}, Cut: cut}
				select {
				case <-over:
				case <-ctx.Done():
				}
			})
		}})
	}()
	return cancel
}

// Relay passes on what is said on a pair of streams to an address, until one of both ends.
func Relay(ctx context.Context, address string, in io.Reader, out io.Writer) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	go func() {
		_, _ = io.Copy(c, in)
		if half, ok := c.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(out, c)
	return err
}
