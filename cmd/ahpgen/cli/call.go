// The call command.

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/call"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/lines"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// callFlags are the flags of the call command.
type callFlags struct {
	dial     dialFlags
	hello    string
	bare     bool
	notify   []string
	watch    bool
	during   time.Duration
	patience time.Duration
	fail     bool
}

func (a *app) call() *cobra.Command {
	var flags callFlags
	cmd := &cobra.Command{
		Use:   "call {-- PROGRAM [ARG...] | --dial ADDRESS} METHOD [PARAMETERS | MEMBER=VALUE...]",
		Short: "Send a request to a host, an agent or a server, and print the result",
		Long: `Call starts a program or connects with an address, opens the connection as the profile says, sends one
request or notification, and prints the result. The parameters are JSON, or @FILE with JSON, or members with
values: a path with dots, and a text or JSON, as in arguments.title=Milk. A shell completes methods, members
and values from the schemas. What these do not allow, on either side, is printed to standard error, and
with --fail ends with exit code 1, as errors do; -v prints every message there.

The handshake offers the versions of the schemas, and has what they require; --hello adds members to it or
replaces them, such as capabilities. Of several embedded versions, the newest with a handshake is spoken,
unless one is named. --watch prints notifications as they come, a line of JSON for each, also those before the
answer, and goes on until it is interrupted or the connection ends.`,
		Example: `  ahpgen call --schemas mcp -- my-server tools/list
  ahpgen call --schemas mcp -- my-server tools/call '{"name": "add_note", "arguments": {"title": "Milk"}}'
  ahpgen call --schemas mcp -- my-server tools/call name=add_note arguments.title=Milk
  ahpgen call --schemas acp --hello '{"clientCapabilities": {"terminal": true}}' -- my-agent session/new @new.json
  ahpgen call --schemas mcp --dial https://localhost:8443/mcp --header @token.txt tools/list
  ahpgen call --schemas ahp --dial ws://localhost:8137 --watch subscribe channel=ahp-root://`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &generator.UsageError{Message: "name a method, behind a program or an address"}
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runCall(cmd, &flags, args) },
		ValidArgsFunction: a.completeCall,
	}
	a.inputFlags(cmd)
	f := cmd.Flags()
	flags.dial.add(f)
	f.StringVar(&flags.hello, "hello", "", "members of the handshake, as `JSON`")
	f.BoolVar(&flags.bare, "no-hello", false, "send the request without a handshake")
	f.StringSliceVar(&flags.notify, "notify", nil, "send this `notification` behind the handshake, such as notifications/initialized")
	f.BoolVar(&flags.watch, "watch", false, "print notifications until it is interrupted")
	f.DurationVar(&flags.during, "for", 0, "end --watch after this time")
	f.BoolVar(&flags.fail, "fail", false, "exit with 1 if there are findings, such as a result that the schema does not allow")
	f.DurationVar(&flags.patience, "patience", time.Minute, "how long to wait for the answer")
	return cmd
}

// spoken returns the protocol to speak: the first version with a handshake, or else the first.
func spoken(versions []judge.Version) *protocol.Protocol {
	for i := range versions {
		if p := versions[i].Get(); p != nil && p.Handshake != nil {
			return p
		}
	}
	return versions[0].Protocol
}

