// The replay command.

package cli

import (
	"cmp"
	"context"
	"fmt"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/replay"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// replayFlags are the flags of the replay command.
type replayFlags struct {
	to      string
	dial    dialFlags
	conn    int
	ignore  []string
	options replay.Options
}

func (a *app) replay() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE {-- PROGRAM [ARG...] | --dial ADDRESS}",
		Short: "Play one side of a recording to a program, and report what it says otherwise",
		Long: `Replay sends what one side has sent in a recording of ahpgen tap to a program, or to an address, in the
place of that side, and compares what comes back with what the other side has said: each answer with the one
to the same request, and other messages with the same method in their order. What differs is printed, with
the number of the recorded message and the place in it.

Each message is sent when what came before it in the recording is there, or --patience is over. --timed keeps
the pauses as well, and --at-once waits for nothing. Requests have the ids of the recording; those that come
may have others, and are answered with them.`,
		Example: `  ahpgen replay talk.jsonl -- my-agent
  ahpgen replay talk.jsonl --ignore '**.sessionId' --ignore result.agentInfo.version -- my-agent
  ahpgen replay talk.jsonl --to client -- my-client
  ahpgen replay talk.jsonl --dial ws://localhost:8137 --timed
  ahpgen replay talk.jsonl --dial http://localhost:8080/mcp --ignore '**.expires'`,
		Args: theRecording,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runReplay(cmd, &flags, args[0], args[1:]) },
	}
	a.inputFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.to, "to", "host", "the side that the program or the address is: client or host")
	flags.dial.add(f)
	f.IntVar(&flags.conn, "conn", 1, "the connection of the recording to play")
	f.BoolVar(&flags.options.Timed, "timed", false, "keep the pauses of the recording")
	f.BoolVar(&flags.options.AtOnce, "at-once", false, "send everything at once, without waiting for answers")
	f.DurationVar(&flags.options.Wait, "patience", 5*time.Second, "how long to wait for an answer")
	f.StringSliceVar(&flags.ignore, "ignore", nil, "a `path` in messages that may differ, such as result.sessionId or **.time")
	return cmd
}

func (a *app) runReplay(cmd *cobra.Command, flags *replayFlags, name string, program []string) error {
	r, err := a.openRecording(cmd, name)
	if err != nil {
		return err
	}
	defer r.file.Close()
	side, err := playedSide(flags.to, r.judge)
	if err != nil {
		return err
	}
	flags.options.Side, flags.options.Table = side, r.judge.Table()
	for _, path := range flags.ignore {
		flags.options.Ignore = append(flags.options.Ignore, strings.Split(path, "."))
	}
	messages, conns, err := replay.Messages(r.Reader, flags.conn)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", name, err)
	case len(messages) == 0 && conns > 0:
		return &generator.FlagError{Message: fmt.Sprintf("there is no connection %d: the recording has %d", flags.conn, conns), Flag: "conn", Value: "1"}
	case len(messages) == 0:
		return &diag.HintError{Err: fmt.Errorf("%s has no messages", name), Hint: "there is nothing to play: record a conversation with ahpgen tap --record"}
	case side == protocol.FromHost && strings.HasPrefix(flags.dial.address, "http"):
		return &generator.UsageError{Message: "no client waits at an address for HTTP: name a program after --"}
	}
	ctx, stop := signal.NotifyContext(context.Background(), tap.Interrupts()...)
	defer stop()
	t, err := a.connect(ctx, r.Head.Framing, r.spoken(messages), &flags.dial, program)
	if err != nil {
		return err
	}
	found, err := replay.Run(ctx, t, messages, flags.options)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	sent := 0
	for _, m := range messages {
		if m.From == side {
			sent++
		}
	}
	for _, d := range found {
		at := "message " + fmt.Sprint(d.N)
		if d.N == 0 {
			at = "more"
		}
		if d.Path != "" {
			d.Text = d.Path + " " + d.Text
		}
		fmt.Fprintf(a.stdout, "%s: %s: %s\n", at, inside.VisibleName(d.What), inside.VisibleLine(d.Text))
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "sent %s, compared %s: %s\n", plural(sent, "message"), plural(len(messages)-sent, "message"), plural(len(found), "difference"))
	}
	if len(found) > 0 {
		return exitCode(exitFindings)
	}
	return nil
}

// spoken returns the protocol of messages that may travel over HTTP: of the version that has their first method, as a handshake
// or otherwise.
func (r *recording) spoken(messages []replay.Message) *protocol.Protocol {
	first, err := rpc.Decode(messages[0].Body, r.judge.Table())
	if err != nil {
		return r.versions[0].Protocol // it is played as it is
	}
	var with *protocol.Protocol
	for i := range r.versions {
		p := r.versions[i].Get()
		switch {
		case p == nil:
		case p.Handshake != nil && p.Handshake.Method.Name == first.Method:
			return p
		case with == nil && p.Method(first.Method) != nil:
			with = p
		}
	}
	return cmp.Or(with, r.versions[0].Protocol)
}

// playedSide returns the side that is played to another one, which the protocol may have a name for.
func playedSide(to string, j *judge.Judge) (protocol.Side, error) {
	for _, side := range []protocol.Side{protocol.FromHost, protocol.FromClient} {
		if to == string(side) || to == j.Name(side) {
			return side.Peer(), nil
		}
	}
	return "", &generator.FlagError{Message: fmt.Sprintf("there is no side %q; there is client and %s", to, j.Name(protocol.FromHost)), Flag: "to", Value: "host"}
}
