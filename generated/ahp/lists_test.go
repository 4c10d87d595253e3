// The list of sessions follows from their states, and nobody writes it: over TCP, in bytes as the specification has them.

package ahp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/bolt"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// listing returns a server that keeps lists, with a root. It always is noon there.
func listing(t *testing.T, o ahp.ServerOptions) *ahp.Server {
	t.Helper()
	o.Limits = countingOn()
	o.Limits.Now = func() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }
	s, err := ahp.NewServer(&o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
	return s
}

// watches returns a client of a principal that has subscribed to the root.
func watches(t *testing.T, s *ahp.Server, name string) *spoken {
	t.Helper()
	c := come(t, s, name)
	c.says(introduces("c-"+name, rootChannel))
	require.Contains(t, c.hearsLine(), `"protocolVersion":"1.0.0"`)
	return c
}

func listRequest(more string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"listSessions","params":{"channel":"ahp-root://"` + more + `}}`
}

func counted(number, sessions int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-root://","serverSeq":%d,"action":{"type":"root/activeSessionsChanged","activeSessions":%d}}}`, number, sessions)
}

// summary is the entry of a session that began and changed at times.
func summary(name, title, created, modified, chats string) string {
	return fmt.Sprintf(`{"resource":"ahp-session:/%s","provider":"p","title":%q,"status":1,"createdAt":"2026-01-01T%sZ","modifiedAt":"2026-01-01T%sZ","chats":[%s]}`, name, title, created, modified, chats)
}

func notified(method, params string) string {
	return `{"jsonrpc":"2.0","method":"root/` + method + `","params":{"channel":"ahp-root://",` + params + `}}`
}

func TestClientsHearHowTheListOfSessionsChanges(t *testing.T) {
	s := listing(t, ahp.ServerOptions{})
	a, b := watches(t, s, "a"), watches(t, s, "b")
	a.says(`{"jsonrpc":"2.0","method":"subscribe","id":2,"params":{"channel":"ahp-session:/s"}}`)
	require.Contains(t, a.hearsLine(), `"error"`, "there is none yet")

	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	for _, c := range []*spoken{a, b} {
		c.hears(counted(1, 1))
		c.hears(notified("sessionAdded", `"summary":`+summary("s", "t", "12:00:00.000", "12:00:00.000", "")))
	}
	a.says(`{"jsonrpc":"2.0","method":"subscribe","id":2,"params":{"channel":"ahp-session:/s"}}`)
	require.Contains(t, a.hearsLine(), `"snapshot"`)
	a.says(retitles(1, "renamed"))
	a.hears(told(echoed(2, 1, "c-a", "renamed")))
	for _, c := range []*spoken{a, b} {
		c.hears(notified("sessionSummaryChanged", `"session":"ahp-session:/s","changes":{"title":"renamed"}`))
	}

	chat := ahp.ChatSummary{Resource: "ahp-chat:/c", Title: "chat", Status: ahp.SessionStatusInProgress, ModifiedAt: "2026-01-01T14:00:00+01:00"}
	require.NoError(t, s.Publish(sessionChannel, &ahp.SessionChatAddedAction{Summary: chat}))
	chat.ModifiedAt = "2026-01-01T13:30:00.5Z"
	require.NoError(t, s.Publish(sessionChannel, &ahp.SessionChatAddedAction{Summary: chat}))
	require.NoError(t, s.Publish(sessionChannel, &ahp.SessionReadyAction{}), "which no entry shows")
	require.NoError(t, s.CloseChannel(sessionChannel))
	inList := `{"resource":"ahp-chat:/c","title":"chat","status":8}`
	b.hears(notified("sessionSummaryChanged", `"session":"ahp-session:/s","changes":{"modifiedAt":"2026-01-01T13:00:00.000Z","chats":[`+inList+`]}`))
	b.hears(notified("sessionSummaryChanged", `"session":"ahp-session:/s","changes":{"modifiedAt":"2026-01-01T13:30:00.500Z"}`))
	b.hears(counted(6, 0))
	b.hears(notified("sessionRemoved", `"session":"ahp-session:/s"`))
	b.says(listRequest(""))
	b.hears(`{"jsonrpc":"2.0","id":7,"result":{"items":[]}}`)
}

