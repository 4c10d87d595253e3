// Help about ahpgen.json.

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

// configTopic returns the help topic "ahpgen help config".
func configTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "All options of " + generator.ConfigName,
		Long: generator.ConfigName + ` says what to generate from what. ahpgen init writes one. It is a JSON object with the
options below, all of which can be left out; paths in it are relative to the file.

` + optionTable() + `
For example:

  {
    "$schema": "./` + generator.ConfigSchemaName + `",
    "schemas": "../schema",
    "profile": "./profile.json",
    "out": ".",
    "reducers": {"omit": true}
  }`,
	}
}

// textWidth is the line width of descriptions.
const textWidth = 76

// optionTable lists the options with kind and description.
func optionTable() string {
	var b strings.Builder
	for _, o := range generator.Options() {
		fmt.Fprintf(&b, "  %s: %s\n", o.Name, o.Kind)
		for _, line := range wrap(o.Meaning, textWidth) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
	}
	return b.String()
}

// wrap wraps text at word boundaries.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
