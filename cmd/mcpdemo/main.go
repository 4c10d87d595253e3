// Command mcpdemo is a server of the Model Context Protocol that keeps notes, for clients of two eras: of versions 2025-06-18 and
// 2025-11-25, which have sessions, and of 2026-07-28, in which each request stands for itself.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/mcpdemo/sessions"
	"github.com/ahpgen/ahpgen/generated/mcp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/web"
)

//go:generate go run ../ahpgen generate sessions

func main() {
	if err := command(os.Stdin, os.Stdout).Execute(); err != nil {
		os.Exit(1)
	}
}

func command(in io.ReadCloser, out io.WriteCloser) *cobra.Command {
	var address string
	var pageSize int
	c := &cobra.Command{
		Use: "mcpdemo", Short: "Keep notes for clients of the Model Context Protocol", Args: cobra.NoArgs,
		Long: `Keep notes for clients of the Model Context Protocol, in memory. Clients start mcpdemo and talk to it over its standard
input and output, or reach it over HTTP.

It speaks 2025-06-18, 2025-11-25 and 2026-07-28. Its tools:
  add_note  adds a note, which becomes a resource
  wait      takes some time, and reports progress; it may run as a task
  greet     asks the user for a name
  add_tool  adds another tool, of which clients are notified`,
		Example: `  mcpdemo
  mcpdemo --http localhost:8080`,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			notes := newNotes(pageSize)
			if address == "" {
				return serveStream(ctx, notes, rpc.Pipes(in, out))
			}
			l, err := net.Listen("tcp", address)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "http://%s\n", l.Addr())
			return web.Serve(ctx, l, newHandler(notes))
		},
	}
	c.CompletionOptions.DisableDefaultCmd = true
	c.Flags().StringVar(&address, "http", "", "address to listen on for HTTP, such as localhost:8080, instead of standard input and output")
	c.Flags().IntVar(&pageSize, "page", 50, "how many tools or resources a page of a list has")
	return c
}

// newHandler serves both eras over HTTP.
func newHandler(c *catalogue) *web.Handler {
	return &web.Handler{
		Dialect: mcp.HTTP,
		Handler: newest{c}.handlers(),
		Schema: func(name string) json.RawMessage {
			if t := c.tool(name); t != nil {
				return t.schema
			}
			return nil
		},
		Older: &web.Sessions{Dialect: sessions.HTTP, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
			_ = serveSession(ctx, c, rpc.NewPeer(t, nil)) // it ends with the session
		}},
	}
}

// serveStream serves one client, whose first message tells which era it is of.
func serveStream(ctx context.Context, c *catalogue, t rpc.Transport) error {
	peer := rpc.NewPeer(t, nil)
	peer.Translate(sessions.NewTranslator()) // for clients of 2025-06-18, once they have agreed on it
	return peer.Serve(ctx, &either{newest: newest{c}.handlers(), older: newSession(c, peer).handlers(ctx)})
}

// either handles messages of both eras. A client that initializes is of the older one from then on.
type either struct {
	newest      *mcp.ServerHandlers
	older       *sessions.ServerHandlers
	initialized atomic.Bool
}

// DecodeRPC implements [rpc.Handler].
func (e *either) DecodeRPC(data []byte) (rpc.Message, error) {
	if !e.initialized.Load() {
		m, err := e.newest.DecodeRPC(data)
		if err != nil || m.Method != "initialize" {
			return m, err
		}
		e.initialized.Store(true)
	}
	return e.older.DecodeRPC(data)
}

// ServeRPC implements [rpc.Handler].
func (e *either) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	if e.initialized.Load() {
		return e.older.ServeRPC(ctx, m)
	}
	return e.newest.ServeRPC(ctx, m)
}
