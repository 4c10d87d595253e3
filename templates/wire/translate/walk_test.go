// Walking: what is dropped, renamed, added, and what is left as it is.

package translate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// example is a direction with a type of each kind.
var example = Direction{
	Types: []Type{
		{},
		{Kind: Struct, Channel: "channel", Members: []Member{
			{Name: "action", Type: 2, Needed: true}, {Name: "gone", Drop: true}, {Name: "old", To: "new"}, {Name: "list", Type: 3}, {Name: "map", Type: 4},
			{Name: "shape", Type: 6}, {Name: "mixed", Type: 7}, {Name: "word", Type: 8},
		}, Add: []Added{{"must", "0"}}},
		{Kind: Tagged, Tag: "type", Variants: []Variant{{Tag: `"a"`, Type: 5}, {Tag: `"gone"`, Drop: true}}},
		{Kind: List, Item: 2},
		{Kind: Map, Item: 2},
		{Kind: Struct, Funcs: []Func{func(o *Object, c *Context) error {
			if o.Has("never") {
				c.Drop()
			}
			if o.Has("twice") {
				c.Instead(o, o)
			}
			if first := o.Object("first"); first != nil {
				o.Take("first")
				c.Before(first)
			}
			if c.Resent() {
				o.Set("resent", json.RawMessage("true"))
			}
			if v := o.Take("x"); v != nil {
				o.Set("y", v)
			}
			o.SetText("channel", c.Channel)
			return nil
		}}, Members: []Member{{Name: "extra", Drop: true}}},
		{Kind: Shaped, Variants: []Variant{{Has: []string{"p", "q"}, Type: 5}, {Has: []string{"p"}, Drop: true}}},
		{Kind: Mixed, Variants: []Variant{{Tag: `"`, Type: 8}, {Tag: "0", Drop: true}}},
		{Kind: Text, Values: []Value{{"new", "old"}}},
	},
	Methods: []Method{{Name: "m", Params: 1, Result: 3}},
	Action:  "action", Sequence: "n", Origin: "from",
}

