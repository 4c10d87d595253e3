// Tests of what reads eight bytes at a time, with ends and unusual bytes at every place in a word.

package wire_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// pieces are what the texts of strings are made of here, as they are written.
var pieces = []string{
	"a", "plain", "twenty bytes of text", "é", "漢字", "\xff", "\xe6\xbc", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d\ude00`, `\ud83d`,
}

// randomText is up to n pieces.
func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestValidUTF8(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text := []byte(randomText(r, 12))
		check(t, wire.ValidUTF8(text), utf8.Valid(text), string(text))
	}
}

// Strings of one text are read one after the other, so that each finds another amount of room.
func TestStringsOfAnyLengthAreThoseOfEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		texts := make([]string, r.IntN(60))
		for i := range texts {
			texts[i] = `"` + randomText(r, 1<<r.IntN(9)) + `"`
		}
		input := []byte("[" + strings.Join(texts, ",") + "]")
		want := []string{}
		if err := json.Unmarshal(input, &want); err != nil {
			t.Fatal(err)
		}
		d := wire.NewDecoder(input)
		got := codec.Strs(&d)
		check(t, d.Finish(), nil)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %q, want %q", input, got, want)
		}
	}
}

// A tag is the same wherever it stands and however it is written, up to the end of the input.
func TestATagInFrontIsFoundAsAnyOther(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"a"}`: "a", `{"type":""}`: "", `{"type":"a","type":"b"}`: "a", `{"type":"more than one word","x":1}`: "more than one word",
		`{"x":1,"type":"a"}`: "a", `{ "type":"a"}`: "a", `{"type" :"a"}`: "a", `{"type": "a"}`: "a", `{"t\u0079pe":"a"}`: "a",
		`{"type":"\u0061"}`: "a", `{"type":"é"}`: "é", `{"types":"b","type":"a"}`: "a",
	} {
		d := wire.NewDecoder([]byte(text))
		tag, ok := d.StringTag("type")
		check(t, ok, true, text)
		check(t, string(tag), want, text)
		check(t, d.Offset(), 0, text)
	}
	for _, text := range []string{``, `{`, `{"`, `{"type`, `{"type"`, `{"type":`, `{"type":"`, `{"type":"a`, `{"type":1}`, `{"typ":"a"}`, `["type":"a"]`} {
		d := wire.NewDecoder([]byte(text))
		_, ok := d.StringTag("type")
		check(t, ok, false, text)
		check(t, d.Finish() != nil, true, text)
	}
}

// Capacity is reserved for the items that the text may hold, but not for many more.
func TestListsTakeMemoryByTheirItems(t *testing.T) {
	item := `{"turnId":"1","type":"chat/delta","partId":"2","content":""},`
	for _, n := range []int{0, 1, manyItems, manyItems + 1, 500} {
		text := "[" + strings.TrimSuffix(strings.Repeat(item, n), ",") + "]"
		d := wire.NewDecoder([]byte(text))
		got := codec.Structs[deltaAction](&d)
		check(t, d.Finish(), nil)
		check(t, len(got), n)
		check(t, cap(got) <= 4*max(n, manyItems), true, n, cap(got))
	}
	d := wire.NewDecoder([]byte(`[` + strings.Repeat(item, manyItems) + strings.TrimSuffix(item, ",") + "]" + strings.Repeat(" ", 1<<16)))
	got := codec.Structs[deltaAction](&d)
	check(t, len(got), manyItems+1)
	check(t, cap(got) <= 5*manyItems, true, cap(got))
}

// TestWhiteSpaceEndsAtAnythingElse puts every byte behind and among white space of any length.
func TestWhiteSpaceEndsAtAnythingElse(t *testing.T) {
	for n := range 20 {
		for c := range 256 {
			for _, tail := range []string{"", "x", " \t\n\r 0123456789"} {
				text := []byte(strings.Repeat("\n\t \r", 5)[:n] + string([]byte{byte(c)}) + tail)
				want := 0
				for want < len(text) && strings.IndexByte(" \n\t\r", text[want]) >= 0 {
					want++
				}
				if got := wire.SkipSpace(text, 0); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
		}
	}
}

// TestMemoryThatIsNotClearedIsNotSeen decodes texts of all lengths into pieces of memory that others have left.
func TestMemoryThatIsNotClearedIsNotSeen(t *testing.T) {
	want := []string{}
	for n := range 400 {
		want = append(want, strings.Repeat(string(rune('a'+n%26)), n%130))
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		dirty := wire.Uncleared(wire.MaxArena)
		for i := range dirty {
			dirty[i] = '!'
		}
		d := wire.NewDecoder(data)
		check(t, codec.Strs(&d), want)
		check(t, d.Finish(), nil)
	}
	for _, n := range []int{1, wire.MinUncleared, wire.MaxArena} {
		check(t, len(wire.Uncleared(n)), n)
	}
}

// manyItems is how many items a list has to have before room is made for those that follow.
const manyItems = 16