// completeCall completes the methods of clients, and behind one the members of its parameters.
func (a *app) completeCall(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	a.cmd, a.quiet = cmd, true
	_, versions, err := a.versionsOf(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	p := spoken(versions)
	if at := methodAt(p, args); at >= 0 && (at < len(args)-1 || cmd.Flag("dial").Changed || at > 0) {
		out := call.Complete(p.Method(args[at]), args[at+1:], typed)
		directive := cobra.ShellCompDirectiveNoFileComp
		if len(out) > 0 && !strings.Contains(typed, "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return out, directive
	}
	return words(cobra.ShellCompDirectiveDefault, methodsOf(p)...)(cmd, nil, typed)
}

// methodsOf returns the names of what clients send.
func methodsOf(p *protocol.Protocol) (out []string) {
	for _, m := range p.Methods {
		if m.From != protocol.FromHost {
			out = append(out, m.Name)
		}
	}
	return out
}

// methodAt returns the index of the method among arguments, or -1: behind it are words, or one argument of any kind.
func methodAt(p *protocol.Protocol, args []string) int {
	for at := len(args) - 1; at >= 0; at-- {
		switch {
		case p.Method(args[at]) != nil:
			return at
		case at < len(args)-1 && !call.IsWord(args[at]):
			return -1
		}
	}
	return -1
}

// request splits the arguments: a program, a method and perhaps parameters. For an unknown method, it proposes a command that lists them.
func request(p *protocol.Protocol, args []string, inspect string) (program []string, method *protocol.Method, params []string, err error) {
	at := methodAt(p, args)
	if at < 0 {
		named := slices.DeleteFunc(slices.Clone(args), call.IsWord)
		name := args[len(args)-1]
		if len(named) > 0 {
			name = named[len(named)-1]
		}
		message := fmt.Sprintf("%s %s has no method %s", p.Title, p.Version, inside.VisibleLine(name))
		if near := inside.Nearest(name, methodsOf(p)); near != "" {
			message += "; did you mean " + near + "?"
		}
		return nil, nil, nil, &generator.FlagError{Message: message, Lines: []string{inspect}}
	}
	if method = p.Method(args[at]); method.From == protocol.FromHost {
		return nil, nil, nil, &generator.UsageError{Message: fmt.Sprintf("%s is sent by %s", method.Name, p.Sides.A(protocol.FromHost))}
	}
	return args[:at], method, args[at+1:], nil
}

// readParams reads parameters: words, or one argument that is JSON or names a file.
func readParams(m *protocol.Method, args []string) (json.RawMessage, error) {
	what := "the parameters of " + m.Name
	switch {
	case len(args) == 0:
		return nil, nil
	case len(args) == 1 && !call.IsWord(args[0]):
		return readObject(what, args[0])
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return !call.IsWord(arg) }); i >= 0 {
		return nil, &generator.UsageError{Message: fmt.Sprintf("%s: %s is no member with a value, such as name=value", what, inside.VisibleLine(args[i]))}
	}
	params, err := call.Params(m, args)
	if err != nil {
		return nil, &generator.UsageError{Message: what + ": " + err.Error()}
	}
	return json.Marshal(params)
}

// readObject reads JSON of an argument, or of the file that it names.
func readObject(what, text string) (json.RawMessage, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the parameters: %w", err)
		}
		text = string(data)
	}
	if text == "" {
		return nil, nil
	}
	var v json.RawMessage
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, &generator.UsageError{Message: fmt.Sprintf("%s: no JSON: %v", what, err)}
	}
	return v, nil
}

func (a *app) runCall(cmd *cobra.Command, flags *callFlags, args []string) error {
	config, versions, err := a.versionsOf(cmd)
	if err != nil {
		return err
	}
	p, inspect := spoken(versions), "ahpgen inspect"
	if changed(cmd, "schemas") {
		inspect += " --schemas " + quote(config.Schemas)
	}
	program, method, words, err := request(p, args, inspect)
	if err != nil {
		return err
	}
	params, err := readParams(method, words)
	if err != nil {
		return err
	}
	if params, err = withMetadata(p, method, params); err != nil {
		return err
	}
	more, err := readObject("--hello", flags.hello)
	if err != nil {
		return err
	}
	hello := map[string]any{}
	if more != nil && json.Unmarshal(more, &hello) != nil {
		return &generator.FlagError{Message: "--hello takes a JSON object", Flag: "hello", Value: "{}"}
	}
	framing, err := framingOf("", p)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), tap.Interrupts()...)
	defer stop()
	colour := isTerminal(a.rawErr) && coloured(os.Getenv)
	t, err := a.connect(ctx, framing, p, &flags.dial, program)
	if err != nil {
		return err
	}
	printer := &lines.Printer{To: a.rawErr, Colour: colour, Filter: lines.Filter{Findings: !a.verbose}}
	j := judge.New([]judge.Version{{Protocol: p}})
	c := &caller{app: a, flags: flags, p: p, hello: hello, link: t}
	var wrong atomic.Bool
	err = c.run(ctx, j, func(m *judge.Message) {
		if slices.ContainsFunc(m.Findings, func(f judge.Finding) bool { return !f.Note }) {
			wrong.Store(true)
		}
		printer.Print(m)
	}, method, params)
	if err == nil && flags.fail && wrong.Load() {
		return exitCode(exitFindings)
	}
	return err
}

// withMetadata adds the metadata by which each request describes its sender.
func withMetadata(p *protocol.Protocol, m *protocol.Method, params json.RawMessage) (json.RawMessage, error) {
	var object map[string]any
	if params != nil && params[0] != '{' {
		return params, nil // a list
	}
	if params != nil {
		if err := json.Unmarshal(params, &object); err != nil {
			return nil, err
		}
	}
	with := call.WithMetadata(p, m, object)
	if len(with) == len(object) {
		return params, nil
	}
	return json.Marshal(with)
}

