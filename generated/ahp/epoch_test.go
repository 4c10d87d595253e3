// Numbers are never given twice: a client that has seen what a log does not have gets new states.

package ahp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

// resumed is what a client is answered that comes back, in whatever way it was written.
type resumed struct {
	Type      string
	Actions   []json.RawMessage
	Snapshots []struct{ FromSeq int64 }
}

// resumesAt is a client of any make: it says what it has seen last, and takes what it is answered.
func resumesAt(t *testing.T, s *ahp.Server, seen int64, channels ...string) (r resumed) {
	t.Helper()
	c := speak(t, s)
	c.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"c1","lastSeenServerSeq":%d,"subscriptions":%s}}`, seen, asJSON(t, channels)))
	require.NoError(t, c.net.SetReadDeadline(time.Now().Add(time.Minute)))
	line, err := c.in.ReadString('\n')
	require.NoError(t, err)
	var m struct{ Result *resumed }
	require.NoError(t, json.Unmarshal([]byte(line), &m))
	require.NotNil(t, m.Result, line)
	require.NoError(t, c.net.Close())
	require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 0 }, time.Minute, time.Millisecond)
	return *m.Result
}

// introduced makes the client of resumesAt one that a server knows.
func introduced(t *testing.T, s *ahp.Server) {
	t.Helper()
	c := speak(t, s)
	c.says(opening)
	_, err := c.in.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, c.net.Close())
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o600))
}

func TestALogThatIsPutBackIsNotGoneOnWith(t *testing.T) {
	for name, limits := range map[string]server.Limits{
		"":                      {},
		"with a clock set back": {Now: func() time.Time { return time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := withLog(t, ahp.ServerOptions{Limits: limits})
			introduced(t, s.Server)
			s.publishes(1, 10, 0)
			common := s.Sequence()
			s.close()
			earlier := filepath.Join(t.TempDir(), "copy")
			copied(t, s.path, earlier)
			s.open()
			s.publishes(11, 15, 0)
			lost := s.Sequence()
			require.Len(t, resumesAt(t, s.Server, common, sessionChannel).Actions, 5)
			s.close()
			copied(t, earlier, s.path)
			s.open()
			s.publishes(100, 120, 0)
			if limits.Now == nil {
				require.Greater(t, s.Sequence()-21, lost)
			}

			require.Equal(t, "snapshot", resumesAt(t, s.Server, lost, sessionChannel).Type)
			require.Equal(t, "snapshot", resumesAt(t, s.Server, common+1, sessionChannel).Type)
			back := resumesAt(t, s.Server, common, sessionChannel)
			require.Equal(t, "replay", back.Type)
			require.Len(t, back.Actions, 21)
			back = resumesAt(t, s.Server, s.Sequence()-2, sessionChannel)
			require.Equal(t, "replay", back.Type)
			require.Len(t, back.Actions, 2)
		})
	}
}

func TestAServerWithoutALogIsNotTakenForItsForebear(t *testing.T) {
	first, _ := hosting(t, nil)
	introduced(t, first)
	for i := range 5 {
		require.NoError(t, first.Publish(sessionChannel, titled(fmt.Sprint(i))))
	}
	time.Sleep(2 * time.Millisecond) // no process starts sooner after another
	second, _ := hosting(t, nil)
	introduced(t, second) // by another window of the same client
	for i := range 10 {
		require.NoError(t, second.Publish(sessionChannel, titled(fmt.Sprint(i))))
	}
	require.Greater(t, second.Sequence()-10, first.Sequence())
	for seen := first.Sequence() - 5; seen <= first.Sequence(); seen++ {
		require.Equal(t, "snapshot", resumesAt(t, second, seen, sessionChannel).Type)
	}
	require.Equal(t, "replay", resumesAt(t, second, second.Sequence()-1, sessionChannel).Type)
}

func TestNumbersGoOnWhateverTheClockSays(t *testing.T) {
	year := func(n int) func() time.Time {
		return func() time.Time { return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC) }
	}
	s := withLog(t, ahp.ServerOptions{})
	last := s.Sequence()
	for _, n := range []int{1, 1970, 2001, 2026, 2090, 2026, 9999, 2200} {
		s.options.Limits.Now = year(n)
		s.again()
		require.Greater(t, s.Sequence(), last, n)
		require.Less(t, s.Sequence(), int64(1)<<53, n)
		last = s.Sequence()
	}
	s.close()
	s.options.Limits.Numbers = func(last int64) (int64, error) { return last - 1, nil }
	s.options.Log = &failing{}
	_, err := ahp.NewServer(&s.options)
	require.ErrorContains(t, err, "-1 is below 0")
	s.options.Limits.Numbers = nil
	s.options.Log = &holding{records: []server.Record{{Kind: server.Trim, Sequence: 1<<53 - 5}}}
	_, err = ahp.NewServer(&s.options)
	require.ErrorContains(t, err, "no numbers are left")
	s.options.Limits.Now = nil
	s.open()
}

func TestAServerThatStartsOverAndOverRemembersAsMuchAsIsNeeded(t *testing.T) {
	log := &holding{}
	o := &ahp.ServerOptions{Log: log}
	start := func() *ahp.Server {
		s, err := ahp.NewServer(o)
		require.NoError(t, err)
		return s
	}
	s := start()
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	introduced(t, s)
	require.NoError(t, s.Publish(sessionChannel, titled("first")))
	seen := s.Sequence()
	for range 2500 {
		require.NoError(t, s.Close())
		s = start()
	}
	require.Less(t, len(log.records), 1100)
	now, _ := s.State(sessionChannel)
	require.Equal(t, "first", now.(*ahp.SessionState).Title)
	require.Equal(t, "snapshot", resumesAt(t, s, seen, sessionChannel).Type)
	require.NoError(t, s.Close())
}

// holding is a log in memory.
type holding struct{ records []server.Record }

func (h *holding) Load(f func(server.Record) error) error {
	for _, kinds := range [][]server.Kind{{server.Version}, {server.ChannelState}, {server.Trim, server.Action, server.Start}, {server.ClientKnown}} {
		for _, r := range h.records {
			if slices.Contains(kinds, r.Kind) {
				if err := f(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (h *holding) Append(records []server.Record) error {
	for _, r := range records {
		kept := h.records[:0]
		for _, was := range h.records {
			same := was.Kind == r.Kind && was.Key == r.Key
			switch r.Kind {
			case server.Trim:
				same = was.Sequence <= r.Sequence && (was.Kind == server.Action || was.Kind == server.Start || was.Kind == server.Trim)
			case server.ChannelGone:
				same = was.Kind == server.ChannelState && was.Key == r.Key
			case server.Action, server.Start:
				same = false
			}
			if !same {
				kept = append(kept, was)
			}
		}
		h.records = append(kept, r)
	}
	return nil
}
