// A peer that sends nonsense: the connection lives on, and the questions in between are answered.

package ahpws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahpws"
)

var seeds = []string{
	`{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"data":"x"}}`,
	`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no","data":{"a":[1,null]}}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}}`,
	`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-chat:/1","clientSeq":1,"action":{"type":"chat/delta","turnId":"t","partId":"p","content":"\u00e9"}}}`,
	`{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"ahp-root://"}}`,
	`{"jsonrpc":"2.0","id":-7.5e3,"method":"tools/list","params":{"channel":"mcp://server","x":{"y":[{}]}}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
	`{}`,
	``,
}

// mutate damages a message a little.
func mutate(r *rand.Rand, seed string) []byte {
	data := []byte(seed)
	for range r.IntN(4) {
		at := r.IntN(len(data) + 1)
		switch r.IntN(4) {
		case 0:
			data = data[:at]
		case 1:
			other := seeds[r.IntN(len(seeds))]
			data = append(data[:at:at], other[r.IntN(len(other)+1):]...)
		case 2:
			data = append(data[:at:at], append([]byte{byte(r.IntN(128))}, data[at:]...)...)
		case 3:
			if at < len(data) {
				data[at] = byte(r.IntN(128)) // WebSocket text is UTF-8
			}
		}
	}
	return data
}

// stranger is a peer that writes what it likes and reads all that comes back.
type stranger struct {
	socket  *websocket.Conn
	answers chan ahp.RPCMessage // those to its own questions
}

func meet(t testing.TB) *stranger {
	t.Helper()
	host := &ahp.HostHandlers{
		Ping:           pong,
		DispatchAction: func(context.Context, *ahp.DispatchActionParams) {},
		Unsubscribe:    func(context.Context, *ahp.UnsubscribeParams) { panic("always") },
		PassThrough: func(_ context.Context, _, _ string, params json.RawMessage) (json.RawMessage, error) {
			return params, nil
		},
	}
	url, _, _ := serve(t, nil, fixed(host))
	socket, _, err := websocket.Dial(context.Background(), url, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.CloseNow() })
	s := &stranger{socket, make(chan ahp.RPCMessage, 16)}
	go s.listen(t)
	return s
}

func (s *stranger) listen(t testing.TB) {
	defer close(s.answers)
	for {
		_, data, err := s.socket.Read(context.Background())
		if err != nil {
			return
		}
		m, err := ahp.DecodeRPCMessage(data)
		if err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if len(m.ID) > 5 && string(m.ID[:5]) == `"own-` {
			s.answers <- m
		}
	}
}

// send sends a message, and a question after it that has to be answered as if nothing had been.
func (s *stranger) send(t testing.TB, message []byte, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	echo := fmt.Sprintf(`{"channel":"mcp://server","n":%d}`, n)
	question := fmt.Sprintf(`{"jsonrpc":"2.0","id":"own-%d","method":"echo","params":%s}`, n, echo)
	require.NoError(t, s.socket.Write(ctx, websocket.MessageText, message))
	require.NoError(t, s.socket.Write(ctx, websocket.MessageText, []byte(question)))
	select {
	case m, ok := <-s.answers:
		require.Truef(t, ok, "%q ended the connection", message)
		require.Equal(t, fmt.Sprintf(`"own-%d"`, n), string(m.ID))
		require.Equal(t, echo, string(m.Result))
	case <-ctx.Done():
		t.Fatalf("%q: no answer to the question after it", message)
	}
}

func TestNonsenseHarmsNobodyElse(t *testing.T) {
	s := meet(t)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		s.send(t, mutate(r, seeds[r.IntN(len(seeds))]), n)
	}
}

func TestAnswersToNoQuestionAreTold(t *testing.T) {
	bad := make(chan error, 2)
	url, _, _ := serve(t, &ahpws.Options{OnBad: func(err error) { bad <- err }}, fixed(&ahp.HostHandlers{}))
	socket, _, err := websocket.Dial(t.Context(), url, nil)
	require.NoError(t, err)
	defer func() { _ = socket.CloseNow() }()
	for _, message := range []string{seeds[3], `{"jsonrpc":`} {
		require.NoError(t, socket.Write(t.Context(), websocket.MessageText, []byte(message)))
	}
	require.ErrorContains(t, soon(t, bad), "answer with id null to no request")
	require.ErrorContains(t, soon(t, bad), "malformed message")
	long := `"` + strings.Repeat("\u202e", 1<<17) + `"`
	for _, rest := range []string{`"result":1`, `"error":{"code":1,"message":` + long + `}`} {
		require.NoError(t, socket.Write(t.Context(), websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":`+long+`,`+rest+`}`)))
		err := soon(t, bad)
		require.ErrorContains(t, err, "to no request")
		require.Less(t, len(err.Error()), 16<<10)
		require.NotContains(t, err.Error(), "\u202e")
	}
}

func TestABinaryMessageEndsTheConnection(t *testing.T) {
	url, _, served := serve(t, nil, fixed(&ahp.HostHandlers{}))
	socket, _, err := websocket.Dial(t.Context(), url, nil)
	require.NoError(t, err)
	require.NoError(t, socket.Write(t.Context(), websocket.MessageBinary, []byte(seeds[0])))
	_, _, err = socket.Read(t.Context())
	require.Equal(t, websocket.StatusUnsupportedData, websocket.CloseStatus(err))
	require.ErrorContains(t, soon(t, served), "binary")
}

func FuzzPeer(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	s, n := meet(f), 0
	f.Fuzz(func(t *testing.T, message string) {
		n++
		s.send(t, []byte(message), n)
	})
}