// caller is one call.
type caller struct {
	*app
	flags *callFlags
	p     *protocol.Protocol
	hello map[string]any
	link  *tap.Link

	mu   sync.Mutex // guards what is printed, by two goroutines
	over bool       // nothing more is printed
}

func (c *caller) run(ctx context.Context, j *judge.Judge, print func(*judge.Message), method *protocol.Method, params json.RawMessage) error {
	shown := make(chan struct{})
	show := sync.OnceFunc(func() { close(shown) })
	h := &call.Handler{Table: j.Table(), Notice: c.notice, Shown: shown}
	t := call.Watched(c.link, j, func(m *judge.Message) {
		if m.From == protocol.FromClient && m.Kind == rpc.Request && m.Method == method.Name {
			h.Asked(m.ID)
		}
		print(m)
	})
	peer := rpc.NewPeer(t, &rpc.Options{Envelope: h.Table.Envelope, CallTimeout: c.flags.patience})
	served := make(chan error, 1)
	go func() { served <- peer.Serve(ctx, h) }()
	defer c.end() // where it was interrupted, the peer has closed by itself, and nothing waits for that
	defer peer.Close()
	defer c.hush()
	defer show()
	if err := c.open(ctx, peer, method); err != nil {
		return err
	}
	if method.Notification {
		if err := errors.Join(peer.Notify(ctx, method.Name, params), peer.Flush(ctx)); err != nil {
			return fmt.Errorf("%s: %w", method.Name, err)
		}
	} else {
		result, err := peer.Call(ctx, method.Name, params)
		if err != nil {
			return c.refused(method, err)
		}
		c.print(result)
		show()
	}
	if c.flags.watch {
		return c.watch(ctx, served)
	}
	return nil
}

// end waits until the program has ended, if there is one.
func (c *caller) end() {
	if c.link.Ended != nil {
		_ = c.link.Close("")
	}
}

// notice prints a notification, if they are watched.
func (c *caller) notice(method string, params json.RawMessage) {
	line, err := json.Marshal(struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params,omitempty"`
	}{method, params})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flags.watch && !c.over && err == nil {
		fmt.Fprintf(c.stdout, "%s\n", line)
		_ = c.stdout.Flush()
	}
}

// print prints a result.
func (c *caller) print(result json.RawMessage) {
	var b bytes.Buffer
	if json.Indent(&b, result, "", "  ") != nil {
		b.Write(result)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.stdout, "%s\n", b.Bytes())
}

// hush ends the printing of notifications.
func (c *caller) hush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// watch waits until the time is over, or the connection.
func (c *caller) watch(ctx context.Context, served <-chan error) error {
	if c.flags.during > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, c.flags.during)
		defer end()
	}
	select {
	case <-ctx.Done():
	case err := <-served:
		if err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("watch: %w", err)
		}
	}
	return nil
}

// open opens the connection as the profile says.
func (c *caller) open(ctx context.Context, peer *rpc.Peer, method *protocol.Method) error {
	h := c.p.Handshake
	if h == nil || c.flags.bare || method == h.Method {
		return nil
	}
	params, err := json.Marshal(call.Hello(c.p, c.hello))
	if err != nil {
		return err
	}
	if _, err := peer.Call(ctx, h.Method.Name, params); err != nil {
		return c.refused(h.Method, err)
	}
	for _, name := range c.flags.notify {
		if err := peer.Notify(ctx, name, nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// refused prints an error that the other side has answered with.
func (c *caller) refused(method *protocol.Method, err error) error {
	var e *rpc.Error
	if !errors.As(err, &e) {
		if errors.Is(err, rpc.ErrClosed) && c.link.Ended != nil {
			if exit, ok := c.link.Ended(time.Second); ok {
				err = fmt.Errorf("the program has ended with exit code %d, and has not answered", exit.Code)
			}
		}
		return fmt.Errorf("%s: %w", method.Name, err)
	}
	text := fmt.Sprintf("%s: error %d: %s", method.Name, e.Code, e.Message)
	if known := c.p.Error(e.Code); known != nil {
		text = fmt.Sprintf("%s: error %d (%s): %s", method.Name, e.Code, known.Name, e.Message)
	}
	if len(e.Data) > 0 {
		text += ": " + string(e.Data)
	}
	fmt.Fprintf(c.stderr, "ahpgen: %s\n", inside.VisibleLine(inside.VisibleCut(text, maxError)))
	return exitCode(exitFindings)
}
