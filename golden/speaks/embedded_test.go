// Tests of translators between embedded versions.

package speaks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestEmbeddedVersions lists what is not the same for peers of each embedded version, or what is refused.
func TestEmbeddedVersions(t *testing.T) {
	newest := map[string]string{}
	for _, name := range schemas.Protocols() { // the newest of each protocol comes first
		protocol, version, _ := strings.Cut(name, "@")
		if newest[protocol] == "" {
			newest[protocol] = name
			continue
		}
		t.Run(name, func(t *testing.T) {
			file := fmt.Sprintf("%s-to-%s.txt", strings.Replace(newest[protocol], "@", "-", 1), version)
			compareList(t, file, "", "inspect", "--schemas", newest[protocol], "--speaks", version)
		})
	}
}

// TestNeighbours does so for a version of MCP and the one before, neither of which is the newest.
func TestNeighbours(t *testing.T) {
	compareList(t, "mcp-2025-11-25-to-2025-06-18.txt", "", "inspect", "--schemas", "mcp@2025-11-25", "--speaks", "2025-06-18")
}

// TestPublishedVersions does so for versions of which there are only the published schemas.
func TestPublishedVersions(t *testing.T) {
	for _, c := range []struct{ profile, newer, older string }{
		{"mcp", "2025-11-25", "2025-06-18"}, {"mcp", "2025-06-18", "2025-03-26"}, {"mcp", "2025-03-26", "2024-11-05"}, {"acp", "v2", "v1"},
	} {
		t.Run(c.profile+" "+c.newer, func(t *testing.T) {
			folder := filepath.Join(kit.Corpus(t), c.profile)
			file := fmt.Sprintf("%s-%s-to-%s-published.txt", c.profile, c.newer, c.older)
			compareList(t, file, filepath.ToSlash(folder)+"/", "inspect", "--schemas", filepath.Join(folder, c.newer), "--profile", c.profile, "--speaks", filepath.Join(folder, c.older))
		})
	}
}

// compareList compares what a command prints with a file, without the path of a folder. Hints are left out.
func compareList(t *testing.T, file, folder string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cli.Run(args, &stdout, &stderr) != 0 {
		lines := strings.Split(stderr.String(), "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "    hint:") })
		fmt.Fprint(&stdout, strings.Join(lines, "\n"))
	}
	got := stdout.String()
	if folder != "" {
		got = strings.ReplaceAll(got, folder, "")
	}
	file = filepath.Join("testdata", file)
	if *kit.Update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
