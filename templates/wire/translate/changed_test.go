// Changing: what is converted while an object is read is what converting after the functions gives.

package translate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// changes is a direction in which functions remove, replace and rename members that differ themselves.
var changes = Direction{Types: []Type{
	{},
	{Kind: Struct, Funcs: []Func{func(o *Object, c *Context) error {
		switch o.Text("do") {
		case "take":
			o.Take("child")
		case "replace":
			o.Set("child", json.RawMessage(`{"old":[1,{"a":2}]}`))
		case "same":
			o.Set("child", o.Get("child"))
		case "rename":
			o.Rename("child", "other")
		case "move":
			o.Set("list", o.Take("child"))
		case "add":
			o.SetText("more", "text")
		case "drop":
			c.Drop()
		case "fail":
			return errors.New("as it was asked")
		}
		return nil
	}}, Members: []Member{
		{Name: "child", Type: 2},
		{Name: "gone", Drop: true},
		{Name: "list", Type: 3},
		{Name: "must", Type: 2, Needed: true},
		{Name: "other", To: "another", Type: 2},
	}, Add: []Added{{"added", "0"}}},
	{Kind: Struct, Members: []Member{{Name: "old", To: "new"}, {Name: "self", Type: 1}, {Name: "kind", Type: 4}}},
	{Kind: List, Item: 1},
	{Kind: Struct, Funcs: []Func{func(o *Object, c *Context) error {
		if o.Has("never") {
			c.Drop()
			return nil
		}
		return c.Impossible("a kind")
	}}},
}}

func TestObjectsAreConvertedWhileTheyAreRead(t *testing.T) {
	members := []string{
		`"child":{"old":1}`, `"child": {"new": 1}`, `"child":{"self":{"do":"add","child":{"old":1}}}`, `"child":{"kind":{}}`,
		`"gone":true`, `"list":[{"do":"drop"},{"do":"add"},{"child":{"old":2}}]`, `"list": [ {"do":"fail"} ]`,
		`"must":{"old":1}`, `"other":{"old":3}`, `"added":1`, `"unknown":{"old":1}`, `"\u0063hild":{"old":4}`,
		`"child":{"self":{"must":{"self":{"do":"drop"}}}}`,
	}
	for _, do := range []string{"", "take", "replace", "same", "rename", "move", "add", "drop", "fail"} {
		for i, first := range members {
			for _, second := range append([]string{`"x":0`}, members[i:]...) {
				text := fmt.Sprintf(`{ "do":%q, %s , %s}`, do, first, second)
				require.True(t, json.Valid([]byte(text)), text)
				run := func(f func(*walker, *Type) bool) (string, error) {
					w := &walker{d: &changes, c: &Context{}, in: newCursor([]byte(text)), src: []byte(text)}
					if !f(w, &changes.Types[1]) {
						return "left out", w.err
					}
					out, _ := w.result(&walker{})
					var v any
					require.NoError(t, json.Unmarshal(out, &v), "%s from %s", out, text)
					plain, err := json.Marshal(v)
					require.NoError(t, err)
					return string(plain), w.err
				}
				want, failed := run((*walker).slowly)
				got, err := run((*walker).changed)
				require.Equal(t, failed, err, text)
				if err == nil {
					require.Equal(t, want, got, text)
				}
			}
		}
	}
}

// TestNestedFailuresAreMetOnce: each level of this one would double the work if all of them were tried twice.
func TestNestedFailuresAreMetOnce(t *testing.T) {
	const levels = 100
	for _, inner := range []string{`{"do":"fail"}`, `{"do":"","must":{"kind":{"never":1}}}`, `{"do":"drop"}`} {
		text := strings.Repeat(`{"do":"add","must":{"self":`, levels) + inner + strings.Repeat(`}}`, levels)
		calls := 0
		counted := changes
		counted.Types = slices.Clone(changes.Types)
		counted.Types[1].Funcs = []Func{func(o *Object, c *Context) error { calls++; return changes.Types[1].Funcs[0](o, c) }}
		_, _ = counted.one(1, json.RawMessage(text), &Context{})
		require.Positive(t, calls)
		require.LessOrEqual(t, calls, 2*(levels+1))
	}
}

func TestManyMembersTakeNoLongerEach(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"do":"add"`)
	for i := range 200_000 {
		fmt.Fprintf(&b, `,"m%d":%d`, i, i)
	}
	b.WriteString(`,"m7":"again"}`)
	out, err := changes.one(1, json.RawMessage(b.String()), &Context{})
	require.NoError(t, err)
	o, err := Parse(out)
	require.NoError(t, err)
	require.Equal(t, `"again"`, string(o.Get("m7")))
	require.Len(t, o.Names(), 200_003)
}

func TestMembersThatComeTwiceKeepTheirPlaceAndTheLastValue(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 500} {
		var text, want []string
		for i := range n {
			text = append(text, fmt.Sprintf(`"m%d":0`, i))
			want = append(want, fmt.Sprintf(`"m%d":%d`, i, i))
		}
		for i := range n {
			text = append(text, fmt.Sprintf(`"m%d":1`, i), fmt.Sprintf(`"m%d":%d`, i, i))
		}
		o, err := Parse([]byte("{" + strings.Join(text, ",") + "}"))
		require.NoError(t, err)
		var got []string
		for _, m := range o.members {
			got = append(got, strconv.Quote(string(m.name))+":"+string(m.value))
		}
		require.Equal(t, want, got)
	}
}
