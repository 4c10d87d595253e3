// Samples: types as generated ones are, and JSON for them.

package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

type chatAction interface{ wire.Value }

type deltaAction struct {
	TurnID, PartID, Content string
}

func (v *deltaAction) DecodeJSON(d *wire.Decoder) {
	var seen uint64
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "type":
			seen |= d.Expect("chat/delta", 0x1)
		case "turnId":
			v.TurnID, seen = d.Str(), seen|0x2
		case "partId":
			v.PartID, seen = d.Str(), seen|0x4
		case "content":
			v.Content, seen = d.Str(), seen|0x8
		default:
			d.Skip()
		}
	}
	d.Need(seen, 0xf, ",type,turnId,partId,content")
}

func (v *deltaAction) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	dst = codec.AppendStr(dst, `{"type":"chat/delta","turnId":`, v.TurnID)
	dst = codec.AppendStr(dst, `,"partId":`, v.PartID)
	dst = codec.AppendStr(dst, `,"content":`, v.Content)
	return append(dst, '}')
}

func (v *deltaAction) AppendJSON(b []byte) ([]byte, error) { return wire.Append(b, v) }

type content struct {
	Kind, Text string
}

func (v *content) DecodeJSON(d *wire.Decoder) {
	var seen uint64
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "kind":
			v.Kind, seen = d.Str(), seen|0x1
		case "text":
			v.Text, seen = d.Str(), seen|0x2
		default:
			d.Skip()
		}
	}
	d.Need(seen, 0x3, ",kind,text")
}

func (v *content) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	dst = codec.AppendStr(dst, `{"kind":`, v.Kind)
	dst = codec.AppendStr(dst, `,"text":`, v.Text)
	return append(dst, '}')
}

type toolCallAction struct {
	TurnID, ToolCallID string
	Approved           *bool
	Attempt            int64
	Seconds            float64
	Content            []content
	Files              []string
	Limits             map[string]float64
	Meta               map[string]json.RawMessage
}

func (v *toolCallAction) DecodeJSON(d *wire.Decoder) {
	var seen uint64
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "type":
			seen |= d.Expect("chat/toolCallComplete", 0x1)
		case "turnId":
			v.TurnID, seen = d.Str(), seen|0x2
		case "toolCallId":
			v.ToolCallID, seen = d.Str(), seen|0x4
		case "approved":
			v.Approved = codec.OptBool(d)
		case "attempt":
			v.Attempt = d.Int64()
		case "seconds":
			v.Seconds = d.Float64()
		case "content":
			v.Content = codec.Structs[content](d)
		case "files":
			v.Files = codec.Strs(d)
		case "limits":
			v.Limits = codec.Map(d, (*wire.Decoder).Float64)
		case "_meta":
			v.Meta = d.RawMap()
		default:
			d.Skip()
		}
	}
	d.Need(seen, 0x7, ",type,turnId,toolCallId")
}

func (v *toolCallAction) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	dst = codec.AppendStr(dst, `{"type":"chat/toolCallComplete","turnId":`, v.TurnID)
	dst = codec.AppendStr(dst, `,"toolCallId":`, v.ToolCallID)
	dst = codec.PutBool(dst, `,"approved":`, v.Approved)
	dst = codec.AppendInt(dst, `,"attempt":`, v.Attempt)
	dst = codec.AppendFloat(dst, e, `,"seconds":`, v.Seconds)
	dst = codec.AppendStructs(dst, e, `,"content":`, v.Content)
	dst = codec.AppendStrs(dst, `,"files":`, v.Files)
	dst = codec.PutMap(dst, e, `,"limits":`, v.Limits, codec.FloatItem)
	dst = codec.PutRawMap(dst, e, `,"_meta":`, v.Meta)
	return append(dst, '}')
}

func (v *toolCallAction) AppendJSON(b []byte) ([]byte, error) { return wire.Append(b, v) }

type unknownAction struct {
	Type string
	Raw  json.RawMessage
}

func (v *unknownAction) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	return codec.RawItem(v.Raw, dst, e)
}

func (v *unknownAction) AppendJSON(b []byte) ([]byte, error) { return wire.Append(b, v) }

func decodeChatAction(data []byte) (chatAction, error) {
	d := wire.NewDecoder(data)
	v := readChatAction(wire.NoEscape(&d))
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return v, nil
}

func readChatAction(d *wire.Decoder) chatAction {
	start := d.Here()
	var v chatAction
	tag, ok := d.StringTag("type")
	if !ok {
		return nil
	}
	var into wire.Decodable
	switch string(tag) {
	case "chat/delta":
		p := new(deltaAction)
		v, into = p, p
	case "chat/toolCallComplete":
		p := new(toolCallAction)
		v, into = p, p
	default:
		v = &unknownAction{Type: string(tag), Raw: d.RawVariant("type", tag)}
	}
	if !d.FillTagged(into, start, tag) {
		return nil
	}
	return v
}

type envelope struct {
	Channel   string
	ServerSeq int64
	Action    chatAction
}

