// The lint command.

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

func (a *app) lint() *cobra.Command {
	overlay := false
	cmd := &cobra.Command{
		Use:   "lint [DIR|./...]...",
		Short: "Report everything that is wrong with schemas and profile",
		Long: `Lint reads the schemas and the profile and reports every problem with its position and what to do
about it, warnings included. It exits with 1 where there is any.

With --overlay it also drafts what a profile needs where the schemas refer to definitions that they
do not have: an overlay with one entry for each, which names the places. A person fills in the gaps,
{} with the schema and null with the value on the wire; a profile that still has gaps is refused.
References that no definition would mend stay findings. The exit code is 1 as long as there are
errors, and 0 with an empty overlay where nothing is missing.` + configsUsage,
		Example: `  ahpgen lint
  ahpgen lint ./...
  ahpgen lint --schemas ./schema
  ahpgen lint --schemas ./schema --profile ahp
  ahpgen lint --schemas ./schema --profile ahp --overlay > missing.json`,
		Annotations:       map[string]string{takesFolders: "yes"},
		ValidArgsFunction: a.completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.each(cmd, args, func(path string) error { return a.lintOne(cmd, path, overlay) })
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().BoolVar(&overlay, "overlay", false, "print an overlay for what the schemas refer to and do not have, to be filled in")
	return cmd
}

// lintOne lints the schemas and the profile of one configuration.
func (a *app) lintOne(cmd *cobra.Command, path string, overlay bool) error {
	g, err := a.generator(cmd, path)
	if err != nil {
		return err
	}
	defer a.working("reading")()
	if overlay {
		return a.printOverlay(g)
	}
	err = g.Lint()
	if errors.Is(err, generator.ErrFindings) {
		return errFindings
	}
	if err == nil {
		a.say("no findings\n")
	}
	return err
}

// printOverlay prints the overlay to standard output, separate from findings.
func (a *app) printOverlay(g *generator.Generator) error {
	text, err := g.Overlay()
	if _, printErr := a.stdout.Write(text); printErr != nil {
		return fmt.Errorf("print the overlay: %w", printErr)
	}
	if errors.Is(err, generator.ErrFindings) {
		return errFindings
	}
	return err
}
