// The generate command.

package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

func (a *app) generate() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "generate [DIR|./...]...",
		Short: "Write the Go package for a protocol's schemas",
		Long: `Generate reads schemas and writes a Go package. Files named *_gen.go belong to ahpgen and are
replaced. Reducers that are neither stated nor come finished belong to you: ahpgen adds a stub for each
that is missing, and takes stubs back that are still as it wrote them and that nothing wants any more; what you
write stays as it is. So it is with the methods that handle requests, where ahpgen.json asks for a skeleton
of them. What you save while it runs is kept: then nothing is written, and it says so. One process at a time
writes to a folder, which is in the module unless you name it with --out.

With --out alone it generates from the embedded schemas that are the default.` + configsUsage,
		Example: `  ahpgen generate                  # as ahpgen.json says
  ahpgen generate ./...            # as every ahpgen.json below says
  ahpgen generate --out ./ahp      # from the embedded schemas
  ahpgen generate --schemas ./schema --profile ahp --out ./ahp
  ahpgen generate --schemas ./schema --profile ./my-profile.json --out ./wire --package wire
  ahpgen generate --dry-run`,
		Annotations:       map[string]string{takesFolders: "yes"},
		ValidArgsFunction: a.completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.each(cmd, args, func(path string) error {
				if dryRun {
					return a.generateDry(cmd, path)
				}
				return a.generateOne(cmd, path)
			})
		},
	}
	a.inputFlags(cmd)
	a.outputFlags(cmd)
	a.waitFlag(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be written, and write nothing")
	return cmd
}

// generateOne generates the package of one configuration.
func (a *app) generateOne(cmd *cobra.Command, path string) error {
	start := time.Now()
	config, end, err := a.writing(cmd, path, nil)
	if err != nil {
		return err
	}
	defer end()
	defer a.working("generating")()
	g, err := generator.New(config, &a.diags)
	if err != nil {
		return err
	}
	plan, err := g.Plan()
	if err != nil {
		return err
	}
	a.diags.Stage("writing")
	if err := plan.Apply(); err != nil {
		return err
	}
	a.tellFiles(plan)
	a.summary(plan, "wrote", time.Since(start))
	if lacks := plan.Libraries(); len(lacks) > 0 {
		a.say("the package needs what go.mod does not have: type go get %s\n", strings.Join(lacks, " "))
	}
	a.printStubs(plan)
	return a.handFindings(plan)
}

// generateDry prints what would be written.
func (a *app) generateDry(cmd *cobra.Command, path string) error {
	g, err := a.generator(cmd, path)
	if err != nil {
		return err
	}
	defer a.working("generating")()
	plan, err := g.Plan()
	if err != nil {
		return err
	}
	a.printDryRun(plan)
	return nil
}

// printDryRun prints the files that would change, with -v those that would not as well, and how many these are.
func (a *app) printDryRun(plan *generator.Plan) {
	files := plan.Files
	if !a.verbose {
		files = pending(files)
	}
	printFiles(a.stdout, plan, files)
	a.summary(plan, "would write", 0)
}

// pending returns the files that are not as planned yet.
func pending(files []generator.PlannedFile) []generator.PlannedFile {
	unchanged := func(f generator.PlannedFile) bool { return f.State == generator.Unchanged }
	return slices.DeleteFunc(slices.Clone(files), unchanged)
}

// printFiles prints the files of a plan with their status.
func printFiles(w io.Writer, plan *generator.Plan, files []generator.PlannedFile) {
	for _, f := range files {
		what := map[generator.State]string{
			generator.Unchanged: "keep", generator.Missing: "create", generator.Stale: "update", generator.Orphaned: "delete",
		}[f.State]
		if f.Hand && f.State == generator.Stale {
			what = "extend"
		}
		fmt.Fprintf(w, "%-6s %s\n", what, plan.Path(f))
	}
}

