// Clients of several servers that share a log.

package ahp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// roamer is a client that goes from server to server.
type roamer struct {
	*ahp.Conn
	t        *testing.T
	channels []string
	version  string

	mu       sync.Mutex
	last     rpc.Transport
	seen     map[int64]*ahp.ActionEnvelope
	order    int64
	from     map[string]int64 // by channel: the number of the last state that was sent
	lost     map[int64]bool   // what is lost for sure
	replays  int
	restarts int
}

// roaming connects a client that reaches another server with each connection.
func roaming(t *testing.T, version string, ways []func(context.Context) (rpc.Transport, error), channels ...string) *roamer {
	t.Helper()
	r := &roamer{t: t, version: version, channels: channels, seen: map[int64]*ahp.ActionEnvelope{}, from: map[string]int64{}, lost: map[int64]bool{}}
	c, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) {
		way, err := ways[rand.IntN(len(ways))](ctx)
		if err == nil {
			r.mu.Lock()
			r.last = way
			r.mu.Unlock()
		}
		return way, err
	}, &ahp.ConnOptions{
		Keep:        quick,
		Opening:     &ahp.InitializeParams{ProtocolVersions: []string{version}},
		Received:    r.received,
		Reconnected: r.reconnected,
	})
	require.NoError(t, err)
	r.Conn = c
	t.Cleanup(func() { _ = c.Close() })
	for _, name := range channels {
		r.subscribe(name)
	}
	return r
}

// subscribe subscribes as often as it takes: a connection may end meanwhile.
func (r *roamer) subscribe(name string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return r.Subscribe(within(r.t), name) == nil }, time.Minute, time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from[name] = r.Store.LastSeen()
}

func (r *roamer) received(e *ahp.ActionEnvelope, outcome state.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.ServerSeq <= r.order {
		r.t.Errorf("%s: %d after %d (%s)", r.ID(), e.ServerSeq, r.order, outcome)
	}
	r.order, r.seen[e.ServerSeq] = e.ServerSeq, e
}

func (r *roamer) reconnected(how *ahp.Reconnection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if how.Replayed {
		r.replays++
		for _, l := range how.Lost {
			r.lost[l.ClientSeq] = true
		}
		return
	}
	r.restarts++
	for _, name := range r.channels {
		r.from[name] = max(r.from[name], r.order) // and more, see allAgree
	}
	r.order = 0
}

func (r *roamer) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.last.Close("")
}

// answered waits until nothing is pending, or some time has passed.
func (r *roamer) answered(most time.Duration) {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
		pending := 0
		for _, name := range r.channels {
			v, _ := r.Store.View(name)
			pending += v.Pending
		}
		if pending == 0 {
			return
		}
	}
}

func note(id, text string) *ahp.AnnotationsSetAction {
	return &ahp.AnnotationsSetAction{Annotation: ahp.Annotation{
		ID: id, Origin: ahp.AnnotationOrigin{Session: sessionChannel}, Resource: "file:///a.go",
		Entries: []ahp.AnnotationEntry{{ID: id, Text: ahp.StringOrMarkdownString(text)}},
	}}
}

// shows returns what a client must see of a state: all, or in an older version, which notes there are.
func (r *roamer) shows(t *testing.T, now ahp.SnapshotState) string {
	t.Helper()
	if r.version == "1.0.0" {
		return asJSON(t, now)
	}
	var ids []string
	for _, a := range now.(*ahp.AnnotationsState).Annotations {
		ids = append(ids, a.ID)
	}
	return strings.Join(ids, "\n")
}

// ledger has what servers reported and what they should have in the end.
type ledger struct {
	mu       sync.Mutex
	accepted map[string]int
}

func (l *ledger) options(limits server.Limits) ahp.ServerOptions {
	return ahp.ServerOptions{
		Limits: limits,
		Accepted: func(_ *server.Client, _ string, action ahp.StateAction) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.accepted[action.(*ahp.AnnotationsSetAction).Annotation.ID]++
		},
		Validate: func(_ *server.Client, _ string, _ ahp.SnapshotState, action ahp.StateAction) error {
			if a := action.(*ahp.AnnotationsSetAction); a.Annotation.Entries[0].Text == ahp.StringOrMarkdownString("no") {
				return errFaulty
			}
			return nil
		},
	}
}

// outcomeOf is what the records of a log come to.
type outcomeOf struct {
	states   map[string]ahp.SnapshotState
	envelope map[int64]*ahp.ActionEnvelope
	origins  map[string]int    // how often each action of a client was stored, by client and its number
	applied  map[string]string // notes that were applied, with who dispatched them
	of       map[int64]string
}

