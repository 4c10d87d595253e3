// Hosts: three processes with one log on three NATS servers, and clients that go from one to the other while things fail.

package nats

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	log "github.com/ahpgen/ahpgen/generated/wire/jetstream"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
	"github.com/ahpgen/ahpgen/generated/wire/state"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

var (
	clientCount  = flag.Int("clients", 30, "clients of the hosts")
	channelCount = flag.Int("channels", 10, "channels that they have, three each")
	hostKills    = flag.Int("kills", 3, "hosts that are killed")
	nodeKills    = flag.Int("nodes", 2, "NATS servers that are killed")
	pauses       = flag.Int("pauses", 2, "hosts that are paused")
	longest      = flag.Duration("longest", 4*time.Second, "the longest pause or cut")
	cuts         = flag.Int("cuts", 2, "hosts that are cut off from the log")
	every        = flag.Duration("every", 300*time.Millisecond, "between two actions of a client")
)

// visitor is a client, with all that it was sent.
type visitor struct {
	*ahp.Conn
	channels []string
	status   atomic.Value // of the connection

	mu      sync.Mutex
	seen    map[string][]*ahp.ActionEnvelope // by channel, in order
	resets  map[string][]int64               // by channel: how many it had seen when it got a state
	lost    map[int64]bool
	wrong   []string
	replays int
}

func (v *visitor) received(e *ahp.ActionEnvelope, _ state.Outcome) {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := v.seen[e.Channel]
	if len(list) > 0 && e.ServerSeq <= list[len(list)-1].ServerSeq {
		v.wrong = append(v.wrong, fmt.Sprintf("%s: %d after %d", e.Channel, e.ServerSeq, list[len(list)-1].ServerSeq))
	}
	v.seen[e.Channel] = append(list, e)
}

func (v *visitor) reconnected(how *ahp.Reconnection) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, l := range how.Lost {
		if how.Replayed {
			v.lost[l.ClientSeq] = true
		}
	}
	if how.Replayed {
		v.replays++
		return
	}
	for _, name := range v.channels {
		v.resets[name] = append(v.resets[name], int64(len(v.seen[name])))
	}
}

func visit(t *testing.T, f *fleet, id string, channels ...string) *visitor {
	v := &visitor{channels: channels, seen: map[string][]*ahp.ActionEnvelope{}, resets: map[string][]int64{}, lost: map[int64]bool{}}
	dial := func(ctx context.Context) (rpc.Transport, error) {
		return ws.Dial(ctx, "ws://"+f.addresses[rand.IntN(len(f.addresses))], nil)
	}
	o := &ahp.ConnOptions{
		ClientID: id, Received: v.received, Reconnected: v.reconnected,
		Keep: conn.Options{MinWait: 50 * time.Millisecond, MaxWait: time.Second, Handshake: 15 * time.Second, Status: func(s conn.Status) { v.status.Store(fmt.Sprint(time.Now().Format(time.TimeOnly), " ", s)) }},
	}
	eventually(t, func(ctx context.Context) (err error) { v.Conn, err = ahp.Connect(ctx, dial, o); return err })
	t.Cleanup(func() { _ = v.Conn.Close() })
	for _, name := range channels {
		eventually(t, func(ctx context.Context) error { return v.Subscribe(ctx, name) })
		v.mu.Lock()
		v.resets[name] = append(v.resets[name], int64(len(v.seen[name])))
		v.mu.Unlock()
	}
	return v
}

// act dispatches actions until it is told to stop.
func (v *visitor) act(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		name := v.channels[rand.IntN(len(v.channels))]
		one, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		_ = v.Dispatch(one, name, &ahp.AnnotationsSetAction{Annotation: ahp.Annotation{
			ID: v.ID(), Origin: ahp.AnnotationOrigin{Session: "ahp-session:/0"}, Resource: "file:///a.go",
			Entries: []ahp.AnnotationEntry{{ID: v.ID(), Text: ahp.StringOrMarkdownString(fmt.Sprint(v.ID(), " says ", n))}},
		}})
		cancel()
		time.Sleep(*every/2 + rand.N(*every))
	}
}

func (v *visitor) pending() (n int) {
	for _, name := range v.channels {
		view, _ := v.Store.View(name)
		n += view.Pending
	}
	return n
}

