// Package meta reads and changes metadata: data beyond the protocol that its types carry along, and the
// trace context of W3C in it. Nothing here changes the map that it is given.
package meta

import (
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// TraceContext is what W3C Trace Context and Baggage pass from one process to the next. A field that is
// empty is left out.
type TraceContext struct {
	Traceparent string
	Tracestate  string
	Baggage     string
}

// fields pairs each member with its value.
func (t *TraceContext) fields() [3]struct {
	name  string
	value *string
} {
	return [3]struct {
		name  string
		value *string
	}{{"traceparent", &t.Traceparent}, {"tracestate", &t.Tracestate}, {"baggage", &t.Baggage}}
}

// Trace returns the trace context in metadata. A member that is no string is an error.
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

// WithTrace returns metadata with the trace context put in place of what it had of one. Other
// members are as they were, and meta itself is not changed.
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

// With returns metadata with one more member, or another value for it; nil takes it away. The
// members of the trace context are strings, and anything else for them is an error. meta itself is not
// changed.
func With(meta map[string]json.RawMessage, name string, value json.RawMessage) (map[string]json.RawMessage, error) {
	out := clone(meta)
	if value == nil {
		delete(out, name)
		return out, nil
	}
	if _, err := wire.AppendAs(nil, value, wire.RawItem); err != nil {
		return nil, wire.Within(name, err)
	}
	var t TraceContext
	for _, f := range t.fields() {
		if d := wire.NewDecoder(value); f.name == name && d.Kind() != '"' {
			return nil, wire.Within(name, fmt.Errorf("want string: it is part of the trace context"))
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
