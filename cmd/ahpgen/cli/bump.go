// The bump command.

package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/userfile"
)

func (a *app) bump() *cobra.Command {
	var to, version, markdown string
	var dryRun bool
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "bump --to DIR|VERSION",
		Short: "Go to another version of the protocol, and list what is left to do",
		Long: `Bump takes the package of an ahpgen.json to other schemas in one step: it compares the versions,
writes the package anew, adds stubs for reducers that are missing, and brings the lock and the
configuration up to date. All of it is done or nothing, also when the program is killed meanwhile: the
next generate or bump then finishes what was begun, or undoes it where you saved one of the files since.

The new schemas are a folder, git:REV:PATH, or an embedded version such as 0.7.0. Where the
configuration names a folder, the schemas in it are replaced by the new ones. Where it names embedded
schemas, it names the others afterwards.

What is left for you is listed by file and line: stubs to write, reducers whose action is gone, and
everything in your module that no longer compiles. --out writes the list and the report into a file as
well, in the form that the name ends in: .txt, .md or .json; any other name gets the form of --format.`,
		Example: `  ahpgen bump --to ../agent-host-protocol/schema
  ahpgen bump --to 0.7.0 --dry-run
  ahpgen bump --to git:v0.8.0:schema --out pull-request.md`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			if markdown != "" {
				flags.out = append(flags.out, "markdown="+markdown)
			}
			if err := flags.check(); err != nil {
				return err
			}
			if to == "" {
				return &generator.UsageError{Message: "say which version to go to: --to DIR, or --to VERSION for an embedded one"}
			}
			wd, err := os.Getwd()
			if err != nil {
				return fmt.Errorf("find working directory: %w", err)
			}
			config, err := generator.FindConfig(wd)
			if err != nil {
				return err
			}
			if config == "" {
				return &generator.UsageError{Message: "there is no ahpgen.json here or above: run ahpgen init first"}
			}
			if dryRun {
				if _, _, err := a.reading(cmd); err != nil {
					return err
				}
			} else {
				_, end, err := a.writing(cmd)
				if err != nil {
					return err
				}
				defer end()
			}
			b, err := generator.PlanBump(config, to, version, &a.diags)
			if err != nil {
				return err
			}
			b.Diff.Left = left(b)
			if dryRun {
				if err := a.report(b.Diff, flags, protocol.FromBoth); err != nil {
					return err
				}
				a.printUnchecked(b)
				if flags.format == "text" {
					fmt.Fprintln(a.stdout)
					a.printDryRun(b.Plan)
				}
				return nil
			}
			// A report that cannot be written keeps the step from being taken.
			if err := flags.write(b.Diff, protocol.FromBoth); err != nil {
				return err
			}
			if err := b.Plan.Apply(); err != nil {
				return err
			}
			if err := a.print(b.Diff, flags.format, protocol.FromBoth); err != nil {
				return err
			}
			a.printUnchecked(b)
			if flags.format == "text" {
				fmt.Fprintln(a.stdout)
				a.summary(b.Plan, "wrote", time.Since(start))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "new schemas: a folder, git:REV:PATH, or an embedded version")
	f.StringVar(&version, "protocol-version", "", "version of the new schemas (default: recognised by the profile)")
	f.StringVar(&markdown, "markdown", "", "the same as --out markdown=FILE")
	flags.add(cmd)
	a.waitFlag(cmd)
	f.BoolVar(&dryRun, "dry-run", false, "say what would be written and what would be left to do, and write nothing")
	return cmd
}

// printUnchecked says why it is not known what no longer compiles.
func (a *app) printUnchecked(b *generator.Bump) {
	if b.Unchecked != "" {
		fmt.Fprintf(a.stderr, "what no longer compiles is not known: %s\n", b.Unchecked)
	}
}

// left sorts what is to do by kind.
func left(b *generator.Bump) *report.Left {
	l := &report.Left{Unchecked: b.Unchecked}
	for _, d := range b.Todo {
		switch d.Code {
		case "stub":
			l.Stubs = append(l.Stubs, d)
		case string(userfile.Unfinished):
			l.Before = append(l.Before, d)
		default:
			l.Changes = append(l.Changes, d)
		}
	}
	return l
}
