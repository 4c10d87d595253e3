// Readings: accessors that return a field's default or parsed value.

package emit

import (
	"encoding/json"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// reading is a method that returns what a field stands for.
type reading struct {
	Doc           []string
	Name          gotext.Code
	Result, Value gotext.Code
}

// Reading returns the method that parses a field.
func (v view) Reading(f *golang.Field) *reading {
	out := &reading{Name: gotext.Code(f.ReadingName)}
	about := func(text string) {
		out.Doc = comment(strings.NewReplacer("{name}", f.ReadingName, "{field}", f.Name).Replace(text))
	}
	unit := gotext.Code("time.Millisecond")
	if f.Reading == protocol.Seconds || f.Reading == protocol.SecondsSince1970 {
		unit = "time.Second"
	}
	const time = "{name} returns the time that {field} stands for, the zero time where it is left out."
	switch f.Reading {
	case protocol.Base64:
		about("{name} returns the bytes that {field} stands for, none where it is left out.")
		out.Result, out.Value = "([]byte, error)", "codec.Base64("+textOf(f)+")"
	case protocol.DateTime:
		about(time)
		out.Result, out.Value = "(time.Time, error)", "codec.Time("+textOf(f)+")"
	case protocol.Milliseconds, protocol.Seconds:
		about("{name} returns how long {field} says, 0 where it is left out.")
		out.Result, out.Value = "time.Duration", "codec.Span("+pointerTo(f)+", "+unit+")"
	case protocol.MillisecondsSince1970, protocol.SecondsSince1970:
		about(time)
		out.Result, out.Value = "time.Time", "codec.Moment("+pointerTo(f)+", "+unit+")"
	default:
		return nil
	}
	return out
}

// Wrapped returns the lines of a comment.
func (v view) Wrapped(text string) []string { return comment(text) }

// pointerTo returns a pointer to a field's value, which is nil if absent.
func pointerTo(f *golang.Field) gotext.Code {
	v := gotext.Code("v." + f.Name)
	switch {
	case f.Presence == golang.Maybe:
		return "codec.Present(" + v + ")"
	case f.Pointer:
		return v
	}
	return "&" + v
}

// textOf returns the text of a field, which is "" if absent.
func textOf(f *golang.Field) gotext.Code {
	v := gotext.Code("v." + f.Name)
	switch {
	case f.Presence == golang.Maybe:
		return "codec.OrZero(" + v + ")"
	case f.Pointer:
		return "codec.Or(" + v + `, "")`
	}
	return v
}

// OrDefault returns the value of a field or its default.
func (v view) OrDefault(f *golang.Field) gotext.Code {
	at, stated := gotext.Code("v."+f.Name), gotext.Code(gotext.RawLiteral(f.Default))
	pointer := f.Pointer
	switch t := golang.Underlying(f.Type).(type) {
	case golang.Basic, golang.EnumType:
		_, isEnum := t.(golang.EnumType)
		if value := constant(f.Default); value != "" && (f.Pointer || isEnum) {
			return "codec.Or(" + at + ", " + value + ")"
		}
	case golang.CustomType:
		pointer = true
	case golang.StructType:
		return "codec.OrStruct(" + at + ", " + stated + ")"
	default:
		pointer = false
	}
	if pointer {
		return "codec.OrDecoded(" + at + ", " + stated + ", " + v.ReadFunc(f.Type) + ")"
	}
	return "codec.OrRead(" + at + " != nil, " + at + ", " + stated + ", " + v.ReadFunc(f.Type) + ")"
}

// constant returns a default as a Go constant, or "" if it is none. A number is converted to the type and range of its field.
func constant(stated string) gotext.Code {
	var v any
	d := json.NewDecoder(strings.NewReader(stated))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return gotext.Code(gotext.Literal(v))
	case bool:
		return gotext.Code(map[bool]string{true: "true", false: "false"}[v])
	}
	return ""
}
