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

	var listen string
	hostCommand := &cobra.Command{
		Use: "host", Short: "Run the host alone, until it is interrupted", Args: cobra.NoArgs,
		Example: "  ahpdemo host --listen 127.0.0.1:8137",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), hostLog, listen, func(_ context.Context, url string) error {
				hostLog.say("listens on %s", url)
				<-cmd.Context().Done()
				return nil
			})
		},
	}
	hostCommand.Flags().StringVar(&listen, "listen", "127.0.0.1:8137", "address to listen on")

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

// both runs both sides in one process.
func both(ctx context.Context, hostLog, clientLog journal) error {
	return serve(ctx, hostLog, "127.0.0.1:0", func(ctx context.Context, url string) error {
		return play(ctx, clientLog, "alice", url, ahp.SupportedVersions())
	})
}

// serve runs a host while f runs, and prints the final states.
func serve(ctx context.Context, log journal, address string, f func(ctx context.Context, url string) error) error {
	h, err := newHost(ctx, log, nil, server.Limits{})
	if err != nil {
		return err
	}
	err = h.serveOn(ctx, address, f)
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
