// Tests of what encoding refuses, and of where it says that this is.

package wire_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// failing encodes with an error and returns the error's text. What stands before must stay.
func failing(t *testing.T, v wire.Encodable) string {
	t.Helper()
	for _, before := range []string{"", "{", `[{"a":[1,2,`, strings.Repeat(`"`, 100)} {
		dst, err := wire.Append([]byte(before), v)
		check(t, string(dst), before)
		if before == "" {
			defer func(first string) { check(t, message(err), first, "whatever stands before") }(message(err))
		}
	}
	_, err := wire.Append(nil, v)
	return message(err)
}

func TestErrorsLeadToWhatCannotBeEncoded(t *testing.T) {
	bad := new(math.Inf(1))
	name := new(`a "quoted" [name], {`)
	for _, c := range []struct {
		about string
		v     *options
		want  string
	}{
		{"the first member", &options{Limit: bad}, "limit: JSON has no +Inf"},
		{"behind another", &options{Name: name, Limit: bad}, "limit: JSON has no +Inf"},
		{"in an object in an object", &options{Inner: &options{Inner: &options{Limit: bad}}}, "inner: inner: limit: JSON has no +Inf"},
		{"behind an empty object", &options{Several: []options{{}, {}, {Name: name}, {Limit: bad}}}, "several[3]: limit: JSON has no +Inf"},
		{"in a map", &options{ByName: map[string]options{"a": {}, "b:": {Limit: bad}, "c": {Limit: bad}}}, "byName: b:: limit: JSON has no +Inf"},
		{"by a name that cannot be printed", &options{ByName: map[string]options{"\x1b[2J\"": {Limit: bad}}}, `byName: "\x1b[2J\"": limit: JSON has no +Inf`},
		{"in a variant", &options{Inner: &options{Name: name, Action: &toolCallAction{Seconds: *bad}}}, "inner: action: seconds: JSON has no +Inf"},
		{"a variant that is nil", &options{Action: (*deltaAction)(nil)}, "action: missing: the value is nil"},
		{"an extra member", &options{Name: name, Extra: map[string]json.RawMessage{"x": json.RawMessage("[1,]")}},
			"x: raw JSON[1]: invalid JSON at offset 3: unexpected ']' instead of a value"},
		{"an extra member that is empty", &options{Extra: map[string]json.RawMessage{"": nil}}, `"": raw JSON is empty`},
		{"an extra member of a declared name", &options{Extra: map[string]json.RawMessage{"a": json.RawMessage("1"), "reset": json.RawMessage("1")}},
			"reset: the member is declared and cannot be an extra one"},
		{"only the first thing", &options{Limit: bad, Action: (*deltaAction)(nil), Extra: map[string]json.RawMessage{"": nil}}, "limit: JSON has no +Inf"},
	} {
		check(t, failing(t, c.v), c.want, c.about)
	}
	check(t, failing(t, (*options)(nil)), "missing: the value is nil")
	check(t, failing(t, &history{Events: []envelope{{Action: &deltaAction{}}, {Channel: *name}}}), "events[1]: action: missing: the value is nil")

	deep := &options{Limit: bad}
	for range 40 {
		deep = &options{Inner: deep}
	}
	check(t, failing(t, deep), strings.Repeat("inner: ", wire.MaxPathNames)+"… (17 more) …: "+strings.Repeat("inner: ", wire.MaxPathNames-1)+"limit: JSON has no +Inf")
}

func TestEncodeErrorsTellPathAndCause(t *testing.T) {
	_, err := wire.Append(nil, &options{Inner: &options{Extra: map[string]json.RawMessage{"x": json.RawMessage("{")}}})
	var encode *wire.EncodeError
	check(t, errors.As(err, &encode), true)
	check(t, encode.Path(), "inner: x")
	var decode *wire.DecodeError
	check(t, errors.As(err, &decode), true, "what is wrong with the raw value")
}

