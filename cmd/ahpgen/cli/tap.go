// The tap command.

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/lines"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// tapFlags are the flags of the tap command.
type tapFlags struct {
	filter  lines.Filter
	json    bool
	fail    bool
	record  string
	redact  []string
	log     string
	framing string
	listen  string
	dial    string
	once    bool
}

func (a *app) tap() *cobra.Command {
	var flags tapFlags
	cmd := &cobra.Command{
		Use:   "tap {-- PROGRAM [ARG...] | --listen ADDRESS --dial ADDRESS}",
		Short: "Watch, check and record what two programs say to each other",
		Long: `Tap starts a program that is a host, an agent or a server, and stands between it and whoever has started
tap: point an editor at "ahpgen tap … -- agent" instead of "agent". Each byte is passed on as it is, and
at once; standard error, signals, closed streams and the exit code are passed on as well.

For each message it prints a line to standard error: the time, the direction (→ to the program), the
method, the id, the action or tag, the size, and for an answer the time since the request. Notifications
that repeat are counted. Below a message stands what is wrong with it: what the schemas, the version that
was agreed on, the capabilities of the peer or the order of messages do not allow, each with its rule, the
place in the message and the place in the schemas. "ahpgen rules --tap" lists the rules.

With --listen and --dial it stands between programs that meet on a network: it passes on to the second
address what comes in at the first one. The second is host:port, unix:PATH, or a URL with ws, wss, http or
https, and says how messages travel; the first is host:port, of this machine unless it names a host.

What is too large or too fast to look at is passed on all the same, and counted.`,
		Example: `  ahpgen tap --schemas acp -- my-agent --flag
  ahpgen tap --schemas mcp --record talk.jsonl --redact '**.apiKey' --log talk.log -- npx my-server
  ahpgen tap --schemas acp --only session/update --errors -- my-agent
  ahpgen tap --schemas ahp --listen :9000 --dial ws://localhost:8137
  ahpgen tap --schemas mcp --fail -q -- my-server < requests.jsonl > answers.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runTap(cmd, &flags, args) },
	}
	a.inputFlags(cmd)
	f := cmd.Flags()
	a.filterFlags(cmd, &flags.filter)
	f.BoolVar(&flags.json, "json", false, "print JSON, a line for each message")
	f.BoolVar(&flags.fail, "fail", false, "exit with 1 if there are findings and the program has succeeded")
	f.StringVar(&flags.record, "record", "", "record the conversation in this `file`, byte for byte; if it is there, a number is added to its name")
	f.StringSliceVar(&flags.redact, "redact", nil, "do not record values at this `path`, such as params.token or **.apiKey")
	f.StringVar(&flags.log, "log", "", "print to this `file` instead of standard error")
	f.StringVar(&flags.listen, "listen", "", "wait for clients at this `address` instead of starting a program")
	f.StringVar(&flags.dial, "dial", "", "connect them with the host at this `address`")
	f.BoolVar(&flags.once, "once", false, "end after the first connection")
	f.StringVar(&flags.framing, "framing", "", "how messages are told apart: lines or headers (default: as the profile says)")
	return cmd
}

// filterFlags adds the flags that choose messages.
func (a *app) filterFlags(cmd *cobra.Command, to *lines.Filter) {
	f := cmd.Flags()
	f.StringSliceVar(&to.Only, "only", nil, "only messages with such a `method`, action or tag; * is for a word of it")
	f.StringSliceVar(&to.Channels, "channel", nil, "only messages about such a `channel`")
	f.BoolVar(&to.Findings, "errors", false, "only messages with findings")
}

// wellFormed refuses patterns that match nothing.
func wellFormed(f *lines.Filter) error {
	for _, of := range []struct {
		flag     string
		patterns []string
	}{{"only", f.Only}, {"channel", f.Channels}} {
		for _, pattern := range of.patterns {
			if _, err := path.Match(pattern, ""); err != nil {
				return &generator.FlagError{Message: fmt.Sprintf("--%s: %q is no pattern: * is for a word, and a bracket is written \\[", of.flag, pattern), Flag: of.flag, Value: "*"}
			}
		}
	}
	return nil
}

// versionsOf returns the protocol of the flags, and the other embedded versions of it unless one was named.
func (a *app) versionsOf(cmd *cobra.Command) (config generator.Config, out []judge.Version, err error) {
	if err := nameless(cmd); err != nil {
		return config, nil, err
	}
	path, err := a.one(cmd)
	if err != nil {
		return config, nil, err
	}
	if config, err = a.config(cmd, path); err != nil {
		return config, nil, err
	}
	out, err = versionsFor(config, &a.diags)
	return config, out, err
}

// nameless refuses to guess a protocol where nothing names one.
func nameless(cmd *cobra.Command) error {
	if changed(cmd, "schemas") {
		return nil
	}
	if path, err := generator.FindConfig("."); path != "" || err != nil {
		return err
	}
	if configs, err := generator.ConfigsBelow("."); len(configs) > 0 || err != nil {
		return err
	}
	var names []string
	for _, p := range schemas.Protocols() {
		name, _, _ := strings.Cut(p, "@")
		names = append(names, name)
	}
	names = slices.Compact(names)
	return &generator.FlagError{
		Message: "which protocol is it? Name embedded schemas (" + strings.Join(names, ", ") + ") or a folder with its schemas",
		Flag:    "schemas", Value: names[0],
	}
}

func versionsFor(config generator.Config, diags *diag.List) ([]judge.Version, error) {
	load := func(c generator.Config, diags *diag.List) (*protocol.Protocol, error) {
		g, err := generator.New(c, diags)
		if err != nil {
			return nil, err
		}
		return g.AnalyzeReducers()
	}
	p, err := load(config, diags)
	if err != nil {
		return nil, err
	}
	out := []judge.Version{{Protocol: p}}
	if config.Schemas != p.Name && config.Schemas != "" { // a version, or no embedded schemas
		return out, nil
	}
	for _, name := range schemas.Protocols() {
		if of, version, _ := strings.Cut(name, "@"); of == p.Name && version != p.Version {
			out = append(out, judge.Version{Load: func() (*protocol.Protocol, error) {
				return load(generator.Config{Schemas: name}, &diag.List{})
			}})
		}
	}
	return out, nil
}

// target returns the address to connect clients with; it is empty if there is a program.
func (flags *tapFlags) target(args []string) (to tap.Target, err error) {
	switch {
	case flags.listen == "" && flags.dial == "" && len(args) == 0:
		return to, &generator.UsageError{Message: "nothing to stand between: name a program after --, or two addresses with --listen and --dial"}
	case flags.listen == "" && flags.dial == "":
		return to, nil
	case flags.listen == "" || flags.dial == "" || len(args) > 0:
		return to, &generator.UsageError{Message: "--listen and --dial go together, and without a program"}
	case flags.once && strings.HasPrefix(flags.dial, "http"):
		return to, &generator.FlagError{Message: "--once is for streams and WebSockets: over HTTP, connections come and go", Without: []string{"once"}}
	}
	if to, err = tap.ParseTarget(flags.dial); err != nil {
		return to, &generator.FlagError{Message: "--dial: " + err.Error(), Flag: "dial", Value: "ws://localhost:8137"}
	}
	return to, nil
}

// runTap runs the program, or waits for clients.
func (a *app) runTap(cmd *cobra.Command, flags *tapFlags, args []string) error {
	if err := wellFormed(&flags.filter); err != nil {
		return err
	}
	config, versions, err := a.versionsOf(cmd)
	if err != nil {
		return err
	}
	p := versions[0].Protocol
	framing, err := framingOf(flags.framing, p)
	if err != nil {
		return err
	}
	to, err := flags.target(args)
	if err != nil {
		return err
	}
	if to.IsWeb() || to.IsHTTP() {
		framing = record.Messages
	}
	watch, printer, end, err := a.watchers(flags, versions, record.Head{
		Schemas: schemasName(config, p), Profile: config.Profile, Framing: framing, Started: time.Now(), Command: args,
	})
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100) // unlike other commands, this one may run for days
	}
	t := tap.New(framing, watch...)
	code := 0
	if to.Scheme == "" {
		if code, err = t.Child(args, os.Stdin, a.raw, a.rawErr); err != nil {
			err = &diag.HintError{Err: fmt.Errorf("start %s: %w", args[0], err), Hint: "name a program after --, with its arguments"}
		}
	} else {
		printer.Many = !flags.once
		err = a.listen(t, flags, to, versions)
	}
	if t.Close() && err == nil {
		end()
	}
	switch {
	case err != nil:
		return err
	case code != 0:
		return exitCode(code)
	case flags.fail && printer.Findings > 0:
		return exitCode(exitFindings)
	}
	return nil
}

// listen waits for clients until the process is interrupted.
func (a *app) listen(t *tap.Tap, flags *tapFlags, to tap.Target, versions []judge.Version) error {
	ctx, stop := signal.NotifyContext(context.Background(), tap.Interrupts()...)
	defer stop()
	address := flags.listen
	if host, port, err := net.SplitHostPort(address); err == nil && host == "" {
		address = net.JoinHostPort("localhost", port)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return &diag.HintError{Err: fmt.Errorf("listen: %w", err), Hint: "write an address such as :9000, with a port that nothing else listens on"}
	}
	if !a.quiet {
		fmt.Fprintf(a.rawErr, "tap listens on %s\n", l.Addr())
	}
	failed := func(err error) { fmt.Fprintf(a.stderr, "ahpgen: %v\n", err) }
	if to.IsHTTP() {
		return t.ServeHTTP(ctx, l, to, webOf(versions), failed)
	}
	return t.Serve(ctx, l, to, flags.once, failed)
}

// webOf returns how messages over HTTP belong together in any of the versions.
func webOf(versions []judge.Version) tap.Web {
	web := tap.Web{Opens: map[string]bool{}}
	for i := range versions {
		p := versions[i].Get()
		if p != nil && p.HTTP != nil {
			web.Session, web.Resumes = cmp.Or(web.Session, p.HTTP.Session), cmp.Or(web.Resumes, p.HTTP.LastEvent)
		}
		if p != nil && p.Handshake != nil {
			web.Opens[p.Handshake.Method.Name] = true
		}
	}
	return web
}

// schemasName names schemas so that they are found again: embedded ones with their version.
func schemasName(config generator.Config, p *protocol.Protocol) string {
	name := cmp.Or(config.Schemas, generator.DefaultSchemas())
	if name != p.Name && generator.IsEmbedded(name) {
		return p.Name + "@" + p.Version
	}
	return name
}

func framingOf(name string, p *protocol.Protocol) (record.Framing, error) {
	switch f := record.Framing(name); {
	case f == record.Lines || f == record.Headers:
		return f, nil
	case name != "":
		return "", &generator.FlagError{Message: fmt.Sprintf("there is no framing %q; there is lines and headers", name), Flag: "framing", Value: "lines"}
	case p.Envelope != nil && p.Envelope.Headers:
		return record.Headers, nil
	}
	return record.Lines, nil
}

// recordIn begins a recording, in a file that is not there yet: another tap may be writing to one that is, since programs are started
// again and side by side.
func (a *app) recordIn(name *string, head record.Head) (io.Closer, *record.Writer, error) {
	file, err := newFile(*name)
	if err != nil {
		return nil, nil, err
	}
	if file.Name() != *name {
		fmt.Fprintf(a.rawErr, "ahpgen: %s is there already: recording to %s\n", *name, file.Name())
		*name = file.Name()
	}
	w, err := record.NewWriter(file, head)
	return file, w, err
}

// maxFiles limits the recordings by one name.
const maxFiles = 10_000

// newFile makes a file, with a number at the end of its name if there is one already. What is no file, such as a pipe, is opened.
func newFile(name string) (*os.File, error) {
	const mode = 0o600 // it may hold secrets
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.OpenFile(name, os.O_WRONLY, mode)
	}
	end := filepath.Ext(name)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	for n := 2; errors.Is(err, fs.ErrExist) && n < maxFiles; n++ {
		file, err = os.OpenFile(fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, end), n, end), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	}
	return file, err
}

// watchers returns what looks at the messages, and what ends that.
func (a *app) watchers(flags *tapFlags, versions []judge.Version, head record.Head) (watch []func(*record.Entry), p *lines.Printer, end func(), err error) {
	p = &lines.Printer{To: a.rawErr, JSON: flags.json, Colour: isTerminal(a.rawErr) && coloured(os.Getenv), Filter: flags.filter}
	p.Filter.Findings = p.Filter.Findings || a.quiet
	var files []io.Closer
	if flags.log != "" {
		file, err := os.OpenFile(flags.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("write the log: %w", err)
		}
		p.To, p.Colour = file, false
		files = append(files, file)
	}
	redactor, err := record.NewRedactor(head.Framing, flags.redact)
	if err != nil {
		return nil, nil, nil, &generator.FlagError{Message: err.Error(), Flag: "redact", Value: "params.token"}
	}
	head.Redacted = flags.redact
	stopped := a.stopped()
	missing := func() int { return 0 }
	if flags.record != "" {
		file, w, err := a.recordIn(&flags.record, head)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("record: %w", err)
		}
		files, missing = append(files, file), w.Missing
		watch = append(watch, func(e *record.Entry) {
			if err := w.Write(redactor.Entry(e)); err != nil {
				stopped(err)
			}
		})
	}
	j := judge.New(versions)
	watch = append(watch, func(e *record.Entry) {
		for _, m := range j.Feed(head.Framing, e) {
			p.Print(m)
		}
	})
	end = func() {
		for _, m := range j.End() {
			p.Print(m)
		}
		p.Flush()
		if !a.quiet && !flags.json {
			fmt.Fprintf(p.To, "%s\n", p.Summary())
		}
		var errs []error
		for _, file := range files {
			errs = append(errs, file.Close())
		}
		if err := errors.Join(errs...); err != nil {
			stopped(err)
		}
		if n := missing(); n > 0 {
			fmt.Fprintf(a.rawErr, "ahpgen: missing in %s: %s\n", flags.record, plural(n, "message"))
		}
	}
	return watch, p, end, nil
}

// stopped returns a function that says, once, why a recording has ended.
func (a *app) stopped() func(error) {
	var once sync.Once
	return func(err error) {
		once.Do(func() {
			fmt.Fprintf(a.rawErr, "ahpgen: messages are missing in the recording from here on, and the conversation goes on: %v\n", err)
		})
	}
}
