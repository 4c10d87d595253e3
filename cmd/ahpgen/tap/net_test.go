package tap

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// heard are the messages of each side.
type heard struct {
	sync.Mutex
	messages map[protocol.Side][]string
	over     []string              // requests of HTTP: who ended them, their ids, and the status
	sizes    map[protocol.Side]int // of what was cut
	conns    map[string]int
	shared   []string
}

func (h *heard) watch(e *record.Entry) {
	h.Lock()
	defer h.Unlock()
	switch {
	case e.End:
	case e.Over != "":
		h.over = append(h.over, fmt.Sprint(e.From, " ", e.Over, " ", e.Status))
	case e.Cut:
		h.sizes[e.From] += len(e.Data)
	default:
		h.messages[e.From] = append(h.messages[e.From], strings.TrimSpace(string(e.Data)))
		h.conns[string(e.Data)] = e.Conn
		if e.Shared {
			h.shared = append(h.shared, string(e.Data))
		}
	}
}

func newHeard() *heard {
	return &heard{messages: map[protocol.Side][]string{}, sizes: map[protocol.Side]int{}, conns: map[string]int{}}
}

// behind serves a tap in front of an address, until the test calls end.
func behind(t *testing.T, f record.Framing, to string, h *heard, more ...func(*record.Entry)) (address string, end func()) {
	t.Helper()
	target, err := ParseTarget(to)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	tap := New(f, append(more, h.watch)...)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		failed := func(err error) { t.Error(err) }
		if target.IsHTTP() {
			done <- tap.ServeHTTP(ctx, l, target, Web{Session: "Session", Opens: map[string]bool{"open": true}, Resumes: "Last-Event-ID"}, failed)
			return
		}
		done <- tap.Serve(ctx, l, target, false, failed)
	}()
	return l.Addr().String(), func() {
		stop()
		require.NoError(t, <-done)
		require.True(t, tap.Close())
	}
}

// TestWebSocketsAreRead has random messages echoed, compressed and not: what is seen is what the two ends have sent.
func TestWebSocketsAreRead(t *testing.T) {
	for _, mode := range []websocket.CompressionMode{websocket.CompressionDisabled, websocket.CompressionContextTakeover, websocket.CompressionNoContextTakeover} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			host := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				host = r.Host
				c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: mode})
				if err != nil {
					return
				}
				c.SetReadLimit(-1)
				for {
					kind, data, err := c.Read(r.Context())
					if err != nil {
						return
					}
					_ = c.Write(r.Context(), kind, data)
				}
			}))
			defer server.Close()
			h := newHeard()
			address, end := behind(t, record.Messages, strings.Replace(server.URL, "http", "ws", 1), h)
			ctx := t.Context()
			c, _, err := websocket.Dial(ctx, "ws://"+address+"/x?y", &websocket.DialOptions{CompressionMode: mode})
			require.NoError(t, err)
			c.SetReadLimit(-1)
			random := rand.New(rand.NewPCG(1, uint64(mode)))
			var sent []string
			for i := range 200 {
				text := strings.Repeat(fmt.Sprintf(`{"n":%d}`, i), 1+random.IntN(1<<random.IntN(14)))
				require.NoError(t, c.Write(ctx, websocket.MessageText, []byte(text)))
				_, back, err := c.Read(ctx)
				require.NoError(t, err)
				require.True(t, text == string(back))
				sent = append(sent, text)
			}
			_ = c.CloseNow()
			end()
			for _, from := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
				require.Len(t, h.messages[from], len(sent))
				for i, text := range sent {
					require.True(t, text == h.messages[from][i], "message %d", i)
				}
			}
			require.Equal(t, strings.TrimPrefix(server.URL, "http://"), host)
		})
	}
}

func TestStreamsAreJoined(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(c, c)
			_ = c.(*net.TCPConn).CloseWrite()
		}
	}()
	h := newHeard()
	address, end := behind(t, record.Lines, l.Addr().String(), h)
	for i := range 3 {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		fmt.Fprintf(c, "%d\nx", i)
		require.NoError(t, c.(*net.TCPConn).CloseWrite())
		text, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%d\nx", i), string(text))
		_ = c.Close()
	}
	end()
	want := []string{"0", "x", "1", "x", "2", "x"}
	require.Equal(t, want, h.messages[protocol.FromClient])
	require.Equal(t, want, h.messages[protocol.FromHost])
	require.Equal(t, 3, h.conns["2\n"])
}

