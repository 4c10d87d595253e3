package runtime

import (
	"encoding/json"
	"testing"
)

type metadata = map[string]json.RawMessage

func TestTraceContextIsThreeStrings(t *testing.T) {
	meta := metadata{"vendor.x": raw(`{"n":9007199254740993}`), "tracestate": raw(`"old"`), "nothing": raw(`null`)}
	want := TraceContext{Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Baggage: `user="ä"`}
	got := WithTraceContext(meta, want)
	check(t, got, metadata{
		"vendor.x": raw(`{"n":9007199254740993}`), "nothing": raw(`null`),
		"traceparent": raw(`"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`), "baggage": raw(`"user=\"ä\""`),
	})
	check(t, string(meta["tracestate"]), `"old"`, "the given metadata stays")
	back, err := GetTraceContext(got)
	check(t, err, error(nil))
	check(t, back, want)
	back, err = GetTraceContext(nil)
	check(t, err, error(nil))
	check(t, back, TraceContext{})
	check(t, WithTraceContext(nil, TraceContext{}), metadata{})
}

func TestTraceContextThatIsNoStringIsAnError(t *testing.T) {
	for _, value := range []string{`1`, `null`, `["a"]`, `{}`, `true`, `"a`, ``} {
		_, err := GetTraceContext(metadata{"baggage": raw(value)})
		if err == nil {
			t.Errorf("baggage %s is taken", value)
		}
	}
	_, err := GetTraceContext(metadata{"baggage": raw(`7`)})
	check(t, message(err), "baggage: want string, got number")
}

func TestMetadataIsSet(t *testing.T) {
	meta := metadata{"a": raw(`1`)}
	got, err := WithMeta(meta, "b", raw(`{"n":9007199254740993}`))
	check(t, err, error(nil))
	check(t, got, metadata{"a": raw(`1`), "b": raw(`{"n":9007199254740993}`)})
	check(t, meta, metadata{"a": raw(`1`)}, "the given metadata stays")
	got, err = WithMeta(got, "a", nil)
	check(t, err, error(nil))
	check(t, got, metadata{"b": raw(`{"n":9007199254740993}`)})
	got, err = WithMeta(nil, "traceparent", raw(` "x"`[1:]))
	check(t, err, error(nil))
	check(t, got, metadata{"traceparent": raw(`"x"`)})
	for _, name := range []string{"traceparent", "tracestate", "baggage"} {
		for _, value := range []string{`1`, `null`, `{}`, `["a"]`} {
			_, err := WithMeta(meta, name, raw(value))
			check(t, message(err), name+": want string: it is part of the trace context", value)
		}
	}
	if _, err := WithMeta(meta, "b", raw(`{`)); err == nil {
		t.Error("half a value is taken")
	}
}
