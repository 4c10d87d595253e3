// The clients of the simulation. Each has a store, and beside it the simplest record of what the store should know.

package ahp_test

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// simClient is a client with its store.
type simClient struct {
	sim   *simulation
	id    string
	store *ahp.Store
	conn  *connection // nil while there is none
	ready bool        // nothing stands between the connection and the store

	record  map[string]*record         // of what the store has
	waiting map[string][]int64         // sequences of what came for a channel whose snapshot has not
	asked   map[string]int             // snapshots on their way
	late    []frame                    // answers that the client has not got round to
	watched map[string]<-chan ahpViews // of channels of the record
	kept    []keptView
}

type ahpViews = state.View[ahp.SnapshotState]

// record is what a client should know of a channel: how far it is, and which of its actions have no answer.
type record struct {
	sequence int64
	pending  []*ahp.DispatchActionParams
}

// keptView is a view with its encoding at the time.
type keptView struct {
	view                  ahpViews
	confirmed, optimistic []byte
}

// has lists the channels of the record in an order that does not change from run to run.
func (c *simClient) has() []string {
	var out []string
	for uri := range c.record {
		out = append(out, uri)
	}
	slices.Sort(out)
	return out
}

// act does something that a user may do.
func (c *simClient) act() {
	r := c.sim.random
	has := c.has()
	switch {
	case c.conn == nil:
		if r.chance(50) && len(has) > 0 {
			c.dispatch(oneOf(r, has...)) // offline; nobody will ever know
			return
		}
		c.reconnect()
	case r.chance(3):
		c.disconnect()
	case !c.ready:
		if len(has) > 0 {
			c.dispatch(oneOf(r, has...))
		}
	case len(has) == 0 || r.chance(12):
		c.subscribe(oneOf(r, c.sim.host.uris()...)) // perhaps once more
	case r.chance(6):
		c.unsubscribe(oneOf(r, has...))
	default:
		c.dispatch(oneOf(r, has...))
	}
}

func (c *simClient) subscribe(uri string) {
	c.store.Await(uri)
	if c.record[uri] == nil && c.asked[uri] == 0 {
		c.waiting[uri] = nil
	}
	c.asked[uri]++
	c.conn.up = append(c.conn.up, frame{kind: "subscribe", channel: uri})
}

func (c *simClient) unsubscribe(uri string) {
	if c.asked[uri] > 0 {
		return // a person who has just asked waits for the answer
	}
	c.store.Unsubscribe(uri)
	delete(c.record, uri)
	delete(c.watched, uri)
	c.conn.up = append(c.conn.up, frame{kind: "unsubscribe", channel: uri})
}

// dispatch sends an action that fits the state, where the connection is up.
func (c *simClient) dispatch(uri string) {
	view, _ := c.store.View(uri)
	kind := c.sim.kinds[uri]
	var action ahp.ClientAction
	for state := plain(c.sim.tb, encode(c.sim.tb, view.Optimistic)); action == nil; {
		action, _ = c.sim.action(kind, state).(ahp.ClientAction)
	}
	params, err := c.store.Dispatch(uri, action)
	if err != nil {
		c.sim.fail("dispatch: %v", err)
		return
	}
	c.record[uri].pending = append(c.record[uri].pending, params)
	c.sim.count["dispatched"]++
	if c.ready {
		c.conn.up = append(c.conn.up, frame{kind: "dispatch", data: encode(c.sim.tb, params)})
	}
	c.check(uri)
}

// disconnect loses everything on its way.
func (c *simClient) disconnect() {
	c.sim.host.connections = slices.DeleteFunc(c.sim.host.connections, func(o *connection) bool { return o == c.conn })
	c.conn, c.ready, c.late = nil, false, nil
	c.sim.count["disconnects"]++
}

func (c *simClient) reconnect() {
	if got := c.store.Subscriptions(); !slices.Equal(got, c.has()) {
		c.sim.fail("subscriptions %v, not %v", got, c.has())
		return
	}
	c.conn = &connection{client: c, subscribed: map[string]bool{}}
	c.sim.host.connections = append(c.sim.host.connections, c.conn)
	c.conn.up = append(c.conn.up, frame{kind: "reconnect", lastSeen: c.store.LastSeen(), channels: c.store.Subscriptions()})
}

