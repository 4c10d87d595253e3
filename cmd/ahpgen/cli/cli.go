// Package cli implements the command line of ahpgen: it parses flags, calls package generator and prints.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// Exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
	exitIO       = 3
)

// errFindings reports that findings were printed.
var errFindings = errors.New("findings")

// app is one run of the program.
type app struct {
	stdout, stderr *inside.Writer
	raw, rawErr    io.Writer // the same without escaping, for what is passed on
	screen         *screen
	terminal       bool // standard output is a terminal
	diags          diag.List
	flags          generator.Config
	wait           time.Duration
	started        bool // flags and arguments were valid
	quiet, verbose bool
	told           [4]string // the last -v message
	dir            string    // argument of -C, or ""
	cmd            *cobra.Command
	args           []string // arguments of cmd
}

// Main runs the command line of the process and returns the exit code. Standard output is reserved for the command's
// result, so notes that apidiff prints to [os.Stdout] are discarded.
func Main() int {
	collectRarely()
	stdout := os.Stdout
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = null
	}
	return Run(os.Args[1:], stdout, os.Stderr)
}

// collectRarely reduces garbage collection unless the environment configures it, since commands are short-lived.
// Beyond a gigabyte, collection is as usual.
func collectRarely() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(1 << 30)
	}
}

// Run runs a command line and returns the exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	s := newScreen(stdout, stderr)
	// Output is escaped: no input can control the terminal.
	a := &app{stdout: &inside.Writer{To: s.out}, stderr: &inside.Writer{To: s.err}, raw: stdout, rawErr: stderr, terminal: isTerminal(stdout), screen: s}
	code := a.run(args)
	if err := errors.Join(a.stdout.Flush(), a.stderr.Flush(), s.out.Flush(), s.err.Flush()); err != nil {
		return exitIO
	}
	return code
}

func (a *app) run(args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.finish(a.execute(root, args))
}

// finish prints diagnostics and the error, and returns the exit code.
func (a *app) finish(err error) int {
	if printErr := a.diags.Print(a.stderr); printErr != nil {
		return exitIO
	}
	if line := a.diags.Context(); line != "" && a.diags.HasErrors() {
		fmt.Fprintf(a.stderr, "ahpgen: %s\n", line)
	}
	var usage *generator.UsageError
	var printed exitCode
	switch {
	case diag.AsCrash(err) != nil:
		fmt.Fprintf(a.stderr, "ahpgen: %s\n", inside.VisibleLine(inside.VisibleCut(diag.AsCrash(err).Error(), maxError)))
		return exitIO
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		if a.diags.Len() > 0 {
			fmt.Fprintf(a.stderr, "ahpgen: %s\n", a.count())
		}
		return exitFindings
	case errors.Is(err, generator.ErrFindings):
		fmt.Fprintf(a.stderr, "ahpgen: %s; nothing was written\n", a.count())
		return exitFindings
	case errors.As(err, &printed):
		return int(printed)
	case errors.As(err, &usage), !a.started:
		fmt.Fprintf(a.stderr, "ahpgen: %s\n", a.text(err))
		word := "type"
		for _, line := range a.linesToType(err) {
			fmt.Fprintf(a.stderr, "%8s: %s\n", word, inside.VisibleLine(line))
			word = "or"
		}
		return exitUsage
	}
	fmt.Fprintf(a.stderr, "ahpgen: %s\n", a.text(err))
	if hint := diag.HintOf(err); hint != "" {
		fmt.Fprintf(a.stderr, "    hint: %s\n", inside.VisibleLine(hint))
	}
	return exitIO
}

// execute runs the command and converts panics to errors.
func (a *app) execute(root *cobra.Command, args []string) (err error) {
	defer a.diags.Catch(&err)
	cmd, err := root.ExecuteC()
	if err != nil && !a.started {
		if line := misspelt(cmd, args, err); line != "" {
			return &refusal{generator.UsageError{Message: err.Error()}, []string{line}}
		}
		return &refusal{generator.UsageError{Message: err.Error()}, []string{cmd.CommandPath() + " --help"}}
	}
	return err
}

// misspelt returns the command line with the flag that was meant, if the error is about an unknown one.
func misspelt(cmd *cobra.Command, args []string, err error) string {
	flag, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	var names []string
	all := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.Flags().VisitAll(all)
	cmd.InheritedFlags().VisitAll(all)
	near := inside.Nearest(flag, names)
	if near == "" {
		return ""
	}
	line := cmd.Root().Name()
	for _, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "--"+flag); ok && (rest == "" || rest[0] == '=') {
			arg = "--" + near + rest
		}
		line += " " + quote(arg)
	}
	return line
}

// text returns an error on one line, apart from usage advice.
func (a *app) text(err error) string {
	text := inside.VisibleCut(err.Error(), maxError)
	if !a.started {
		return text
	}
	return inside.VisibleLine(strings.ReplaceAll(text, "\n", "; "))
}

// maxError is the maximum length of an error, which may contain output of other programs.
const maxError = 8_000

