package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// frame decodes a message that is expected to be one.
func frame(t *testing.T, text string) Frame {
	t.Helper()
	f, err := DecodeFrame([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func TestMessagesAreToldApart(t *testing.T) {
	for _, c := range []struct {
		text string
		want RPCMessage
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"open","params":{"a":[1]}}`, RPCMessage{Kind: RPCRequest, ID: raw(`1`), Method: "open", Params: raw(`{"a":[1]}`)}},
		{`{"jsonrpc":"2.0","id":"a\u0062","method":"x"}`, RPCMessage{Kind: RPCRequest, ID: raw(`"a\u0062"`), Method: "x"}},
		{`{"jsonrpc":"2.0","id":null,"method":"x"}`, RPCMessage{Kind: RPCRequest, ID: raw(`null`), Method: "x"}},
		{`{"jsonrpc":"2.0","id":123456789012345678901234567890.50e1,"method":"x"}`, RPCMessage{Kind: RPCRequest, ID: raw(`123456789012345678901234567890.50e1`), Method: "x"}},
		{`{"jsonrpc":"2.0","method":"x","params":[1, 2]}`, RPCMessage{Kind: RPCNotification, Method: "x", Params: raw(`[1, 2]`)}},
		{`{"jsonrpc":"2.0","method":"x","params":null}`, RPCMessage{Kind: RPCNotification, Method: "x"}},
		{`{"params": {} , "method":"", "more":{"id":1}, "jsonrpc":"2.0"}`, RPCMessage{Kind: RPCNotification, Params: raw(`{}`)}},
		{`{"jsonrpc":"2.0","id":7,"result":null}`, RPCMessage{Kind: RPCResult, ID: raw(`7`), Result: raw(`null`)}},
		{`{"result":[ 1 ],"id":"7","jsonrpc":"2.0"}`, RPCMessage{Kind: RPCResult, ID: raw(`"7"`), Result: raw(`[ 1 ]`)}},
		{
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m","data":{"n":9007199254740993},"x":1}}`,
			RPCMessage{Kind: RPCFailure, ID: raw(`null`), Error: &RPCError{Code: -32001, Message: "m", Data: raw(`{"n":9007199254740993}`)}},
		},
	} {
		got, err := DecodeRPCMessage([]byte(c.text))
		check(t, err, error(nil), c.text)
		check(t, got, c.want, c.text)
		check(t, frame(t, c.text).RPCMessage, c.want, c.text)
	}
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func TestBadMessagesAreRefusedWithThePath(t *testing.T) {
	const start = `{"jsonrpc":"2.0",`
	for _, c := range []struct {
		text string
		code ErrorCode
		want string
	}{
		{`{"id":1,"method":"x"}`, codeInvalidRequest, "jsonrpc: missing"},
		{`{"jsonrpc":"1.0","method":"x"}`, codeInvalidRequest, `jsonrpc: conflicting value: want "2.0", got "1.0"`},
		{`{"jsonrpc":2.0,"method":"x"}`, codeInvalidRequest, "jsonrpc: want string, got number"},
		{`{"jsonrpc":"2.0","jsonrpc":"2.0","method":"x"}`, codeInvalidRequest, "jsonrpc: given twice"},
		{start + `"id":1,"id":1,"method":"x"}`, codeInvalidRequest, "id: given twice"},
		{start + `"method":"x","method":"x"}`, codeInvalidRequest, "method: given twice"},
		{start + `"method":"x","params":{},"params":{}}`, codeInvalidRequest, "params: given twice"},
		{start + `"id":1,"result":1,"result":1}`, codeInvalidRequest, "result: given twice"},
		{start + `"id":1,"error":{"code":1,"message":""},"error":{"code":1,"message":""}}`, codeInvalidRequest, "error: given twice"},
		{start + `"id":1,"error":{"code":1,"code":1,"message":""}}`, codeInvalidRequest, "error: code: given twice"},
		{start + `"id":1,"error":{"message":""}}`, codeInvalidRequest, "error: code: missing"},
		{start + `"id":1,"error":{"code":1}}`, codeInvalidRequest, "error: message: missing"},
		{start + `"id":1,"error":{"code":1.5,"message":""}}`, codeInvalidRequest, "error: code: not an integer"},
		{start + `"id":1,"error":null}`, codeInvalidRequest, "error: want object, got null"},
		{start + `"id":[1],"method":"x"}`, codeInvalidRequest, "id: want string, number or null, got array"},
		{start + `"id":true,"method":"x"}`, codeInvalidRequest, "id: want string, number or null, got boolean"},
		{start + `"method":7}`, codeInvalidRequest, "method: want string, got number"},
		{start + `"method":"x","params":"y"}`, codeInvalidRequest, "params: want object or array, got string"},
		{start + `"id":1}`, codeInvalidRequest, "method: missing"},
		{start + `"result":1}`, codeInvalidRequest, "id: missing"},
		{start + `"id":1,"result":1,"error":{"code":1,"message":""}}`, codeInvalidRequest, "result: beside an error"},
		{start + `"id":1,"method":"x","result":1}`, codeInvalidRequest, "result: a request has no result"},
		{start + `"method":"x","error":{"code":1,"message":""}}`, codeInvalidRequest, "error: a request has no error"},
		{start + `"id":1,"result":1,"params":{}}`, codeInvalidRequest, "params: a response has no params"},
		{`[` + start + `"method":"x"}]`, codeInvalidRequest, "want object, got array: batches are not supported"},
		{`7`, codeInvalidRequest, "want object, got number"},
		{start + `"method":"x"`, codeParseError, "method: invalid JSON at offset 29: unexpected end instead of a comma or }"},
		{start + `"method":"x"} {}`, codeParseError, "invalid JSON at offset 31: unexpected '{' after the value"},
		{``, codeParseError, "invalid JSON at offset 0: unexpected end instead of a value"},
		{start + `"method":"note","params":{"text":}}`, codeParseError, "params: text: invalid JSON at offset 50: unexpected '}' instead of a value"},
	} {
		_, err := DecodeRPCMessage([]byte(c.text))
		var e *RPCError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v is no error to answer with", c.text, err)
			continue
		}
		check(t, e.Code, c.code, c.text)
		_, framed := DecodeFrame([]byte(c.text))
		check(t, framed, err, c.text)
		check(t, e.Message, c.want, c.text)
	}
}

func TestParametersOfKnownNotificationsAreDecodedOnTheWay(t *testing.T) {
	f := frame(t, `{"jsonrpc":"2.0","method":"note","params":{"text":"a","more":[1]}}`)
	check(t, f.Decoded, JSONAppender(&noteParams{"a"}))
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
		check(t, f.Decoded, JSONAppender(nil), name)
		check(t, f.DecodeError, error(nil), name)
	}

	f = frame(t, `{"jsonrpc":"2.0","method":"note","params":{"text":7}}`)
	check(t, f.Kind, RPCNotification)
	check(t, f.Params, raw(`{"text":7}`))
	check(t, f.Decoded, JSONAppender(nil))
	check(t, message(f.DecodeError), "params: text: want string, got number")
}

