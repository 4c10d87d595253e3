// A host's skeleton from one version of a protocol to another: it compiles, and only grows.

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestAHostSkeletonFollowsTheProtocol does not run it: TestLintExampleProtocol does.
func TestAHostSkeletonFollowsTheProtocol(t *testing.T) {
	kit.Long(t)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module skeleton\n\ngo 1.24\n")
	schemas := filepath.Join(module, "schema")
	require.NoError(t, os.CopyFS(schemas, os.DirFS("../../schemas/ahp/1.0.0")))
	config := generator.Config{
		Schemas: schemas, Out: filepath.Join(module, "ahp"),
		Reducers: generator.Reducers{Omit: true}, Host: generator.Host{Skeleton: true},
	}
	file := filepath.Join(config.Out, "host_server.go")
	read := func() string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	kit.Generate(t, config)

	written := strings.Replace(read(), "type HostServer struct{}", "type HostServer struct{ mine int }", 1)
	kit.WriteFile(t, file, written)
	gainMethod(t, filepath.Join(schemas, "commands.schema.json"))
	plan := kit.Generate(t, config)
	var added []string
	for _, f := range plan.Files {
		added = append(added, f.Stubs...)
	}
	require.Equal(t, []string{"HostServer.Peek"}, added)
	grown := read()
	start := strings.Index(grown, "// Peek handles")
	end := start + strings.Index(grown[start:], "\n}\n") + len("\n}\n")
	require.Equal(t, written, strings.TrimSuffix(grown[:start], "\n")+grown[end:], "nothing else has changed")
	kit.Compiles(t, module)

	require.True(t, kit.Generate(t, config).Clean(), "a second run has nothing to do")
	require.Equal(t, grown, read())
}

// gainMethod adds a request to the definitions of a file.
func gainMethod(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	const defs = `"$defs": {`
	require.Equal(t, 1, strings.Count(string(text), defs))
	kit.WriteFile(t, file, strings.Replace(string(text), defs, defs+`
    "PeekParams": {
      "x-method": "peek", "x-side": "host", "x-result": null, "x-since": "1.0.0",
      "type": "object", "properties": {}
    },`, 1))
}
