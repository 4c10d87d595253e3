package typed

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
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

func TestCallsEncodeAndDecode(t *testing.T) {
	ctx := context.Background()
	conn := &script{result: raw(`{"text":"answer"}`)}
	link := NewLink(conn, &small)
	got, err := Call(ctx, link, methodOpen, &noteParams{"a"}, readNote)
	check(t, err, error(nil))
	check(t, got, &noteParams{"answer"})
	_, err = CallNoParams(ctx, link, methodOpen, readNote)
	check(t, err, error(nil))
	check(t, CallNoResult(ctx, link, methodOpen, &noteParams{"b"}), error(nil))
	check(t, CallNoParamsNoResult(ctx, link, methodOpen), error(nil))
	check(t, Notify(ctx, link, methodNote, &noteParams{"c"}), error(nil))
	check(t, NotifyNoParams(ctx, link, methodNote), error(nil))
	check(t, conn.sent, []string{`open {"text":"a"}`, `open `, `open {"text":"b"}`, `open `, `note {"text":"c"}`, `note `})
}

func TestCallsFailWithTheMethod(t *testing.T) {
	ctx := context.Background()
	conn := &script{result: raw(`{"text":1}`)}
	link := NewLink(conn, &small)
	_, err := Call(ctx, link, methodOpen, &noteParams{}, readNote)
	check(t, text(err), "open: result: text: want string, got number")
	_, err = CallNoParams(ctx, link, methodOpen, readNote)
	check(t, text(err), "open: result: text: want string, got number")
	sent := len(conn.sent)
	check(t, text(CallNoResult(ctx, link, methodOpen, (*noteParams)(nil))), "open: params: missing: the value is nil")
	check(t, text(Notify(ctx, link, methodNote, nil)), "note: params: missing: the value is nil")

	done, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range []error{CallNoParamsNoResult(done, link, methodOpen), NotifyNoParams(done, link, methodNote)} {
		check(t, errors.Is(err, context.Canceled), true, err)
	}
	check(t, len(conn.sent), sent, "nothing of this is written")

	conn.err = &rpc.Error{Code: int64(busy), Message: "gone", Data: raw(`{"text":"a"}`)}
	err = CallNoParamsNoResult(ctx, link, methodOpen)
	check(t, text(err), "open: gone (-32001)")
	check(t, errors.Is(err, busy), true)
	check(t, errors.Is(err, rpc.InternalError), false)
	var data *busyData
	check(t, errors.As(err, &data), true)
	check(t, data, &busyData{noteParams{"a"}})
	err = NotifyNoParams(ctx, NewLink(&script{err: context.DeadlineExceeded}, &small), methodNote)
	check(t, errors.Is(err, context.DeadlineExceeded), true)
}

func TestALinkAtAVersionSendsOnlyWhatItKnows(t *testing.T) {
	ctx := context.Background()
	conn := &script{result: raw(`null`)}
	link, err := NewLink(conn, &small).AtVersion("0.2.0")
	check(t, err, error(nil))
	check(t, link.Version(), "0.2.0")
	check(t, CallNoParamsNoResult(ctx, link, methodOpen), error(nil))
	for _, err := range []error{
		CallNoParamsNoResult(ctx, link, methodGrow), NotifyNoParams(ctx, link, methodGrow), CallNoResult(ctx, link, methodGrow, &noteParams{}),
		Notify(ctx, link, methodGrow, &noteParams{}),
	} {
		check(t, text(err), "grow: not part of the agreed version 0.2.0")
		check(t, errors.Is(err, rpc.ErrNotInVersion), true)
	}
	check(t, errors.Is(CallNoParamsNoResult(ctx, link, method("nothing")), rpc.ErrNotInVersion), true)
	check(t, conn.sent, []string{"open "}, "nothing else is written")
	check(t, CallNoParamsNoResult(ctx, NewLink(conn, &small), method("nothing")), error(nil), "without a version everything passes")
}

func TestExtensionsAndOtherProtocolsHaveNamesOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	conn := &script{result: raw(`1`)}
	link := NewLink(conn, &small)
	got, err := link.CallExtension(ctx, "_x/y", raw(`[1]`))
	check(t, err, error(nil))
	check(t, got, raw(`1`))
	check(t, link.NotifyExtension(ctx, "_x", nil), error(nil))
	_, err = link.CallExtension(ctx, "x", nil)
	check(t, text(err), `"x": the names of extensions begin with "_"`)
	check(t, link.NotifyExtension(ctx, "open", nil) != nil, true)
	_, err = link.PassThrough(ctx, "tools", raw(`{"channel":"raw://a"}`))
	check(t, err, error(nil))
	check(t, link.NotifyPassThrough(ctx, "tools", raw(`{"channel":"raw://b"}`)), error(nil))
	_, err = link.PassThrough(ctx, "open", raw(`{"channel":"raw://a"}`))
	check(t, text(err), `"open" is a method of the protocol itself`)
	check(t, link.NotifyPassThrough(ctx, "tools", raw(`{}`)) != nil, true)
	check(t, conn.sent, []string{"_x/y [1]", "_x ", `tools {"channel":"raw://a"}`, `tools {"channel":"raw://b"}`})
}
