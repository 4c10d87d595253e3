// Errors: codes, messages and data, on the wire and in Go.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Code is an error code. Codes are errors: errors.Is(err, rpc.MethodNotFound) checks a peer's answer, and a handler
// can return a code. Generated packages have their own type for the protocol's codes, which works alike.
type Code int64

// The codes defined by JSON-RPC.
const (
	ParseError     Code = -32700
	InvalidRequest Code = -32600
	MethodNotFound Code = -32601
	InvalidParams  Code = -32602
	InternalError  Code = -32603
)

// Error implements error.
func (c Code) Error() string {
	switch c {
	case ParseError:
		return "parse error"
	case InvalidRequest:
		return "invalid request"
	case MethodNotFound:
		return "method not found"
	case InvalidParams:
		return "invalid params"
	case InternalError:
		return "internal error"
	}
	return "error " + strconv.FormatInt(int64(c), 10)
}

// RPCCode returns the code.
func (c Code) RPCCode() int64 { return int64(c) }

// Coder is an error with a code: a code, or error data that belongs to one code. Data also implements
// [wire.Appender].
type Coder interface {
	error
	RPCCode() int64
}

// Error is an error on the wire. errors.Is matches its code, whatever the type of the code, and errors.As its data,
// if the data is valid for the target type and the type belongs to the code.
type Error struct {
	Code    int64
	Name    string // the code as text, in protocols whose codes are texts
	Message string
	Data    json.RawMessage // nil if absent
}

// Error returns the message and the code. Long messages are truncated and unprintable characters escaped; see Message
// for the original.
func (e *Error) Error() string {
	code := strconv.FormatInt(e.Code, 10)
	switch {
	case e.Name != "":
		code = wire.Readable(e.Name)
	case e.Code == 0 && e.Message != "": // the protocol has no codes
		return wire.Readable(e.Message)
	}
	if e.Message == "" {
		return "error " + code
	}
	return wire.Readable(e.Message) + " (" + code + ")"
}

// Is reports whether target has the same code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Coder)
	return ok && c.RPCCode() == e.Code
}

// carries reports whether data is of a type that belongs to the code: a [Coder], or a type shared by several codes.
func carries(data any, code int64) bool {
	switch data := data.(type) {
	case Coder:
		return data.RPCCode() == code
	case interface{ HasRPCCode(code int64) bool }:
		return data.HasRPCCode(code)
	}
	return false
}

// As decodes the error's data into a target that points to a pointer to data of this code.
func (e *Error) As(target any) bool {
	place := reflect.ValueOf(target)
	if place.Kind() != reflect.Pointer || place.IsNil() || place.Elem().Kind() != reflect.Pointer || len(e.Data) == 0 || string(e.Data) == "null" {
		return false
	}
	v := reflect.New(place.Elem().Type().Elem())
	data, ok := v.Interface().(json.Unmarshaler)
	if !ok || !carries(data, e.Code) || data.UnmarshalJSON(e.Data) != nil {
		return false
	}
	place.Elem().Set(v)
	return true
}

// NewError returns an error with data, which may be nil. The code may be any Coder.
func NewError(code Coder, message string, data wire.Appender) (*Error, error) {
	e := &Error{Code: code.RPCCode(), Message: message}
	if data == nil {
		return e, nil
	}
	var err error
	if e.Data, err = data.AppendJSON(nil); err != nil {
		return nil, wire.Within("data", err)
	}
	return e, nil
}

// AsError converts a handler's error for the wire: an [*Error] stays, a code or data is wrapped, and anything else
// becomes an internal error with its text.
func AsError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		if own == nil {
			return &Error{Code: int64(InternalError), Message: "the error is a nil pointer"}
		}
		return own
	}
	var coder Coder
	if !errors.As(err, &coder) || wire.IsNil(coder) {
		return internal(err)
	}
	if data, ok := coder.(wire.Appender); ok {
		made, failed := NewError(coder, coder.Error(), data)
		if failed != nil {
			return internal(failed)
		}
		return made
	}
	return &Error{Code: coder.RPCCode(), Message: err.Error()}
}

// ErrNoCommonVersion is returned if no offered version is supported.
var ErrNoCommonVersion = spec.ErrNoCommonVersion

// ErrNotInVersion is returned for something that the negotiated version lacks.
var ErrNotInVersion = errors.New("not part of the agreed version")

func internal(err error) *Error { return &Error{Code: int64(InternalError), Message: err.Error()} }

// NotFound returns the error for a method without a handler.
func (m *Message) NotFound() *Error {
	return &Error{Code: int64(MethodNotFound), Message: "method not found: " + wire.Excerpt(m.Method)}
}

// ContextError returns the error of an ended context, wrapped with its cause if it differs. errors.Is finds both. It
// returns nil if the context has not ended.
func ContextError(ctx context.Context) error { return WithCause(ctx, ctx.Err()) }

// WithCause adds the cause of an ended context to an error, unless the error already has it.
func WithCause(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case err == nil || cause == nil || errors.Is(err, cause):
		return err
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// BadMessage is passed to [Options.OnBad] for a message that cannot be decoded.
type BadMessage struct {
	Err  error
	Seen []byte // beginning of the message
}

// Error implements error.
func (e *BadMessage) Error() string { return "malformed message: " + e.Err.Error() }

// Unwrap returns the decoding error.
func (e *BadMessage) Unwrap() error { return e.Err }

// maxSeen is the maximum length of Seen.
const maxSeen = 80

// begins returns the beginning of a message.
func begins(data []byte) []byte { return append([]byte(nil), data[:min(len(data), maxSeen)]...) }

// ProtocolError returns the error for a peer that does not speak the protocol, if err from [Options.OnBad] shows that. It
// includes what was received.
func ProtocolError(err error) error {
	var bad *BadMessage
	if errors.As(err, &bad) {
		return fmt.Errorf("the peer does not speak the protocol: received %s: %w", wire.Excerpt(string(bad.Seen)), bad.Err)
	}
	return fmt.Errorf("the peer does not speak the protocol: %w", err)
}
