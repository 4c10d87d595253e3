// What malformed input costs, beside input that is accepted. The tests count allocated bytes, and what is gone over again;
// the benchmark prints ratios of time and bytes.

package wire_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// shape makes texts of about n bytes that differ in little: one that is accepted, and one that is not, or of which something
// is dropped.
type shape struct {
	name   string
	make   func(n int) (good, bad []byte)
	decode func([]byte) error
	drops  bool // what is malformed is dropped
}

func decodeAs[T any, P decodes[T]](data []byte) error {
	_, err := wire.Decode[T, P](data)
	return err
}

// between puts as many copies of a text between two others as there is room for, without the last comma.
func between(n int, head, item, tail string) []byte {
	return []byte(head + strings.TrimSuffix(strings.Repeat(item, max(1, n/len(item))), ",") + tail)
}

// ended makes both texts from what comes before their ends.
func ended(head []byte, good, bad string) ([]byte, []byte) {
	return append(bytes.Clone(head), good...), append(bytes.Clone(head), bad...)
}

func refusals() []shape {
	unknown := func(item string) func(int) ([]byte, []byte) {
		return func(n int) ([]byte, []byte) {
			return ended(between(n, `{"kind":"a",`, item, ``), `,"text":"b"}`, `,"text":1}`)
		}
	}
	action := func(head, item, tail string) func(int) ([]byte, []byte) {
		return func(n int) ([]byte, []byte) {
			open := `{"channel":"a","action":{"type":"chat/toolCallComplete","turnId":"b","toolCallId":"c",` + head
			return ended(between(n, open, item, tail+`}`), `,"serverSeq":1}`, `,"serverSeq":""}`)
		}
	}
	events := func(item string) func(int) ([]byte, []byte) {
		return func(n int) ([]byte, []byte) {
			return ended(between(n, `{"events":[`, item+",", ``), `,`+item+`]}`, `,{"channel":"a","serverSeq":1,"action":{"type":"chat/delta"}}]}`)
		}
	}
	return []shape{
		{"unknown members", unknown(`"a":0,`), decodeAs[content], false},
		{"unknown strings", unknown(`"name":"some text of a usual length",`), decodeAs[content], false},
		{"escaped keys", unknown(`"a\u0062\n":"\"",`), decodeAs[content], false},
		{"deep", unknown(`"a":` + nested(900) + `,`), decodeAs[content], false},
		{"lists", unknown(`"a":[[],[0,1],{}],`), decodeAs[content], false},
		{"deltas", events(deltaJSON), decodeAs[history], false},
		{"tag last", events(lastJSON), decodeAs[history], false},
		{"unknown variants", events(unknownJSON), decodeAs[history], false},
		{"raw values", action(`"_meta":{`, `"a":{"b":[true,null,1.5],"c":"text"},`, `}`), decodeAs[envelope], false},
		{"maps", func(n int) ([]byte, []byte) {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, `"%d":1.5,`, i)
			}
			return action(`"limits":{`, b.String(), `}`)(0)
		}, decodeAs[envelope], false},
		{"texts", action(`"files":[`, `"a \"quoted\" text\n with \u00fc",`, `]`), decodeAs[envelope], false},
		{"structs", action(`"content":[`, `{"kind":"text","text":"words"},`, `]`), decodeAs[envelope], false},
		{"union in unions", chains, decodeAs[tree], false},
	}
}

// chains makes lists of trees that are deeper than any schema nests, with all tags behind what they tell apart.
func chains(n int) ([]byte, []byte) {
	const depth = 400
	open, end := strings.Repeat(`{"inner":`, depth), strings.Repeat(`,"type":"node"}`, depth)
	text := strings.Repeat("x", 1000)
	chain := open + `{"type":"leaf","text":"` + text + `"}` + end + ","
	head := between(n, `{"list":[`, chain, ``)
	return ended(head, `],"type":"node"}`, `],"text":1,"type":"node"}`)
}

// tree is a union whose variants hold others, or a list of them.
type tree struct {
	Inner *tree
	List  []tree
	Text  string
}

