package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func TestAClientCallsNotifiesAndStreams(t *testing.T) {
	noted := make(chan string, 1)
	h := &Handler{Handler: serving{
		"echo": echo, "count": count,
		"note": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			noted <- string(m.Params)
			return nil, nil
		},
		"fail": func(context.Context, *rpc.Message) (json.RawMessage, error) { return nil, rpc.InvalidParams },
		"half": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			_ = m.Partial(raw("1"))
			return nil, rpc.InvalidParams
		},
		"panic": func(context.Context, *rpc.Message) (json.RawMessage, error) { panic("test") },
	}}
	c := NewClient(serve(t, h), nil, nil)
	result, err := c.Call(t.Context(), "echo", raw(`{"a":"x\ny"}`))
	check(t, string(result), `{"a":"x\ny"}`)
	check(t, err, nil)
	check(t, c.Notify(t.Context(), "note", raw("[1]")), nil)
	check(t, soon(t, noted), "[1]")
	for method, code := range map[string]rpc.Code{"fail": rpc.InvalidParams, "none": rpc.MethodNotFound, "panic": rpc.InternalError} {
		_, err = c.Call(t.Context(), method, nil)
		check(t, errors.Is(err, code), true, method, err)
	}
	stream := func(method, params string) (got []string) {
		for result, err := range c.Stream(t.Context(), method, raw(params)) {
			got = append(got, string(result)+text(err))
		}
		return got
	}
	check(t, stream("count", "[3]"), []string{"0", "1", "2"})
	check(t, stream("count", "[0]"), []string(nil))
	check(t, stream("echo", "[3]"), []string{"[3]"}, "one result is a stream as well")
	check(t, stream("half", "[3]"), []string{"1", "invalid params (-32602)"})
	check(t, stream("count", "{}"), []string{"invalid params (-32602)"})
	_, err = c.Call(t.Context(), "count", raw("[0]"))
	check(t, text(err), "no answer: unexpected EOF")
}

func TestAHandlerLearnsThatTheClientHasGone(t *testing.T) {
	began, ended := make(chan bool, 1), make(chan error, 1)
	h := &Handler{Handler: serving{"wait": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		began <- true
		if string(m.Params) == "[1]" {
			check(t, m.Partial(raw("1")), nil)
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}}}
	c := NewClient(serve(t, h), nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	_, err := c.Call(ctx, "wait", nil)
	check(t, errors.Is(err, context.Canceled), true, err)
	check(t, soon(t, ended), ErrGone)
	for range c.Stream(t.Context(), "wait", raw("[1]")) {
		break
	}
	check(t, soon(t, ended), ErrGone, "leaving a stream ends the request")
	<-began

	go func() {
		<-began
		limit, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		check(t, h.Shutdown(limit), context.DeadlineExceeded)
	}()
	_, err = c.Call(t.Context(), "wait", nil)
	check(t, err != nil, true)
	check(t, soon(t, ended), rpc.ErrClosed)
	_, err = c.Call(t.Context(), "echo", nil)
	var status *StatusError
	check(t, errors.As(err, &status) && status.Status == 503, true, err)
}

func TestCallsAreLimited(t *testing.T) {
	h := &Handler{Handler: serving{"wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	_, err := NewClient(serve(t, h), nil, &Options{CallTimeout: 10 * time.Millisecond}).Call(t.Context(), "wait", nil)
	check(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(text(err), "no answer within 10ms"), true, err)
}

func TestNotificationsComeBeforeTheAnswer(t *testing.T) {
	said := make(chan string, 10)
	h := &Handler{Dialect: stateless, Handler: serving{"tools/call": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		var p struct {
			Meta struct {
				Token string `json:"progressToken"`
			} `json:"_meta"`
		}
		check(t, json.Unmarshal(m.Params, &p), nil)
		to := rpc.CallerOf(ctx)
		check(t, to.Notify(ctx, "message", raw(`{"text":"one"}`)), nil)
		check(t, to.Notify(ctx, "progress", raw(fmt.Sprintf(`{"progressToken":%q,"progress":1}`, p.Meta.Token))), nil)
		_, err := to.Call(ctx, "sampling", nil)
		check(t, err, errNoCalls)
		return raw(`{"done":true}`), nil
	}}}
	c := NewClient(serve(t, h), stateless, &Options{Handler: serving{"message": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		said <- string(m.Params)
		return nil, nil
	}}})
	ctx := rpc.WithProgress(t.Context(), func(params json.RawMessage) {
		var p map[string]any
		check(t, json.Unmarshal(params, &p), nil)
		said <- fmt.Sprint(p["progress"])
	})
	ctx, params := rpc.PrepareCall(ctx, table, "tools/call", raw(`{"name":"näme"}`))
	result, err := c.Call(ctx, "tools/call", params)
	check(t, string(result), `{"done":true}`)
	check(t, err, nil)
	check(t, []string{soon(t, said), soon(t, said)}, []string{`{"text":"one"}`, "1"})
}

func TestAnswersComeWhateverHandlersDo(t *testing.T) {
	exit := func(context.Context, *rpc.Message) (json.RawMessage, error) {
		runtime.Goexit()
		return nil, nil
	}
	fail := func(context.Context, *rpc.Message) (json.RawMessage, error) { panic("test") }
	failing := serving{"exit": exit, "panic": fail, "echo": echo, "tools/call": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		for _, method := range []string{"exit", "panic"} {
			check(t, rpc.CallerOf(ctx).Notify(ctx, method, nil), nil)
		}
		var p struct {
			Meta json.RawMessage `json:"_meta"`
		}
		check(t, json.Unmarshal(m.Params, &p), nil)
		check(t, rpc.CallerOf(ctx).Notify(ctx, "progress", p.Meta), nil)
		return raw("1"), nil
	}}
	url := serve(t, &Handler{Handler: batching{failing}})
	c := NewClient(url, nil, &Options{Handler: failing})
	_, err := c.Call(t.Context(), "exit", nil)
	check(t, errors.Is(err, rpc.InternalError), true, err)
	check(t, c.Notify(t.Context(), "exit", nil), nil)
	check(t, c.Notify(t.Context(), "panic", nil), nil)
	for _, fails := range []func(){runtime.Goexit, func() { panic("test") }} {
		ctx := rpc.WithProgress(t.Context(), func(json.RawMessage) { fails() })
		ctx, params := rpc.PrepareCall(ctx, table, "tools/call", nil)
		result, err := c.Call(ctx, "tools/call", params)
		check(t, string(result), "1", err)
	}
	got := exchange(t, url, post(`[{"jsonrpc":"2.0","id":1,"method":"panic"},{"jsonrpc":"2.0","id":2,"method":"exit"},{"jsonrpc":"2.0","id":3,"method":"echo","params":[5]}]`))
	for _, want := range []string{`"id":1,"error":{"code":-32603`, `"id":2,"error":{"code":-32603`, `"id":3,"result":[5]`} {
		check(t, strings.Contains(got, want), true, got)
	}
}

