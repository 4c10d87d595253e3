// Tests of the codec against encoding/json, and on the sample types.

package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

// read decodes a text with one decoder method and returns the error's text.
func read[T any](text string, method func(*wire.Decoder) T) (T, string) {
	d := wire.NewDecoder([]byte(text))
	v := method(&d)
	return v, message(d.Finish())
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func skip(text string) string {
	_, err := read(text, func(d *wire.Decoder) any { d.Skip(); return nil })
	return err
}

func nested(depth int) string {
	return strings.Repeat(`[`, depth/2) + strings.Repeat(`{"a":`, depth-depth/2) + "1" +
		strings.Repeat(`}`, depth-depth/2) + strings.Repeat(`]`, depth/2)
}

// depthOf returns how deeply a valid JSON text is nested.
func depthOf(data []byte) int {
	depth, deepest := 0, 0
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, s := range append(envelopes(), sample{"null", []byte(strings.Replace(toolJSON(), `"approved":true,`, "", 1))}) {
		v, err := wire.Decode[envelope](s.data)
		check(t, err, nil, s.name)
		got, err := wire.Append(nil, v)
		check(t, err, nil, s.name)
		want := string(s.data)
		if s.name == "last" {
			want = deltaJSON
		}
		check(t, string(got), want, s.name)

		var indented bytes.Buffer
		if err := json.Indent(&indented, s.data, "", "\t"); err != nil {
			t.Fatal(err)
		}
		again, err := wire.Decode[envelope]([]byte(" \r\n" + indented.String() + "\n "))
		check(t, err, nil, s.name)
		if s.name != "unknown" && s.name != "tool" && s.name != "null" {
			check(t, again, v, s.name)
		}
	}
}

func TestAllocations(t *testing.T) {
	if !wire.Shares {
		t.Skip("without package unsafe there are more")
	}
	data := []byte(` {"events" : [ ] } `)
	check(t, testing.AllocsPerRun(100, func() { _, _ = wire.Decode[history](data) }), 1.0)
	data = []byte(deltaJSON)
	// The envelope, the action, and their four strings, which share one piece of memory.
	check(t, testing.AllocsPerRun(100, func() { _, _ = wire.Decode[envelope](data) }), 3.0)
	check(t, testing.AllocsPerRun(100, func() { d := wire.NewDecoder(data); readEvents(&d) }), 0.0)

	// Texts with escapes share one as well, however long they are, since none is longer than it is written.
	texts := []byte(`["` + strings.Repeat(`a line of output\n`, 20) + `"` + strings.Repeat(`,"`+strings.Repeat(`\tgrüße\n`, 50)+`"`, 5) + `]`)
	check(t, testing.AllocsPerRun(100, func() { d := wire.NewDecoder(texts); codec.Strs(&d) }), 3.0)

	numbers := map[string]float64{}
	deltas := map[string]deltaAction{}
	for i := range wire.FewKeys {
		numbers[strconv.Itoa(i)] = 1.5
		deltas[strconv.Itoa(i)] = deltaAction{}
	}
	buf := make([]byte, 0, 4096)
	check(t, testing.AllocsPerRun(100, func() { _, _ = codec.AppendAs(buf, numbers, appendNumbers) }), 0.0)
	check(t, testing.AllocsPerRun(100, func() { _, _ = codec.AppendAs(buf, deltas, appendDeltas) }), 0.0)
}

func appendNumbers(m map[string]float64, dst []byte, e *wire.Encoder) []byte {
	return codec.AppendMap(dst, e, "", m, codec.FloatItem)
}

func appendDeltas(m map[string]deltaAction, dst []byte, e *wire.Encoder) []byte {
	return codec.AppendStructMap(dst, e, "", m)
}

func readEvents(d *wire.Decoder) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		d.Skip()
	}
}

