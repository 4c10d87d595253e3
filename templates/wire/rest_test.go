package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// note is a struct as it is emitted where objects keep what they do not declare.
type note struct {
	Text *string
	rest wire.Rest
}

func (v *note) DecodeJSON(d *wire.Decoder) {
	v.rest = wire.Rest{}
	for k := d.Object(); k != nil; k = d.NextKey() {
		at := d.Here()
		if d.IsNull() {
			d.KeepNull(&v.rest, k, ",text")
		}
		switch string(k) {
		case "text":
			v.Text = codec.OptStr(d)
		default:
			d.Keep(&v.rest, k)
		}
		if d.Failed() {
			d.Forgive(at, k, &v.rest, ",text")
		}
	}
}

func (v *note) EncodeJSON(dst []byte, _ *wire.Encoder) []byte {
	start := len(dst)
	dst = codec.PutStr(dst, `,"text":`, v.Text)
	return codec.AppendClose(v.rest.Append(dst, start, ",text"), start)
}

// TestWhatIsKeptComesBack wants objects to be encoded as they were decoded, and a field to come before what is kept of it.
func TestWhatIsKeptComesBack(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                  `{}`,
		`{"text":"a"}`:                        `{"text":"a"}`,
		`{ "a" : [ 1 ] , "text" : "b" }`:      `{"text":"b","a":[ 1 ]}`,
		`{"text":null}`:                       `{"text":null}`,
		`{"text":1,"a":null}`:                 `{"text":1,"a":null}`,
		`{"text":1,"text":"now"}`:             `{"text":"now"}`,
		`{"a":1,"a":2,"":3,"\u0022":4}`:       `{"a":2,"":3,"\"":4}`,
		`{"n":18446744073709551616,"f":1e-9}`: `{"n":18446744073709551616,"f":1e-9}`,
	} {
		v, err := wire.Decode[note]([]byte(text))
		require.NoError(t, err, text)
		out, err := wire.Append([]byte("before"), v)
		require.NoError(t, err)
		require.Equal(t, "before"+want, string(out), text)
	}
	require.Nil(t, wire.Rest{}.Members())
	v, err := wire.Decode[note]([]byte(`{"a":1,"b":{"c":null}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage(`{"c":null}`)}, v.rest.Members())
}

// TestManyMembersAreKept keeps so many that copying all for each would take minutes.
func TestManyMembersAreKept(t *testing.T) {
	text := `{"m":0` + strings.Repeat(`,"m":1`, 200_000) + `}`
	v, err := wire.Decode[note]([]byte(text))
	require.NoError(t, err)
	out, err := wire.Append(nil, v)
	require.NoError(t, err)
	require.Equal(t, `{"m":1}`, string(out))
}

// box is a struct with items that may be malformed, each of which may hold another.
type box struct {
	Size  int64
	Items []box
}

func (v *box) DecodeJSON(d *wire.Decoder) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "items":
			v.Items = codec.OptFittingStructs[box](d, nil, "")
		case "size":
			v.Size = d.Int64()
		}
	}
}

// TestMalformedItemsWithinMalformedItemsAreLookedAtOnce nests so many that the test would not end if
// each level took two looks at the next.
func TestMalformedItemsWithinMalformedItemsAreLookedAtOnce(t *testing.T) {
	const depth = 400
	open, end := strings.Repeat(`{"items":[{"size":1},`, depth), strings.Repeat(`],"size":"bad"}`, depth)
	v, err := wire.Decode[box]([]byte(`{"items":[` + open + `{}` + end + `,{"size":2}]}`))
	require.NoError(t, err)
	require.Equal(t, &box{Items: []box{{Size: 2}}}, v)
	_, err = wire.Decode[box]([]byte(`{"items":[` + open + `{]` + end + `]}`))
	require.ErrorContains(t, err, "invalid JSON")
}

func TestNamesOfSeveralThatShareAnObject(t *testing.T) {
	require.Equal(t, ",a,b,c", wire.JoinNames(",a,b", ",c"))
	require.Equal(t, ",a", wire.JoinNames(",a", ""))
	both := wire.JoinNames(",a,b", " c d,e")
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d,e": true, "d": false, "e": false, "": false} {
		require.Equal(t, want, codec.Listed([]byte(name), both), name)
	}
}

func TestAnUnknownAlternativeIsWithoutWhatOthersDeclare(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a":1,"kind":"x","b":{"a":2},"c":3}`))
	before := d.Share(",a,c")
	inner := d.Share(",d")
	require.JSONEq(t, `{"kind":"x","b":{"a":2}}`, string(d.RawVariantBeside("kind", []byte("x"))))
	d.Unshare(inner)
	d.Unshare(before)
	require.NoError(t, d.Finish())
	d = wire.NewDecoder([]byte(` {"a":1} `))
	require.Equal(t, `{"a":1}`, string(d.RawShared()), "an object of its own")
}

// object is what encodes to a text.
type object string

func (o object) EncodeJSON(dst []byte, _ *wire.Encoder) []byte { return append(dst, o...) }

func TestAlternativesAreAppendedWithoutTheirBraces(t *testing.T) {
	for text, want := range map[object]string{`{}`: `{"id":1`, `{ }`: `{"id":1`, `{"a":2}`: `{"id":1,"a":2`, ` {"a":2}`: `{"id":1 {"a":2}`} {
		require.Equal(t, want, string(codec.AppendBeside([]byte(`{"id":1`), &wire.Encoder{}, text)))
	}
}

