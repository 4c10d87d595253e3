// The version command.

package cli

import (
	"cmp"
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
			fmt.Fprint(a.stdout, versionText())
			return nil
		},
	}
}

// versionText returns the versions of ahpgen and the embedded protocols.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return fmt.Sprintf("%s\nschemas: %s\nprofiles: %s\n", buildText(info),
		strings.Join(schemas.Protocols(), ", "), strings.Join(schemas.Profiles(), ", "))
}

// buildText returns module, version and build information in one line.
func buildText(info *debug.BuildInfo) string {
	text := "ahpgen " + cmp.Or(info.Main.Version, "(devel)")
	if info.GoVersion != "" {
		text += " built with " + info.GoVersion
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		text += " from commit " + revision[:min(len(revision), 12)]
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	if info.Main.Path != "" {
		text += ", " + info.Main.Path
	}
	return text
}
