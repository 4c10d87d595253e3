package typed

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// repeating answers with the note three times, and its error after them.
type repeating struct{ err error }

func (repeating) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, &small) }

func (r repeating) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	return HandleStream(ctx, m, func(_ context.Context, p *noteParams, send func(*noteParams) error) error {
		for range 3 {
			if err := send(p); err != nil {
				return err
			}
		}
		return r.err
	}, decodeNote)
}

// streamed is what a stream yields, with the text of each error.
func streamed(l Link, m method, p *noteParams) (got []string) {
	for note, err := range Stream(context.Background(), l, m, p, readNote) {
		if err != nil {
			got = append(got, "error: "+err.Error())
			continue
		}
		got = append(got, note.text)
	}
	return got
}

func TestStreamsEncodeAndDecode(t *testing.T) {
	link := NewLink(rpc.Local(repeating{}), &small)
	check(t, streamed(link, methodOpen, &noteParams{"a"}), []string{"a", "a", "a"})
	link = NewLink(rpc.Local(repeating{busy}), &small)
	check(t, streamed(link, methodOpen, &noteParams{"a"}), []string{"a", "a", "a", "error: open: error -32001 (-32001)"})
	var nothing *noteParams
	check(t, streamed(link, methodOpen, nothing), []string{"error: open: params: missing: the value is nil"})
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range Stream(done, link, methodOpen, &noteParams{}, readNote) {
		check(t, errors.Is(err, context.Canceled), true, err)
	}
	n := 0
	for range Stream(t.Context(), link, methodOpen, &noteParams{"a"}, readNote) {
		n++
		break
	}
	check(t, n, 1)
}

// answers is a connection that streams prepared results.
type answers struct {
	script
	results []string
}

func (a *answers) Stream(ctx context.Context, method string, params json.RawMessage) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		_, _ = a.Call(ctx, method, params)
		for _, result := range a.results {
			if !yield(raw(result), nil) {
				return
			}
		}
	}
}

// only allows one method and records results.
type only struct {
	method string
	seen   *[]string
}

var errForbidden = errors.New("forbidden")

func (o only) Allow(method string, _ json.RawMessage) error {
	if method != o.method {
		return errForbidden
	}
	return nil
}

func (o only) Answered(_ string, result json.RawMessage) { *o.seen = append(*o.seen, string(result)) }

func TestStreamsAreCheckedAsCallsAre(t *testing.T) {
	conn := &answers{results: []string{`{"text":"a"}`, `{"text":1}`, `{"text":"b"}`}}
	check(t, streamed(NewLink(conn, &small), methodOpen, &noteParams{"x"}),
		[]string{"a", "error: open: result: text: want string, got number", "b"}, "what comes behind a malformed result arrives")
	check(t, conn.sent, []string{`open {"text":"x"}`})

	link, err := NewLink(conn, &small).AtVersion("0.2.0")
	check(t, err, error(nil))
	check(t, streamed(link, methodGrow, &noteParams{}), []string{"error: grow: not part of the agreed version 0.2.0"})
	seen := []string{}
	link = NewLink(conn, &small).Guarded(only{"open", &seen})
	check(t, streamed(link, methodGrow, &noteParams{}), []string{"error: forbidden"})
	check(t, len(streamed(link, methodOpen, &noteParams{})), 3)
	check(t, seen, conn.results)
	check(t, len(conn.sent), 2, "what is refused is not sent")

	for _, err := range Stream(t.Context(), NewLink(&conn.script, &small), methodOpen, &noteParams{}, readNote) {
		check(t, errors.Is(err, rpc.ErrNoStream), true, err)
	}
}

func TestAHandlerOfSeveralResultsNeedsAStream(t *testing.T) {
	m := &rpc.Message{Kind: rpc.Request, Method: "open", Params: raw(`{"text":"a"}`)}
	_, err := repeating{}.ServeRPC(t.Context(), m)
	check(t, errors.Is(err, rpc.ErrNoStream), true, err)
	m.Partial = func(json.RawMessage) error { return errForbidden }
	_, err = repeating{}.ServeRPC(t.Context(), m)
	check(t, text(err), "forbidden (-32603)", "the error of sending is the handler's")
	m.Params = raw(`{}`)
	_, err = repeating{}.ServeRPC(t.Context(), m)
	check(t, text(err), "params: text: missing (-32602)")
	_, err = HandleStream[*noteParams, *noteParams](t.Context(), m, nil, decodeNote)
	check(t, errors.Is(err, rpc.MethodNotFound), true)
}

func TestStreamsOfResultsThatMayBeNull(t *testing.T) {
	notes := func(_ context.Context, send func(*noteParams) error) error {
		return errors.Join(send(&noteParams{"a"}), send(nil))
	}
	m := &rpc.Message{Kind: rpc.Request, Method: string(methodOpen), Params: json.RawMessage(`{}`)}
	var got []string
	m.Partial = func(result json.RawMessage) error {
		got = append(got, string(result))
		return nil
	}
	_, err := HandleStreamNoParams(t.Context(), m, NullableStreamNoParams(notes))
	check(t, err, nil)
	_, err = HandleStream(t.Context(), m, NullableStream(func(ctx context.Context, _ *noteParams, send func(*noteParams) error) error { return notes(ctx, send) }), func([]byte) (*noteParams, error) { return nil, nil })
	check(t, err, nil)
	check(t, got, []string{`{"text":"a"}`, "null", `{"text":"a"}`, "null"})
	check(t, NullableStream[*noteParams, *noteParams](nil) == nil && NullableStreamNoParams[*noteParams](nil) == nil, true)
}

// limited is a result that violates a constraint.
type limited struct{ noteParams }

func (*limited) Validate() error { return errForbidden }

// validated is a connection that validates what is received.
type validated struct{ *answers }

func (validated) Validation() rpc.Validation { return rpc.ValidateReceived }

func TestStreamedResultsAreValidated(t *testing.T) {
	link := NewLink(validated{&answers{results: []string{`{}`}}}, &small)
	read := func(d *wire.Decoder) *limited {
		d.Skip()
		return &limited{}
	}
	n := 0
	for _, err := range Stream(t.Context(), link, methodOpen, &noteParams{"x"}, read) {
		check(t, text(err), "open: result: forbidden")
		n++
	}
	for _, err := range StreamNoParams(t.Context(), link, methodOpen, read) {
		check(t, text(err), "open: result: forbidden")
		n++
	}
	check(t, n, 2)
}
