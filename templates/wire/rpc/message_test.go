package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// frame decodes a message that is expected to be one.
func frame(t *testing.T, text string) Message {
	t.Helper()
	f, err := Decode([]byte(text), &small)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// plain returns a message without its decoded parameters.
func plain(m Message) Message {
	m.Decoded, m.DecodeError, m.known = nil, nil, false
	return m
}

func TestMessagesAreToldApart(t *testing.T) {
	for _, c := range []struct {
		text string
		want Message
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"open","params":{"a":[1]}}`, Message{Kind: Request, ID: raw(`1`), Method: "open", Params: raw(`{"a":[1]}`)}},
		{`{"jsonrpc":"2.0","id":"a\u0062","method":"x"}`, Message{Kind: Request, ID: raw(`"a\u0062"`), Method: "x"}},
		{`{"jsonrpc":"2.0","id":null,"method":"x"}`, Message{Kind: Request, ID: raw(`null`), Method: "x"}},
		{`{"jsonrpc":"2.0","id":123456789012345678901234567890.50e1,"method":"x"}`, Message{Kind: Request, ID: raw(`123456789012345678901234567890.50e1`), Method: "x"}},
		{`{"jsonrpc":"2.0","method":"x","params":[1, 2]}`, Message{Kind: Notification, Method: "x", Params: raw(`[1, 2]`)}},
		{`{"jsonrpc":"2.0","method":"x","params":null}`, Message{Kind: Notification, Method: "x"}},
		{`{"params": {} , "method":"", "more":{"id":1}, "jsonrpc":"2.0"}`, Message{Kind: Notification, Params: raw(`{}`)}},
		{`{"jsonrpc":"2.0","id":7,"result":null}`, Message{Kind: Result, ID: raw(`7`), Result: raw(`null`)}},
		{`{"jsonrpc":"2.0","id":7,"result":1,"error":null}`, Message{Kind: Result, ID: raw(`7`), Result: raw(`1`)}},
		{`{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1,"message":"m"}}`, Message{Kind: Failure, ID: raw(`7`), Error: &Error{Code: 1, Message: "m"}}},
		{`{"result":[ 1 ],"id":"7","jsonrpc":"2.0"}`, Message{Kind: Result, ID: raw(`"7"`), Result: raw(`[ 1 ]`)}},
		{
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m","data":{"n":9007199254740993},"x":1}}`,
			Message{Kind: Failure, ID: raw(`null`), Error: &Error{Code: -32001, Message: "m", Data: raw(`{"n":9007199254740993}`)}},
		},
	} {
		got, err := Decode([]byte(c.text), nil)
		check(t, err, error(nil), c.text)
		check(t, got, c.want, c.text)
		check(t, plain(frame(t, c.text)), c.want, c.text)
	}
}

