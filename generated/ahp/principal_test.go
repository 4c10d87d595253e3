// Who is there: what a connection may be and see is decided by who its transport says is there, and by nothing that
// it says itself. The messages are as the specification has them, over TCP.

package ahp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// come connects to a server over TCP, as a principal.
func come(t *testing.T, s *ahp.Server, name string) *spoken {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	ours, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	theirs, err := l.Accept()
	require.NoError(t, err)
	ctx := context.WithoutCancel(t.Context())
	if name != "" {
		ctx = rpc.WithPrincipal(ctx, rpc.Principal{Name: name})
	}
	go func() { _ = s.Serve(ctx, rpc.Stream(theirs)) }()
	t.Cleanup(func() { _ = ours.Close() })
	return &spoken{t, ours, bufio.NewReader(ours)}
}

// hearsLine returns the next line.
func (s *spoken) hearsLine() string {
	s.t.Helper()
	require.NoError(s.t, s.net.SetReadDeadline(time.Now().Add(time.Minute)))
	line, err := s.in.ReadString('\n')
	require.NoError(s.t, err)
	return strings.TrimSpace(line)
}

// leaves ends the connection, and waits until the server knows.
func (s *spoken) leaves(left <-chan string) {
	s.t.Helper()
	require.NoError(s.t, s.net.Close())
	<-left
}

func introduces(id string, channels ...string) string {
	list := `"` + strings.Join(channels, `","`) + `"`
	if len(channels) == 0 {
		list = ""
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","protocolVersions":["1.0.0"],"clientId":%q,"initialSubscriptions":[%s]}}`, id, list)
}

func comesBack(id string, seen int, channels ...string) string {
	list := `"` + strings.Join(channels, `","`) + `"`
	if len(channels) == 0 {
		list = ""
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"reconnect","params":{"channel":"ahp-root://","clientId":%q,"lastSeenServerSeq":%d,"subscriptions":[%s]}}`, id, seen, list)
}

func retitles(n int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":%d,"action":{"type":"session/titleChanged","title":%q}}}`, n, text)
}

const (
	noSuchClient = `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"not initialized"}}`
	somebodyElse = `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the client id belongs to another client"}}`
)

func echoed(seq, n int, id, text string) string {
	return fmt.Sprintf(`{"channel":"ahp-session:/s","action":{"type":"session/titleChanged","title":%q},"serverSeq":%d,"origin":{"clientId":%q,"clientSeq":%d}}`, text, seq, id, n)
}

func told(envelope string) string {
	return `{"jsonrpc":"2.0","method":"action","params":` + envelope + `}`
}

func missedOnes(envelopes ...string) string {
	return `{"jsonrpc":"2.0","id":2,"result":{"type":"replay","actions":[` + strings.Join(envelopes, ",") + `],"missing":[]}}`
}

