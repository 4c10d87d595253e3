// What a tracer is called with, and where trace context is in messages.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

func TestTraceContextIsAddedToMetadata(t *testing.T) {
	values := map[string]string{"b": "2", "a": "1\n"}
	for _, c := range []struct{ in, want string }{
		{``, `{"_meta":{"a":"1\n","b":"2"}}`},
		{`{}`, `{"_meta":{"a":"1\n","b":"2"}}`},
		{" {\n}", "{\"_meta\":{\"a\":\"1\\n\",\"b\":\"2\"}\n}"},
		{`{"x":{"_meta":1}}`, `{"_meta":{"a":"1\n","b":"2"},"x":{"_meta":1}}`},
		{`{"x":1,"_meta":{},"y":2}`, `{"x":1,"_meta":{"a":"1\n","b":"2"},"y":2}`},
		{`{"_meta": null}`, `{"_meta": {"a":"1\n","b":"2"}}`},
		{`{"_meta":{"x":[1,2],"b":"mine"}}`, `{"_meta":{"x":[1,2],"b":"mine","a":"1\n"}}`},
		{`{"_meta":{"x":1 }}`, `{"_meta":{"x":1,"a":"1\n","b":"2"}}`},
		{`{"_meta":[]}`, `{"_meta":[]}`},
		{`[1]`, `[1]`},
		{`{"x":`, `{"x":`},
	} {
		got := withStrings(json.RawMessage(c.in), "_meta", values)
		check(t, string(got), c.want)
		check(t, json.Valid(got), c.in == "" || json.Valid([]byte(c.in)))
	}
}

// follower is a tracer that keeps a line for each call, and adds its name to the context.
type follower struct {
	name string
	fail string // the method that it panics in
	mu   sync.Mutex
	seen []string
}

type followed struct{}

func (f *follower) Observe(Event) {}

func (f *follower) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, fmt.Sprintf(format, args...))
}

func (f *follower) TraceSent(ctx context.Context, e Event) (context.Context, map[string]string, func(error)) {
	if f.fail == "sent" {
		panic("sent")
	}
	f.note("sent %s %s %s", e.Kind, e.Method, e.ID)
	kind, method := e.Kind, e.Method
	return context.WithValue(ctx, followed{}, f.name), map[string]string{"from": f.name}, func(err error) {
		if f.fail == "ended" {
			panic("ended")
		}
		f.note("ended %s %s: %v", kind, method, err)
	}
}

func (f *follower) TraceHandled(ctx context.Context, e Event, metadata json.RawMessage) (context.Context, func(error)) {
	if f.fail == "handled" {
		panic("handled")
	}
	f.note("handled %s %s %t %s %s", e.Kind, e.Method, e.Known, e.ID, metadata)
	if e.Time.Before(began) || e.Latency != 0 {
		f.note("at %v", e.Time)
	}
	return context.WithValue(ctx, followed{}, f.name), func(err error) { f.note("answered: %v", err) }
}

// carrying is handlers of a protocol that has metadata in the parameters of one method.
type carrying struct{ *handlers }

var traced = func() spec.Table {
	t := small
	t.Trace = &spec.Tracing{Member: "_meta", Takes: func(name string) bool { return name == string(methodOpen) || name == string(methodNote) }}
	return t
}()

func (h carrying) DecodeRPC(data []byte) (Message, error) { return Decode(data, &traced) }

