// The channels of the protocol, as the tests of the reducers go through them.

package ahp_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// channel is one kind of state, without its Go type.
type channel struct {
	name   string // how the fixtures call it; also the prefix of its actions
	state  string // the schema of its state
	decode func([]byte) (wire.Appender, error)
	reduce func(*ahp.Reducer, wire.Appender, ahp.StateAction) wire.Appender // the one under test
}

var channels = append([]channel{
	newChannel("root", "RootState", ahp.Decode[ahp.RootState], (*ahp.Reducer).Root),
	newChannel("session", "SessionState", ahp.Decode[ahp.SessionState], (*ahp.Reducer).Session),
	newChannel("chat", "ChatState", ahp.Decode[ahp.ChatState], (*ahp.Reducer).Chat),
	newChannel("terminal", "TerminalState", ahp.Decode[ahp.TerminalState], (*ahp.Reducer).Terminal),
	newChannel("changeset", "ChangesetState", ahp.Decode[ahp.ChangesetState], (*ahp.Reducer).Changeset),
	newChannel("annotations", "AnnotationsState", ahp.Decode[ahp.AnnotationsState], (*ahp.Reducer).Annotations),
	newChannel("resourceWatch", "ResourceWatchState", ahp.Decode[ahp.ResourceWatchState], (*ahp.Reducer).ResourceWatch),
}, versionChannels...)

func newChannel[S wire.Appender, A ahp.StateAction](name, state string, decode func([]byte) (S, error), reduce func(*ahp.Reducer, S, A) S) channel {
	return channel{
		name, state,
		func(data []byte) (wire.Appender, error) { return decode(data) },
		func(r *ahp.Reducer, s wire.Appender, a ahp.StateAction) wire.Appender { return reduce(r, s.(S), a.(A)) },
	}
}

func channelOf(tb testing.TB, name string) channel {
	tb.Helper()
	i := slices.IndexFunc(channels, func(c channel) bool { return c.name == name })
	require.GreaterOrEqual(tb, i, 0, "no channel %s", name)
	return channels[i]
}

// newState and newAction read a value as it would come over the wire.

func newState(tb testing.TB, c channel, o jsonObject) wire.Appender {
	tb.Helper()
	data := marshal(tb, o)
	s, err := c.decode(data)
	if err != nil {
		tb.Fatalf("%s: %v\n%s", c.state, err, data)
	}
	return s
}

func newAction(tb testing.TB, o jsonObject) ahp.StateAction {
	tb.Helper()
	data := marshal(tb, o)
	a, err := ahp.DecodeStateAction(data)
	if err != nil {
		tb.Fatalf("%v\n%s", err, data)
	}
	return a
}

func marshal(tb testing.TB, v any) []byte {
	tb.Helper()
	data, err := json.Marshal(v)
	require.NoError(tb, err)
	return data
}

// encode encodes a value that is known to be right.
func encode(tb testing.TB, v wire.Appender) []byte {
	tb.Helper()
	data, err := v.AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
