// Batches as a connection takes them.

package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// batching is a protocol that has batches, and can cancel.
var batching = &spec.Table{
	Batches: &spec.Batching{Alone: []string{"initialize"}},
	Cancel:  &spec.Cancelling{Method: "$/cancel", Member: "requestId"},
}

func withBatches(h handler) rpc.Handler { return decoding{batching, h} }

// examples returns the server of the examples in the specification of JSON-RPC.
func examples(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	var numbers []int
	switch m.Method {
	case "sum", "subtract":
		if err := json.Unmarshal(m.Params, &numbers); err != nil {
			return nil, rpc.InvalidParams
		}
		total := numbers[0]
		for _, n := range numbers[1:] {
			if m.Method == "subtract" {
				n = -n
			}
			total += n
		}
		return json.Marshal(total)
	case "get_data":
		return json.RawMessage(`["hello", 5]`), nil
	case "notify_sum", "notify_hello", "update":
		return nil, nil
	}
	return nil, &rpc.Error{Code: int64(rpc.MethodNotFound), Message: "Method not found"}
}

// specified are the examples of JSON-RPC 2.0, section 7, that have a batch or that a batch has to be told from. The texts
// of errors are up to the peer, so they are not compared; an empty answer means none.
var specified = []struct{ name, sent, answer string }{
	{"positional parameters", `{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}`, `{"jsonrpc": "2.0", "result": 19, "id": 1}`},
	{"a notification", `{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}`, ``},
	{"a method that there is not", `{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`, `{"jsonrpc": "2.0", "error": {"code": -32601}, "id": "1"}`},
	{"invalid JSON", `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`, `{"jsonrpc": "2.0", "error": {"code": -32700}, "id": null}`},
	{"an invalid request", `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`, `{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}`},
	{"a batch, invalid JSON", `[
		{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
		{"jsonrpc": "2.0", "method"
	]`, `{"jsonrpc": "2.0", "error": {"code": -32700}, "id": null}`},
	{"an empty array", `[]`, `{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}`},
	{"an invalid batch that is not empty", `[1]`, `[{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}]`},
	{"an invalid batch", `[1,2,3]`, `[
		{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null},
		{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null},
		{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null}
	]`},
	{"a batch", `[
		{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
		{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
		{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
		{"foo": "boo"},
		{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
		{"jsonrpc": "2.0", "method": "get_data", "id": "9"}
	]`, `[
		{"jsonrpc": "2.0", "result": 7, "id": "1"},
		{"jsonrpc": "2.0", "result": 19, "id": "2"},
		{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null},
		{"jsonrpc": "2.0", "error": {"code": -32601}, "id": "5"},
		{"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}
	]`},
	{"a batch of notifications", `[
		{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
		{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
	]`, ``},
	// And what follows from its words.
	{"a batch in a batch", `[[{"jsonrpc": "2.0", "method": "get_data", "id": 1}], {"jsonrpc": "2.0", "method": "get_data", "id": 2}]`, `[
		{"jsonrpc": "2.0", "error": {"code": -32600}, "id": null},
		{"jsonrpc": "2.0", "result": ["hello", 5], "id": 2}
	]`},
	{"what must not be in a batch", `[{"jsonrpc": "2.0", "method": "initialize", "id": 1}]`, `[{"jsonrpc": "2.0", "error": {"code": -32600}, "id": 1}]`},
	{"what must be alone, and is", `{"jsonrpc": "2.0", "method": "initialize", "id": 1}`, `{"jsonrpc": "2.0", "error": {"code": -32601}, "id": 1}`},
}

// withoutTexts takes the texts of errors away.
func withoutTexts(t *testing.T, line string) string {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(line), &v), line)
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		if e, ok := item.(map[string]any)["error"].(map[string]any); ok {
			require.NotEmpty(t, e["message"])
			delete(e, "message")
		}
	}
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

