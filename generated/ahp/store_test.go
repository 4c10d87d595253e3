// The store on the states and messages of the protocol: what protocol and store owe each other, each in a test.

package ahp_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

const (
	sessionURI = "ahp-session:/1"
	chatURI    = "ahp-chat:/1"
)

// newStore subscribes client "me" to a session at sequence 10.
func newStore(t *testing.T) *ahp.Store {
	t.Helper()
	s := ahp.NewStore("me", nil)
	require.NoError(t, s.Subscribe(&ahp.Snapshot{Resource: sessionURI, State: &ahp.SessionState{Title: "start"}, FromSeq: 10}))
	return s
}

func title(text string) *ahp.SessionTitleChangedAction {
	return &ahp.SessionTitleChangedAction{Title: text}
}

// fromHost is an envelope with an action of the host's own.
func fromHost(channel string, sequence int64, action ahp.StateAction) *ahp.ActionEnvelope {
	return &ahp.ActionEnvelope{Channel: channel, Action: action, ServerSeq: sequence}
}

// echoOf is the envelope that brings an action back.
func echoOf(sequence int64, p *ahp.DispatchActionParams) *ahp.ActionEnvelope {
	e := fromHost(p.Channel, sequence, p.Action)
	e.Origin = &ahp.ActionOrigin{ClientID: "me", ClientSeq: p.ClientSeq}
	return e
}

func rejected(e *ahp.ActionEnvelope, reason string) *ahp.ActionEnvelope {
	e.RejectionReason = &reason
	return e
}

func dispatch(t *testing.T, s *ahp.Store, channel string, action ahp.ClientAction) *ahp.DispatchActionParams {
	t.Helper()
	params, err := s.Dispatch(channel, action)
	require.NoError(t, err)
	return params
}

// wantTitles compares the titles of the session.
func wantTitles(t *testing.T, s *ahp.Store, confirmed, optimistic string, pending int) {
	t.Helper()
	v, ok := s.Session(sessionURI)
	require.True(t, ok)
	require.Equal(t, []any{confirmed, optimistic, pending}, []any{v.Confirmed.Title, v.Optimistic.Title, v.Pending})
	if pending == 0 {
		require.Same(t, v.Confirmed, v.Optimistic)
	}
}

func TestStoreSubscribeTakesASnapshotWithItsSequence(t *testing.T) {
	s := newStore(t)
	wantTitles(t, s, "start", "start", 0)
	require.Equal(t, state.Stale, s.Receive(fromHost(sessionURI, 10, title("old"))))
	require.Equal(t, state.Applied, s.Receive(fromHost(sessionURI, 11, title("new"))))
	wantTitles(t, s, "new", "new", 0)
	require.Equal(t, []string{sessionURI}, s.Subscriptions())
	require.Equal(t, int64(11), s.LastSeen())
}

func TestStoreDispatchReturnsWhatToSend(t *testing.T) {
	s := newStore(t)
	first, second := dispatch(t, s, sessionURI, title("a")), dispatch(t, s, sessionURI, title("b"))
	require.JSONEq(t, `{"channel":"ahp-session:/1","clientSeq":1,"action":{"type":"session/titleChanged","title":"a"}}`, string(encode(t, first)))
	require.Equal(t, int64(2), second.ClientSeq)
	wantTitles(t, s, "start", "b", 2)
}

func TestStoreOwnEchoIsConfirmed(t *testing.T) {
	s := newStore(t)
	p := dispatch(t, s, sessionURI, title("mine"))
	require.Equal(t, state.Confirmed, s.Receive(echoOf(11, p)))
	wantTitles(t, s, "mine", "mine", 0)
}

func TestStoreForeignActionsComeBeforePendingOnes(t *testing.T) {
	s := newStore(t)
	dispatch(t, s, sessionURI, title("mine"))
	theirs := fromHost(sessionURI, 11, title("theirs"))
	theirs.Origin = &ahp.ActionOrigin{ClientID: "you", ClientSeq: 1}
	require.Equal(t, state.Applied, s.Receive(theirs))
	wantTitles(t, s, "theirs", "mine", 1)
}