func TestBadMessagesAreRefusedWithThePath(t *testing.T) {
	const start = `{"jsonrpc":"2.0",`
	for _, c := range []struct {
		text string
		code Code
		want string
	}{
		{`{"id":1,"method":"x"}`, InvalidRequest, "jsonrpc: missing"},
		{`{"jsonrpc":"1.0","method":"x"}`, InvalidRequest, `jsonrpc: conflicting value: want "2.0", got "1.0"`},
		{`{"jsonrpc":2.0,"method":"x"}`, InvalidRequest, "jsonrpc: want string, got number"},
		{`{"jsonrpc":"2.0","jsonrpc":"2.0","method":"x"}`, InvalidRequest, "jsonrpc: given twice"},
		{start + `"id":1,"id":1,"method":"x"}`, InvalidRequest, "id: given twice"},
		{start + `"method":"x","method":"x"}`, InvalidRequest, "method: given twice"},
		{start + `"method":"x","params":{},"params":{}}`, InvalidRequest, "params: given twice"},
		{start + `"id":1,"result":1,"result":1}`, InvalidRequest, "result: given twice"},
		{start + `"id":1,"error":{"code":1,"message":""},"error":{"code":1,"message":""}}`, InvalidRequest, "error: given twice"},
		{start + `"id":1,"error":{"code":1,"code":1,"message":""}}`, InvalidRequest, "error: code: given twice"},
		{start + `"id":1,"error":{"message":""}}`, InvalidRequest, "error: code: missing"},
		{start + `"id":1,"error":{"code":1}}`, InvalidRequest, "error: message: missing"},
		{start + `"id":1,"error":{"code":1.5,"message":""}}`, InvalidRequest, "error: code: not an integer"},
		{start + `"id":1,"error":null}`, InvalidRequest, "result: missing"},
		{start + `"id":[1],"method":"x"}`, InvalidRequest, "id: want string, number or null, got array"},
		{start + `"id":true,"method":"x"}`, InvalidRequest, "id: want string, number or null, got boolean"},
		{start + `"method":7}`, InvalidRequest, "method: want string, got number"},
		{start + `"method":"x","params":"y"}`, InvalidRequest, "params: want object or array, got string"},
		{start + `"id":1}`, InvalidRequest, "method: missing"},
		{start + `"result":1}`, InvalidRequest, "id: missing"},
		{start + `"id":1,"result":1,"error":{"code":1,"message":""}}`, InvalidRequest, "result: beside an error"},
		{start + `"id":1,"method":"x","result":1}`, InvalidRequest, "result: a request has no result"},
		{start + `"method":"x","error":{"code":1,"message":""}}`, InvalidRequest, "error: a request has no error"},
		{start + `"id":1,"result":1,"params":{}}`, InvalidRequest, "params: a response has no params"},
		{`[` + start + `"method":"x"}]`, InvalidRequest, "want object, got array: batches are not supported"},
		{`7`, InvalidRequest, "want object, got number"},
		{start + `"method":"x"`, ParseError, "method: invalid JSON at offset 29: unexpected end instead of a comma or }"},
		{start + `"method":"x"} {}`, ParseError, "invalid JSON at offset 31: unexpected '{' after the value"},
		{``, ParseError, "invalid JSON at offset 0: unexpected end instead of a value"},
		{start + `"method":"note","params":{"text":}}`, ParseError, "params: text: invalid JSON at offset 50: unexpected '}' instead of a value"},
	} {
		_, err := Decode([]byte(c.text), nil)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v is no error to answer with", c.text, err)
			continue
		}
		check(t, Code(e.Code), c.code, c.text)
		_, framed := Decode([]byte(c.text), &small)
		check(t, framed, err, c.text)
		check(t, e.Message, c.want, c.text)
	}
}

func TestParametersOfKnownNotificationsAreDecodedOnTheWay(t *testing.T) {
	f := frame(t, `{"jsonrpc":"2.0","method":"note","params":{"text":"a","more":[1]}}`)
	check(t, f.Decoded, wire.Appender(&noteParams{"a"}))
	check(t, f.Params, raw(`{"text":"a","more":[1]}`))
	check(t, f.DecodeError, error(nil))

	for name, text := range map[string]string{
		"params first":             `{"jsonrpc":"2.0","params":{"text":"a"},"method":"note"}`,
		"a request":                `{"jsonrpc":"2.0","method":"note","params":{"text":"a"},"id":1}`,
		"a request, id first":      `{"jsonrpc":"2.0","id":1,"method":"note","params":{"text":"a"}}`,
		"an unknown method":        `{"jsonrpc":"2.0","method":"other","params":{"text":"a"}}`,
		"the name of a request":    `{"jsonrpc":"2.0","method":"open","params":{"text":"a"}}`,
		"a request with bad ones":  `{"jsonrpc":"2.0","method":"note","params":{},"id":1}`,
		"parameters by position":   `{"jsonrpc":"2.0","method":"note","params":[1]}`,
		"no parameters where some": `{"jsonrpc":"2.0","method":"note"}`,
	} {
		f := frame(t, text)
		check(t, f.Decoded, wire.Appender(nil), name)
		check(t, f.DecodeError, error(nil), name)
	}

	f = frame(t, `{"jsonrpc":"2.0","method":"note","params":{"text":7}}`)
	check(t, f.Kind, Notification)
	check(t, f.Params, raw(`{"text":7}`))
	check(t, f.Decoded, wire.Appender(nil))
	check(t, text(f.DecodeError), "params: text: want string, got number")
}