// disturb lets things fail, one after the other in random order.
func (f *fleet) disturb(t *testing.T) {
	var faults []func()
	add := func(n int, fault func()) {
		for range n {
			faults = append(faults, fault)
		}
	}
	wait := func(most time.Duration) { time.Sleep(most/20 + rand.N(most)) }
	add(*hostKills, func() {
		p := f.hosts[rand.IntN(3)]
		p.kill()
		wait(time.Second)
		p.begin()
	})
	add(*nodeKills, func() {
		p := f.nodes[rand.IntN(3)]
		p.kill()
		wait(2 * time.Second)
		p.begin()
	})
	add(*pauses, func() {
		p := f.hosts[rand.IntN(3)]
		p.signal(syscall.SIGSTOP)
		wait(*longest)
		p.signal(syscall.SIGCONT)
	})
	add(*cuts, func() {
		own := f.proxies[rand.IntN(3)]
		for _, p := range own {
			p.set(true)
		}
		wait(*longest)
		for _, p := range own {
			p.set(false)
		}
	})
	rand.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	for i, fault := range faults {
		fault()
		wait(2 * time.Second)
		if i%10 == 9 {
			t.Logf("%d faults of %d", i+1, len(faults))
		}
	}
}

func TestHostsShareALogWhateverFails(t *testing.T) { launch(t).holds(t) }

// holds lets clients act while things fail, and wants each to have what the log has.
func (f *fleet) holds(t *testing.T) {
	var visitors []*visitor
	var mu sync.Mutex
	var coming sync.WaitGroup
	for i := range *clientCount {
		coming.Go(func() {
			var own []string
			for j := range 3 {
				own = append(own, fmt.Sprintf("ahp-session:/%d/annotations", (i+j*7)%*channelCount))
			}
			v := visit(t, f, fmt.Sprint("client ", i), unique(own)...)
			mu.Lock()
			defer mu.Unlock()
			visitors = append(visitors, v)
		})
	}
	coming.Wait()
	ctx, stop := context.WithCancel(t.Context())
	var acting sync.WaitGroup
	for _, v := range visitors {
		acting.Go(func() { v.act(ctx) })
	}
	began := time.Now()
	f.disturb(t)
	stop()
	acting.Wait()
	lasted := time.Since(began)
	require.Eventually(t, func() bool {
		for _, v := range visitors {
			if v.pending() > 0 {
				return false
			}
		}
		return true
	}, 3*time.Minute, 100*time.Millisecond, "actions without an answer")
	j := f.judge(t, visitors)
	t.Logf("%v: %d clients, %d actions in the log, %d envelopes received, %d replays, %d states sent anew, %d lost and told so", lasted.Round(time.Second), len(visitors), j.actions, j.envelopes, j.replays, j.resets, j.lost)
	t.Logf("%d leases, %d fenced records, %d times a former holder was refused", j.leases, j.work, len(f.said(t, "a former holder")))
	for _, line := range f.said(t, "host ended") {
		t.Log(line)
	}
	for _, line := range f.said(t, "panic") {
		t.Error(line)
	}
}

func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

// verdict is what a run came to.
type verdict struct{ actions, envelopes, replays, resets, lost, leases, work int }

