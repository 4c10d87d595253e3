// The diff command.

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// diffFlags are the flags of the diff command.
type diffFlags struct {
	options    generator.DiffOptions
	as         string
	failOn     string
	stableOnly bool
	report     reportFlags
}

const diffLong = `Diff analyses two sets of schemas and lists what changed on the wire: types, members, presence,
unions by tag, enums, actions, methods, channels and error codes. Wording, order and the way a shape
is written down do not count. Each side is a folder of schemas, one file with those that it refers to,
either of them as git had it at a revision: git:REV:PATH, or embedded ones such as ahp@1.0.0. The
profile is for those that are not embedded.

Where there is an ahpgen.json, OLD can be left out: then it is the schemas that this names, with the
profile that it names. Where these are embedded ones, NEW can be left out too: then it is the newest
that is embedded. A folder in git is the old side then, and what ahpgen.json names the new one.

Each change says where it stands, what to do in Go, and for either side of the protocol one of
  fine       everything is understood
  tolerated  a reader goes on without a part that it does not know
  breaks     a reader refuses the message, or lacks what it relies on
A side is concerned where it reads, and where it sends and is the older one. Which messages carry a
type follows from methods, actions, channels and errors; ahpgen rules lists the rules.

Exit code 1 says that there are findings: with --fail-on any (the default) any change other than mere
information, with --fail-on breaking a change that breaks the side named by --as, with --fail-on none
never. Changes of what its owner calls experimental do not count as breaking; with --stable-only they
do not count at all. Changes listed in the file named by --accepted are not findings, in comparisons
with the version that they were accepted against. An entry that matches no change is an error, unless
the old side has the change already. --accept adds the changes that are there to the file, with a
reason; with --fail-on breaking, those that break the side named by --as.

--out writes the report into a file as well, in the form that the name ends in: .txt, .md, .json or .html;
any other name gets the form of --format. It can be given several times. HTML is one file for a browser:
what to do first, each change before and after, filters, and a timeline of all embedded versions.`

const diffExample = `  ahpgen diff                      # what is embedded in place of what ahpgen.json names
  ahpgen diff ../schema-next       # the schemas of ahpgen.json against others
  ahpgen diff ./schema-0.6.0 ./schema-0.7.0 --profile ahp
  ahpgen diff ahp@1.0.0 ./schema --profile ahp --as client --fail-on breaking
  ahpgen diff acp@1 ./schema.json --profile acp
  ahpgen diff git:origin/main:schema ./schema --format github
  ahpgen diff git:v1:./schema ./schema --accepted accepted.json --accept "No released client reads it."
  ahpgen diff ./old ./new --format github --out report.md --out report.json
  ahpgen diff 0.7.0 1.0.0 -q --out changes.html`

func (a *app) diff() *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:     "diff [[OLD] NEW]",
		Short:   "Say what changed between two versions of a protocol, and whom it breaks",
		Long:    diffLong,
		Example: diffExample,

		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: a.completeSides,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runDiff(cmd, args, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.options.Profile, "profile", "", "profile for sides that are folders: an embedded one by name, or a file")
	f.StringVar(&flags.options.OldVersion, "old-version", "", "version of the old schemas (default: recognised by the profile)")
	f.StringVar(&flags.options.NewVersion, "new-version", "", "version of the new schemas (default: recognised by the profile)")
	f.StringVar(&flags.as, "as", "both", "side to judge for: client, host or both, or what the protocol calls them")
	f.StringVar(&flags.failOn, "fail-on", "any", "findings that make the exit code 1: breaking, any or none")
	f.BoolVar(&flags.stableOnly, "stable-only", false, "leave changes of what is experimental out of the exit code")
	flags.report.add(cmd)
	f.StringVar(&flags.options.Accepted, "accepted", "", "file of accepted changes")
	f.StringVar(&flags.options.Accept, "accept", "", "add the changes that are there to the file of accepted ones, for this `reason`")
	for _, c := range diffChoices {
		if err := cmd.RegisterFlagCompletionFunc(c.name, cobra.FixedCompletions(c.known, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // defined above
		}
	}
	return cmd
}

