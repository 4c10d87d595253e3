// The init command.

package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

func (a *app) init() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Set a folder up for a generated package",
		Long: `Init writes two files into a folder (./ahp by default): ahpgen.json, which says what to generate
from what, and a Go file with the go:generate line that does it. Files that are there already are
left alone, and named. From then on go generate writes the package and ahpgen check compares it.

Without --schemas the package comes from the embedded schemas.`,
		Example: `  go get -tool github.com/ahpgen/ahpgen/cmd/ahpgen
  go tool ahpgen init
  go generate ./...
  go tool ahpgen init ./internal/wire --schemas ./schema --profile ahp --package wire`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := generator.DefaultFolder()
			if len(args) == 1 {
				dir = args[0]
			}
			files, err := generator.Init(dir, a.flags)
			if err != nil {
				return err
			}
			for _, f := range files {
				what := "wrote"
				if !f.Written {
					what = "kept"
				}
				fmt.Fprintf(a.stdout, "%s %s\n", what, filepath.ToSlash(f.Path))
			}
			fmt.Fprintln(a.stdout, "next: go generate ./...")
			if len(a.flags.Transports) > 0 {
				fmt.Fprintln(a.stdout, "      go get github.com/coder/websocket")
			}
			return nil
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().StringVar(&a.flags.Package, "package", "", "name of the package (default: that of the folder)")
	cmd.Flags().StringSliceVar(&a.flags.Transports, "transports", nil, "what to have beside streams: websocket, which needs github.com/coder/websocket")
	return cmd
}