func TestMessagesAreAppended(t *testing.T) {
	appended := func(dst []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return string(dst)
	}
	text := &noteParams{"a"}
	start := []byte("> ")
	check(t, appended(AppendRequest(start, raw(`"1"`), "open", text)), `> {"jsonrpc":"2.0","id":"1","method":"open","params":{"text":"a"}}`)
	check(t, appended(AppendRequest(nil, raw(`1`), "open", nil)), `{"jsonrpc":"2.0","id":1,"method":"open"}`)
	check(t, appended(AppendNotification(nil, "note", text)), `{"jsonrpc":"2.0","method":"note","params":{"text":"a"}}`)
	check(t, appended(AppendNotification(nil, "no\"te", nil)), `{"jsonrpc":"2.0","method":"no\"te"}`)
	check(t, appended(AppendResult(nil, raw(`null`), text)), `{"jsonrpc":"2.0","id":null,"result":{"text":"a"}}`)
	check(t, appended(AppendResult(nil, raw(`12345678901234567890`), nil)), `{"jsonrpc":"2.0","id":12345678901234567890,"result":null}`)
	check(t, appended(AppendFailure(nil, raw(`1`), &RPCError{Code: -32001, Message: "m", Data: raw(`[1]`)})), `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m","data":[1]}}`)
	for _, bad := range []RPCMessage{
		{}, {Kind: RPCRequest, Method: "x"}, {Kind: RPCRequest, ID: raw(`{}`), Method: "x"}, {Kind: RPCRequest, ID: raw(`1 2`), Method: "x"},
		{Kind: RPCNotification, Params: raw(`{`)}, {Kind: RPCResult, ID: raw(`1`)}, {Kind: RPCFailure, ID: raw(`1`)},
		{Kind: RPCFailure, ID: raw(`1`), Error: &RPCError{Data: raw(`{`)}},
	} {
		if dst, err := bad.AppendJSON(nil); err == nil {
			t.Errorf("%+v is sent as %s", bad, dst)
		}
	}
}