// TestRequestsOfHTTPAreRead: bodies, and events as they come. A session has one number.
func TestRequestsOfHTTPAreRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case bytes.Contains(body, []byte("open")):
			w.Header().Set("Session", "s1")
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"opened":1}`)
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			for _, part := range []string{": hello\n\n", "id: 1\r", "\ndata: {\"event\":\r\ndata:1}\r\n", "\r\n", "data: {\"event\":2}\n\n"} {
				fmt.Fprint(w, part)
				w.(http.Flusher).Flush()
			}
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer server.Close()
	h := newHeard()
	address, end := behind(t, record.Messages, server.URL, h)
	do := func(method, session, body string) string {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+"/mcp", strings.NewReader(body))
		require.NoError(t, err)
		if session != "" {
			r.Header.Set("Session", session)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, `{"opened":1}`, do("POST", "", `{"open":1}`))
	require.Empty(t, do("POST", "s1", `{"in":"s1"}`))
	require.Contains(t, do("GET", "s1", ""), "id: 1\r\ndata: {\"event\":\r\ndata:1}\r\n\r\n")
	require.Equal(t, `{"opened":1}`, do("POST", "", `{"open":2}`))
	require.Equal(t, `{"opened":1}`, do("POST", "", `{"jsonrpc":"2.0","id":1,"method":"open"}`))
	require.Empty(t, do("POST", "", `{"in":"none"}`))
	end()
	require.Equal(t, []string{`{"open":1}`, `{"open":2}`, `{"in":"none"}`}, h.shared) // what begins no session, and is of none
	require.Equal(t, []string{`{"open":1}`, `{"in":"s1"}`, `{"open":2}`, `{"jsonrpc":"2.0","id":1,"method":"open"}`, `{"in":"none"}`}, h.messages[protocol.FromClient])
	require.Equal(t, []string{`{"opened":1}`, "{\"event\":\n1}", `{"event":2}`, `{"opened":1}`, `{"opened":1}`}, h.messages[protocol.FromHost])
	require.Equal(t, []int{1, 1, 1, 2}, []int{h.conns[`{"open":1}`], h.conns[`{"in":"s1"}`], h.conns[`{"event":2}`], h.conns[`{"open":2}`]})
}

// TestRequestsOfHTTPThatEndWithoutAnAnswerAreNoted: the host refuses one, and the client gives up others before and while they
// are answered.
func TestRequestsOfHTTPThatEndWithoutAnAnswerAreNoted(t *testing.T) {
	heard := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case bytes.Contains(body, []byte("refuse")):
			http.Error(w, "no such session", http.StatusBadRequest)
			return
		case bytes.Contains(body, []byte("stream")):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {}\n\n")
			w.(http.Flusher).Flush()
		}
		heard <- string(body)
		<-r.Context().Done()
		heard <- ""
	}))
	defer server.Close()
	h := newHeard()
	address, end := behind(t, record.Messages, server.URL, h)
	want := 0
	post := func(body string, givenUp bool, over int) {
		ctx, giveUp := context.WithCancel(t.Context())
		defer giveUp()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address, strings.NewReader(body))
		require.NoError(t, err)
		done := make(chan struct{})
		go func() {
			defer close(done)
			if response, err := http.DefaultClient.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
		}()
		if givenUp {
			require.Equal(t, body, <-heard)
			giveUp()
			require.Empty(t, <-heard)
		}
		<-done
		want += over
		require.Eventually(t, func() bool {
			h.Lock()
			defer h.Unlock()
			return len(h.over) == want
		}, 10*time.Second, time.Millisecond)
	}
	post(`{"jsonrpc":"2.0","id":1,"method":"refuse"}`, false, 1)
	post(`[{"jsonrpc":"2.0","id":"a","method":"refuse"},{"jsonrpc":"2.0","method":"refuse"},{"jsonrpc":"2.0","id":"b","method":"refuse"}]`, false, 2)
	post(`{"jsonrpc":"2.0","id":2,"method":"wait"}`, true, 1)
	post(`{"jsonrpc":"2.0","id":3,"method":"stream"}`, true, 1)
	end()
	require.Equal(t, []string{"host 1 400", `host "a" 400`, `host "b" 400`, "client 2 0", "client 3 0"}, h.over)
}

// TestClientsWithoutSessionsAreToldApartByHandshakes: until one has a session, and where there are none.
func TestClientsWithoutSessionsAreToldApartByHandshakes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	defer server.Close()
	h := newHeard()
	address, end := behind(t, record.Messages, server.URL, h)
	message := func(method string, id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
	}
	for i, method := range []string{"discover", "open", "call", "open", "call"} {
		response, err := http.Post("http://"+address, "application/json", strings.NewReader(message(method, i)))
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	end()
	require.Equal(t, map[string]int{message("discover", 0): 1, message("open", 1): 2, message("call", 2): 2, message("open", 3): 3, message("call", 4): 3}, h.conns)
}

func TestTargets(t *testing.T) {
	for text, want := range map[string]string{
		"localhost:1": "tcp localhost:1", "unix:/tmp/x": "unix /tmp/x", "ws://a/b": "ws a:80", "wss://a": "wss a:443", "http://[::1]:7/": "http [::1]:7",
		"": "", "localhost": "", "ftp://x": "", "ws://": "",
	} {
		got, err := ParseTarget(text)
		if want == "" {
			require.ErrorIs(t, err, ErrTarget, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got.Scheme+" "+got.Address)
	}
}

// FuzzSplitters: whatever comes, all of it is passed on, and no more than the limit is held.
func FuzzSplitters(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n\x81\x85\x00\x00\x00\x00hello\xc1\x02\x00\x00"))
	f.Add([]byte("Content-Length: 3\r\n\r\n{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		w := record.NewWeb()
		w.Limit = 100
		for part := make([]byte, 7); ; {
			n, err := r.Read(part)
			w.Split(part[:n], func(e record.Entry) { require.LessOrEqual(t, len(e.Data), 200) })
			if err != nil {
				break
			}
		}
		w.Finish(func(record.Entry) {})
		for _, framing := range []record.Framing{record.Lines, record.Headers} {
			s := record.NewSplitter(framing)
			s.Limit = 100
			var all []byte
			put := func(e record.Entry) { all = append(all, e.Data...) }
			s.Split(data, put)
			s.Finish(put)
			require.Len(t, all, len(data))
		}
	})
}
