// Tests of the example protocol, which people copy.

package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestLintExampleProtocol lints the example, generates from it, and compiles and runs a host and a client.
func TestLintExampleProtocol(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, cli.Run([]string{"lint", "--schemas", kit.ExampleProtocol}, &out, &out), out.String())
	require.Equal(t, "no findings\n", out.String())

	kit.Long(t)
	module := kit.NewModule(t)
	kit.Generate(t, generator.Config{
		Schemas: kit.ExampleProtocol, Out: filepath.Join(module, "notes"), Package: "notes", Host: generator.Host{Skeleton: true},
	})
	program, err := os.ReadFile("testdata/example/notes_test.go")
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(module, "notes_test.go"), string(program))
	kit.Emitted(t, module, "vet", "./...")
	kit.TestInFull(t, module, "-count=1", ".")
}

// TestLintExampleShowsEveryKeyword wants the example to have all that the vocabulary has, but for what few
// protocols need.
func TestLintExampleShowsEveryKeyword(t *testing.T) {
	rare := []string{"x-initialisms", "x-untagged"}
	files, err := filepath.Glob(kit.ExampleProtocol + "/*.schema.json")
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(data)
	}
	for _, keyword := range []string{
		"x-protocol", "x-channels", "x-handshake", "x-extensions", "x-replication",
		"x-tag", "x-unknown", "x-enum-names", "x-enum-descriptions", "x-bitset", "x-abstract",
		"x-partial-of", "x-channel", "x-actions", "x-client-dispatchable", "x-effects", "x-lifecycle",
		"x-dispatched", "x-since", "x-method", "x-side", "x-notification",
		"x-result", "x-error-codes", "x-error-data", "x-go-name",
	} {
		require.Contains(t, all.String(), `"`+keyword+`"`)
	}
	for _, keyword := range rare {
		require.NotContains(t, all.String(), `"`+keyword+`"`)
	}
}