func TestBatchesAreAnsweredAsSpecified(t *testing.T) {
	b := servedByHand(t, nil, withBatches(examples))
	for _, example := range specified {
		t.Run(example.name, func(t *testing.T) {
			b.says(strings.Join(strings.Fields(example.sent), " "), request(1000, "get_data"))
			if example.answer != "" {
				require.JSONEq(t, example.answer, withoutTexts(t, soon(t, b.lines)))
			}
			b.hears(`{"jsonrpc":"2.0","id":1000,"result":["hello",5]}`)

			m, err := withBatches(nil).DecodeRPC([]byte(example.sent))
			if err != nil {
				m = rpc.Answer(null, nil, err)
			} else if reply, ok := rpc.Dispatch(t.Context(), withBatches(examples), &m); ok {
				m = reply
			} else {
				require.Empty(t, example.answer)
				return
			}
			text, err := m.AppendJSON(nil)
			require.NoError(t, err)
			require.JSONEq(t, example.answer, withoutTexts(t, string(text)), "dispatched by hand")
		})
	}
}

// answersTo returns how many answers a message has by itself, where there are no batches. A malformed one has what it
// has in a batch of its own: none if it is an answer.
func answersTo(t *testing.T, h rpc.Handler, data json.RawMessage) int {
	m, err := rpc.Decode(data, nil)
	if err == nil && m.Kind != rpc.Request {
		return 0
	}
	if err != nil {
		alone, err := rpc.Decode(slices.Concat([]byte("["), data, []byte("]")), batching)
		require.NoError(t, err)
		if _, ok := rpc.Dispatch(t.Context(), h, &alone); !ok {
			require.Regexp(t, `"(result|error)"|\\u`, string(data), "only an answer has none")
			return 0
		}
	}
	return 1
}

// FuzzBatch wants an array to be answered with one for each message that has an answer, and in its order.
func FuzzBatch(f *testing.F) {
	for _, example := range specified {
		f.Add(example.sent)
	}
	f.Add(`[{"jsonrpc":"2.0","id":1,"result":2},{"jsonrpc":"2.0","id":{},"method":"x"},{"jsonrpc":"2.0","id":1,"method":"get_data","params":{}}]`)
	f.Add(`[{"id":1,"result":2},{"id":1,"error":2},{"jsonrpc":"2.0","id":1,"method":"get_data","params":{}}]`)
	echo := withBatches(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) { return m.ID, nil })
	f.Fuzz(func(t *testing.T, text string) {
		m, err := rpc.Decode([]byte(text), batching)
		var parts []json.RawMessage
		isArray := json.Unmarshal([]byte(text), &parts) == nil && parts != nil
		if err != nil || m.Kind != rpc.Batch {
			require.False(t, isArray && len(parts) > 0, "a batch is decoded")
			return
		}
		require.True(t, isArray && len(parts) > 0)
		want := 0
		for _, part := range parts {
			want += answersTo(t, echo, part)
		}
		reply, ok := rpc.Dispatch(t.Context(), echo, &m)
		require.Equal(t, want > 0, ok)
		if !ok {
			return
		}
		if len(parts) > 1024 {
			require.Equal(t, rpc.Failure, reply.Kind)
			return
		}
		encoded, err := reply.AppendJSON(nil)
		require.NoError(t, err)
		var answers []json.RawMessage
		require.NoError(t, json.Unmarshal(encoded, &answers))
		require.Len(t, answers, want)
	})
}

func TestBatchesAreMalformedWhereAProtocolHasNone(t *testing.T) {
	b := servedByHand(t, nil, handler(examples))
	refused := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want object, got array: batches are not supported"}}`
	b.says("["+request(1, "get_data")+"]", "[]", "[1]", request(2, "get_data"))
	for range 3 {
		b.hears(refused)
	}
	b.hears(`{"jsonrpc":"2.0","id":2,"result":["hello",5]}`)
}