// reference decodes a message with encoding/json. It is nil for what is no message.
func reference(data []byte) *RPCMessage {
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
	m := RPCMessage{ID: members["id"], Params: members["params"], Result: members["result"]}
	switch {
	case m.ID != nil && strings.IndexByte(`{[tf`, m.ID[0]) >= 0:
		return nil
	case string(m.Params) == "null":
		m.Params = nil
	case m.Params != nil && m.Params[0] != '{' && m.Params[0] != '[':
		return nil
	}
	if e, ok := members["error"]; ok {
		if m.Error = referenceError(e); m.Error == nil {
			return nil
		}
	}
	method, isCall := members["method"]
	_, hasParams := members["params"]
	switch {
	case isCall:
		if method[0] != '"' || json.Unmarshal(method, &m.Method) != nil || m.Result != nil || m.Error != nil {
			return nil
		}
		m.Kind = RPCNotification
		if m.ID != nil {
			m.Kind = RPCRequest
		}
	case m.ID == nil || hasParams || (m.Result == nil) == (m.Error == nil):
		return nil
	case m.Error != nil:
		m.Kind = RPCFailure
	default:
		m.Kind = RPCResult
	}
	return &m
}

func referenceError(data []byte) *RPCError {
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
	e := &RPCError{Code: ErrorCode(code), Data: members["data"]}
	if json.Unmarshal(text, &e.Message) != nil {
		return nil
	}
	return e
}

// exactInt is an integer however it is written, such as 1e1.
func exactInt(text []byte) (int64, bool) {
	d := newDecoder(text)
	n := d.int64() // compared with math/big elsewhere
	return n, d.finish() == nil
}

// agrees holds the decoders against the reference.
func agrees(t *testing.T, data []byte) {
	t.Helper()
	if depthOf(data) > maxDepth-2 {
		return
	}
	want := reference(data)
	got, err := DecodeRPCMessage(data)
	if (err == nil) != (want != nil) {
		t.Fatalf("%s: %v, but encoding/json says %+v", data, err, want)
	}
	f, framed := DecodeFrame(data)
	check(t, framed, err, string(data))
	if err != nil {
		return
	}
	check(t, got, *want, string(data))
	check(t, f.RPCMessage, got, string(data))
	if f.Decoded != nil && (f.Kind != RPCNotification || f.DecodeError != nil) {
		t.Fatalf("%s: decoded, but %v %v", data, f.Kind, f.DecodeError)
	}
	again, err := got.AppendJSON(nil)
	check(t, err, error(nil), string(data))
	back, err := DecodeRPCMessage(again)
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
	kinds := map[RPCKind]int{}
	for range 50_000 {
		data := randomMessage(r)
		agrees(t, data)
		if m, err := DecodeRPCMessage(data); err == nil {
			kinds[m.Kind]++
		}
	}
	for _, kind := range []RPCKind{RPCRequest, RPCNotification, RPCResult, RPCFailure} {
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
