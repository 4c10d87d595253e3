// The check command.

package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

func (a *app) check() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [DIR|./...]...",
		Short: "Compare the package on disk with what would be generated",
		Long: `Check generates in memory and compares. It names every file that is missing, stale or orphaned,
prints the difference as a unified diff, and exits with 1 where there is any. What the lock knows of
inputs and options that have changed since is named first. It also lists reducers and methods of a skeleton
that are unfinished, have a wrong signature or belong to nothing any more. It writes nothing.` + configsUsage,
		Example: `  ahpgen check
  ahpgen check ./...
  ahpgen check --schemas ./schema --profile ahp --out ./ahp`,
		Annotations:       map[string]string{takesFolders: "yes"},
		ValidArgsFunction: a.completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.each(cmd, args, func(path string) error { return a.checkOne(cmd, path) })
		},
	}
	a.inputFlags(cmd)
	a.outputFlags(cmd)
	return cmd
}

// checkOne checks the package of one configuration.
func (a *app) checkOne(cmd *cobra.Command, path string) error {
	start := time.Now()
	config, err := a.config(cmd, path)
	if err != nil {
		return err
	}
	defer a.working("comparing")()
	g, err := generator.New(config, &a.diags)
	if err != nil {
		return err
	}
	plan, err := g.Plan()
	if err != nil {
		return err
	}
	for _, f := range plan.Findings {
		a.diags.Add(f)
	}
	if plan.Clean() {
		a.summary(plan, "would write", time.Since(start))
		if len(plan.Findings) > 0 {
			return errFindings
		}
		return nil
	}
	a.printDiff(plan.Diff())
	for _, line := range plan.Drift {
		fmt.Fprintln(a.stderr, line)
	}
	for _, f := range plan.Files {
		if f.State != generator.Unchanged {
			fmt.Fprintf(a.stderr, "%s: %s\n", plan.Path(f), describe(f))
		}
	}
	line := "ahpgen generate"
	if path != "" && generator.DisplayPath(path) != generator.ConfigName {
		line += " " + argument(filepath.Dir(path))
	}
	fmt.Fprintf(a.stderr, "    hint: run %s and commit the result\n", line)
	return errFindings
}

// describe describes how a planned file differs from the one on disk.
func describe(f generator.PlannedFile) string {
	if f.Hand && len(f.Stubs) > 0 {
		return "lacks " + plural(len(f.Stubs), "stub")
	}
	if n := len(f.Gone) + len(f.Followed); f.Hand && n > 0 {
		return "has " + plural(n, "method") + " out of date that had not been edited"
	}
	return f.State.String()
}