func TestTheMessagesOfABatchKeepTheirOrder(t *testing.T) {
	var handled []string
	later := make(chan func(json.RawMessage, error), 1)
	b := servedByHand(t, nil, withBatches(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "later" {
			later <- rpc.DeferReply(ctx)
			return nil, nil
		}
		handled = append(handled, m.Method)
		return json.Marshal(handled)
	}))
	b.says(`[`+request(1, "a")+`,{"jsonrpc":"2.0","method":"b"},`+request(2, "later")+`,`+request(3, "c")+`]`, request(4, "d"))
	b.hears(`{"jsonrpc":"2.0","id":4,"result":["a","b","c","d"]}`)
	require.NoError(t, b.peer.Notify(t.Context(), "before", nil))
	soon(t, later)(nil, rpc.InternalError)
	require.NoError(t, b.peer.Notify(t.Context(), "after", nil))
	b.hears(`{"jsonrpc":"2.0","method":"before"}`)
	b.hears(`[{"jsonrpc":"2.0","id":1,"result":["a"]},{"jsonrpc":"2.0","id":3,"result":["a","b","c"]},{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error"}}]`)
	b.hears(`{"jsonrpc":"2.0","method":"after"}`)
}

func TestAnswersToCallsMayComeInABatch(t *testing.T) {
	bad := make(chan error, 2)
	b := servedByHand(t, &rpc.Options{OnBad: func(err error) { bad <- err }}, withBatches(examples))
	type answer struct {
		result string
		err    error
	}
	answers := map[int]chan answer{}
	for id := 1; id <= 2; id++ {
		answers[id] = make(chan answer, 1)
		go func() {
			result, err := b.peer.Call(t.Context(), "ask", nil)
			answers[id] <- answer{string(result), err}
		}()
		b.hears(request(id, "ask"))
	}
	b.says(`[{"jsonrpc":"2.0","id":2,"result":"two"},` + request(7, "get_data") + `,{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}},{"jsonrpc":"2.0","id":9,"result":1}]`)
	b.hears(`[{"jsonrpc":"2.0","id":7,"result":["hello",5]}]`)
	require.Equal(t, answer{`"two"`, nil}, soon(t, answers[2]))
	require.EqualError(t, soon(t, answers[1]).err, "no (5)")
	require.EqualError(t, soon(t, bad), "answer with id 9 to no request")
}

func TestWhatIsDoneAfterAnAnswerInABatchIsBehindTheBatch(t *testing.T) {
	peer := make(chan *rpc.Peer, 1)
	called := make(chan string, 3)
	b := servedByHand(t, nil, withBatches(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method != "get_data" {
			rpc.AfterReply(ctx, func(ctx context.Context) {
				p := <-peer
				peer <- p
				result, err := p.Call(ctx, "back", nil) // which needs others to go on
				called <- m.Method + string(result) + fmt.Sprint(err)
			})
		}
		return examples(ctx, m)
	}))
	peer <- b.peer
	b.says(`[`+request(1, "a")+`,`+request(2, "b")+`,7]`, request(3, "get_data"))
	require.JSONEq(t, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32601}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600}}]`, withoutTexts(t, soon(t, b.lines)))
	b.hears(request(1, "back"))
	b.hears(`{"jsonrpc":"2.0","id":3,"result":["hello",5]}`)
	b.says(`[{"jsonrpc":"2.0","id":1,"result":1}]`)
	b.hears(request(2, "back"))
	b.says(`[{"jsonrpc":"2.0","id":2,"result":2}]`)
	require.Equal(t, "a1<nil>", soon(t, called))
	require.Equal(t, "b2<nil>", soon(t, called))
}

func TestARequestInABatchIsCancelledFromInsideIt(t *testing.T) {
	b := servedByHand(t, nil, withBatches(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "wait" {
			rpc.Async(ctx)
			<-ctx.Done()
			return nil, errors.New(context.Cause(ctx).Error())
		}
		return null, nil
	}))
	b.says(`[` + request(1, "wait") + `,` + request(2, "go on") + `,{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":1}}]`)
	line := soon(t, b.lines)
	require.Contains(t, line, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"cancelled by the peer"}}`)
	require.Contains(t, line, result(2))
}

func TestABatchCountsByItsMessages(t *testing.T) {
	release, waiting := make(chan struct{}), make(chan struct{}, 1)
	var handled atomic.Int32
	transport := &counted{reads: make(chan int, 100), lines: make(chan string, 100), done: make(chan struct{})}
	peer := rpc.NewPeer(transport, &rpc.Options{Backlog: 3})
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(context.WithoutCancel(t.Context()), withBatches(func(context.Context, *rpc.Message) (json.RawMessage, error) {
			if handled.Add(1) == 1 {
				waiting <- struct{}{}
				<-release
			}
			return null, nil
		}))
	}()
	note := `{"jsonrpc":"2.0","method":"note"}`
	transport.lines <- note
	soon(t, waiting)
	transport.lines <- "[" + note + "," + note + "," + note + "," + note + "]"
	require.Equal(t, 1, soon(t, transport.reads))
	require.Equal(t, 2, soon(t, transport.reads))
	select {
	case <-transport.reads:
		t.Fatal("it reads on although more messages wait than may")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	require.Equal(t, 3, soon(t, transport.reads))
	close(transport.lines)
	require.NoError(t, soon(t, served))
	require.EqualValues(t, 5, handled.Load())
}

// counted tells when it is read.
type counted struct {
	n     int
	reads chan int
	lines chan string
	done  chan struct{}
}

func (c *counted) Read(int64) ([]byte, error) {
	c.n++
	c.reads <- c.n
	line, ok := <-c.lines
	if !ok {
		return nil, io.EOF
	}
	return []byte(line), nil
}

func (c *counted) Write(context.Context, []byte) error { return nil }
func (c *counted) Close(string) error                  { return nil }

func TestABatchOfTooManyMessagesIsRefusedAsAWhole(t *testing.T) {
	var handled atomic.Int32
	b := servedByHand(t, &rpc.Options{MaxBatch: 3}, withBatches(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		handled.Add(1)
		return examples(ctx, m)
	}))
	b.says("["+strings.Repeat(request(1, "get_data")+",", 3)+"1]", "["+request(1, "sum")+",1,2]")
	b.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of 4 messages, where 3 are taken"}}`)
	require.Contains(t, soon(t, b.lines), `[{"jsonrpc":"2.0","id":1,`)
	require.EqualValues(t, 1, handled.Load())

	m, err := withBatches(nil).DecodeRPC([]byte("[" + strings.Repeat("1,", 1024) + "1]"))
	require.NoError(t, err)
	reply, ok := rpc.Dispatch(t.Context(), withBatches(examples), &m)
	require.True(t, ok)
	require.EqualError(t, reply.Error, "a batch of 1025 messages, where 1024 are taken (-32600)")
}