func TestErrorPaths(t *testing.T) {
	decodeHistory := func(text string) error { _, err := wire.Decode[history]([]byte(text)); return err }
	tool := `{"type":"chat/toolCallComplete","turnId":"a","toolCallId":"b",`
	for _, c := range []struct{ text, want string }{
		{``, `invalid JSON at offset 0: unexpected end instead of a value`},
		{`[]`, `want object, got array`},
		{`{"events":[]}x`, `invalid JSON at offset 13: unexpected 'x' after the value`},
		{`{"events":1}`, `events: want array, got number`},
		{`{"events":[{"channel":"a","action":{"type":"chat/x"}}]}`, `events[0]: serverSeq: missing`},
		{`{"events":[{"channel":"a","serverSeq":1.5}]}`, `events[0]: serverSeq: not an integer`},
		{`{"events":[{"action":{}}]}`, `events[0]: action: type: missing`},
		{`{"events":[{"action":{"x":{}}}]}`, `events[0]: action: type: missing`},
		{`{"events":[{"action":[]}]}`, `events[0]: action: want object, got array`},
		{`{"events":[{"action":{"type":7}}]}`, `events[0]: action: type: want string, got number`},
		{`{"events":[{"action":{"a":0,"type":7}}]}`, `events[0]: action: type: want string, got number`},
		{`{"events":[{"action":{"a":0,"type":"b","type":"c"}}]}`, `events[0]: action: type: conflicting values "b" and "c"`},
		{`{"events":[{"action":{"type":"chat/delta","a":0,"type":"c"}}]}`,
			`events[0]: action: chat/delta: type: conflicting value: want "chat/delta", got "c"`},
		{`{"events":[{"action":{"type":"chat/delta","turnId":"x","content":"y"}}]}`,
			`events[0]: action: chat/delta: partId: missing`},
		{`{"events":[{"action":` + tool + `"content":[{"kind":"a","text":"b"},{"kind":"a"}]}}]}`,
			`events[0]: action: chat/toolCallComplete: content[1]: text: missing`},
		{`{"events":[{"action":` + tool + `"limits":{"a":1,"b":1e999}}}]}`,
			`events[0]: action: chat/toolCallComplete: limits: b: number out of range`},
		{`{"events":[{"action":` + tool + `"limits":{"a\n":true}}}]}`,
			`events[0]: action: chat/toolCallComplete: limits: "a\n": want number, got boolean`},
		{`{"events":[{"action":` + tool + `"files":["a", "b", "\q"]}}]}`,
			`events[0]: action: chat/toolCallComplete: files[2]: invalid JSON at offset 104: unexpected 'q' in an escape`},
		{`{"events":[{"action":` + tool + `"files":["a`,
			`events[0]: action: chat/toolCallComplete: files[0]: invalid JSON at offset 94: unexpected end in a string`},
		{"{\"events\":[{\"channel\":\"\x01", "events[0]: channel: invalid JSON at offset 23: unexpected '\\x01' in a string"},
		{"{\"a\":\xff}", "a: invalid JSON at offset 5: unexpected byte 0xff instead of a value"},
		{`{"a":[[1,[2,{"b":tru}]]]}`, `a[0][1][1]: b: invalid JSON at offset 20: unexpected '}' in true`},
		{`{"a" 1}`, `a: invalid JSON at offset 5: unexpected '1' instead of a colon`},
		{`{"a":1 "b":2}`, `a: invalid JSON at offset 7: unexpected '"' instead of a comma or }`},
		{`{"a":1,}`, `invalid JSON at offset 7: unexpected '}' instead of a key`},
		{`{"":[1,]}`, `""[1]: invalid JSON at offset 7: unexpected ']' instead of a value`},
	} {
		check(t, message(decodeHistory(c.text)), c.want, c.text)
	}
}

func TestSticky(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a":{"type":"x"}}`))
	d.Object()
	d.Failf("bad %d", 1)
	check(t, d.Failed(), true)
	d.Back(d.Here())
	d.Within(wire.PlaceAt(99, 0), "x")
	d.Missing("m")
	d.UnknownTag("u", "t")
	check(t, d.ExpectInt(1, 7), uint64(7))
	check(t, d.ExpectBool(true, 7), uint64(7))
	check(t, d.Expect("", 7), uint64(7))
	d.Skip()
	tag, ok := d.StringTag("type")
	check(t, string(tag), "")
	check(t, ok, false)
	check(t, d.Null(), false)
	check(t, d.Kind(), byte(0))
	check(t, d.Bool(), false)
	check(t, d.Int64(), int64(0))
	check(t, d.Uint64(), uint64(0))
	check(t, d.Float64(), 0.0)
	check(t, string(d.Number()), "")
	check(t, d.Raw(), json.RawMessage(nil))
	check(t, d.Str(), "")
	check(t, d.Object(), []byte(nil))
	check(t, d.NextKey(), []byte(nil))
	check(t, d.Array(), false)
	check(t, d.NextItem(), false)
	check(t, codec.Strs(&d), []string(nil))
	check(t, d.RawMap(), map[string]json.RawMessage(nil))
	check(t, codec.StructMap[content](&d), map[string]content(nil))
	check(t, message(d.Finish()), "a: bad 1")
	check(t, message(d.Finish()), "a: bad 1")
}

func TestFailfAfterValue(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a":[{"b":"x" , "c":1}]}`))
	d.Object()
	d.Array()
	d.Object()
	d.Str()
	d.Failf("not a %s", "y")
	check(t, message(d.Finish()), "a[0]: b: not a y")
}

func TestUnknownTag(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a":{"type":"x"}}`))
	d.Object()
	tag, _ := d.StringTag("type")
	d.UnknownTag("Shape", string(tag))
	check(t, message(d.Finish()), `a: unknown Shape "x"`)
}