func TestMessagesAreAppended(t *testing.T) {
	params := raw(`{"text":"a"}`)
	for _, c := range []struct {
		m    Message
		want string
	}{
		{Message{Kind: Request, ID: raw(`"1"`), Method: "open", Params: params}, `{"jsonrpc":"2.0","id":"1","method":"open","params":{"text":"a"}}`},
		{Message{Kind: Request, ID: raw(`1`), Method: "open"}, `{"jsonrpc":"2.0","id":1,"method":"open"}`},
		{Message{Kind: Notification, Method: "note", Params: params}, `{"jsonrpc":"2.0","method":"note","params":{"text":"a"}}`},
		{Message{Kind: Notification, Method: "no\"te"}, `{"jsonrpc":"2.0","method":"no\"te"}`},
		{Answer(raw(`null`), params, nil), `{"jsonrpc":"2.0","id":null,"result":{"text":"a"}}`},
		{Answer(raw(`12345678901234567890`), null(), nil), `{"jsonrpc":"2.0","id":12345678901234567890,"result":null}`},
		{Answer(raw(`1`), nil, &Error{Code: -32001, Message: "m", Data: raw(`[1]`)}), `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m","data":[1]}}`},
	} {
		dst, err := c.m.AppendJSON([]byte("> "))
		check(t, err, error(nil), c.want)
		check(t, string(dst), "> "+c.want)
	}
	for _, bad := range []Message{
		{}, {Kind: Request, Method: "x"}, {Kind: Request, ID: raw(`{}`), Method: "x"}, {Kind: Request, ID: raw(`1 2`), Method: "x"},
		{Kind: Notification, Params: raw(`{`)}, {Kind: Result, ID: raw(`1`)}, {Kind: Failure, ID: raw(`1`)},
		{Kind: Failure, ID: raw(`1`), Error: &Error{Data: raw(`{`)}},
	} {
		if dst, err := bad.AppendJSON(nil); err == nil {
			t.Errorf("%+v is sent as %s", bad, dst)
		}
	}
}

// reference decodes a message with encoding/json. It is nil for what is no message.
func reference(data []byte) *Message {
	dec := json.NewDecoder(bytes.NewReader(data))
	members := map[string]json.RawMessage{}
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		key, _ := name.(string)
		if _, twice := members[key]; twice && strings.Contains(" jsonrpc id method params result error ", " "+key+" ") {
			return nil
		}
		members[key] = value
	}
	var version string
	if json.Unmarshal(members["jsonrpc"], &version) != nil || version != "2.0" || !json.Valid(data) {
		return nil
	}
	m := Message{ID: members["id"], Params: members["params"], Result: members["result"]}
	switch {
	case m.ID != nil && strings.IndexByte(`{[tf`, m.ID[0]) >= 0:
		return nil
	case string(m.Params) == "null":
		m.Params = nil
	case m.Params != nil && m.Params[0] != '{' && m.Params[0] != '[':
		return nil
	}
	if string(members["error"]) == "null" {
		delete(members, "error")
	}
	if e, ok := members["error"]; ok {
		if m.Error = referenceError(e); m.Error == nil {
			return nil
		}
	}
	method, isCall := members["method"]
	if !isCall && m.Error != nil && string(m.Result) == "null" {
		m.Result = nil
	}
	_, hasParams := members["params"]
	switch {
	case isCall:
		if method[0] != '"' || json.Unmarshal(method, &m.Method) != nil || m.Result != nil || m.Error != nil {
			return nil
		}
		m.Kind = Notification
		if m.ID != nil {
			m.Kind = Request
		}
	case m.ID == nil || hasParams || (m.Result == nil) == (m.Error == nil):
		return nil
	case m.Error != nil:
		m.Kind = Failure
	default:
		m.Kind = Result
	}
	return &m
}

