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
			var stdout, stderr bytes.Buffer
			if cli.Run([]string{"inspect", "--schemas", newest[protocol], "--speaks", version}, &stdout, &stderr) != 0 {
				lines := strings.Split(stderr.String(), "\n")
				lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "    hint:") })
				fmt.Fprint(&stdout, strings.Join(lines, "\n"))
			}
			file := filepath.Join("testdata", fmt.Sprintf("%s-to-%s.txt", strings.Replace(newest[protocol], "@", "-", 1), version))
			if *kit.Update {
				require.NoError(t, os.WriteFile(file, stdout.Bytes(), 0o644))
				return
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), stdout.String())
		})
	}
}
