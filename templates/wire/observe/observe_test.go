package observe

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func TestEventsAreLoggedByLevelAndWithoutPayloads(t *testing.T) {
	for _, c := range []struct {
		name    string
		event   rpc.Event
		options LogOptions
		want    string
	}{
		{"message", rpc.Event{Type: rpc.EventSent, Conn: 3, Kind: rpc.Failure, Method: "open", ID: []byte(`"secret"`), Size: 90, Latency: time.Millisecond, Code: -32601, Queued: 2, QueuedBytes: 40}, LogOptions{},
			"level=DEBUG msg=sent conn=3 message.kind=failure message.method=open message.size=90 message.latency=1ms message.code=-32601 queue.messages=2 queue.bytes=40\n"},
		{"message with its id", rpc.Event{Type: rpc.EventReceived, Kind: rpc.Request, Method: "open", ID: []byte("7")}, LogOptions{IDs: true},
			"level=DEBUG msg=received message.kind=request message.method=open message.id=7\n"},
		{"method that a peer has made up", rpc.Event{Type: rpc.EventReceived, Kind: rpc.Request, Method: "a\nlevel=ERROR\x1b[31m"}, LogOptions{},
			`level=DEBUG msg=received message.kind=request message.method="\"a\\nlevel=ERROR\\x1b[31m\""` + "\n"},
		{"client", rpc.Event{Type: rpc.EventJoined, Conn: 1, Client: "me", Version: "1.0.0", Count: 4}, LogOptions{},
			"level=INFO msg=joined conn=1 client=me version=1.0.0 count=4\n"},
		{"redacted", rpc.Event{Type: rpc.EventSubscribed, Client: "me", Channel: "ahp-session:/1"}, LogOptions{Redact: func(key, _ string) string { return "(" + key + ")" }},
			"level=INFO msg=subscribed client=(client) channel=(channel) count=0\n"},
		{"end in good order", rpc.Event{Type: rpc.EventEnded, Conn: 1}, LogOptions{}, "level=INFO msg=ended conn=1\n"},
		{"end", rpc.Event{Type: rpc.EventEnded, Conn: 1, Err: errors.New("reset")}, LogOptions{}, "level=WARN msg=ended conn=1 err=reset\n"},
		{"failed log", rpc.Event{Type: rpc.EventFailed, Err: errors.New("disk full")}, LogOptions{}, "level=ERROR msg=failed err=\"disk full\"\n"},
		{"another level", rpc.Event{Type: rpc.EventLogged, Count: 1, Size: 5}, LogOptions{Level: func(*rpc.Event) slog.Level { return slog.LevelWarn }},
			"level=WARN msg=logged message.size=5 count=1\n"},
		{"too low a level", rpc.Event{Type: rpc.EventSent}, LogOptions{Level: func(*rpc.Event) slog.Level { return -8 }}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			l := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
			Log(l, &c.options).Observe(c.event)
			require.Equal(t, c.want, out.String())
		})
	}
}

func TestCountsHaveBoundedMethods(t *testing.T) {
	var c Counts
	for i := range 10_000 { // names of a peer
		c.Observe(rpc.Event{Type: rpc.EventReceived, Kind: rpc.Request, Method: fmt.Sprint("x", i), Size: 10})
	}
	require.Equal(t, []MethodFigure{{Method: rpc.Other, Received: 10_000}}, c.Read().Methods)
	for i := range 10_000 { // names that this side passes on
		c.Observe(rpc.Event{Type: rpc.EventSent, Kind: rpc.Request, Method: fmt.Sprint("x", i), Known: true})
	}
	require.LessOrEqual(t, len(c.Read().Methods), maxMethods+1)
}

