// The bump command.

package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/visible"
)

func (a *app) bump() *cobra.Command {
	var to, version, markdown string
	var dryRun, force bool
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

What is left for you is listed by file and line: stubs to write, reducers whose action is gone, everything
in your module that no longer compiles, and what compiles but lacks or means something, such as a value
without a member that is required from now on. What was open before is listed apart. Stubs that are still
as ahpgen wrote them follow the protocol. Schema files are replaced only where git has them as they are.`,
		Example: `  ahpgen bump --to ../agent-host-protocol/schema
  ahpgen bump --to 0.7.0 --dry-run
  ahpgen bump --to git:v0.8.0:schema --markdown pull-request.md`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
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
			if dryRun {
				a.printDryRun(b.Plan)
				if len(b.Unkept) > 0 && !force {
					fmt.Fprintf(a.stderr, "ahpgen: %s\n", refuse(b))
				}
				return a.printBump(b)
			}
			if len(b.Unkept) > 0 && !force {
				return refuse(b)
			}
			var text []byte
			if markdown != "" {
				if info, err := os.Stat(markdown); err == nil && !info.Mode().IsRegular() {
					return &generator.UsageError{Message: fmt.Sprintf("%s is no file that a report could go into", markdown)}
				}
				if text, err = bumpMarkdown(b); err != nil {
					return err
				}
			}
			if err := b.Plan.Apply(); err != nil {
				return err
			}
			if markdown != "" {
				if err := os.WriteFile(markdown, text, 0o666); err != nil {
					return fmt.Errorf("the bump is done, but not its report: %w", err)
				}
			}
			fmt.Fprintln(a.stdout, b.Diff.Summary(protocol.FromBoth))
			a.summary(b.Plan, "wrote", time.Since(start))
			return a.printBump(b)
		},
	}
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "new schemas: a folder, git:REV:PATH, or an embedded version")
	f.StringVar(&version, "protocol-version", "", "version of the new schemas (default: recognised by the profile)")
	f.StringVar(&markdown, "markdown", "", "write what changed and what is left to do into this file as well, for a pull request")
	a.waitFlag(cmd)
	f.BoolVar(&force, "force", false, "replace and remove schema files also where git could not bring them back")
	f.BoolVar(&dryRun, "dry-run", false, "say what would be written and what would be left to do, and write nothing")
	return cmd
}

// refuse says which files a bump would cost that nobody could bring back.
func refuse(b *generator.Bump) error {
	const most = 10
	names := b.Unkept
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	why := "git does not have them as they are: commit them first, or pass --force"
	if b.NoRepository {
		why = "they are under no version control: keep them elsewhere, and pass --force"
	}
	return &generator.UsageError{Message: fmt.Sprintf("%s would be replaced or removed: %s%s; %s", plural(len(b.Unkept), "schema file"), strings.Join(names, ", "), more, why)}
}

// printBump says what became of files of a person's and what is left for them.
func (a *app) printBump(b *generator.Bump) error {
	a.printSettled(b.Plan)
	for _, f := range b.Plan.Files {
		if f.Aside && f.State == generator.Orphaned {
			fmt.Fprintf(a.stdout, "%s: removed, the new version does not have it\n", b.Plan.Path(f))
		}
	}
	if len(b.Owned) > 0 {
		fmt.Fprintf(a.stdout, "%s: reducers.own gains %s: you wrote %s, and ahpgen has one by now\n", generator.ConfigName, strings.Join(b.Owned, ", "), thisOr(len(b.Owned), "it", "them"))
	}
	if len(b.Disowned) > 0 {
		fmt.Fprintf(a.stdout, "%s: reducers.own loses %s: there is nothing to take over any more\n", generator.ConfigName, strings.Join(b.Disowned, ", "))
	}
	return a.printTodo(b)
}

func thisOr(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// printTodo lists what is left for a person: what the step brings, and what was there before.
func (a *app) printTodo(b *generator.Bump) error {
	if b.Unchecked != "" {
		fmt.Fprintf(a.stderr, "what no longer compiles is not known: %s\n", b.Unchecked)
	}
	for _, name := range b.UncheckedFiles {
		fmt.Fprintf(a.stderr, "%s is not checked: no build was found that has it\n", name)
	}
	fmt.Fprintln(a.stdout, leftToDo(b))
	for _, d := range b.Todo {
		fmt.Fprintf(a.stdout, "%s: %s\n", d.Pos, oneLine(d.Message))
	}
	if len(b.Open) > 0 {
		fmt.Fprintf(a.stdout, "%s open before:\n", plural(len(b.Open), "thing"))
	}
	for _, d := range b.Open {
		fmt.Fprintf(a.stdout, "%s: %s\n", d.Pos, oneLine(d.Message))
	}
	return nil
}

// leftToDo says in one line what is left.
func leftToDo(b *generator.Bump) string {
	var parts []string
	if n := len(b.Todo) - b.Stubs; n > 0 {
		parts = append(parts, plural(n, "place")+" to change")
	}
	if b.Stubs > 0 {
		parts = append(parts, plural(b.Stubs, "stub")+" to write")
	}
	if len(b.Open) > 0 {
		parts = append(parts, fmt.Sprintf("%d open before", len(b.Open)))
	}
	if len(parts) == 0 {
		return "nothing is left to do"
	}
	line := strings.Join(parts, ", ")
	if len(b.Todo) == 0 {
		return "nothing new is left to do; " + line
	}
	return line + ":"
}

// oneLine joins the lines of a message of the compiler.
func oneLine(message string) string { return visible.Name(strings.ReplaceAll(message, "\n\t", "; ")) }

// bumpMarkdown is the report for a pull request: what is left to do, then what changed.
func bumpMarkdown(b *generator.Bump) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n", report.Markdown(b.Diff.Summary(protocol.FromBoth)))
	out.WriteString("## Left to do\n\n")
	if len(b.Todo) == 0 {
		out.WriteString("Nothing.\n")
	}
	list := func(found []diag.Diagnostic) {
		for _, d := range found {
			fmt.Fprintf(&out, "- [ ] `%s` %s\n", strings.ReplaceAll(d.Pos.String(), "`", "'"), report.Markdown(oneLine(d.Message)))
		}
	}
	list(b.Todo)
	if len(b.Open) > 0 {
		out.WriteString("\n## Open before\n\n")
		list(b.Open)
	}
	out.WriteString("\n")
	if err := b.Diff.Write(&out, "markdown", protocol.FromBoth); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
