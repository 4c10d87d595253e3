// Tests that hold the embedded schemas of 0.7.0 and the package generated from them against real instances.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/schemas"
)

// roundTrip is an instance of one type with what it may look like when encoded again.
type roundTrip struct {
	Type              string
	Input             json.RawMessage
	AcceptableOutputs []json.RawMessage
	PreservedOutput   json.RawMessage
}

// stateOf names the state that a reducer of the fixtures works on.
var stateOf = map[string]string{
	"root": "RootState", "session": "SessionState", "chat": "ChatState", "terminal": "TerminalState",
	"changeset": "ChangesetState", "resourceWatch": "ResourceWatchState", "annotations": "AnnotationsState",
}

// ownDecoders are the decoders of the types that the fixtures hold.
var ownDecoders = map[string]func([]byte) (wire.Appender, error){
	"ActionEnvelope":           decoder(ahp.Decode[ahp.ActionEnvelope]),
	"AnnotationsState":         decoder(ahp.Decode[ahp.AnnotationsState]),
	"ChangesetOperationTarget": decoder(ahp.DecodeChangesetOperationTarget),
	"ChangesetState":           decoder(ahp.Decode[ahp.ChangesetState]),
	"ChatInputQuestion":        decoder(ahp.DecodeChatInputQuestion),
	"ChatSource":               decoder(ahp.DecodeChatSource),
	"ChatState":                decoder(ahp.Decode[ahp.ChatState]),
	"Customization":            decoder(ahp.DecodeCustomization),
	"Implementation":           decoder(ahp.Decode[ahp.Implementation]),
	"InitializeResult":         decoder(ahp.Decode[ahp.InitializeResult]),
	"JsonRpcMessage":           decoder(ahp.DecodeJSONRPCMessage),
	"PartialSessionSummary":    decoder(ahp.Decode[ahp.PartialSessionSummary]),
	"ResourceWatchState":       decoder(ahp.Decode[ahp.ResourceWatchState]),
	"RootState":                decoder(ahp.Decode[ahp.RootState]),
	"SessionAddedParams":       decoder(ahp.Decode[ahp.SessionAddedParams]),
	"SessionState":             decoder(ahp.Decode[ahp.SessionState]),
	"SessionStatus": func(data []byte) (wire.Appender, error) {
		var v ahp.SessionStatus
		err := json.Unmarshal(data, &v)
		return marshalled{v}, err
	},
	"SessionSummary":   decoder(ahp.Decode[ahp.SessionSummary]),
	"StateAction":      decoder(ahp.DecodeStateAction),
	"StringOrMarkdown": decoder(ahp.DecodeStringOrMarkdown),
	"TerminalState":    decoder(ahp.Decode[ahp.TerminalState]),
}

// marshalled appends a value that is no object.
type marshalled struct{ of any }

func (v marshalled) AppendJSON(dst []byte) ([]byte, error) {
	data, err := json.Marshal(v.of)
	return append(dst, data...), err
}

func decoder[T wire.Appender](decode func([]byte) (T, error)) func([]byte) (wire.Appender, error) {
	return func(data []byte) (wire.Appender, error) { return decode(data) }
}

// ownSchemas compiles the embedded definitions that the fixtures are instances of, by name.
func ownSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	folder, _, err := schemas.Protocol("ahp@" + protocolVersion)
	require.NoError(t, err)
	names, err := fs.Glob(folder, "*.schema.json")
	require.NoError(t, err)
	require.Len(t, names, 5)
	c := jsonschema.NewCompiler()
	fileOf := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		require.NoError(t, c.AddResource("mem:///"+name, bytes.NewReader(data)))
		var file struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(data, &file))
		for def := range file.Defs {
			require.Empty(t, fileOf[def], "%s is defined in %s too", def, name)
			fileOf[def] = name
		}
	}
	require.Equal(t, "actions.schema.json", fileOf["StateAction"])
	out := map[string]*jsonschema.Schema{}
	for def := range ownDecoders {
		require.NotEmpty(t, fileOf[def], "no definition %s", def)
		out[def], err = c.Compile("mem:///" + fileOf[def] + "#/$defs/" + def)
		require.NoError(t, err)
	}
	return out
}

// instances reads those of a folder by file name.
func instances[T any](t *testing.T, release, dir string) map[string]T {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus(t), "ahp", release, "fixtures", dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string]T{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var f T
		require.NoError(t, json.Unmarshal(data, &f), file)
		out[filepath.Base(file)] = f
	}
	return out
}

