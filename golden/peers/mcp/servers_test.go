// The example servers for files and for memory, with our client; and the inspector, with the demo server.

package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// converseWith has our client call tools of a server over its standard input and output.
func converseWith(t *testing.T, ours, calls string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(limited(t), ours, command...)
	c.Stdin = strings.NewReader(calls)
	var errors strings.Builder
	c.Stderr = &errors
	out, err := c.Output()
	require.NoError(t, err, "%s%s", out, errors.String())
	return string(out)
}

func TestFilesAndMemory(t *testing.T) {
	node, modules := typescript(t)
	ours := buildWith(t, t.TempDir(), "stdio", nil, map[string]string{"mcp": "2025-11-25"})
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Run("filesystem", func(t *testing.T) {
		file := filepath.Join(folder, "a.txt")
		said := converseWith(t, ours, strings.NewReplacer("FILE", file, "DIR", folder).Replace(`write_file {"path":"FILE","content":"one\ntwo\n"}
read_text_file {"path":"FILE"}
edit_file {"path":"FILE","edits":[{"oldText":"two","newText":"2"}]}
list_directory {"path":"DIR"}
get_file_info {"path":"FILE"}
read_text_file {"path":"/etc/passwd"}
`), node, filepath.Join(modules, "server-filesystem", "dist", "index.js"), folder)
		require.Contains(t, said, "write_file: false Successfully wrote to "+file+"\nread_text_file: false one\nedit_file: false ```diff\n")
		require.Contains(t, said, "read_text_file: true Access denied")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "one\n2\n", string(text))
	})
	t.Run("memory", func(t *testing.T) {
		t.Setenv("MEMORY_FILE_PATH", filepath.Join(folder, "memory.jsonl"))
		said := converseWith(t, ours, `create_entities {"entities":[{"name":"Ada","entityType":"person","observations":["writes programs"]},{"name":"Charles","entityType":"person","observations":[]}]}
create_relations {"relations":[{"from":"Ada","to":"Charles","relationType":"knows"}]}
add_observations {"observations":[{"entityName":"Ada","contents":["likes poems"]}]}
search_nodes {"query":"poems"}
open_nodes {"names":["Ada"]}
delete_entities {"entityNames":["Charles"]}
read_graph {}
`, node, filepath.Join(modules, "server-memory", "dist", "index.js"))
		require.Equal(t, 7, strings.Count(said, ": false "), said)
		text, err := os.ReadFile(filepath.Join(folder, "memory.jsonl"))
		require.NoError(t, err)
		require.JSONEq(t, `{"type":"entity","name":"Ada","entityType":"person","observations":["writes programs","likes poems"]}`, string(text))
	})
}

func TestTheInspectorAndTheDemo(t *testing.T) {
	node, modules := typescript(t)
	program, inspector := demo(t), filepath.Join(modules, "inspector-cli", "build", "index.js")
	inspect := func(args ...string) (answer map[string]any) {
		t.Helper()
		out, err := exec.CommandContext(limited(t), node, append([]string{inspector, program}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NoError(t, json.Unmarshal(out, &answer), "%s", out)
		return answer
	}
	require.Len(t, inspect("--method", "tools/list")["tools"], 4)
	require.Equal(t, map[string]any{"resources": []any{}}, inspect("--method", "resources/list"))
	result := inspect("--method", "tools/call", "--tool-name", "wait", "--tool-arg", "steps=2")
	require.Equal(t, []any{map[string]any{"type": "text", "text": "Took 2 steps"}}, result["content"])
	refused := inspect("--method", "tools/call", "--tool-name", "add_note", "--tool-arg", "title=Milk")
	require.Equal(t, true, refused["isError"])
}
