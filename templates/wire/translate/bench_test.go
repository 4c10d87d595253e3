// Benchmarks of converting: json.Valid on the same bytes is the yardstick.

package translate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// chat is a direction whose types are nested as those of a conversation are.
var chat = Direction{
	Types: []Type{
		{},
		{Kind: Struct, Members: []Member{{Name: "turns", Type: 2}, {Name: "gone", Drop: true}}},
		{Kind: List, Item: 3},
		{Kind: Struct, Members: []Member{{Name: "parts", Type: 4}, {Name: "meta", Drop: true}}},
		{Kind: List, Item: 5},
		{Kind: Tagged, Tag: "kind", Variants: []Variant{{Tag: `"call"`, Type: 6}, {Tag: `"error"`, Drop: true}}},
		{Kind: Struct, Members: []Member{{Name: "state", Type: 7}}},
		{Kind: Struct, Members: []Member{{Name: "exit", To: "code"}}},
		{Kind: Struct, Members: []Member{{Name: "action", Type: 9, Needed: true}}},
		{Kind: Tagged, Tag: "type", Variants: []Variant{{Tag: `"chat/responsePart"`, Type: 3}, {Tag: `"chat/turnStarted"`, Type: 3}}},
	},
	Snapshot: 1, Envelope: 8, Action: "action",
}

func conversation(turns int) []byte {
	text := strings.Repeat("all of it is as it was, and nothing else ", 20)
	var b strings.Builder
	b.WriteString(`{"title":"t","gone":{"a":[1,2,3]},"turns":[`)
	for i := range turns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"turn-%d","message":{"text":%q},"parts":[{"kind":"text","id":"p","content":%q},{"kind":"call","id":"c","name":"run","state":{"status":"done","exit":0,"output":%q}},{"kind":"text","id":"q","content":%q}]}`, i, text[:200], text, text, text)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkConvert(b *testing.B) {
	delta := []byte(`{"channel":"ahp-chat:/4f3c2b1a","serverSeq":1234567890,"action":{"type":"chat/delta","turnId":"turn-12","partId":"part-3","content":"some forty bytes of text that was streamed "}}`)
	large, version := conversation(400), &Version{Lower: chat}
	for _, c := range []struct {
		name string
		data []byte
		f    func([]byte) error
	}{
		{"delta", delta, func(data []byte) error { _, err := version.Lowered(data, nil); return err }},
		{"snapshot", large, func(data []byte) error { _, err := chat.State(data, &Context{}); return err }},
	} {
		b.Run(c.name+"/convert", func(b *testing.B) {
			b.SetBytes(int64(len(c.data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.f(c.data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/valid", func(b *testing.B) {
			b.SetBytes(int64(len(c.data)))
			for b.Loop() {
				if !json.Valid(c.data) {
					b.Fatal("not valid")
				}
			}
		})
	}
}
