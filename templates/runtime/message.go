// Messages: whole JSON-RPC 2.0 messages, told apart strictly.

package runtime

import (
	"encoding/json"
	"errors"
)

// RPCKind says what a message is.
type RPCKind string

// The kinds of message.
const (
	RPCRequest      RPCKind = "request"      // wants an answer
	RPCNotification RPCKind = "notification" // has none
	RPCResult       RPCKind = "result"       // answers a request
	RPCFailure      RPCKind = "failure"      // answers a request that failed
)

// RPCMessage is one JSON-RPC 2.0 message. What it holds as raw JSON is as it came, byte for byte, and
// shares memory with the input it was decoded from.
type RPCMessage struct {
	Kind   RPCKind
	ID     json.RawMessage // a string, a number or null; nil in a notification
	Method string
	Params json.RawMessage // nil where there are none
	Result json.RawMessage
	Error  *RPCError
}

// Frame is a message with the parameters of a known notification decoded.
type Frame struct {
	RPCMessage
	// Decoded holds the parameters if the message is a notification of the protocol and names its
	// method before them, as all peers do that build on this package. It shares no memory with the
	// input.
	Decoded JSONAppender
	// DecodeError says why Decoded is nil where they could not be decoded.
	DecodeError error
}

// DecodeRPCMessage decodes one message. Batches are refused. An error is an [*RPCError] to answer with,
// under the id null: a parse error, or an invalid request with the path to what is wrong.
func DecodeRPCMessage(data []byte) (RPCMessage, error) {
	var m RPCMessage
	d := newDecoder(data)
	m.read(noEscape(&d), nil)
	if err := d.finish(); err != nil {
		return RPCMessage{}, badMessage(data, err)
	}
	return m, nil
}

// DecodeFrame is [DecodeRPCMessage] that decodes the parameters of a known notification on the way.
// Those that do not fit are no reason to refuse the message: Frame.DecodeError says what is wrong.
func DecodeFrame(data []byte) (Frame, error) {
	var f Frame
	d := newDecoder(data)
	f.read(noEscape(&d), &f.Decoded)
	err := d.finish()
	if err == nil {
		return f, nil
	}
	m, failed := DecodeRPCMessage(data)
	if failed != nil {
		return Frame{}, failed
	}
	f = Frame{RPCMessage: m}
	if m.Kind == RPCNotification {
		f.DecodeError = err
	}
	return f, nil
}

func badMessage(data []byte, err error) error {
	code := codeInvalidRequest
	if !json.Valid(data) {
		code = codeParseError
	}
	return &RPCError{Code: code, Message: err.Error()}
}

// The members of a message, as indexes.
const (
	memberJSONRPC = iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
	memberCount
)

// places notes where the value of each member stands, so that a second one is noticed and errors have a
// place. No value stands at 0, where the object begins.
type places [memberCount]int

func (p *places) note(d *decoder, member int) {
	if p[member] != 0 {
		d.fail(d.pos, "given twice")
	}
	p[member] = d.pos
}

// read decodes a message. Where decoded is not nil, it receives the parameters of a known notification.
func (m *RPCMessage) read(d *decoder, decoded *JSONAppender) {
	if d.kind() == '[' {
		d.failf("want object, got array: batches are not supported")
		return
	}
	var at places
	known := false // the method is one of the protocol's
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "jsonrpc":
			at.note(d, memberJSONRPC)
			d.expectString("2.0")
		case "id":
			at.note(d, memberID)
			m.ID = d.id()
		case "method":
			at.note(d, memberMethod)
			m.Method, known = readMethod(d)
		case "params":
			at.note(d, memberParams)
			start := d.pos
			if known && decoded != nil && d.kind() == '{' {
				*decoded = readNotification(d, Method(m.Method))
			}
			if d.pos == start {
				m.Params = d.params()
			} else if !d.failed() {
				m.Params = d.data[start:d.pos:d.pos]
			}
		case "result":
			at.note(d, memberResult)
			m.Result = d.slice()
		case "error":
			at.note(d, memberError)
			m.Error = new(RPCError)
			m.Error.read(d)
		default:
			d.skip()
		}
	}
	if !d.failed() {
		m.classify(d, &at, decoded)
	}
}

// classify says what a message is by the members that it has.
func (m *RPCMessage) classify(d *decoder, at *places, decoded *JSONAppender) {
	refuse := func(member int, reason string) {
		if at[member] != 0 {
			d.fail(at[member], reason)
		}
	}
	switch {
	case at[memberJSONRPC] == 0:
		d.missing("jsonrpc")
	case at[memberMethod] != 0:
		m.Kind = RPCNotification
		if at[memberID] != 0 {
			m.Kind = RPCRequest
			if decoded != nil {
				*decoded = nil // nothing that wants an answer is a notification, whatever its name
			}
		}
		refuse(memberResult, "a request has no result")
		refuse(memberError, "a request has no error")
	case at[memberResult] == 0 && at[memberError] == 0:
		d.missing("method")
	case at[memberID] == 0:
		d.missing("id")
	default:
		m.Kind = RPCResult
		if at[memberError] != 0 {
			m.Kind = RPCFailure
			refuse(memberResult, "beside an error")
		}
		refuse(memberParams, "a response has no params")
	}
}

// readMethod reads the name of a method; one of the protocol's costs no copy.
func readMethod(d *decoder) (name string, known bool) {
	text := d.text()
	if m, ok := knownMethod(text); ok {
		return string(m), true
	}
	return string(text), false
}

// slice returns the next value's bytes without a copy.
func (d *decoder) slice() json.RawMessage {
	start := d.pos
	end := d.skipValue(start)
	if end < 0 {
		return nil
	}
	d.pos = end
	return d.data[start:end:end]
}

func (d *decoder) id() json.RawMessage {
	switch d.kind() {
	case '"', '0', 'n':
		return d.slice()
	}
	d.mismatch("string, number or null")
	return nil
}

// params returns parameters; null stands for none.
func (d *decoder) params() json.RawMessage {
	switch d.kind() {
	case '{', '[':
		return d.slice()
	}
	if !d.null() && !d.failed() {
		d.mismatch("object or array")
	}
	return nil
}

func (e *RPCError) read(d *decoder) {
	var code, text, data bool
	once := func(seen *bool) {
		if *seen {
			d.fail(d.pos, "given twice")
		}
		*seen = true
	}
	for k := d.object(); k != nil; k = d.nextKey() {
		switch string(k) {
		case "code":
			once(&code)
			e.Code = ErrorCode(d.int64())
		case "message":
			once(&text)
			e.Message = d.string()
		case "data":
			once(&data)
			e.Data = d.slice()
		default:
			d.skip()
		}
	}
	if !code {
		d.missing("code")
	}
	if !text {
		d.missing("message")
	}
}

// AppendJSON appends the message as its kind wants it.
func (m *RPCMessage) AppendJSON(dst []byte) ([]byte, error) {
	if m == nil {
		return dst, errNil
	}
	switch m.Kind {
	case RPCRequest, RPCNotification:
		return appendCall(dst, m, func(dst []byte) ([]byte, error) {
			if len(m.Params) == 0 {
				return dst, nil
			}
			return appendRaw(append(dst, `,"params":`...), m.Params)
		})
	case RPCResult:
		return appendResponse(dst, m.ID, func(dst []byte) ([]byte, error) {
			return appendRaw(append(dst, `,"result":`...), m.Result)
		})
	case RPCFailure:
		return AppendFailure(dst, m.ID, m.Error)
	}
	return dst, errors.New("a message of kind " + excerpt(string(m.Kind)) + " cannot be sent")
}

// AppendRequest appends a request. The id is JSON, and params nil where the method takes none.
func AppendRequest(dst []byte, id json.RawMessage, method Method, params JSONAppender) ([]byte, error) {
	m := RPCMessage{Kind: RPCRequest, ID: id, Method: string(method)}
	return appendCall(dst, &m, func(dst []byte) ([]byte, error) { return appendParams(dst, params) })
}

// AppendNotification appends a notification; params is nil where the method takes none.
func AppendNotification(dst []byte, method Method, params JSONAppender) ([]byte, error) {
	m := RPCMessage{Kind: RPCNotification, Method: string(method)}
	return appendCall(dst, &m, func(dst []byte) ([]byte, error) { return appendParams(dst, params) })
}

// AppendResult appends the answer to a request; nil is null.
func AppendResult(dst []byte, id json.RawMessage, result JSONAppender) ([]byte, error) {
	return appendResponse(dst, id, func(dst []byte) ([]byte, error) {
		dst = append(dst, `,"result":`...)
		if result == nil {
			return append(dst, "null"...), nil
		}
		return inMember("result", dst, result.AppendJSON)
	})
}

// AppendFailure appends the answer to a request that failed.
func AppendFailure(dst []byte, id json.RawMessage, e *RPCError) ([]byte, error) {
	if e == nil {
		return dst, atMember("error", errNil)
	}
	return appendResponse(dst, id, func(dst []byte) ([]byte, error) {
		dst = append(dst, `,"error":{"code":`...)
		dst = appendInt(dst, int64(e.Code))
		dst = append(dst, `,"message":`...)
		dst = appendString(dst, e.Message)
		if len(e.Data) > 0 {
			var err error
			if dst, err = appendRaw(append(dst, `,"data":`...), e.Data); err != nil {
				return dst, atMember("error", atMember("data", err))
			}
		}
		return append(dst, '}'), nil
	})
}

func appendParams(dst []byte, params JSONAppender) ([]byte, error) {
	if params == nil {
		return dst, nil
	}
	return inMember("params", append(dst, `,"params":`...), params.AppendJSON)
}

func inMember(name string, dst []byte, appendTo func([]byte) ([]byte, error)) ([]byte, error) {
	dst, err := appendTo(dst)
	if err != nil {
		return dst, atMember(name, err)
	}
	return dst, nil
}

func appendCall(dst []byte, m *RPCMessage, params func([]byte) ([]byte, error)) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if m.Kind == RPCRequest {
		var err error
		if dst, err = appendID(dst, m.ID); err != nil {
			return dst, err
		}
	}
	dst = append(dst, `,"method":`...)
	dst = appendString(dst, m.Method)
	dst, err := params(dst)
	if err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

func appendResponse(dst []byte, id json.RawMessage, rest func([]byte) ([]byte, error)) ([]byte, error) {
	dst, err := appendID(append(dst, `{"jsonrpc":"2.0"`...), id)
	if err != nil {
		return dst, err
	}
	if dst, err = rest(dst); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

func appendID(dst []byte, id json.RawMessage) ([]byte, error) {
	d := newDecoder(id)
	if d.id(); d.finish() != nil {
		return dst, atMember("id", errors.New(excerpt(string(id))+" is no string, number or null"))
	}
	return append(append(dst, `,"id":`...), id...), nil
}

// response is the answer to a request.
func response(id, result json.RawMessage, err error) RPCMessage {
	if err != nil {
		return RPCMessage{Kind: RPCFailure, ID: id, Error: asRPCError(err)}
	}
	return RPCMessage{Kind: RPCResult, ID: id, Result: result}
}
