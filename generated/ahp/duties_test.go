// What the protocol demands of a host besides: names and states that fit, channels that nobody has left, answers that
// the host completes, and actions that are not answered.

package ahp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

func TestAStateFitsTheNameOfItsChannel(t *testing.T) {
	s, _ := hosting(t, nil)
	terminal := &ahp.TerminalState{Title: "sh", Content: []ahp.TerminalContentPart{}}
	for _, c := range []struct {
		name  string
		state ahp.SnapshotState
		want  error
	}{
		{"ahp-chat:/x", emptySession(), server.ErrForeignState},
		{"ahp-root://x", &ahp.RootState{}, server.ErrNoForm},
		{"ahp-root://", emptySession(), server.ErrChannelExists},
		{"bogus:/1", emptySession(), server.ErrNoForm},
		{"ahp-session:/", emptySession(), server.ErrNoForm},
		{"", emptySession(), server.ErrNoForm},
		{"ahp-session:/y/annotations", emptySession(), server.ErrForeignState},
		{"ahp-session:/y/annotations", &ahp.AnnotationsState{Annotations: []ahp.Annotation{}}, nil},
		{"ahp-session:/y", &ahp.AnnotationsState{}, server.ErrForeignState},
		{"ahp-session:/y", emptySession(), nil},
		{"ahp-otlp:logs", emptySession(), server.ErrForeignState},
		{"ahp-session:/t", terminal, server.ErrForeignState},
	} {
		require.ErrorIs(t, s.OpenChannel(c.name, c.state), c.want, c.name)
	}
	require.ErrorIs(t, s.OpenStateless("bogus:/1"), server.ErrNoForm)
	require.NoError(t, s.OpenStateless("ahp-otlp:logs"))
}

func TestAHostHearsWhenTheLastSubscriberHasLeft(t *testing.T) {
	empty := make(chan string, 10)
	var s *ahp.Server
	s, _ = hosting(t, &ahp.ServerOptions{Empty: func(channel string) {
		if channel == watchChannel {
			if s.CloseEmpty(channel) != nil {
				return
			}
		}
		empty <- channel
	}})
	require.NoError(t, s.OpenChannel(watchChannel, &ahp.ResourceWatchState{Root: "file:///x"}))
	first, second := come(t, s, ""), come(t, s, "")
	first.says(introduces("a", watchChannel, sessionChannel))
	first.hearsLine()
	second.says(introduces("b", watchChannel))
	second.hearsLine()
	require.ErrorIs(t, s.CloseEmpty(watchChannel), server.ErrSubscribed)
	second.says(`{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"ahp-resource-watch:/w"}}`)
	require.Eventually(t, func() bool { return s.Subscribers(watchChannel) == 1 }, time.Minute, time.Millisecond)
	require.Empty(t, empty)
	require.NoError(t, first.net.Close())
	require.ElementsMatch(t, []string{watchChannel, sessionChannel}, []string{<-empty, <-empty})
	require.ErrorIs(t, s.CloseEmpty(watchChannel), server.ErrNoChannel)
	second.says(`{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"ahp-resource-watch:/w"}}`)
	second.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32008,"message":"NotFound"}}`)
}

func TestAHostCompletesWhatSubscribeAnswers(t *testing.T) {
	s, _ := hosting(t, &ahp.ServerOptions{
		Subscribed: func(_ context.Context, c *server.Client, p *ahp.SubscribeParams, r *ahp.SubscribeResult) error {
			if c.Principal().Name == "eve" {
				return errors.New("not now")
			}
			if p.View != nil {
				small := *r.Snapshot.State.(*ahp.SessionState)
				small.Title = "in short"
				r.Snapshot.State = &small
			}
			return nil
		},
	})
	const asks = `{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"ahp-session:/s","view":{}}}`
	eve := come(t, s, "eve")
	eve.says(introduces("e"), asks)
	eve.hearsLine()
	eve.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"not now"}}`)
	require.Zero(t, s.Subscribers(sessionChannel))
	alice := come(t, s, "alice")
	alice.says(introduces("a"), asks)
	alice.hearsLine()
	require.Contains(t, alice.hearsLine(), `"title":"in short"`)
	require.Equal(t, 1, s.Subscribers(sessionChannel))
	now, _ := s.State(sessionChannel)
	require.Equal(t, "t", now.(*ahp.SessionState).Title)
}

// TestAnActionOnASessionThatThereIsNotIsNotAnswered: and takes no number either.
func TestAnActionOnASessionThatThereIsNotIsNotAnswered(t *testing.T) {
	s, _ := hosting(t, &ahp.ServerOptions{Limits: countingOn()})
	c := come(t, s, "")
	c.says(introduces("c1"))
	c.hearsLine()
	for _, action := range []string{`{"type":"session/titleChanged","title":"x"}`, `5`} {
		c.says(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/none","clientSeq":1,"action":` + action + `}}`)
	}
	c.says(retitles(2, "here"))
	c.hears(told(echoed(1, 2, "c1", "here")))
}