func (v *envelope) DecodeJSON(d *wire.Decoder) {
	var seen uint64
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "channel":
			v.Channel, seen = d.Str(), seen|0x1
		case "serverSeq":
			v.ServerSeq, seen = d.Int64(), seen|0x2
		case "action":
			v.Action, seen = readChatAction(d), seen|0x4
		default:
			d.Skip()
		}
	}
	d.Need(seen, 0x7, ",channel,serverSeq,action")
}

func (v *envelope) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	dst = codec.AppendStr(dst, `{"channel":`, v.Channel)
	dst = codec.AppendInt(dst, `,"serverSeq":`, v.ServerSeq)
	dst = codec.AppendValue(dst, e, `,"action":`, v.Action)
	return append(dst, '}')
}

type history struct{ Events []envelope }

func (v *history) DecodeJSON(d *wire.Decoder) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "events":
			v.Events = codec.Structs[envelope](d)
		default:
			d.Skip()
		}
	}
}

func (v *history) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	dst = codec.AppendStructs(dst, e, `{"events":`, v.Events)
	return append(dst, '}')
}

// options is an object of which no member is sure to be there.
type options struct {
	Name    *string
	Limit   *float64
	Action  chatAction
	Inner   *options
	Several []options
	ByName  map[string]options
	Reset   wire.Nullable[string]
	Extra   map[string]json.RawMessage
}

func (v *options) DecodeJSON(d *wire.Decoder) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "name":
			v.Name = codec.OptStr(d)
		case "limit":
			v.Limit = codec.OptFloat64(d)
		case "action":
			v.Action = codec.OptNil(d, readChatAction)
		case "inner":
			v.Inner = codec.OptStruct[options](d)
		case "several":
			v.Several = codec.OptStructs[options](d)
		case "byName":
			v.ByName = codec.OptStructMap[options](d)
		case "reset":
			v.Reset = codec.Maybe(d, (*wire.Decoder).Str)
		default:
			codec.AddExtra(d, &v.Extra, k, (*wire.Decoder).Raw)
		}
	}
}

func (v *options) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	start := len(dst)
	dst = codec.PutStr(dst, `,"name":`, v.Name)
	dst = codec.PutFloat(dst, e, `,"limit":`, v.Limit)
	dst = codec.PutValue(dst, e, `,"action":`, v.Action)
	dst = codec.PutStruct(dst, e, `,"inner":`, v.Inner)
	dst = codec.PutStructs(dst, e, `,"several":`, v.Several)
	dst = codec.PutStructMap(dst, e, `,"byName":`, v.ByName)
	dst = codec.PutMaybe(dst, e, `,"reset":`, v.Reset, codec.StrItem)
	dst = codec.AppendExtra(dst, e, v.Extra, codec.RawItem, ",name,limit,action,inner,several,byName,reset")
	return codec.AppendClose(dst, start)
}

const deltaJSON = `{"channel":"ahp-chat:/4f1c2a90","serverSeq":18734,"action":{"type":"chat/delta","turnId":"turn-17",` +
	`"partId":"part-3","content":"the next few words"}}`

const unknownJSON = `{"channel":"ahp-chat:/4f1c2a90","serverSeq":18734,"action":{"type":"chat/later","turnId":"turn-17",` +
	`"other":{"a":[1,2,3],"b":"some text"}}}`

const lastJSON = `{"channel":"ahp-chat:/4f1c2a90","serverSeq":18734,"action":{"turnId":"turn-17",` +
	`"partId":"part-3","content":"the next few words","type":"chat/delta"}}`

func toolJSON() string {
	var b strings.Builder
	b.WriteString(`{"channel":"ahp-chat:/4f1c2a90","serverSeq":18735,"action":{"type":"chat/toolCallComplete",` +
		`"turnId":"turn-17","toolCallId":"call-81","approved":true,"attempt":2,"seconds":1.375,"content":[`)
	for i := range 5 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"kind":"text","text":"func main%d() {\n\tfmt.Println(\"grüße\")\n}\n// %s"}`, i,
			strings.Repeat("a line of ordinary output; ", 9))
	}
	b.WriteString(`],"files":["a/decode.go","a/encode.go","a/bench_test.go"],"limits":{"cpu":0.5,"memory":4096},` +
		`"_meta":{"flags":[true,false,null],"trace":{"id":"00-4bf92f3577b34da6a3ce929d0e0e4736-01"}}}}`)
	return b.String()
}

func historyJSON() string {
	var b strings.Builder
	b.WriteString(`{"events":[`)
	for i := 0; b.Len() < 1<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case i%8 == 0:
			b.WriteString(toolJSON())
		case i%29 == 0:
			b.WriteString(unknownJSON)
		default:
			b.WriteString(deltaJSON)
		}
	}
	b.WriteString(`]}`)
	return b.String()
}

type sample struct {
	name string
	data []byte
}

func envelopes() []sample {
	return []sample{
		{"delta", []byte(deltaJSON)},
		{"tool", []byte(toolJSON())},
		{"unknown", []byte(unknownJSON)},
		{"last", []byte(lastJSON)},
	}
}

// decodes is a pointer to a struct that decodes itself.
type decodes[T any] interface {
	*T
	wire.Decodable
}
