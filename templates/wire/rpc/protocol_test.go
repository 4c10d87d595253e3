// A small protocol to test with: what generation tells this package of one.

package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

type method string

const (
	methodOpen method = "open"
	methodNote method = "note" // a notification
	methodGrow method = "grow" // since 0.3.0
)

// small is the table of the protocol.
var small = spec.Table{
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
	PassThroughs: []spec.PassThrough{{Member: "channel", Start: "raw://"}},
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

func decodeNote(data []byte) (*noteParams, error) { return wire.Decode[noteParams](data) }

// busy is the code of an error of the protocol, and busyData the data of it.
const busy Code = -32001

type busyData struct{ noteParams }

func (v *busyData) Error() string                   { return "busy" }
func (v *busyData) RPCCode() int64                  { return int64(busy) }
func (v *busyData) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, v) }

// handlers are the generated handlers of one side.
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
			if h.open == nil || m.Kind != Request {
				return nil, m.NotFound()
			}
			p, err := decodeNote(m.Params)
			if err != nil {
				return nil, &Error{Code: int64(InvalidParams), Message: err.Error()}
			}
			r, err := h.open(ctx, p)
			return m.Reply(ctx, r, err)
		case methodNote:
			if h.note == nil || m.DecodeError != nil {
				return nil, m.DecodeError
			}
			h.note(ctx, m.Decoded.(*noteParams))
			return nil, nil
		case methodGrow:
			return m.ReplyNull(ctx, h.grow(ctx))
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
