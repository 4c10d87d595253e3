// Tests of the packages for the embedded schemas of every version.

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// finishedIn says how many actions of each version have effects that are more than a schema or the profile can state. Each
// has a finished reducer; the effects of all other actions are stated.
var finishedIn = map[string]int{"0.4.0": 27, "0.5.2": 25, "0.6.0": 27, "0.7.0": 27, "0.8.0": 27, "1.0.0": 31}

// TestEveryEmbeddedVersionGenerates writes and type-checks a package for each but the one that is committed as generated/ahp:
// that is compiled with this module. They share what does not depend on the version. TestPackagesOfTwoVersionsLiveInOneModule
// runs one of them.
func TestEveryEmbeddedVersionGenerates(t *testing.T) {
	kit.Wide(t)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module embedded\n\ngo 1.24\n")
	for _, name := range schemas.Protocols() {
		_, version, _ := strings.Cut(name, "@")
		config := generator.Config{
			Schemas: name, Out: filepath.Join(module, "v"+strings.ReplaceAll(version, ".", "_")), Package: "wire", Runtime: filepath.Join(module, "wire"),
		}
		plan := kit.Generate(t, config)
		require.Equal(t, version, plan.Protocol.Version)
		require.Equal(t, version, plan.Protocol.Supported[0], "a package speaks its own version first")
		require.Len(t, plan.Finished, finishedIn[version], "%v", plan.Finished)
		for _, f := range plan.Files {
			require.Empty(t, f.Stubs, "%s: every reducer is stated or finished", name)
		}
		require.True(t, kit.Generate(t, config).Clean(), "%s: a second run differs", name)
		if name == schemas.Default() { // TestGeneratedIsCurrent
			require.NoError(t, os.RemoveAll(config.Out))
		}
	}
	kit.Compiles(t, module)
}
