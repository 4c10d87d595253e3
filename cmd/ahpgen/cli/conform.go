// The conform command.

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/conform"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// conformFlags are the flags of the conform command.
type conformFlags struct {
	options  conform.Options
	dial     dialFlags
	as       string
	relay    string
	hello    string
	params   []string
	expected string
	accept   string
	junit    string
	json     bool
	list     bool
	errors   bool
}

func (a *app) conform() *cobra.Command {
	var flags conformFlags
	cmd := &cobra.Command{
		Use:   "conform {-- PROGRAM [ARG...] | --dial ADDRESS}",
		Short: "Play scenarios to a program, and report what it does otherwise than the protocol says",
		Long: `Conform starts a program, or connects with an address, again and again, plays scenarios to it as a client,
and reports what it does otherwise than the schemas and the profile say. The scenarios are made from these: the
handshake and its versions; each method with parameters that its schema allows and with some that it does
not; members, values, methods and notifications of no version; messages that are none, or in unusual forms; ids;
many requests at once; cancelled ones; answers of the client that are errors or wrong; actions, snapshots and
clients that come back, where the protocol has states; large messages; clients that leave in the middle. All
that the program says meanwhile is judged as by ahpgen tap. --list lists the scenarios, and "ahpgen rules
--conform" the rules.

Parameters are the examples of ahpgen doc, with what is required alone, with ids and channels that
the program has handed out, and with a temporary folder in the place of a project's. --params gives a method
others: a file or a name that there is, so that more of the program is reached.

With --as client the program is a client, to which the other side is played. Its arguments have {url} or
{address} where they say what it connects with, or {server} for a server that it starts; without them, its
standard input and output are the connection.

Findings that are known stand in a file (--expected), each with its scenario, its rule and a reason; --accept
adds those of the run. One that does not occur any more is reported, so that the file stays true. The exit code is
1 if there is a finding that is not in the file, or an entry without a finding. What the protocol leaves open is a
note, which -v prints.`,
		Example: `  ahpgen conform --schemas acp -- my-agent --flag
  ahpgen conform --schemas mcp --notify notifications/initialized -- npx my-server
  ahpgen conform --schemas ahp --dial ws://localhost:8137 --junit report.xml
  ahpgen conform --schemas mcp --params 'tools/call={"name": "echo", "arguments": {"message": "x"}}' -- my-server
  ahpgen conform --schemas acp --as client -- my-client --prompt hello {server}
  ahpgen conform --schemas acp --only handshake --only 'params/session/*' -v -- my-agent
  ahpgen conform --schemas acp --expected conform.json --accept "as of release 1.2" -- my-agent`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.relay != "" {
				return tap.Relay(context.Background(), flags.relay, os.Stdin, a.raw)
			}
			return a.runConform(cmd, &flags, args)
		},
	}
	a.inputFlags(cmd)
	flags.add(cmd)
	return cmd
}

// add adds the flags to a command.
func (flags *conformFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.dial.add(f)
	f.StringVar(&flags.as, "as", "", "what the program is: client, or the `side` that serves (default: that side)")
	f.StringVar(&flags.relay, "relay", "", "pass on standard input and output to this `address`")
	_ = f.MarkHidden("relay") // clients start it as their server
	f.StringVar(&flags.hello, "hello", "", "members of the handshake, or of its answer with --as client, as `JSON`")
	f.StringSliceVar(&flags.options.Notify, "notify", nil, "send this `notification` behind the handshake, such as notifications/initialized")
	f.StringArrayVar(&flags.params, "params", nil, "parameters of a method, as `METHOD=JSON` or METHOD=@FILE")
	f.StringSliceVar(&flags.options.Only, "only", nil, "only this `scenario`, or all below it; * is any text")
	f.StringSliceVar(&flags.options.Skip, "skip", nil, "not this `scenario`, or those below it")
	f.StringSliceVar(&flags.options.Without, "without", nil, "do not call this `method`")
	f.StringVar(&flags.expected, "expected", "", "`file` of expected findings")
	f.StringVar(&flags.accept, "accept", "", "write the findings into that file, with this `reason`, and remove what has not occurred")
	f.StringVar(&flags.junit, "junit", "", "write a report for CI to this `file`")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	f.BoolVar(&flags.list, "list", false, "list the scenarios and end")
	f.BoolVar(&flags.errors, "stderr", false, "pass on the standard error of the program")
	f.DurationVar(&flags.options.Patience, "patience", 5*time.Second, "how long to wait for an answer")
}