func reduceLog(t *testing.T, records []shared.Record, epoch int64) *outcomeOf {
	t.Helper()
	out := &outcomeOf{map[string]ahp.SnapshotState{}, map[int64]*ahp.ActionEnvelope{}, map[string]int{}, map[string]string{}, map[int64]string{}}
	for _, rec := range records {
		name := rec.Key[min(2, len(rec.Key)):]
		switch server.Kind(rec.Kind) {
		case server.ChannelState:
			require.NotContains(t, out.states, name, "opened twice")
			now, err := ahp.Decode[ahp.Snapshot](rec.Data)
			require.NoError(t, err)
			out.states[name] = now.State
		case server.ChannelGone:
			require.Contains(t, out.states, name, "closed twice")
			delete(out.states, name)
		case server.Action:
			e, err := ahp.Decode[ahp.ActionEnvelope](rec.Data)
			require.NoError(t, err)
			e.ServerSeq = epoch + 64*rec.Number
			out.envelope[e.ServerSeq] = e
			if e.Origin != nil {
				origin := fmt.Sprint(e.Origin.ClientID, " ", e.Origin.ClientSeq)
				out.origins[origin]++
				require.Equal(t, 1, out.origins[origin], origin)
			}
			if e.RejectionReason != nil {
				continue
			}
			require.Contains(t, out.states, e.Channel)
			if a, ok := e.Action.(*ahp.AnnotationsSetAction); ok {
				require.NotContains(t, out.applied, a.Annotation.ID, "twice")
				out.applied[a.Annotation.ID] = fmt.Sprint(e.Origin)
			}
			reducer := &ahp.Reducer{Now: func() time.Time { return rec.Time }}
			out.states[e.Channel] = reducer.Apply(out.states[e.Channel], e.Action)
		}
	}
	return out
}

// TestServersThatShareALogAgreeWhateverHappens lets clients of three servers work on the same channels and others, while
// connections and the log fail.
func TestServersThatShareALogAgreeWhateverHappens(t *testing.T) {
	for name, faults := range map[string]*faultyLog{
		"nothing fails":      {},
		"conflicts":          {conflicts: 20},
		"unknown outcomes":   {unknown: 10, conflicts: 5},
		"delays":             {delay: 2 * time.Millisecond, conflicts: 2},
		"moves":              {moved: 1, unknown: 2},
		"a log that is full": {full: 3},
	} {
		t.Run(name, func(t *testing.T) { agreeing(t, faults) })
	}
}

func agreeing(t *testing.T, faults *faultyLog) {
	t.Helper()
	log := &shared.Memory{}
	kept := keeping(t, log)
	book := &ledger{accepted: map[string]int{}}
	limits := server.Limits{Idle: 20 * time.Millisecond, Window: 200}
	var servers []*ahp.Server
	var logs []*faultyLog
	var ways []func(context.Context) (rpc.Transport, error)
	for range 3 {
		own := &faultyLog{
			Log: log, kept: kept, conflicts: faults.conflicts, unknown: faults.unknown, moved: faults.moved, full: faults.full, delay: faults.delay,
		}
		s := sharing(t, own, book.options(limits))
		servers, logs, ways = append(servers, s), append(logs, own), append(ways, reach(t, s))
	}
	channels := []string{"ahp-session:/0/annotations", "ahp-session:/1/annotations", "ahp-session:/2/annotations"}
	for i, name := range append(channels, rootChannel) {
		var now ahp.SnapshotState = &ahp.AnnotationsState{Annotations: []ahp.Annotation{}}
		if name == rootChannel {
			now = &ahp.RootState{Agents: []ahp.AgentInfo{}}
		}
		require.NoError(t, servers[i%3].OpenChannel(name, now))
	}
	var clients []*roamer
	for i := range 6 {
		version := "1.0.0"
		if i == 5 {
			version = "0.8.0"
		}
		clients = append(clients, roaming(t, version, ways, channels[0], channels[1+i%2]))
	}
	for _, own := range logs {
		own.on.Store(true)
	}
	const rounds = 60
	var work sync.WaitGroup
	for i, c := range clients {
		work.Add(1)
		go func() {
			defer work.Done()
			for n := range rounds {
				text := "yes"
				if chance(10) {
					text = "no"
				}
				name := c.channels[n%2]
				_ = c.Dispatch(within(t), name, note(fmt.Sprintf("note %d of %d", n, i), text))
				switch {
				case n%10 == 9 && chance(50):
					c.cut()
				case chance(60):
					c.answered(50 * time.Millisecond)
				}
			}
		}()
	}
	published := map[string]error{}
	var mu sync.Mutex
	for i, s := range servers {
		work.Add(1)
		go func() {
			defer work.Done()
			for n := range rounds {
				id := fmt.Sprintf("note %d of server %d", n, i)
				err := s.Publish(channels[n%3], note(id, "mine"))
				mu.Lock()
				published[id] = err
				mu.Unlock()
				name := fmt.Sprintf("ahp-session:/other%d", n%4)
				if chance(50) {
					_ = s.OpenChannel(name, emptySession())
				} else {
					_ = s.CloseChannel(name)
				}
			}
		}()
	}
	work.Wait()
	for _, own := range logs {
		own.on.Store(false)
	}
	allAgree(t, log, kept, book, servers, clients, published, faults.moved > 0)
	for i, what := range []string{"conflicts", "full", "not stored", "stored", "moved"} {
		n := logs[0].count[i].Load() + logs[1].count[i].Load() + logs[2].count[i].Load()
		t.Log(what, n)
		if wanted := []int{faults.conflicts, faults.full, faults.unknown, faults.unknown, faults.moved}[i]; wanted > 0 {
			require.NotZero(t, n, what)
		}
	}
}

