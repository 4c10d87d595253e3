package runtime

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The types in this file are written the way generated ones are.

type chatAction interface{ AppendJSON([]byte) ([]byte, error) }

type deltaAction struct {
	TurnID, PartID, Content string
}

func (v *deltaAction) decodeJSON(d *decoder) {
	var seen uint64
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "type":
			d.expectString("chat/delta")
			seen |= 1
		case "turnId":
			v.TurnID = d.string()
			seen |= 2
		case "partId":
			v.PartID = d.string()
			seen |= 4
		case "content":
			v.Content = d.string()
			seen |= 8
		default:
			d.skip()
		}
	}
	if seen != 15 {
		d.missingOf(seen, "type", "turnId", "partId", "content")
	}
}

func (v *deltaAction) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"type":"chat/delta","turnId":`...)
	dst = appendString(dst, v.TurnID)
	dst = append(dst, `,"partId":`...)
	dst = appendString(dst, v.PartID)
	dst = append(dst, `,"content":`...)
	dst = appendString(dst, v.Content)
	return append(dst, '}'), nil
}

type content struct {
	Kind, Text string
}

func (v *content) decodeJSON(d *decoder) {
	var seen uint64
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "kind":
			v.Kind = d.string()
			seen |= 1
		case "text":
			v.Text = d.string()
			seen |= 2
		default:
			d.skip()
		}
	}
	if seen != 3 {
		d.missingOf(seen, "kind", "text")
	}
}

func (v *content) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"kind":`...)
	dst = appendString(dst, v.Kind)
	dst = append(dst, `,"text":`...)
	dst = appendString(dst, v.Text)
	return append(dst, '}'), nil
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

func (v *toolCallAction) decodeJSON(d *decoder) {
	var seen uint64
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "type":
			d.expectString("chat/toolCallComplete")
			seen |= 1
		case "turnId":
			v.TurnID = d.string()
			seen |= 2
		case "toolCallId":
			v.ToolCallID = d.string()
			seen |= 4
		case "approved":
			if d.null() {
				v.Approved = nil
				continue
			}
			v.Approved = new(d.bool())
		case "attempt":
			v.Attempt = d.int64()
		case "seconds":
			v.Seconds = d.float64()
		case "content":
			v.Content = decodeStructs[content](d)
		case "files":
			v.Files = decodeStrings(d)
		case "limits":
			v.Limits = decodeMap(d, (*decoder).float64)
		case "_meta":
			v.Meta = decodeRawMap(d)
		default:
			d.skip()
		}
	}
	if seen != 7 {
		d.missingOf(seen, "type", "turnId", "toolCallId")
	}
}

func (v *toolCallAction) AppendJSON(dst []byte) ([]byte, error) {
	var err error
	dst = append(dst, `{"type":"chat/toolCallComplete","turnId":`...)
	dst = appendString(dst, v.TurnID)
	dst = append(dst, `,"toolCallId":`...)
	dst = appendString(dst, v.ToolCallID)
	if v.Approved != nil {
		dst = append(dst, `,"approved":`...)
		dst = appendBool(dst, *v.Approved)
	}
	dst = append(dst, `,"attempt":`...)
	dst = appendInt(dst, v.Attempt)
	dst = append(dst, `,"seconds":`...)
	if dst, err = appendFloat(dst, v.Seconds); err != nil {
		return dst, atMember("seconds", err)
	}
	dst = append(dst, `,"content":`...)
	if dst, err = appendStructs(dst, v.Content); err != nil {
		return dst, atMember("content", err)
	}
	dst = append(dst, `,"files":`...)
	dst = appendStrings(dst, v.Files)
	if v.Limits != nil {
		dst = append(dst, `,"limits":`...)
		if dst, err = appendMap(dst, v.Limits, appendFloat); err != nil {
			return dst, atMember("limits", err)
		}
	}
	if v.Meta != nil {
		dst = append(dst, `,"_meta":`...)
		if dst, err = appendRawMap(dst, v.Meta); err != nil {
			return dst, atMember("_meta", err)
		}
	}
	return append(dst, '}'), nil
}

