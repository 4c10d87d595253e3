// Command ahpdemo demonstrates a host and a client of the Agent Host Protocol over a WebSocket.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(os.Stdout).ExecuteContext(ctx)
	stop()
	if err != nil {
		os.Exit(1)
	}
}

func command(out io.Writer) *cobra.Command {
	var mu sync.Mutex
	hostLog, clientLog := journal{"host", &mu, out}, journal{"client", &mu, out}

	root := &cobra.Command{
		Use:   "ahpdemo",
		Short: "Show a host with a scripted agent and a client at work",
		Long: `Show a host with a scripted agent and a client at work, over a real WebSocket on this machine.

The client agrees on a version, opens a session, and has a turn in which a tool needs its consent. Then
the host refuses a title that was on show already, keeps an automation and runs it, and a connection breaks
in the middle of an answer.
Each line is an event; #N is the number that the host gives an action. At the end both sides print what
they hold of each state.

Without a command, both run in one process.`,
		Args: cobra.NoArgs, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return both(cmd.Context(), hostLog, clientLog) },
	}
	root.CompletionOptions.DisableDefaultCmd = true

	var listen, statusAt string
	hostCommand := &cobra.Command{
		Use: "host", Short: "Run the host alone, until it is interrupted", Args: cobra.NoArgs,
		Long: `Run the host alone, until it is interrupted.

With --status it also serves a page that shows its clients, channels, rates, latencies and queues as they
change, their figures as JSON at /figures, and probes at /livez and /readyz.`,
		Example: "  ahpdemo host --listen 127.0.0.1:8137\n  ahpdemo host --status 127.0.0.1:8138",
		RunE:    func(cmd *cobra.Command, _ []string) error { return alone(cmd.Context(), hostLog, listen, statusAt) },
	}
	hostCommand.Flags().StringVar(&listen, "listen", "127.0.0.1:8137", "address to listen on")
	hostCommand.Flags().StringVar(&statusAt, "status", "", "address to serve the status page on, if any")

	var url, id string
	var offers []string
	clientCommand := &cobra.Command{
		Use: "client", Short: "Run the client alone", Args: cobra.NoArgs,
		Example: "  ahpdemo client --url ws://127.0.0.1:8137 --offer 1.1.0",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return play(cmd.Context(), clientLog, id, url, offers)
		},
	}
	clientCommand.Flags().StringVar(&url, "url", "ws://127.0.0.1:8137", "URL of the host")
	clientCommand.Flags().StringVar(&id, "id", "alice", "id of the client")
	clientCommand.Flags().StringSliceVar(&offers, "offer", ahp.SupportedVersions(), "versions to offer, most preferred first")
	root.AddCommand(hostCommand, clientCommand, loadCommand(hostLog))
	return root
}

// alone runs a host until the context ends, with a status page at an address unless it is empty.
func alone(ctx context.Context, log journal, listen, statusAt string) error {
	var s status
	var o rpc.Observer
	if statusAt != "" {
		o = &s.counts
	}
	return serve(ctx, log, listen, o, func(ctx context.Context, h *host, url string) error {
		log.say("listens on %s", url)
		if statusAt == "" {
			<-ctx.Done()
			return nil
		}
		return s.serve(ctx, statusAt, h, func(url string) { log.say("shows its status on %s", url) })
	})
}

// both runs both sides in one process.
func both(ctx context.Context, hostLog, clientLog journal) error {
	return serve(ctx, hostLog, "127.0.0.1:0", nil, func(ctx context.Context, _ *host, url string) error {
		return play(ctx, clientLog, "alice", url, ahp.SupportedVersions())
	})
}

// serve runs a host while f runs, and prints the final states. The observer may be nil.
func serve(ctx context.Context, log journal, address string, o rpc.Observer, f func(ctx context.Context, h *host, url string) error) error {
	h, err := newHost(ctx, log, o, server.Limits{})
	if err != nil {
		return err
	}
	err = h.serveOn(ctx, address, func(ctx context.Context, url string) error { return f(ctx, h, url) })
	log.states(h.states())
	return err
}

// play runs a client.
func play(ctx context.Context, log journal, id, url string, offers []string) error {
	c, err := connect(ctx, log, id, url, offers)
	if err != nil {
		return err
	}
	return c.play(ctx)
}
