package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strconv"
	"testing"
)

// counting streams the numbers below its parameter [n], or fails after them if it is negative.
type counting struct {
	noHandler
	ended chan error // why a handler stopped
}

func (c counting) ServeRPC(ctx context.Context, m *Message) (json.RawMessage, error) {
	var n [1]int
	if json.Unmarshal(m.Params, &n) != nil || m.Partial == nil {
		return nil, m.NotFound()
	}
	switch m.Method {
	case "one":
		return m.Params, nil
	case "exit":
		runtime.Goexit()
	case "panic":
		panic("oops")
	}
	for i := range max(n[0], -n[0]) {
		if err := m.Partial(json.RawMessage(strconv.Itoa(i))); err != nil {
			c.ended <- err
			return nil, err
		}
	}
	if n[0] < 0 {
		return nil, InvalidParams
	}
	return nil, nil
}

// collected is what a stream yields.
func collected(ctx context.Context, c Conn, method, params string) (results []string, err error) {
	for raw, failed := range c.(Streamer).Stream(ctx, method, json.RawMessage(params)) {
		if failed != nil {
			return results, failed
		}
		results = append(results, string(raw))
	}
	return results, nil
}

func TestLocalStreams(t *testing.T) {
	conn := Local(counting{ended: make(chan error, 1)})
	for _, c := range []struct {
		method, params string
		want           []string
		err            error
	}{
		{"count", "[3]", []string{"0", "1", "2"}, nil},
		{"count", "[0]", nil, nil},
		{"count", "[-2]", []string{"0", "1"}, InvalidParams},
		{"one", "[5]", []string{"[5]"}, nil},
		{"exit", "[5]", nil, InternalError},
		{"panic", "[5]", nil, InternalError},
		{"count", "{}", nil, MethodNotFound},
	} {
		got, err := collected(t.Context(), conn, c.method, c.params)
		check(t, got, c.want, c.method)
		if !errors.Is(err, c.err) {
			t.Errorf("%s %s: got the error %v, want %v", c.method, c.params, err, c.err)
		}
	}
	if _, err := conn.Call(t.Context(), "count", json.RawMessage("[3]")); !errors.Is(err, MethodNotFound) {
		t.Errorf("a call takes one result, so that the handler cannot send several: %v", err)
	}
}

func TestAStreamThatIsLeftEndsTheHandler(t *testing.T) {
	c := counting{ended: make(chan error, 1)}
	for raw, err := range Local(c).(Streamer).Stream(t.Context(), "count", json.RawMessage("[1000]")) {
		if string(raw) == "5" || err != nil {
			break
		}
	}
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler learns that its context has ended: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range Local(c).(Streamer).Stream(ctx, "count", json.RawMessage("[1000]")) {
		if n++; n == 5 {
			cancel()
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if n >= 1000 {
		t.Error("a stream goes on after its context has ended")
	}
}
