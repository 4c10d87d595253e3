// What schemas state themselves, a profile can state of them.

package cli

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestAProfileStatesWhatSchemasState takes all keywords of protocols out of their schemas but those of alternatives, states them in a
// profile, and wants the same package.
func TestAProfileStatesWhatSchemasState(t *testing.T) {
	moved := map[string]bool{}
	for name, folder := range map[string]fs.FS{"example": os.DirFS(kit.ExampleProtocol), "ahp": embedded(t, "ahp"), "acp": embedded(t, "acp"), "mcp": embedded(t, "mcp")} {
		t.Run(name, func(t *testing.T) { sameFromProfile(t, folder, moved) })
	}
	for _, keyword := range []string{
		"x-abstract", "x-actions", "x-bitset", "x-calls", "x-capabilities", "x-channel", "x-channels", "x-client-dispatchable", "x-dispatched", "x-effects", "x-enum-descriptions", "x-enum-names",
		"x-error-codes", "x-error-data", "x-extensions", "x-go-name", "x-handshake", "x-initialisms", "x-lenient", "x-lifecycle", "x-method", "x-notification", "x-objects", "x-partial-of", "x-replication", "x-result", "x-side",
		"x-since", "x-tag", "x-three-states", "x-untagged",
	} {
		require.True(t, moved[keyword], "no protocol here has %s", keyword)
	}
}

func embedded(t *testing.T, name string) fs.FS {
	t.Helper()
	folder, _, err := schemas.Protocol(name)
	require.NoError(t, err)
	return folder
}

// sameFromProfile notes the keywords that it took off.
func sameFromProfile(t *testing.T, folder fs.FS, moved map[string]bool) {
	dir := t.TempDir()
	profile, versions := map[string]any{}, map[string]any{}
	var version string
	var statements []map[string]json.RawMessage
	files, err := fs.Glob(folder, "*.json")
	require.NoError(t, err)
	for _, name := range files {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, "whole", name), string(data))
		var diags diag.List
		root, parsed := inside.ParseJSON(name, data)
		diags.Add(parsed...)
		require.False(t, diags.HasErrors())
		if p := root.Get("x-protocol"); p != nil {
			version = p.Get("version").Text
			for _, m := range p.Members {
				switch m.Key {
				case "name", "title", "sides":
					profile[m.Key] = json.RawMessage(m.Value.Compact())
				case "order", "supported":
					versions[m.Key] = json.RawMessage(m.Value.Compact())
				}
			}
			takeOut(root, "x-protocol")
		}
		statements = append(statements, statementsIn("", root, moved)...)
		for _, def := range root.Get("$defs").Members {
			statements = append(statements, statementsIn(def.Key, def.Value, moved)...)
		}
		kit.WriteFile(t, filepath.Join(dir, "bare", name), root.Compact())
	}
	profile["versions"], profile["stated"] = versions, statements
	data, err := json.Marshal(profile)
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(dir, "profile.json"), string(data))

	whole := packageOf(t, generator.Config{Schemas: filepath.Join(dir, "whole"), Out: filepath.Join(dir, "out"), Package: "p"})
	stated := packageOf(t, generator.Config{
		Schemas: filepath.Join(dir, "bare"), Profile: filepath.Join(dir, "profile.json"), ProtocolVersion: version, Out: filepath.Join(dir, "out"), Package: "p",
	})
	require.ElementsMatch(t, slices.Collect(maps.Keys(whole)), slices.Collect(maps.Keys(stated)))
	for name, text := range whole {
		require.Equal(t, strings.Split(text, "\n"), strings.Split(stated[name], "\n"), name)
	}
}

// statementsIn takes the keywords out of a definition and its members, or out of the root of a file, and makes statements of
// them.
func statementsIn(at string, n *inside.Node, moved map[string]bool) []map[string]json.RawMessage {
	own := map[string]json.RawMessage{}
	for _, m := range n.Members {
		if strings.HasPrefix(m.Key, "x-") {
			own[m.Key] = json.RawMessage(m.Value.Compact())
			moved[m.Key] = true
		}
	}
	var out []map[string]json.RawMessage
	if len(own) > 0 {
		for keyword := range own {
			takeOut(n, keyword)
		}
		if at != "" {
			own["at"] = json.RawMessage(`"` + at + `"`)
		}
		out = append(out, own)
	}
	if properties := n.Get("properties"); properties != nil && at != "" && !strings.Contains(at, ".") {
		for _, p := range properties.Members {
			out = append(out, statementsIn(at+"."+p.Key, p.Value, moved)...)
		}
	}
	return out
}

func takeOut(n *inside.Node, key string) {
	for i, m := range n.Members {
		if m.Key == key {
			n.Members = append(n.Members[:i:i], n.Members[i+1:]...)
			return
		}
	}
}

// packageOf is what would be written, without the lock, which says what it was made of.
func packageOf(t *testing.T, config generator.Config) map[string]string {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%s", diags.Sorted())
	require.Empty(t, diags.Sorted())
	files := map[string]string{}
	for _, f := range plan.Files {
		if f.Name != generator.LockName {
			files[f.Name] = string(f.New)
		}
	}
	return files
}
