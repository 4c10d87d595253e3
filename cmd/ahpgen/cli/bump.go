// The bump command.

package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// bumpFlags are the flags of the bump command.
type bumpFlags struct {
	generator.BumpOptions
	markdown      string
	dryRun, force bool
	report        reportFlags
}

// bumpUsage is what bump does.
const bumpUsage = `Bump takes the package of an ahpgen.json to other schemas in one step: it compares the versions,
writes the package anew, adds stubs for reducers that are missing, and brings the lock and the
configuration up to date. Where you save one of your files while it runs, it writes nothing and says so.
Where it is killed, each file is the old one or the new one, and the same bump again ends it.

The new schemas are a folder, git:REV:PATH, or an embedded version such as 1.0.0. Where the
configuration names a folder, the schemas in it are replaced by the new ones. Where it names embedded
schemas, it names the others afterwards.

What is left for you is listed by file and line: stubs to write, reducers whose action is gone,
everything in your module that no longer compiles, what compiles but lacks or means something, such as a
value without a member that is required from now on, and switches without a case for what is new. What
was open before is listed apart. Exit code 1 says that places must change. Stubs that are still as
ahpgen wrote them follow the protocol. Schema files are replaced only where git has them as they are.

A version of a protocol that ahpgen does not know offers the older ones that comparisons bear out. One
that a comparison was against is not offered by later versions either, although they may list it: the
schemas to judge it by are gone. Where they are named by --against, it is judged anew, and offered if
nothing is in the way.

With --fix, what is certainly renamed gets its new name in your files, in all packages of the module;
what may be renamed is listed with the flag that says so. A renamed action takes its reducer along.

--out writes the list and the report into a file as well, in the form that the name ends in: .txt, .md or
.json; any other name gets the form of --format.`