func TestTagsThatMayBeMissing(t *testing.T) {
	for text, want := range map[string]string{`{}`: "", `{"t":null}`: "", `{"a":1,"t":"x"}`: "x", `{"t":""}`: "", `{"a":{"t":"no"}}`: ""} {
		d := wire.NewDecoder([]byte(text))
		tag, ok := d.StringTagOrNone("t")
		require.True(t, ok, text)
		require.Equal(t, want, string(tag), text)
		d.Skip()
		require.NoError(t, d.Finish(), "%s: nothing is consumed", text)
	}
	for text, want := range map[string]string{`{"t":1}`: "want string", `[]`: "want object", `{"a"`: "invalid JSON", `{"t":"a","t":"b"`: "invalid JSON"} {
		d := wire.NewDecoder([]byte(text))
		_, ok := d.StringTagOrNone("t")
		if d.Skip(); ok {
			require.ErrorContains(t, d.Finish(), want, text)
			continue
		}
		require.ErrorContains(t, d.Finish(), want, text)
	}
}

func TestIntegersOfASizeHaveTheirRange(t *testing.T) {
	signed := func(text string) (int8, error) {
		d := wire.NewDecoder([]byte(text))
		n := codec.Signed[int8](&d)
		return n, d.Finish()
	}
	unsigned := func(text string) (uint64, uint16, error) {
		d := wire.NewDecoder([]byte(text))
		large := codec.Unsigned[uint64](&d)
		if err := d.Finish(); err != nil {
			return 0, 0, err
		}
		d = wire.NewDecoder([]byte(text))
		n := codec.Unsigned[uint16](&d)
		return large, n, d.Finish()
	}
	for text, want := range map[string]int8{"-128": -128, "127": 127, "1e1": 10, "-0": 0} {
		n, err := signed(text)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for _, text := range []string{"128", "-129", "9223372036854775808", "0.5"} {
		_, err := signed(text)
		require.Error(t, err, text)
	}
	large, _, err := unsigned("18446744073709551615")
	require.Equal(t, uint64(math.MaxUint64), large)
	require.ErrorContains(t, err, "out of range")
	_, n, err := unsigned("65535")
	require.NoError(t, err)
	require.Equal(t, uint16(65535), n)
	for _, text := range []string{"65536", "-1", "18446744073709551616"} {
		_, _, err := unsigned(text)
		require.ErrorContains(t, err, "out of range", text)
	}
}

func TestWhatFieldsStandFor(t *testing.T) {
	text := "there"
	require.Equal(t, "there", codec.Or(&text, "default"))
	require.Equal(t, "default", codec.Or(nil, "default"))
	require.Equal(t, int8(3), codec.OrDecoded(nil, "3", codec.Signed[int8]))
	require.Equal(t, []string{"a"}, codec.OrRead(false, nil, `["a"]`, codec.Strs))
	require.Equal(t, []string{}, codec.OrRead(true, []string{}, `["a"]`, codec.Strs), "empty is there")
	require.Equal(t, "x", *(codec.OrStruct[note](nil, `{"text":"x"}`)).Text)
	require.Empty(t, codec.OrZero(wire.Null[string]()))
	at, err := codec.Time("2026-03-01T10:20:30.5+01:00")
	require.NoError(t, err)
	require.True(t, at.Equal(time.Date(2026, 3, 1, 9, 20, 30, 500_000_000, time.UTC)))
	at, err = codec.Time("")
	require.NoError(t, err)
	require.True(t, at.IsZero())
	_, err = codec.Time("yesterday")
	require.Error(t, err)
	data, err := codec.Base64("aGk=")
	require.NoError(t, err)
	require.Equal(t, "hi", string(data))
	_, err = codec.Base64("aGk")
	require.Error(t, err)
}

func TestNumbersStandForTimes(t *testing.T) {
	whole, half, large, none := int64(1500), 1.5, uint64(math.MaxUint64), (*int32)(nil)
	require.Equal(t, 1500*time.Millisecond, codec.Span(&whole, time.Millisecond))
	require.Equal(t, 1500*time.Millisecond, codec.Span(&half, time.Second))
	require.Equal(t, time.Duration(math.MaxInt64), codec.Span(&large, time.Millisecond), "longer than a duration can be")
	least := int64(math.MinInt64)
	require.Equal(t, time.Duration(math.MinInt64), codec.Span(&least, time.Second))
	exact := int64(9_007_199_254_740_993)
	require.Equal(t, time.Duration(exact), codec.Span(&exact, 1), "integers do not pass through floats")
	require.Zero(t, codec.Span(none, time.Second))

	require.Equal(t, time.Date(1970, 1, 1, 0, 0, 1, 500_000_000, time.UTC), codec.Moment(&whole, time.Millisecond))
	before := int8(-1)
	require.Equal(t, time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), codec.Moment(&before, time.Second))
	require.True(t, codec.Moment(none, time.Second).IsZero(), "which is not the start of 1970")
	require.Equal(t, &whole, codec.Present(wire.Of(whole)))
	require.Nil(t, codec.Present(wire.Null[int64]()))
}

// TestMalformedItemsAreDropped wants an item that is no JSON to be refused all the same.
func TestMalformedItemsAreDropped(t *testing.T) {
	read := func(text string) ([]int64, error) {
		d := wire.NewDecoder([]byte(text))
		list := codec.OptFittingList(&d, (*wire.Decoder).Int64, nil, "")
		return list, d.Finish()
	}
	for text, want := range map[string][]int64{`[1,"a",{"b":[2]},3]`: {1, 3}, `["a"]`: {}, `[null,4]`: {4}, `[]`: {}, `null`: nil} {
		list, err := read(text)
		require.NoError(t, err, text)
		require.Equal(t, want, list, text)
	}
	for text, want := range map[string]string{`[1,"a",tru]`: "invalid JSON", `["a",1`: "invalid JSON", `{"a":1}`: "want array", `["a"]x`: "invalid JSON"} {
		_, err := read(text)
		require.ErrorContains(t, err, want, text)
	}
}
