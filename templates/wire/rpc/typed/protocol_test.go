// A small protocol to test with: what generation tells this package of one.

package typed

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
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

func readNote(d *wire.Decoder) *noteParams { return codec.New[noteParams](d) }

func decodeNote(data []byte) (*noteParams, error) { return wire.Decode[noteParams](data) }

// busy is the code of an error of the protocol, and busyData the data of it.
const busy rpc.Code = -32001

type busyData struct{ noteParams }

func (v *busyData) Error() string                   { return "busy" }
func (v *busyData) RPCCode() int64                  { return int64(busy) }
func (v *busyData) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, v) }

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
