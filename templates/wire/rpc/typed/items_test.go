package typed

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// board is {"notes": [note], "tags": [string], "inner": {"notes": [note]}}.
type board struct {
	notes []noteParams
	tags  []string
	inner *board
}

func (v *board) DecodeJSON(d *wire.Decoder) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "notes":
			v.notes = codec.Structs[noteParams](d)
		case "tags":
			v.tags = codec.Strs(d)
		case "inner":
			v.inner = codec.OptStruct[board](d)
		}
	}
}

func (v *board) AppendJSON(dst []byte) ([]byte, error) { return append(dst, "{}"...), nil }

func (v *board) texts() string {
	var out []string
	for _, n := range v.notes {
		out = append(out, n.text)
	}
	return strings.Join(append(out, v.tags...), " ")
}

func callBoard(result string) (*board, error) {
	link := NewLink(&script{result: raw(result)}, &small)
	return Call(context.Background(), link, methodOpen, &noteParams{"a"}, codec.New[board])
}

func TestAResultComesWithoutItsBadItems(t *testing.T) {
	for _, c := range []struct{ name, result, texts, paths, raw, err string }{
		{"first", `{"notes":[ {"text":1} , {"text":"b"}]}`, "b", "notes[0]", `{"text":1}`,
			"without an item that cannot be decoded: notes[0]: text: want string, got number"},
		{"last", `{"notes":[{"text":"a"},{}],"tags":["t"]}`, "a t", "notes[1]", `{}`, "without an item that cannot be decoded: notes[1]: text: missing"},
		{"only one", `{"notes":[7]}`, "", "notes[0]", `7`, "without an item that cannot be decoded: notes[0]: want object, got number"},
		{"several, in several lists", `{"notes":[null,{"text":"a"},{"text":2},{"text":"b"},[]],"tags":[0,"t",{"x":["]"]}]}`, "a b t",
			"notes[0] notes[2] notes[4] tags[0] tags[2]", `null {"text":2} [] 0 {"x":["]"]}`,
			"without 5 items that cannot be decoded: notes[0]: want object, got null"},
	} {
		got, err := callBoard(c.result)
		var bad *rpc.ItemsError
		if got == nil || !errors.As(err, &bad) {
			t.Fatalf("%s: %v, %v", c.name, got, err)
		}
		check(t, got.texts(), c.texts, c.name)
		check(t, text(err), "open: result: "+c.err, c.name)
		var paths, raws []string
		for _, item := range bad.Items {
			paths, raws = append(paths, item.Path), append(raws, string(item.Raw))
			var at *wire.DecodeError
			check(t, errors.As(item.Err, &at), true, c.name)
		}
		check(t, strings.Join(paths, " "), c.paths, c.name)
		check(t, strings.Join(raws, " "), c.raw, c.name)
	}
}

func TestAResultIsRefusedWhereMoreThanItemsIsWrong(t *testing.T) {
	for _, c := range []struct{ name, result, err string }{
		{"a list further down", `{"inner":{"notes":[{}]}}`, "inner: notes[0]: text: missing"},
		{"no list", `{"notes":{}}`, "notes: want array, got object"},
		{"an item, and something else", `{"notes":[{}],"inner":7}`, "notes[0]: text: missing"},
		{"not JSON", `{"notes":[{"text":x}]}`, "notes[0]: text: want string, got something"},
		{"too many items", `{"notes":[{}` + strings.Repeat(`,{}`, maxBadItems) + `]}`, "notes[0]: text: missing"},
	} {
		got, err := callBoard(c.result)
		check(t, got, (*board)(nil), c.name)
		check(t, errors.As(err, new(*rpc.ItemsError)), false, c.name)
		if c.name != "not JSON" {
			check(t, text(err), "open: result: "+c.err, c.name)
		}
	}
	got, err := callBoard(`{"notes":[{}` + strings.Repeat(`,{}`, maxBadItems-1) + `]}`)
	check(t, got != nil && err != nil, true, "as many as there may be")
}

// TestBadItemsCostLittle compares the bytes that are allocated for a result without items with those for one that is accepted.
func TestBadItemsCostLittle(t *testing.T) {
	const items, size = 10_000, 100
	good := `{"text":"` + strings.Repeat("a", size) + `"}`
	bad := `{"text":[` + strings.Repeat("1", size) + `]}`
	result := func(wrong int, first bool) string {
		list := make([]string, items)
		for i := range list {
			list[i] = good
			if at := i * maxBadItems / items; first && i < wrong || !first && wrong > 0 && i == at*items/maxBadItems+items/maxBadItems-1 {
				list[i] = bad
			}
		}
		return `{"notes":[` + strings.Join(list, ",") + `]}`
	}
	cost := func(text string) (bytes, bad int) {
		var before, after runtime.MemStats
		raw := []byte(text)
		runtime.ReadMemStats(&before)
		v, err := decodeResult("open", raw, codec.New[board])
		runtime.ReadMemStats(&after)
		check(t, v != nil, true, err)
		var without *rpc.ItemsError
		if errors.As(err, &without) {
			bad = len(without.Items)
		}
		check(t, len(v.notes)+bad, items)
		return int(after.TotalAlloc - before.TotalAlloc), bad
	}
	accepted, none := cost(result(0, false))
	check(t, none, 0)
	for _, first := range []bool{true, false} {
		got, bad := cost(result(maxBadItems, first))
		check(t, bad, maxBadItems)
		if got > 2*accepted+1<<17 {
			t.Errorf("%d bytes are allocated for a result without %d items, and %d for one that is accepted", got, bad, accepted)
		}
	}
}
