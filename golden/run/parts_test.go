// Parts of a package: each compiles with those that it needs, and nothing else is emitted.

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

// partsOfAHP are sets of parts, with the folders of the runtime and the emitted files that each leads to beside those that are
// always there.
var partsOfAHP = []struct {
	parts   []string
	runtime string
	files   string
}{
	{[]string{}, "", ""},
	{[]string{"reducers"}, "state", "reducers"},
	{[]string{"store"}, "state", "reducers store"},
	{[]string{"client"}, "internal observe passthrough rpc", "handlers host_conn rpc_protocol"},
	{[]string{"host"}, "internal observe passthrough rpc", "client_conn handlers rpc_protocol"},
	{[]string{"connection"}, "conn internal observe passthrough rpc state", "conn handlers host_conn reducers rpc_protocol store"},
	{[]string{"server"}, "health internal observe passthrough rpc server shared state", "client_conn handlers reducers rpc_protocol server store"},
	{[]string{"client", "reducers"}, "internal observe passthrough rpc state", "handlers host_conn reducers rpc_protocol"},
	{[]string{"validate"}, "validate", "validate"},
	{[]string{"random"}, "random validate", "validate"},
}

// TestEachPartIsWhole generates sets of parts and has the compiler check them.
func TestEachPartIsWhole(t *testing.T) {
	kit.Wide(t)
	module := kit.NewModule(t)
	for _, c := range partsOfAHP {
		name := strings.Join(append([]string{"p"}, c.parts...), "_")
		dir := filepath.Join(module, name)
		kit.Generate(t, generator.Config{Schemas: "ahp@1.0.0", Out: dir, Parts: c.parts})
		require.ElementsMatch(t, append([]string{"codec", "meta"}, strings.Fields(c.runtime)...), foldersIn(t, filepath.Join(dir, "wire")), name)
		require.ElementsMatch(t, strings.Fields(c.files), optionalFiles(t, dir), name)
		kit.RequireUsed(t, dir)
	}
	kit.Generate(t, generator.Config{Schemas: "acp@1", Out: filepath.Join(module, "agent"), Parts: []string{"host"}})
	kit.Generate(t, generator.Config{Schemas: "acp@1", Out: filepath.Join(module, "editor"), Parts: []string{"client"}})
	kit.Compiles(t, module)
}

// foldersIn lists the folders in a folder.
func foldersIn(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// optionalFiles lists the emitted files of a package that belong to parts. Of reducers there are many.
func optionalFiles(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	always := map[string]bool{
		"types": true, "enums": true, "unions": true, "members": true, "codec": true, "codec_unions": true, "codec_json": true,
		"actions": true, "methods": true, "errors": true, "doc": true,
	}
	for _, e := range entries {
		name, emitted := strings.CutSuffix(e.Name(), "_gen.go")
		if emitted && !always[name] && !strings.HasPrefix(name, "reducers_") {
			names = append(names, name)
		}
	}
	return names
}
