// Calls: the connection that methods travel on, the errors that come back, and what typed methods and
// handlers share.

package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Conn sends requests and notifications to the peer; any JSON-RPC library fits behind it. Both methods
// may be called by several goroutines at once.
type Conn interface {
	// Call sends a request and waits for its answer; params is nil where the method takes none. An
	// error that the peer answered is, or wraps, a [*RPCError].
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify sends a notification, which has no answer.
	Notify(ctx context.Context, method string, params json.RawMessage) error
}

// The codes that JSON-RPC itself defines, for the errors that handlers and messages make by themselves.
const (
	codeParseError     ErrorCode = -32700
	codeInvalidRequest ErrorCode = -32600
	codeMethodNotFound ErrorCode = -32601
	codeInvalidParams  ErrorCode = -32602
	codeInternalError  ErrorCode = -32603
)

// Error is the name of the code, or its number where it has none. Codes are errors, so that
// errors.Is(err, code) tells what a peer answered, and a handler can return a bare code.
func (c ErrorCode) Error() string {
	if name := errorName(c); name != "" {
		return name
	}
	return "error " + strconv.FormatInt(int64(c), 10)
}

// RPCError is an error as it is on the wire. errors.Is finds its code, and errors.As its data, where
// the code is one that carries data of a known type and the data is well formed.
type RPCError struct {
	Code    ErrorCode
	Message string
	Data    json.RawMessage // nil where there is none
}

// Error implements error. Of a message that is long it has the start, and it escapes what cannot be
// printed; Message is as it came.
func (e *RPCError) Error() string {
	if e.Message == "" || e.Message == e.Code.Error() {
		return e.Code.Error()
	}
	return e.Code.Error() + ": " + readable(e.Message)
}

// Unwrap returns the code.
func (e *RPCError) Unwrap() error { return e.Code }

// NewRPCError returns an error with data; nil is none.
func NewRPCError(code ErrorCode, message string, data JSONAppender) (*RPCError, error) {
	e := &RPCError{Code: code, Message: message}
	if data == nil {
		return e, nil
	}
	var err error
	if e.Data, err = data.AppendJSON(nil); err != nil {
		return nil, atMember("data", err)
	}
	return e, nil
}

// decodeData decodes the data of an error for errors.As.
func decodeData[T any](e *RPCError, target *T, decode func([]byte) (T, error)) bool {
	v, err := decode(e.Data)
	if err != nil {
		return false
	}
	*target = v
	return true
}

// wireError is data that stands for an error with one certain code.
type wireError interface{ rpcError() (*RPCError, error) }

// asRPCError is what an error that a handler returned becomes on the wire.
func asRPCError(err error) *RPCError {
	var own *RPCError
	var data wireError
	var code ErrorCode
	switch {
	case errors.As(err, &own) && own == nil:
		return &RPCError{Code: codeInternalError, Message: "an error that is a nil pointer"}
	case own != nil:
		return own
	case errors.As(err, &data):
		made, failed := data.rpcError()
		if failed != nil {
			return &RPCError{Code: codeInternalError, Message: failed.Error()}
		}
		return made
	case errors.As(err, &code):
		return &RPCError{Code: code, Message: err.Error()}
	}
	return &RPCError{Code: codeInternalError, Message: err.Error()}
}

// Sending.

// payload is what a method sends: a pointer to a struct, or a variant of a union.
type payload interface {
	comparable
	JSONAppender
}

var errNil = errors.New("missing: the value is nil")

func encodeParams[P payload](m Method, p P) (json.RawMessage, error) {
	var none P
	if p == none {
		return nil, fmt.Errorf("%s: params: %w", m, errNil)
	}
	raw, err := p.AppendJSON(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, atMember("params", err))
	}
	return raw, nil
}

// send makes a call, unless nobody waits for its answer any more.
func send(ctx context.Context, conn Conn, m Method, params json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", quoteName(string(m)), err)
	}
	raw, err := conn.Call(ctx, string(m), params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", quoteName(string(m)), err)
	}
	return raw, nil
}

func decodeResult[R any](m Method, raw json.RawMessage, decode func([]byte) (R, error)) (R, error) {
	v, err := decode(raw)
	if err != nil {
		return v, fmt.Errorf("%s: result: %w", m, err)
	}
	return v, nil
}

// call is a request with parameters and a result.
func call[P payload, R any](ctx context.Context, conn Conn, m Method, p P, decode func([]byte) (R, error)) (R, error) {
	var none R
	params, err := encodeParams(m, p)
	if err != nil {
		return none, err
	}
	raw, err := send(ctx, conn, m, params)
	if err != nil {
		return none, err
	}
	return decodeResult(m, raw, decode)
}