type unknownAction struct {
	Type string
	Raw  json.RawMessage
}

func (v *unknownAction) AppendJSON(dst []byte) ([]byte, error) { return appendRaw(dst, v.Raw) }

func readChatAction(d *decoder) chatAction {
	start := d.mark()
	tag, ok := d.stringTag("type")
	if !ok {
		return nil
	}
	switch string(tag) {
	case "chat/delta":
		v := new(deltaAction)
		v.decodeJSON(d)
		if d.failed() {
			d.within(start, "chat/delta")
		}
		return v
	case "chat/toolCallComplete":
		v := new(toolCallAction)
		v.decodeJSON(d)
		if d.failed() {
			d.within(start, "chat/toolCallComplete")
		}
		return v
	}
	return &unknownAction{Type: string(tag), Raw: d.raw()}
}

type envelope struct {
	Channel   string
	ServerSeq int64
	Action    chatAction
}

func (v *envelope) decodeJSON(d *decoder) {
	var seen uint64
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "channel":
			v.Channel = d.string()
			seen |= 1
		case "serverSeq":
			v.ServerSeq = d.int64()
			seen |= 2
		case "action":
			v.Action = readChatAction(d)
			seen |= 4
		default:
			d.skip()
		}
	}
	if seen != 7 {
		d.missingOf(seen, "channel", "serverSeq", "action")
	}
}

func (v *envelope) AppendJSON(dst []byte) ([]byte, error) {
	var err error
	dst = append(dst, `{"channel":`...)
	dst = appendString(dst, v.Channel)
	dst = append(dst, `,"serverSeq":`...)
	dst = appendInt(dst, v.ServerSeq)
	dst = append(dst, `,"action":`...)
	if dst, err = v.Action.AppendJSON(dst); err != nil {
		return dst, atMember("action", err)
	}
	return append(dst, '}'), nil
}

type history struct{ Events []envelope }

func (v *history) decodeJSON(d *decoder) {
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "events":
			v.Events = decodeStructs[envelope](d)
		default:
			d.skip()
		}
	}
}

func (v *history) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"events":`...)
	dst, err := appendStructs(dst, v.Events)
	if err != nil {
		return dst, atMember("events", err)
	}
	return append(dst, '}'), nil
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

func BenchmarkCodec(b *testing.B) {
	run := func(name string, data []byte, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	samples := append(envelopes(), sample{"history", []byte(historyJSON())})
	for _, s := range samples {
		run(s.name+"/valid", s.data, func() { json.Valid(s.data) })
		run(s.name+"/skip", s.data, func() { d := newDecoder(s.data); d.skip(); _ = d.finish() })
		if s.name == "history" {
			benchBoth[history](b, s, run)
		} else {
			benchBoth[envelope](b, s, run)
		}
	}
	list := []byte("[" + strings.TrimSuffix(strings.Repeat("123456,7,-89012345678,", 5000), ",") + "]")
	run("ints/valid", list, func() { json.Valid(list) })
	run("ints/decode", list, func() { d := newDecoder(list); decodeList(&d, (*decoder).int64) })
	list2 := []byte("[" + strings.TrimSuffix(strings.Repeat("1.25,-0.001,3.141592653589793,", 5000), ",") + "]")
	run("floats/valid", list2, func() { json.Valid(list2) })
	run("floats/decode", list2, func() { d := newDecoder(list2); decodeList(&d, (*decoder).float64) })
}

func benchBoth[T any, P interface {
	*T
	decodeJSON(*decoder)
	AppendJSON([]byte) ([]byte, error)
}](b *testing.B, s sample, run func(string, []byte, func())) {
	v, err := decodeJSON[T, P](s.data)
	if err != nil {
		b.Fatal(err)
	}
	run(s.name+"/decode", s.data, func() { _, _ = decodeJSON[T, P](s.data) })
	buf, _ := P(v).AppendJSON(nil)
	run(s.name+"/encode", s.data, func() { buf, _ = P(v).AppendJSON(buf[:0]) })
	if s.name != "last" && string(buf) != string(s.data) {
		b.Fatalf("encoded as %s", buf)
	}
}
