// Command acpdemo has both sides of the Agent Client Protocol: a scripted agent for editors, and a terminal client
// that can start any agent.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

func main() {
	if err := command(os.Stdin, os.Stdout).Execute(); err != nil {
		os.Exit(1)
	}
}

func command(in io.ReadCloser, out io.WriteCloser) *cobra.Command {
	root := &cobra.Command{
		Use:   "acpdemo",
		Short: "Be a scripted agent, or a client for the terminal, of the Agent Client Protocol",
		Long: `Be either side of the Agent Client Protocol.

The agent plays a script in the place of a model. The client starts an agent, any one that speaks version 1 over
its standard input and output, and shows what it does.`,
		Example:      "  acpdemo run acpdemo agent",
		SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(agentCommand(in, out), serveCommand(out), runCommand(in, out))
	return root
}

func agentCommand(in io.ReadCloser, out io.WriteCloser) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use: "agent", Short: "Be a scripted agent on standard input and output", Args: cobra.NoArgs,
		Long: `Be a scripted agent on standard input and output. Editors start it; name it in their settings as they ask for it.

Whatever you tell it, it adds to notes.md in the folder of the session, through the editor, and asks you first.
  /count N    answers with N updates
  /wait       answers when you cancel
  /extension  calls a method that the protocol does not define`,
		Example: "  acpdemo agent --keep ~/.acpdemo",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			return serveAgent(ctx, rpc.Pipes(in, out), keeper(folder))
		},
	}
	c.Flags().StringVar(&folder, "keep", "", "folder to keep conversations in, so that another run can load them")
	return c
}

func runCommand(in io.Reader, out io.Writer) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "run [flags] [COMMAND [ARG…]]", Short: "Start an agent and talk to it",
		Long: `Start an agent and talk to it, or to one at a URL. Each line that you type is a prompt, and ? lists the agent's commands.
An end of input ends the session.

The agent may read and write files below one folder, the current one unless --root names another. Before a tool
runs, it may ask you; with --allow or --reject it does not ask. An interrupt cancels the turn, and another one
ends the program.`,
		Example: `  acpdemo run acpdemo agent
  acpdemo run --prompt "Buy milk" --allow acpdemo agent
  acpdemo run --load session-1 --root ~/project acpdemo agent --keep ~/.acpdemo
  acpdemo run --url ws://localhost:8700`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.url != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			interrupts := make(chan os.Signal, 1)
			signal.Notify(interrupts, os.Interrupt)
			defer signal.Stop(interrupts)
			return runAgent(cmd.Context(), args, o, terminal{in: in, out: out, errors: cmd.ErrOrStderr(), interrupts: interrupts})
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // flags after the command belong to the agent
	f.StringArrayVar(&o.prompts, "prompt", nil, "say this instead of what is typed; may be given several times")
	f.StringVar(&o.root, "root", ".", "folder that the agent may use")
	f.StringVar(&o.url, "url", "", "agent to talk to instead of one that is started: http, https, ws or wss")
	f.StringVar(&o.load, "load", "", "session to go on with")
	f.StringVar(&o.auth, "auth", "", "id of the method to authenticate with")
	f.BoolVar(&o.allow, "allow", false, "allow all that the agent asks for")
	f.BoolVar(&o.reject, "reject", false, "reject all that the agent asks for")
	c.MarkFlagsMutuallyExclusive("allow", "reject")
	return c
}

// runAgent starts an agent, or connects to one, and talks to it.
func runAgent(ctx context.Context, args []string, o options, t terminal) error {
	if o.url != "" {
		remote, err := dial(ctx, o.url)
		if err != nil {
			return err
		}
		return talk(ctx, remote, o, t)
	}
	p, err := start(ctx, args, t.errors)
	if err != nil {
		return err
	}
	return p.end(talk(ctx, p.transport, o, t))
}