// allAgree waits until nothing is under way, and compares everything with the log.
func allAgree(t *testing.T, log shared.Log, kept *logHistory, book *ledger, servers []*ahp.Server, clients []*roamer, published map[string]error, moved bool) {
	t.Helper()
	for _, c := range clients {
		require.Eventually(t, func() bool {
			for _, name := range c.channels {
				if v, ok := c.Store.View(name); !ok || v.Pending > 0 {
					return false
				}
			}
			return true
		}, time.Minute, time.Millisecond, c.ID())
	}
	end, err := log.End(ctx)
	require.NoError(t, err)
	for _, s := range servers {
		require.NoError(t, s.Ready(within(t)))
	}
	want := reduceLog(t, kept.upTo(t, end.Number), end.Epoch)
	for _, s := range servers {
		require.NoError(t, s.Ready(within(t)))
		require.Len(t, s.Channels(), len(want.states))
		for name, now := range want.states {
			got, ok := s.State(name)
			require.True(t, ok, name)
			require.Equal(t, asJSON(t, now), asJSON(t, got), name)
		}
	}
	replays, restarts := 0, 0
	for _, c := range clients {
		for _, name := range c.channels {
			require.Eventually(t, func() bool {
				v, ok := c.Store.View(name)
				return ok && v.Pending == 0 && c.shows(t, v.Confirmed) == c.shows(t, want.states[name])
			}, time.Minute, 10*time.Millisecond, "%s of %s in version %s", name, c.ID(), c.version)
		}
		c.mu.Lock()
		replays, restarts = replays+c.replays, restarts+c.restarts
		for seq, e := range c.seen {
			if c.version != "1.0.0" {
				break // what it got was lowered
			}
			require.Equal(t, asJSON(t, want.envelope[seq]), asJSON(t, e))
		}
		for n := range c.lost {
			require.Zero(t, want.origins[fmt.Sprint(c.ID(), " ", n)], "%s was told that %d is lost", c.ID(), n)
		}
		if c.restarts == 0 {
			for seq, e := range want.envelope {
				if from, ok := c.from[e.Channel]; ok && seq > from && e.RejectionReason == nil {
					require.Contains(t, c.seen, seq, "%s has not seen %d", c.ID(), seq)
				}
			}
		}
		c.mu.Unlock()
	}
	t.Log("replays", replays, "restarts", restarts, "records", end.Number, "applied", len(want.applied), "dispatched", len(want.origins))
	if !moved {
		require.NotZero(t, replays)
	}
	for id, err := range published {
		_, stored := want.applied[id]
		switch {
		case err == nil:
			require.True(t, stored, id)
		default:
			require.True(t, !stored || moved, "%s: %v", id, err)
		}
	}
	acceptances(t, book, want, moved)
	require.Greater(t, len(want.applied), 200)
}

// acceptances compares calls of Accepted with the log.
func acceptances(t *testing.T, book *ledger, want *outcomeOf, moved bool) {
	t.Helper()
	book.mu.Lock()
	defer book.mu.Unlock()
	for id, n := range book.accepted {
		require.Equal(t, 1, n, id)
		require.Contains(t, want.applied, id)
	}
	if moved {
		return
	}
	for id, by := range want.applied {
		if by != "<nil>" {
			require.Equal(t, 1, book.accepted[id], id)
		}
	}
}

// standingLog is a log that does not answer for a while.
type standingLog struct {
	shared.Log
	stands  atomic.Bool
	release chan struct{}
}

func (l *standingLog) Last(ctx context.Context, key string) (int64, error) {
	if l.stands.Load() && strings.HasPrefix(key, "c/") {
		select {
		case <-l.release:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return l.Log.Last(ctx, key)
}

// TestAClientWaitsForALogThatStandsStill: what it sends is not read on and on, to as many channels as it may name.
func TestAClientWaitsForALogThatStandsStill(t *testing.T) {
	log := &standingLog{Log: &shared.Memory{}, release: make(chan struct{})}
	s := sharing(t, log, ahp.ServerOptions{})
	c := come(t, s, "")
	c.says(introduces("c"))
	c.hearsLine()
	log.stands.Store(true)
	before := runtime.NumGoroutine()
	go func() {
		for i := range 20_000 {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/%d","clientSeq":%d,"action":{"type":"session/titleChanged","title":"x"}}}`, i, i+1)
			if _, err := c.net.Write([]byte(line + "\n")); err != nil {
				return
			}
		}
	}()
	most := 0
	for range 100 {
		time.Sleep(20 * time.Millisecond)
		most = max(most, runtime.NumGoroutine()-before)
	}
	require.Less(t, most, 3000)
	close(log.release)
	other := come(t, s, "")
	other.says(introduces("o"))
	require.Contains(t, other.hearsLine(), `"result"`)
}
