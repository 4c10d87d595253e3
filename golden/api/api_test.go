// The listing of what the package for the embedded schemas exports.

package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestAPI compares every exported identifier of generated/ahp with the listing, so that a change to
// the generator shows what it does to the API of all. What does not depend on the protocol is listed by
// itself, once for all packages.
func TestAPI(t *testing.T) {
	for file, folder := range map[string]string{
		"ahp": "ahp", "wire": "wire", "wire_rpc": "wire/rpc", "wire_rpc_spec": "wire/rpc/spec", "wire_rpc_typed": "wire/rpc/typed", "wire_meta": "wire/meta", "wire_state": "wire/state", "wire_conn": "wire/conn", "wire_server": "wire/server",
		"wire_gate": "wire/gate", "wire_observe": "wire/observe", "wire_health": "wire/health", "wire_shared": "wire/shared",
	} {
		t.Run(file, func(t *testing.T) {
			file := file + ".txt"
			got := strings.Join(kit.Exported(t, filepath.Join("..", "..", "generated", folder)), "\n") + "\n"
			if *kit.Update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			c := kit.Causes.For(t)
			c.Same(file, string(want), got)
			c.End()
		})
	}
}

// TestGeneratedIsCurrent regenerates generated/ahp in memory and compares.
func TestGeneratedIsCurrent(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "generated", "ahp"))
	out, code := kit.Ahpgen("check")
	require.Zero(t, code, "run go generate ./... and commit the result\n%s", out)
}