// count summarises the number of problems.
func (a *app) count() string {
	return plural(a.diags.Count(diag.Error), "error") + " and " + plural(a.diags.Count(diag.Warning), "warning")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ahpgen",
		Short: "Generate Go from the JSON Schemas of a protocol",
		Long: `ahpgen reads the JSON Schemas of a protocol and emits a Go package: types, sealed unions, a fast
codec, reducers, both ends of a connection, a store of states, and tables of actions, methods and
errors. The package needs the standard library only.

What to generate from what is said by a file ahpgen.json, which ahpgen init writes. It is found in the
working directory, above it, or below where there is just one; a flag on the command line comes first.

Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 something could not be read or written,
or ahpgen itself failed.`,
		Example: `  ahpgen init
  ahpgen generate ./...
  ahpgen check
  ahpgen lint --schemas ./schema --profile ahp
  ahpgen inspect chat/delta --schemas ahp
  ahpgen diff 0.7.0 1.0.0
  ahpgen doc --serve :8080 --open
  ahpgen bump --to ./schema-1.1.0`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.started, a.cmd, a.args = true, cmd, args
			return a.enter()
		},
	}
	root.PersistentFlags().StringVarP(&a.dir, "chdir", "C", "", "work as if started in this `folder`; paths in other flags and arguments count from it")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "print only what is asked for and what is wrong: no summaries, no notes")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "print what is read, what it is taken for, and each file that is written")
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}")
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [command]",
		Short:   "Help about any command, and about ahpgen.json",
		Example: "  ahpgen help generate\n  ahpgen help config",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 && cmd == root {
				return refuse([]string{"ahpgen help"}, "there is no command %q; ahpgen help lists them", args[0])
			}
			return cmd.Help()
		},
	})
	root.AddCommand(a.init(), a.generate(), a.check(), a.lint(), a.inspect(), a.diff(), a.bump(), a.doc(), a.tap(), a.show(), a.replay(), a.call(), a.conform(), a.rules(), a.version(), configTopic())
	for _, cmd := range root.Commands() {
		completeFlags(cmd)
	}
	return root
}

// inputFlags adds the flags that select inputs.
func (a *app) inputFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.flags.Schemas, "schemas", "", "folder with the schema files (*.schema.json), one file, or embedded ones such as ahp@1.0.0 (default: ahp)")
	f.StringVar(&a.flags.Profile, "profile", "", "profile of the protocol: an embedded one by name, or a file")
	f.StringVar(&a.flags.ProtocolVersion, "protocol-version", "", "version of the schemas (default: recognised by the profile)")
}

// outputFlags adds the flags that select outputs.
func (a *app) outputFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.flags.Out, "out", "", "folder of the generated package")
	f.StringVar(&a.flags.Package, "package", "", "name of the generated package (default: that of the folder's files, or the profile's)")
	f.BoolVar(&a.flags.Reducers.Omit, "no-reducers", false, "generate no reducers, and no stubs for those a person writes")
}

// enter changes to the folder given with -C, for the whole process, so that all paths and subprocesses agree.
func (a *app) enter() error {
	if a.quiet && a.verbose {
		return &generator.FlagError{Message: "-q asks for less and -v for more: choose one", Without: []string{"verbose"}}
	}
	if a.dir == "" {
		return nil
	}
	if err := os.Chdir(a.dir); err != nil {
		return &generator.FlagError{Message: fmt.Sprintf("-C %s: there is no such folder, or it cannot be entered", a.dir), Flag: "chdir", Value: "DIR"}
	}
	return nil
}

// generator returns a generator for flags and a configuration file, for reading.
func (a *app) generator(cmd *cobra.Command, path string) (*generator.Generator, error) {
	config, err := a.config(cmd, path)
	if err != nil {
		return nil, err
	}
	return generator.New(config, &a.diags)
}

// config combines a configuration file, or none for "", with the flags.
func (a *app) config(cmd *cobra.Command, path string) (generator.Config, error) {
	var config generator.Config
	var err error
	if path != "" {
		if config, err = generator.ReadConfig(path, &a.diags); err != nil {
			return config, err
		}
	}
	for name, target := range map[string]*string{
		"schemas": &config.Schemas, "profile": &config.Profile, "protocol-version": &config.ProtocolVersion,
		"out": &config.Out, "package": &config.Package,
	} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.Type() == "string" {
			*target = f.Value.String()
		}
	}
	if f := cmd.Flags().Lookup("no-reducers"); f != nil && f.Changed {
		config.Reducers.Omit = a.flags.Reducers.Omit
	}
	a.tellConfig(config)
	return config, nil
}

// writing makes this process the only one that writes to the folders of a configuration, until end is called. Commands
// that write nothing do not call it.
func (a *app) writing(cmd *cobra.Command, path string, bump *generator.BumpOptions) (config generator.Config, end func(), err error) {
	config, err = a.config(cmd, path)
	if err != nil {
		return config, nil, err
	}
	run, err := generator.Begin(config, generator.RunOptions{
		Wait: a.wait, Bump: bump, Waiting: func(text string) { fmt.Fprintln(a.stderr, text) },
	})
	if err != nil {
		return config, nil, err
	}
	if run.Notice != "" {
		fmt.Fprintln(a.stderr, run.Notice)
	}
	// Another process may have changed it since.
	now, err := a.config(cmd, path)
	if err == nil && now.Out != config.Out {
		err = fmt.Errorf("%s has changed meanwhile: run ahpgen again", generator.ConfigName)
	}
	if err != nil {
		run.End()
		return now, nil, err
	}
	return now, run.End, nil
}

// waitFlag adds the flag for the time to wait for another process.
func (a *app) waitFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&a.wait, "wait", time.Minute, "how long to wait for another ahpgen that writes to the same folder")
}

// isTerminal reports whether the output is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