func (v *tree) DecodeJSON(d *wire.Decoder) {
	start := d.Here()
	tag, ok := d.StringTag("type")
	if !ok {
		return
	}
	if string(tag) != "node" && string(tag) != "leaf" {
		d.UnknownTag("Tree", string(tag))
	}
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "inner":
			v.Inner = codec.OptStruct[tree](d)
		case "list":
			v.List = codec.OptStructs[tree](d)
		case "text":
			v.Text = d.Str()
		}
	}
	if d.Failed() {
		d.Within(start, string(tag))
	}
}

func drops() []shape {
	list := func(good, bad string) func(int) ([]byte, []byte) {
		return func(n int) ([]byte, []byte) { return between(n, `[`, good, `]`), between(n, `[`, bad, `]`) }
	}
	return []shape{
		{"numbers for strings", list(`"",`, `12,`), func(data []byte) error {
			d := wire.NewDecoder(data)
			codec.OptFittingList(&d, (*wire.Decoder).Str, nil, "")
			return d.Finish()
		}, true},
		{"members of items", list(`{"kind":"","text":""},`, `{"kind":"","text":12},`), func(data []byte) error {
			d := wire.NewDecoder(data)
			codec.OptFittingStructs[content](&d, nil, "")
			return d.Finish()
		}, true},
		{"missing members", list(`{"kind":"","text":""},`, `{"kind":"","test":""},`), func(data []byte) error {
			d := wire.NewDecoder(data)
			codec.OptFittingStructs[content](&d, nil, "")
			return d.Finish()
		}, true},
		{"unknown variants", list(`{"text":"ab","type":"leaf"},`, `{"text":"ab","type":"life"},`), func(data []byte) error {
			d := wire.NewDecoder(data)
			codec.OptFittingStructs[tree](&d, nil, "")
			return d.Finish()
		}, true},
		{"items in items", func(n int) ([]byte, []byte) {
			const depth = 400
			make := func(size string) []byte {
				open, end := strings.Repeat(`{"items":[{"size":1},`, depth), strings.Repeat(`],"size":`+size+`}`, depth)
				return []byte(`{"items":[` + open + string(between(n, `{"items":[`, `{"size":100},`, `]}`)) + end + `]}`)
			}
			return make("100"), make(`"a"`)
		}, decodeAs[box], true},
		{"kept", func(n int) ([]byte, []byte) {
			return between(n, `{"inner":{`, `"text":"ab","list":["x"],"a":1,`, `}}`), between(n, `{"inner":{`, `"text":1234,"list":[123],"a":1,`, `}}`)
		}, decodeAs[keeper], true},
		{"kept in kept", func(n int) ([]byte, []byte) {
			const depth = 400
			make := func(size string) []byte {
				open, end := strings.Repeat(`{"inner":`, depth), strings.Repeat(`,"size":`+size+`}`, depth)
				return []byte(`{"inner":` + open + string(between(n, `{"list":[`, `"text",`, `]}`)) + end + `}`)
			}
			return make("100"), make(`"a"`)
		}, decodeAs[keeper], true},
	}
}

// keeper is a struct that keeps what it does not know, and may have malformed members and items.
type keeper struct {
	Text  *string
	List  []string
	Inner *keeper
	Size  int64
	rest  wire.Rest
}

func (v *keeper) DecodeJSON(d *wire.Decoder) {
	v.rest = wire.Rest{}
	for k := d.Object(); k != nil; k = d.NextKey() {
		at := d.Here()
		if d.IsNull() {
			d.KeepNull(&v.rest, k, ",text,list,inner")
		}
		switch string(k) {
		case "text":
			v.Text = codec.OptStr(d)
		case "list":
			v.List = codec.OptFittingList(d, (*wire.Decoder).Str, &v.rest, "list")
		case "inner":
			v.Inner = codec.OptStruct[keeper](d)
		case "size":
			v.Size = d.Int64()
		default:
			d.Keep(&v.rest, k)
		}
		if d.Failed() {
			d.Forgive(at, k, &v.rest, ",text,list,inner")
		}
	}
}

func (v *keeper) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	start := len(dst)
	dst = codec.PutStr(dst, `,"text":`, v.Text)
	dst = codec.PutFittingList(dst, e, `,"list":`, v.List, codec.StrItem[string], v.rest.Items("list"))
	dst = codec.PutStruct(dst, e, `,"inner":`, v.Inner)
	if v.Size != 0 {
		dst = codec.AppendInt(dst, `,"size":`, v.Size)
	}
	return codec.AppendClose(v.rest.Append(dst, start, ",text,list,inner,size"), start)
}

