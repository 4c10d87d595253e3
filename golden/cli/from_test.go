// Tests that drafts of profiles make packages that compile.

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// draft begins with published schemas in a module, and generates from the draft, which has no findings.
func draft(t *testing.T, module, name, from string) (said string) {
	t.Helper()
	said, code := kit.InFolder(t, module, "init", name, "--from", from, "--name", name)
	require.Zero(t, code, said)
	out, code := kit.InFolder(t, module, "lint", name)
	require.Zero(t, code, out)
	out, code = kit.InFolder(t, module, "generate", name, "-q")
	require.Zero(t, code, out)
	return said
}

// TestDraftsCompile makes packages of the protocols in init-from.txtar.
func TestDraftsCompile(t *testing.T) {
	archive, err := txtar.ParseFile("init-from.txtar")
	require.NoError(t, err)
	module := kit.NewModule(t)
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "downloads/") || strings.HasPrefix(f.Name, "trains/") {
			kit.WriteFile(t, filepath.Join(module, filepath.FromSlash(f.Name)), string(f.Data))
		}
	}
	for name, from := range map[string]string{
		"garden": "downloads/gardenProtocol.json", "trains": "trains/schema", "mail": "downloads/mail.json", "inline": "downloads/inline",
		"stations": "downloads/stations", "odd": "downloads/odd.json", "chess": "downloads/chess.json", "robot": "downloads/robot.json",
	} {
		draft(t, module, name, from)
	}
	kit.Compiles(t, module)
}

// TestDraftsOfPublishedProtocols makes packages of protocols as they are published, without the profiles that ahpgen has.
func TestDraftsOfPublishedProtocols(t *testing.T) {
	corpus := kit.Corpus(t)
	module := kit.NewModule(t)
	said := draft(t, module, "dap", filepath.Join(corpus, "dap", "debugAdapterProtocol.json"))
	require.Contains(t, said, "found: 45 requests and 17 notifications\n")
	require.Contains(t, said, `"sides": ["client", "adapter"]`)
	require.Contains(t, said, `"framing": "headers"`)
	said = draft(t, module, "a2a", filepath.Join(corpus, "a2a"))
	require.Contains(t, said, "found: 10 requests and 0 notifications\n")
	require.Contains(t, said, "No result was found of tasks/resubscribe")
	require.Contains(t, said, `"streams": ["message/stream"]`)
	kit.Compiles(t, module)
	for name, title := range map[string]string{"dap": "Debug Adapter Protocol", "a2a": "Agent2Agent Protocol"} {
		said, code := kit.InFolder(t, module, "init", "known/"+name, "--from", filepath.Join(corpus, name))
		require.Zero(t, code, said)
		require.Contains(t, said, "found: the schemas of "+title+", for which ahpgen has a profile;")
	}
	for _, name := range []string{"dap", "a2a"} {
		text, err := os.ReadFile(filepath.Join(module, name, "profile.json"))
		require.NoError(t, err)
		require.NoError(t, os.RemoveAll(filepath.Join(module, name)))
		from := map[string]string{"dap": "dap/debugAdapterProtocol.json", "a2a": "a2a/a2a.json"}[name]
		draft(t, module, name, filepath.Join(corpus, from))
		again, err := os.ReadFile(filepath.Join(module, name, "profile.json"))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again), "a second draft differs")
	}
}
