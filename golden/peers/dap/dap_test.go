// Sessions with Delve and with go-dap, in a module that has the generated package.

package dap

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// place makes a module with the generated package and the tests in testdata/ours.
func place(t *testing.T) string {
	t.Helper()
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	module := t.TempDir()
	require.NoError(t, os.CopyFS(module, os.DirFS(filepath.Join("testdata", "ours"))))
	for _, name := range []string{"go.mod", "go.sum"} { // the same versions of the same modules
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		text = []byte(strings.Replace(string(text), "module github.com/ahpgen/ahpgen/golden/peers/dap", "module ours", 1))
		require.NoError(t, os.WriteFile(filepath.Join(module, name), text, 0o600))
	}
	run(t, exec.Command("go", "run", "-C", filepath.Join("..", "..", ".."), "./cmd/ahpgen", "generate", "-q", //nolint:gosec // fixed
		"--schemas", filepath.Join(corpus, "dap"), "--profile", "dap", "--out", filepath.Join(module, "dap"), "--package", "dap"))
	return module
}

func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", c, out)
	require.NotContains(t, string(out), "SKIP")
}

// delve starts Delve until the test ends, and returns its address, for one connection.
func delve(t *testing.T) string {
	t.Helper()
	c := exec.Command("go", "tool", "dlv", "dap", "--listen", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, address, ok := strings.Cut(strings.TrimSpace(line), "listening at: ")
	require.True(t, ok, line)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return address
}

// TestSessions has our client debug a program with Delve, and go-dap drive our adapter.
func TestSessions(t *testing.T) {
	module := place(t)
	debuggee, err := filepath.Abs(filepath.Join("testdata", "debuggee"))
	require.NoError(t, err)
	address := delve(t)
	tests := exec.Command("go", "test", "-C", module, "-count=1", "-v", "-run", "^Test", ".") //nolint:gosec // a folder of the test's
	tests.Env = append(os.Environ(), "DLV_ADDRESS="+address, "DEBUGGEE="+debuggee)
	run(t, tests)
}