func TestObjectsWithoutRequiredMembers(t *testing.T) {
	for _, text := range []string{
		`{}`,
		`{"name":""}`,
		`{"limit":1,"inner":{},"several":[{},{"reset":null}],"byName":{"a":{},"b":{"reset":"x"}},"x":[1, 2]}`,
		`{"action":{"type":"chat/delta","turnId":"","partId":"","content":""}}`,
		`{"several":[],"byName":{}}`,
		`{"":0,"\"":1,"zz":{}}`,
	} {
		v, err := wire.Decode[options]([]byte(text))
		check(t, err, nil, text)
		for _, before := range []string{"", "{,"} {
			got, err := wire.Append([]byte(before), v)
			check(t, err, nil, text)
			check(t, string(got), before+text)
		}
	}
}

func TestAbsentAndNullAreNothingButWhereTheyDiffer(t *testing.T) {
	v, err := wire.Decode[options]([]byte(`{"name":"a","name":null,"limit":null,"action":null,"inner":{},"inner":null,"several":null,"byName":null,"reset":null}`))
	check(t, err, nil)
	check(t, *v, options{Reset: wire.Null[string]()})
	check(t, v.Reset.IsNull(), true)
	check(t, v.Reset.IsAbsent(), false)
	v, err = wire.Decode[options]([]byte(`{}`))
	check(t, err, nil)
	check(t, v.Reset.IsAbsent(), true)
	value, ok := wire.Of("x").Get()
	check(t, value, "x")
	check(t, ok, true)
	_, ok = wire.Null[string]().Get()
	check(t, ok, false)
}

// puts calls every function for an optional or nullable value.
func puts(dst []byte, e *wire.Encoder, there bool) []byte {
	var (
		s    *string
		b    *bool
		i    *int64
		f    *float64
		r    json.RawMessage
		list []string
		nums []float64
		raws map[string]json.RawMessage
		m    map[string]float64
		v    wire.Encodable
		p    *content
		cs   []content
		cm   map[string]content
	)
	if there {
		s, b, i, f, r = new("a"), new(true), new(int64(-1)), new(1.5), json.RawMessage("null")
		list, nums, raws, m = []string{}, []float64{}, map[string]json.RawMessage{}, map[string]float64{}
		p = &content{"k", "t"}
		v, cs, cm = p, []content{}, map[string]content{}
	}
	dst = codec.PutStr(dst, ",s:", s)
	dst = codec.PutBool(dst, ",b:", b)
	dst = codec.PutInt(dst, ",i:", i)
	dst = codec.PutFloat(dst, e, ",f:", f)
	dst = codec.PutRaw(dst, e, ",r:", r)
	dst = codec.PutValue(dst, e, ",v:", v)
	dst = codec.PutStruct(dst, e, ",p:", p)
	dst = codec.PutStrs(dst, ",ss:", list)
	dst = codec.PutList(dst, e, ",fs:", nums, codec.FloatItem)
	dst = codec.PutStructs(dst, e, ",cs:", cs)
	dst = codec.PutMap(dst, e, ",m:", m, codec.FloatItem)
	dst = codec.PutRawMap(dst, e, ",rm:", raws)
	dst = codec.PutStructMap(dst, e, ",cm:", cm)
	dst = codec.Put(dst, e, ",put:", i, codec.IntItem[int64])
	dst = append(dst, " nullable"...)
	dst = codec.ValueOrNull(dst, e, ",v:", v)
	dst = codec.ValueOrNull(dst, e, ",p:", p)
	dst = codec.OrNull(dst, e, ",i:", i, codec.IntItem[int64])
	dst = codec.ListOrNull(dst, e, ",l:", nums, codec.FloatItem)
	return codec.MapOrNull(dst, e, ",m:", m, codec.FloatItem)
}

func TestOptionalAndNullableMembers(t *testing.T) {
	var e wire.Encoder
	check(t, string(puts(nil, &e, false)), " nullable,v:null,p:null,i:null,l:null,m:null")
	check(t, string(puts(nil, &e, true)), `,s:"a",b:true,i:-1,f:1.5,r:null,v:{"kind":"k","text":"t"},p:{"kind":"k","text":"t"}`+
		`,ss:[],fs:[],cs:[],m:{},rm:{},cm:{},put:-1 nullable,v:{"kind":"k","text":"t"},p:{"kind":"k","text":"t"},i:-1,l:[],m:{}`)
	check(t, e.Reason(), "")
}

