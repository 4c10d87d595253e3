// Tests of the versions that packages offer: those whose peers they can read and write for, and no others.

package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestVersionsOnOfferWork ties the list of versions that each package offers to the schemas and instances
// of those versions. versions.txt says for every version that is not on offer what is in the way.
func TestVersionsOnOfferWork(t *testing.T) {
	published := map[string]*protocol.Protocol{}
	for _, release := range releases {
		published[release] = analyse(t, releaseConfig(t, release, ""))
	}
	var out strings.Builder
	derive := func(title string, own *protocol.Protocol) {
		want := []string{own.Version}
		fmt.Fprintf(&out, "%s\n", title)
		for i := len(releases) - 1; i >= 0; i-- {
			old := published[releases[i]]
			if !before(releases, old.Version, own.Version) {
				continue
			}
			obstacles := verdict.Obstacles(verdict.Judge(old, own, change.Compare(old, own)))
			if len(obstacles) == 0 {
				want = append(want, old.Version)
				fmt.Fprintf(&out, "  offers %s\n", old.Version)
				continue
			}
			fmt.Fprintf(&out, "  does not offer %s\n", old.Version)
			for _, f := range obstacles {
				fmt.Fprintf(&out, "    %s: %s\n", f.Change, f.Why(protocol.FromBoth))
			}
		}
		require.Equal(t, want, own.Supported, "%s offers what the comparison with older versions does not bear out", title)
	}
	for _, name := range schemas.Protocols() {
		derive(name, analyse(t, generator.Config{Schemas: name}))
	}
	for _, release := range releases {
		derive("published "+release, published[release])
	}
	if *update {
		require.NoError(t, os.WriteFile("versions.txt", []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile("versions.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), out.String(), "go test ./golden -update rewrites versions.txt")

	for _, name := range schemas.Protocols() {
		if own := analyse(t, generator.Config{Schemas: name}); len(own.Supported) > 1 {
			require.FileExists(t, filepath.Join("testdata", "ahp-"+own.Version, "offered_test.go"), "the instances of older versions need a package that reads them")
		}
	}
}

// before reports whether one version comes before another in a list.
func before(list []string, a, b string) bool {
	for _, v := range list {
		if v == a || v == b {
			return v == a && a != b
		}
	}
	return false
}
