// A fuzzer of the store: any sequence of calls and messages, mangled ones too, against a model that keeps everything it
// is told and works every state out from the start.

package ahp_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// model is what a store should be. It is slow and plain.
type model struct {
	channels map[string]*modelChannel
	held     map[string][]*ahp.ActionEnvelope // by channels that wait for a snapshot
	seen     int64
}

// modelChannel is a state as a snapshot and what was applied since.
type modelChannel struct {
	start    ahp.SnapshotState
	applied  []ahp.StateAction
	pending  []*ahp.DispatchActionParams
	sequence int64
}

func replayed(from ahp.SnapshotState, actions ...ahp.StateAction) ahp.SnapshotState {
	r := &ahp.Reducer{Now: newClock().now}
	for _, a := range actions {
		from = r.Apply(from, a)
	}
	return from
}

func (c *modelChannel) confirmed() ahp.SnapshotState { return replayed(c.start, c.applied...) }

func (c *modelChannel) optimistic() ahp.SnapshotState {
	state := c.confirmed()
	for _, p := range c.pending {
		state = replayed(state, p.Action)
	}
	return state
}

func (m *model) receive(e *ahp.ActionEnvelope) {
	m.seen = max(m.seen, e.ServerSeq)
	c := m.channels[e.Channel]
	if c == nil {
		rejection := e.RejectionReason != nil && e.Origin != nil && e.Origin.ClientID == "me"
		if held, ok := m.held[e.Channel]; ok && !rejection {
			m.held[e.Channel] = append(held, e)
		}
		return
	}
	c.receive(e)
}

func (c *modelChannel) receive(e *ahp.ActionEnvelope) {
	if e.Origin != nil && e.Origin.ClientID == "me" {
		c.pending = slices.DeleteFunc(c.pending, func(p *ahp.DispatchActionParams) bool { return p.ClientSeq == e.Origin.ClientSeq })
	}
	if e.ServerSeq > c.sequence {
		c.sequence = e.ServerSeq
		if e.RejectionReason == nil {
			c.applied = append(c.applied, e.Action)
		}
	}
}

func (m *model) subscribe(s *ahp.Snapshot) {
	c := m.channels[s.Resource]
	if c == nil {
		c = &modelChannel{sequence: s.FromSeq - 1}
		m.channels[s.Resource] = c
	}
	if s.FromSeq > c.sequence {
		c.start, c.applied, c.sequence = s.State, nil, s.FromSeq
	}
	for _, e := range m.held[s.Resource] {
		c.receive(e)
	}
	delete(m.held, s.Resource)
}

func (m *model) unsubscribe(uri string) {
	delete(m.channels, uri)
	delete(m.held, uri)
}

func (m *model) reconnected(result ahp.ReconnectResult) {
	switch result := result.(type) {
	case *ahp.ReconnectReplayResult:
		for i := range result.Actions {
			m.receive(&result.Actions[i])
		}
		for _, uri := range result.Missing {
			delete(m.channels, uri)
		}
	case *ahp.ReconnectSnapshotResult:
		clear(m.channels)
		clear(m.held)
		m.seen = 0
		for _, s := range result.Snapshots {
			delete(m.channels, s.Resource)
			m.subscribe(&s)
		}
	}
	clear(m.held)
	for _, c := range m.channels {
		c.pending = nil
	}
}

func (m *model) lastSeen() int64 {
	var oldest []int64
	for _, c := range m.channels {
		oldest = append(oldest, c.sequence)
	}
	if len(oldest) == 0 {
		return m.seen
	}
	return max(m.seen, slices.Min(oldest))
}

// storeFuzz makes calls out of bytes.
type storeFuzz struct {
	t     *testing.T
	bytes []byte
	store *ahp.Store
	model *model
	kept  []keptView
}

var fuzzURIs = []string{"ahp-session:/1", "ahp-session:/2", "ahp-chat:/1"}

// take is a number below n.
func (f *storeFuzz) take(n int) int {
	if len(f.bytes) == 0 {
		return 0
	}
	b := f.bytes[0]
	f.bytes = f.bytes[1:]
	return int(b) % n
}

func (f *storeFuzz) uri() string { return fuzzURIs[f.take(len(fuzzURIs))] }

func (f *storeFuzz) snapshot() ahp.Snapshot {
	s := ahp.Snapshot{Resource: f.uri(), FromSeq: int64(f.take(40)), State: &ahp.SessionState{Title: fmt.Sprint(f.take(9))}}
	if s.Resource == fuzzURIs[2] {
		s.State = &ahp.ChatState{Title: fmt.Sprint(f.take(9))}
	}
	return s
}

func (f *storeFuzz) action() ahp.ClientAction {
	switch f.take(4) {
	case 0:
		return title(fmt.Sprint(f.take(9)))
	case 1:
		return &ahp.SessionIsReadChangedAction{IsRead: f.take(2) == 0}
	case 2:
		return &ahp.ChatPendingMessageSetAction{Kind: ahp.PendingMessageKindQueued, ID: fmt.Sprint(f.take(4))}
	default:
		return &ahp.ChatPendingMessageRemovedAction{Kind: ahp.PendingMessageKindQueued, ID: fmt.Sprint(f.take(4))}
	}
}

