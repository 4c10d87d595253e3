// Counting: totals of events, for metrics and pages.

package observe

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Counts is an observer that counts. The zero value is ready; it must not be copied. It counts for as many connections and
// sessions as it is set for, and for one server: of several, the numbers of clients and channels would be those of the last
// that changed.
type Counts struct {
	events  [32]atomic.Int64 // by type, but for messages
	methods sync.Map         // label to *method
	named   atomic.Int64
	latest  atomic.Pointer[method] // the method that was sent last

	clients, channels, subscriptions atomic.Int64
	queued, queuedBytes              atomic.Int64 // the most since the last reading
	published                        atomic.Int64 // the longest queue of a server, likewise

	loggedBytes              atomic.Int64
	waited, answered, logged Histogram
}

var _ rpc.Counter = (*Counts)(nil)

// maxMethods bounds the methods that are counted by name.
const maxMethods = 1000

// method counts the messages of a method.
type method struct {
	label                    string
	sent, received, failed   atomic.Int64
	sentBytes, receivedBytes atomic.Int64
	latency                  Histogram
}

// Observe implements [rpc.Observer].
func (c *Counts) Observe(e rpc.Event) {
	if int(e.Type) >= len(c.events) {
		return
	}
	switch e.Type {
	case rpc.EventSent:
		c.CountSent(rpc.Sent{Kind: e.Kind, Method: e.Method, Known: e.Known, Size: e.Size, Latency: e.Latency, Queued: e.Queued, QueuedBytes: e.QueuedBytes})
		return
	case rpc.EventReceived:
		m := c.of(e.Label())
		m.received.Add(1)
		m.receivedBytes.Add(int64(e.Size))
		c.message(m, e.Kind, e.Latency, e.Queued, e.QueuedBytes)
		return
	}
	c.events[e.Type].Add(1)
	switch e.Type {
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
		c.loggedBytes.Add(int64(e.Size))
		c.logged.add(e.Latency)
	}
}

// CountSent implements [rpc.Counter]. The totals of all methods are sums, so that a message changes as little as possible.
func (c *Counts) CountSent(m rpc.Sent) {
	label := m.Label()
	of := c.latest.Load()
	if of == nil || of.label != label {
		of = c.of(label)
		c.latest.Store(of)
	}
	of.sent.Add(1)
	of.sentBytes.Add(int64(m.Size))
	c.message(of, m.Kind, m.Latency, m.Queued, m.QueuedBytes)
}

// message counts a message in either direction.
func (c *Counts) message(of *method, kind rpc.Kind, latency time.Duration, queued int, queuedBytes int64) {
	most(&c.queued, int64(queued))
	most(&c.queuedBytes, queuedBytes)
	switch kind {
	case rpc.Notification:
		if latency > 0 {
			c.waited.add(latency)
		}
	case rpc.Result, rpc.Failure:
		if kind == rpc.Failure {
			of.failed.Add(1)
		}
		if latency > 0 {
			of.latency.add(latency)
			c.answered.add(latency)
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
	m, _ := c.methods.LoadOrStore(label, &method{label: label})
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
	Conflicts     int64   `json:"conflicts"` // with other servers on a shared log, after which another attempt is made
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
	out := Figures{
		Connections: n(rpc.EventOpened) - n(rpc.EventEnded),
		Clients:     c.clients.Load(), Channels: c.channels.Load(), Subscriptions: c.subscriptions.Load(),
		Published: n(rpc.EventPublished), Rejected: n(rpc.EventRejected), Refused: n(rpc.EventRefused), Malformed: n(rpc.EventMalformed),
		Cut: n(rpc.EventCut), Ready: n(rpc.EventReady), Waiting: n(rpc.EventWaiting), Replayed: n(rpc.EventReplayed),
		Snapshots: n(rpc.EventSnapshots), Logged: Traffic{n(rpc.EventLogged), c.loggedBytes.Load()}, Conflicts: n(rpc.EventConflict),
		Queued: c.queued.Swap(0), QueuedBytes: c.queuedBytes.Swap(0), QueuedActions: c.published.Swap(0),
		Waited: c.waited.Read(), Answered: c.answered.Read(), Commits: c.logged.Read(),
	}
	c.methods.Range(func(label, m any) bool {
		m2 := m.(*method)
		f := MethodFigure{label.(string), m2.sent.Load(), m2.received.Load(), m2.failed.Load(), m2.latency.Read()}
		out.Methods = append(out.Methods, f)
		out.Sent.Messages, out.Sent.Bytes = out.Sent.Messages+f.Sent, out.Sent.Bytes+m2.sentBytes.Load()
		out.Received.Messages, out.Received.Bytes = out.Received.Messages+f.Received, out.Received.Bytes+m2.receivedBytes.Load()
		return true
	})
	slices.SortFunc(out.Methods, func(a, b MethodFigure) int { return cmp.Compare(a.Method, b.Method) })
	return out
}
