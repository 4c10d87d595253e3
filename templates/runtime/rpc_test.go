package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
		`{"x":1,"channel":"raw://a","channel":"raw://b"}`:               "",
		`{"channel":"raw://a","channel":"raw://b"}`:                     "",
		`{"channel":"raw://a","channel":"raw://b","channel":"raw://a"}`: "",
		`{"channel":"raw://a","x":1,"channel":7}`:                       "",
		`{"channel":"raw://a","x":1,"channel":"raw:\/\/a"}`:             "raw://a",
	} {
		got, ok := passThroughChannel(raw(text))
		if got != want && ok || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
}

// quiet fails where an error has more of a peer's text than it needs, or what a terminal takes for a command.
func quiet(t *testing.T, about string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", about)
		return
	}
	text := err.Error()
	if len(text) > 16<<10 {
		t.Errorf("%s: %d bytes: %.200q", about, len(text), text)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }); i >= 0 {
		t.Errorf("%s: %q holds what cannot be printed", about, text[max(i-20, 0):min(i+20, len(text))])
	}
}

func TestErrorsHoldLittleOfWhatAPeerSent(t *testing.T) {
	for name, text := range map[string]string{
		"colours": strings.Repeat("\x1b[31m", 1<<15), "lines": strings.Repeat("a\n", 1<<16), "letters": strings.Repeat("a", 1<<17),
		"turned around": strings.Repeat("\u202e", 1<<15), "wide": strings.Repeat("\U0001F600", 1<<15), "invalid": strings.Repeat("\xff", 1<<17),
	} {
		quoted := string(appendString(nil, text))
		quiet(t, name+": answer", &RPCError{Code: -32001, Message: text})
		quiet(t, name+": wrapped answer", fmt.Errorf("open: %w", &RPCError{Code: 7, Message: text}))
		_, err := serveExtension(context.Background(), nil, text, nil)
		quiet(t, name+": method", err)
		for _, message := range []string{
			`{"jsonrpc":` + quoted + `,"method":"m"}`, `{"jsonrpc":"2.0","id":` + quoted + `}`, `{"jsonrpc":"2.0","method":"m","` + text + `":tru}`,
			`{"jsonrpc":"2.0","method":"m",` + quoted + `:[{` + quoted + `:tru}]}`, strings.Repeat(`{`+quoted+`:`, 20) + `tru`,
		} {
			_, err := DecodeFrame([]byte(message))
			quiet(t, name+": "+message[:30], err)
		}
		_, err = DecodeRPCMessage([]byte(strings.Repeat(`{"`+text[:100]+`":[`, 400) + `tru`))
		quiet(t, name+": deep", err)
		_, err = ChooseVersion([]string{text}, []string{"1.0.0"})
		quiet(t, name+": version", err)
		quiet(t, name+": answered version", CheckVersion([]string{"1.0.0"}, text))
		quiet(t, name+": pre-release", CheckVersion([]string{"1.0.0"}, "1.0.0-"+strings.Repeat("a", 1<<20)))
		quiet(t, name+": gate", gate{"1.0.0"}.refuses(text))
		_, err = appendNumber(nil, json.Number(text))
		quiet(t, name+": number", err)
		_, err = appendMap(nil, map[string]string{text: ""}, func(dst []byte, _ string) ([]byte, error) { return dst, errNil })
		quiet(t, name+": key", err)
		_, err = checkPassThrough(text, nil, false)
		quiet(t, name+": passed through", err)
		_, err = checkExtension(text)
		quiet(t, name+": extension", err)
		for _, kind := range []error{wrongTag(text), errors.New(conflict("type", text, text))} {
			quiet(t, name+": tag", kind)
		}
	}
}

func TestExcerptsAreCutBetweenCharacters(t *testing.T) {
	check(t, excerpt("a"), `"a"`)
	check(t, excerpt(strings.Repeat("a", maxExcerpt)), `"`+strings.Repeat("a", maxExcerpt)+`"`)
	check(t, excerpt(strings.Repeat("é", maxExcerpt)), `"`+strings.Repeat("é", maxExcerpt/2)+`"… (200 bytes)`)
	check(t, excerpt("a"+strings.Repeat("é", maxExcerpt)), `"a`+strings.Repeat("é", maxExcerpt/2-1)+`"… (201 bytes)`)
	check(t, quoteName(strings.Repeat("a", maxExcerpt+1)), `"`+strings.Repeat("a", maxExcerpt)+`"… (101 bytes)`)
	check(t, readable(`no "x" here`), `no "x" here`)
	check(t, readable("one\ntwo"), `"one\ntwo"`)
}

func TestLongPathsShowBothEnds(t *testing.T) {
	_, err := DecodeRPCMessage([]byte(strings.Repeat(`{"a":[`, 100) + `tru`))
	check(t, strings.Contains(err.Error(), "… (176 more) …"), true, err)
	err = errNil
	for range 100 {
		err = atIndex(1, atMember("a", err))
	}
	check(t, strings.Contains(err.Error(), "… (176 more) …"), true, err)
	check(t, errors.Is(err, errNil), true)
}

func TestNothingIsAnErrorAndNotAPanic(t *testing.T) {
	_, err := (*RPCMessage)(nil).AppendJSON(nil)
	check(t, errors.Is(err, errNil), true)
	var none *RPCError
	check(t, asRPCError(none).Code, codeInternalError)
	check(t, isNil(nil) && isNil((*card)(nil)) && !isNil(&card{}) && !isNil(card{}), true)
}
