package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

// script is a connection whose answers are set beforehand.
type script struct {
	sent   []string
	result json.RawMessage
	err    error
}

func (s *script) Call(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	s.sent = append(s.sent, method+" "+string(params))
	return s.result, s.err
}

func (s *script) Notify(ctx context.Context, method string, params json.RawMessage) error {
	_, err := s.Call(ctx, method, params)
	return err
}

func decodeNote(data []byte) (*noteParams, error) {
	v := new(noteParams)
	if err := decodeInto(data, v); err != nil {
		return nil, err
	}
	return v, nil
}

func TestCallsEncodeAndDecode(t *testing.T) {
	ctx := context.Background()
	conn := &script{result: raw(`{"text":"answer"}`)}
	got, err := call(ctx, conn, methodOpen, &noteParams{"a"}, decodeNote)
	check(t, err, error(nil))
	check(t, got, &noteParams{"answer"})
	_, err = callBare(ctx, conn, methodOpen, decodeNote)
	check(t, err, error(nil))
	check(t, callNull(ctx, conn, methodOpen, &noteParams{"b"}), error(nil))
	check(t, callBareNull(ctx, conn, methodOpen), error(nil))
	check(t, notify(ctx, conn, methodNote, &noteParams{"c"}), error(nil))
	check(t, notifyBare(ctx, conn, methodNote), error(nil))
	check(t, conn.sent, []string{`open {"text":"a"}`, `open `, `open {"text":"b"}`, `open `, `note {"text":"c"}`, `note `})
}

func TestCallsFailWithTheMethod(t *testing.T) {
	ctx := context.Background()
	conn := &script{result: raw(`{"text":1}`)}
	_, err := call(ctx, conn, methodOpen, &noteParams{}, decodeNote)
	check(t, message(err), "open: result: text: want string, got number")
	_, err = callBare(ctx, conn, methodOpen, decodeNote)
	check(t, message(err), "open: result: text: want string, got number")
	sent := len(conn.sent)
	check(t, message(callNull[*noteParams](ctx, conn, methodOpen, nil)), "open: params: missing: the value is nil")
	check(t, message(notify[*noteParams](ctx, conn, methodNote, nil)), "note: params: missing: the value is nil")

	done, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range []error{callBareNull(done, conn, methodOpen), notifyBare(done, conn, methodNote)} {
		check(t, errors.Is(err, context.Canceled), true, err)
	}
	check(t, len(conn.sent), sent, "nothing of this is written")

	conn.err = &RPCError{Code: -32001, Message: "gone", Data: raw(`{"text":"a"}`)}
	err = callBareNull(ctx, conn, methodOpen)
	check(t, message(err), "open: NotFound: gone")
	check(t, errors.Is(err, ErrorCode(-32001)), true)
	check(t, errors.Is(err, codeInternalError), false)
	err = notifyBare(ctx, &script{err: context.DeadlineExceeded}, methodNote)
	check(t, errors.Is(err, context.DeadlineExceeded), true)
}

func TestErrorsAsTheyGoOnTheWire(t *testing.T) {
	own := &RPCError{Code: 7, Message: "own", Data: raw(`1`)}
	check(t, asRPCError(own), own)
	check(t, asRPCError(fmt.Errorf("around: %w", own)), own)
	check(t, asRPCError(ErrorCode(-32001)), &RPCError{Code: -32001, Message: "NotFound"})
	check(t, asRPCError(fmt.Errorf("around: %w", ErrorCode(-32001))), &RPCError{Code: -32001, Message: "around: NotFound"})
	check(t, asRPCError(errors.New("any")), &RPCError{Code: codeInternalError, Message: "any"})

	e, err := NewRPCError(5, "m", &noteParams{"a"})
	check(t, err, error(nil))
	check(t, e, &RPCError{Code: 5, Message: "m", Data: raw(`{"text":"a"}`)})
	check(t, (&RPCError{Code: 5}).Error(), "error 5")
	check(t, (&RPCError{Code: -32001, Message: "NotFound"}).Error(), "NotFound")
}

func TestPassThroughChannels(t *testing.T) {
	for text, want := range map[string]string{
		`{"channel":"raw://a","x":1}`:               "raw://a",
		`{"x":{"channel":"no"},"channel":"raw://"}`: "raw://",
		`{"channel":"other://a"}`:                   "", `{"channel":7}`: "", `{}`: "", `[]`: "", ``: "", `"raw://a"`: "",
		`{"x":1,"channel":"raw://a","channel":"raw://b"}`: "",
	} {
		got, ok := passThroughChannel(raw(text))
		if got != want && ok || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
}
