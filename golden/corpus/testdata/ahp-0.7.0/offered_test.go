// Tests that the versions on offer work: what peers of an older one send can be read, and what is written for them is
// described by the schemas of theirs.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

func TestInstancesOfTheVersionsOnOfferWork(t *testing.T) {
	require.Equal(t, []string{"0.7.0"}, ahp.SupportedVersions())
	for _, version := range ahp.SupportedVersions() {
		t.Run(version, func(t *testing.T) { instancesWork(t, version) })
	}
}

// instancesWork reads all instances of a version with the committed package. What it makes of those that the
// schemas of the version describe has to be described by them too, so that a peer of that version reads it.
func instancesWork(t *testing.T, version string) {
	definition := publishedSchemas(t, version)
	described := 0
	check := func(name, typ string, data []byte) {
		again := throughOwnPackage(t, typ, data)
		schema := definition(typ)
		if schema == nil || schema.Validate(absentNulls(parsed(t, data))) != nil {
			return // such as an unknown variant, for which the published schemas have no words
		}
		described++
		v, err := ownDecoders[typ](data)
		require.NoError(t, err)
		out, err := v.AppendJSON(nil)
		require.NoError(t, err)
		if err := schema.Validate(absentNulls(parsed(t, out))); err != nil {
			t.Errorf("%s: %s: %#v\n%s", name, typ, err, out)
		}
		require.Equal(t, again, throughOwnPackage(t, typ, out), name)
	}
	for name, f := range instances[roundTrip](t, version, "round-trips") {
		check(name, f.Type, f.Input)
	}
	for name, f := range instances[reduction](t, version, "reducers") {
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
		require.NoError(t, c.AddResource("mem:///"+name, bytes.NewReader(marshal(t, content))))
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
