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
		Use:   "check",
		Short: "Compare the package on disk with what would be generated",
		Long: `Check generates in memory and compares. It names every file that is missing, stale or orphaned,
prints the difference as a unified diff, and exits with 1 where there is any. It writes nothing.`,
		Example: `  ahpgen check
  ahpgen check --schemas ./schema --profile ahp --out ./ahp`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			g, err := a.generator(cmd)
			if err != nil {
				return err
			}
			plan, err := g.Plan()
			if err != nil {
				return err
			}
			if plan.Clean() {
				a.summary(plan, "would write", time.Since(start))
				return nil
			}
			fmt.Fprint(a.stdout, plan.Diff())
			for _, f := range plan.Files {
				if f.State != generator.Unchanged {
					fmt.Fprintf(a.stderr, "%s: %s\n", filepath.ToSlash(filepath.Join(plan.Out, f.Name)), f.State)
				}
			}
			fmt.Fprintln(a.stderr, "    hint: run ahpgen generate and commit the result")
			return errFindings
		},
	}
	a.inputFlags(cmd)
	a.outputFlags(cmd)
	return cmd
}