func TestItems(t *testing.T) {
	type word string
	type count int64
	type bits uint64
	var e wire.Encoder
	check(t, string(codec.StrItem(word("a\n"), nil, &e)), `"a\n"`)
	check(t, string(codec.BoolItem(false, nil, &e)), `false`)
	check(t, string(codec.IntItem(count(math.MinInt64), nil, &e)), `-9223372036854775808`)
	check(t, string(codec.UintItem(bits(math.MaxUint64), nil, &e)), `18446744073709551615`)
	check(t, string(codec.AppendUint(nil, "n:", 7)), `n:7`)
	check(t, string(codec.NumberItem("1e400", nil, &e)), `1e400`)
	check(t, string(codec.AppendNumber(nil, &e, "n:", "-0")), `n:-0`)
	check(t, string(codec.AppendRaw(nil, &e, "n:", json.RawMessage(" 1"))), `n: 1`)
	check(t, string(codec.ValueItem(&content{}, nil, &e)), `{"kind":"","text":""}`)
	check(t, e.Reason(), "")
	codec.ValueItem[*content](nil, nil, &e)
	check(t, e.Reason(), wire.MissingValue)
}

func TestTagsOfVariantsThatOwnSeveral(t *testing.T) {
	var e wire.Encoder
	check(t, string(codec.AppendTag(nil, &e, "t:", "b", ",a,b,c")), `t:"b"`)
	check(t, string(codec.AppendTag(nil, &e, "t:", "b,c", " a b,c")), `t:"b,c"`)
	check(t, e.Reason(), "")
	for _, tag := range []string{"", "ab", "a,b", "d"} {
		var e wire.Encoder
		codec.AppendTag(nil, &e, "t:", tag, ",a,b,c")
		check(t, e.Reason(), wire.Excerpt(tag)+" is not a tag of this variant")
	}
	for tag, want := range map[string]string{"a": "", "c": "", "": `t: "" is not a tag of this variant`, "a,b": `t: "a,b" is not a tag of this variant`} {
		d := wire.NewDecoder([]byte("1"))
		d.OneOf("t", tag, ",a,b,c")
		d.Skip()
		check(t, message(d.Finish()), want, tag)
	}
	d := wire.NewDecoder([]byte("1"))
	tag, seen := codec.SameTag(&d, "t", "", "a", 0, 2)
	check(t, tag, "a", "the first")
	tag, seen = codec.SameTag(&d, "t", tag, "a", seen, 2)
	check(t, tag, "a", "the same again")
	check(t, d.Failed(), false)
	check(t, seen, uint64(2))
	codec.SameTag(&d, "t", tag, "b", seen, 2)
	check(t, message(d.Finish()), `t: conflicting values "a" and "b"`)
}