func TestStoreRejectionDropsTheActionAndGivesTheReason(t *testing.T) {
	s := newStore(t)
	p := dispatch(t, s, sessionURI, title("mine"))
	e := rejected(echoOf(11, p), "read only")
	require.Equal(t, state.Rejected, s.Receive(e))
	require.Equal(t, "read only", *e.RejectionReason)
	wantTitles(t, s, "start", "start", 0)
}

func TestStoreRoutesByTypeOfStateNotByURI(t *testing.T) {
	s := newStore(t)
	annotations := sessionURI + "/annotations" // the scheme is that of sessions
	require.NoError(t, s.Subscribe(&ahp.Snapshot{Resource: annotations, State: &ahp.AnnotationsState{}, FromSeq: 10}))
	_, isSession := s.Session(annotations)
	require.False(t, isSession)
	_, isAnnotations := s.Annotations(annotations)
	require.True(t, isAnnotations)
	_, err := s.Dispatch(annotations, title("x"))
	require.ErrorIs(t, err, state.ErrForeignAction)
	_, err = s.Dispatch(annotations, nil)
	require.ErrorIs(t, err, state.ErrForeignAction)
	_, err = s.Dispatch("ahp-session:/2", title("x"))
	require.ErrorIs(t, err, state.ErrNotSubscribed)
}

func TestStoreActionsOfOtherChannelsAndVersionsChangeNothing(t *testing.T) {
	s := newStore(t)
	before, _ := s.Session(sessionURI)
	require.Equal(t, state.Applied, s.Receive(fromHost(sessionURI, 11, &ahp.ChatDeltaAction{})))
	require.Equal(t, state.Applied, s.Receive(fromHost(sessionURI, 12, &ahp.UnknownStateAction{Type: "session/new", Raw: []byte(`{"type":"session/new"}`)})))
	after, _ := s.Session(sessionURI)
	require.Equal(t, before, after)
	require.Same(t, before.Confirmed, after.Confirmed)
	require.Equal(t, state.Stale, s.Receive(fromHost(sessionURI, 12, title("x"))), "it counts as seen")
}

func TestStoreReplayClearsPendingAndReportsWhatWasLost(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.Subscribe(&ahp.Snapshot{Resource: chatURI, State: &ahp.ChatState{}, FromSeq: 10}))
	arrived, refused, lost := dispatch(t, s, sessionURI, title("a")), dispatch(t, s, sessionURI, title("b")), dispatch(t, s, sessionURI, title("c"))
	result, err := s.Reconnected(&ahp.ReconnectReplayResult{
		Actions: []ahp.ActionEnvelope{*echoOf(11, arrived), *rejected(echoOf(12, refused), "no")},
		Missing: []string{chatURI},
	})
	require.NoError(t, err)
	require.Equal(t, []*ahp.DispatchActionParams{lost}, result.Lost)
	require.Equal(t, []string{chatURI}, result.Gone)
	require.Len(t, result.Rejected, 1)
	require.Equal(t, "no", *result.Rejected[0].RejectionReason)
	wantTitles(t, s, "a", "a", 0)
	require.Equal(t, []string{sessionURI}, s.Subscriptions())
	require.Equal(t, int64(12), s.LastSeen())
}

func TestStoreSnapshotsClearPendingAndResetStates(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.Subscribe(&ahp.Snapshot{Resource: chatURI, State: &ahp.ChatState{}, FromSeq: 10}))
	lost := dispatch(t, s, sessionURI, title("a"))
	result, err := s.Reconnected(&ahp.ReconnectSnapshotResult{Snapshots: []ahp.Snapshot{
		{Resource: sessionURI, State: &ahp.SessionState{Title: "fresh"}, FromSeq: 3},
	}})
	require.NoError(t, err)
	require.Equal(t, &ahp.Reconnection{Lost: []*ahp.DispatchActionParams{lost}, Gone: []string{chatURI}}, result)
	wantTitles(t, s, "fresh", "fresh", 0)
	require.Equal(t, int64(3), s.LastSeen())
}

func TestStoreRefusesSnapshotsWithoutAState(t *testing.T) {
	s := newStore(t)
	require.ErrorIs(t, s.Subscribe(nil), state.ErrNoState, "a channel without a state has no snapshot")
	require.ErrorIs(t, s.Subscribe(&ahp.Snapshot{Resource: "x:/1"}), state.ErrNoState)
	dispatch(t, s, sessionURI, title("a"))
	_, err := s.Reset([]ahp.Snapshot{{Resource: sessionURI, State: &ahp.SessionState{}}, {Resource: "x:/1"}})
	require.EqualError(t, err, "x:/1: the snapshot has no state")
	wantTitles(t, s, "start", "a", 1)
	_, err = s.Reconnected(nil)
	require.Error(t, err)
	wantTitles(t, s, "start", "a", 1)
}