// allocated returns how many bytes a function allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

func TestWhatIsMalformedAllocatesLittleMore(t *testing.T) {
	for _, s := range append(refusals(), drops()...) {
		for _, n := range []int{100_000, 1_000_000} {
			good, bad := s.make(n)
			if err := s.decode(good); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if err := s.decode(bad); (err == nil) != s.drops {
				t.Fatalf("%s: %v", s.name, err)
			}
			of := allocated(func() { _ = s.decode(good) })
			got := allocated(func() { _ = s.decode(bad) })
			if limit := 2*of + float64(len(bad))/2 + 1<<15; got > limit {
				t.Errorf("%s of %d bytes: %.0f bytes are allocated, and %.0f where it is accepted", s.name, n, got, of)
			}
		}
	}
}

// TestNothingIsGoneOverOftenHoweverDeepItIs counts what is skipped where it has been skipped twice before.
func TestNothingIsGoneOverOftenHoweverDeepItIs(t *testing.T) {
	for _, s := range append(refusals(), drops()...) {
		good, bad := s.make(300_000)
		for _, data := range [][]byte{good, bad} {
			d := wire.NewDecoder(data)
			switch s.name {
			case "union in unions":
				new(tree).DecodeJSON(&d)
			case "items in items":
				new(box).DecodeJSON(&d)
			case "kept in kept", "kept":
				new(keeper).DecodeJSON(&d)
			default:
				continue
			}
			_ = d.Finish()
			if d.Remembers() && d.GoneOver() > 2*len(data) {
				t.Errorf("%s of %d bytes: %d are gone over", s.name, len(data), d.GoneOver())
			}
		}
	}
}

// TestHooksHearOfSoMany counts calls, and what is gone over for the paths.
func TestHooksHearOfSoMany(t *testing.T) {
	defer wire.OnForgiven(nil)
	for _, n := range []int{1, wire.MaxReported, wire.MaxReported + 1, 5000} {
		calls, rest := 0, 0
		wire.OnForgiven(func(err *wire.DecodeError) {
			if err.Unreported() > 0 {
				rest += err.Unreported()
				check(t, err.Error(), fmt.Sprintf("%d more malformed values were dropped", n-wire.MaxReported))
				return
			}
			check(t, err.Error(), fmt.Sprintf("[%d]: want string, got number", calls))
			check(t, string(err.Dropped()), "12")
			calls++
		})
		d := wire.NewDecoder(between(3*n, "[", "12,", "]"))
		codec.OptFittingList(&d, (*wire.Decoder).Str, nil, "")
		check(t, d.Finish(), nil)
		check(t, calls, min(n, wire.MaxReported), n)
		check(t, calls+rest, n)
		check(t, d.LocatedUpTo() <= 3*wire.MaxReported, true, "goes on where it stopped")
	}
}

// BenchmarkMalformed prints how much more time and memory malformed texts take than others that are accepted, without
// a hook and with one, by the least of all rounds.
func BenchmarkMalformed(b *testing.B) {
	defer wire.OnForgiven(nil)
	for _, s := range append(refusals(), drops()...) {
		for _, n := range []int{100_000, 1_000_000, 10_000_000} {
			b.Run(fmt.Sprintf("%s/%.1fMB", s.name, float64(n)/1e6), func(b *testing.B) {
				good, bad := s.make(n)
				const long = time.Duration(1 << 62)
				spent, bytes := [3]time.Duration{long, long, long}, [3]float64{}
				for range b.N {
					for i, data := range [][]byte{good, bad, bad} {
						wire.OnForgiven(nil)
						if i == 2 {
							wire.OnForgiven(func(*wire.DecodeError) {})
						}
						bytes[i] = allocated(func() {
							start := time.Now()
							_ = s.decode(data)
							spent[i] = min(spent[i], time.Since(start))
						})
					}
				}
				b.ReportMetric(float64(spent[1])/float64(spent[0]), "time/accepted")
				b.ReportMetric(bytes[1]/(bytes[0]+1), "bytes/accepted")
				b.ReportMetric(float64(spent[2])/float64(spent[1]), "hook/none")
				b.ReportMetric(float64(spent[0].Nanoseconds())/float64(len(good)), "ns/byte")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