// TestAClientReadsWhatServersMayAnswer has answers of all kinds, good and bad.
func TestAClientReadsWhatServersMayAnswer(t *testing.T) {
	for _, c := range []struct{ name, kind, body, want string }{
		{"json", "application/json; charset=utf-8", `{"jsonrpc":"2.0","id":1,"result":5}`, "5"},
		{"events", "text/event-stream", "\ufeff: hello\r\nevent: message\rid: 1\r\ndata:{\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":5}\n\n", "5"},
		{"events of others", "text/event-stream", "data: \n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":6}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}\n\n", "5"},
		{"no answer", "text/event-stream", ": nothing\n\n", "no answer: unexpected EOF"},
		{"a part of an event", "text/event-stream", `data: {"jsonrpc":"2.0","id":1,"result":5}`, "no answer: unexpected EOF"},
		{"another answer", "application/json", `{"jsonrpc":"2.0","id":2,"result":5}`, "the body of the answer is not the answer to the request"},
		{"no json", "application/json", `<html>`, "malformed answer: invalid JSON"},
		{"a page", "text/html", `<html>`, `the answer is "text/html", not application/json or text/event-stream`},
		{"an error without an id", "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, "what? (-32700)"},
		{"too much", "application/json", `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 1000) + `"}`, "message too large: an answer of more than 300 bytes"},
		{"too much in an event", "text/event-stream", "data: " + strings.Repeat("x", 301) + "\n\n", "message too large: an event of more than 300 bytes"},
		{"too much in many lines", "text/event-stream", strings.Repeat("data: xx\n", 60) + "\n", "message too large: an event of more than 300 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.body)
			}))
			result, err := NewClient(url, nil, &Options{MaxMessage: 300}).Call(t.Context(), "x", nil)
			got := string(result) + text(err)
			check(t, strings.Contains(got, c.want), true, got)
		})
	}
}

func TestWhatIsAddedToTheHeaderOfARequestIsInNoOther(t *testing.T) {
	values := append(make([]string, 0, 2), "a")
	c := NewClient(serve(t, &Handler{Handler: serving{"echo": echo}}), nil, &Options{
		Header: http.Header{"X-Test": values},
		Authorize: func(r *http.Request, _ *http.Response) error {
			r.Header.Add("X-Test", "secret")
			return nil
		},
	})
	_, err := c.Call(t.Context(), "echo", raw("[1]"))
	check(t, err, nil)
	check(t, values[:2], []string{"a", ""})
}

func TestTokensAreRenewedOnce(t *testing.T) {
	valid := "two"
	h := &Handler{Access: Access{Authorize: func(r *http.Request) (rpc.Principal, error) {
		switch r.Header.Get("Authorization") {
		case "Bearer " + valid:
			return rpc.Principal{Name: "alice"}, nil
		case "Bearer small":
			return rpc.Principal{}, &Refusal{403, `Bearer error="insufficient_scope"`}
		}
		return rpc.Principal{}, &Refusal{Challenge: `Bearer resource_metadata="https://example.com/meta"`}
	}}, Handler: serving{"who": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		return json.Marshal(rpc.PrincipalOf(ctx).Name)
	}}}
	url := serve(t, h)
	token, renewed := "one", []string{}
	c := NewClient(url, nil, &Options{Authorize: func(r *http.Request, refused *http.Response) error {
		if refused != nil {
			renewed = append(renewed, fmt.Sprint(refused.StatusCode, " ", refused.Header.Get("WWW-Authenticate")))
			if token == "none" {
				return errTest
			}
			token = "two"
		}
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}})
	for range 2 {
		result, err := c.Call(t.Context(), "who", nil)
		check(t, string(result), `"alice"`, err)
	}
	check(t, renewed, []string{`401 Bearer resource_metadata="https://example.com/meta"`})
	valid = "three"
	_, err := c.Call(t.Context(), "who", nil)
	check(t, text(err), "HTTP status 401 Unauthorized: not authorized", "it is tried once more, not for ever")
	token = "small"
	_, _ = c.Call(t.Context(), "who", nil)
	check(t, renewed[2], `403 Bearer error="insufficient_scope"`)
	token = "none"
	_, err = c.Call(t.Context(), "who", nil)
	check(t, errors.Is(err, errTest), true, err)
}
