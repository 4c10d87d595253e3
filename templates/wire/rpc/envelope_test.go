// Tests of messages that are not JSON-RPC 2.0, in the words of several protocols.

package rpc_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// numbered is how debug adapters talk: messages are numbered, and answers repeat the command.
var numbered = spec.MustEnvelope(spec.Forms{
	Request:      `{"seq": "$id", "type": "request", "command": "$method", "arguments": "$params?"}`,
	Result:       `{"seq": "$sequence", "type": "response", "request_seq": "$id", "success": true, "command": "$method", "body": "$result?"}`,
	Failure:      `{"seq": "$sequence", "type": "response", "request_seq": "$id", "success": false, "command": "$method", "message": "$message?", "body": "$data?"}`,
	Notification: `{"seq": "$sequence", "type": "event", "event": "$method", "body": "$params?"}`,
})

// listed is how charge points talk: in arrays, whose first item is the kind of message.
var listed = spec.MustEnvelope(spec.Forms{
	Request: `[2, "$id", "$method", "$params"]`,
	Result:  `[3, "$id", "$result"]`,
	Failure: `[4, "$id", "$code", "$message", "$data"]`,
	TextIDs: true,
	Codes:   map[int64]string{int64(rpc.MethodNotFound): "NotImplemented", int64(rpc.InternalError): "InternalError"},
})

// plain is JSON-RPC without a version.
var plain = spec.MustEnvelope(spec.Forms{
	Request:      `{"id": "$id", "method": "$method", "params": "$params?"}`,
	Result:       `{"id": "$id", "result": "$result"}`,
	Failure:      `{"id": "$id", "error": {"code": "$code", "message": "$message", "data": "$data?"}}`,
	Notification: `{"method": "$method", "params": "$params?"}`,
})

func TestMessagesInEnvelopesAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		envelope *spec.Envelope
		text     string
		want     rpc.Message
	}{
		"request":               {numbered, `{"command":"next","arguments":{"threadId":1},"type":"request","seq":7}`, rpc.Message{Kind: rpc.Request, ID: raw(`7`), Method: "next", Params: raw(`{"threadId":1}`)}},
		"without parameters":    {numbered, `{"seq":1,"type":"request","command":"threads"}`, rpc.Message{Kind: rpc.Request, ID: raw(`1`), Method: "threads"}},
		"result":                {numbered, `{"seq":2,"type":"response","request_seq":1,"success":true,"command":"threads","body":{"threads":[]}}`, rpc.Message{Kind: rpc.Result, ID: raw(`1`), Method: "threads", Result: raw(`{"threads":[]}`)}},
		"empty result":          {numbered, `{"seq":2,"type":"response","request_seq":1,"success":true,"command":"next","message":""}`, rpc.Message{Kind: rpc.Result, ID: raw(`1`), Method: "next", Result: raw(`null`)}},
		"failure":               {numbered, `{"seq":2,"type":"response","request_seq":1,"success":false,"command":"next","message":"notStopped"}`, rpc.Message{Kind: rpc.Failure, ID: raw(`1`), Method: "next", Error: &rpc.Error{Message: "notStopped"}}},
		"event":                 {numbered, `{"seq":3,"type":"ev\u0065nt","event":"stopped","body":{"reason":"step"}}`, rpc.Message{Kind: rpc.Notification, Method: "stopped", Params: raw(`{"reason":"step"}`)}},
		"array":                 {listed, `[2,"a-1","Heartbeat",{}]`, rpc.Message{Kind: rpc.Request, ID: raw(`"a-1"`), Method: "Heartbeat", Params: raw(`{}`)}},
		"array with a result":   {listed, `[3,"1",{"currentTime":"now"}]`, rpc.Message{Kind: rpc.Result, ID: raw(`"1"`), Result: raw(`{"currentTime":"now"}`)}},
		"error with a name":     {listed, `[4,"1","NotImplemented","no such action",{}]`, rpc.Message{Kind: rpc.Failure, ID: raw(`"1"`), Error: &rpc.Error{Code: -32601, Name: "NotImplemented", Message: "no such action", Data: raw(`{}`)}}},
		"error of unknown name": {listed, `[4,"1","Odd","",{}]`, rpc.Message{Kind: rpc.Failure, ID: raw(`"1"`), Error: &rpc.Error{Name: "Odd", Data: raw(`{}`)}}},
		"nested":                {plain, `{"id":1,"error":{"data":[1],"code":-3,"message":"m"}}`, rpc.Message{Kind: rpc.Failure, ID: raw(`1`), Error: &rpc.Error{Code: -3, Message: "m", Data: raw(`[1]`)}}},
		"with more":             {plain, `{"jsonrpc":"2.0","method":"m","params":"text","x":[{}]}`, rpc.Message{Kind: rpc.Notification, Method: "m", Params: raw(`"text"`)}},
		"result that is null":   {plain, `{"id":1,"result":null}`, rpc.Message{Kind: rpc.Result, ID: raw(`1`), Result: raw(`null`)}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := rpc.Decode([]byte(test.text), &spec.Table{Envelope: test.envelope})
			require.NoError(t, err)
			assert.Equal(t, test.want, m)
		})
	}
}

