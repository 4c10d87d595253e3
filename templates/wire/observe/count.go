// Counting: totals of events, for metrics and pages.

package observe

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Counts is an observer that counts. The zero value is ready; it must not be copied. It counts for as many connections and
// sessions as it is set for, and for one server: of several, the numbers of clients and channels would be those of the last
// that changed.
type Counts struct {
	events  [32]atomic.Int64 // by type
	bytes   [32]atomic.Int64
	methods sync.Map // label to *method
	named   atomic.Int64

	clients, channels, subscriptions atomic.Int64
	queued, queuedBytes              atomic.Int64 // the most since the last reading
	published                        atomic.Int64 // the longest queue of a server, likewise

	waited, answered, logged Histogram
}

// maxMethods bounds the methods that are counted by name.
const maxMethods = 1000

// method counts the messages of a method.
type method struct {
	sent, received, failed atomic.Int64
	latency                Histogram
}

// Observe implements [rpc.Observer].
func (c *Counts) Observe(e rpc.Event) {
	if int(e.Type) >= len(c.events) {
		return
	}
	c.events[e.Type].Add(1)
	switch e.Type {
	case rpc.EventSent, rpc.EventReceived:
		c.message(&e)
	case rpc.EventJoined, rpc.EventLeft:
		c.clients.Store(int64(e.Count))
	case rpc.EventChannelOpened, rpc.EventChannelClosed:
		c.channels.Store(int64(e.Count))
	case rpc.EventSubscribed:
		c.subscriptions.Add(1)
	case rpc.EventUnsubscribed:
		c.subscriptions.Add(-1)
	case rpc.EventPublished, rpc.EventRejected:
		most(&c.published, int64(e.Queued))
	case rpc.EventLogged:
		c.bytes[e.Type].Add(int64(e.Size))
		c.logged.add(e.Latency)
	}
}

// message counts a message.
func (c *Counts) message(e *rpc.Event) {
	c.bytes[e.Type].Add(int64(e.Size))
	m := c.of(e.Label())
	if e.Type == rpc.EventSent {
		m.sent.Add(1)
	} else {
		m.received.Add(1)
	}
	most(&c.queued, int64(e.Queued))
	most(&c.queuedBytes, e.QueuedBytes)
	switch e.Kind {
	case rpc.Notification:
		if e.Latency > 0 {
			c.waited.add(e.Latency)
		}
	case rpc.Result, rpc.Failure:
		if e.Kind == rpc.Failure {
			m.failed.Add(1)
		}
		if e.Latency > 0 {
			m.latency.add(e.Latency)
			c.answered.add(e.Latency)
		}
	}
}

// of returns the counters of a label.
func (c *Counts) of(label string) *method {
	if m, ok := c.methods.Load(label); ok {
		return m.(*method)
	}
	if c.named.Add(1) > maxMethods {
		label = rpc.Other
	}
	m, _ := c.methods.LoadOrStore(label, new(method))
	return m.(*method)
}

// most raises a value to another one.
func most(v *atomic.Int64, to int64) {
	for {
		now := v.Load()
		if to <= now || v.CompareAndSwap(now, to) {
			return
		}
	}
}

// Figures are the totals of [Counts] at a time.
type Figures struct {
	Sent          Traffic `json:"sent"`
	Received      Traffic `json:"received"`
	Connections   int64   `json:"connections"` // open now
	Clients       int64   `json:"clients"`     // of a server, now
	Channels      int64   `json:"channels"`
	Subscriptions int64   `json:"subscriptions"`
	Published     int64   `json:"published"` // actions
	Rejected      int64   `json:"rejected"`  // actions
	Refused       int64   `json:"refused"`   // requests, because of a limit
	Malformed     int64   `json:"malformed"` // messages
	Cut           int64   `json:"cut"`       // connections that this side ended
	Ready         int64   `json:"ready"`     // how often sessions became ready; all but the first are reconnections
	Waiting       int64   `json:"waiting"`   // how often sessions wait before another attempt
	Replayed      int64   `json:"replayed"`  // reconnections with a replay
	Snapshots     int64   `json:"snapshots"` // with new states
	Logged        Traffic `json:"logged"`    // commits of a log, and bytes
	// Queued and QueuedBytes are the longest queue of a connection since the last reading, QueuedActions that of a server.
	Queued        int64 `json:"queued"`
	QueuedBytes   int64 `json:"queuedBytes"`
	QueuedActions int64 `json:"queuedActions"`
	// Waited is how long what a server published waited until it was written to a connection, Answered how long requests took
	// in both directions, and Commits how long appending to the log took.
	Waited   Spread         `json:"waited"`
	Answered Spread         `json:"answered"`
	Commits  Spread         `json:"commits"`
	Methods  []MethodFigure `json:"methods"` // sorted by name
}

// Traffic is a number of messages and their size in bytes.
type Traffic struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

// MethodFigure is the totals of a method: its requests or notifications, and their answers.
type MethodFigure struct {
	Method   string `json:"method"` // "other" for all that are not in the protocol
	Sent     int64  `json:"sent"`
	Received int64  `json:"received"`
	Failed   int64  `json:"failed"`
	Latency  Spread `json:"latency"`
}

// Read returns the totals. The longest queues begin anew.
func (c *Counts) Read() Figures {
	n := func(t rpc.EventType) int64 { return c.events[t].Load() }
	traffic := func(t rpc.EventType) Traffic { return Traffic{n(t), c.bytes[t].Load()} }
	out := Figures{
		Sent: traffic(rpc.EventSent), Received: traffic(rpc.EventReceived), Connections: n(rpc.EventOpened) - n(rpc.EventEnded),
		Clients: c.clients.Load(), Channels: c.channels.Load(), Subscriptions: c.subscriptions.Load(),
		Published: n(rpc.EventPublished), Rejected: n(rpc.EventRejected), Refused: n(rpc.EventRefused), Malformed: n(rpc.EventMalformed),
		Cut: n(rpc.EventCut), Ready: n(rpc.EventReady), Waiting: n(rpc.EventWaiting), Replayed: n(rpc.EventReplayed),
		Snapshots: n(rpc.EventSnapshots), Logged: traffic(rpc.EventLogged),
		Queued: c.queued.Swap(0), QueuedBytes: c.queuedBytes.Swap(0), QueuedActions: c.published.Swap(0),
		Waited: c.waited.Read(), Answered: c.answered.Read(), Commits: c.logged.Read(),
	}
	c.methods.Range(func(label, m any) bool {
		m2 := m.(*method)
		out.Methods = append(out.Methods, MethodFigure{label.(string), m2.sent.Load(), m2.received.Load(), m2.failed.Load(), m2.latency.Read()})
		return true
	})
	slices.SortFunc(out.Methods, func(a, b MethodFigure) int { return cmp.Compare(a.Method, b.Method) })
	return out
}