func (a *app) bump() *cobra.Command {
	var flags bumpFlags
	cmd := &cobra.Command{
		Use:   "bump --to DIR|VERSION [DIR|./...]...",
		Short: "Go to another version of the protocol, and list what is left to do",
		Long:  bumpUsage + configsUsage,
		Example: `  ahpgen bump --to ../agent-host-protocol/schema
  ahpgen bump --to 1.0.0 --dry-run
  ahpgen bump --to 1.0.0 ./...
  ahpgen bump --to git:v0.8.0:schema --out pull-request.md`,
		Annotations:       map[string]string{takesFolders: "yes"},
		ValidArgsFunction: a.completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.markdown != "" {
				flags.report.out = append(flags.report.out, "markdown="+flags.markdown)
			}
			if err := flags.report.check(); err != nil {
				return err
			}
			flags.Fix = flags.Fix || len(flags.Renamed) > 0
			if flags.To == "" {
				return &generator.FlagError{Message: "say which version to go to: --to DIR, or --to VERSION for an embedded one", Flag: "to", Value: versions()[0]}
			}
			return a.each(cmd, args, func(path string) error { return a.bumpOne(cmd, path, flags) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.To, "to", "", "new schemas: a folder, a file, git:REV:PATH, or an embedded version")
	f.StringVar(&flags.ProtocolVersion, "protocol-version", "", "version of the new schemas (default: recognised by the profile)")
	f.StringVar(&flags.Profile, "profile", "", "profile of the new schemas, configured from then on (default: the configured one)")
	f.StringArrayVar(&flags.Against, "against", nil, "`schemas` of an older version that was not offered before, to compare with them as well, or VERSION=SCHEMAS; can be repeated")
	f.BoolVar(&flags.Fix, "fix", false, "give what is renamed its new name in your files too; the difference is printed first")
	f.StringArrayVar(&flags.Renamed, "renamed", nil, "take something for renamed, and fix it: `OLD=NEW`, such as Note.text=body or board/moved=board/shifted")
	f.StringVar(&flags.Replace, "replace", "", "the configured folder of schemas, to replace them there although it is outside of the module")
	f.StringVar(&flags.markdown, "markdown", "", "the same as --out markdown=FILE")
	flags.report.add(cmd)
	a.waitFlag(cmd)
	f.BoolVar(&flags.force, "force", false, "replace and remove schema files also where git could not bring them back")
	f.BoolVar(&flags.dryRun, "dry-run", false, "say what would be written and what would be left to do, and write nothing")
	return cmd
}

// bumpOne takes the package of one configuration to another version.
func (a *app) bumpOne(cmd *cobra.Command, path string, flags bumpFlags) error {
	start := time.Now()
	if flags.dryRun {
		if _, err := a.config(cmd, path); err != nil {
			return err
		}
	} else {
		_, end, err := a.writing(cmd, path, &flags.BumpOptions)
		if err != nil {
			return err
		}
		defer end()
	}
	defer a.working("reading")()
	b, err := generator.PlanBump(path, flags.BumpOptions, &a.diags)
	if err != nil {
		return err
	}
	b.Diff.Left = left(b)
	if flags.report.format == "text" {
		fmt.Fprint(a.stdout, b.FixDiff)
	}
	if flags.dryRun {
		if err := a.report(b.Diff, flags.report, protocol.FromBoth); err != nil {
			return err
		}
		a.printUnchecked(b)
		if flags.report.format == "text" {
			fmt.Fprintln(a.stdout)
			a.printDryRun(b.Plan)
			a.printBump(b)
		}
		if len(b.Unkept) > 0 && !flags.force {
			fmt.Fprintf(a.stderr, "ahpgen: %s\n", unkept(b))
		}
		return mustChange(b)
	}
	if len(b.Unkept) > 0 && !flags.force {
		return unkept(b)
	}
	// A report that cannot be written prevents the step.
	if err := flags.report.write(b.Diff, protocol.FromBoth); err != nil {
		return err
	}
	a.diags.Stage("writing")
	if err := b.Plan.Apply(); err != nil {
		return err
	}
	if err := a.print(b.Diff, flags.report.format, protocol.FromBoth); err != nil {
		return err
	}
	a.printUnchecked(b)
	if flags.report.format == "text" {
		fmt.Fprintln(a.stdout)
		a.tellFiles(b.Plan)
		a.summary(b.Plan, "wrote", time.Since(start))
		a.printBump(b)
	}
	return mustChange(b)
}

// mustChange makes the exit code say that places must change.
func mustChange(b *generator.Bump) error {
	if len(b.Diff.Left.Changes) > 0 {
		return errFindings
	}
	return nil
}

// printUnchecked explains why it is unknown what no longer compiles.
func (a *app) printUnchecked(b *generator.Bump) {
	if b.Unchecked != "" {
		fmt.Fprintf(a.stderr, "what no longer compiles is not known: %s\n", b.Unchecked)
	}
	for _, name := range b.UncheckedFiles {
		fmt.Fprintf(a.stderr, "%s is not checked: no build was found that has it\n", name)
	}
}

// unkept returns an error for files that a bump would destroy and version control does not have.
func unkept(b *generator.Bump) error {
	const most = 10
	names := b.Unkept
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	is, them := "they are", "them"
	if len(b.Unkept) == 1 {
		is, them = "it is", "it"
	}
	why := fmt.Sprintf("git does not have %[2]s as %[1]s: commit %[2]s first, or pass --force", is, them)
	if b.NoRepository {
		why = fmt.Sprintf("%s under no version control: keep %s elsewhere, and pass --force", is, them)
	}
	return &generator.FlagError{
		Message: fmt.Sprintf("%s would be replaced or removed: %s%s; %s", plural(len(b.Unkept), "schema file"), strings.Join(names, ", "), more, why), Flag: "force",
	}
}

// printBump reports what happened to the user's files.
func (a *app) printBump(b *generator.Bump) {
	a.printSettled(b.Plan)
	for _, f := range b.Plan.Files {
		if f.Aside && f.State == generator.Orphaned {
			fmt.Fprintf(a.stdout, "%s: removed, the new version does not have it\n", b.Plan.Path(f))
		}
	}
}

// settings reports other changes of the configuration.
func settings(b *generator.Bump) []string {
	var out []string
	say := func(format string, args ...any) {
		out = append(out, generator.ConfigName+": "+fmt.Sprintf(format, args...))
	}
	switch was, is := b.Version[0], b.Version[1]; {
	case was == is:
	case was == "":
		say("protocolVersion is %s from now on", is)
	default:
		say("protocolVersion goes from %s to %s", was, is)
	}
	for _, c := range b.Candidates {
		out = append(out, "perhaps renamed: "+c+" gives it the new name in your files")
	}
	if len(b.Owned) > 0 {
		say("reducers.own gains %s: you wrote %s, and ahpgen has one by now", strings.Join(b.Owned, ", "), thisOr(len(b.Owned), "it", "them"))
	}
	if len(b.Disowned) > 0 {
		say("reducers.own loses %s: there is nothing to take over any more", strings.Join(b.Disowned, ", "))
	}
	if len(b.Unnamed) > 0 {
		say("names loses %s: the new version has nothing of that name", strings.Join(b.Unnamed, ", "))
	}
	if len(b.Plan.Refused) > 0 {
		out = append(out, fmt.Sprintf("not offered: %s, since a comparison is against it; where later versions understand it again, --against with its schemas has it judged anew",
			strings.Join(b.Plan.Refused, ", ")))
	}
	return out
}

func thisOr(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// left groups the remaining work by kind.
func left(b *generator.Bump) *report.Left {
	l := &report.Left{Unchecked: b.Unchecked, Looks: b.Looks, Skips: b.Skips, Before: b.Open, Settings: settings(b)}
	for _, d := range b.Todo {
		if d.Code == "stub" {
			l.Stubs = append(l.Stubs, d)
		} else {
			l.Changes = append(l.Changes, d)
		}
	}
	return l
}