// corpus is the folder of published schemas and instances.
func corpus(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("AHPGEN_CORPUS")
	if dir == "" {
		tb.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	if !filepath.IsAbs(dir) { // relative to the module, where people run go test from
		dir = filepath.Join("..", "..", dir)
	}
	return dir
}

// absentNulls returns a copy without the members that are null.
func absentNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, m := range v {
			if m != nil {
				out[k] = absentNulls(m)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = absentNulls(v[i])
		}
		return out
	}
	return v
}

// byValue returns a copy in which equal numbers are equal however they are written.
func byValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, m := range v {
			out[k] = byValue(m)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = byValue(v[i])
		}
		return out
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			return "number " + r.RatString()
		}
	}
	return v
}

// throughOwnPackage decodes data with the committed package and encodes it again.
func throughOwnPackage(t *testing.T, typ string, data []byte) any {
	t.Helper()
	require.Contains(t, ownDecoders, typ, "add its decoder to ownDecoders")
	v, err := ownDecoders[typ](data)
	require.NoError(t, err, "%s: %s", typ, data)
	out, err := v.AppendJSON([]byte("before"))
	require.NoError(t, err, "%s: %s", typ, data)
	rest, ok := bytes.CutPrefix(out, []byte("before"))
	require.True(t, ok, "AppendJSON does not append")
	return byValue(absentNulls(parsed(t, rest)))
}

func TestRoundTripsFitOurSchemas(t *testing.T) {
	all := instances[roundTrip](t, protocolVersion, "round-trips")
	compiled := ownSchemas(t)
	for name, f := range all {
		require.Contains(t, compiled, f.Type, name)
		require.NotEmpty(t, f.AcceptableOutputs, name)
		instances := append([]json.RawMessage{f.Input}, f.AcceptableOutputs...)
		if f.PreservedOutput != nil {
			instances = append(instances, f.PreservedOutput)
		}
		for _, data := range instances {
			if err := compiled[f.Type].Validate(parsed(t, data)); err != nil {
				t.Errorf("%s: %s: %#v\n%s", name, f.Type, err, data)
			}
		}
	}
}

func TestReductionsFitOurSchemas(t *testing.T) {
	all := instances[reduction](t, protocolVersion, "reducers")
	compiled := ownSchemas(t)
	for name, f := range all {
		require.Contains(t, stateOf, f.Reducer, name)
		check := func(typ string, data []byte) {
			if err := compiled[typ].Validate(absentNulls(parsed(t, data))); err != nil {
				t.Errorf("%s: %s: %#v\n%s", name, typ, err, data)
			}
		}
		check(stateOf[f.Reducer], f.Initial)
		check(stateOf[f.Reducer], f.Expected)
		for _, action := range f.Actions {
			check("StateAction", action)
		}
	}
}

func TestRoundTripsThroughOurPackage(t *testing.T) {
	for name, f := range instances[roundTrip](t, protocolVersion, "round-trips") {
		got := throughOwnPackage(t, f.Type, f.Input)
		found := slices.ContainsFunc(f.AcceptableOutputs, func(want json.RawMessage) bool {
			return bytes.Equal(marshal(t, byValue(absentNulls(parsed(t, want)))), marshal(t, got))
		})
		if !found {
			t.Errorf("%s: got %s, want one of %s", name, marshal(t, got), f.AcceptableOutputs)
		}
		for _, out := range f.AcceptableOutputs { // what came out once does not change any more
			require.Equal(t, byValue(absentNulls(parsed(t, out))), throughOwnPackage(t, f.Type, out), name)
		}
	}
}

func TestReductionsThroughOurPackage(t *testing.T) {
	seen := map[ahp.ActionType]bool{}
	for name, f := range instances[reduction](t, protocolVersion, "reducers") {
		check := func(typ string, data []byte) {
			require.Equal(t, byValue(absentNulls(parsed(t, data))), throughOwnPackage(t, typ, data), "%s: %s", name, typ)
		}
		check(stateOf[f.Reducer], f.Initial)
		check(stateOf[f.Reducer], f.Expected)
		for _, data := range f.Actions {
			check("StateAction", data)
			action, err := ahp.DecodeStateAction(data)
			require.NoError(t, err)
			seen[action.ActionType()] = true
		}
	}
	covered := 0
	for _, a := range ahp.Actions() {
		if seen[a.Type] {
			covered++
		}
	}
	require.Greater(t, covered, len(ahp.Actions())/2, "the fixtures hold few of the actions")
}

