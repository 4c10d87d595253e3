// What connections promise, held in many runs: order, nothing lost at an end, and states that agree after every
// loss. How many runs, -runs says.

package ahp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

var runs = flag.Int("runs", 200, "how many runs of what happens by chance")

// wireEnd is a client that writes and reads whole messages by hand.
type wireEnd struct {
	write func(messages ...string) error
	read  func() (string, error)
	close func() error // says nothing about why, where there is something to say
}

// transports connect a client by hand to a server, in each way.
func transports(t *testing.T, s *ahp.Server) map[string]func() wireEnd {
	t.Helper()
	lines := func(in io.Reader, out io.Writer, end func() error) wireEnd {
		d := json.NewDecoder(in)
		return wireEnd{
			write: func(messages ...string) error {
				_, err := io.WriteString(out, strings.Join(messages, "\n")+"\n")
				return err
			},
			read: func() (string, error) {
				var raw json.RawMessage
				err := d.Decode(&raw)
				return string(raw), err
			},
			close: end,
		}
	}
	serve := func(transport rpc.Transport) {
		go func() { _ = s.Serve(context.WithoutCancel(t.Context()), transport) }()
	}
	web := httptest.NewServer(&ws.Handler{Serve: func(ctx context.Context, transport rpc.Transport, _ *http.Request) { _ = s.Serve(ctx, transport) }})
	t.Cleanup(web.Close)
	return map[string]func() wireEnd{
		"tcp": func() wireEnd {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer func() { _ = listener.Close() }()
			ours, err := net.Dial("tcp", listener.Addr().String())
			require.NoError(t, err)
			theirs, err := listener.Accept()
			require.NoError(t, err)
			serve(rpc.Stream(theirs))
			return lines(ours, ours, ours.(*net.TCPConn).CloseWrite)
		},
		"pipes": func() wireEnd {
			toServer, ours := io.Pipe()
			fromServer, theirs := io.Pipe()
			serve(rpc.Pipes(toServer, theirs))
			return lines(fromServer, ours, ours.Close)
		},
		"websocket": func() wireEnd {
			c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(web.URL, "http"), nil) //nolint:bodyclose // the library does
			require.NoError(t, err)
			c.SetReadLimit(-1)
			return wireEnd{
				write: func(messages ...string) error {
					for _, m := range messages {
						if err := c.Write(t.Context(), websocket.MessageText, []byte(m)); err != nil {
							return err
						}
					}
					return nil
				},
				read: func() (string, error) {
					_, data, err := c.Read(t.Context())
					return string(data), err
				},
				close: func() error { return c.Close(websocket.StatusNoStatusRcvd, "") },
			}
		},
	}
}

