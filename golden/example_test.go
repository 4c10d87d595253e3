// Tests of the example protocol, which people copy.

package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// TestLintExampleProtocol lints the example, generates from it, and compiles and runs a host and a client.
func TestLintExampleProtocol(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, cli.Run([]string{"lint", "--schemas", exampleProtocol}, &out, &out), out.String())
	require.Equal(t, "no findings\n", out.String())

	long(t)
	module := newModule(t)
	generate(t, generator.Config{
		Schemas: exampleProtocol, Out: filepath.Join(module, "notes"), Package: "notes", Host: generator.Host{Skeleton: true},
	})
	program, err := os.ReadFile("testdata/example/notes_test.go")
	require.NoError(t, err)
	writeFile(t, filepath.Join(module, "notes_test.go"), string(program))
	emitted(t, module, "vet", "./...")
	testInFull(t, module, "-count=1", ".")
}

// TestLintExampleShowsEveryKeyword wants the example to have all that the vocabulary has, but for what few
// protocols need.
func TestLintExampleShowsEveryKeyword(t *testing.T) {
	rare := []string{schema.KeywordInitialisms, schema.KeywordUntagged}
	files, err := filepath.Glob(exampleProtocol + "/*.schema.json")
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(data)
	}
	for _, keyword := range []string{
		schema.KeywordProtocol, schema.KeywordChannels, schema.KeywordHandshake, schema.KeywordExtensions, schema.KeywordReplication,
		schema.KeywordTag, schema.KeywordUnknown, schema.KeywordEnumNames, schema.KeywordEnumDocs, schema.KeywordBitset, schema.KeywordAbstract,
		schema.KeywordPartialOf, schema.KeywordChannel, schema.KeywordActions, schema.KeywordDispatchable, schema.KeywordEffects, schema.KeywordLifecycle,
		schema.KeywordDispatched, schema.KeywordSince, schema.KeywordMethod, schema.KeywordSide, schema.KeywordNotification,
		schema.KeywordResult, schema.KeywordErrorCodes, schema.KeywordErrorData, schema.KeywordGoName,
	} {
		require.Contains(t, all.String(), `"`+keyword+`"`)
	}
	for _, keyword := range rare {
		require.NotContains(t, all.String(), `"`+keyword+`"`)
	}
}
