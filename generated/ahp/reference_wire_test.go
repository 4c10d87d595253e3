// The channels of the protocol, as the tests of the reducers go through them.

package ahp_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp/wire"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// channel is one kind of state, without its Go type.
type channel struct {
	name   string // how the fixtures call it; also the prefix of its actions
	state  string // the schema of its state
	decode func([]byte) (wire.Appender, error)
}

var channels = []channel{
	newChannel("root", "RootState", ahp.Decode[ahp.RootState]),
	newChannel("session", "SessionState", ahp.Decode[ahp.SessionState]),
	newChannel("chat", "ChatState", ahp.Decode[ahp.ChatState]),
	newChannel("terminal", "TerminalState", ahp.Decode[ahp.TerminalState]),
	newChannel("changeset", "ChangesetState", ahp.Decode[ahp.ChangesetState]),
	newChannel("annotations", "AnnotationsState", ahp.Decode[ahp.AnnotationsState]),
	newChannel("resourceWatch", "ResourceWatchState", ahp.Decode[ahp.ResourceWatchState]),
}

func newChannel[S wire.Appender](name, state string, decode func([]byte) (S, error)) channel {
	return channel{name, state, func(data []byte) (wire.Appender, error) { return decode(data) }}
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