// envelope goes through the codec, where a byte of it may be mangled; nil where that leaves nothing to read.
func (f *storeFuzz) envelope() *ahp.ActionEnvelope {
	e := &ahp.ActionEnvelope{Channel: f.uri(), Action: f.action(), ServerSeq: int64(f.take(60))}
	if who := f.take(4); who > 0 {
		e.Origin = &ahp.ActionOrigin{ClientID: []string{"me", "me", "you"}[who-1], ClientSeq: int64(f.take(12))}
	}
	if f.take(4) == 0 {
		e.RejectionReason = ptr("no")
	}
	data := encode(f.t, e)
	if f.take(4) == 0 {
		data[f.take(len(data))] = byte(f.take(256))
	}
	e, err := ahp.Decode[ahp.ActionEnvelope](data)
	if err != nil {
		return nil
	}
	return e
}

func (f *storeFuzz) reconnect() ahp.ReconnectResult {
	if f.take(2) == 0 {
		result := &ahp.ReconnectSnapshotResult{}
		for range f.take(4) {
			result.Snapshots = append(result.Snapshots, f.snapshot())
		}
		return result
	}
	result := &ahp.ReconnectReplayResult{}
	for range f.take(5) {
		if e := f.envelope(); e != nil {
			result.Actions = append(result.Actions, *e)
		}
	}
	for range f.take(3) {
		result.Missing = append(result.Missing, f.uri())
	}
	return result
}

// step makes one call, on the store and on the model.
func (f *storeFuzz) step() {
	switch f.take(12) {
	case 0, 1:
		s := f.snapshot()
		if err := f.store.Subscribe(&s); err != nil {
			f.t.Fatal(err)
		}
		f.model.subscribe(&s)
	case 2:
		uri := f.uri()
		f.store.Unsubscribe(uri)
		f.model.unsubscribe(uri)
	case 3:
		uri := f.uri()
		f.store.Await(uri)
		if _, ok := f.model.held[uri]; !ok && f.model.channels[uri] == nil {
			f.model.held[uri] = nil
		}
	case 4, 5, 6:
		uri := f.uri()
		if params, err := f.store.Dispatch(uri, f.action()); err == nil {
			c := f.model.channels[uri]
			c.pending = append(c.pending, params)
		}
	case 7:
		result := f.reconnect()
		if _, err := f.store.Reconnected(result); err != nil {
			f.t.Fatal(err)
		}
		f.model.reconnected(result)
	default:
		if e := f.envelope(); e != nil {
			f.store.Receive(e)
			f.model.receive(e)
		}
	}
}

// check compares everything there is to see.
func (f *storeFuzz) check() {
	if got := f.store.Subscriptions(); len(got) != len(f.model.channels) {
		f.t.Fatalf("subscriptions %v", got)
	}
	if got, want := f.store.LastSeen(), f.model.lastSeen(); got != want {
		f.t.Fatalf("last seen %d, not %d", got, want)
	}
	for uri, c := range f.model.channels {
		view, ok := f.store.View(uri)
		if !ok {
			f.t.Fatalf("no %s", uri)
		}
		confirmed, optimistic := encode(f.t, view.Confirmed), encode(f.t, view.Optimistic)
		if want := encode(f.t, c.confirmed()); !bytes.Equal(confirmed, want) {
			f.t.Fatalf("%s: confirmed %s\nnot %s", uri, confirmed, want)
		}
		if want := encode(f.t, c.optimistic()); !bytes.Equal(optimistic, want) {
			f.t.Fatalf("%s: optimistic %s\nnot %s", uri, optimistic, want)
		}
		if view.Pending != len(c.pending) || view.Pending == 0 && view.Confirmed != view.Optimistic {
			f.t.Fatalf("%s: %d pending, not %d", uri, view.Pending, len(c.pending))
		}
		f.kept = append(f.kept, keptView{view, confirmed, optimistic})
	}
}

func FuzzStore(f *testing.F) {
	f.Add([]byte{0, 0, 10, 1, 4, 0, 0, 2, 9, 0, 0, 3, 11, 1, 1, 1, 1})
	f.Add([]byte{3, 0, 9, 0, 1, 0, 30, 0, 2, 2, 0, 0, 12, 1, 7, 1, 3})
	f.Add(bytes.Repeat([]byte{0, 1, 20, 3, 4, 1, 0, 5, 5, 1, 1, 1, 10, 1, 0, 7, 33, 2, 1, 7, 1, 2}, 6))
	for seed := range byte(32) {
		data := make([]byte, 300)
		for i := range data {
			data[i] = byte((int(seed)*31 + i*i*7 + i*int(seed)*13) >> 2)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		run := &storeFuzz{
			t: t, bytes: data[:min(len(data), 400)], store: ahp.NewStore("me", &ahp.Reducer{Now: newClock().now}),
			model: &model{channels: map[string]*modelChannel{}, held: map[string][]*ahp.ActionEnvelope{}},
		}
		for len(run.bytes) > 0 {
			run.step()
			run.check()
		}
		for _, k := range run.kept {
			if !bytes.Equal(encode(t, k.view.Confirmed), k.confirmed) || !bytes.Equal(encode(t, k.view.Optimistic), k.optimistic) {
				t.Fatal("a state has changed after it was handed out")
			}
		}
	})
}
