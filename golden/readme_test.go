// Runs every command in the README and compares what it prints.

package golden

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// step is a command of the README with the output that it shows, or a program that takes the place
// of the one before.
type step struct {
	program string
	where   string // "consumer" or "checkout"
	command string
	output  string
}

var fence = regexp.MustCompile("(?ms)^```(go|console \\w+)\n(.*?)^```$")

// readme splits the README into its Go programs and its commands, in order.
func readme(t *testing.T) (steps []step) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
		if m[1] == "go" {
			steps = append(steps, step{program: m[2]})
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
	return steps
}

func TestReadmeCommands(t *testing.T) {
	steps := readme(t)
	require.NotEmpty(t, steps)
	ci, err := os.ReadFile(filepath.Join("..", ".ci", "run"))
	require.NoError(t, err)
	dir := consumerModule(t)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for i, s := range steps {
		if s.program != "" {
			writeFile(t, filepath.Join(dir, "main.go"), s.program)
			continue
		}
		if s.command == "go test ./..." {
			require.Contains(t, string(ci), "'go test ./...' tests ./...", ".ci/run runs the tests") // running them here would not end
			continue
		}
		where := map[string]string{"consumer": dir, "checkout": root}[s.where]
		require.NotEmpty(t, where, s.where)
		temp := filepath.ToSlash(filepath.Join(t.TempDir(), "ahp"))
		out, err := command(where, "sh", "-c", strings.ReplaceAll(s.command, "/tmp/ahp", temp))
		require.NoErrorf(t, err, "%s: %s", s.command, out)
		printed := strings.ReplaceAll(progress(out), temp, "/tmp/ahp")
		if *update {
			steps[i].output = printed
			continue
		}
		require.Equal(t, s.output, printed, s.command)
	}
	if *update {
		writeReadme(t, steps)
	}
}

// writeReadme puts what the commands have printed behind them.
func writeReadme(t *testing.T, steps []step) {
	t.Helper()
	name := filepath.Join("..", "README.md")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	steps = slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.program != "" })
	text := fence.ReplaceAllStringFunc(string(data), func(block string) string {
		first, rest, _ := strings.Cut(block, "\n")
		if first == "```go" {
			return block
		}
		for line := range strings.SplitSeq(rest, "\n") {
			if strings.HasPrefix(line, "$ ") {
				first += "\n" + line + "\n" + strings.TrimSuffix(steps[0].output, "\n")
				first = strings.TrimSuffix(first, "\n")
				steps = steps[1:]
			}
		}
		return first + "\n```"
	})
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
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
