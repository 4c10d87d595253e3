// The lint command.

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

func (a *app) lint() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Report everything that is wrong with schemas and profile",
		Long: `Lint reads the schemas and the profile and reports every problem with its position and what to do
about it, warnings included. It exits with 1 where there is any.`,
		Example: `  ahpgen lint --schemas ./schema
  ahpgen lint --schemas ./schema --profile ahp`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, err := a.generator(cmd)
			if err != nil {
				return err
			}
			err = g.Lint()
			if errors.Is(err, generator.ErrFindings) {
				return errFindings
			}
			if err == nil {
				fmt.Fprintln(a.stdout, "no findings")
			}
			return err
		},
	}
	a.inputFlags(cmd)
	return cmd
}
