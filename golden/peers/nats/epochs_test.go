// Hosts of a log that has another epoch.

package nats

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	log "github.com/ahpgen/ahpgen/generated/wire/jetstream"
)

// TestHostsGoOnInANewEpoch: what they read, to answer clients that reconnect, is of the former one.
func TestHostsGoOnInANewEpoch(t *testing.T) {
	c := start(t, 1)
	open := func() *log.Log {
		l, err := log.Open(t.Context(), c.dial(t, &wire{}), &log.Options{Name: "ahp", Idle: 100 * time.Millisecond})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		return l
	}
	host := func(l *log.Log) *ahp.Server {
		started := make(chan *ahp.Server, 1)
		go func() {
			s, err := ahp.NewServer(&ahp.ServerOptions{Shared: l, OwnLists: true})
			if err != nil {
				t.Error(err)
			}
			started <- s
		}()
		select {
		case s := <-started:
			t.Cleanup(func() { _ = s.Close() })
			return s
		case <-time.After(30 * time.Second):
			require.FailNow(t, "a host does not start")
			return nil
		}
	}
	const channel = "ahp-session:/1/annotations"
	admin := open()
	a := host(open())
	require.NoError(t, a.OpenChannel(channel, &ahp.AnnotationsState{Annotations: []ahp.Annotation{}}))
	before := a.Sequence()
	for range 2 {
		_, err := admin.NewEpoch(t.Context())
		require.NoError(t, err)
		b := host(open())
		require.Greater(t, b.Sequence(), before)
		for _, s := range []*ahp.Server{a, b} {
			require.Eventually(t, func() bool { return s.Sequence() > before }, 30*time.Second, 10*time.Millisecond, "it does not notice")
			limit, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			require.NoError(t, s.Ready(limit))
			cancel()
			_, ok := s.State(channel)
			require.True(t, ok)
		}
		before = b.Sequence()
		require.NoError(t, b.Publish(channel, note("kept")))
	}
	c.copy(t, "now", "copy")
	for range 20 {
		require.NoError(t, a.Publish(channel, note("lost")))
	}
	want := a.Sequence()
	c.copy(t, "copy", "now")
	for _, s := range []*ahp.Server{a, host(open())} {
		require.Eventually(t, func() bool { return s.Sequence() > want }, 30*time.Second, 10*time.Millisecond, "it does not notice")
		now, ok := s.State(channel)
		require.True(t, ok)
		require.Len(t, now.(*ahp.AnnotationsState).Annotations, 1, "kept alone")
		require.NoError(t, s.Publish(channel, note("kept")))
	}
}

func note(id string) *ahp.AnnotationsSetAction {
	return &ahp.AnnotationsSetAction{Annotation: ahp.Annotation{
		ID: id, Origin: ahp.AnnotationOrigin{Session: "ahp-session:/1"}, Resource: "file:///a.go",
		Entries: []ahp.AnnotationEntry{{ID: id, Text: ahp.StringOrMarkdownString(id)}},
	}}
}