func TestValuesAreConverted(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nothing differs":              {`{"must":1, "other": [ 1 ]}`, `{"must":1, "other": [ 1 ]}`},
		"the first is dropped":         {`{ "gone" : 1 , "must":1}`, `{"must":1}`},
		"one between is dropped":       {`{"must":1,"gone":2,"z":3}`, `{"must":1,"z":3}`},
		"the last is dropped":          {`{"must":1 , "gone":2 }`, `{"must":1 }`},
		"all are dropped":              {`{"gone":2 }`, `{ "must":0}`},
		"twice":                        {`{"gone":2,"gone":3,"must":1,"gone":4,"must":2,"gone":5}`, `{"must":1,"must":2}`},
		"a name":                       {`{"old" : 1,"must":1}`, `{"new":1,"must":1}`},
		"a name with an escape":        {`{"\u006fld":1,"must":1}`, `{"new":1,"must":1}`},
		"what must be there":           {`{}`, `{"must":0}`},
		"what must be there, behind":   {`{"a":1}`, `{"a":1,"must":0}`},
		"items":                        {`{"must":1,"list":[{"type":"gone"},{"type":"b"},{"type":"gone"}]}`, `{"must":1,"list":[{"type":"b"}]}`},
		"all items":                    {`{"must":1,"list":[{"type":"gone"} , {"type":"gone"}]}`, `{"must":1,"list":[]}`},
		"entries":                      {`{"must":1,"map":{"k":{"type":"gone"},"l":{"type":"b"}}}`, `{"must":1,"map":{"l":{"type":"b"}}}`},
		"a function":                   {`{"channel":"c","must":1,"action":{"type":"a","x":1,"extra":2}}`, `{"channel":"c","must":1,"action":{"type":"a","y":1,"channel":"c"}}`},
		"a tag with an escape":         {`{"channel":"c","must":1,"action":{"x":1,"type":"\u0061"}}`, `{"channel":"c","must":1,"action":{"type":"\u0061","y":1,"channel":"c"}}`},
		"members":                      {`{"must":1,"shape":{"p":1,"q":2}}`, `{"must":1,"shape":{"p":1,"q":2,"channel":""}}`},
		"fewer members":                {`{"must":1,"shape":{"p":1}}`, `{"must":1}`},
		"other members":                {`{"must":1,"shape":{"z":1}}`, `{"must":1,"shape":{"z":1}}`},
		"a text among others":          {`{"must":1,"mixed":"new"}`, `{"must":1,"mixed":"old"}`},
		"a number among others":        {`{"mixed":1,"must":1}`, `{"must":1}`},
		"a word":                       {`{"must":1,"word":"new"}`, `{"must":1,"word":"old"}`},
		"another word":                 {`{"must":1,"word":"mine"}`, `{"must":1,"word":"mine"}`},
		"another JSON type":            {`{"must":1,"list":{"a":1},"map":[1],"action":3,"word":null}`, `{"must":1,"list":{"a":1},"map":[1],"action":3,"word":null}`},
		"another JSON type at the top": {`[1]`, `[1]`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := example.one(1, json.RawMessage(c.in), &Context{})
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

// TestTagsAndAlternatives converts unions that are told apart in other ways than by a tag that is always there.
func TestTagsAndAlternatives(t *testing.T) {
	mark := func(o *Object, _ *Context) error { o.SetText("by", "function"); return nil }
	d := Direction{Types: []Type{
		{},
		{Kind: Struct, Members: []Member{{Name: "x", To: "y"}}, Add: []Added{{"y", "0"}}},
		{Kind: Tagged, Tag: "t", Variants: []Variant{{Tag: "", Type: 1}, {Tag: `"a"`}, {Tag: AnyTag, Drop: true}}},
		{Kind: Tagged, Tag: "t", Funcs: []Func{mark}, Variants: []Variant{{Tag: `"a"`, Type: 1}}},
		{Kind: List, Item: 2},
	}}
	for _, c := range []struct {
		n        Number
		in, want string
	}{
		{4, `[{"x":1},{"t":null},{"t":"a","x":1},{"t":"b"}]`, `[{"y":1},{"t":null,"y":0},{"t":"a","x":1}]`},
		{3, `{"t":"a","x":1}`, `{"t":"a","y":1,"by":"function"}`},
		{3, `{"t":"b"}`, `{"t":"b","by":"function"}`},
	} {
		got, err := d.one(c.n, json.RawMessage(c.in), &Context{})
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
}

func TestAMessageWithoutItsActionIsLeftOut(t *testing.T) {
	for _, in := range []string{`{"a":1,"action":{"type":"gone"},"b":2}`, `{"action":{"type":"a","never":1}}`} {
		got, err := example.Params("m", json.RawMessage(in), &Context{})
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

func TestAnActionBecomesSeveral(t *testing.T) {
	in := json.RawMessage(`{"n":9,"from":1,"action":{"type":"a","twice":1}}`)
	got, err := example.Params("m", in, &Context{})
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.JSONEq(t, `{"n":8,"action":{"type":"a","twice":1}}`, string(got[0]))
	require.JSONEq(t, string(in), string(got[1]))
	_, err = example.Result("m", json.RawMessage(`[{"type":"a","twice":1}]`), &Context{})
	require.ErrorIs(t, err, ErrNeedsState)
}

// TestAnActionComesAfterOthers: these are converted too, and the last message has the number and the sender.
func TestAnActionComesAfterOthers(t *testing.T) {
	in := json.RawMessage(`{"n":9,"from":1,"channel":"c","must":1,"action":{"type":"a","x":1,"first":{"type":"a","x":2}}}`)
	got, err := example.Params("m", in, &Context{})
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.JSONEq(t, `{"n":8,"channel":"c","must":1,"action":{"type":"a","y":2,"resent":true,"channel":"c"}}`, string(got[0]))
	require.JSONEq(t, `{"n":9,"from":1,"channel":"c","must":1,"action":{"type":"a","y":1,"channel":"c"}}`, string(got[1]))
	_, err = example.Result("m", json.RawMessage(`[{"type":"a","first":{"type":"a"}}]`), &Context{})
	require.ErrorIs(t, err, ErrNeedsState)
	_, err = example.Params("m", json.RawMessage(`{"action":{"type":"a","first":{"type":"a","first":{"type":"a"}}}}`), &Context{})
	require.ErrorIs(t, err, ErrImpossible)
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"must":1,"list":[{"type":"gone"},{"type":"b"}],"gone":2,"map":{"k":{"type":"gone"}}}`))
	f.Add([]byte(`{"gone":1,"old":2,"shape":{"p":1,"q":2},"mixed":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = example.one(1, data, &Context{valid: true}) // ends, whatever the text is
		got, err := example.one(1, data, &Context{})
		if !json.Valid(data) {
			require.Error(t, err)
			return
		}
		if err == nil && got != nil {
			require.True(t, json.Valid(got), "%s", got)
		}
	})
}