func TestMalformedMessagesInEnvelopes(t *testing.T) {
	for name, test := range map[string]struct {
		envelope   *spec.Envelope
		text, want string
	}{
		"no kind":        {numbered, `{"seq":1,"command":"x"}`, "type: missing"},
		"unknown kind":   {numbered, `{"seq":1,"type":"question","command":"x"}`, "type: a message of another kind"},
		"no method":      {numbered, `{"seq":1,"type":"request"}`, "command: missing"},
		"twice":          {numbered, `{"seq":1,"seq":2,"type":"request","command":"x"}`, "seq: given twice"},
		"no text":        {numbered, `{"seq":1,"type":"request","command":5}`, "command: want string, got number"},
		"no object":      {numbered, `[1]`, "want object, got array"},
		"no array":       {listed, `{}`, "want array, got object"},
		"no JSON":        {plain, `{"id":1,`, "unexpected end"},
		"no code":        {plain, `{"id":1,"error":{"message":"m"}}`, "code: missing"},
		"id is an array": {plain, `{"id":[],"method":"m"}`, "id: want string, number or null, got array"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rpc.Decode([]byte(test.text), &spec.Table{Envelope: test.envelope})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func TestFormsThatCannotBe(t *testing.T) {
	good := spec.Forms{
		Request: `{"id": "$id", "method": "$method"}`, Result: `{"id": "$id", "result": "$result"}`,
		Failure: `{"id": "$id", "error": "$message"}`, Notification: `{"method": "$method"}`,
	}
	for name, test := range map[string]struct {
		change func(*spec.Forms)
		want   string
	}{
		"nothing":             {func(f *spec.Forms) { f.Result = "" }, "result: missing"},
		"no JSON":             {func(f *spec.Forms) { f.Result = "{" }, "result: no valid JSON"},
		"a text":              {func(f *spec.Forms) { f.Request = `"$id"` }, "request: want an object or an array with placeholders"},
		"no method":           {func(f *spec.Forms) { f.Request = `{"id": "$id"}` }, "request: there has to be a $method"},
		"optional id":         {func(f *spec.Forms) { f.Request = `{"id": "$id?", "method": "$method"}` }, "request: there has to be a $id"},
		"unknown placeholder": {func(f *spec.Forms) { f.Request = `{"id": "$id", "method": "$method", "x": "$y"}` }, "request: there is no $y here; there is $id, $method, $params"},
		"twice":               {func(f *spec.Forms) { f.Request = `{"id": "$id", "method": "$method", "x": "$id"}` }, "request: $id is given twice"},
		"member twice":        {func(f *spec.Forms) { f.Request = `{"id": "$id", "id": "$method"}` }, `request: "id" is given twice`},
		"not told apart":      {func(f *spec.Forms) { f.Failure = `{"id": "$id", "result": "$data"}` }, "failure: such a message can be taken for a result"},
		"array and object":    {func(f *spec.Forms) { f.Result = `["$id", "$result"]` }, "result: some messages are objects, and others are arrays"},
	} {
		t.Run(name, func(t *testing.T) {
			f := good
			test.change(&f)
			_, err := spec.NewEnvelope(f)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// echo answers requests with their parameters, and refuses one method.
type echo struct{ table *spec.Table }

func (e echo) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, e.table) }

func (e echo) ServeRPC(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	if m.Method == "refuse" {
		return nil, m.NotFound()
	}
	return m.Params, nil
}

// recorded is a transport whose messages are noted.
type recorded struct {
	rpc.Wrapped
	sent *[]string
}

func (r recorded) Write(ctx context.Context, message []byte) error {
	*r.sent = append(*r.sent, string(message))
	return r.Transport.Write(ctx, message)
}

func TestPeersTalkInEnvelopes(t *testing.T) {
	for name, test := range map[string]struct {
		envelope   *spec.Envelope
		ours       []string
		theirs     []string
		wantsError string
	}{
		"numbered": {
			numbered,
			[]string{`{"seq":1,"type":"event","event":"said"}`, `{"seq":2,"type":"request","command":"ask","arguments":{"a":1}}`, `{"seq":3,"type":"request","command":"refuse"}`},
			[]string{
				`{"seq":1,"type":"response","request_seq":2,"success":true,"command":"ask","body":{"a":1}}`,
				`{"seq":2,"type":"response","request_seq":3,"success":false,"command":"refuse","message":"method not found: \"refuse\""}`,
			},
			`method not found: "refuse"`,
		},
		"plain": {
			plain,
			[]string{`{"method":"said"}`, `{"id":1,"method":"ask","params":{"a":1}}`, `{"id":2,"method":"refuse"}`},
			[]string{`{"id":1,"result":{"a":1}}`, `{"id":2,"error":{"code":-32601,"message":"method not found: \"refuse\""}}`},
			`method not found: "refuse" (-32601)`,
		},
		"listed": {
			listed,
			[]string{`[2,"1","ask",{"a":1}]`, `[2,"2","refuse",{}]`},
			[]string{`[3,"1",{"a":1}]`, `[4,"2","NotImplemented","method not found: \"refuse\"",{}]`},
			`method not found: "refuse" (NotImplemented)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := &spec.Table{Envelope: test.envelope}
			near, far := net.Pipe()
			var ours, theirs []string
			client := rpc.NewPeer(recorded{rpc.Wrapped{Transport: rpc.HeaderStream(near)}, &ours}, &rpc.Options{Envelope: test.envelope})
			host := rpc.NewPeer(recorded{rpc.Wrapped{Transport: rpc.HeaderStream(far)}, &theirs}, &rpc.Options{Envelope: test.envelope})
			served := make(chan error, 2)
			go func() { served <- host.Serve(context.Background(), echo{table}) }()
			go func() { served <- client.Serve(context.Background(), echo{table}) }()
			if test.envelope.Form("notification") != nil {
				require.NoError(t, client.Notify(t.Context(), "said", nil))
			} else {
				require.Error(t, client.Notify(t.Context(), "said", nil))
			}
			result, err := client.Call(t.Context(), "ask", raw(`{"a":1}`))
			require.NoError(t, err)
			assert.JSONEq(t, `{"a":1}`, string(result))
			_, err = client.Call(t.Context(), "refuse", nil)
			require.EqualError(t, err, test.wantsError)
			require.NoError(t, client.Close())
			<-served
			<-served
			assert.Equal(t, test.ours, ours)
			assert.Equal(t, test.theirs, theirs)
		})
	}
}

func TestHeaders(t *testing.T) {
	for name, test := range map[string]struct{ in, want, fails string }{
		"one":            {"Content-Length: 2\r\n\r\n{}", "{}", ""},
		"other fields":   {"content-type: x; charset=utf-8\r\nCONTENT-LENGTH:2\r\n\r\n{}", "{}", ""},
		"bare newlines":  {"Content-Length: 2\n\n{}", "{}", ""},
		"no length":      {"X: 2\r\n\r\n{}", "", "a header without Content-Length"},
		"no number":      {"Content-Length: -2\r\n\r\n{}", "", `Content-Length is no length: " -2"`},
		"a line":         {`{"jsonrpc":"2.0"}` + "\n", "", "no header of a message: "},
		"ends in header": {"Content-Length: 2\r\n", "", "unexpected EOF"},
		"ends in body":   {"Content-Length: 20\r\n\r\n{}", "", "unexpected EOF"},
		"too large":      {"Content-Length: 2000\r\n\r\n{}", "", "message too large: 2000 bytes, and 1000 are taken"},
		"endless header": {strings.Repeat("x", 10_000), "", "message too large: a header"},
		"nothing":        {"", "", "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rpc.HeaderPipes(io.NopCloser(strings.NewReader(test.in)), nopWriter{io.Discard})
			got, err := s.Read(1000)
			if test.fails != "" {
				require.ErrorContains(t, err, test.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, string(got))
		})
	}
}

type nopWriter struct{ io.Writer }

func (nopWriter) Close() error { return nil }

func TestABodyIsEncodedInPlace(t *testing.T) {
	for name, test := range map[string]struct {
		message  rpc.Message
		envelope *spec.Envelope
		want     string
	}{
		"JSON-RPC notification": {rpc.Message{Kind: rpc.Notification, Method: "note", Body: rawParams(`{"a":1}`)}, nil, `{"jsonrpc":"2.0","method":"note","params":{"a":1}}`},
		"JSON-RPC result":       {rpc.Message{Kind: rpc.Result, ID: raw(`1`), Body: rawParams(`[]`)}, nil, `{"jsonrpc":"2.0","id":1,"result":[]}`},
		"optional parameters":   {rpc.Message{Kind: rpc.Notification, Method: "stopped", Body: rawParams(`{}`)}, numbered, `{"seq":7,"type":"event","event":"stopped","body":{}}`},
		"optional result":       {rpc.Message{Kind: rpc.Result, ID: raw(`3`), Method: "next", Body: rawParams(`null`)}, numbered, `{"seq":7,"type":"response","request_seq":3,"success":true,"command":"next","body":null}`},
		"number as id":          {rpc.Message{Kind: rpc.Request, Method: "next", Body: rawParams(`{}`)}, numbered, `{"seq":7,"type":"request","command":"next","arguments":{}}`},
		"item":                  {rpc.Message{Kind: rpc.Request, ID: raw(`"a"`), Method: "Reset", Body: rawParams(`{}`)}, listed, `[2,"a","Reset",{}]`},
	} {
		t.Run(name, func(t *testing.T) {
			write := func() ([]byte, error) {
				if test.envelope == nil {
					return test.message.AppendJSON([]byte("> "))
				}
				return test.message.AppendIn([]byte("> "), test.envelope, 7)
			}
			got, err := write()
			require.NoError(t, err)
			assert.Equal(t, "> "+test.want, string(got))
			test.message.Body = rawParams(`{"a":`)
			_, err = write()
			require.ErrorContains(t, err, "unexpected end")
		})
	}
}
