// The host of the simulation: it decides on actions, numbers them, and remembers the latest for those who come
// back. Everything it says and hears goes through the codec.

package ahp_test

import (
	"slices"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// frame is one thing on the wire.
type frame struct {
	kind    string // of request, answer or notification
	channel string
	data    []byte

	lastSeen int64    // of a reconnect request
	channels []string // of a reconnect request
}

// connection is what is on its way between the host and one client.
type connection struct {
	client     *simClient
	up, down   []frame // towards the host, towards the client
	subscribed map[string]bool
}

// simHost is the one host there is.
type simHost struct {
	sim         *simulation
	reducer     *ahp.Reducer
	sequence    int64
	channels    map[string]*hostChannel
	connections []*connection
	log         []logged // the latest envelopes, for replay
	logSize     int
	deferred    []undecided

	tellAll bool // of rejections, not just the sender
}

// hostChannel is a state with everything it has been.
type hostChannel struct {
	kind    channel
	state   ahp.SnapshotState
	history []version
}

// version is a state as it was from a sequence number on.
type version struct {
	sequence int64
	encoded  []byte
}

// logged is an envelope, and who it was for where not for all.
type logged struct {
	sequence int64
	channel  string
	only     *simClient
	data     []byte
}

type undecided struct {
	from   *simClient
	params *ahp.DispatchActionParams
}

func (h *simHost) open(uri string, kind channel) {
	state := h.sim.state(kind).(ahp.SnapshotState)
	h.channels[uri] = &hostChannel{kind, state, []version{{h.sequence, encode(h.sim.tb, state)}}}
}

// at is the state after a sequence number, encoded.
func (c *hostChannel) at(sequence int64) []byte {
	i := len(c.history) - 1
	for c.history[i].sequence > sequence {
		i--
	}
	return c.history[i].encoded
}

// act dispatches an action of the host's own.
func (h *simHost) act() {
	uri := oneOf(h.sim.random, h.uris()...)
	c := h.channels[uri]
	h.accept(&ahp.ActionEnvelope{Channel: uri, Action: h.sim.action(c.kind, plain(h.sim.tb, c.history[len(c.history)-1].encoded))})
}

// uris lists the channels there are, in an order that does not change from run to run.
func (h *simHost) uris() []string {
	var out []string
	for uri := range h.channels {
		out = append(out, uri)
	}
	slices.Sort(out)
	return out
}

// handle takes the first message from a client.
func (h *simHost) handle(conn *connection) {
	m := conn.up[0]
	conn.up = conn.up[1:]
	switch m.kind {
	case "subscribe":
		if h.channels[m.channel] == nil {
			conn.down = append(conn.down, frame{kind: "refusal", channel: m.channel})
			return
		}
		conn.subscribed[m.channel] = true
		conn.down = append(conn.down, frame{kind: "snapshot", channel: m.channel, data: encode(h.sim.tb, h.snapshot(m.channel))})
	case "unsubscribe":
		delete(conn.subscribed, m.channel)
	case "dispatch":
		params, err := ahp.Decode[ahp.DispatchActionParams](m.data)
		if err != nil {
			h.sim.fail("the host cannot read %s: %v", m.data, err)
			return
		}
		h.decide(undecided{conn.client, params}, true)
	case "reconnect":
		h.reconnect(conn, m)
	}
}

// decide answers an action: mostly at once, sometimes later, and hardly ever never.
func (h *simHost) decide(u undecided, mayWait bool) {
	e := &ahp.ActionEnvelope{
		Channel: u.params.Channel, Action: u.params.Action,
		Origin: &ahp.ActionOrigin{ClientID: u.from.id, ClientSeq: u.params.ClientSeq},
	}
	switch {
	case h.channels[e.Channel] == nil || h.sim.chance(2):
		h.sim.count["dropped"]++
	case mayWait && h.sim.chance(5):
		h.deferred = append(h.deferred, u)
	case h.sim.chance(20):
		e.RejectionReason = ptr("no")
		h.sim.count["rejected"]++
		h.publish(e, u.from)
	default:
		h.accept(e)
	}
}

// decideLate takes up an action that was put off, in any order.
func (h *simHost) decideLate() {
	i := h.sim.IntN(len(h.deferred))
	u := h.deferred[i]
	h.deferred = slices.Delete(h.deferred, i, i+1)
	h.decide(u, false)
}

func (h *simHost) accept(e *ahp.ActionEnvelope) {
	c := h.channels[e.Channel]
	c.state = h.reducer.Apply(c.state, e.Action)
	h.publish(e, nil)
	c.history = append(c.history, version{h.sequence, encode(h.sim.tb, c.state)})
}

// publish numbers an envelope and sends it.
func (h *simHost) publish(e *ahp.ActionEnvelope, rejected *simClient) {
	h.sequence++
	e.ServerSeq = h.sequence
	l := logged{h.sequence, e.Channel, nil, encode(h.sim.tb, e)}
	if !h.tellAll {
		l.only = rejected
	}
	h.log = append(h.log, l)
	h.log = h.log[max(0, len(h.log)-h.logSize):]
	for _, conn := range h.connections {
		if conn.subscribed[e.Channel] && (l.only == nil || l.only == conn.client) {
			conn.down = append(conn.down, frame{kind: "action", channel: e.Channel, data: l.data})
		}
	}
}

func (h *simHost) snapshot(uri string) *ahp.Snapshot {
	return &ahp.Snapshot{Resource: uri, State: h.channels[uri].state, FromSeq: h.sequence}
}

// reconnect replays what a client has missed, or sends snapshots where the log does not go back so far.
func (h *simHost) reconnect(conn *connection, m frame) {
	var there, missing []string
	for _, uri := range m.channels {
		if h.channels[uri] == nil {
			missing = append(missing, uri)
			continue
		}
		there = append(there, uri)
		conn.subscribed[uri] = true
	}
	var result ahp.ReconnectResult
	if oldest := h.sequence - int64(len(h.log)); m.lastSeen >= oldest {
		replay := &ahp.ReconnectReplayResult{Actions: []ahp.ActionEnvelope{}, Missing: append([]string{}, missing...)}
		for _, l := range h.log {
			if l.sequence > m.lastSeen && slices.Contains(there, l.channel) && (l.only == nil || l.only == conn.client) {
				e, err := ahp.Decode[ahp.ActionEnvelope](l.data)
				if err != nil {
					h.sim.fail("%v", err)
					return
				}
				replay.Actions = append(replay.Actions, *e)
			}
		}
		result = replay
		h.sim.count["replays"]++
	} else {
		restart := &ahp.ReconnectSnapshotResult{Snapshots: []ahp.Snapshot{}}
		for _, uri := range there {
			restart.Snapshots = append(restart.Snapshots, *h.snapshot(uri))
		}
		result = restart
		h.sim.count["restarts"]++
	}
	conn.down = append(conn.down, frame{kind: "reconnected", data: encode(h.sim.tb, result)})
}
