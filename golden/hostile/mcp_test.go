// The host of MCP, on a package that is generated from the schemas of the corpus.

package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
)

// builtMCP is the program once it was built.
var builtMCP string

// mcpHost generates and builds the server of MCP, for the first who asks.
func mcpHost(t *testing.T) string {
	t.Helper()
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	if builtMCP != "" {
		return builtMCP
	}
	module, err := os.MkdirTemp("", "mcp")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("module host\n\ngo 1.24\n"), 0o600))
	var diags diag.List
	g, err := generator.New(generator.Config{
		Schemas: filepath.Join(corpus, "mcp", "2025-11-25"), Profile: "mcp", Out: filepath.Join(module, "mcp"), Package: "mcp",
	}, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%s", diags.Sorted())
	require.NoError(t, plan.Apply())
	require.NoError(t, os.CopyFS(filepath.Join(module, "gauge"), os.DirFS("gauge")))
	main, err := os.ReadFile(filepath.Join("testdata", "mcp", "main.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(module, "main.go"), main, 0o600))
	program := filepath.Join(module, "host.exe")
	args := []string{"build", "-o", program}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = module
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	builtMCP = program
	return program
}
