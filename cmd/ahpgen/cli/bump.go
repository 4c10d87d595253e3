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
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/visible"
)

// bumpFlags are the flags of the bump command.
type bumpFlags struct {
	to, version, markdown string
	dryRun                bool
}

func (a *app) bump() *cobra.Command {
	var flags bumpFlags
	cmd := &cobra.Command{
		Use:   "bump --to DIR|VERSION [DIR|./...]...",
		Short: "Go to another version of the protocol, and list what is left to do",
		Long: `Bump takes the package of an ahpgen.json to other schemas in one step: it compares the versions,
writes the package anew, adds stubs for reducers that are missing, and brings the lock and the
configuration up to date. All of it is done or nothing, also when the program is killed meanwhile: the
next generate or bump then finishes what was begun, or undoes it where you saved one of the files since.

The new schemas are a folder, git:REV:PATH, or an embedded version such as 0.7.0. Where the
configuration names a folder, the schemas in it are replaced by the new ones. Where it names embedded
schemas, it names the others afterwards.

What is left for you is listed by file and line: stubs to write, reducers whose action is gone, and
everything in your module that no longer compiles.` + configsUsage,
		Example: `  ahpgen bump --to ../agent-host-protocol/schema
  ahpgen bump --to 0.7.0 --dry-run
  ahpgen bump --to 0.7.0 ./...
  ahpgen bump --to git:v0.8.0:schema --markdown pull-request.md`,
		Annotations:       map[string]string{takesFolders: "yes"},
		ValidArgsFunction: a.completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.to == "" {
				return &generator.FlagError{Message: "say which version to go to: --to DIR, or --to VERSION for an embedded one", Flag: "to", Value: versions()[0]}
			}
			return a.each(cmd, args, func(path string) error { return a.bumpOne(cmd, path, flags) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.to, "to", "", "new schemas: a folder, git:REV:PATH, or an embedded version")
	f.StringVar(&flags.version, "protocol-version", "", "version of the new schemas (default: recognised by the profile)")
	f.StringVar(&flags.markdown, "markdown", "", "write what changed and what is left to do into this file as well, for a pull request")
	a.waitFlag(cmd)
	f.BoolVar(&flags.dryRun, "dry-run", false, "say what would be written and what would be left to do, and write nothing")
	return cmd
}

// bumpOne takes the package of one configuration to another version.
func (a *app) bumpOne(cmd *cobra.Command, path string, flags bumpFlags) error {
	start := time.Now()
	if flags.dryRun {
		if _, _, err := a.reading(cmd, path); err != nil {
			return err
		}
	} else {
		_, end, err := a.writing(cmd, path)
		if err != nil {
			return err
		}
		defer end()
	}
	defer a.working("comparing, generating and compiling")()
	b, err := generator.PlanBump(path, flags.to, flags.version, &a.diags)
	if err != nil {
		return err
	}
	if flags.dryRun {
		a.printDryRun(b.Plan)
		return a.printTodo(b)
	}
	if flags.markdown != "" {
		text, err := bumpMarkdown(b)
		if err != nil {
			return err
		}
		if err := os.WriteFile(flags.markdown, text, 0o666); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	if err := b.Plan.Apply(); err != nil {
		return err
	}
	a.tellFiles(b.Plan)
	a.say("%s\n", b.Diff.Summary(protocol.FromBoth))
	a.summary(b.Plan, "wrote", time.Since(start))
	return a.printTodo(b)
}

// printTodo lists what is left for a person.
func (a *app) printTodo(b *generator.Bump) error {
	if b.Unchecked != "" {
		fmt.Fprintf(a.stderr, "what no longer compiles is not known: %s\n", b.Unchecked)
	}
	if len(b.Todo) == 0 {
		a.say("nothing is left to do\n")
		return nil
	}
	fmt.Fprintf(a.stdout, "%s left to do:\n", plural(len(b.Todo), "thing"))
	for _, d := range b.Todo {
		fmt.Fprintf(a.stdout, "%s: %s\n", d.Pos, oneLine(d.Message))
	}
	return nil
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
	for _, d := range b.Todo {
		fmt.Fprintf(&out, "- [ ] `%s` %s\n", strings.ReplaceAll(d.Pos.String(), "`", "'"), report.Markdown(oneLine(d.Message)))
	}
	out.WriteString("\n")
	if err := b.Diff.Write(&out, "markdown", protocol.FromBoth); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
