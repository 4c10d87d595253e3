// How the protocol is extended, statement by statement, on messages as they are on the wire.

package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"corpus/acp"
	"corpus/acp/wire/meta"
	"corpus/acp/wire/rpc"
)

// extensions has a handler in place of each extension of a side.
func extensions(handlers map[string]rpc.ExtensionHandler, dropped *[]string) map[string]rpc.Handler {
	drop := func(_ context.Context, method string, _ json.RawMessage, err error) {
		*dropped = append(*dropped, method+": "+err.Error())
	}
	return map[string]rpc.Handler{
		"agent":  &acp.AgentHandlers{Extensions: handlers, OnDrop: drop},
		"client": &acp.ClientHandlers{Extensions: handlers, OnDrop: drop},
	}
}

// exchange hands a message to a handler and returns what goes back, "" for nothing.
func exchange(t *testing.T, h rpc.Handler, text string) string {
	t.Helper()
	m, err := h.DecodeRPC([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	reply, ok := rpc.Dispatch(t.Context(), h, &m)
	if !ok {
		return ""
	}
	out, err := reply.AppendJSON(nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(out)
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// recorded notes what is sent, and answers with the same each time.
type recorded struct {
	sent   []string
	answer string
	fails  error
}

func (r *recorded) Call(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	r.sent = append(r.sent, strings.TrimSpace(method+" "+string(params)))
	return json.RawMessage(r.answer), r.fails
}

func (r *recorded) Notify(_ context.Context, method string, params json.RawMessage) error {
	_, _ = r.Call(nil, method, params) //nolint:staticcheck // which looks at no context
	return nil
}

const anID = `12345678901234567890`

func TestX1AnUnknownRequestIsAnsweredOnce(t *testing.T) {
	var dropped []string
	for side, h := range extensions(nil, &dropped) {
		for _, params := range []string{``, `,"params":{"a":1}`, `,"params":[1]`} {
			answer := exchange(t, h, `{"jsonrpc":"2.0","id":`+anID+`,"method":"_example.com/x"`+params+`}`)
			if !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":`+anID+`,"error":{"code":-32601,`) {
				t.Errorf("%s: %s", side, answer)
			}
		}
	}
	equal(t, dropped, []string(nil))
}

func TestX2TheIDComesBackByteForByte(t *testing.T) {
	var dropped []string
	known := map[string]rpc.ExtensionHandler{"_x": func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{}`), nil
	}}
	for _, h := range extensions(known, &dropped) {
		for _, id := range []string{`1`, `"\u0061"`, `12345678901234567890`, `1.0`, `-0`, `""`, `null`} {
			equal(t, exchange(t, h, `{"jsonrpc":"2.0","id":`+id+`,"method":"_x"}`), `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
			if got := exchange(t, h, `{"jsonrpc":"2.0","id":`+id+`,"method":"_y"}`); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"error"`) {
				t.Error(got)
			}
		}
	}
}

func TestX3AHandlerGetsTheFullNameAndRawParameters(t *testing.T) {
	var seen, dropped []string
	note := func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		seen = append(seen, fmt.Sprintf("%s %s %v", method, params, params == nil))
		return nil, nil
	}
	for _, h := range extensions(map[string]rpc.ExtensionHandler{"_example.com/x": note}, &dropped) {
		seen = nil
		exchange(t, h, `{"jsonrpc":"2.0","id":1,"method":"_example.com/x","params":{ "n": 9007199254740993,"n":1.0 }}`)
		exchange(t, h, `{"jsonrpc":"2.0","method":"_example.com/x","params":[ 1]}`)
		exchange(t, h, `{"jsonrpc":"2.0","id":2,"method":"_example.com/x"}`)
		equal(t, seen, []string{`_example.com/x { "n": 9007199254740993,"n":1.0 } false`, `_example.com/x [ 1] false`, `_example.com/x  true`})
	}
	equal(t, dropped, []string(nil))
}

func TestX4AResultThatIsNilIsNull(t *testing.T) {
	var dropped []string
	none := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	for _, h := range extensions(map[string]rpc.ExtensionHandler{"_x": none}, &dropped) {
		equal(t, exchange(t, h, `{"jsonrpc":"2.0","id":1,"method":"_x"}`), `{"jsonrpc":"2.0","id":1,"result":null}`)
	}
}

func TestX5AnUnknownNotificationIsPassedOver(t *testing.T) {
	var dropped []string
	for _, h := range extensions(nil, &dropped) {
		equal(t, exchange(t, h, `{"jsonrpc":"2.0","method":"_example.com/x","params":{"a":1}}`), "")
	}
	equal(t, len(dropped), 2) // only the hook hears of it
}

func TestX6TheConnectionGoesOn(t *testing.T) {
	c := connect(t, &acp.ClientHandlers{}, &acp.AgentHandlers{Initialize: initialize(&acp.AgentCapabilities{})})
	if _, err := c.client.CallExtension(t.Context(), "_unknown", nil); !errors.Is(err, rpc.MethodNotFound) {
		t.Fatal(err)
	}
	if err := c.client.NotifyExtension(t.Context(), "_unknown", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.agent.CallExtension(t.Context(), "_unknown", nil); !errors.Is(err, rpc.MethodNotFound) {
		t.Fatal(err)
	}
	if _, err := c.client.Initialize(t.Context(), &acp.InitializeRequest{ProtocolVersion: 1}); err != nil {
		t.Fatal(err)
	}
}

func TestX7TheDataOfAnErrorMayBeAbsent(t *testing.T) {
	for _, answer := range []string{`{"code":-32000,"message":"no"}`, `{"code":-32000,"message":"no","data":null}`, `{"code":-32000,"message":"no","data":{"a":1}}`} {
		m, err := (&acp.ClientHandlers{}).DecodeRPC([]byte(`{"jsonrpc":"2.0","id":1,"error":` + answer + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if !errors.Is(m.Error, acp.ErrorCodeAuthenticationRequired) {
			t.Error(m.Error)
		}
	}
	failing := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, rpc.Code(-7) }
	var dropped []string
	for _, h := range extensions(map[string]rpc.ExtensionHandler{"_x": failing}, &dropped) {
		equal(t, exchange(t, h, `{"jsonrpc":"2.0","id":1,"method":"_x"}`), `{"jsonrpc":"2.0","id":1,"error":{"code":-7,"message":"error -7"}}`)
	}
}

func TestX8OnlyNamesWithAnUnderscoreAreSent(t *testing.T) {
	conn := &recorded{answer: `null`}
	client, agent := acp.NewAgentConn(conn), acp.NewClientConn(conn)
	for _, name := range []string{"", "x", "session/prompt", "example.com/_x", " _x", "＿x"} {
		_, err := client.CallExtension(t.Context(), name, nil)
		_, err2 := agent.CallExtension(t.Context(), name, nil)
		for _, err := range []error{err, err2, client.NotifyExtension(t.Context(), name, nil), agent.NotifyExtension(t.Context(), name, nil)} {
			if err == nil {
				t.Errorf("%q is sent", name)
			}
		}
	}
	equal(t, conn.sent, []string(nil))
	if _, err := client.CallExtension(t.Context(), "_x", json.RawMessage(`{ "a":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := agent.NotifyExtension(t.Context(), "_", nil); err != nil {
		t.Fatal(err)
	}
	equal(t, conn.sent, []string{`_x { "a":1}`, `_`})
}

func TestX9NamesOfTheProtocolAreItsOwn(t *testing.T) {
	taken := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		t.Error("a handler of an extension got a method of the protocol")
		return nil, nil
	}
	handlers := map[string]rpc.ExtensionHandler{}
	for _, m := range acp.Methods() {
		if strings.HasPrefix(m.Method, "_") {
			t.Errorf("the protocol declares %s", m.Method)
		}
		handlers[m.Method] = taken
	}
	var dropped []string
	for _, h := range extensions(handlers, &dropped) {
		for method := range handlers {
			exchange(t, h, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`)
			exchange(t, h, `{"jsonrpc":"2.0","method":"`+method+`","params":{}}`)
		}
	}
}

func TestX10ErrorsOfANotificationGoToTheHookAlone(t *testing.T) {
	var dropped []string
	failing := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("cannot")
	}
	for _, h := range extensions(map[string]rpc.ExtensionHandler{"_x": failing}, &dropped) {
		equal(t, exchange(t, h, `{"jsonrpc":"2.0","method":"_x"}`), "")
	}
	equal(t, dropped, []string{"_x: cannot (-32603)", "_x: cannot (-32603)"})
	told := 0
	h := &acp.ClientHandlers{SessionUpdate: func(context.Context, *acp.SessionNotification) { panic("harms nobody") }, OnPanic: func(context.Context, string, any) { told++ }}
	equal(t, exchange(t, h, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"_own"}}}`), "")
	equal(t, told, 1)
	equal(t, exchange(t, h, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":1}}`), "")
}

func TestX13TheTraceContextIsThreeStrings(t *testing.T) {
	p, err := acp.Decode[acp.PromptRequest]([]byte(`{"sessionId":"s","prompt":[],"_meta":{"traceparent":"00-1-2-01","tracestate":7,"baggage":"k=v","other":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, meta.TraceOf(p.Meta), meta.TraceContext{Traceparent: "00-1-2-01", Baggage: "k=v"})
	p.Meta = meta.WithTrace(p.Meta, meta.TraceContext{Tracestate: "a=b"})
	out, err := p.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(out, &written); err != nil {
		t.Fatal(err)
	}
	equal(t, written.Meta, map[string]any{"tracestate": "a=b", "other": "x"})
	if _, err := meta.With(p.Meta, "baggage", json.RawMessage(`1`)); err == nil {
		t.Error("a member of the trace context that is no string is written")
	}
}

func TestX14OtherMembersOfMetaAreLeftAlone(t *testing.T) {
	const text = `{"sessionId":"s","prompt":[],"_meta":{"n":9007199254740993,"example.com/x":{ "deep": [null,1.0] },"tracestate":"a"}}`
	p, err := acp.Decode[acp.PromptRequest]([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p.Meta = meta.WithTrace(p.Meta, meta.TraceContext{Traceparent: "t"})
	equal(t, string(p.Meta["n"]), `9007199254740993`)
	equal(t, string(p.Meta["example.com/x"]), `{ "deep": [null,1.0] }`)
	out, err := p.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"n":9007199254740993`, `"example.com/x":{ "deep": [null,1.0] }`, `"traceparent":"t"`} {
		if !strings.Contains(string(out), part) {
			t.Errorf("%s lacks %s", out, part)
		}
	}
}

// TestX15NobodyAddsMembersAtTheRoot: what a peer sent beyond the protocol is kept and can be read. It cannot be written,
// and no exported field of a message takes members of other names, but for the one that the protocol sets aside.
func TestX15NobodyAddsMembersAtTheRoot(t *testing.T) {
	const text = `{"sessionId":"s","prompt":[],"later":{"n":9007199254740993}}`
	p, err := acp.Decode[acp.PromptRequest]([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	received := p.Undeclared()
	equal(t, string(received["later"]), `{"n":9007199254740993}`)
	received["more"] = json.RawMessage(`1`)
	clear(received["later"])
	delete(received, "later")
	out, err := p.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(out), text)
	for _, of := range []any{acp.PromptRequest{}, acp.InitializeResponse{}, acp.ToolCallUpdate{}, acp.NewSessionRequest{}} {
		typ := reflect.TypeOf(of)
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && f.Name != "Meta" && f.Type.Kind() == reflect.Map {
				t.Errorf("%s.%s takes members of any name", typ, f.Name)
			}
		}
	}
}

func TestX16CapabilitiesInMetaAreReadAsAType(t *testing.T) {
	type limits struct {
		MaxTokens int `json:"maxTokens"`
	}
	conn := &recorded{answer: `{"protocolVersion":1,"agentCapabilities":{"_meta":{"example.com/limits":{"maxTokens":3},"example.com/fast":true,"example.com/odd":"x"}}}`}
	r, err := acp.NewAgentConn(conn).Initialize(t.Context(), &acp.InitializeRequest{ProtocolVersion: 1})
	if err != nil {
		t.Fatal(err)
	}
	said := r.AgentCapabilities.Meta
	got, ok, err := meta.Get[limits](said, "example.com/limits")
	equal(t, fmt.Sprint(got, ok, err), "{3} true <nil>")
	fast, ok, err := meta.Get[bool](said, "example.com/fast")
	equal(t, fmt.Sprint(fast, ok, err), "true true <nil>")
	if _, ok, err := meta.Get[limits](said, "example.com/odd"); !ok || err == nil {
		t.Error(ok, err)
	}
	if _, ok, err := meta.Get[limits](said, "example.com/none"); ok || err != nil {
		t.Error(ok, err)
	}
}

func TestX17TheCallerCanTellThatAMethodIsNotThere(t *testing.T) {
	c := connect(t, &acp.ClientHandlers{}, &acp.AgentHandlers{})
	_, err := c.client.CallExtension(t.Context(), "_gone", nil)
	var failed *rpc.Error
	if !errors.Is(err, rpc.MethodNotFound) || !errors.Is(err, acp.ErrorCodeMethodNotFound) || !errors.As(err, &failed) || failed.Code != -32601 {
		t.Error(err)
	}
	if _, err := c.client.SessionPrompt(t.Context(), &acp.PromptRequest{SessionID: "s", Prompt: []acp.ContentBlock{}}); !errors.Is(err, acp.ErrorCodeMethodNotFound) {
		t.Error(err)
	}
}