// TestSchemasRefuseMutations breaks real instances. The schemas and the package have to notice.
func TestSchemasRefuseMutations(t *testing.T) {
	trips, reductions := instances[roundTrip](t, protocolVersion, "round-trips"), instances[reduction](t, protocolVersion, "reducers")
	compiled := ownSchemas(t)
	type object = map[string]any
	actionOf := func(v object) object { return v["action"].(object) }
	turn := func(v object) object { return v["message"].(object) }
	const envelope = "001-action-envelope-session-title-changed.json"
	started := reductions["005-session-turnstarted.json"]
	require.Len(t, started.Actions, 1)
	for _, c := range []struct {
		name   string
		typ    string
		from   []byte
		mutate func(v object)
		schema bool // only the schemas notice: they state limits that the codec does not check
	}{
		{"member missing", "ActionEnvelope", trips[envelope].Input, func(v object) { delete(v, "channel") }, false},
		{"member of the wrong type", "ActionEnvelope", trips[envelope].Input, func(v object) { v["channel"] = 7 }, false},
		{"fraction where integers are wanted", "ActionEnvelope", trips[envelope].Input, func(v object) { v["serverSeq"] = 7.5 }, false},
		{"negative sequence number", "ActionEnvelope", trips[envelope].Input, func(v object) { v["serverSeq"] = -1 }, true},
		{"no tag", "ActionEnvelope", trips[envelope].Input, func(v object) { delete(actionOf(v), "type") }, false},
		{"tag of the wrong type", "ActionEnvelope", trips[envelope].Input, func(v object) { actionOf(v)["type"] = 1 }, false},
		{"known tag with a member missing", "ActionEnvelope", trips[envelope].Input, func(v object) { delete(actionOf(v), "title") }, false},
		{"known tag with the members of another", "ActionEnvelope", trips[envelope].Input, func(v object) { actionOf(v)["type"] = "chat/delta" }, false},
		{"object deeper down incomplete", "StateAction", started.Actions[0], func(v object) { delete(turn(v), "origin") }, false},
		{"object deeper down of the wrong type", "StateAction", started.Actions[0], func(v object) { turn(v)["origin"] = "user" }, false},
		{"list that is an object", "ChatState", started.Initial, func(v object) { v["turns"] = object{} }, false},
		{"item of the wrong type", "ChatState", started.Initial, func(v object) { v["turns"] = []any{"turn"} }, false},
		{"negative flags", "ChatState", started.Initial, func(v object) { v["status"] = -1 }, false},
		{"flags by name", "ChatState", started.Initial, func(v object) { v["status"] = "idle" }, false},
		{"tag that a closed union does not know", "ChatSource", trips["036-chat-source-fork.json"].Input, func(v object) { v["kind"] = "future" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.from, "the corpus has lost the fixture")
			v := absentNulls(parsed(t, c.from)).(object)
			require.NoError(t, compiled[c.typ].Validate(v), "before")
			c.mutate(v)
			mutated := marshal(t, v)
			require.Error(t, compiled[c.typ].Validate(parsed(t, mutated)), "the schemas accept %s", mutated)
			_, err := ownDecoders[c.typ](mutated)
			if c.schema {
				require.NoError(t, err)
				return
			}
			require.Error(t, err, "the package accepts %s", mutated)
		})
	}
}

// TestTagsDecide takes the tag from an action of each type, and gives it the tags of the channel's other actions in
// turn. Schemas and package have to agree on whether what remains is an action.
func TestTagsDecide(t *testing.T) {
	all := instances[reduction](t, protocolVersion, "reducers")
	union := ownSchemas(t)["StateAction"]
	seen := map[ahp.ActionType]bool{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, data := range all[name].Actions {
			v := absentNulls(parsed(t, data)).(map[string]any)
			row, known := ahp.ActionType(v["type"].(string)).Info()
			if !known || seen[row.Type] {
				continue
			}
			seen[row.Type] = true
			delete(v, "type")
			require.Error(t, union.Validate(v), "%s: %s without its tag", name, row.Type)
			_, err := ahp.DecodeStateAction(marshal(t, v))
			require.Error(t, err, "%s: %s without its tag", name, row.Type)
			for _, other := range ahp.Actions() {
				if other.Channel != row.Channel {
					continue
				}
				v["type"] = string(other.Type)
				_, err := ahp.DecodeStateAction(marshal(t, v))
				if invalid := union.Validate(v); (invalid == nil) != (err == nil) {
					t.Errorf("%s: %s as %s: the schemas say %v, the package says %v", name, row.Type, other.Type, invalid, err)
				}
			}
		}
	}
	require.Greater(t, len(seen), 50, "the fixtures hold few of the actions")
}
