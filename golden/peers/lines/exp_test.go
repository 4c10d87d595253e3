// golang.org/x/exp/jsonrpc2, on which gopls is built. It brings no lines, and its handlers cannot give an error data.

package lines

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/jsonrpc2"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// lines frames messages for the library.
type lines struct{}

type reader struct{ *bufio.Reader }

type writer struct{ io.Writer }

func (lines) Reader(r io.Reader) jsonrpc2.Reader { return reader{bufio.NewReader(r)} }

func (lines) Writer(w io.Writer) jsonrpc2.Writer { return writer{w} }

func (r reader) Read(context.Context) (jsonrpc2.Message, int64, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(line)
	return m, int64(len(line)), err
}

func (w writer) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	line, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	n, err := w.Writer.Write(append(line, "\r\n\r\n"...)) // as some others do
	return int64(n), err
}

// end is one end of a stream that is there already.
type end struct{ net.Conn }

func (e end) Dial(context.Context) (io.ReadWriteCloser, error) { return e.Conn, nil }

// members are those of an error of the library, which exports none.
func members(t *testing.T, err error) (e struct {
	Code int64
	Data json.RawMessage
},
) {
	t.Helper()
	data, failed := json.Marshal(err)
	require.NoError(t, failed)
	require.NoError(t, json.Unmarshal(data, &e))
	return e
}

func TestAClientOnXExp(t *testing.T) {
	here, there := net.Pipe()
	ourHost(t, there)
	var got order
	client, err := jsonrpc2.Dial(within(t), end{here}, jsonrpc2.ConnectionOptions{
		Framer: lines{},
		Handler: jsonrpc2.HandlerFunc(func(_ context.Context, r *jsonrpc2.Request) (any, error) {
			if r.Method == "action" {
				got.add(r.Params)
				return nil, nil
			}
			var p struct{ URI string }
			err := json.Unmarshal(r.Params, &p)
			return map[string]string{"data": "of " + p.URI, "encoding": "utf-8"}, err
		}),
	})
	require.NoError(t, err)
	call := func(method string, params map[string]string, result any) error {
		return client.Call(within(t), method, params).Await(within(t), result)
	}
	var list struct{ NextCursor string }
	require.NoError(t, call("listSessions", map[string]string{"channel": "ahp-root://", "cursor": "file:///é"}, &list))
	require.Equal(t, "of file:///é", list.NextCursor)
	got.complete(t)
	var read struct{ Data string }
	require.NoError(t, call("resourceRead", map[string]string{"channel": "ahp-root://", "uri": "file:///large"}, &read))
	require.True(t, read.Data == large)
	failed := members(t, call("ping", map[string]string{"channel": "ahp-root://"}, nil))
	require.Equal(t, int64(ahp.ErrorCodeUnsupportedProtocolVersion), failed.Code)
	require.JSONEq(t, failure, string(failed.Data))
	require.Equal(t, int64(ahp.ErrorCodeMethodNotFound), members(t, call("nosuch", nil, nil)).Code)
	require.Equal(t, int64(ahp.ErrorCodeInvalidParams), members(t, call("resourceRead", nil, nil)).Code)
	require.NoError(t, client.Close())
}

// single listens for one connection.
type single struct{ ends chan net.Conn }

func (s single) Accept(context.Context) (io.ReadWriteCloser, error) {
	if c, ok := <-s.ends; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (s single) Close() error { return nil }

func (s single) Dialer() jsonrpc2.Dialer { return nil }

// Bind implements [jsonrpc2.Binder].
func (s single) Bind(_ context.Context, client *jsonrpc2.Connection) (jsonrpc2.ConnectionOptions, error) {
	return jsonrpc2.ConnectionOptions{Framer: lines{}, Handler: jsonrpc2.HandlerFunc(func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		switch r.Method {
		case "listSessions":
			var p struct{ Cursor string }
			if err := json.Unmarshal(r.Params, &p); err != nil {
				return nil, err
			}
			for i := range actions {
				if err := client.Notify(ctx, "action", envelope(i)); err != nil {
					return nil, err
				}
			}
			go func() { // the library handles one message at a time
				var read struct{ Data string }
				err := client.Call(ctx, "resourceRead", map[string]string{"channel": "ahp-root://", "uri": p.Cursor}).Await(ctx, &read)
				_ = client.Respond(r.ID, map[string]any{"items": []int{}, "nextCursor": read.Data}, err)
			}()
			return nil, jsonrpc2.ErrAsyncResponse
		case "resourceRead":
			return map[string]string{"data": large, "encoding": "utf-8"}, nil
		case "ping":
			return nil, jsonrpc2.NewError(int64(ahp.ErrorCodeUnsupportedProtocolVersion), "no")
		}
		return nil, jsonrpc2.ErrNotHandled
	})}, nil
}

func TestAHostOnXExp(t *testing.T) {
	here, there := net.Pipe()
	s := single{make(chan net.Conn, 1)}
	s.ends <- there
	close(s.ends)
	host, err := jsonrpc2.Serve(context.WithoutCancel(t.Context()), s, s)
	require.NoError(t, err)
	ourClient(t, here, false)
	_ = host.Wait() // no other connection
}
