// Tests of packages that are generated somewhere else than where the configuration is.

package cli

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestOutIsAnAbsolutePath generates into a folder that the configuration names from the root on: it belongs
// to the module that it is in, and compiles there.
func TestOutIsAnAbsolutePath(t *testing.T) {
	kit.Long(t)
	conf, module := t.TempDir(), kit.Place(t)
	kit.WriteFile(t, filepath.Join(conf, "go.mod"), "module conf\n\ngo 1.24\n")
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module example.com/module\n\ngo 1.24\n")
	kit.WriteFile(t, filepath.Join(conf, "schema", "note.schema.json"), `{"$defs": {"Note": {"type": "object", "properties": {"id": {"type": "string"}}}}}`)
	kit.WriteFile(t, filepath.Join(conf, "ahpgen.json"), fmt.Sprintf(`{"schemas": "schema", "out": %q, "runtime": %q}`,
		filepath.Join(module, "note"), filepath.Join(module, "internal", "wire")))
	t.Chdir(conf)
	printed, code := kit.Ahpgen("generate")
	require.Zero(t, code, printed)
	printed, code = kit.Ahpgen("check")
	require.Zero(t, code, printed)
	require.Contains(t, kit.GoFilesIn(t, filepath.Join(module, "note"))["codec_gen.go"], `"example.com/module/internal/wire"`)
	kit.Compiles(t, module)
	require.FileExists(t, "ahpgen.lock.json")
	require.NoFileExists(t, filepath.Join(module, "note", "ahpgen.lock.json"))
}
