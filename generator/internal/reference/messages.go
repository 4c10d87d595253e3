// Messages: examples of what travels, as the protocol's envelope or JSON-RPC 2.0 has it.

package reference

import (
	"encoding/json"
	"html/template"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// jsonRPC is the envelope of protocols that do not describe one.
var jsonRPC = protocol.Envelope{
	Request:      `{"jsonrpc":"2.0","id":"$id","method":"$method","params":"$params?"}`,
	Result:       `{"jsonrpc":"2.0","id":"$id","result":"$result"}`,
	Error:        `{"jsonrpc":"2.0","id":"$id","error":{"code":"$code","message":"$message","data":"$data?"}}`,
	Notification: `{"jsonrpc":"2.0","method":"$method","params":"$params?"}`,
}

// envelope returns what the messages of the protocol look like.
func (s *site) envelope() *protocol.Envelope {
	if s.p.Envelope != nil {
		return s.p.Envelope
	}
	return &jsonRPC
}

// message shows a message: a form with values in the place of its placeholders. One without a value that may be left out is.
func (s *site) message(form string, values map[string]*example.Value) template.HTML {
	d := json.NewDecoder(strings.NewReader(form))
	d.UseNumber()
	v, _ := s.filled(d, values)
	return paintJSON(v)
}

// filled reads a value of a form, or reports that it is left out.
func (s *site) filled(d *json.Decoder, values map[string]*example.Value) (v *example.Value, ok bool) {
	token, err := d.Token()
	if err != nil { // the forms were checked
		return &example.Value{Text: "null"}, true
	}
	switch token := token.(type) {
	case json.Delim:
		return s.filledParts(d, token == '[', values), true
	case string:
		hole, isHole := strings.CutPrefix(token, "$")
		if !isHole || strings.HasPrefix(hole, "$") {
			return example.Text(strings.Replace(token, "$$", "$", 1)), true
		}
		hole, optional := strings.CutSuffix(hole, "?")
		switch value := values[hole]; {
		case value != nil:
			return value, true
		case optional:
			return nil, false
		case hole == "id" && s.envelope().TextIDs:
			return example.Text("1"), true
		case hole == "id" || hole == "sequence":
			return &example.Value{Text: "1"}, true
		case hole == "params" || hole == "data":
			return &example.Value{Kind: example.Object}, true
		}
		return &example.Value{Text: "null"}, true
	}
	text, err := json.Marshal(token)
	if err != nil {
		text = []byte("null")
	}
	return &example.Value{Text: string(text)}, true
}

// filledParts reads the members of an object or the items of an array.
func (s *site) filledParts(d *json.Decoder, array bool, values map[string]*example.Value) *example.Value {
	out := &example.Value{Kind: example.Object}
	if array {
		out.Kind = example.List
	}
	for d.More() {
		name := ""
		if !array {
			token, _ := d.Token()
			name, _ = token.(string)
		}
		v, ok := s.filled(d, values)
		switch {
		case !ok:
		case array:
			out.Items = append(out.Items, v)
		default:
			out.Members = append(out.Members, example.Member{Name: name, Value: v})
		}
	}
	_, _ = d.Token()
	return out
}
