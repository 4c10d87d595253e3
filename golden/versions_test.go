// Tests of the versions that packages offer: those whose peers they can read and write for, and no others.

package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// TestVersionsOnOfferWork ties the list of versions that each package offers to the schemas and instances
// of those versions. versions.txt says for every version that is not on offer what is in the way.
func TestVersionsOnOfferWork(t *testing.T) {
	published := map[string]*protocol.Protocol{}
	for _, release := range releases {
		published[release] = analyse(t, releaseConfig(t, release, ""))
	}
	releases := slices.Clone(releases)
	for _, release := range []string{"0.8.0", "0.9.0"} {
		published[release] = analyse(t, generator.Config{Schemas: publishBetween(t, release).write(t, t.TempDir()), Profile: "ahp"})
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
		own := analyse(t, generator.Config{Schemas: name})
		if own.Version != ahp.ProtocolVersion() {
			for _, version := range own.Supported {
				require.True(t, version == own.Version || !hasInstances(t, version),
					"TestFixtures reads a package's own instances; those of %s need its decoders here", version)
			}
			continue
		}
		require.Equal(t, own.Supported, ahp.SupportedVersions())
		for _, version := range own.Supported {
			if hasInstances(t, version) {
				t.Run("instances of "+version, func(t *testing.T) { instancesWork(t, version) })
			}
		}
	}
}

func hasInstances(t *testing.T, version string) bool {
	_, err := os.Stat(filepath.Join(corpus(t), "ahp", version, "fixtures"))
	return err == nil
}

// TestPackagesAgreeOnAVersion: what hosts of packages from published schemas answer to offers. Before 1.0.0 the host picked
// any of those offered that it spoke, by preference the first; from then on it is the highest inside the caret range
// of one that it speaks. Clients list the newest first, so both choose the same.
func TestPackagesAgreeOnAVersion(t *testing.T) {
	supported := map[string][]string{
		"0.7.0": analyse(t, releaseConfig(t, "0.7.0", "")).Supported,
		"0.8.0": analyse(t, generator.Config{Schemas: publishBetween(t, "0.8.0").write(t, t.TempDir()), Profile: "ahp"}).Supported,
		"1.0.0": analyse(t, generator.Config{Schemas: publish(t, "1.0.0").write(t, t.TempDir()), Profile: "ahp"}).Supported,
	}
	for _, c := range []struct {
		host    string
		offered []string
		want    string
	}{
		{"0.7.0", []string{"0.7.0", "0.6.0"}, "0.7.0"},
		{"0.7.0", []string{"1.0.0", "0.9.0", "0.7.0"}, "0.7.0"},
		{"0.7.0", []string{"0.6.0"}, "0.6.0"},
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
		got, err := rpc.ChooseVersion(c.offered, supported[c.host])
		require.Equal(t, c.want, got, "%v", c)
		require.Equal(t, c.want == "", errors.Is(err, rpc.ErrNoCommonVersion), "%v: %v", c, err)
	}
	got, err := rpc.ChooseVersion([]string{"1.2.0", "1.0.0"}, []string{"^1.0.0", "^0.9.0"})
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

// instancesWork reads all instances of a version with the committed package. What it makes of those that the
// schemas of the version describe has to be described by them too, so that a peer of that version reads it.
func instancesWork(t *testing.T, version string) {
	definition := publishedSchemas(t, version)
	described := 0
	check := func(name, typ string, data []byte) {
		again := throughOwnPackage(t, typ, data)
		schema := definition(typ)
		if schema == nil || schema.Validate(withoutNulls(parseJSON(t, data))) != nil {
			return // such as an unknown variant, for which the published schemas have no words
		}
		described++
		v, err := ownDecoders[typ](data)
		require.NoError(t, err)
		out, err := v.AppendJSON(nil)
		require.NoError(t, err)
		if err := schema.Validate(withoutNulls(parseJSON(t, out))); err != nil {
			t.Errorf("%s: %s: %#v\n%s", name, typ, err, out)
		}
		require.Equal(t, again, throughOwnPackage(t, typ, out), name)
	}
	for name, f := range fixturesOf[roundTrip](t, version, "round-trips") {
		check(name, f.Type, f.Input)
	}
	for name, f := range fixturesOf[reduction](t, version, "reducers") {
		check(name, stateOf[f.Reducer], f.Initial)
		check(name, stateOf[f.Reducer], f.Expected)
		for _, action := range f.Actions {
			check(name, "StateAction", action)
			envelope := fmt.Appendf(nil, `{"channel":"c:/1","serverSeq":1,"action":%s}`, action)
			check(name, "ActionEnvelope", envelope)
		}
	}
	require.Greater(t, described, 300, "the schemas describe few of the instances")
}

// publishedSchemas compiles the definitions of a release as they were published; nil is one that it lacks.
func publishedSchemas(t *testing.T, version string) func(definition string) *jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus(t), "ahp", version, "schema", "*.schema.json"))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	fileOf := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var content map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &content))
		delete(content, "$id") // references are to files of the folder
		name := filepath.Base(file)
		require.NoError(t, c.AddResource("mem:///"+name, bytes.NewReader(toJSON(t, content))))
		var definitions map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(content["$defs"], &definitions))
		for d := range definitions {
			fileOf[d] = name
		}
	}
	compiled := map[string]*jsonschema.Schema{}
	return func(d string) *jsonschema.Schema {
		if compiled[d] == nil && fileOf[d] != "" {
			compiled[d], err = c.Compile("mem:///" + fileOf[d] + "#/$defs/" + d)
			require.NoError(t, err)
		}
		return compiled[d]
	}
}
