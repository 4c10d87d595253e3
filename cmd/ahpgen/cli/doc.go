// The doc command.

package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

// docFlags are the flags of the doc command.
type docFlags struct {
	out pagesFolder
}

// pagesFolder is the folder for pages: another than that of the package, which other commands call --out.
type pagesFolder string

func (f *pagesFolder) String() string     { return string(*f) }
func (f *pagesFolder) Set(v string) error { *f = pagesFolder(v); return nil }

// Type is how help calls the value.
func (f *pagesFolder) Type() string { return "folder" }

func (a *app) doc() *cobra.Command {
	var flags docFlags
	cmd := &cobra.Command{
		Use:   "doc",
		Short: "Make pages that show a protocol, on the wire and in Go",
		Long:  "",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := a.one(cmd)
			if err != nil {
				return err
			}
			g, err := a.generator(cmd, path)
			if err != nil {
				return err
			}
			site, err := g.Doc()
			if err != nil {
				return err
			}
			if err := site.Write(string(flags.out)); err != nil {
				return err
			}
			a.say("%s: wrote %s (%s) to %s\n", site.Protocol.Name, plural(site.Pages(), "page"), size(site.Bytes()), filepath.ToSlash(string(flags.out)))
			return nil
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().Var(&flags.out, "out", "folder for the pages")
	_ = fmt.Sprint
	_ = generator.ConfigName
	return cmd
}