// judge compares what clients have with the log. It reduces the log itself.
func (f *fleet) judge(t *testing.T, visitors []*visitor) (j verdict) {
	records, epoch := f.records(t)
	actions := map[string][]*ahp.ActionEnvelope{} // by channel
	bySeq := map[int64]string{}
	states := map[string]ahp.SnapshotState{}
	origins := map[string]bool{}
	lease := int64(0)
	for _, r := range records {
		switch {
		case r.Key == "lease:agent":
			lease = r.Number
			j.leases++
		case r.Key == "work":
			j.work++
			require.Equal(t, fmt.Sprint(lease), string(r.Data), "record %d is of a former holder", r.Number)
		}
		if len(r.Key) < 2 || r.Key[:2] != "c/" && r.Key != "r" {
			continue
		}
		switch server.Kind(r.Kind) {
		case server.ChannelState:
			now, err := ahp.Decode[ahp.Snapshot](r.Data)
			require.NoError(t, err)
			if states[r.Key[2:]] != nil {
				for _, r := range records {
					if r.Key == string("c/"+now.Resource) {
						t.Logf("%d kind %d by %s at %v", r.Number, r.Kind, r.Writer, r.Time)
					}
				}
				require.Fail(t, "opened twice", r.Key)
			}
			states[r.Key[2:]] = now.State
		case server.Action:
			e, err := ahp.Decode[ahp.ActionEnvelope](r.Data)
			require.NoError(t, err)
			require.NotNil(t, e.Origin)
			origin := fmt.Sprint(e.Origin.ClientID, " ", e.Origin.ClientSeq)
			require.False(t, origins[origin], "%s is there twice", origin)
			origins[origin] = true
			require.Nil(t, e.RejectionReason, "nothing is to be rejected")
			e.ServerSeq = epoch + shared.Spacing*r.Number
			states[e.Channel] = (&ahp.Reducer{Now: func() time.Time { return r.Time }}).Apply(states[e.Channel], e.Action)
			actions[e.Channel] = append(actions[e.Channel], e)
			bySeq[e.ServerSeq] = jsonOf(t, e)
			j.actions++
		}
	}
	for _, v := range visitors {
		for _, name := range v.channels {
			f.same(t, v, name, states[name], actions[name])
		}
		v.mu.Lock()
		require.Empty(t, v.wrong, v.ID())
		j.replays += v.replays
		j.lost += len(v.lost)
		for seq := range v.lost {
			require.False(t, origins[fmt.Sprint(v.ID(), " ", seq)], "it was said to be lost")
		}
		for _, name := range v.channels {
			j.envelopes += len(v.seen[name])
			j.resets += len(v.resets[name]) - 1
			for _, e := range v.seen[name] {
				require.Equal(t, bySeq[e.ServerSeq], jsonOf(t, e), "%s was sent what the log has not", v.ID())
			}
			f.complete(t, v, name, actions[name])
		}
		v.mu.Unlock()
	}
	return j
}

// same waits until a client has a state: the last actions may be on their way.
func (f *fleet) same(t *testing.T, v *visitor, name string, want ahp.SnapshotState, actions []*ahp.ActionEnvelope) {
	t.Helper()
	var view state.View[ahp.SnapshotState]
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var ok bool
		if view, ok = v.Store.View(name); ok && jsonOf(t, view.Confirmed) == jsonOf(t, want) {
			return
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := v.seen[name]
	t.Logf("the log has %d actions, the last one %d; %s has seen %d, the last one %d, and got states after %v; it has seen up to %d, status %v",
		len(actions), actions[len(actions)-1].ServerSeq, v.ID(), len(seen), seen[len(seen)-1].ServerSeq, v.resets[name], v.Store.LastSeen(), v.status.Load())
	for _, line := range f.said(t, "") {
		t.Log(line)
	}
	require.Equal(t, jsonOf(t, want), jsonOf(t, view.Confirmed), "%s of %s", name, v.ID())
}

// complete fails the test if a client has missed an action: between two states that it was sent, it has all.
func (f *fleet) complete(t *testing.T, v *visitor, name string, all []*ahp.ActionEnvelope) {
	place := map[int64]int{}
	for i, e := range all {
		place[e.ServerSeq] = i
	}
	reset := map[int64]bool{}
	for _, n := range v.resets[name] {
		reset[n] = true
	}
	for i, e := range v.seen[name] {
		if i > 0 && !reset[int64(i)] {
			require.Equal(t, place[v.seen[name][i-1].ServerSeq]+1, place[e.ServerSeq], "%s has missed an action on %s before %d", v.ID(), name, e.ServerSeq)
		}
	}
	if n := len(v.seen[name]); n > 0 && !reset[int64(n)] {
		require.Equal(t, len(all)-1, place[v.seen[name][n-1].ServerSeq], "%s has missed the last action on %s", v.ID(), name)
	}
}

func jsonOf(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// records returns the log, and its epoch.
func (f *fleet) records(t *testing.T) (records []shared.Record, epoch int64) {
	nc, err := nats.Connect(f.urls, nats.MaxReconnects(-1))
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l, err := log.Open(ctx, js, &log.Options{Name: "ahp", Replicas: 3})
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	end, err := l.End(ctx)
	require.NoError(t, err)
	err = l.Follow(ctx, shared.Position{Epoch: end.Epoch}, func(list []shared.Record) error {
		records = append(records, list...)
		if list[len(list)-1].Number >= end.Number { // others come, since the holder of the lease works all the time
			return errEnd
		}
		return nil
	})
	require.ErrorIs(t, err, errEnd)
	return records, end.Epoch
}
