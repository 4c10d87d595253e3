// The diff command.

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (a *app) diff() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two versions of a protocol",
		Long: `Diff analyses two sets of schemas and lists what changed on the wire: types, fields, presence,
unions by tag, enums, actions, methods, channels and error codes. Wording and the way a shape is
written down do not count. Each side is a folder of schemas or embedded ones such as ahp@0.7.0; the
profile is used for folders. Exit code 1 says that there are differences.`,
		Example: `  ahpgen diff ./schema-0.6.0 ./schema-0.7.0 --profile ahp
  ahpgen diff ./schema ahp@0.7.0 --profile ahp`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var sides [2]*protocol.Protocol
			for i, arg := range args {
				p, err := a.side(arg)
				if err != nil {
					return err
				}
				sides[i] = p
			}
			changes := change.Compare(sides[0], sides[1])
			for _, c := range changes {
				fmt.Fprintln(a.stdout, c)
			}
			if len(changes) == 0 {
				fmt.Fprintln(a.stdout, "no differences")
				return nil
			}
			return errFindings
		},
	}
	cmd.Flags().StringVar(&a.flags.Profile, "profile", "", "profile for sides that are folders: an embedded one by name, or a file")
	return cmd
}

// side analyses one side of a comparison.
func (a *app) side(schemas string) (*protocol.Protocol, error) {
	config := generator.Config{Schemas: schemas, Profile: a.flags.Profile}
	if generator.IsEmbedded(schemas) {
		config.Profile = ""
	}
	g, err := generator.New(config, &a.diags)
	if err != nil {
		return nil, err
	}
	return g.Analyze()
}
