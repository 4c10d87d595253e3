// Runs every command in the README and compares what it prints.

package golden

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// step is a command of the README with the output that it shows.
type step struct {
	where   string // "consumer" or "checkout"
	command string
	output  string
}

var fence = regexp.MustCompile("(?ms)^```(go|console \\w+)\n(.*?)^```$")

// readme splits the README into its Go programs and its commands, in order.
func readme(t *testing.T) (programs []string, steps []step) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
		if m[1] == "go" {
			programs = append(programs, m[2])
			continue
		}
		for _, line := range strings.SplitAfter(m[2], "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				steps = append(steps, step{where: strings.Fields(m[1])[1], command: strings.TrimSpace(command)})
			} else if len(steps) > 0 {
				steps[len(steps)-1].output += line
			}
		}
	}
	return programs, steps
}

func TestReadmeCommands(t *testing.T) {
	programs, steps := readme(t)
	require.Len(t, programs, 2)
	require.NotEmpty(t, steps)
	ci, err := os.ReadFile(filepath.Join("..", ".ci", "run"))
	require.NoError(t, err)
	dir := consumerModule(t)
	writeFile(t, filepath.Join(dir, "main.go"), programs[0])
	writeFile(t, filepath.Join(dir, "host", "main.go"), programs[1])
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, s := range steps {
		if s.command == "go test ./..." {
			require.Contains(t, string(ci), "'go test ./...' tests ./...", ".ci/run runs the tests") // running them here would not end
			continue
		}
		where := map[string]string{"consumer": dir, "checkout": root}[s.where]
		require.NotEmpty(t, where, s.where)
		temp := filepath.ToSlash(filepath.Join(t.TempDir(), "ahp"))
		out, err := command(where, "sh", "-c", strings.ReplaceAll(s.command, "/tmp/ahp", temp))
		require.NoErrorf(t, err, "%s: %s", s.command, out)
		require.Equal(t, s.output, strings.ReplaceAll(progress(out), temp, "/tmp/ahp"), s.command)
	}
}

// progress drops what the go command says about downloads and versions, which depends on the machine.
func progress(out string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(out, "\n") {
		if !strings.HasPrefix(line, "go: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