func TestAClientOfAPrincipalIsNobodyElses(t *testing.T) {
	left := make(chan string, 10)
	s := withLog(t, ahp.ServerOptions{Limits: countingOn(), Left: func(c *server.Client) { left <- c.Principal().Name }})
	alice := come(t, s.Server, "alice")
	alice.says(introduces("a", sessionChannel), retitles(1, "mine"))
	require.Contains(t, alice.hearsLine(), `"protocolVersion":"1.0.0"`)
	alice.hears(told(echoed(1, 1, "a", "mine")))

	// tries has somebody else try all that there is, and returns what is answered to who comes back.
	tries := func(when string) {
		for _, name := range []string{"eve", ""} {
			eve := come(t, s.Server, name)
			eve.says(comesBack("nobody", 0))
			unknown := eve.hearsLine()
			eve.says(comesBack("a", 0))
			require.Equal(t, unknown, eve.hearsLine(), "%s: whether there is such a client is not told", when)
			require.JSONEq(t, noSuchClient, unknown)
			eve.says(comesBack("a", 1, sessionChannel))
			eve.hears(noSuchClient)
			eve.says(introduces("a", sessionChannel))
			eve.hears(somebodyElse)
			eve.says(retitles(1, "by eve"), introduces("e-"+name))
			require.Contains(t, eve.hearsLine(), `"protocolVersion":"1.0.0"`, "%s: nothing but the id is refused", when)
			require.NoError(t, eve.net.Close())
			require.Equal(t, name, <-left)
		}
	}
	tries("while she is there")
	require.NoError(t, s.Publish(sessionChannel, titled("on")))
	alice.hears(told(`{"channel":"ahp-session:/s","action":{"type":"session/titleChanged","title":"on"},"serverSeq":2}`))
	alice.leaves(left)
	tries("while she is away")
	s.again()
	tries("after a restart")

	alice = come(t, s.Server, "alice")
	alice.says(comesBack("a", 1, sessionChannel))
	require.Contains(t, alice.hearsLine(), `"serverSeq":2`, "she comes back as before")
	again := come(t, s.Server, "alice")
	again.says(comesBack("a", 2, sessionChannel))
	again.hears(missedOnes())
	alice.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"replaced by another connection of the same client","data":{"ended":"replaced"}}}`)
	_, err := alice.in.ReadByte()
	require.Error(t, err, "her own newer connection takes the place of the older one")
}

func TestAnIDOfNobodyInParticularStaysWithWhoAnswers(t *testing.T) {
	left := make(chan string, 10)
	s, _ := hosting(t, &ahp.ServerOptions{Limits: countingOn(), Left: func(c *server.Client) { left <- c.ID() }})
	first := come(t, s, "")
	first.says(introduces("a", sessionChannel))
	require.Contains(t, first.hearsLine(), `"protocolVersion":"1.0.0"`)

	second := come(t, s, "")
	for _, c := range []struct{ asks, answer string }{{comesBack("a", 0), noSuchClient}, {introduces("a"), somebodyElse}} {
		second.says(c.asks)
		probe := first.hearsLine()
		require.Contains(t, probe, `"method":"ping"`)
		id := probe[strings.Index(probe, `"id":`)+5:]
		id = id[:strings.IndexAny(id, ",}")]
		first.says(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"there is no such method"}}`)
		second.hears(c.answer)
	}
	require.NoError(t, s.Publish(sessionChannel, titled("on")))
	first.hears(told(`{"channel":"ahp-session:/s","action":{"type":"session/titleChanged","title":"on"},"serverSeq":1}`))

	// One that does not answer has lost its other end.
	second.says(comesBack("a", 0, sessionChannel))
	first.hearsLine()
	require.Contains(t, second.hearsLine(), `"title":"on"`)
	require.Equal(t, "a", <-left)
	// One that has ended is not waited for.
	require.NoError(t, second.net.Close())
	start := time.Now()
	third := come(t, s, "")
	third.says(comesBack("a", 1, sessionChannel))
	third.hears(missedOnes())
	require.Less(t, time.Since(start), 2*time.Second)
	third.leaves(left)

	// Who has a name may have what belongs to nobody, and then it is its own.
	alice := come(t, s, "alice")
	alice.says(comesBack("a", 1, sessionChannel))
	alice.hears(missedOnes())
	second = come(t, s, "")
	second.says(introduces("a"))
	second.hears(somebodyElse)
}

func TestReplaysHoldWhatAClientMaySee(t *testing.T) {
	var mu sync.Mutex
	closed := map[string]bool{}
	set := func(channel string, is bool) { mu.Lock(); closed[channel] = is; mu.Unlock() }
	left := make(chan string, 10)
	s, _ := hosting(t, &ahp.ServerOptions{
		Limits: countingOn(),
		Left:   func(c *server.Client) { left <- c.ID() },
		Admit: func(ctx context.Context, c *server.Client, channel string) error {
			mu.Lock()
			defer mu.Unlock()
			if closed[channel] || rpc.PrincipalOf(ctx) != c.Principal() || c.Principal().Name != "alice" {
				return ahp.ErrorCodeNotFound
			}
			return nil
		},
	})
	const other = "ahp-session:/other"
	require.NoError(t, s.OpenChannel(other, emptySession()))
	alice := come(t, s, "alice")
	alice.says(introduces("a"), retitles(1, "mine"))
	require.Contains(t, alice.hearsLine(), `"protocolVersion":"1.0.0"`)
	alice.hears(told(echoed(1, 1, "a", "mine")))
	alice.leaves(left)
	require.NoError(t, s.Publish(other, titled("before she had it")))

	alice = come(t, s, "alice")
	alice.says(comesBack("a", 0))
	alice.hears(missedOnes(echoed(1, 1, "a", "mine")))
	alice.leaves(left)
	set(sessionChannel, true)
	alice = come(t, s, "alice")
	alice.says(comesBack("a", 0))
	alice.hears(missedOnes())
	alice.says(retitles(2, "not any more"), `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"channel":"ahp-root://"}}`)
	alice.hears(`{"jsonrpc":"2.0","id":3,"result":null}`) // as for a session that there is not
	alice.leaves(left)

	alice = come(t, s, "alice")
	alice.says(comesBack("a", 1, sessionChannel))
	alice.hears(strings.Replace(missedOnes(), `"missing":[]`, `"missing":["ahp-session:/s"]`, 1))
	alice.leaves(left)
	alice = come(t, s, "alice")
	alice.says(comesBack("a", 2, other))
	answer := alice.hearsLine()
	require.Contains(t, answer, `"type":"snapshot"`, "it has no state that what happened could follow")
	require.Contains(t, answer, "before she had it")
}

