// Tests of a generated AHP package on real instances. The corpus test copies this file into a
// module with the package and a table of its decoders, and runs it there.
package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"corpus/ahp"
)

// value is anything generated.
type value interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// marshalled is a value that encoding/json encodes.
type marshalled struct{ of any }

func (m marshalled) MarshalJSON() ([]byte, error) { return json.Marshal(m.of) }

func (m marshalled) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(m.of)
	return append(dst, text...), err
}

var fixtures = os.Getenv("FIXTURES")

// reencode decodes data as the named type and encodes it again.
func reencode(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	decode, ok := decoders[name]
	if !ok {
		t.Fatalf("no type %s", name)
	}
	v, err := decode(data)
	if err != nil {
		t.Fatalf("decode %s: %v\n%s", name, err, data)
	}
	out, err := v.AppendJSON([]byte("prefix"))
	if err != nil {
		t.Fatalf("encode %s: %v", name, err)
	}
	out, ok = bytes.CutPrefix(out, []byte("prefix"))
	if !ok || !json.Valid(out) {
		t.Fatalf("encode %s: not valid JSON: %s", name, out)
	}
	std, err := json.Marshal(v)
	if err != nil || !same(parse(t, std), parse(t, out)) {
		t.Fatalf("%s through encoding/json: %v\n%s\n%s", name, err, std, out)
	}
	return out
}

func parse(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

// same compares JSON values; numbers count by value, absence and null differ.
func same(a, b any) bool {
	x, ok1 := a.(json.Number)
	y, ok2 := b.(json.Number)
	if ok1 && ok2 {
		p, _ := new(big.Rat).SetString(string(x))
		q, _ := new(big.Rat).SetString(string(y))
		return p.Cmp(q) == 0
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if other, ok := b[k]; !ok || !same(a[k], other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// strip removes null members, which in reducer fixtures stand for members that are not there.
func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, m := range v {
			if m == nil {
				delete(v, k)
				continue
			}
			v[k] = strip(m)
		}
	case []any:
		for i := range v {
			v[i] = strip(v[i])
		}
	}
	return v
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(fixtures, dir, "*.json"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no fixtures in %s: %v", dir, err)
	}
	return list
}

func TestRoundTrips(t *testing.T) {
	for _, file := range files(t, "round-trips") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Type              string
				Input             json.RawMessage
				AcceptableOutputs []json.RawMessage
			}
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			out := reencode(t, f.Type, f.Input)
			for _, want := range f.AcceptableOutputs {
				if same(parse(t, want), parse(t, out)) {
					return
				}
			}
			t.Errorf("got %s\nwant %s", out, f.AcceptableOutputs)
		})
	}
}

var states = map[string]string{
	"root": "RootState", "session": "SessionState", "chat": "ChatState", "terminal": "TerminalState",
	"changeset": "ChangesetState", "resourceWatch": "ResourceWatchState", "annotations": "AnnotationsState",
}

func TestReducerFixturesRoundTrip(t *testing.T) {
	for _, file := range files(t, "reducers") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Reducer           string
				Initial, Expected json.RawMessage
				Actions           []json.RawMessage
			}
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			check := func(name string, in []byte) {
				out := reencode(t, name, in)
				if !same(strip(parse(t, in)), strip(parse(t, out))) {
					t.Errorf("%s: got %s\nwant %s", name, out, in)
				}
			}
			check(states[f.Reducer], f.Initial)
			check(states[f.Reducer], f.Expected)
			for _, a := range f.Actions {
				check("StateAction", a)
			}
			snapshot := fmt.Appendf(nil, `{"resource":"x:/y","state":%s,"fromSeq":1}`, f.Initial)
			s, err := ahp.Decode[ahp.Snapshot](snapshot)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := reflect.TypeOf(s.State).Elem().Name(), states[f.Reducer]; got != want {
				t.Errorf("snapshot state is %s, want %s", got, want)
			}
		})
	}
}

