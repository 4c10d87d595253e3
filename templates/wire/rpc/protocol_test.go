// A small protocol to test with: what generation tells this package of one.

package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

type method string

const (
	methodOpen method = "open"
	methodNote method = "note" // a notification
	methodGrow method = "grow" // since 0.3.0
)

// small is the table of the protocol.
var small = Table{
	Known: func(name []byte) (string, bool) {
		switch m := method(name); m {
		case methodOpen, methodNote, methodGrow:
			return string(m), true
		}
		return "", false
	},
	Notification: func(d *wire.Decoder, name string) wire.Appender {
		if method(name) != methodNote {
			return nil
		}
		v := new(noteParams)
		v.DecodeJSON(d)
		return v
	},
	Since: func(name string) (string, bool) {
		switch method(name) {
		case methodOpen, methodNote:
			return "0.1.0", true
		case methodGrow:
			return "0.3.0", true
		}
		return "", false
	},
	Extension:    "_",
	PassThroughs: []PassThrough{{"channel", "raw://"}},
}

// noteParams is {"text": string}.
type noteParams struct{ text string }

func (v *noteParams) DecodeJSON(d *wire.Decoder) {
	seen := false
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) == "text" {
			v.text, seen = d.Str(), true
			continue
		}
		d.Skip()
	}
	if !seen {
		d.Missing("text")
	}
}

func (v *noteParams) AppendJSON(dst []byte) ([]byte, error) {
	if v == nil {
		return dst, errNil
	}
	return append(wire.AppendString(append(dst, `{"text":`...), v.text), '}'), nil
}

func readNote(d *wire.Decoder) *noteParams { return codec.New[noteParams](d) }

func decodeNote(data []byte) (*noteParams, error) { return wire.Decode[noteParams](data) }

// busy is the code of an error of the protocol, and busyData the data of it.
const busy Code = -32001

type busyData struct{ noteParams }

func (v *busyData) Error() string                   { return "busy" }
func (v *busyData) RPCCode() int64                  { return int64(busy) }
func (v *busyData) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, v) }

// handlers are what generation makes of the protocol for one side.
type handlers struct {
	open    func(context.Context, *noteParams) (*noteParams, error)
	note    func(context.Context, *noteParams)
	grow    func(context.Context) error
	dropped func(method string, err error)
}

func (h *handlers) DecodeRPC(data []byte) (Message, error) { return Decode(data, &small) }

func (h *handlers) ServeRPC(ctx context.Context, m *Message) (json.RawMessage, error) {
	hooks := Hooks{Dropped: func(_ context.Context, method string, _ json.RawMessage, err error) {
		if h.dropped != nil {
			h.dropped(method, err)
		}
	}}
	return hooks.Serve(ctx, m, func(ctx context.Context, m *Message) (json.RawMessage, error) {
		switch method(m.Method) {
		case methodOpen:
			return Handle(ctx, m, h.open, decodeNote)
		case methodNote:
			return Take(ctx, m, h.note, decodeNote)
		case methodGrow:
			return HandleBareNull(ctx, m, h.grow)
		}
		return hooks.ServeOther(ctx, m, &small)
	})
}

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

// text returns the text of an error, or "".
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

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

// TestAResultMayBeNull answers with nothing, where that is an answer and where it is not.
func TestAResultMayBeNull(t *testing.T) {
	nobody := func(context.Context, *noteParams) (*noteParams, error) { return nil, nil }
	m := &Message{Kind: Request, Method: "open", Params: raw(`{"text":"a"}`)}
	result, err := Handle(t.Context(), m, OrNull(nobody), decodeNote)
	check(t, string(result), "null")
	check(t, err, nil)
	_, err = Handle(t.Context(), m, nobody, decodeNote)
	check(t, text(err), "result: missing: the value is nil (-32603)")
	result, err = Handle(t.Context(), m, OrNull(func(_ context.Context, p *noteParams) (*noteParams, error) { return p, nil }), decodeNote)
	check(t, string(result), `{"text":"a"}`)
	check(t, err, nil)
	_, err = Handle(t.Context(), m, OrNull(func(context.Context, *noteParams) (*noteParams, error) { return nil, busy }), decodeNote)
	check(t, errors.Is(err, busy), true)
	_, err = Handle(t.Context(), m, OrNull[*noteParams, *noteParams](nil), decodeNote)
	check(t, errors.Is(err, MethodNotFound), true)
	result, err = HandleBare(t.Context(), m, OrNullBare(func(context.Context) (*noteParams, error) { return nil, nil }))
	check(t, string(result), "null")
	check(t, err, nil)
	_, err = HandleBare(t.Context(), m, OrNullBare[*noteParams](nil))
	check(t, errors.Is(err, MethodNotFound), true)

	for text, want := range map[string]string{"null": "", " null\n": "", `{"text":"a"}`: "a", "nul": "want object, got null", "nulll": "want object, got null", "": "unexpected end", "{}": "text: missing"} {
		got, err := codec.NullOr(decodeNote)([]byte(text))
		switch {
		case err != nil:
			check(t, strings.Contains(err.Error(), want) && want != "", true, text, err)
		case got == nil:
			check(t, want, "", text)
		default:
			check(t, got.text, want, text)
		}
	}
}