func TestDepth(t *testing.T) {
	const tooDeep = "nested more than 1000 levels deep"
	ways := map[string]func(*wire.Decoder){
		"skip": (*wire.Decoder).Skip,
		"raw":  func(d *wire.Decoder) { d.Raw() },
		"walk": walk,
	}
	for name, way := range ways {
		for depth, ok := range map[int]bool{1: true, wire.MaxDepth: true, wire.MaxDepth + 1: false, 100 * wire.MaxDepth: false} {
			d := wire.NewDecoder([]byte(nested(depth)))
			way(&d)
			check(t, strings.HasSuffix(message(d.Finish()), tooDeep), !ok, name, depth)
			if ok {
				check(t, d.Depth(), 0, name, depth)
			}
		}
	}
	d := wire.NewDecoder([]byte(`{"a":` + nested(wire.MaxDepth) + `,"type":"x"}`))
	_, ok := d.StringTag("type")
	check(t, ok, false)
	check(t, strings.HasSuffix(message(d.Finish()), tooDeep), true)
	// Siblings are not nested.
	check(t, skip("["+strings.Repeat(`[{}],{"a":[]},`, 2000)+"0]"), "")
}

// TestWrongBrackets closes one of many containers, of both kinds by turns, with the bracket of the other kind.
func TestWrongBrackets(t *testing.T) {
	for _, depth := range []int{1, 2, 31, 32, 33, 34, 64, 65, 100} {
		text := []byte(strings.Repeat(`[{"a":`, depth) + "0" + strings.Repeat("}]", depth))
		check(t, skip(string(text)), "", depth)
		for i := len(text) - 2*depth; i < len(text); i++ {
			right := text[i]
			text[i] = '}' + ']' - right
			want := fmt.Sprintf("invalid JSON at offset %d: unexpected '%c' instead of a comma or %c", i, text[i], right)
			if got := skip(string(text)); !strings.HasSuffix(got, want) {
				t.Fatalf("depth %d: got %q, want %q", depth, got, want)
			}
			text[i] = right
		}
	}
}

