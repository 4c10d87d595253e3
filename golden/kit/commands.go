// Commands that tests run: ahpgen and others.

package kit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
)

// Ahpgen runs the command and returns everything that it printed, and the exit code.
func Ahpgen(args ...string) (string, int) {
	var stdout, stderr bytes.Buffer
	code := cli.Run(args, &stdout, &stderr)
	return stdout.String() + stderr.String(), code
}

// Run executes a command in a folder and returns what it printed.
func Run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	out, err := Command(dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// Command executes a command in a folder and returns all that it printed.
func Command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Tool is the program, as a process of its own: the one of these tests, which TestMain makes run the command under
// this name. What people install is tried by the tests of consumers.
func Tool(t *testing.T) string {
	Long(t)
	if path := os.Getenv("AHPGEN_STRESS_TOOL"); path != "" {
		return path
	}
	path, err := exec.LookPath("ahpgen")
	require.NoError(t, err)
	return path
}

// InFolder runs the command in a folder.
func InFolder(t *testing.T, folder string, args ...string) (out string, code int) {
	t.Helper()
	DoIn(t, folder, func() { out, code = Ahpgen(args...) })
	return out, code
}

// DoIn does something in a folder, and comes back.
func DoIn(t *testing.T, folder string, do func()) {
	t.Helper()
	before, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(folder))
	defer func() { require.NoError(t, os.Chdir(before)) }()
	do()
}

// position is the place of a message of the go command.
var position = regexp.MustCompile(`(?m)^(?:vet: )?(\S+?\.go):(\d+)(?::(\d+))?:? `)

// Positions lists the files and lines that a text names, relative to the module.
func Positions(dir, from, text string) []string {
	var out []string
	for _, m := range position.FindAllStringSubmatch(text, -1) {
		path := m[1]
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, from, path)
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil {
			out = append(out, filepath.ToSlash(rel)+":"+m[2])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
