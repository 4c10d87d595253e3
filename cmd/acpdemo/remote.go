// The agent as a server, and a client that reaches one by URL.

package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/web"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

// remote is an agent that clients reach over HTTP or a WebSocket, at the same URL. Each connection has an agent of its own; what
// they share is in the folder.
func remote(keep keeper) web.Ending {
	serve := func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		if err := serveAgent(ctx, t, keep); err != nil {
			log.Printf("a connection ended: %v", err)
		}
	}
	return &web.Sessions{Dialect: acp.HTTP, Serve: serve, Upgrade: &ws.Handler{Serve: serve}}
}

// dial returns a transport to an agent at a URL.
func dial(ctx context.Context, address string) (rpc.Transport, error) {
	at, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, err
	case at.Scheme == "ws" || at.Scheme == "wss":
		return ws.Dial(ctx, address, nil)
	case at.Scheme == "http" || at.Scheme == "https":
		return web.Dial(address, acp.HTTP, nil), nil
	}
	return nil, fmt.Errorf("%q is no URL with http, https, ws or wss", address)
}

func serveCommand(out io.Writer) *cobra.Command {
	var folder, address string
	c := &cobra.Command{
		Use: "serve", Short: "Be a scripted agent for remote clients", Args: cobra.NoArgs,
		Long: `Be a scripted agent over HTTP and WebSocket, for clients that name its URL. An interrupt ends it.

There is no authorization, so listen where only you can connect.`,
		Example: "  acpdemo serve --listen localhost:8700 --keep ~/.acpdemo",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			var config net.ListenConfig
			l, err := config.Listen(ctx, "tcp", address)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(out, "http://%s\n", l.Addr())
			return web.Serve(ctx, l, remote(keeper(folder)))
		},
	}
	c.Flags().StringVar(&address, "listen", "localhost:8700", "address to listen at")
	c.Flags().StringVar(&folder, "keep", "", "folder to keep conversations in, so that clients can load them")
	return c
}
