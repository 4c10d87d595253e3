// Fuzzing of the emitted codec on whole messages.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// decoders covers every kind of union: by tag, by two constants, by shape and by JSON type.
var decoders = map[string]func([]byte) (wire.Appender, error){
	"ActionEnvelope": func(data []byte) (wire.Appender, error) { return ahp.Decode[ahp.ActionEnvelope](data) },
	"StateAction":    func(data []byte) (wire.Appender, error) { return ahp.DecodeStateAction(data) },
	"Snapshot":       func(data []byte) (wire.Appender, error) { return ahp.Decode[ahp.Snapshot](data) },
	"ToolInput":      func(data []byte) (wire.Appender, error) { return ahp.DecodeToolInput(data) },
	"JSONPrimitive":  func(data []byte) (wire.Appender, error) { return ahp.DecodeJSONPrimitive(data) },
}

// FuzzDecode: what is accepted is valid JSON, encodes, and decodes again to the same bytes, directly
// and through encoding/json.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, deltaEnvelope()))
	f.Add(encode(f, toolResultEnvelope()))
	for _, part := range append(activeParts(), turnParts(3)...) {
		state := &ahp.ChatState{Turns: []ahp.Turn{{ResponseParts: []ahp.ResponsePart{part}}}}
		f.Add(encode(f, &ahp.Snapshot{State: state}))
	}
	for _, text := range []string{
		`{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":false,"reason":"denied"}`,
		`{"type":"future/x","type":"future/x","n":9007199254740993}`, `"text"`, `{"uri":"u"}`, `null`, `1e400`, `[]`, `{`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, decode := range decoders {
			v, err := decode(data)
			if err != nil {
				continue
			}
			if !json.Valid(data) {
				t.Fatalf("%s accepts what is no JSON", name)
			}
			once, err := v.AppendJSON(nil)
			if err != nil {
				t.Fatalf("%s does not encode what it decoded: %v", name, err)
			}
			std, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("%s through encoding/json: %v", name, err)
			}
			for _, text := range [][]byte{once, std} {
				again, err := decode(text)
				if err != nil {
					t.Fatalf("%s does not decode what it encoded: %v\n%s", name, err, text)
				}
				twice, err := again.AppendJSON(nil)
				if err != nil || !bytes.Equal(compact(t, once), compact(t, twice)) {
					t.Fatalf("%s is not stable: %v\n%s\n%s", name, err, once, twice)
				}
			}
		}
	})
}

// compact removes white space and the escapes that encoding/json puts into raw values.
func compact(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	var escaped bytes.Buffer
	json.HTMLEscape(&escaped, b.Bytes())
	return escaped.Bytes()
}