func referenceError(data []byte) *Error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		key, _ := name.(string)
		if _, twice := members[key]; twice && strings.Contains(" code message data ", " "+key+" ") {
			return nil
		}
		members[key] = value
	}
	code, ok := exactInt(members["code"])
	text := members["message"]
	if !ok || text == nil || text[0] != '"' {
		return nil
	}
	e := &Error{Code: code, Data: members["data"]}
	if json.Unmarshal(text, &e.Message) != nil {
		return nil
	}
	return e
}

// exactInt returns an integer however it is written, such as 1e1.
func exactInt(text []byte) (int64, bool) {
	d := wire.NewDecoder(text)
	n := d.Int64() // compared with math/big elsewhere
	return n, d.Finish() == nil
}

// agrees holds the decoders against the reference.
func agrees(t *testing.T, data []byte) {
	t.Helper()
	if depthOf(data) > wire.MaxDepth-2 {
		return
	}
	want := reference(data)
	got, err := Decode(data, nil)
	if (err == nil) != (want != nil) {
		t.Fatalf("%s: %v, but encoding/json says %+v", data, err, want)
	}
	f, framed := Decode(data, &small)
	check(t, framed, err, string(data))
	if err != nil {
		return
	}
	check(t, got, *want, string(data))
	check(t, plain(f), got, string(data))
	if f.Decoded != nil && (f.Kind != Notification || f.DecodeError != nil) {
		t.Fatalf("%s: decoded, but %v %v", data, f.Kind, f.DecodeError)
	}
	again, err := got.AppendJSON(nil)
	check(t, err, error(nil), string(data))
	back, err := Decode(again, nil)
	check(t, err, error(nil), string(again))
	check(t, back, got, string(again))
}

// randomMessage puts members of messages together, good and bad ones.
func randomMessage(r *rand.Rand) []byte {
	values := []string{`"2.0"`, `1`, `"a"`, `null`, `true`, `{}`, `[]`, `{"text":"x"}`, `{"text":1}`, `1e1`, `-0`, `12345678901234567890`, `"note"`, `"\u006eote"`, `"open"`,
		`{"code":1,"message":"m"}`, `{"code":1,"message":"m","data":{"a": 1}}`, `{"code":1}`, `{"message":"m","code":1,"code":2}`}
	names := []string{"id", "method", "params", "result", "error", "jsonrpc", "more", `\u0069d`}
	fit := map[string][]string{
		"id": {`1`, `"a"`, `null`, `1.50`}, "method": {`"note"`, `"open"`, `"other"`}, "params": {`{"text":"x"}`, `{}`, `[1]`}, "result": {`null`, `{ "a" : 1}`},
		"error": {`{"code":1,"message":"m"}`, `{"code":-32001,"message":"m","data":[ 1]}`},
	}
	var parts []string
	if r.IntN(12) > 0 {
		parts = append(parts, `"jsonrpc":"2.0"`)
	}
	for range r.IntN(5) {
		name := names[r.IntN(len(names))]
		value := values[r.IntN(len(values))]
		if good := fit[name]; good != nil && r.IntN(4) > 0 {
			value = good[r.IntN(len(good))]
		}
		space := strings.Repeat(" ", r.IntN(2))
		parts = append(parts, `"`+name+`"`+space+`:`+space+value+space)
	}
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return []byte("{" + strings.Join(parts, ",") + "}")
}

func TestMessagesAgreeWithEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[Kind]int{}
	for range 50_000 {
		data := randomMessage(r)
		agrees(t, data)
		if m, err := Decode(data, nil); err == nil {
			kinds[m.Kind]++
		}
	}
	for _, kind := range []Kind{Request, Notification, Result, Failure} {
		if kinds[kind] < 100 {
			t.Errorf("only %d messages were a %s", kinds[kind], kind)
		}
	}
}

func FuzzMessage(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add(randomMessage(r))
	}
	f.Fuzz(agrees)
}