// TestRequestsThatFollowEachOtherDo writes pairs of requests, the second of which needs the first, all at once.
func TestRequestsThatFollowEachOtherDo(t *testing.T) {
	pairs := 10 * *runs
	var s *ahp.Server
	var err error
	s, err = ahp.NewServer(&ahp.ServerOptions{Handlers: func(*server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{CreateSession: func(_ context.Context, p *ahp.CreateSessionParams) error {
			if err := s.OpenChannel(p.Channel, emptySession()); err != nil {
				return err
			}
			return s.Publish(p.Channel, titled("new"))
		}}
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for name, connect := range transports(t, s) {
		t.Run(name, func(t *testing.T) {
			c := connect()
			all := []string{strings.Replace(opening, "c1", name, 1)}
			for i := range pairs {
				channel := fmt.Sprintf("ahp-session:/%s-%d", name, i)
				all = append(all,
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","method":"createSession","params":{"channel":%q}}`, i, channel),
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"subscribe","params":{"channel":%q}}`, i, channel))
			}
			go func() { _ = c.write(all...) }()
			_, err := c.read()
			require.NoError(t, err)
			for i := range 2 * pairs {
				got, err := c.read()
				require.NoError(t, err)
				if i%2 == 0 {
					require.Equal(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","result":null}`, i/2), got)
				} else {
					require.True(t, strings.HasPrefix(got, fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","result":{"snapshot":`, i/2)), got)
					require.Contains(t, got, `"title":"new"`)
				}
			}
			require.NoError(t, c.close())
		})
	}
}

// TestNothingBeforeTheEndIsLost dispatches and ends the connection at once.
func TestNothingBeforeTheEndIsLost(t *testing.T) {
	count := 10 * *runs
	var handled atomic.Int64
	s, _ := hosting(t, &ahp.ServerOptions{Validate: func(*server.Client, string, ahp.SnapshotState, ahp.StateAction) error {
		handled.Add(1)
		return nil
	}})
	ends := map[string]func() (wireEnd, func() error){}
	for name, connect := range transports(t, s) {
		ends[name] = func() (wireEnd, func() error) {
			c := connect()
			return c, c.close
		}
	}
	web := httptest.NewServer(&ws.Handler{Serve: func(ctx context.Context, transport rpc.Transport, _ *http.Request) { _ = s.Serve(ctx, transport) }})
	t.Cleanup(web.Close)
	for code, name := range map[websocket.StatusCode]string{websocket.StatusNormalClosure: "websocket 1000", websocket.StatusGoingAway: "websocket 1001", 4001: "websocket 4001"} {
		ends[name] = func() (wireEnd, func() error) {
			c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(web.URL, "http"), nil) //nolint:bodyclose // the library does
			require.NoError(t, err)
			c.SetReadLimit(-1)
			return wireEnd{write: func(messages ...string) error {
				for _, m := range messages {
					if err := c.Write(t.Context(), websocket.MessageText, []byte(m)); err != nil {
						return err
					}
				}
				return nil
			}, read: func() (string, error) {
				_, data, err := c.Read(t.Context())
				return string(data), err
			}}, func() error { return c.Close(code, "") }
		}
	}
	for name, connect := range ends {
		t.Run(name, func(t *testing.T) {
			handled.Store(0)
			c, end := connect()
			require.NoError(t, c.write(strings.Replace(opening, "c1", "x"+strings.ReplaceAll(name, " ", ""), 1)))
			_, err := c.read()
			require.NoError(t, err)
			go func() { // somebody reads, or the server would rightly cut off who does not
				for {
					if _, err := c.read(); err != nil {
						return
					}
				}
			}()
			all := make([]string, count)
			for i := range all {
				all[i] = fmt.Sprintf(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":%q,"clientSeq":%d,"action":{"type":"session/titleChanged","title":"x"}}}`, sessionChannel, i+1)
			}
			require.NoError(t, c.write(all...))
			_ = end()
			require.Eventually(t, func() bool { return handled.Load() == int64(count) }, time.Minute, time.Millisecond, "%v", &handled)
		})
	}
}

// proxy passes bytes on in pieces and cuts connections in every way that there is.
type proxy struct {
	t       *testing.T
	to      string
	address string

	mu    sync.Mutex
	pairs []twoEnds
	r     *rand.Rand
}

type twoEnds struct{ client, host *net.TCPConn }

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{t: t, to: to, address: listener.Addr().String(), r: rand.New(rand.NewPCG(1, 2))}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			host, err := net.Dial("tcp", p.to)
			if err != nil {
				_ = client.Close()
				continue
			}
			c := twoEnds{client.(*net.TCPConn), host.(*net.TCPConn)}
			p.mu.Lock()
			p.pairs = append(p.pairs, c)
			p.mu.Unlock()
			go p.pass(c.client, c.host)
			go p.pass(c.host, c.client)
		}
	}()
	return p
}

// pass passes pieces on, so that messages break at any place.
func (p *proxy) pass(from, to *net.TCPConn) {
	buf := make([]byte, 700)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			_ = to.CloseWrite()
			return
		}
	}
}

// cut ends all connections: in good order or not, one side first or both at once.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.pairs {
		way := p.r.IntN(4)
		if way == 3 {
			_, _ = c.client.SetLinger(0), c.host.SetLinger(0)
		}
		if way != 1 {
			_ = c.client.Close()
		}
		if way == 2 {
			time.Sleep(time.Duration(p.r.IntN(500)) * time.Microsecond) // the host still gets what was on its way
		}
		_ = c.host.Close()
		_ = c.client.Close()
	}
	p.pairs = nil
}

