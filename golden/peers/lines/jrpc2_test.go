// creachadair/jrpc2: ids are numbers, requests may come in batches, and both sides may ask.

package lines

import (
	"context"
	"encoding/json"
	"net"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

func TestAClientOnJrpc2(t *testing.T) {
	here, there := net.Pipe()
	ourHost(t, there)
	var got order
	client := jrpc2.NewClient(channel.Line(here, here), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) { got.add(json.RawMessage(r.ParamString())) },
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			var p struct{ URI string }
			err := r.UnmarshalParams(&p)
			return map[string]string{"data": "of " + p.URI, "encoding": "utf-8"}, err
		},
	})
	var list struct{ NextCursor string }
	require.NoError(t, client.CallResult(within(t), "listSessions", map[string]string{"channel": "ahp-root://", "cursor": "file:///é"}, &list))
	require.Equal(t, "of file:///é", list.NextCursor)
	got.all(t) // the library handles each on a goroutine of its own
	var read struct{ Data string }
	require.NoError(t, client.CallResult(within(t), "resourceRead", map[string]string{"channel": "ahp-root://", "uri": "file:///large"}, &read))
	require.True(t, read.Data == large)
	_, err := client.Call(within(t), "ping", map[string]string{"channel": "ahp-root://"})
	var failed *jrpc2.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, int(ahp.ErrorCodeUnsupportedProtocolVersion), int(failed.Code))
	require.JSONEq(t, failure, string(failed.Data))
	_, err = client.Call(within(t), "nosuch", nil)
	require.Equal(t, jrpc2.MethodNotFound, jrpc2.ErrorCode(err))
	_, err = client.Call(within(t), "resourceRead", []int{1})
	require.Equal(t, jrpc2.InvalidParams, jrpc2.ErrorCode(err))
	require.NoError(t, client.Close())
}

func TestAHostOnJrpc2(t *testing.T) {
	here, there := net.Pipe()
	host := jrpc2.NewServer(handler.Map{
		"listSessions": func(ctx context.Context, r *jrpc2.Request) (any, error) {
			var p struct{ Cursor string }
			if err := r.UnmarshalParams(&p); err != nil {
				return nil, err
			}
			back := jrpc2.ServerFromContext(ctx)
			for i := range actions {
				if err := back.Notify(ctx, "action", envelope(i)); err != nil {
					return nil, err
				}
			}
			answer, err := back.Callback(ctx, "resourceRead", map[string]string{"channel": "ahp-root://", "uri": p.Cursor})
			if err != nil {
				return nil, err
			}
			var read struct{ Data string }
			err = answer.UnmarshalResult(&read)
			return map[string]any{"items": []int{}, "nextCursor": read.Data}, err
		},
		"resourceRead": func(context.Context, *jrpc2.Request) (any, error) {
			return map[string]string{"data": large, "encoding": "utf-8"}, nil
		},
		"ping": func(context.Context, *jrpc2.Request) (any, error) {
			return nil, jrpc2.Errorf(jrpc2.Code(ahp.ErrorCodeUnsupportedProtocolVersion), "no").WithData(json.RawMessage(failure))
		},
	}, &jrpc2.ServerOptions{AllowPush: true}).Start(channel.Line(there, there))
	ourClient(t, here, true)
	require.NoError(t, host.Wait())
}