// runDiff compares two sides and prints the report.
func (a *app) runDiff(cmd *cobra.Command, args []string, flags diffFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	old, next, options, err := a.sides(cmd, args, flags.options)
	if err != nil {
		return err
	}
	defer a.working("comparing")()
	if flags.failOn == string(report.Breaking) {
		options.AcceptOnly = func(d *report.Diff, f verdict.Finding) bool {
			as, err := sideOf(d.Sides, flags.as)
			return err == nil && f.Side(as) == verdict.Breaks
		}
	}
	d, err := generator.Compare(old, next, options, &a.diags)
	if d == nil {
		return err
	}
	as, unknown := sideOf(d.Sides, flags.as)
	if unknown != nil {
		return unknown
	}
	if printErr := a.report(d, flags.report, as); printErr != nil {
		return printErr
	}
	if d.Added > 0 {
		fmt.Fprintf(a.stderr, "accepted %s in %s\n", plural(d.Added, "change"), flags.options.Accepted)
	}
	if flags.stableOnly {
		d = d.Stable()
	}
	if errors.Is(err, generator.ErrFindings) || err == nil && d.Fails(report.Level(flags.failOn), as) {
		return errFindings
	}
	return err
}

// sides returns both sides of a comparison. The configuration supplies defaults.
func (a *app) sides(cmd *cobra.Command, args []string, options generator.DiffOptions) (old, next string, _ generator.DiffOptions, err error) {
	if len(args) == 2 {
		old, next = args[0], args[1]
		if options.Profile, err = a.profileFor(cmd, old, next, options.Profile); err != nil {
			return old, next, options, err
		}
		if configs, none := a.choose(cmd, nil); none == nil {
			if config, err := generator.ReadConfig(configs[0], nil); err == nil { // what is wrong with it is no matter here
				options = config.Speaking(options)
			}
		}
		return old, next, options, nil
	}
	path, err := a.one(cmd)
	if err != nil {
		return "", "", options, err
	}
	config, err := generator.ReadConfig(path, &a.diags)
	if err != nil {
		return "", "", options, err
	}
	if len(args) == 1 {
		next = args[0]
	}
	old, next, options, err = config.Sides(next, options)
	if err == nil && len(args) == 1 && old == args[0] {
		fmt.Fprintf(a.stderr, "%s is the old side, and %s the new one\n", old, next)
	}
	return old, next, options, err
}

// profileFor returns the profile for two given sides: the one from the flags or from the configuration.
func (a *app) profileFor(cmd *cobra.Command, old, next, named string) (string, error) {
	if named != "" || generator.IsEmbedded(old) && generator.IsEmbedded(next) {
		return named, nil
	}
	configs, err := a.choose(cmd, nil)
	if err != nil {
		return "", nil // none or several, which is fine with both sides given
	}
	config, err := generator.ReadConfig(configs[0], &a.diags)
	if err != nil {
		return "", err
	}
	if config.ProfileForOthers() != "" {
		a.sayConfig(configs[0])
	}
	return config.ProfileForOthers(), nil
}

// diffChoices are the flags with a fixed set of values.
var diffChoices = []struct {
	name  string
	value func(*diffFlags) string
	known []string
}{
	{"as", func(f *diffFlags) string { return f.as }, []string{"client", "host", "both"}},
	{"fail-on", func(f *diffFlags) string { return f.failOn }, []string{"breaking", "any", "none"}},
}

// sideOf returns the side by its generic or protocol-specific name.
func sideOf(sides protocol.Sides, name string) (protocol.Side, error) {
	known := []string{sides.Name(protocol.FromClient), sides.Name(protocol.FromHost), string(protocol.FromBoth)}
	for i, side := range []protocol.Side{protocol.FromClient, protocol.FromHost, protocol.FromBoth} {
		if name == known[i] {
			return side, nil
		}
	}
	if slices.Contains(diffChoices[0].known, name) {
		return protocol.Side(name), nil
	}
	return "", &generator.FlagError{
		Message: fmt.Sprintf("--as %q: choose one of %s", name, strings.Join(known, ", ")), Flag: "as", Value: known[0],
	}
}

// check rejects unknown flag values.
func (f *diffFlags) check(cmd *cobra.Command) error {
	for _, c := range diffChoices[1:] { // side names depend on the protocol
		if value := c.value(f); !slices.Contains(c.known, value) {
			return &generator.FlagError{
				Message: fmt.Sprintf("--%s %q: choose one of %s", c.name, value, strings.Join(c.known, ", ")), Flag: c.name, Value: c.known[0],
			}
		}
	}
	if err := f.report.check(); err != nil {
		return err
	}
	if cmd.Flags().Changed("accept") && strings.TrimSpace(f.options.Accept) == "" {
		return &generator.FlagError{Message: "--accept wants a reason", Flag: "accept", Value: "why it does no harm"}
	}
	if f.options.Accept != "" && f.options.Accepted == "" {
		return &generator.FlagError{Message: "--accept wants a file to write to: name it with --accepted FILE", Flag: "accepted", Value: "accepted.json"}
	}
	return nil
}