// summary prints what was read and written, and on a terminal the time.
func (a *app) summary(plan *generator.Plan, verb string, took time.Duration) {
	p := plan.Protocol
	name := cmp.Or(p.Name, "protocol")
	if p.Version != "" {
		name += " " + p.Version
	}
	changed := plan.Count(generator.Missing) + plan.Count(generator.Stale)
	line := fmt.Sprintf("%s: read %s (%s), %s %s of package %s in %s", name, plural(plan.SchemaFiles, "schema file"), size(plan.SchemaBytes),
		verb, plural(changed, "file"), plan.Package, filepath.ToSlash(plan.Out))
	if n := plan.Count(generator.Unchanged); n > 0 {
		line += fmt.Sprintf(", %d unchanged", n)
	}
	if n := plan.Count(generator.Orphaned); n > 0 {
		line += fmt.Sprintf(", %d removed", n)
	}
	for _, f := range plan.Files {
		if f.Aside && f.State != generator.Unchanged && changed == 0 { // the lock goes with the files otherwise
			line += " and " + plan.Path(f)
		}
	}
	if a.terminal && took > 0 {
		line += fmt.Sprintf(", in %d ms", took.Milliseconds())
	}
	a.say("%s\n", line)
	a.printUnconfirmed(plan)
	if p.Name == "" && len(p.Methods) > 0 {
		a.say("no x-protocol in the schemas, and no profile, says what this protocol is called and which version this is: peers cannot agree on one\n")
	}
	if plan.NoModule() {
		a.say("no go.mod is above %s, so Go cannot build the package: type go mod init example.com/NAME, then generate again\n", filepath.ToSlash(plan.Out))
	}
}

// printUnconfirmed warns about reducer rules not checked against this version.
func (a *app) printUnconfirmed(plan *generator.Plan) {
	if text := plan.Unconfirmed(); text != "" {
		a.say("%s\n", text)
	}
}

// printStubs reports finished reducers, new stubs and removed ones.
func (a *app) printStubs(plan *generator.Plan) {
	a.printSettled(plan)
	if n := len(plan.Finished); n > 0 && plan.NewFinished {
		a.say("%s: they are ahpgen's; to take one over, name its action under \"reducers\": {\"own\": […]} in %s\n",
			plural(n, "finished reducer"), generator.ConfigName)
	}
	if n := len(plan.Yours); n > 0 {
		a.say("%s of yours would come finished: delete them for ahpgen's, or name their actions under \"reducers\": {\"own\": […]} in %s: %s\n",
			plural(n, "reducer"), generator.ConfigName, strings.Join(plan.Yours, ", "))
	}
	for _, f := range plan.Files {
		if len(f.Finished) > 0 {
			a.say("%s: added %s for you to change: %s\n", plan.Path(f), plural(len(f.Finished), "finished reducer"), methods(f.Finished))
		}
		if len(f.Stubs) > 0 {
			a.say("%s: added %s for you to write: %s\n", plan.Path(f), plural(len(f.Stubs), "stub"), methods(f.Stubs))
			for _, name := range f.Stubs {
				if why := plan.Unfit[name]; why != "" {
					a.say("  %s: the finished reducer does not fit: %s\n", methods([]string{name}), why)
				}
			}
		}
	}
}

// printSettled reports unchanged methods that were updated.
func (a *app) printSettled(plan *generator.Plan) {
	for _, f := range plan.Files {
		if len(f.Gone) > 0 {
			file := ""
			if f.State == generator.Orphaned {
				file = ", and the file, in which nothing else was"
			}
			fmt.Fprintf(a.stdout, "%s: removed %s that had not been edited%s: %s\n", plan.Path(f), plural(len(f.Gone), "method"), file, methods(f.Gone))
		}
		if len(f.Followed) > 0 {
			fmt.Fprintf(a.stdout, "%s: updated %s that had not been edited: %s\n", plan.Path(f), plural(len(f.Followed), "method"), methods(f.Followed))
		}
	}
}

// methods returns method names without receivers.
func methods(names []string) string {
	var out []string
	for _, name := range names {
		out = append(out, name[strings.LastIndex(name, ".")+1:])
	}
	return strings.Join(out, ", ")
}

// handFindings prints findings in the user's files. Unfinished stubs are only counted; check lists them.
func (a *app) handFindings(plan *generator.Plan) error {
	unfinished := 0
	for _, f := range plan.Findings {
		if f.Code == generator.Unfinished {
			unfinished++
			continue
		}
		a.diags.Add(f)
	}
	if unfinished > 0 {
		a.say("%s still to write: ahpgen check lists them\n", plural(unfinished, "stub"))
	}
	if a.diags.HasErrors() {
		return errFindings
	}
	return nil
}

func size(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d B", n)
}