// TestEndsOfInput cuts texts short, and puts what ends a string everywhere, since the last bytes are read otherwise
// than those before.
func TestEndsOfInput(t *testing.T) {
	agree := func(data string) {
		valid := json.Valid([]byte(data))
		check(t, skip(data) == "", valid, data)
		d := wire.NewDecoder([]byte(data))
		walk(&d)
		check(t, d.Finish() == nil, valid, data)
	}
	for n := range 20 {
		text := strings.Repeat("x", n)
		agree(`"` + text)
		agree(`{"` + text + `":1}`)
		agree(`{"` + text + `":"` + text + `"}`)
		for i := range n {
			for _, c := range []string{`"`, `\`, "\x1f", "é", `\n`, `\u00e9`} {
				agree(`"` + text[:i] + c + text[i:] + `"`)
				agree(`{"` + text[:i] + c + text[i:] + `":1}`)
			}
		}
	}
}

// walk decodes anything with the methods that generated code uses.
func walk(d *wire.Decoder) {
	switch d.Kind() {
	case '{':
		for k := d.Object(); k != nil; k = d.NextKey() {
			walk(d)
		}
	case '[':
		for more := d.Array(); more; more = d.NextItem() {
			walk(d)
		}
	case '"':
		d.Str()
	case 't':
		d.Bool()
	case '0':
		d.Number()
	case 'n':
		d.Null()
	default:
		d.Skip()
	}
}

func TestKeys(t *testing.T) {
	keys := func(text string) []string {
		d := wire.NewDecoder([]byte(text))
		list := []string{}
		for k := d.Object(); k != nil; k = d.NextKey() {
			list = append(list, string(k))
			d.Skip()
		}
		check(t, message(d.Finish()), "", text)
		return list
	}
	check(t, keys(`{}`), []string{})
	check(t, keys(` { } `), []string{})
	check(t, keys(`{"":1}`), []string{""})
	check(t, keys(`{"" : 1,"":2, "" :3}`), []string{"", "", ""})
	check(t, keys(`{"\u0074ype":1,"a\"b":2,"grün":3,"`+"\xff"+`":4,"\ud83d\ude00":5}`),
		[]string{"type", `a"b`, "grün", "\ufffd", "😀"})

	v, err := wire.Decode[envelope]([]byte(strings.NewReplacer(`"type"`, `"\u0074ype"`, "chat/delta", `chat\/delta`,
		`"content"`, `"conten\u0074"`).Replace(deltaJSON)))
	check(t, err, nil)
	check(t, v.Action, chatAction(&deltaAction{"turn-17", "part-3", "the next few words"}))
}

func TestTags(t *testing.T) {
	for _, c := range []struct{ text, tag, err string }{
		{`{"type":"a"}`, "a", ""},
		{` { "type" : "a" , "b":1} `, "a", ""},
		{`{"type":"\u0061"}`, "a", ""},
		{`{"type":""}`, "", ""},
		{`{"x":{"type":"b"},"type":"a"}`, "a", ""},
		{`{"x":1,"type":"a","type":"\u0061"}`, "a", ""},
		{`{"x":1,"type":"a","type":"b"}`, "", `type: conflicting values "a" and "b"`},
		{`{"x":1,"type":"a","type":1}`, "", `type: want string, got number`},
		{`{"x":1,"type":"a","y":[}`, "", `y[0]: invalid JSON at offset 23: unexpected '}' instead of a value`},
		{`{}`, "", `type: missing`},
		{`{"":1}`, "", `type: missing`},
		{`{"Type":"a"}`, "", `type: missing`},
		{`{"type":null}`, "", `type: want string, got null`},
		{`"type"`, "", `want object, got string`},
		{`null`, "", `want object, got null`},
	} {
		d := wire.NewDecoder([]byte(c.text))
		tag, ok := d.StringTag("type")
		check(t, ok, c.err == "", c.text)
		if ok {
			check(t, string(tag), c.tag, c.text)
			check(t, d.Depth(), 0, c.text)
			d.Skip() // all of it is still there
		}
		check(t, message(d.Finish()), c.err, c.text)
	}
	d := wire.NewDecoder([]byte(`{"":"a"}`))
	tag, ok := d.StringTag("")
	check(t, string(tag), "a")
	check(t, ok, true)
	d = wire.NewDecoder([]byte(`{}`))
	_, ok = d.StringTag("")
	check(t, ok, false)
	check(t, message(d.Finish()), `"": missing`)
}

func TestOtherTags(t *testing.T) {
	for _, c := range []struct {
		text string
		tag  bool
		err  string
	}{
		{`{"ok":true}`, true, ""},
		{`{"x":1, "ok" : false}`, false, ""},
		{`{"x":1,"ok":true,"ok":false}`, false, "ok: conflicting values true and false"},
		{`{"x":1}`, false, "ok: missing"},
		{`{"ok":1}`, false, "ok: want boolean, got number"},
		{`[]`, false, "want object, got array"},
	} {
		d := wire.NewDecoder([]byte(c.text))
		tag, ok := d.BoolTag("ok")
		check(t, ok, c.err == "", c.text)
		if ok {
			check(t, tag, c.tag, c.text)
			d.Skip()
		}
		check(t, message(d.Finish()), c.err, c.text)
	}
	for _, c := range []struct {
		text string
		tag  int64
		err  string
	}{
		{`{"v":1}`, 1, ""},
		{`{"x":1,"v":2e0,"v":2}`, 2, ""},
		{`{"x":1,"v":2,"v":3}`, 0, "v: conflicting values 2 and 3"},
		{`{"x":1}`, 0, "v: missing"},
		{`{"v":"1"}`, 0, "v: want integer, got string"},
	} {
		d := wire.NewDecoder([]byte(c.text))
		tag, ok := d.IntTag("v")
		check(t, ok, c.err == "", c.text)
		if ok {
			check(t, tag, c.tag, c.text)
			d.Skip()
		}
		check(t, message(d.Finish()), c.err, c.text)
	}
}

func TestExpect(t *testing.T) {
	expect := func(text string, f func(*wire.Decoder)) string {
		d := wire.NewDecoder([]byte(text))
		f(&d)
		return message(d.Finish())
	}
	check(t, expect(`"a\"b"`, func(d *wire.Decoder) { d.ExpectText(`a"b`, 0) }), "")
	check(t, expect(`"a"b"`, func(d *wire.Decoder) { d.ExpectText(`a"b`, 0) }), `conflicting value: want "a\"b", got "a"`)
	for _, way := range []func(d *wire.Decoder, want string, seen uint64) uint64{(*wire.Decoder).Expect, (*wire.Decoder).ExpectText} {
		for text, want := range map[string]string{
			`"ab"`: "", `"\u0061b"`: "", ` "ab" `: "",
			`""`: `conflicting value: want "ab", got ""`, `"abc"`: `conflicting value: want "ab", got "abc"`, `"aB"`: `conflicting value: want "ab", got "aB"`,
			`1`: "want string, got number", `null`: "want string, got null",
			``: "invalid JSON at offset 0: unexpected end instead of a value", `"ab`: "invalid JSON at offset 3: unexpected end in a string",
			`"ab"x`: "invalid JSON at offset 4: unexpected 'x' after the value",
		} {
			check(t, expect(text, func(d *wire.Decoder) { check(t, way(d, "ab", 5), uint64(5)) }), want, text)
		}
	}
	check(t, expect(`""`, func(d *wire.Decoder) { d.Expect(``, 0) }), "")
	check(t, expect(`true`, func(d *wire.Decoder) { d.ExpectBool(true, 0) }), "")
	check(t, expect(`true`, func(d *wire.Decoder) { d.ExpectBool(false, 0) }), "conflicting value: want false, got true")
	check(t, expect(`1`, func(d *wire.Decoder) { d.ExpectBool(false, 0) }), "want boolean, got number")
	check(t, expect(`1.0`, func(d *wire.Decoder) { d.ExpectInt(1, 0) }), "")
	check(t, expect(`2`, func(d *wire.Decoder) { d.ExpectInt(1, 0) }), "conflicting value: want 1, got 2")
}

func TestBack(t *testing.T) {
	d := wire.NewDecoder([]byte(`[{"a":{"b":"]}"},"c":[1]}]`))
	d.Array()
	outer := d.Here()
	d.Object()
	inner := d.Here()
	d.Object()
	d.Back(inner)
	check(t, d.Depth(), 2)
	d.Object()
	d.Back(outer)
	check(t, d.Depth(), 1)
	d.Skip()
	check(t, d.NextItem(), false)
	check(t, d.Finish(), nil)
	check(t, d.Depth(), 0)
}

func TestIntegers(t *testing.T) {
	long := strings.Repeat("0", 400)
	for _, c := range []struct {
		text  string
		want  int64
		wantU uint64
		err   string
		errU  string
	}{
		{"0", 0, 0, "", ""},
		{"-0", 0, 0, "", ""},
		{"-0.0e5", 0, 0, "", ""},
		{"7", 7, 7, "", ""},
		{"1.0", 1, 1, "", ""},
		{"1e3", 1000, 1000, "", ""},
		{"1E+3", 1000, 1000, "", ""},
		{"1200e-2", 12, 12, "", ""},
		{"0.5e1", 5, 5, "", ""},
		{"0.0012e4", 12, 12, "", ""},
		{"1" + long + "e-400", 1, 1, "", ""},
		{"0." + long + "1e401", 1, 1, "", ""},
		{"0e999999999999999999999999", 0, 0, "", ""},
		{"999999999999999999", 999999999999999999, 999999999999999999, "", ""},
		{"9007199254740993", 1<<53 + 1, 1<<53 + 1, "", ""},
		{"9223372036854775807", math.MaxInt64, math.MaxInt64, "", ""},
		{"9223372036854775807.0", math.MaxInt64, math.MaxInt64, "", ""},
		{"922337203685477580700e-2", math.MaxInt64, math.MaxInt64, "", ""},
		{"9223372036854775808", 0, 1 << 63, "number out of range", ""},
		{"18446744073709551615", 0, math.MaxUint64, "number out of range", ""},
		{"18446744073709551616", 0, 0, "number out of range", "number out of range"},
		{"-1", -1, 0, "", "number out of range"},
		{"-9223372036854775808", math.MinInt64, 0, "", "number out of range"},
		{"-9223372036854775808e0", math.MinInt64, 0, "", "number out of range"},
		{"-9223372036854775809", 0, 0, "number out of range", "number out of range"},
		{"1e18", 1e18, 1e18, "", ""},
		{"1e19", 0, 1e19, "number out of range", ""},
		{"1e20", 0, 0, "number out of range", "number out of range"},
		{"1e400", 0, 0, "number out of range", "number out of range"},
		{"1e99999999999999999999", 0, 0, "number out of range", "number out of range"},
		{"1e-99999999999999999999", 0, 0, "not an integer", "not an integer"},
		{"123456789012345678901234567890", 0, 0, "number out of range", "number out of range"},
		{"123456789012345678901.5", 0, 0, "not an integer", "not an integer"},
		{"1.5", 0, 0, "not an integer", "not an integer"},
		{"01", 0, 0, "invalid JSON at offset 1: unexpected '1' after the value", "invalid JSON at offset 1: unexpected '1' after the value"},
		{"-", 0, 0, "invalid JSON at offset 1: unexpected end in a number", "invalid JSON at offset 1: unexpected end in a number"},
		{"1.", 0, 0, "invalid JSON at offset 2: unexpected end in a number", "invalid JSON at offset 2: unexpected end in a number"},
		{`"1"`, 0, 0, "want integer, got string", "want integer, got string"},
	} {
		n, err := read(c.text, (*wire.Decoder).Int64)
		check(t, err, c.err, c.text)
		if err == "" {
			check(t, n, c.want, c.text)
		}
		u, err := read(c.text, (*wire.Decoder).Uint64)
		check(t, err, c.errU, c.text)
		if err == "" {
			check(t, u, c.wantU, c.text)
		}
	}
}

func TestFloats(t *testing.T) {
	for _, text := range []string{"0", "-0", "1", "-1", "1.0", "1e3", "0.1", "123456789012345", "1234567890123456789",
		"1e308", "5e-324", "1e-400", "-1.7976931348623157e308"} {
		f, err := read(text, (*wire.Decoder).Float64)
		check(t, err, "", text)
		want, _ := strconv.ParseFloat(text, 64)
		check(t, math.Float64bits(f), math.Float64bits(want), text)
		n, err := read(text, (*wire.Decoder).Number)
		check(t, err, "", text)
		check(t, n, json.Number(text), text)
	}
	_, err := read("1e400", (*wire.Decoder).Float64)
	check(t, err, "number out of range")

	for _, f := range []float64{0, math.Copysign(0, -1), 10, -10, 1.5, 1e14, 1e15, 1e20, 1e21, 1e22, 1e-6, 1e-7, 1.5e-9, 1e-10,
		1e100, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, math.Pi, 123456789012345680} {
		want, _ := json.Marshal(f)
		got, err := codec.AppendAs(nil, f, codec.FloatItem)
		check(t, err, nil, f)
		check(t, string(got), string(want), f)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := codec.AppendAs(nil, f, codec.FloatItem)
		check(t, err != nil, true, f)
	}
}

func TestKind(t *testing.T) {
	for text, want := range map[string]byte{`{}`: '{', ` []`: '[', `""`: '"', `true`: 't', `false`: 't', `-1`: '0', `0`: '0',
		`9`: '0', `null`: 'n', ``: 0, `x`: 0, `+`: 0} {
		d := wire.NewDecoder([]byte(text))
		check(t, d.Kind(), want, text)
	}
}

func TestNullAndBool(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
		err  string
	}{
		{"null", true, ""},
		{"nul", false, "invalid JSON at offset 3: unexpected end in null"},
		{"nuLl", false, "invalid JSON at offset 2: unexpected 'L' in null"},
	} {
		null, err := read(c.text, (*wire.Decoder).Null)
		check(t, null, c.want, c.text)
		check(t, err, c.err, c.text)
	}
	for _, c := range []struct {
		text string
		want bool
		err  string
	}{
		{"true", true, ""},
		{"false", false, ""},
		{"fals", false, "invalid JSON at offset 4: unexpected end in false"},
		{"null", false, "want boolean, got null"},
	} {
		b, err := read(c.text, (*wire.Decoder).Bool)
		check(t, b, c.want, c.text)
		check(t, err, c.err, c.text)
	}
}

var stringSeeds = []string{`""`, `"a"`, `"12345678"`, `"1234567\""`, `"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e9\u20AC"`, `"\ud83d\ude00"`,
	`"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ud83d\u00"`, `"\u12`, `"\`,
	`"\x"`, `"grüße, 世界 😀"`, "\"\xff\"", "\"a\xc3\"", "\"\xe4\xb8\"", "\"\xc3\\n\xa4\"", "\"\xed\xa0\x80\"", "\"\x1f\"", "\"\x7f\"",
	"\"\u2028\u2029\"", `"abcdefgh\nijklmnopqrstuvwxyz\u00fcäöü"`, `"unfinished`, "\"12345678901234567890\xf0\x9f\x98\\u0000\""}

func TestString(t *testing.T) {
	for _, text := range stringSeeds {
		checkString(t, []byte(text))
	}
	s, err := read(`"`+strings.Repeat(`long\n`, 100000)+`"`, (*wire.Decoder).Str)
	check(t, err, "")
	check(t, s == strings.Repeat("long\n", 100000), true)
}

// checkString holds string and text against encoding/json.
func checkString(t *testing.T, text []byte) {
	t.Helper()
	d := wire.NewDecoder(text)
	got := d.Str()
	failed := d.Failed()
	err := d.Finish()
	var want string
	if len(text) == 0 || text[len(text)-1] != '"' || text[0] != '"' {
		return // white space around it, or another kind of value
	}
	check(t, err == nil, json.Unmarshal(text, &want) == nil, string(text), err)
	if failed {
		check(t, got, "", string(text))
	}
	if err != nil {
		return
	}
	check(t, got, want, string(text))
	for _, room := range []int{8, wire.MaxCopied, len(text) / 2, len(text) + wire.MaxCopied} { // that earlier strings have left
		d = wire.NewDecoder(text)
		d.SetRoom(make([]byte, room))
		check(t, d.Str(), want, string(text), room)
		check(t, d.Finish(), nil)
	}
	d = wire.NewDecoder(text)
	check(t, string(d.Text()), want, string(text))
	check(t, d.Finish(), nil)
}

func TestAppendString(t *testing.T) {
	for s, want := range map[string]string{
		"":                     `""`,
		"plain":                `"plain"`,
		"exactly8":             `"exactly8"`,
		"a\"b\\c/":             `"a\"b\\c/"`,
		"\n\r\t\b\f\x00\x1f":   `"\n\r\t\b\f\u0000\u001f"`,
		"<&>\u2028\u2029\x7f":  "\"<&>\u2028\u2029\x7f\"",
		"a long text, ü\n\xff": `"a long text, ü\n\ufffd"`,
		"\xed\xa0\x80\ufffd":   `"\ufffd\ufffd\ufffd` + "\ufffd\"",
	} {
		check(t, string(wire.AppendString([]byte("x"), s)), "x"+want, s)
	}
	for n := range 40 {
		for at := range n {
			for _, c := range []string{"\"", "\\", "\n", "\xff", "é"} {
				s := strings.Repeat("x", at) + c + strings.Repeat("y", n-at-1)
				checkAppendString(t, s)
			}
		}
	}
}

func checkAppendString(t *testing.T, s string) {
	t.Helper()
	got := wire.AppendString(nil, s)
	if !json.Valid(got) || !utf8.Valid(got) {
		t.Fatalf("%q gives %q", s, got)
	}
	marshalled, _ := json.Marshal(s)
	var a, b string
	if err := errors.Join(json.Unmarshal(got, &a), json.Unmarshal(marshalled, &b)); err != nil || a != b {
		t.Fatalf("%q gives %q, which is %q and not %q (%v)", s, got, a, b, err)
	}
}

func TestCollections(t *testing.T) {
	data := `{"b":{"kind":"x","text":"1"},"a":{"text":"2","kind":"y"}}`
	structs, err := read(data, codec.StructMap[content])
	check(t, err, "")
	check(t, structs, map[string]content{"a": {"y", "2"}, "b": {"x", "1"}})
	got, errE := codec.AppendAs(nil, structs, func(m map[string]content, dst []byte, e *wire.Encoder) []byte {
		return codec.AppendStructMap(dst, e, "", m)
	})
	check(t, errE, nil)
	check(t, string(got), `{"a":{"kind":"y","text":"2"},"b":{"kind":"x","text":"1"}}`)

	_, err = read(`{"b":{"kind":"x","text":"1"},"a":{"text":"2"}}`, codec.StructMap[content])
	check(t, err, "a: kind: missing") // and nothing left over from b

	list, err := read(`[ ]`, codec.Structs[content])
	check(t, err, "")
	check(t, list, []content{})
	numbers, err := read(`[1,2 , 3]`, func(d *wire.Decoder) []int64 { return codec.List(d, (*wire.Decoder).Int64) })
	check(t, err, "")
	check(t, numbers, []int64{1, 2, 3})
	texts, err := read(`["a",null]`, codec.Strs)
	check(t, err, "[1]: want string, got null")
	check(t, texts, []string(nil))
	raws, err := read(`{"a": [1 , 2] ,"b":null}`, codec.RawMap)
	check(t, err, "")
	check(t, raws, map[string]json.RawMessage{"a": json.RawMessage("[1 , 2]"), "b": json.RawMessage("null")})

	objects, err := read(`[{}, {"a" : 1}]`, func(d *wire.Decoder) []json.RawMessage { return codec.List(d, (*wire.Decoder).RawObject) })
	check(t, err, "")
	check(t, objects, []json.RawMessage{json.RawMessage(`{}`), json.RawMessage(`{"a" : 1}`)})
	_, err = read(`[[]]`, func(d *wire.Decoder) []json.RawMessage { return codec.List(d, (*wire.Decoder).RawObject) })
	check(t, err, "[0]: want object, got array")
	check(t, string(codec.AppendStrs(nil, "", nil)), "[]")
	check(t, string(codec.AppendStrs(nil, "", []string{"a", "b"})), `["a","b"]`)
	var e wire.Encoder
	check(t, string(codec.AppendStructs[content](nil, &e, "", nil)), "[]")
	check(t, string(codec.AppendRawMap(nil, &e, "", nil)), "{}")
	check(t, string(codec.AppendList(nil, &e, "", []float64{1, 2.5}, codec.FloatItem)), "[1,2.5]")
	many := map[string]json.RawMessage{}
	for i := range 40 {
		many[strconv.Itoa(i)] = json.RawMessage(strconv.Itoa(i))
	}
	got, errE = codec.AppendAs(nil, many, func(m map[string]json.RawMessage, dst []byte, e *wire.Encoder) []byte {
		return codec.AppendRawMap(dst, e, "", m)
	})
	check(t, errE, nil)
	want, _ := json.Marshal(many)
	check(t, string(got), string(want))
	check(t, string(codec.AppendUint(codec.AppendInt(nil, "", math.MinInt64), "", math.MaxUint64)), "-922337203685477580818446744073709551615")
}

func TestEncodeErrors(t *testing.T) {
	encode := func(v toolCallAction) string {
		_, err := wire.Append(nil, &history{Events: []envelope{{Action: &deltaAction{}}, {Action: &v}}})
		return message(err)
	}
	check(t, encode(toolCallAction{}), "")
	check(t, encode(toolCallAction{Seconds: math.Inf(1)}), "events[1]: action: seconds: JSON has no +Inf")
	check(t, encode(toolCallAction{Meta: map[string]json.RawMessage{"a": nil}}), "events[1]: action: _meta: a: raw JSON is empty")
	check(t, encode(toolCallAction{Meta: map[string]json.RawMessage{"a": json.RawMessage(`{"x":[1,]}`)}}),
		"events[1]: action: _meta: a: raw JSON: x[1]: invalid JSON at offset 8: unexpected ']' instead of a value")
	_, err := codec.AppendAs(nil, json.Number("1x"), codec.NumberItem)
	check(t, message(err), `invalid JSON number "1x"`)
	_, err = codec.AppendAs(nil, json.Number(""), codec.NumberItem)
	check(t, message(err), `invalid JSON number ""`)
	reason := errors.New("reason")
	err = wire.Within("a", wire.Within("b\n", reason))
	check(t, message(err), `a: "b\n": reason`)
	check(t, errors.Is(err, reason), true)
}

func TestUnmarshalJSON(t *testing.T) {
	v := content{"k", "t"}
	check(t, wire.Unmarshal([]byte(" null "), &v), nil)
	check(t, message(wire.Unmarshal([]byte("nullx"), &v)), "invalid JSON at offset 4: unexpected 'x' after the value")
	check(t, v, content{"k", "t"})
	check(t, message(wire.Unmarshal([]byte(`{"kind":"z"}`), &v)), "text: missing")
	check(t, wire.Unmarshal([]byte(`{"kind":"z","text":""}`), &v), nil)
	check(t, v, content{"z", ""})
}

func FuzzScanner(f *testing.F) {
	for _, s := range append(envelopes(), sample{"", []byte(nested(20))}, sample{"", []byte(nested(200))}) {
		f.Add(s.data)
	}
	for _, s := range []string{"", " ", "{", "[1,]", "[1 2]", `{"a":1,}`, `{"a":1 , "b" : [ ] }`, "-", "-0", "01", "1.", "1.5e", "1e+5",
		"tru", "nulll", "[]]", "\x00", "\"\x00\"", `"\u12g4"`, "[\xff]", "{\"\xff\":1}", "\ufeff1", "1 \x00", "{,}", `{"a"}`} {
		f.Add([]byte(s))
	}
	for _, s := range stringSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := json.Valid(data) && depthOf(data) <= wire.MaxDepth
		d := wire.NewDecoder(data)
		d.Skip()
		err := d.Finish()
		if want != (err == nil) {
			t.Fatalf("%q: valid is %t, skip says %v", data, want, err)
		}
		message(err)
		d = wire.NewDecoder(data)
		walk(&d)
		err = d.Finish()
		if want != (err == nil) {
			t.Fatalf("%q: valid is %t, decoding says %v", data, want, err)
		}
		message(err)
		d = wire.NewDecoder(data)
		raw := d.Raw()
		if err = d.Finish(); err == nil && string(raw) != strings.Trim(string(data), " \t\r\n") {
			t.Fatalf("%q: raw is %q", data, raw)
		}
		_, _ = wire.Decode[history](data)
		d = wire.NewDecoder(data)
		if _, ok := d.StringTag("type"); ok && want {
			d.Skip()
			if err = d.Finish(); err != nil {
				t.Fatalf("%q: after a tag: %v", data, err)
			}
		}
	})
}