// conformOptions checks the flags.
func (a *app) conformOptions(flags *conformFlags, versions []judge.Version) error {
	o := &flags.options
	o.Versions, o.Protocol = versions, spoken(versions)
	switch flags.as {
	case "", string(protocol.FromHost), o.Protocol.Sides.Name(protocol.FromHost):
		o.Side = protocol.FromHost
	case string(protocol.FromClient), o.Protocol.Sides.Name(protocol.FromClient):
		if o.Side = protocol.FromClient; flags.dial.address != "" {
			return &generator.FlagError{Message: "a client is started, and not connected with", Without: []string{"dial", "header"}}
		}
		if len(flags.dial.headers) > 0 {
			return &generator.FlagError{Message: "--header is for addresses that are URLs, and not for programs", Without: []string{"header"}}
		}
	default:
		return &generator.FlagError{Message: fmt.Sprintf("there is no side %q; there is client and %s", flags.as, o.Protocol.Sides.Name(protocol.FromHost)), Flag: "as", Value: "client"}
	}
	more, err := readObject("--hello", flags.hello)
	if err != nil {
		return err
	}
	if more != nil {
		var ok bool
		if o.Hello, ok = inside.DecodeState(more).(map[string]any); !ok {
			return &generator.FlagError{Message: "--hello takes a JSON object", Flag: "hello", Value: "{}"}
		}
	}
	o.Params = map[string]any{}
	for _, text := range flags.params {
		name, value, ok := strings.Cut(text, "=")
		if m := o.Protocol.Method(name); !ok || m == nil || m.From == protocol.FromHost {
			return &generator.FlagError{Message: fmt.Sprintf("--params: there is no method %s of %s", inside.VisibleLine(name), o.Protocol.Sides.A(protocol.FromClient)), Flag: "params", Value: "METHOD=JSON"}
		}
		v, err := readObject("--params", value)
		if err != nil {
			return err
		}
		if o.Params[name] = inside.DecodeState(v); o.Params[name] == nil {
			return &generator.FlagError{Message: "--params: " + name + " has none", Flag: "params", Value: "METHOD=JSON"}
		}
	}
	for _, name := range o.Notify {
		if m := o.Protocol.Method(name); m == nil || !m.Notification || m.From == protocol.FromHost {
			return &generator.FlagError{Message: fmt.Sprintf("--notify: there is no notification %s of %s", inside.VisibleLine(name), o.Protocol.Sides.A(protocol.FromClient)), Flag: "notify", Value: "NOTIFICATION"}
		}
	}
	if flags.accept != "" && flags.expected == "" {
		return &generator.UsageError{Message: "--accept needs --expected, the file to write to"}
	}
	return nil
}

func (a *app) runConform(cmd *cobra.Command, flags *conformFlags, program []string) error {
	_, versions, err := a.versionsOf(cmd)
	if err != nil {
		return err
	}
	if err := a.conformOptions(flags, versions); err != nil {
		return err
	}
	o := &flags.options
	scenarios := conform.Scenarios(o)
	if len(scenarios) == 0 {
		return &generator.UsageError{Message: "no scenario is left: --list without --only lists them"}
	}
	if flags.list {
		for _, s := range scenarios {
			fmt.Fprintf(a.stdout, "%-44s  %s\n", s.Name, s.Text)
		}
		return nil
	}
	framing, err := framingOf("", o.Protocol)
	if err != nil {
		return err
	}
	if !flags.errors {
		a.rawErr = io.Discard
	}
	if o.Connect, err = a.connector(flags, framing, program); err != nil {
		return err
	}
	expected, err := conform.ReadExpected(flags.expected)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), tap.Interrupts()...)
	defer stop()
	report := &conform.Report{Protocol: o.Protocol.Name, Version: o.Protocol.Version, Program: program, Address: flags.dial.address, Scenarios: []conform.Result{}}
	err = conform.Run(ctx, *o, func(r conform.Result) {
		conform.Expect(expected, &r)
		report.Add(r)
		if !flags.json {
			r.Print(a.stdout, a.quiet, a.verbose)
			_ = a.stdout.Flush()
		}
	})
	if err != nil {
		return err
	}
	report.Unmet = conform.Unmet(expected)
	if err := a.writeConform(flags, report, expected); err != nil {
		return err
	}
	if flags.accept == "" && (report.Findings > 0 || len(report.Unmet) > 0) {
		return exitCode(exitFindings)
	}
	return nil
}

// connector returns what connects with the program.
func (a *app) connector(flags *conformFlags, f record.Framing, program []string) (func(context.Context) (*tap.Link, error), error) {
	if flags.options.Side == protocol.FromHost || len(program) == 0 {
		return func(ctx context.Context) (*tap.Link, error) {
			return a.connect(ctx, f, flags.options.Protocol, &flags.dial, program)
		}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*tap.Link, error) {
		l, err := tap.Meet(ctx, f, program, []string{self, "conform", "--relay"}, a.rawErr)
		if err != nil {
			return nil, &diag.HintError{
				Err:  fmt.Errorf("start %s: %w", program[0], err),
				Hint: "write {url}, {address} or {server} where the arguments of a client say what it connects with, or which server it starts",
			}
		}
		return l, nil
	}, nil
}

// writeConform prints the end of a report, and writes files.
func (a *app) writeConform(flags *conformFlags, report *conform.Report, expected []*conform.Expected) error {
	if flags.junit != "" {
		var b bytes.Buffer
		if err := report.JUnit(&b); err != nil {
			return err
		}
		if err := os.WriteFile(flags.junit, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if flags.json {
		e := json.NewEncoder(a.stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return err
		}
	} else {
		for _, e := range report.Unmet {
			subject := e.Subject
			if subject != "" {
				subject += ": "
			}
			fmt.Fprintf(a.stdout, "gone  %s: %s: %sexpected in %s, and has not occurred\n", inside.VisibleLine(e.Scenario), e.Rule, inside.VisibleLine(subject), flags.expected)
		}
		report.Summary(a.stdout)
	}
	if flags.accept == "" {
		return nil
	}
	list := conform.Accept(expected, report.Scenarios, flags.accept)
	return conform.WriteExpected(flags.expected, list)
}