// TestStatesAgreeAfterEveryLoss cuts connections at random moments while the host streams and the client
// dispatches. In between it waits for quiet, and compares: states to the letter, and what became of every action.
func TestStatesAgreeAfterEveryLoss(t *testing.T) {
	const uri = "ahp-terminal:/1"
	now := func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	s, _ := hosting(t, &ahp.ServerOptions{Limits: server.Limits{Now: now, Window: 200}})
	require.NoError(t, s.OpenChannel(uri, &ahp.TerminalState{Title: "t", Content: []ahp.TerminalContentPart{}, Claim: &ahp.TerminalSessionClaim{Session: sessionChannel}, Lifecycle: &ahp.TerminalRunningLifecycleState{}}))
	way := newProxy(t, listen(t, s))
	var mu sync.Mutex
	answered := map[string]int{} // by title: how often an end of the action was told
	told := func(a ahp.StateAction) {
		if a, ok := a.(*ahp.TerminalTitleChangedAction); ok {
			mu.Lock()
			defer mu.Unlock()
			answered[a.Title]++
		}
	}
	c, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", way.address)
		if err != nil {
			return nil, err
		}
		return rpc.Stream(c), nil
	}, &ahp.ConnOptions{
		Keep: quick, Reducer: &ahp.Reducer{Now: now},
		Received: func(e *ahp.ActionEnvelope, o state.Outcome) {
			if o == state.Confirmed || o == state.Rejected {
				told(e.Action)
			}
		},
		Reconnected: func(r *ahp.Reconnection) {
			for _, l := range r.Lost {
				told(l.Action)
			}
		},
	})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), uri))
	dispatched := 0
	for left := *runs; left > 0; {
		quiet := make(chan struct{})
		var busy sync.WaitGroup
		busy.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-quiet:
					return
				default:
				}
				_ = s.Publish(uri, &ahp.TerminalDataAction{Data: fmt.Sprint(i, ";")})
				time.Sleep(20 * time.Microsecond)
			}
		})
		busy.Go(func() {
			for {
				select {
				case <-quiet:
					return
				default:
				}
				title := fmt.Sprint("c", dispatched)
				if err := c.Dispatch(t.Context(), uri, &ahp.TerminalTitleChangedAction{Title: title}); err == nil || errors.Is(err, rpc.ErrClosed) {
					dispatched++
				}
				time.Sleep(50 * time.Microsecond)
			}
		})
		for range min(left, 50) {
			time.Sleep(time.Duration(way.r.IntN(4000)) * time.Microsecond)
			way.cut()
			left--
		}
		close(quiet)
		busy.Wait()
		require.Eventually(t, func() bool {
			view, ok := c.Store.Terminal(uri)
			return ok && view.Pending == 0 && c.Store.LastSeen() == s.Sequence() && c.Status().State == conn.Ready
		}, time.Minute, time.Millisecond)
		want, _ := s.State(uri)
		view, _ := c.Store.Terminal(uri)
		require.Equal(t, asJSON(t, want), asJSON(t, view.Confirmed))
		require.Same(t, view.Confirmed, view.Optimistic)
		require.NoError(t, s.Publish(uri, &ahp.TerminalClearedAction{}))
	}
	require.NoError(t, c.Close())
	mu.Lock()
	defer mu.Unlock()
	for i := range dispatched {
		require.Equal(t, 1, answered[fmt.Sprint("c", i)], "c%d of %d", i, dispatched)
	}
	t.Logf("%d actions, each with one end", dispatched)
}