func TestAnswersOfABatchAreBounded(t *testing.T) {
	large := json.RawMessage(strconv.Quote(strings.Repeat("x", 1000)))
	b := servedByHand(t, &rpc.Options{MaxUnsent: 2500}, withBatches(func(context.Context, *rpc.Message) (json.RawMessage, error) {
		return large, nil
	}))
	for range 2 { // what is sent does not count any more
		b.says(`[` + request(1, "a") + `,` + request(2, "b") + `,` + request(3, "c") + `]`)
		var answers []struct {
			Result json.RawMessage
			Error  *rpc.Error
		}
		require.NoError(t, json.Unmarshal([]byte(soon(t, b.lines)), &answers))
		require.Len(t, answers, 3)
		require.Equal(t, large, answers[0].Result)
		require.Equal(t, large, answers[1].Result)
		require.EqualError(t, answers[2].Error, "the answers to the batch are too large (-32603)")
		require.NoError(t, b.peer.Flush(t.Context()))
	}
}

func TestShutdownWaitsForTheWholeBatch(t *testing.T) {
	release, waiting := make(chan struct{}), make(chan struct{}, 1)
	b := servedByHand(t, nil, withBatches(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "slow" {
			rpc.Async(ctx)
			waiting <- struct{}{}
			<-release
		}
		return null, nil
	}))
	b.says(`[` + request(1, "quick") + `,` + request(2, "slow") + `]`)
	soon(t, waiting)
	down := make(chan error, 1)
	go func() { down <- b.peer.Shutdown(context.WithoutCancel(t.Context())) }()
	for refused := false; !refused; { // until it takes no more requests
		b.says(request(3, "late"))
		refused = strings.Contains(soon(t, b.lines), "shutting down")
	}
	select {
	case err := <-down:
		t.Fatalf("it ended without the answers: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	require.NoError(t, soon(t, down))
	b.hears(`[` + result(1) + `,` + result(2) + `]`)
}