// callNull is call where the result is null. A newer peer may answer with more than that.
func callNull[P payload](ctx context.Context, conn Conn, m Method, p P) error {
	params, err := encodeParams(m, p)
	if err != nil {
		return err
	}
	_, err = send(ctx, conn, m, params)
	return err
}

// callBare is call for a method without parameters.
func callBare[R any](ctx context.Context, conn Conn, m Method, decode func([]byte) (R, error)) (R, error) {
	raw, err := send(ctx, conn, m, nil)
	if err != nil {
		var none R
		return none, err
	}
	return decodeResult(m, raw, decode)
}

// callBareNull is a request with neither parameters nor a result.
func callBareNull(ctx context.Context, conn Conn, m Method) error {
	_, err := send(ctx, conn, m, nil)
	return err
}

func notify[P payload](ctx context.Context, conn Conn, m Method, p P) error {
	params, err := encodeParams(m, p)
	if err != nil {
		return err
	}
	return sendNotification(ctx, conn, m, params)
}

func notifyBare(ctx context.Context, conn Conn, m Method) error {
	return sendNotification(ctx, conn, m, nil)
}

func sendNotification(ctx context.Context, conn Conn, m Method, params json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", quoteName(string(m)), err)
	}
	if err := conn.Notify(ctx, string(m), params); err != nil {
		return fmt.Errorf("%s: %w", quoteName(string(m)), err)
	}
	return nil
}

// Receiving.

func notFound(method string) *RPCError {
	return &RPCError{Code: codeMethodNotFound, Message: "there is no " + excerpt(method) + " here"}
}

func internalError(err error) *RPCError {
	return &RPCError{Code: codeInternalError, Message: err.Error()}
}

// readParams decodes parameters; what is wrong with them is told with the path to it.
func readParams[P any](raw json.RawMessage, decode func([]byte) (P, error)) (P, error) {
	var p P
	if len(raw) == 0 {
		return p, &RPCError{Code: codeInvalidParams, Message: "params: missing"}
	}
	p, err := decode(raw)
	if err != nil {
		return p, &RPCError{Code: codeInvalidParams, Message: "params: " + err.Error()}
	}
	return p, nil
}

// reply encodes what a handler returned.
func reply[R payload](r R, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, asRPCError(err)
	}
	var none R
	if r == none {
		return nil, internalError(fmt.Errorf("result: %w", errNil))
	}
	raw, err := r.AppendJSON(nil)
	if err != nil {
		return nil, internalError(atMember("result", err))
	}
	return raw, nil
}

// replyRaw is reply for a result that is JSON already; nil is null.
func replyRaw(raw json.RawMessage, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, asRPCError(err)
	}
	if raw == nil {
		return jsonNull(), nil
	}
	if _, err := appendRaw(nil, raw); err != nil {
		return nil, internalError(atMember("result", err))
	}
	return raw, nil
}

func replyNull(err error) (json.RawMessage, error) {
	if err != nil {
		return nil, asRPCError(err)
	}
	return jsonNull(), nil
}

func jsonNull() json.RawMessage { return json.RawMessage("null") }

// serve answers a request with parameters and a result.
func serve[P any, R payload](ctx context.Context, m string, f func(context.Context, P) (R, error), raw json.RawMessage, decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil {
		return nil, notFound(m)
	}
	p, err := readParams(raw, decode)
	if err != nil {
		return nil, err
	}
	return reply(f(ctx, p))
}

// serveNull is serve where the result is null.
func serveNull[P any](ctx context.Context, m string, f func(context.Context, P) error, raw json.RawMessage, decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil {
		return nil, notFound(m)
	}
	p, err := readParams(raw, decode)
	if err != nil {
		return nil, err
	}
	return replyNull(f(ctx, p))
}

// serveBare is serve for a method without parameters; what a peer sends along is passed over.
func serveBare[R payload](ctx context.Context, m string, f func(context.Context) (R, error)) (json.RawMessage, error) {
	if f == nil {
		return nil, notFound(m)
	}
	return reply(f(ctx))
}

func serveBareNull(ctx context.Context, m string, f func(context.Context) error) (json.RawMessage, error) {
	if f == nil {
		return nil, notFound(m)
	}
	return replyNull(f(ctx))
}

// deliver hands a notification to its handler. Its parameters may be decoded already.
func deliver[P any](ctx context.Context, n *notification, f func(context.Context, P), decode func([]byte) (P, error)) error {
	if f == nil {
		return notFound(n.method)
	}
	if n.err != nil {
		return &RPCError{Code: codeInvalidParams, Message: n.err.Error()}
	}
	p, ok := n.decoded.(P)
	if !ok {
		var err error
		if p, err = readParams(n.params, decode); err != nil {
			return err
		}
	}
	f(ctx, p)
	return nil
}