// TestWhatComesBeforeTheAnswerWaits is a host by hand that sends thousands of actions before it answers a client
// that comes back.
func TestWhatComesBeforeTheAnswerWaits(t *testing.T) {
	const before = 5000
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	envelope := func(n int) string {
		return fmt.Sprintf(`{"channel":%q,"action":{"type":"session/titleChanged","title":"%d"},"serverSeq":%d}`, sessionChannel, n, n)
	}
	snapshot := fmt.Sprintf(`{"resource":%q,"state":%s,"fromSeq":10}`, sessionChannel, asJSON(t, emptySession()))
	go func() {
		for round := 0; ; round++ {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			in := json.NewDecoder(c)
			var m struct {
				ID     json.RawMessage
				Method string
			}
			for in.Decode(&m) == nil {
				answer := ""
				switch m.Method {
				case "initialize":
					answer = `{"protocolVersion":"1.0.0","serverSeq":10,"snapshots":[]}`
				case "subscribe":
					answer = `{"snapshot":` + snapshot + `}`
				case "reconnect":
					var b bytes.Buffer
					for n := 21; n <= 20+before; n++ {
						b.WriteString(`{"jsonrpc":"2.0","method":"action","params":` + envelope(n) + "}\n")
					}
					_, _ = c.Write(b.Bytes())
					answer = `{"type":"replay","actions":[` + envelope(11) + "," + envelope(20) + `],"missing":[]}`
				}
				_, _ = fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, answer)
				if m.Method == "subscribe" {
					_ = c.Close()
				}
			}
		}
	}()
	var mu sync.Mutex
	var order []int64
	c, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
		if err != nil {
			return nil, err
		}
		return rpc.Stream(c), nil
	}, &ahp.ConnOptions{Keep: quick, Received: func(e *ahp.ActionEnvelope, _ state.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, e.ServerSeq)
	}})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	require.Eventually(t, showing(c, fmt.Sprint(20+before)), time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { // which may be called after the store has it
		mu.Lock()
		defer mu.Unlock()
		return len(order) >= before+2
	}, time.Minute, time.Millisecond)
	mu.Lock()
	require.Len(t, order, before+2)
	for i := 1; i < len(order); i++ {
		require.Less(t, order[i-1], order[i])
	}
	mu.Unlock()
	require.NoError(t, c.Close())
}

// TestBadPeersHarmNobody lets peers of every bad kind come and go, while a good one goes on.
func TestBadPeersHarmNobody(t *testing.T) {
	s, dial := hosting(t, &ahp.ServerOptions{Limits: server.Limits{Greeting: time.Second, Peer: &rpc.Options{
		MaxMessage: 1 << 20, MaxUnsent: 1 << 20, WriteTimeout: 2 * time.Second, MessageTimeout: 2 * time.Second, DrainTimeout: time.Second,
	}}})
	keep := quick
	keep.Status = func(s conn.Status) {
		if s.State == conn.Waiting {
			t.Error("the good one was cut off: ", s.Err)
		}
	}
	good, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{Keep: keep})
	require.NoError(t, err)
	require.NoError(t, good.Subscribe(within(t), sessionChannel))
	greet := func(c net.Conn, id string) {
		_, _ = io.WriteString(c, strings.Replace(opening, "c1", id, 1)+"\n")
		_, _ = c.Read(make([]byte, 4096))
	}
	large := bytes.Repeat([]byte("x"), 2<<20)
	bad := map[string]func(c net.Conn, id string){
		"says nothing":              func(net.Conn, string) {},
		"half a message, then none": func(c net.Conn, id string) { greet(c, id); _, _ = io.WriteString(c, `{"jsonrpc":`) },
		"a message without an end":  func(c net.Conn, id string) { greet(c, id); _, _ = c.Write(large) },
		"a large greeting":          func(c net.Conn, _ string) { _, _ = c.Write(large) },
		"answers to unknown ids": func(c net.Conn, id string) {
			greet(c, id)
			_, _ = io.WriteString(c, strings.Repeat(`{"jsonrpc":"2.0","id":7,"result":1}`+"\n", 50))
			_ = c.Close()
		},
		"the same id again and again": func(c net.Conn, id string) {
			greet(c, id)
			_, _ = io.WriteString(c, strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"channel":"ahp-root://"}}`+"\n", 50))
			_ = c.Close()
		},
		"nonsense": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\n\r\n\x00\xff{[\n")
			_ = c.Close()
		},
		"a flood without reading": func(c net.Conn, id string) {
			_, _ = io.WriteString(c, strings.Replace(opening, "c1", id, 1)+"\n")
			_ = c.SetWriteDeadline(time.Now().Add(20 * time.Second))
			line := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":%q}}`+"\n", sessionChannel))
			for {
				if _, err := c.Write(line); err != nil {
					if errors.Is(err, errTimeout(err)) {
						t.Error("who floods without reading is not cut off")
					}
					return
				}
			}
		},
	}
	address := listen(t, s)
	settle()
	goroutines, heap := runtime.NumGoroutine(), heapNow()
	for round := range max(1, *runs/100) {
		var all sync.WaitGroup
		for name, behave := range bad {
			all.Go(func() {
				c, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = c.Close() }()
				behave(c, fmt.Sprint(name, round))
				_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
				if _, err := io.Copy(io.Discard, c); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTimeout(err)) {
					t.Errorf("%s: not cut off", name)
				}
			})
		}
		require.NoError(t, good.Dispatch(within(t), sessionChannel, titled(fmt.Sprint("fine ", round))))
		require.Eventually(t, showing(good, fmt.Sprint("fine ", round)), time.Minute, time.Millisecond)
		all.Wait()
	}
	require.NoError(t, good.Dispatch(within(t), sessionChannel, titled("still fine")))
	require.Eventually(t, showing(good, "still fine"), time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { settle(); return runtime.NumGoroutine() <= goroutines+5 }, time.Minute, 10*time.Millisecond)
	require.Less(t, heapNow(), heap+8<<20)
	require.NoError(t, good.Close())
}