func TestUnknownVariantsStateOneTag(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"a","x":{"type":"b"}}`: "",
		`{"type":"a","type":"a"}`:       "",
		`{"type":"a","x":1,"type":"b"}`: `type: conflicting values "a" and "b"`,
		`{"type":"a","type":1}`:         `type: conflicting values`,
	} {
		d := wire.NewDecoder([]byte(text))
		raw := d.RawVariant("type", []byte("a"))
		check(t, message(d.Finish()), want, text)
		if want == "" {
			check(t, string(raw), text)
		}
	}
	for text, want := range map[string]string{
		`{"v":3,"x":{"v":4}}`: "",
		`{"v":3,"v":3.0}`:     "",
		`{"v":3,"v":4}`:       `v: conflicting values 3 and 4`,
		`{"v":3,"v":"3"}`:     `v: conflicting values`,
	} {
		d := wire.NewDecoder([]byte(text))
		d.RawIntVariant("v", 3)
		check(t, message(d.Finish()), want, text)
	}
}

func TestOnlyString(t *testing.T) {
	for text, want := range map[string]string{`{"a":"x"}`: "x", `{"b":1,"a":"x","a":"\u0078"}`: "x", `{"a":"x","a":"y"}`: "-", `{}`: "-", `{"a":1}`: "-", `[`: "-"} {
		d := wire.NewDecoder([]byte(text))
		got, ok := d.OnlyString("a")
		if !ok {
			got = "-"
		}
		check(t, got, want, text)
	}
}

func TestWhatDecodesBecomesAnAppender(t *testing.T) {
	action, err := wire.DecodeInto([]byte(`{"type":"chat/delta","turnId":"a","partId":"b","content":"c"}`), new(deltaAction))
	check(t, err, nil)
	check(t, action, wire.Appender(&deltaAction{"a", "b", "c"}))
	action, err = wire.DecodeInto([]byte(`{}`), new(deltaAction))
	check(t, message(err), "type: missing")
	check(t, action == nil, true, "nil itself, not a nil pointer in it")

	decode := codec.Appending(func(data []byte) (*deltaAction, error) { return wire.Decode[deltaAction](data) })
	action, err = decode([]byte(`{}`))
	check(t, message(err), "type: missing")
	check(t, action == nil, true, "nil itself, not a nil pointer in it")

	union, err := decodeChatAction([]byte(`{"type":"new","x":1}`))
	check(t, err, nil)
	check(t, union, chatAction(&unknownAction{"new", json.RawMessage(`{"type":"new","x":1}`)}))
	union, err = decodeChatAction([]byte(`{"type":"chat/delta"}`))
	check(t, message(err), "chat/delta: turnId: missing")
	check(t, union == nil, true, "nil itself, not what was decoded of it")
}

func TestIsNil(t *testing.T) {
	type pointerLike struct{ p *int }
	type array [1]*int
	type text string
	for _, c := range []struct {
		about string
		v     any
		want  bool
	}{
		{"nothing", nil, true},
		{"a pointer to nothing", (*deltaAction)(nil), true},
		{"a pointer", new(deltaAction), false},
		{"a pointer to a pointer to nothing", new(*int), false},
		{"a map that is nil, which is an empty one", map[string]int(nil), false},
		{"a map", map[string]int{}, false},
		{"a list that is nil, which is an empty one", []int(nil), false},
		{"a string", "", false},
		{"a type of its own", text(""), false},
		{"a number", 0, false},
		{"false", false, false},
		{"a struct with a pointer to nothing in it", pointerLike{}, false},
		{"an array with a pointer to nothing in it", array{}, false},
	} {
		check(t, wire.IsNil(c.v), c.want, c.about)
	}
	check(t, wire.IsNil(wire.Encodable(nil)), true, "an interface with nothing in it")
	check(t, wire.IsNil(wire.Encodable((*deltaAction)(nil))), true, "an interface with a pointer to nothing in it")
	check(t, wire.IsNil((*deltaAction)(nil)), true)
	check(t, wire.IsNil(map[string]int(nil)), false)
}

// TestStringsOfOneTextAreApart decodes strings that share memory. Appending to one, as bytes that somebody
// made of it, or letting go of some must not change another.
func TestStringsOfOneTextAreApart(t *testing.T) {
	want := make([]string, 3000)
	for i := range want {
		want[i] = strings.Repeat(string(rune('a'+i%26)), i%(2*wire.MaxCopied))
		if i%7 == 0 {
			want[i] += "\n\"é"
		}
	}
	data, err := json.Marshal(want)
	check(t, err, nil)
	d := wire.NewDecoder(data)
	got := codec.Strs(&d)
	check(t, d.Finish(), nil)
	for i := range data {
		data[i] = 'x' // nothing is left of the input
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("string %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// TestMembersOfFreeFormObjectsAreApart changes and extends values that may share memory with others.
func TestMembersOfFreeFormObjectsAreApart(t *testing.T) {
	for _, size := range []int{1, wire.MaxCopied, wire.MaxShared, 2 * wire.MaxShared} {
		want := map[string]json.RawMessage{}
		var text strings.Builder
		for i := 0; text.Len() < size; i++ {
			key, value := strings.Repeat("k", i%5)+string(rune('a'+i%26))+strconv.Itoa(i), json.RawMessage(strconv.Itoa(i)+strings.Repeat("0", i%200))
			if i%7 == 0 {
				key += "\n\"é"
			}
			want[key] = value
			if i > 0 {
				text.WriteByte(',')
			}
			text.Write(append(append(wire.AppendString(nil, key), ':'), value...))
		}
		want[""] = json.RawMessage(`[ {} ]`)
		data := []byte(`{` + text.String() + ` , "" : [ {} ] }`)
		d := wire.NewDecoder(data)
		got := d.RawMap()
		check(t, d.Finish(), nil, size)
		for i := range data {
			data[i] = 'x' // nothing is left of the input
		}
		check(t, reflect.DeepEqual(got, want), true, size)
		for key, value := range got {
			for i := range append(value, "more"...) {
				if i < len(value) {
					value[i] = '!'
				}
			}
			delete(want, key)
			for other := range want {
				if string(got[other]) != string(want[other]) {
					t.Fatalf("%d bytes: a change of %q changes %q", size, key, other)
				}
			}
		}
	}
}

func TestOptionalStringsAreApart(t *testing.T) {
	d := wire.NewDecoder([]byte(`["a","b",null,"d","e","f","g","h","i"]`))
	list := codec.List(&d, codec.OptStr)
	check(t, d.Finish(), nil)
	for i, s := range list {
		if s == nil {
			check(t, i, 2)
			continue
		}
		check(t, *s, string(rune('a'+i)))
		*s = "changed"
	}
}

// A string that is kept keeps no more than one piece of memory, and a small message costs a small one.
func TestStringsTakeMemoryInSmallPieces(t *testing.T) {
	if !wire.Shares {
		t.Skip("each string has an allocation of its own")
	}
	d := wire.NewDecoder([]byte(`["ab","cd"]`))
	check(t, codec.Strs(&d), []string{"ab", "cd"})
	check(t, len(d.Room()) <= len(`ab","cd"]`), true, "no more than is left of the input")
	d = wire.NewDecoder([]byte(`["ab",` + strings.Repeat(" ", 10*wire.MaxArena) + `"cd"]`))
	d.Array()
	check(t, d.Str(), "ab")
	check(t, len(d.Room()), wire.MaxArena)
	check(t, d.Used(), len("ab"))
	d = wire.NewDecoder([]byte(`"` + strings.Repeat("x", wire.MaxCopied+1) + `"`))
	d.SetRoom(make([]byte, wire.MaxCopied))
	check(t, len(d.Str()), wire.MaxCopied+1)
	check(t, d.Used(), 0, "a long string that does not fit has an allocation of its own")
	check(t, len(d.Room()), wire.MaxCopied)
}

