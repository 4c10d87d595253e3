// Metadata: data beyond the protocol, and the trace context in it.

package runtime

import (
	"encoding/json"
	"fmt"
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

// GetTraceContext returns the trace context in metadata. A member that is no string is an error.
func GetTraceContext(meta map[string]json.RawMessage) (TraceContext, error) {
	var t TraceContext
	for _, f := range t.fields() {
		raw, ok := meta[f.name]
		if !ok {
			continue
		}
		d := newDecoder(raw)
		*f.value = d.string()
		if err := d.finish(); err != nil {
			return TraceContext{}, atMember(f.name, err)
		}
	}
	return t, nil
}

// WithTraceContext returns metadata with the trace context put in place of what it had of one. Other
// members are as they were, and meta itself is not changed.
func WithTraceContext(meta map[string]json.RawMessage, t TraceContext) map[string]json.RawMessage {
	out := copyMeta(meta)
	for _, f := range t.fields() {
		delete(out, f.name)
		if *f.value != "" {
			out[f.name] = appendString(nil, *f.value)
		}
	}
	return out
}

// WithMeta returns metadata with one more member, or another value for it; nil takes it away. The
// members of the trace context are strings, and anything else for them is an error. meta itself is not
// changed.
func WithMeta(meta map[string]json.RawMessage, name string, value json.RawMessage) (map[string]json.RawMessage, error) {
	out := copyMeta(meta)
	if value == nil {
		delete(out, name)
		return out, nil
	}
	if _, err := appendRaw(nil, value); err != nil {
		return nil, atMember(name, err)
	}
	var t TraceContext
	for _, f := range t.fields() {
		if d := newDecoder(value); f.name == name && d.kind() != '"' {
			return nil, atMember(name, fmt.Errorf("want string: it is part of the trace context"))
		}
	}
	out[name] = value
	return out, nil
}

func copyMeta(meta map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(meta)+1)
	for name, value := range meta {
		out[name] = value
	}
	return out
}