func FuzzString(f *testing.F) {
	for _, s := range stringSeeds {
		f.Add([]byte(strings.TrimPrefix(strings.TrimSuffix(s, `"`), `"`)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkString(t, []byte(`"`+string(data)+`"`))
	})
}

func FuzzAppendString(f *testing.F) {
	for _, s := range stringSeeds {
		f.Add(s)
		f.Add(s + s + "\n" + s)
	}
	f.Fuzz(checkAppendString)
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.0", "1e3", "1e400", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
		"18446744073709551615", "18446744073709551616", "0.1e1", "100e-2", "1e-1", "1e", ".5", "00", "+1", "123456789012345678901", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
			return
		}
		valid := json.Valid([]byte(s))
		n, err := read(s, (*wire.Decoder).Number)
		check(t, err == "", valid, s)
		_, errE := codec.AppendAs(nil, json.Number(s), codec.NumberItem)
		check(t, errE == nil, valid, s)
		if !valid {
			_, errI := read(s, (*wire.Decoder).Int64)
			_, errF := read(s, (*wire.Decoder).Float64)
			check(t, errI != "" && errF != "", true, s)
			return
		}
		check(t, string(n), s)

		fl, err := read(s, (*wire.Decoder).Float64)
		want, errF := strconv.ParseFloat(s, 64)
		check(t, err == "", errF == nil, s)
		if err == "" {
			check(t, math.Float64bits(fl), math.Float64bits(want), s)
			got, _ := codec.AppendAs(nil, fl, codec.FloatItem)
			marshalled, _ := json.Marshal(fl)
			check(t, string(got), string(marshalled), s)
		}
		checkIntegers(t, s)
	})
}

// checkIntegers holds int64 and uint64 against exact arithmetic.
func checkIntegers(t *testing.T, s string) {
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok && len(exponent) > 4 {
		return // too large for big.Rat to be quick
	}
	exact, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("no number: %q", s)
	}
	n, err := read(s, (*wire.Decoder).Int64)
	check(t, err == "", exact.IsInt() && exact.Num().IsInt64(), s, err)
	if err == "" {
		check(t, n, exact.Num().Int64(), s)
	}
	u, err := read(s, (*wire.Decoder).Uint64)
	check(t, err == "", exact.IsInt() && exact.Num().IsUint64(), s, err)
	if err == "" {
		check(t, u, exact.Num().Uint64(), s)
	}
}
