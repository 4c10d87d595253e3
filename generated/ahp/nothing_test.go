// Nothing: what becomes of nil and of nil pointers where a state, an action or a message should be.

package ahp_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

func channelStates() []ahp.SnapshotState {
	return []ahp.SnapshotState{
		&ahp.RootState{}, &ahp.SessionState{}, &ahp.ChatState{}, &ahp.TerminalState{}, &ahp.ChangesetState{},
		&ahp.AnnotationsState{}, &ahp.ResourceWatchState{}, &ahp.CanvasState{}, &ahp.AutomationState{}, &ahp.AutomationRunState{},
	}
}

// nilOf is a nil pointer of the type of a variant.
func nilOf[T any](variant T) T {
	return reflect.Zero(reflect.TypeOf(variant)).Interface().(T)
}

func TestAnActionThatIsNilChangesNoState(t *testing.T) {
	var r ahp.Reducer
	actions := []ahp.StateAction{nil, (*ahp.UnknownStateAction)(nil)}
	for _, info := range ahp.Actions() {
		actions = append(actions, nilOf(info.New()))
	}
	for _, state := range channelStates() {
		for _, action := range actions {
			require.Same(t, state, r.Apply(state, action), "%T %T", state, action)
		}
	}
}

func TestAStateThatIsNilStaysNil(t *testing.T) {
	var r ahp.Reducer
	require.Nil(t, r.Apply(nil, title("x")))
	for _, state := range channelStates() {
		for _, info := range ahp.Actions() {
			require.True(t, reflect.ValueOf(r.Apply(nilOf(state), info.New())).IsNil(), "%T %s", state, info.Type)
		}
	}
}

func TestNilPointersAreErrorsToEncode(t *testing.T) {
	var all []wire.Appender
	for _, info := range ahp.Actions() {
		all = append(all, nilOf(info.New()))
	}
	for _, state := range channelStates() {
		all = append(all, nilOf(state))
	}
	all = append(all, (*ahp.UnknownStateAction)(nil), (*ahp.ActionEnvelope)(nil), (*rpc.Message)(nil))
	for _, v := range all {
		out, err := v.AppendJSON([]byte("before"))
		require.Error(t, err, "%T", v)
		require.Equal(t, "before", string(out), "%T", v)
	}
	_, err := (&ahp.ActionEnvelope{Action: (*ahp.ChatDeltaAction)(nil)}).AppendJSON(nil)
	require.ErrorContains(t, err, "action: missing")
}

func TestNilPointersAreNotSent(t *testing.T) {
	client := ahp.NewHostConn(rpc.Local(&ahp.HostHandlers{}))
	ctx := context.Background()
	older, err := client.AtVersion("1.0.0")
	require.NoError(t, err)
	require.Error(t, client.DispatchAction(ctx, nil))
	for _, action := range []ahp.ClientAction{nil, (*ahp.SessionTitleChangedAction)(nil), (*ahp.UnknownStateAction)(nil)} {
		require.Error(t, client.DispatchAction(ctx, &ahp.DispatchActionParams{Channel: sessionURI, Action: action}))
		require.Error(t, older.DispatchAction(ctx, &ahp.DispatchActionParams{Channel: sessionURI, Action: action}))
	}
}

func TestAStoreTakesNothingFromNil(t *testing.T) {
	s := newStore(t)
	none := (*ahp.SessionTitleChangedAction)(nil)
	for _, action := range []ahp.ClientAction{nil, none} {
		_, err := s.Dispatch(sessionURI, action)
		require.ErrorIs(t, err, state.ErrForeignAction)
	}
	require.Equal(t, state.UnknownChannel, s.Receive(nil))
	for i, action := range []ahp.StateAction{nil, none} {
		require.Equal(t, state.Applied, s.Receive(fromHost(sessionURI, int64(11+i), action)))
	}
	s.Await(chatURI)
	require.Equal(t, state.Held, s.Receive(fromHost(chatURI, 13, none)))
	require.ErrorIs(t, s.Subscribe(nil), state.ErrNoState)
	for _, none := range []ahp.SnapshotState{nil, (*ahp.SessionState)(nil)} {
		require.ErrorIs(t, s.Subscribe(&ahp.Snapshot{Resource: chatURI, State: none, FromSeq: 20}), state.ErrNoState)
		_, err := s.Reset([]ahp.Snapshot{{Resource: chatURI, State: none, FromSeq: 20}})
		require.ErrorIs(t, err, state.ErrNoState)
	}
	for _, result := range []ahp.ReconnectResult{nil, (*ahp.ReconnectReplayResult)(nil), (*ahp.ReconnectSnapshotResult)(nil)} {
		_, err := s.Reconnected(result)
		require.Error(t, err)
	}
	wantTitles(t, s, "start", "start", 0)
}

func TestAStoreSaysWhenItKeepsNoMoreAndASnapshotPutsItRight(t *testing.T) {
	s := newStore(t)
	s.Await(chatURI)
	large := strings.Repeat("x", 6<<20)
	outcomes := []state.Outcome{}
	for i := range 4 {
		outcomes = append(outcomes, s.Receive(fromHost(chatURI, int64(11+i), &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: large})))
	}
	require.Equal(t, []state.Outcome{state.Held, state.Held, state.Overflowed, state.Held}, outcomes)
	snapshot := &ahp.Snapshot{Resource: chatURI, State: &ahp.ChatState{}, FromSeq: 12}
	require.ErrorIs(t, s.Subscribe(snapshot), state.ErrSnapshotTooOld)
	_, ok := s.Chat(chatURI)
	require.False(t, ok)
	snapshot.FromSeq = 13
	require.NoError(t, s.Subscribe(snapshot))
	_, ok = s.Chat(chatURI)
	require.True(t, ok)
}

func TestAStoreShowsLittleOfTheChannelOfASnapshot(t *testing.T) {
	err := newStore(t).Subscribe(&ahp.Snapshot{Resource: strings.Repeat("\x1b[31m", 1<<17)})
	require.ErrorIs(t, err, state.ErrNoState)
	require.Less(t, len(err.Error()), 1000)
	require.NotContains(t, err.Error(), "\x1b")
}