func TestTheListOfSessionsComesInPages(t *testing.T) {
	s := listing(t, ahp.ServerOptions{})
	for i, name := range []string{"c", "a", "b", "d"} {
		now := emptySession()
		now.Title = name
		now.Chats = []ahp.ChatSummary{{Resource: "ahp-chat:/x", Title: "x", Status: ahp.SessionStatusIdle, ModifiedAt: fmt.Sprintf("2026-01-01T13:0%d:00Z", i/2)}}
		require.NoError(t, s.OpenChannel("ahp-session:/"+name, now))
	}
	c := watches(t, s, "a")
	page := func(more string) (titles, cursor string) {
		c.says(listRequest(more))
		var answer struct {
			Result ahp.ListSessionsResult
			Error  json.RawMessage
		}
		line := c.hearsLine()
		require.NoError(t, json.Unmarshal([]byte(line), &answer), line)
		if answer.Error != nil {
			return string(answer.Error), ""
		}
		for _, item := range answer.Result.Items {
			titles += item.Title
		}
		if answer.Result.NextCursor != nil {
			next, err := json.Marshal(*answer.Result.NextCursor)
			require.NoError(t, err)
			cursor = `,"cursor":` + string(next)
		}
		return titles, cursor
	}
	all, cursor := page("")
	require.Equal(t, "bdac", all, "those that have changed last, then by name")
	require.Empty(t, cursor)
	first, cursor := page(`,"limit":3`)
	require.Equal(t, "bda", first)
	require.NoError(t, s.CloseChannel("ahp-session:/a"))
	require.Contains(t, c.hearsLine(), "activeSessionsChanged")
	require.Contains(t, c.hearsLine(), "sessionRemoved")
	rest, end := page(`,"limit":3` + cursor)
	require.Equal(t, "c", rest, "although the one before is gone")
	require.Empty(t, end)
	none, cursor := page(`,"limit":0`)
	require.Empty(t, none)
	all, _ = page(cursor)
	require.Equal(t, "bdc", all)
	for _, text := range []string{"x", "", "9 ahp-session:/a extra", "9"} {
		wrong, _ := page(`,"cursor":"` + text + `"`)
		if strings.HasPrefix(text, "9 ") {
			require.Empty(t, wrong)
			continue
		}
		require.Contains(t, wrong, "-32602", text)
	}
}

func TestWhoMayNotSeeASessionHearsNothingOfIt(t *testing.T) {
	admit := func(_ context.Context, c *server.Client, channel string) error {
		if strings.HasPrefix(channel, "ahp-session:/secret") && c.Principal().Name != "alice" {
			return errors.New("it is alice's")
		}
		return nil
	}
	for name, o := range map[string]ahp.ServerOptions{
		"by Admit": {Admit: admit},
		"by Listed": {Listed: func(ctx context.Context, c *server.Client, channel string) bool {
			return admit(ctx, c, channel) == nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := listing(t, o)
			alice, eve := watches(t, s, "alice"), watches(t, s, "eve")
			secret, open := emptySession(), emptySession()
			secret.Title, open.Title = "secret", "open"
			require.NoError(t, s.OpenChannel("ahp-session:/secret", secret))
			require.NoError(t, s.Publish("ahp-session:/secret", titled("secret still")))
			require.NoError(t, s.CloseChannel("ahp-session:/secret"))
			require.NoError(t, s.OpenChannel("ahp-session:/secret2", secret))
			require.NoError(t, s.OpenChannel("ahp-session:/open", open))
			heard := func(c *spoken) (methods string) {
				for {
					line := c.hearsLine()
					var m struct{ Method string }
					require.NoError(t, json.Unmarshal([]byte(line), &m))
					if c == eve {
						require.NotContains(t, line, "secret")
					}
					if m.Method != "action" {
						methods += strings.TrimPrefix(m.Method, "root/session") + " "
					}
					if strings.Contains(line, `"title":"open"`) {
						return methods
					}
				}
			}
			require.Equal(t, "Added SummaryChanged Removed Added Added ", heard(alice))
			require.Equal(t, "Added ", heard(eve))
			eve.says(listRequest(""))
			line := eve.hearsLine()
			require.NotContains(t, line, "secret")
			require.Contains(t, line, `"title":"open"`)
			alice.says(listRequest(""))
			require.Contains(t, alice.hearsLine(), "secret2")
		})
	}
}

func TestAListIsAsItWasAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	entries := func(act func(*ahp.Server)) string {
		log, err := bolt.Open(path, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, log.Close()) }()
		limits := countingOn()
		limits.Now = func() time.Time { return at }
		s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Limits: limits})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		act(s)
		c := watches(t, s, "a")
		c.says(listRequest(""))
		return c.hearsLine()
	}
	want := entries(func(s *ahp.Server) {
		require.NoError(t, s.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
		require.NoError(t, s.OpenChannel("ahp-session:/x", emptySession()))
		at = at.Add(time.Hour)
		require.NoError(t, s.OpenChannel("ahp-session:/y", emptySession()))
		require.NoError(t, s.Publish("ahp-session:/x", titled("new")))
	})
	require.JSONEq(t, `{"jsonrpc":"2.0","id":7,"result":{"items":[`+summary("y", "t", "13:00:00.000", "13:00:00.000", "")+`,`+summary("x", "new", "12:00:00.000", "12:00:00.000", "")+`]}}`, want) //nolint:testifylint // want is what the server said first
	for range 2 {                                                                                                                                                                                  // the second one starts from the states that the first has written when it ended
		at = at.Add(24 * time.Hour)
		require.Equal(t, want, entries(func(s *ahp.Server) {
			now, _ := s.State(rootChannel)
			require.Equal(t, int64(2), *now.(*ahp.RootState).ActiveSessions)
		}))
	}
}