func TestCountsAreTotals(t *testing.T) {
	var c Counts
	for _, e := range []rpc.Event{
		{Type: rpc.EventOpened}, {Type: rpc.EventOpened}, {Type: rpc.EventEnded},
		{Type: rpc.EventSent, Kind: rpc.Notification, Method: "note", Known: true, Size: 5, Latency: time.Millisecond, Queued: 7, QueuedBytes: 70},
		{Type: rpc.EventReceived, Kind: rpc.Failure, Method: "open", Known: true, Size: 3, Latency: time.Second, Code: 1},
		{Type: rpc.EventJoined, Count: 3}, {Type: rpc.EventLeft, Count: 2}, {Type: rpc.EventChannelOpened, Count: 4},
		{Type: rpc.EventSubscribed}, {Type: rpc.EventSubscribed}, {Type: rpc.EventUnsubscribed},
		{Type: rpc.EventPublished, Queued: 9}, {Type: rpc.EventRejected}, {Type: rpc.EventRefused}, {Type: rpc.EventCut},
		{Type: rpc.EventLogged, Size: 100, Latency: time.Microsecond}, {Type: 250},
	} {
		c.Observe(e)
	}
	got := c.Read()
	require.Equal(t, Traffic{1, 5}, got.Sent)
	require.Equal(t, Traffic{1, 3}, got.Received)
	require.Equal(t, []int64{1, 2, 4, 1}, []int64{got.Connections, got.Clients, got.Channels, got.Subscriptions})
	require.Equal(t, []int64{1, 1, 1, 1}, []int64{got.Published, got.Rejected, got.Refused, got.Cut})
	require.Equal(t, []int64{7, 70, 9}, []int64{got.Queued, got.QueuedBytes, got.QueuedActions})
	require.Equal(t, Traffic{1, 100}, got.Logged)
	require.Equal(t, int64(1), got.Waited.Count)
	require.Equal(t, "open", got.Methods[1].Method)
	require.Equal(t, int64(1), got.Methods[1].Failed)
	require.Zero(t, c.Read().Queued, "the longest queues begin anew")
}

func TestSpreadsAreAtMostAQuarterOff(t *testing.T) {
	var h Histogram
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Millisecond)
	}
	before := h.Read()
	require.Equal(t, int64(1000), before.Count)
	for _, c := range []struct{ got, want time.Duration }{
		{before.Half, 500 * time.Millisecond}, {before.Most, 990 * time.Millisecond}, {before.Longest, time.Second},
	} {
		require.GreaterOrEqual(t, c.got, c.want)
		require.LessOrEqual(t, c.got, c.want*5/4)
	}
	h.add(time.Hour)
	require.Equal(t, int64(1), h.Read().Since(before).Count)
	require.GreaterOrEqual(t, h.Read().Since(before).Half, time.Hour)
	for _, d := range []time.Duration{-1, 0, 1, 3, 4, 5, 1<<63 - 1} {
		b := bucket(d)
		require.True(t, least(b) <= max(d, 0) && b < 256, "%d in bucket %d", d, b)
	}
}

func TestSeveralObserversSeeEachEvent(t *testing.T) {
	seen := 0
	count := Func(func(rpc.Event) { seen++ })
	All(count, nil, count).Observe(rpc.Event{})
	All(count).Observe(rpc.Event{})
	require.Equal(t, 3, seen)
	require.Nil(t, All(nil, nil))
}

func TestMessagesAreCountedTheSameWithoutEvents(t *testing.T) {
	var by, without Counts
	for _, e := range []rpc.Event{
		{Kind: rpc.Notification, Method: "note", Known: true, Size: 5, Latency: time.Millisecond, Queued: 7, QueuedBytes: 70},
		{Kind: rpc.Notification, Method: "note", Known: true, Size: 6},
		{Kind: rpc.Request, Method: "open", Known: true, Size: 7},
		{Kind: rpc.Failure, Method: "made-up", Size: 8, Latency: time.Second, Code: 1},
		{Size: 9},
		{Kind: rpc.Notification, Method: "note", Known: true, Size: 10},
	} {
		e.Type = rpc.EventSent
		by.Observe(e)
		without.CountSent(rpc.Sent{Kind: e.Kind, Method: e.Method, Known: e.Known, Size: e.Size, Latency: e.Latency, Queued: e.Queued, QueuedBytes: e.QueuedBytes})
	}
	got := without.Read()
	require.Equal(t, by.Read(), got)
	require.Equal(t, Traffic{6, 45}, got.Sent)
	require.Equal(t, int64(3), got.Methods[slices.IndexFunc(got.Methods, func(m MethodFigure) bool { return m.Method == "note" })].Sent)
}

// tracer traces nothing.
type tracer struct{ rpc.Tracer }

func (tracer) Observe(rpc.Event) {}

func TestSeveralObserversTraceIfOneDoes(t *testing.T) {
	first := tracer{}
	all, ok := All(new(Counts), first, tracer{}).(rpc.Tracer)
	require.True(t, ok)
	require.Equal(t, rpc.Tracer(first), all.(tracing).Tracer)
	all.Observe(rpc.Event{})
	_, ok = All(new(Counts), new(Counts)).(rpc.Tracer)
	require.False(t, ok)
}
