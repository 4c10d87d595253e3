package upgrade

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestAUserGoesTo100 bumps a module from 0.7.0 to 1.0.0 and holds the list of what is left to do to the compiler: it
// has every line that no longer compiles, and no others but those that compile without a member that is required now.
func TestAUserGoesTo100(t *testing.T) {
	const file = "testdata/user_1_0_0.txtar"
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	tool, dir := kit.Tool(t), kit.Place(t)
	ahp := filepath.Join(dir, "ahp")
	files := map[string]*txtar.File{}
	for i, f := range archive.Files {
		files[f.Name] = &archive.Files[i]
		if strings.Contains(f.Name, ".") {
			kit.WriteFile(t, filepath.Join(dir, f.Name), string(f.Data))
		}
	}
	printed, err := kit.Command(ahp, tool, "generate")
	require.NoError(t, err, printed)
	kit.Emitted(t, dir, "vet", "./...")

	report, err := kit.Command(ahp, tool, "bump", "--to", "1.0.0")
	require.Error(t, err, "places must change")
	if *kit.Update {
		files["report"].Data = []byte(report)
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
	require.Equal(t, string(files["report"].Data), report, "go test ./golden -run AUserGoesTo100 -update rewrites it")

	fails := func() []string {
		out, err := kit.Command(dir, "go", "build", kit.EveryError, "./...")
		require.Error(t, err)
		return kit.Positions(dir, "", out)
	}
	list, _, _ := strings.Cut(report, "\nLeave out what is new")
	var broken, incomplete, own []string
	for _, line := range strings.Split(list, "\n") {
		at := kit.Positions(dir, "ahp", line)
		switch {
		case strings.Contains(line, " needs "):
			incomplete = append(incomplete, at...)
		case len(at) > 0 && strings.HasPrefix(at[0], "ahp/"):
			own = append(own, at...)
		default:
			broken = append(broken, at...)
		}
	}
	require.Equal(t, own, fails(), "nothing above the package is compiled before it is itself")
	kit.WriteFile(t, filepath.Join(ahp, "reducers.go"), string(files["fixed"].Data))
	slices.Sort(broken)
	require.Equal(t, slices.Compact(broken), fails())
	require.Equal(t, []string{"client/client.go:33", "client/client.go:38", "host/host.go:28", "host/host.go:33", "host/host.go:33"}, incomplete)
}