func TestAHostMayKeepListsItself(t *testing.T) {
	own := func(*server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{ListSessions: func(context.Context, *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
			return &ahp.ListSessionsResult{Items: []ahp.SessionSummary{}, NextCursor: ptr("own")}, nil
		}}
	}
	s, err := ahp.NewServer(&ahp.ServerOptions{Handlers: own, OwnLists: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
	c := watches(t, s, "a")
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c.says(listRequest(""))
	c.hears(`{"jsonrpc":"2.0","id":7,"result":{"items":[],"nextCursor":"own"}}`)
}

// busyStart is a log on which another server opens channels while a server starts.
type busyStart struct {
	shared.Log
	meanwhile func()
}

func (l *busyStart) Heads(ctx context.Context, f func(shared.Record) error) error {
	err := l.Log.Heads(ctx, f)
	l.meanwhile()
	return err
}

func TestWhatBeginsWhileAServerStartsIsInItsLists(t *testing.T) {
	for round := range 30 {
		log := &shared.Memory{}
		a, err := ahp.NewServer(&ahp.ServerOptions{Shared: log})
		require.NoError(t, err)
		require.NoError(t, a.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
		const count = 20
		b, err := ahp.NewServer(&ahp.ServerOptions{Shared: &busyStart{log, func() {
			for i := range count {
				require.NoError(t, a.OpenChannel(fmt.Sprint("ahp-session:/", i), emptySession()))
			}
		}}})
		require.NoError(t, err)
		require.NoError(t, b.Ready(within(t)))
		c, err := ahp.Connect(within(t), reach(t, b), nil)
		require.NoError(t, err)
		list, err := c.Host.ListSessions(within(t), &ahp.ListSessionsParams{})
		require.NoError(t, err)
		require.Len(t, list.Items, count, "round %d", round)
		require.Eventually(t, func() bool {
			now, _ := b.State(rootChannel)
			root, ok := now.(*ahp.RootState)
			return ok && root.ActiveSessions != nil && *root.ActiveSessions == count
		}, 10*time.Second, time.Millisecond, "round %d", round)
		require.NoError(t, c.Close())
		require.NoError(t, b.Close())
		require.NoError(t, a.Close())
	}
}

// TestAPageLeavesNothingBehindThatHasGoneMeanwhile: a session ends, and another changes, while the page is made that has both.
func TestAPageLeavesNothingBehindThatHasGoneMeanwhile(t *testing.T) {
	var held atomic.Bool
	paging, until := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(until) })
	s := listing(t, ahp.ServerOptions{Listed: func(_ context.Context, _ *server.Client, channel string) bool {
		if channel == "ahp-session:/a" && held.CompareAndSwap(true, false) {
			close(paging)
			<-until
		}
		return true
	}})
	c := watches(t, s, "w")
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, s.OpenChannel("ahp-session:/"+name, emptySession()))
		require.Contains(t, c.hearsLine(), "activeSessionsChanged")
		require.Contains(t, c.hearsLine(), "sessionAdded")
	}
	t.Cleanup(goOn)
	held.Store(true)
	c.says(listRequest(""))
	soon(t, paging, "nobody asks whether the client may see the first one")
	require.NoError(t, s.CloseChannel("ahp-session:/b"))
	require.NoError(t, s.Publish("ahp-session:/c", titled("changed")))
	require.Contains(t, c.hearsLine(), "activeSessionsChanged")
	require.Contains(t, c.hearsLine(), "sessionRemoved")
	require.Contains(t, c.hearsLine(), "sessionSummaryChanged")
	goOn()
	page := c.hearsLine()
	require.Contains(t, page, `"resource":"ahp-session:/b"`)
	require.NotContains(t, page, "changed")
	c.hears(notified("sessionRemoved", `"session":"ahp-session:/b"`))
	c.hears(notified("sessionSummaryChanged", `"session":"ahp-session:/c","changes":{"title":"changed"}`))
	require.NoError(t, s.CloseChannel("ahp-session:/a"))
	require.Contains(t, c.hearsLine(), "activeSessionsChanged", "the page has all else as it is")
}