// handle takes a message from the host: the first, or an answer that overtakes notifications on its way through
// the client. Answers may also be left lying.
func (c *simClient) handle() {
	r := c.sim.random
	i := 0
	if r.chance(20) {
		i = max(0, slices.IndexFunc(c.conn.down, func(m frame) bool { return m.kind == "snapshot" }))
	}
	if c.conn.down[0].kind == "reconnected" {
		i = 0
	}
	m := c.conn.down[i]
	c.conn.down = slices.Delete(c.conn.down, i, i+1)
	if m.kind == "snapshot" && r.chance(40) {
		c.late = append(c.late, m)
		return
	}
	c.take(m)
}

func (c *simClient) handleLate() {
	m := c.late[0]
	c.late = c.late[1:]
	c.take(m)
}

func (c *simClient) take(m frame) {
	switch m.kind {
	case "action":
		c.receive(m)
	case "snapshot":
		c.start(m)
	case "refusal":
		if c.asked[m.channel]--; c.asked[m.channel] == 0 && c.record[m.channel] == nil {
			c.store.Unsubscribe(m.channel)
			delete(c.waiting, m.channel)
		}
	case "reconnected":
		c.resume(m)
	}
}

// receive hands an envelope to the store and compares what becomes of it with what should.
func (c *simClient) receive(m frame) {
	e, err := ahp.Decode[ahp.ActionEnvelope](m.data)
	if err != nil {
		c.sim.fail("%v", err)
		return
	}
	want := c.note(e)
	if got := c.store.Receive(e); got != want {
		c.sim.fail("%s: envelope %d is %s, not %s", c.id, e.ServerSeq, got, want)
		return
	}
	c.sim.count[string(want)]++
	c.check(m.channel)
}

// note brings the record up to date and says what should become of an envelope.
func (c *simClient) note(e *ahp.ActionEnvelope) state.Outcome {
	own := e.Origin != nil && e.Origin.ClientID == c.id
	rec := c.record[e.Channel]
	if rec == nil {
		held, waits := c.waiting[e.Channel]
		switch {
		case waits && own && e.RejectionReason != nil:
			return state.Rejected
		case waits:
			c.waiting[e.Channel] = append(held, e.ServerSeq)
			return state.Held
		}
		return state.UnknownChannel
	}
	answered := false
	if own {
		before := len(rec.pending)
		rec.pending = slices.DeleteFunc(rec.pending, func(p *ahp.DispatchActionParams) bool { return p.ClientSeq == e.Origin.ClientSeq })
		answered = len(rec.pending) < before
	}
	stale := e.ServerSeq <= rec.sequence
	rec.sequence = max(rec.sequence, e.ServerSeq)
	switch {
	case stale && !answered:
		return state.Stale
	case own && e.RejectionReason != nil:
		return state.Rejected
	case own:
		return state.Confirmed
	case e.RejectionReason != nil:
		return state.Refused
	}
	return state.Applied
}

// start hands a snapshot to the store.
func (c *simClient) start(m frame) {
	snapshot, err := ahp.Decode[ahp.Snapshot](m.data)
	if err != nil {
		c.sim.fail("%v", err)
		return
	}
	if err := c.store.Subscribe(snapshot); err != nil {
		c.sim.fail("%v", err)
		return
	}
	c.asked[m.channel]--
	rec := c.record[m.channel]
	if rec == nil {
		rec = &record{}
		c.record[m.channel] = rec
	}
	rec.sequence = max(rec.sequence, snapshot.FromSeq)
	for _, sequence := range c.waiting[m.channel] {
		rec.sequence = max(rec.sequence, sequence)
	}
	delete(c.waiting, m.channel)
	c.watch(m.channel)
	c.check(m.channel)
}

func (c *simClient) watch(uri string) {
	if c.watched[uri] == nil {
		c.watched[uri], _ = c.store.Watch(uri)
	}
}