func TestOptionalValuesAreReadOrNull(t *testing.T) {
	type word string
	readers := map[string]func(*wire.Decoder) any{
		`"a"`:                       func(d *wire.Decoder) any { return codec.OptStr(d) },
		`true`:                      func(d *wire.Decoder) any { return codec.OptBool(d) },
		`-7`:                        func(d *wire.Decoder) any { return codec.OptInt64(d) },
		`1.5`:                       func(d *wire.Decoder) any { return codec.OptFloat64(d) },
		`"b"`:                       func(d *wire.Decoder) any { return codec.OptText[word](d) },
		`18446744073709551615`:      func(d *wire.Decoder) any { return codec.Opt(d, (*wire.Decoder).Uint64) },
		`["c"]`:                     func(d *wire.Decoder) any { return codec.OptStrs(d) },
		`[1,2]`:                     func(d *wire.Decoder) any { return codec.OptList(d, (*wire.Decoder).Int64) },
		`{"a":1}`:                   func(d *wire.Decoder) any { return codec.OptMap(d, (*wire.Decoder).Int64) },
		`{"b":[ 1 ]}`:               func(d *wire.Decoder) any { return codec.OptRawMap(d) },
		`{"kind":"k","text":"t"}`:   func(d *wire.Decoder) any { return codec.OptStruct[content](d) },
		`[{"kind":"k","text":"t"}]`: func(d *wire.Decoder) any { return codec.OptStructs[content](d) },
		`{"m":{"kind":"","text":""}}`: func(d *wire.Decoder) any {
			return codec.OptStructMap[content](d)
		},
	}
	want := map[string]any{
		`"a"`: new("a"), `true`: new(true), `-7`: new(int64(-7)), `1.5`: new(1.5), `"b"`: new(word("b")),
		`18446744073709551615`: new(uint64(math.MaxUint64)), `["c"]`: []string{"c"}, `[1,2]`: []int64{1, 2}, `{"a":1}`: map[string]int64{"a": 1},
		`{"b":[ 1 ]}`: map[string]json.RawMessage{"b": json.RawMessage("[ 1 ]")}, `{"kind":"k","text":"t"}`: &content{"k", "t"},
		`[{"kind":"k","text":"t"}]`: []content{{"k", "t"}}, `{"m":{"kind":"","text":""}}`: map[string]content{"m": {}},
	}
	for text, reader := range readers {
		for _, c := range []struct {
			text string
			none bool
			err  string
		}{{text, false, ""}, {"null", true, ""}, {"nul", true, "invalid JSON at offset 3: unexpected end in null"}} {
			got, err := read(c.text, reader)
			check(t, err, c.err, text, c.text)
			if err != "" {
				continue
			}
			if c.none {
				check(t, reflect.ValueOf(got).IsNil(), true, text, "null")
			} else {
				check(t, got, want[text], text)
			}
		}
	}
	maybe, err := read(`{"kind":"k","text":"t"}`, codec.MaybeStruct[content])
	check(t, err, "")
	check(t, maybe, wire.Of(&content{"k", "t"}))
	maybe, err = read(`null`, codec.MaybeStruct[content])
	check(t, err, "")
	check(t, maybe, wire.Null[*content]())
	text, err := read(`"x"`, codec.Text[word])
	check(t, err, "")
	check(t, text, word("x"))
}

