package upgrade

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestAUserGoesTo110 bumps a module from 1.0.0 to the version in development: what a person must look at is listed, the
// module compiles, no reducer is lost, and the package still offers 1.0.0.
func TestAUserGoesTo110(t *testing.T) {
	kit.Long(t)
	file, err := filepath.Abs("testdata/user_1_1_0.txtar")
	require.NoError(t, err)
	next := filepath.Join(kit.Corpus(t), "ahp", "next", "1.1.0-dev", "schema")
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	dir := kit.Place(t)
	t.Chdir(dir)
	report := &archive.Files[len(archive.Files)-1]
	for _, f := range archive.Files[:len(archive.Files)-1] {
		kit.WriteFile(t, f.Name, string(f.Data))
	}
	printed, code := kit.Ahpgen("generate", "ahp")
	require.Zero(t, code, printed)
	finished, err := filepath.Glob("ahp/reducers_*_gen.go")
	require.NoError(t, err)

	printed, code = kit.Ahpgen("bump", "ahp", "--to", next)
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "these schemas have what version 1.0.0 has not, the newest that ahpgen knows: ")
	require.Contains(t, printed, "say which version they are: --protocol-version 1.1.0\n")
	printed, code = kit.Ahpgen("bump", "ahp", "--to", next, "--protocol-version", "1.1.0")
	require.Equal(t, 1, code, printed)
	list, _, ok := strings.Cut(printed, "\nThe protocol: ")
	require.True(t, ok, printed)
	if *kit.Update {
		report.Data = []byte(list)
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
	require.Equal(t, string(report.Data), list, "go test ./golden/upgrade -run AUserGoesTo110 -update rewrites it")
	require.Contains(t, printed, "0 changes break a client, 0 a host, 0 Go source;")
	kit.Emitted(t, dir, "vet", "./...")
	still, err := filepath.Glob("ahp/reducers_*_gen.go")
	require.NoError(t, err)
	require.Equal(t, finished, still)
	doc, err := os.ReadFile("ahp/doc_gen.go")
	require.NoError(t, err)
	require.Contains(t, string(doc), `return []string{"1.1.0", "1.0.0", "0.9.0"}`)
}

// TestABumpNamesWhatAFinishedReducerLacks: an action has a member more that is required, and its reducer starts from the
// body that worked.
func TestABumpNamesWhatAFinishedReducerLacks(t *testing.T) {
	flags.SkipUnlessAll(t)
	dir := t.TempDir()
	t.Chdir(dir)
	folder, _, err := schemas.Protocol("ahp@1.0.0")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS("next", folder))
	name := filepath.Join("next", "actions.schema.json")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	doc, found := inside.ParseJSON(name, text)
	require.Empty(t, found)
	def := doc.At("/$defs/TerminalDataAction").Compact()
	changed := strings.NewReplacer(`"required":[`, `"required":["rows",`, `"properties":{`, `"properties":{"rows":{"type":"integer"},`).Replace(def)
	kit.WriteFile(t, name, strings.Replace(doc.Compact(), def, changed, 1))
	kit.WriteFile(t, "ahpgen.json", `{"schemas": "ahp@1.0.0", "out": "ahp"}`)
	printed, code := kit.Ahpgen("generate")
	require.Zero(t, code, printed)
	kit.WriteFile(t, "go.mod", "module example.com/m\n\ngo 1.24\n")

	printed, code = kit.Ahpgen("bump", "--to", "./next")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, ": 1 place must change, no stub is new, nothing was open before\n")
	require.Contains(t, strings.Join(strings.Fields(printed), " "), "ahp/reducers_terminal.go:10:19: Reducer.terminalData was finished, and does not fit any more: it does nothing with rows of TerminalDataAction")
	stub, err := os.ReadFile(filepath.Join("ahp", "reducers_terminal.go"))
	require.NoError(t, err)
	require.Contains(t, string(stub), "next := *s")
}