func TestSurvivors(t *testing.T) {
	for _, c := range []struct{ name, typ, json string }{
		{"unknown variant byte for byte", "StateAction", `{ "type" : "future/x", "n": 9007199254740993, "b":[ 1e400 ] }`},
		{"largest integer", "ActionEnvelope", `{"channel":"c","action":{"type":"session/titleChanged","title":"t"},"serverSeq":9223372036854775807}`},
		{"smallest integer", "ActionEnvelope", `{"channel":"c","action":{"type":"session/titleChanged","title":"t"},"serverSeq":-9223372036854775808}`},
		{"bit 31 and unknown bits", "ChatSummary", `{"resource":"c","title":"t","status":2147483720,"modifiedAt":"m"}`},
		{"empty optional list", "ChatSummary", `{"resource":"c","title":"t","status":1,"modifiedAt":"m","workingDirectories":[]}`},
		{"empty optional object", "ClientCapabilities", `{"mcpApps":{}}`},
		{"exact number in a primitive", "ModelSelection", `{"id":"m","config":{"a":9007199254740993,"b":null,"c":true,"d":"s","e":0.1}}`},
		{"unknown enum value", "Message", `{"text":"t","origin":{"kind":"from-the-future"}}`},
		{"any JSON", "ToolDefinition", `{"name":"n","_meta":{"z":null,"a":[1,{"b":9007199254740993}]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := reencode(t, c.typ, []byte(c.json))
			if !same(parse(t, []byte(c.json)), parse(t, out)) {
				t.Errorf("got %s\nwant %s", out, c.json)
			}
		})
	}
	unknown := `{ "type" : "future/x", "n": 9007199254740993, "b":[ 1e400 ] }`
	if out := reencode(t, "StateAction", []byte(unknown)); string(out) != unknown {
		t.Errorf("unknown variant: got %s, want %s", out, unknown)
	}
}

func TestRefusals(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, c := range []struct{ name, typ, json, want string }{
		{"missing member", "ActionEnvelope", `{"channel":"c","serverSeq":1,"action":{"type":"chat/toolCallReady","turnId":"t","invocationMessage":"m"}}`, "action: chat/toolCallReady: toolCallId: missing"},
		{"keys match case", "StateAction", `{"type":"session/titleChanged","Title":"t"}`, "session/titleChanged: title: missing"},
		{"tag missing", "StateAction", `{"title":"t"}`, "type: missing"},
		{"tag not a string", "StateAction", `{"type":1}`, "type"},
		{"conflicting tags", "StateAction", `{"type":"session/titleChanged","title":"t","type":"session/ready"}`, "conflicting"},
		{"conflicting unknown tags", "StateAction", `{"type":"future/a","type":"future/b"}`, "conflicting"},
		{"conflicting tags of one variant", "ChatInputQuestion", `{"kind":"number","id":"q","message":"m","kind":"integer"}`, "conflicting"},
		{"closed union", "ChatSource", `{"kind":"future","chat":"c","turnId":"t"}`, "future"},
		{"second discriminator missing", "StateAction", `{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c"}`, "approved"},
		{"malformed known variant", "StateAction", `{"type":"session/titleChanged","title":7}`, "want string, got number"},
		{"no variant fits", "Snapshot", `{"resource":"r","state":{"x":1},"fromSeq":1}`, "no variant fits"},
		{"wrong token", "StringOrMarkdown", `7`, "want string or object"},
		{"fraction for an integer", "ActionEnvelope", `{"channel":"c","action":{"type":"session/ready"},"serverSeq":1.5}`, "serverSeq"},
		{"trailing text", "Icon", `{"src":"s"} x`, "invalid JSON"},
		{"depth", "ToolDefinition", `{"name":"n","_meta":{"a":` + deep + `}}`, "deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := decoders[c.typ]([]byte(c.json))
			if err == nil {
				t.Fatalf("accepted as %#v", v)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want %q in it", err, c.want)
			}
		})
	}
}

func TestEncodingRefusesNothing(t *testing.T) {
	if _, err := (&ahp.ActionEnvelope{}).AppendJSON(nil); err == nil || !strings.HasPrefix(err.Error(), "action: ") {
		t.Errorf("a nil union was encoded: %v", err)
	}
	if _, err := json.Marshal(ahp.ActionEnvelope{}); err == nil {
		t.Error("a nil union was encoded through encoding/json")
	}
}

func TestActionTable(t *testing.T) {
	seen := map[ahp.ActionType]bool{}
	for _, row := range ahp.Actions() {
		a := row.New()
		if a.ActionType() != row.Type {
			t.Errorf("%s: the constructor makes a %s", row.Type, a.ActionType())
		}
		if !row.Type.IsKnown() {
			t.Errorf("%s is no constant", row.Type)
		}
		if _, ok := a.(ahp.ClientAction); ok != row.Client {
			t.Errorf("%s: client dispatchable is %v in the table and %v in the types", row.Type, row.Client, ok)
		}
		info, ok := row.Channel.Info()
		if !ok || !strings.HasPrefix(string(row.Type), info.Prefix) {
			t.Errorf("%s: channel %q", row.Type, row.Channel)
		}
		if got, ok := row.Type.Info(); !ok || got.Type != row.Type {
			t.Errorf("%s is not found", row.Type)
		}
		seen[row.Type] = true
	}
	if len(seen) < 70 {
		t.Errorf("%d action types", len(seen))
	}
}

// FuzzCodec compares the codec with encoding/json on whole messages.
func FuzzCodec(f *testing.F) {
	for _, dir := range []string{"round-trips", "reducers"} {
		list, _ := filepath.Glob(filepath.Join(fixtures, dir, "*.json"))
		for _, file := range list {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			var x struct {
				Input   json.RawMessage
				Actions []json.RawMessage
			}
			if json.Unmarshal(data, &x) == nil {
				f.Add([]byte(x.Input))
				for _, a := range x.Actions {
					f.Add([]byte(a))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"StateAction", "ActionEnvelope", "Snapshot", "JsonRpcMessage"} {
			v, err := decoders[name](data)
			if err != nil {
				continue
			}
			if !json.Valid(data) {
				t.Fatalf("%s accepted invalid JSON", name)
			}
			out, err := v.AppendJSON(nil)
			if err != nil {
				t.Fatalf("%s does not encode: %v", name, err)
			}
			again, err := decoders[name](out)
			if err != nil {
				t.Fatalf("%s does not decode its own output: %v\n%s", name, err, out)
			}
			if out2, err := again.AppendJSON(nil); err != nil || !bytes.Equal(out, out2) {
				t.Fatalf("%s is not stable: %v\n%s\n%s", name, err, out, out2)
			}
		}
	})
}