func TestATracerFollowsRequestsAndNotifications(t *testing.T) {
	for _, fail := range []string{"", "sent", "ended", "handled"} {
		t.Run(fail, func(t *testing.T) {
			here, there := &follower{name: "here", fail: fail}, &follower{name: "there", fail: fail}
			var bad []error
			var mu sync.Mutex
			o := func(f *follower) *Options {
				return &Options{Observe: f, OnBad: func(err error) {
					mu.Lock()
					defer mu.Unlock()
					bad = append(bad, err)
				}}
			}
			a, b := net.Pipe()
			ours, theirs := NewPeer(Stream(a), o(here)), NewPeer(Stream(b), o(there))
			var both sync.WaitGroup
			noted := make(chan any, 1)
			both.Go(func() { _ = ours.Serve(context.Background(), nil) })
			both.Go(func() {
				_ = theirs.Serve(context.Background(), carrying{&handlers{
					open: func(ctx context.Context, p *noteParams) (*noteParams, error) {
						if p.text == "no" {
							return nil, errors.New("no")
						}
						return &noteParams{fmt.Sprint(ctx.Value(followed{}))}, nil
					},
					note: func(ctx context.Context, _ *noteParams) { noted <- ctx.Value(followed{}) },
				}})
			})
			ctx := CarryTrace(context.Background(), &traced, string(methodOpen))
			result, err := ours.Call(ctx, string(methodOpen), json.RawMessage(`{"text":"yes"}`))
			check(t, err, error(nil))
			want := map[string]string{"": "there", "sent": "there", "ended": "there", "handled": "<nil>"}[fail]
			check(t, string(result), `{"text":"`+want+`"}`)
			_, err = ours.Call(context.Background(), string(methodOpen), json.RawMessage(`{"text":"no"}`))
			check(t, err != nil, true)
			_, err = ours.Call(CarryTrace(context.Background(), &traced, "made-up"), "made-up", nil)
			check(t, err != nil, true)
			check(t, ours.NotifyValue(CarryTrace(context.Background(), &traced, string(methodNote)), string(methodNote), &noteParams{"x"}), error(nil))
			check(t, fmt.Sprint(<-noted), want)
			check(t, ours.Close(), error(nil))
			both.Wait()
			if fail != "" {
				var panicked *ObserverError
				check(t, len(bad) >= 4 && errors.As(bad[0], &panicked) && panicked.Value == any(fail), true)
				return
			}
			check(t, len(bad), 0)
			check(t, strings.Join(here.seen, "\n"), strings.Join([]string{
				"sent request open 1", "ended request open: <nil>",
				"sent request open 2", "ended request open: no (-32603)",
				"sent request made-up 3", `ended request made-up: method not found: "made-up" (-32601)`,
				"sent notification note ", "ended notification note: <nil>",
			}, "\n"))
			check(t, strings.Join(there.seen, "\n"), strings.Join([]string{
				`handled request open true 1 {"from":"here"}`, "answered: <nil>",
				"handled request open true 2 ", "answered: no (-32603)",
				"handled request made-up false 3 ", `answered: method not found: "made-up" (-32601)`,
				`handled notification note true  {"from":"here"}`, "answered: <nil>",
			}, "\n"))
		})
	}
}

// deferred is a handler that answers later.
type deferred func(ctx context.Context)

func (deferred) DecodeRPC(data []byte) (Message, error) { return Decode(data, nil) }

func (d deferred) ServeRPC(ctx context.Context, _ *Message) (json.RawMessage, error) {
	d(ctx)
	return nil, nil
}

func TestADeferredAnswerEndsItsTrace(t *testing.T) {
	f := &follower{name: "there"}
	ours, theirs := net.Pipe()
	peer := NewPeer(Stream(theirs), &Options{Observe: f})
	served := make(chan error, 1)
	release := make(chan struct{})
	go func() {
		served <- peer.Serve(context.Background(), deferred(func(ctx context.Context) {
			answer := DeferReply(ctx)
			go func() {
				<-release
				f.note("finished")
				answer(json.RawMessage("1"), nil)
			}()
		}))
	}()
	caller := NewPeer(Stream(ours), nil)
	go func() { _ = caller.Serve(context.Background(), nil) }()
	go close(release)
	_, err := caller.Call(context.Background(), "wait", nil)
	check(t, err, error(nil))
	check(t, caller.Close(), error(nil))
	<-served
	check(t, strings.Join(f.seen, "\n"), "handled request wait false 1 \nfinished\nanswered: <nil>")
}
