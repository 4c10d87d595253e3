// Tests of the versions that packages offer: those whose peers they can read and write for, and no others.

package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// TestVersionsOnOfferWork ties the list of versions that each package offers to the schemas and instances
// of those versions. versions.txt says for every version that is not on offer what is in the way.
func TestVersionsOnOfferWork(t *testing.T) {
	published := map[string]*protocol.Protocol{}
	for _, release := range kit.Releases {
		published[release] = kit.Analyse(t, releaseConfig(t, release, ""))
	}
	releases := slices.Clone(kit.Releases)
	for _, release := range []string{"0.8.0", "0.9.0"} {
		published[release] = kit.Analyse(t, generator.Config{Schemas: publishBetween(t, release).write(t, t.TempDir()), Profile: "ahp"})
		releases = append(releases, release)
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
			obstacles := slices.DeleteFunc(verdict.Judge(old, own, change.Compare(old, own)), func(f verdict.Finding) bool { return !f.Hinders() })
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
		if own := kit.Analyse(t, generator.Config{Schemas: name}); own.Name == published[releases[0]].Name {
			derive(name, own)
		}
	}
	for _, release := range releases {
		derive("published "+release, published[release])
	}
	if *kit.Update {
		require.NoError(t, os.WriteFile("versions.txt", []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile("versions.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), out.String(), "go test ./golden -update rewrites versions.txt")

	for _, name := range schemas.Protocols() {
		own := kit.Analyse(t, generator.Config{Schemas: name})
		for _, version := range own.Supported {
			if version != own.Version && hasInstances(t, version) {
				require.FileExists(t, filepath.Join("testdata", "ahp-"+own.Version, "offered_test.go"), "the instances of %s need a package that reads them", version)
			}
		}
	}
}

func hasInstances(t *testing.T, version string) bool {
	_, err := os.Stat(filepath.Join(kit.Corpus(t), "ahp", version, "fixtures"))
	return err == nil
}

// TestPackagesAgreeOnAVersion: what hosts of packages from published schemas answer to offers. Before 1.0.0 the host picked
// any of those offered that it spoke, by preference the first; from then on it is the highest inside the caret range
// of one that it speaks. Clients list the newest first, so both choose the same.
func TestPackagesAgreeOnAVersion(t *testing.T) {
	supported := map[string][]string{
		"0.7.0": kit.Analyse(t, releaseConfig(t, "0.7.0", "")).Supported,
		"0.8.0": kit.Analyse(t, generator.Config{Schemas: publishBetween(t, "0.8.0").write(t, t.TempDir()), Profile: "ahp"}).Supported,
		"1.0.0": kit.Analyse(t, generator.Config{Schemas: publish(t, "1.0.0").write(t, t.TempDir()), Profile: "ahp"}).Supported,
	}
	for _, c := range []struct {
		host    string
		offered []string
		want    string
	}{
		{"0.7.0", []string{"0.7.0", "0.6.0"}, "0.7.0"},
		{"0.7.0", []string{"1.0.0", "0.9.0", "0.7.0"}, "0.7.0"},
		{"0.7.0", []string{"0.6.0"}, ""},
		{"0.7.0", []string{"0.7.3", "0.7.0"}, "0.7.3"},
		{"0.7.0", []string{"1.0.0", "0.9.0"}, ""},
		{"0.7.0", []string{"0.8.0-dev"}, ""},
		{"0.8.0", []string{"0.9.0", "0.8.0", "0.7.0"}, "0.8.0"},
		{"0.8.0", []string{"0.7.0"}, ""},
		{"1.0.0", supported["1.0.0"], "1.0.0"},
		{"1.0.0", []string{"0.9.0", "1.0.0"}, "1.0.0"},
		{"1.0.0", []string{"1.0.0", "1.4.2", "1.4.10"}, "1.4.10"},
		{"1.0.0", []string{"2.0.0", "1.0.7"}, "1.0.7"},
		{"1.0.0", []string{"0.10.0", "0.9.3"}, "0.9.3"},
		{"1.0.0", []string{"2.0.0", "0.10.0", "0.8.0"}, ""},
		{"1.0.0", []string{"1.0.0-dev"}, ""},
		{"1.0.0", []string{"next", "0.9.0"}, "0.9.0"},
	} {
		got, err := spec.Numbers.ChooseVersion(c.offered, supported[c.host])
		require.Equal(t, c.want, got, "%v", c)
		require.Equal(t, c.want == "", errors.Is(err, rpc.ErrNoCommonVersion), "%v: %v", c, err)
	}
	got, err := spec.Numbers.ChooseVersion([]string{"1.2.0", "1.0.0"}, []string{"^1.0.0", "^0.9.0"})
	require.NoError(t, err)
	require.Equal(t, "1.2.0", got, "a host may also say in ranges what it speaks")
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