func TestWhoIsRefusedIsNoClient(t *testing.T) {
	s, _ := hosting(t, &ahp.ServerOptions{
		Limits: countingOn(),
		Authorize: func(ctx context.Context, c *server.Client, claim server.Claim) error {
			if claim.Client == "robot" && c.Principal().Name != "operator" {
				return errors.New("for operators")
			}
			return server.Owned(ctx, c, claim)
		},
		Opened: func(ctx context.Context, c *server.Client, p *ahp.InitializeParams, _ *ahp.InitializeResult) error {
			if c.ID() != p.ClientID || rpc.PrincipalOf(ctx).Name == "mallory" {
				return errors.New("not welcome")
			}
			return nil
		},
	})
	first := come(t, s, "operator")
	first.says(introduces("robot", sessionChannel))
	require.Contains(t, first.hearsLine(), `"protocolVersion":"1.0.0"`)
	second := come(t, s, "eve")
	second.says(introduces("robot"), comesBack("robot", 0))
	second.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"for operators"}}`)
	second.hears(noSuchClient)

	mallory := come(t, s, "mallory")
	mallory.says(introduces("m", sessionChannel), retitles(1, "mine"), `{"jsonrpc":"2.0","id":3,"method":"subscribe","params":{"channel":"ahp-session:/s"}}`)
	mallory.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not welcome"}}`)
	mallory.hears(`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"not initialized"}}`)
	require.EqualValues(t, 0, s.Sequence())
	require.Equal(t, 1, s.Subscribers(sessionChannel))
	mallory.says(comesBack("m", 0))
	mallory.hears(noSuchClient)
}

func TestEverNewIDsForgetNobodyElses(t *testing.T) {
	left := make(chan string, 10)
	s, _ := hosting(t, &ahp.ServerOptions{Limits: server.Limits{Known: 20, Numbers: countingOn().Numbers}, Left: func(c *server.Client) { left <- c.ID() }})
	visit := func(name, id string) {
		c := come(t, s, name)
		c.says(introduces(id))
		require.Contains(t, c.hearsLine(), `"protocolVersion":"1.0.0"`)
		c.leaves(left)
	}
	visit("alice", "a")
	for i := range 50 {
		visit("eve", fmt.Sprint("e", i))
	}
	eve := come(t, s, "eve")
	eve.says(introduces("a"))
	eve.hears(somebodyElse)
	alice := come(t, s, "alice")
	alice.says(comesBack("a", 0))
	alice.hears(missedOnes())
}

func TestHandlersKnowWhoAsks(t *testing.T) {
	asked := make(chan [2]string, 1)
	s, _ := hosting(t, &ahp.ServerOptions{Handlers: func(c *server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{DisposeSession: func(ctx context.Context, _ *ahp.DisposeSessionParams) error {
			asked <- [2]string{c.Principal().Name, rpc.PrincipalOf(ctx).Name}
			return nil
		}}
	}})
	c := come(t, s, "alice")
	c.says(introduces("a"), `{"jsonrpc":"2.0","id":2,"method":"disposeSession","params":{"channel":"ahp-session:/s"}}`)
	require.Equal(t, [2]string{"alice", "alice"}, <-asked)
}

// knownClients returns how many clients a server has in memory.
func knownClients(s *ahp.Server) int {
	v := reflect.ValueOf(s).Elem()
	for v.Kind() != reflect.Map {
		if f := v.FieldByName("known"); f.IsValid() {
			v = f
			continue
		}
		v = v.Field(0)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
	}
	return v.Len()
}

func TestServersWithOneLogForgetClientsToo(t *testing.T) {
	left := make(chan string, 10)
	s := sharing(t, &shared.Memory{}, ahp.ServerOptions{Limits: server.Limits{Known: 20}, Left: func(c *server.Client) { left <- c.ID() }})
	visit := func(name, id, says string) {
		c := come(t, s, name)
		c.says(says)
		require.Contains(t, c.hearsLine(), `"result"`, id)
		c.leaves(left)
	}
	visit("alice", "a", introduces("a"))
	for i := range 100 {
		id := fmt.Sprint("e", i)
		visit("eve", id, introduces(id))
	}
	require.LessOrEqual(t, knownClients(s), 21)
	visit("alice", "a", comesBack("a", 0))
	visit("eve", "e0", comesBack("e0", 0)) // the log knows
}