// errTimeout is the error itself where it is a timeout.
func errTimeout(err error) error {
	var n net.Error
	if errors.As(err, &n) && n.Timeout() {
		return err
	}
	return context.Canceled
}

// TestConnectionsLeaveNothingBehind lets clients come and go.
func TestConnectionsLeaveNothingBehind(t *testing.T) {
	s, _ := hosting(t, nil)
	address := listen(t, s)
	visit := func(i int) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, strings.Replace(opening, "c1", fmt.Sprint("v", i%50), 1)+"\n")
		if i%3 > 0 {
			_, _ = c.Read(make([]byte, 4096))
		}
		if i%3 > 1 {
			_, _ = io.WriteString(c, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":%q}}`+"\n", sessionChannel))
			_, _ = c.Read(make([]byte, 4096))
		}
	}
	for i := range 100 {
		visit(i)
	}
	settle()
	goroutines, heap := runtime.NumGoroutine(), heapNow()
	var all sync.WaitGroup
	for worker := range 10 {
		all.Go(func() {
			for i := range *runs / 2 {
				visit(worker*1_000_000 + i)
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool { settle(); return runtime.NumGoroutine() <= goroutines+2 }, time.Minute, 10*time.Millisecond)
	require.Less(t, heapNow(), heap+4<<20)
	require.Zero(t, s.Subscribers(sessionChannel))
}

// listen serves at an address.
func listen(t testing.TB, s *ahp.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = s.Serve(context.WithoutCancel(t.Context()), rpc.Stream(c)) }()
		}
	}()
	return listener.Addr().String()
}

func settle() {
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
}

func heapNow() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestAnAnswerIsSeenAfterWhatWasPublishedBeforeIt asks for something that happens, and looks at once.
func TestAnAnswerIsSeenAfterWhatWasPublishedBeforeIt(t *testing.T) {
	var s *ahp.Server
	var err error
	nth := 0
	s, err = ahp.NewServer(&ahp.ServerOptions{Handlers: func(*server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{ListSessions: func(context.Context, *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
			nth++
			return &ahp.ListSessionsResult{Items: []ahp.SessionSummary{}}, s.Publish(sessionChannel, titled(fmt.Sprint(nth)))
		}}
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c, err := ahp.Connect(within(t), reach(t, s), nil)
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	for i := range 10 * *runs {
		_, err := c.Host.ListSessions(t.Context(), &ahp.ListSessionsParams{})
		require.NoError(t, err)
		view, _ := c.Store.Session(sessionChannel)
		require.Equal(t, fmt.Sprint(i+1), view.Confirmed.Title)
	}
	require.NoError(t, c.Close())
}
