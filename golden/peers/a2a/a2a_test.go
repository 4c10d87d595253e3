// Conversations with a2a-go, in a module that has the generated package.

package a2a

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/a2aproject/a2a-go/a2aclient" // for the module that the test makes
	_ "github.com/a2aproject/a2a-go/a2asrv"    // the same
	"github.com/stretchr/testify/require"
)

// TestConversations has our client talk to their agent, and their client to ours.
func TestConversations(t *testing.T) {
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	module := t.TempDir()
	require.NoError(t, os.CopyFS(module, os.DirFS(filepath.Join("testdata", "ours"))))
	for _, name := range []string{"go.mod", "go.sum"} { // the same versions of the same modules
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		text = []byte(strings.Replace(string(text), "module github.com/ahpgen/ahpgen/golden/peers/a2a", "module ours", 1))
		require.NoError(t, os.WriteFile(filepath.Join(module, name), text, 0o600))
	}
	config := `{"schemas": "` + filepath.Join(corpus, "a2a") + `", "profile": "a2a", "out": "a2a", "package": "a2a", "transports": ["http"]}`
	require.NoError(t, os.WriteFile(filepath.Join(module, "ahpgen.json"), []byte(config), 0o600))
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	ahpgen := filepath.Join(t.TempDir(), "ahpgen.exe")
	run(t, exec.Command("go", "build", "-C", root, "-o", ahpgen, "./cmd/ahpgen")) //nolint:gosec // fixed
	generate := exec.Command(ahpgen, "generate", "-q")
	generate.Dir = module
	run(t, generate)
	run(t, exec.Command("go", "test", "-C", module, "-count=1", "-v", "-run", "^Test", ".")) //nolint:gosec // a folder of the test's
}

func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", c, out)
	require.NotContains(t, string(out), "SKIP")
}