func TestAValueWithoutACopyIsThatOfTheInput(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a": [1 , 2] ,"b":3}`))
	check(t, string(d.Object()), "a")
	start := d.Offset()
	check(t, start, 6)
	check(t, string(d.Slice()), "[1 , 2]")
	check(t, string(d.NextKey()), "b")
	check(t, string(d.Slice()), "3")
	check(t, string(d.Since(start)), `[1 , 2] ,"b":3`)
	d.FailAt(start, "no")
	check(t, d.Since(0) == nil, true)
	err := d.Finish()
	check(t, message(err), "a: no")
	var decode *wire.DecodeError
	check(t, errors.As(err, &decode), true)
	check(t, decode.Path(), "a")
}

// What a peer sends may be long, and may do something to a terminal.
func TestWhatAPeerSentIsShownInPart(t *testing.T) {
	long := strings.Repeat("é", wire.MaxMessage)
	check(t, wire.Readable("a\tb"), `"a\tb"`)
	check(t, wire.Readable("grün"), "grün")
	check(t, wire.Readable(long), strings.Repeat("é", wire.MaxMessage/2)+"… (2000 bytes)")
	check(t, wire.Excerpt("x"+long), `"x`+strings.Repeat("é", (wire.MaxExcerpt-1)/2)+`"… (2001 bytes)`)
	check(t, wire.Name(long), wire.Excerpt(long))
	d := wire.NewDecoder([]byte(`{}`))
	d.OtherTag("Shape", "\x1b[2J")
	check(t, message(d.Finish()), `"\x1b[2J" is not a Shape`)
}

func TestWhoHasNoBufferGetsOneThatFits(t *testing.T) {
	long := &options{Name: new(strings.Repeat("a\n", 10_000))}
	short := &options{Name: new("b")}
	first, err := wire.Append(nil, long)
	check(t, err, error(nil))
	second, err := wire.Append(nil, short)
	check(t, err, error(nil))
	third, err := wire.Append(nil, long)
	check(t, err, error(nil))
	check(t, string(second)+string(third), `{"name":"b"}`+string(first), "no text is in the memory of another")
	if cap(first) > len(first)*5/4 {
		t.Errorf("%d bytes are kept in %d", len(first), cap(first))
	}
	nothing, err := wire.Append(nil, &options{Name: long.Name, Limit: new(math.Inf(1))})
	check(t, nothing == nil && err != nil, true)
	check(t, string(first), string(third), "nor in that of one that failed")
}
