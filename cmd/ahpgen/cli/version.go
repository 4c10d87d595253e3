// The version command.

package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/schemas"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of ahpgen and what it brings along",
		Example: "  ahpgen version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version, goVersion := "(devel)", ""
			if info, ok := debug.ReadBuildInfo(); ok {
				goVersion = " built with " + info.GoVersion
				if info.Main.Version != "" {
					version = info.Main.Version
				}
			}
			fmt.Fprintf(a.stdout, "ahpgen %s%s\nschemas: %s\nprofiles: %s\n", version, goVersion,
				strings.Join(schemas.Protocols(), ", "), strings.Join(schemas.Profiles(), ", "))
			return nil
		},
	}
}