func deliverBare(ctx context.Context, n *notification, f func(context.Context)) error {
	if f == nil {
		return notFound(n.method)
	}
	f(ctx)
	return nil
}

// notification is one that came in.
type notification struct {
	method  string
	params  json.RawMessage
	decoded JSONAppender // nil where nothing has decoded the parameters yet
	err     error        // why they could not be decoded
}

// hooks are what all handlers tell about what they cannot answer.
type hooks struct {
	panicked func(ctx context.Context, method string, value any)
	dropped  func(ctx context.Context, method string, params json.RawMessage, err error)
}

// answer runs what handles a request. A panic becomes an answer, which does not tell its value to the
// peer; a request that nobody waits for any more is not handled.
func (h hooks) answer(ctx context.Context, method string, f func() (json.RawMessage, error)) (result json.RawMessage, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, &RPCError{Code: codeInternalError, Message: "the handler failed"}
			h.caught(ctx, method, value)
		}
	}()
	if cause := context.Cause(ctx); cause != nil {
		return nil, internalError(cause)
	}
	return f()
}

// take runs what handles a notification. Whatever happens, there is nobody to answer to.
func (h hooks) take(ctx context.Context, n *notification, f func() error) {
	defer func() {
		if value := recover(); value != nil {
			h.caught(ctx, n.method, value)
		}
	}()
	err := context.Cause(ctx)
	if err == nil {
		err = f()
	}
	if err != nil && h.dropped != nil {
		h.dropped(ctx, n.method, n.params, err)
	}
}

func (h hooks) caught(ctx context.Context, method string, value any) {
	if h.panicked != nil {
		h.panicked(ctx, method, value)
	}
}

// Methods beyond the table.

// ExtensionHandler handles a method that the protocol does not define. It gets the full name and the
// parameters as they came, nil where there are none. A nil result is null; that of a notification goes
// nowhere.
type ExtensionHandler func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

func serveExtension(ctx context.Context, handlers map[string]ExtensionHandler, method string, params json.RawMessage) (json.RawMessage, error) {
	f := handlers[method]
	if f == nil || !isExtension(method) {
		return nil, notFound(method)
	}
	return replyRaw(f(ctx, method, params))
}

func isExtension(method string) bool {
	return extensionPrefix != "" && strings.HasPrefix(method, extensionPrefix)
}

// checkExtension refuses to send under a name that does not belong to extensions.
func checkExtension(method string) (Method, error) {
	if !isExtension(method) {
		return "", errors.New(excerpt(method) + ": the names of extensions begin with " + excerpt(extensionPrefix))
	}
	return Method(method), nil
}

// passThrough says how to tell a channel that carries methods of another protocol.
type passThrough struct {
	member string // of the parameters: the URI of the channel
	start  string // what such URIs begin with
}

// passThroughChannel returns the channel that parameters name, if it is one that carries methods of
// another protocol.
func passThroughChannel(params json.RawMessage) (string, bool) {
	for _, p := range passThroughs {
		d := newDecoder(params)
		if d.kind() != '{' {
			return "", false
		}
		uri, ok := d.onlyString(p.member)
		if ok && strings.HasPrefix(uri, p.start) {
			return uri, true
		}
	}
	return "", false
}

// onlyString returns the value of a member of the object that comes next, a string. One that is there
// twice has no value, unless it is the same: the decoder of whoever gets the object may take either.
func (d *decoder) onlyString(member string) (value string, ok bool) {
	for k := d.object(); k != nil; k = d.nextKey() {
		if string(k) != member {
			d.skip()
			continue
		}
		again := d.string()
		if ok && again != value {
			return "", false
		}
		value, ok = again, true
	}
	return value, ok && !d.failed()
}

// PassThroughHandler handles a method of another protocol. It gets the channel that the parameters
// name, and the parameters as they came. A nil result is null; that of a notification goes nowhere.
type PassThroughHandler func(ctx context.Context, channel, method string, params json.RawMessage) (json.RawMessage, error)

// servePassThrough hands a method on, unless it is one of this protocol's own.
func servePassThrough(ctx context.Context, f PassThroughHandler, own bool, method string, params json.RawMessage) (json.RawMessage, error) {
	channel, ok := passThroughChannel(params)
	if !ok || f == nil || own {
		return nil, notFound(method)
	}
	return replyRaw(f(ctx, channel, method, params))
}

// checkPassThrough refuses to pass on what the peer would take for a method of this protocol, or
// could not tell where to.
func checkPassThrough(method string, params json.RawMessage, own bool) (Method, error) {
	if own {
		return "", errors.New(excerpt(method) + " is a method of the protocol itself")
	}
	if _, ok := passThroughChannel(params); !ok {
		return "", errors.New(excerpt(method) + ": the params name no channel for methods of another protocol")
	}
	return Method(method), nil
}
