// Help texts are read in a terminal.

package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
)

// TestHelpFitsIntoATerminal: no line of a description is much longer than the others. Lists of flags are as wide as they are.
func TestHelpFitsIntoATerminal(t *testing.T) {
	for _, command := range []string{"init", "generate", "check", "lint", "inspect", "diff", "doc", "bump", "tap", "show", "replay", "call", "rules", "version", "completion"} {
		var stdout, stderr bytes.Buffer
		require.Zero(t, cli.Run([]string{command, "--help"}, &stdout, &stderr), stderr.String())
		for line := range strings.Lines(stdout.String()) {
			if !strings.HasPrefix(line, "  ") {
				require.LessOrEqual(t, utf8.RuneCountInString(line), 113, "%s: %s", command, line)
			}
		}
	}
}
