// Package meta reads and changes metadata, including W3C trace context. The given maps are not modified.
package meta

import (
	"encoding/json"
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// TraceContext is a W3C trace context with baggage. Empty fields are omitted.
type TraceContext struct {
	Traceparent string
	Tracestate  string
	Baggage     string
}

// fields pairs member names with fields.
func (t *TraceContext) fields() [3]struct {
	name  string
	value *string
} {
	return [3]struct {
		name  string
		value *string
	}{{"traceparent", &t.Traceparent}, {"tracestate", &t.Tracestate}, {"baggage", &t.Baggage}}
}

// Trace returns the trace context in metadata. Members that are not strings are errors.
func Trace(meta map[string]json.RawMessage) (TraceContext, error) {
	var t TraceContext
	for _, f := range t.fields() {
		raw, ok := meta[f.name]
		if !ok {
			continue
		}
		d := wire.NewDecoder(raw)
		*f.value = d.Str()
		if err := d.Finish(); err != nil {
			return TraceContext{}, wire.Within(f.name, err)
		}
	}
	return t, nil
}

// TraceOf is like Trace, but ignores members that are not strings.
func TraceOf(meta map[string]json.RawMessage) TraceContext {
	var t TraceContext
	for _, f := range t.fields() {
		d := wire.NewDecoder(meta[f.name])
		if text := d.Str(); d.Finish() == nil {
			*f.value = text
		}
	}
	return t
}

// Get returns a member of metadata as a type, such as a capability that a peer has stated there:
//
//	limits, ok, err := meta.Get[Limits](capabilities.Meta, "example.com/limits")
//
// It is not ok where there is no such member, or it is null. The value is read as encoding/json does.
func Get[T any](meta map[string]json.RawMessage, name string) (value T, ok bool, err error) {
	raw, there := meta[name]
	if !there || string(raw) == "null" {
		return value, false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		var none T
		return none, true, wire.Within(name, err)
	}
	return value, true, nil
}

// WithTrace returns metadata with the given trace context. meta is not modified.
func WithTrace(meta map[string]json.RawMessage, t TraceContext) map[string]json.RawMessage {
	out := clone(meta)
	for _, f := range t.fields() {
		delete(out, f.name)
		if *f.value != "" {
			out[f.name] = wire.AppendString(nil, *f.value)
		}
	}
	return out
}

// With returns metadata with a member set to a value, or removed if it is nil. Trace context members must be strings.
// meta is not modified.
func With(meta map[string]json.RawMessage, name string, value json.RawMessage) (map[string]json.RawMessage, error) {
	out := clone(meta)
	if value == nil {
		delete(out, name)
		return out, nil
	}
	if _, err := codec.AppendAs(nil, value, codec.RawItem); err != nil {
		return nil, wire.Within(name, err)
	}
	var t TraceContext
	for _, f := range t.fields() {
		if d := wire.NewDecoder(value); f.name == name && d.Kind() != '"' {
			return nil, wire.Within(name, errors.New("want string: it is part of the trace context"))
		}
	}
	out[name] = value
	return out, nil
}

func clone(meta map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(meta)+1)
	for name, value := range meta {
		out[name] = value
	}
	return out
}