// resume hands the answer to a reconnect to the store. What it says was lost has to be what has no answer.
func (c *simClient) resume(m frame) {
	result, err := ahp.DecodeReconnectResult(m.data)
	if err != nil {
		c.sim.fail("%v", err)
		return
	}
	var gone []string
	rejected := 0
	switch result := result.(type) {
	case *ahp.ReconnectReplayResult:
		for i := range result.Actions {
			if c.note(&result.Actions[i]) == state.Rejected {
				rejected++
			}
		}
		gone = result.Missing
	case *ahp.ReconnectSnapshotResult:
		fresh := map[string]int64{}
		for _, s := range result.Snapshots {
			fresh[s.Resource] = s.FromSeq
		}
		for _, uri := range c.has() {
			if sequence, ok := fresh[uri]; ok {
				c.record[uri].sequence = sequence
				continue
			}
			gone = append(gone, uri)
		}
	}
	var lost []int64
	for _, uri := range c.has() {
		for _, p := range c.record[uri].pending {
			lost = append(lost, p.ClientSeq)
		}
		c.record[uri].pending = nil
	}
	slices.Sort(lost)
	for _, uri := range gone {
		delete(c.record, uri)
		delete(c.watched, uri)
	}
	clear(c.waiting)
	clear(c.asked)
	got, err := c.store.Reconnected(result)
	if err != nil {
		c.sim.fail("%v", err)
		return
	}
	var gotLost []int64
	for _, p := range got.Lost {
		gotLost = append(gotLost, p.ClientSeq)
	}
	if !slices.Equal(gotLost, lost) || !slices.Equal(got.Gone, gone) || len(got.Rejected) != rejected {
		c.sim.fail("%s: lost %v, gone %v, %d rejected; want %v, %v, %d", c.id, gotLost, got.Gone, len(got.Rejected), lost, gone, rejected)
		return
	}
	c.ready = true
	for _, uri := range c.has() {
		c.check(uri)
	}
}

// check compares a view with the host at the same sequence number, and with the pending actions replayed on that.
func (c *simClient) check(uri string) {
	rec := c.record[uri]
	view, ok := c.store.View(uri)
	if ok != (rec != nil) {
		c.sim.fail("%s has %s: %v", c.id, uri, ok)
		return
	}
	host := c.sim.host.channels[uri]
	if rec == nil || host == nil {
		return
	}
	want := c.sim.reference(host, rec.sequence)
	confirmed := encode(c.sim.tb, view.Confirmed)
	if !bytes.Equal(confirmed, host.at(rec.sequence)) {
		c.sim.fail("%s: confirmed state of %s at %d:\n%s", c.id, uri, rec.sequence, strings.Join(differences(plain(c.sim.tb, host.at(rec.sequence)), plain(c.sim.tb, confirmed)), "\n"))
		return
	}
	for _, p := range rec.pending {
		want = c.sim.host.reducer.Apply(want, p.Action)
	}
	optimistic := encode(c.sim.tb, view.Optimistic)
	if !bytes.Equal(optimistic, encode(c.sim.tb, want)) {
		c.sim.fail("%s: optimistic state of %s is not the confirmed one with %d pending:\n%s", c.id, uri, len(rec.pending), optimistic)
		return
	}
	if view.Pending != len(rec.pending) || view.Pending == 0 && view.Confirmed != view.Optimistic {
		c.sim.fail("%s: %d pending in %s, not %d", c.id, view.Pending, uri, len(rec.pending))
		return
	}
	if c.sim.chance(20) {
		c.kept = append(c.kept, keptView{view, confirmed, optimistic})
	}
}

// settled says what is wrong when nothing is on its way any more.
func (c *simClient) settled() {
	for _, uri := range c.has() {
		host := c.sim.host.channels[uri]
		view, _ := c.store.View(uri)
		if view.Pending != 0 || view.Confirmed != view.Optimistic {
			c.sim.fail("%s: %d pending in %s after all", c.id, view.Pending, uri)
			return
		}
		if got, want := encode(c.sim.tb, view.Confirmed), encode(c.sim.tb, host.state); !bytes.Equal(got, want) {
			c.sim.fail("%s: %s differs from the host after all:\n%s\n%s", c.id, uri, got, want)
			return
		}
		if latest, ok := <-c.watched[uri]; !ok || latest != view {
			c.sim.fail("%s: who watches %s has not seen the latest", c.id, uri)
			return
		}
	}
	for _, k := range c.kept {
		if !bytes.Equal(encode(c.sim.tb, k.view.Confirmed), k.confirmed) || !bytes.Equal(encode(c.sim.tb, k.view.Optimistic), k.optimistic) {
			c.sim.fail("%s: a state has changed after it was handed out", c.id)
			return
		}
	}
}
