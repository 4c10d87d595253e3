package wire_test

import (
	"errors"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

type hue string

// lamp is {"uri": URI, "hue": hue, "mood"?: hue, "all": [hue], "by": {hue}, "next"?: lamp}.
type lamp struct {
	URI  string
	Hue  hue
	Mood *hue
	All  []hue
	By   map[string]hue
	Next *lamp
}

func (v *lamp) DecodeJSON(d *wire.Decoder) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "uri":
			v.URI = d.Str()
		case "hue":
			v.Hue = hue(d.Str())
		case "mood":
			v.Mood = codec.OptText[hue](d)
		case "all":
			v.All = codec.List(d, codec.Text[hue])
		case "by":
			v.By = codec.Map(d, codec.Text[hue])
		case "next":
			v.Next = codec.OptStruct[lamp](d)
		}
	}
}

func (v *lamp) EncodeJSON(dst []byte, e *wire.Encoder) []byte {
	dst = codec.AppendURI(dst, e, `{"uri":`, v.URI)
	dst = codec.AppendEnum(dst, e, `,"hue":`, string(v.Hue))
	dst = codec.PutEnum(dst, e, `,"mood":`, (*string)(v.Mood))
	dst = codec.AppendList(dst, e, `,"all":`, v.All, codec.EnumItem[hue])
	dst = codec.PutMap(dst, e, `,"by":`, v.By, codec.EnumItem[hue])
	return append(codec.PutStruct(dst, e, `,"next":`, v.Next), '}')
}

func (v *lamp) AppendJSON(b []byte) ([]byte, error) { return wire.Append(b, v) }

func TestWhatThisSideSendsHasItsValues(t *testing.T) {
	const whole = `{"uri":"a:","hue":"red","mood":"calm","all":["red"],"by":{"x":"red"},"next":{"uri":"b:","hue":"off","all":[]}}`
	for _, c := range []struct{ text, err string }{
		{whole, ""},
		{`{"uri":"a:","hue":"red","all":[]}`, ""},
		{`{"uri":"","hue":"red","all":[]}`, "uri: missing: the URI is empty"},
		{`{"uri":"a:","hue":"","all":[]}`, "hue: missing: the enum has no value"},
		{`{"uri":"a:","hue":"red","mood":"","all":[]}`, "mood: missing: the enum has no value"},
		{`{"uri":"a:","hue":"red","all":["red",""]}`, "all[1]: missing: the enum has no value"},
		{`{"uri":"a:","hue":"red","all":[],"by":{"x":"red","y":""}}`, "by: y: missing: the enum has no value"},
		{`{"uri":"a:","hue":"red","all":[],"next":{"uri":"b:","hue":"","all":[""]}}`, "next: hue: missing: the enum has no value"},
	} {
		v, err := wire.Decode[lamp]([]byte(c.text))
		check(t, err, nil)
		passed, err := v.AppendJSON(nil)
		check(t, err, nil, "handed on: "+c.text)
		check(t, string(passed), c.text)
		for _, dst := range [][]byte{nil, []byte("before ")} {
			sent, err := wire.AppendValid(dst, v)
			if c.err == "" {
				check(t, err, nil)
				check(t, string(sent), string(dst)+c.text)
				check(t, wire.Validate(v), nil)
				continue
			}
			check(t, err.Error(), c.err)
			check(t, errors.As(err, new(*wire.EncodeError)), true)
			check(t, string(sent), string(dst), "nothing of it is there")
			check(t, wire.Validate(v).Error(), c.err)
		}
	}
	_, err := wire.AppendValid(nil, (*lamp)(nil))
	check(t, err.Error(), "missing: the value is nil")
	sent, err := wire.AppendValid(nil, appender(`"as it is"`))
	check(t, err, nil)
	check(t, string(sent), `"as it is"`)
}

// appender is something that encodes itself in its own way.
type appender string

func (a appender) AppendJSON(dst []byte) ([]byte, error) { return append(dst, a...), nil }