func TestStoreAwaitHoldsEnvelopes(t *testing.T) {
	s := newStore(t)
	s.Await(chatURI)
	require.Equal(t, state.Held, s.Receive(fromHost(chatURI, 12, &ahp.ChatActivityChangedAction{Activity: ptr("later")})))
	require.NoError(t, s.Subscribe(&ahp.Snapshot{Resource: chatURI, State: &ahp.ChatState{}, FromSeq: 11}))
	v, ok := s.Chat(chatURI)
	require.True(t, ok)
	require.Equal(t, "later", *v.Confirmed.Activity)
	s.Unsubscribe(chatURI)
	require.Equal(t, state.UnknownChannel, s.Receive(fromHost(chatURI, 13, &ahp.ChatActivityChangedAction{})))
}

func TestStoreHasAViewForEveryChannel(t *testing.T) {
	s := ahp.NewStore("me", nil)
	states := map[string]ahp.SnapshotState{
		"root": &ahp.RootState{}, "session": &ahp.SessionState{}, "chat": &ahp.ChatState{}, "terminal": &ahp.TerminalState{},
		"changeset": &ahp.ChangesetState{}, "annotations": &ahp.AnnotationsState{}, "resourceWatch": &ahp.ResourceWatchState{},
		"canvas": &ahp.CanvasState{}, "automation": &ahp.AutomationState{}, "automationRun": &ahp.AutomationRunState{},
	}
	for uri, state := range states {
		require.NoError(t, s.Subscribe(&ahp.Snapshot{Resource: uri, State: state}))
	}
	views := map[string]func(string) (any, bool){
		"root": anyView(s.Root), "session": anyView(s.Session), "chat": anyView(s.Chat), "terminal": anyView(s.Terminal),
		"changeset": anyView(s.Changeset), "annotations": anyView(s.Annotations), "resourceWatch": anyView(s.ResourceWatch),
		"canvas": anyView(s.Canvas), "automation": anyView(s.Automation), "automationRun": anyView(s.AutomationRun),
	}
	require.Len(t, views, len(states))
	for kind, view := range views {
		for uri, state := range states {
			got, ok := view(uri)
			require.Equal(t, kind == uri, ok, "%s as %s", uri, kind)
			if ok {
				require.Same(t, state, got)
			}
		}
	}
	for _, c := range channels {
		require.Contains(t, states, c.name)
	}
}

func anyView[S any](view func(string) (state.View[S], bool)) func(string) (any, bool) {
	return func(uri string) (any, bool) {
		v, ok := view(uri)
		return v.Optimistic, ok
	}
}

// TestStoreServesAUserInterface is for the race detector: one goroutine draws, one dispatches, one is the connection.
func TestStoreServesAUserInterface(t *testing.T) {
	const rounds = 200
	s := newStore(t)
	views, stop := s.Watch(sessionURI)
	wire := make(chan *ahp.DispatchActionParams, rounds)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(wire)
		for range rounds {
			p, err := s.Dispatch(sessionURI, title("mine"))
			if err != nil {
				t.Error(err)
				return
			}
			wire <- p
		}
	})
	all.Go(func() {
		sequence := int64(10)
		for p := range wire {
			s.Receive(fromHost(sessionURI, sequence+1, title("theirs")))
			s.Receive(echoOf(sequence+2, p))
			sequence += 2
		}
		stop()
	})
	drawn := state.View[*ahp.SessionState]{}
	for view := range views {
		drawn, _ = state.ViewAs[*ahp.SessionState](view)
		if now, _ := s.Session(sessionURI); now.Pending < 0 || now.Optimistic == nil {
			t.Error("half a view")
		}
		if _, err := drawn.Optimistic.AppendJSON(nil); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	require.Equal(t, "mine", drawn.Optimistic.Title)
	require.Zero(t, drawn.Pending)
	wantTitles(t, s, "mine", "mine", 0)
}
