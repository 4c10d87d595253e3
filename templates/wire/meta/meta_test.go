package meta

import (
	"encoding/json"
	"reflect"
	"testing"
)

type metadata = map[string]json.RawMessage

func TestTraceContextIsThreeStrings(t *testing.T) {
	meta := metadata{"vendor.x": raw(`{"n":9007199254740993}`), "tracestate": raw(`"old"`), "nothing": raw(`null`)}
	want := TraceContext{Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Baggage: `user="ä"`}
	got := WithTrace(meta, want)
	check(t, got, metadata{
		"vendor.x": raw(`{"n":9007199254740993}`), "nothing": raw(`null`),
		"traceparent": raw(`"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`), "baggage": raw(`"user=\"ä\""`),
	})
	check(t, string(meta["tracestate"]), `"old"`, "the given metadata stays")
	back, err := Trace(got)
	check(t, err, error(nil))
	check(t, back, want)
	back, err = Trace(nil)
	check(t, err, error(nil))
	check(t, back, TraceContext{})
	check(t, WithTrace(nil, TraceContext{}), metadata{})
}

func TestTraceContextThatIsNoStringIsAnError(t *testing.T) {
	for _, value := range []string{`1`, `null`, `["a"]`, `{}`, `true`, `"a`, ``} {
		_, err := Trace(metadata{"baggage": raw(value)})
		if err == nil {
			t.Errorf("baggage %s is taken", value)
		}
	}
	_, err := Trace(metadata{"baggage": raw(`7`)})
	check(t, text(err), "baggage: want string, got number")
}

func TestReadersMayPassOverWhatIsNoString(t *testing.T) {
	got := TraceOf(metadata{"traceparent": raw(`1`), "tracestate": raw(`"a=b"`), "baggage": raw(`null`), "other": raw(`"x"`)})
	check(t, got, TraceContext{Tracestate: "a=b"})
	check(t, TraceOf(metadata{"traceparent": raw(`"a" "b"`), "tracestate": raw(`"a`), "baggage": raw(``)}), TraceContext{})
	check(t, TraceOf(nil), TraceContext{})
}

func TestMembersAreReadAsATypeThatOneAsksFor(t *testing.T) {
	type limits struct{ Max int }
	meta := metadata{"example.com/limits": raw(`{"max": 3}`), "none": raw(`null`), "flag": raw(`true`)}
	for _, c := range []struct {
		name string
		want limits
		ok   bool
		err  string
	}{
		{"example.com/limits", limits{3}, true, ""},
		{"none", limits{}, false, ""},
		{"absent", limits{}, false, ""},
		{"flag", limits{}, true, "flag: json: cannot unmarshal bool into Go value of type meta.limits"},
	} {
		got, ok, err := Get[limits](meta, c.name)
		check(t, got, c.want, c.name)
		check(t, ok, c.ok, c.name)
		check(t, text(err), c.err, c.name)
	}
	flag, ok, err := Get[bool](meta, "flag")
	check(t, flag && ok, true)
	check(t, err, error(nil))
}

func TestMetadataIsSet(t *testing.T) {
	meta := metadata{"a": raw(`1`)}
	got, err := With(meta, "b", raw(`{"n":9007199254740993}`))
	check(t, err, error(nil))
	check(t, got, metadata{"a": raw(`1`), "b": raw(`{"n":9007199254740993}`)})
	check(t, meta, metadata{"a": raw(`1`)}, "the given metadata stays")
	got, err = With(got, "a", nil)
	check(t, err, error(nil))
	check(t, got, metadata{"b": raw(`{"n":9007199254740993}`)})
	got, err = With(nil, "traceparent", raw(` "x"`[1:]))
	check(t, err, error(nil))
	check(t, got, metadata{"traceparent": raw(`"x"`)})
	for _, name := range []string{"traceparent", "tracestate", "baggage"} {
		for _, value := range []string{`1`, `null`, `{}`, `["a"]`} {
			_, err := With(meta, name, raw(value))
			check(t, text(err), name+": want string: it is part of the trace context", value)
		}
	}
	if _, err := With(meta, "b", raw(`{`)); err == nil {
		t.Error("half a value is taken")
	}
}

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }
