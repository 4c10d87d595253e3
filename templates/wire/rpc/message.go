// Messages: strict decoding and encoding of JSON-RPC 2.0.

package rpc

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Kind is the kind of a message.
type Kind string

// The kinds of messages.
const (
	Request      Kind = "request"      // expects an answer
	Notification Kind = "notification" // is not answered
	Result       Kind = "result"       // answers a request
	Failure      Kind = "failure"      // answers a failed request
	Batch        Kind = "batch"        // an array of messages
)

// Message is a JSON-RPC 2.0 message. Raw fields are verbatim and share memory with the input.
type Message struct {
	Kind   Kind
	ID     json.RawMessage // a string, a number or null; nil for notifications
	Method string          // of answers too, in an envelope that repeats it
	Params json.RawMessage // nil if absent; the array of messages for a batch
	Result json.RawMessage
	Error  *Error
	// Body is encoded as parameters or result, in place and without a copy, instead of Params and Result. It is not set by
	// [Decode].
	Body wire.Appender

	// Partial sends one of several results of a request, and returns an error once no more are wanted. It is nil on a
	// connection that takes one result. The handler calls it before it returns, and then returns a nil result, or an
	// error to end with.
	Partial func(result json.RawMessage) error
	// Decoded holds the parameters of a known notification whose method precedes them, as sent by this package. It
	// does not share memory with the input.
	Decoded wire.Appender
	// Cancels is the id of the request this message cancels. Cancellable reports whether this request can be
	// cancelled.
	Cancels     json.RawMessage
	Cancellable bool
	alone       bool            // not allowed in a batch
	known       bool            // the method is in the table
	batch       *batch          // the batch it is part of, or nil
	failed      json.RawMessage // of a malformed answer: the id of the request, or nil
	response    bool            // a malformed message that is an answer and is not answered itself
	cancelled   int64           // code of the answer if cancelled, or 0
	silent      bool            // not answered if cancelled
	marks       []mark          // for cancelling it other than by id
	sent        func(uint64)    // called with the number of a request when it is sent
	pending     *request        // its cancellation, or nil
	seen        []byte          // beginning of a malformed message
	first       json.RawMessage // of a batch that is refused as a whole: the id of a request in it, or nil
	since       int64           // when it was received, if that is observed
	trace       *spec.Tracing   // where trace context is, or nil
	lost        error           // why the request with this id gets no answer
	// Token is the progress token of a progress notification.
	Token string
	// DecodeError is the error from decoding the parameters.
	DecodeError error
}

// Decode decodes one message, and on the way the parameters of a known notification: those that do not
// fit are no reason to refuse the message, Message.DecodeError says what is wrong with them. A nil table
// knows none. What is in a batch is not decoded, and where the table has no batches it is refused. An error is an [*Error]
// to answer with: a parse error, or an invalid request with the path to what is wrong. It goes under the ID of the message,
// which then has no kind, and under null where that is nil.
func Decode(data []byte, t *spec.Table) (Message, error) {
	if t == nil {
		t = &spec.Table{}
	}
	if t.Envelope != nil {
		m, err := decodeIn(data, t)
		if err == nil {
			m.about(t)
		}
		return m, err
	}
	var m Message
	d := wire.NewDecoder(data)
	m.read(wire.NoEscape(&d), t)
	err := d.Finish()
	if err == nil {
		m.about(t)
		return m, nil
	}
	if t.Notification == nil {
		return badMessage(data, err)
	}
	m, failed := Decode(data, &spec.Table{Known: t.Known, Cancel: t.Cancel, Ends: t.Ends, Progress: t.Progress, Batches: t.Batches})
	if failed != nil {
		return m, failed
	}
	if m.Kind == Notification {
		m.DecodeError = err
	}
	return m, nil
}

// about notes the entry of a message in the table.
func (m *Message) about(t *spec.Table) {
	m.Cancels, m.Cancellable, m.Token = cancels(t, m), t.Cancel != nil, tokenOf(t, m)
	m.alone, m.marks = alone(t, m), marksOf(t, m)
	m.trace = t.Trace
	if t.Cancel != nil {
		m.cancelled, m.silent = t.Cancel.Code, t.Cancel.Unanswered
	}
}

func badMessage(data []byte, err error) (Message, error) {
	if !json.Valid(data) {
		return Message{}, &Error{Code: int64(ParseError), Message: err.Error()}
	}
	return salvaged(data), &Error{Code: int64(InvalidRequest), Message: err.Error()}
}

// salvaged returns what can be determined about a malformed message, so that no peer waits in vain: the id of the
// peer's request, or of the request it would answer. A message without a method is an answer; some peers omit empty
// results.
func salvaged(data []byte) (m Message) {
	var at places
	var id json.RawMessage
	d := wire.NewDecoder(data)
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "id":
			at.note(&d, memberID)
			id = readID(&d)
			continue
		case "method":
			at[memberMethod]++
		case "result", "error":
			at[memberResult]++
		}
		d.Skip()
	}
	if d.Failed() { // the id is ambiguous
		return Message{}
	}
	if at[memberMethod] == 0 {
		return Message{failed: id, response: id != nil && at[memberResult] > 0}
	}
	if at[memberResult] == 0 {
		m.ID = id
	}
	return m
}

// malformed returns a message for which only the error and these facts are known.
func (m *Message) malformed(err error) Message {
	return Message{ID: m.ID, failed: m.failed, response: m.response, DecodeError: err}
}

// Indexes of the members of a message.
const (
	memberJSONRPC = iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
	memberCount
)

// places records the offset of each member's value, to detect duplicates and locate errors. No value is at offset 0.
type places [memberCount]int

// isNull marks an error member that is null, which counts as absent.
const isNull = -1

func (p *places) note(d *wire.Decoder, member int) {
	if p[member] != 0 {
		d.FailAt(d.Offset(), "given twice")
	}
	p[member] = d.Offset()
}

// read decodes a message, with the parameters of notifications in the table.
func (m *Message) read(d *wire.Decoder, t *spec.Table) {
	if d.Kind() == '[' {
		m.readBatch(d, t)
		return
	}
	var at places
	known := false // the method is in the table
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "jsonrpc":
			at.note(d, memberJSONRPC)
			d.Expect("2.0", 0)
		case "id":
			at.note(d, memberID)
			m.ID = readID(d)
		case "method":
			at.note(d, memberMethod)
			m.Method, known = readMethod(d, t)
			m.known = known
		case "params":
			at.note(d, memberParams)
			start := d.Offset()
			if known && t.Notification != nil && d.Kind() == '{' {
				m.Decoded = t.Notification(d, m.Method)
			}
			if d.Offset() == start {
				m.Params = readParams(d)
			} else if !d.Failed() {
				m.Params = d.Since(start)
			}
		case "result":
			at.note(d, memberResult)
			m.Result = d.Slice()
		case "error":
			at.note(d, memberError)
			if d.Null() { // some peers send it beside a result
				at[memberError] = isNull
				continue
			}
			m.Error = new(Error)
			m.Error.read(d)
		default:
			d.Skip()
		}
	}
	if !d.Failed() {
		m.classify(d, &at)
	}
}

// classify determines the kind of a message by its members.
func (m *Message) classify(d *wire.Decoder, at *places) {
	refuse := func(member int, reason string) {
		if at[member] > 0 {
			d.FailAt(at[member], reason)
		}
	}
	switch {
	case at[memberJSONRPC] == 0:
		d.Missing("jsonrpc")
	case at[memberMethod] != 0:
		m.Kind = Notification
		if at[memberID] != 0 {
			m.Kind = Request
			m.Decoded = nil // a request is not a notification, whatever its name
		}
		refuse(memberResult, "a request has no result")
		refuse(memberError, "a request has no error")
	case at[memberResult] == 0 && at[memberError] == 0:
		d.Missing("method")
	case at[memberResult] == 0 && at[memberError] == isNull:
		d.Missing("result")
	case at[memberID] == 0:
		d.Missing("id")
	default:
		m.Kind = Result
		if at[memberError] > 0 {
			m.Kind = Failure
			if string(m.Result) != "null" { // some peers send it beside an error
				refuse(memberResult, "beside an error")
			}
			m.Result = nil
		}
		refuse(memberParams, "a response has no params")
	}
}

// readMethod reads a method name. Known names are not copied.
func readMethod(d *wire.Decoder, t *spec.Table) (name string, known bool) {
	text := d.Text()
	if t.Known != nil {
		if m, ok := t.Known(text); ok {
			return m, true
		}
	}
	return string(text), false
}

func readID(d *wire.Decoder) json.RawMessage {
	switch d.Kind() {
	case '"', '0', 'n':
		return d.Slice()
	}
	d.Mismatch("string, number or null")
	return nil
}

// readParams returns parameters. Null means absent.
func readParams(d *wire.Decoder) json.RawMessage {
	switch d.Kind() {
	case '{', '[':
		return d.Slice()
	}
	if !d.Null() && !d.Failed() {
		d.Mismatch("object or array")
	}
	return nil
}

func (e *Error) read(d *wire.Decoder) {
	var code, text, data bool
	once := func(seen *bool) {
		if *seen {
			d.FailAt(d.Offset(), "given twice")
		}
		*seen = true
	}
	for k := d.Object(); k != nil; k = d.NextKey() {
		switch string(k) {
		case "code":
			once(&code)
			e.Code = d.Int64()
		case "message":
			once(&text)
			e.Message = d.Str()
		case "data":
			once(&data)
			e.Data = d.Slice()
		default:
			d.Skip()
		}
	}
	if !code {
		d.Missing("code")
	}
	if !text {
		d.Missing("message")
	}
}

// AppendJSON appends the message.
func (m *Message) AppendJSON(dst []byte) ([]byte, error) {
	if m == nil {
		return dst, errNil
	}
	switch m.Kind {
	case Request, Notification:
		return appendCall(dst, m, func(dst []byte) ([]byte, error) {
			switch {
			case m.Body != nil:
				return m.appendBody(append(dst, `,"params":`...), "params")
			case len(m.Params) == 0:
				return dst, nil
			}
			return appendRaw(append(dst, `,"params":`...), m.Params)
		})
	case Result:
		return appendResponse(dst, m.ID, func(dst []byte) ([]byte, error) {
			if dst = append(dst, `,"result":`...); m.Body != nil {
				return m.appendBody(dst, "result")
			}
			return appendRaw(dst, m.Result)
		})
	case Failure:
		return appendFailure(dst, m.ID, m.Error)
	case Batch:
		return appendRaw(dst, m.Params)
	}
	return dst, errors.New("a message of kind " + wire.Excerpt(string(m.Kind)) + " cannot be sent")
}

// appendBody appends the value that is the parameters or the result. What does not come from a generated package is
// validated.
func (m *Message) appendBody(dst []byte, member string) ([]byte, error) {
	start := len(dst)
	dst, err := wire.AppendValid(dst, m.Body)
	if _, generated := m.Body.(wire.Encodable); !generated && err == nil {
		d := wire.NewDecoder(dst[start:])
		d.Skip()
		err = d.Finish()
	}
	if err != nil {
		return dst, wire.Within(member, err)
	}
	return dst, nil
}

// appendFailure appends an error answer.
func appendFailure(dst []byte, id json.RawMessage, e *Error) ([]byte, error) {
	if e == nil {
		return dst, wire.Within("error", errNil)
	}
	return appendResponse(dst, id, func(dst []byte) ([]byte, error) {
		dst = append(dst, `,"error":{"code":`...)
		dst = strconv.AppendInt(dst, e.Code, 10)
		dst = append(dst, `,"message":`...)
		dst = wire.AppendString(dst, e.Message)
		if len(e.Data) > 0 {
			var err error
			if dst, err = appendRaw(append(dst, `,"data":`...), e.Data); err != nil {
				return dst, wire.Within("error", wire.Within("data", err))
			}
		}
		return append(dst, '}'), nil
	})
}

func appendCall(dst []byte, m *Message, params func([]byte) ([]byte, error)) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if m.Kind == Request {
		var err error
		if dst, err = appendID(dst, m.ID); err != nil {
			return dst, err
		}
	}
	dst = append(dst, `,"method":`...)
	dst = wire.AppendString(dst, m.Method)
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
	d := wire.NewDecoder(id)
	if readID(&d); d.Finish() != nil {
		return dst, wire.Within("id", errors.New(wire.Excerpt(string(id))+" is no string, number or null"))
	}
	return append(append(dst, `,"id":`...), id...), nil
}

// Answer returns the answer to a request.
func Answer(id, result json.RawMessage, err error) Message {
	if err != nil {
		return Message{Kind: Failure, ID: id, Error: AsError(err)}
	}
	return Message{Kind: Result, ID: id, Result: result}
}

var errNil = errors.New("missing: the value is nil")

// appendRaw appends raw JSON after validating it.
func appendRaw(dst []byte, raw json.RawMessage) ([]byte, error) {
	return codec.AppendAs(dst, raw, codec.RawItem)
}
