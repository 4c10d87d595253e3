// The reducers held against the fixtures of the protocol's own reducers, which the corpus brings.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// reduction is a fixture: a state, actions, and the state they lead to. A null stands for a member that
// is not there.
type reduction struct {
	Description string
	Reducer     string
	Initial     json.RawMessage
	Actions     []json.RawMessage
	Expected    json.RawMessage
}

// channelReducers run a fixture on a channel each.
var channelReducers = map[string]func(*testing.T, reduction){
	"root":          replay(ahp.Decode[ahp.RootState], (*ahp.Reducer).Root),
	"session":       replay(ahp.Decode[ahp.SessionState], (*ahp.Reducer).Session),
	"chat":          replay(ahp.Decode[ahp.ChatState], (*ahp.Reducer).Chat),
	"terminal":      replay(ahp.Decode[ahp.TerminalState], (*ahp.Reducer).Terminal),
	"changeset":     replay(ahp.Decode[ahp.ChangesetState], (*ahp.Reducer).Changeset),
	"annotations":   replay(ahp.Decode[ahp.AnnotationsState], (*ahp.Reducer).Annotations),
	"resourceWatch": replay(ahp.Decode[ahp.ResourceWatchState], (*ahp.Reducer).ResourceWatch),
}

func TestReducersFollowTheFixtures(t *testing.T) {
	seen := map[string]bool{}
	for name, f := range instances[reduction](t, protocolVersion, "reducers") {
		require.Contains(t, channelReducers, f.Reducer, name)
		seen[f.Reducer] = true
		t.Run(name, func(t *testing.T) { channelReducers[f.Reducer](t, f) })
	}
	require.Len(t, seen, len(channelReducers), "the corpus has lost the fixtures of a channel")
}

// replay returns a function that applies the actions of a fixture one by one and compares the state they
// lead to. No action may change a state that was there before it, nor be changed itself.
func replay[S wire.Appender, A ahp.StateAction](decode func([]byte) (S, error), reduce func(*ahp.Reducer, S, A) S) func(*testing.T, reduction) {
	return func(t *testing.T, f reduction) {
		state, err := decode(withoutNulls(t, f.Initial))
		require.NoError(t, err)
		require.Equal(t, parsed(t, withoutNulls(t, f.Initial)), parsed(t, encode(t, state)), "decoding loses something")

		r := &ahp.Reducer{Now: fixtureClock}
		met, were := []wire.Appender{state}, [][]byte{encode(t, state)}
		for _, data := range f.Actions {
			action, err := ahp.DecodeStateAction(withoutNulls(t, data))
			require.NoError(t, err)
			require.Implements(t, (*A)(nil), action)
			met, were = append(met, action), append(were, encode(t, action))
			state = reduce(r, state, action.(A))
			met, were = append(met, state), append(were, encode(t, state))
		}

		require.Equal(t, parsed(t, withoutNulls(t, f.Expected)), parsed(t, encode(t, state)), f.Description)
		for i := range met {
			require.Equal(t, string(were[i]), string(encode(t, met[i])), "written to while another state was made")
		}
	}
}

// withoutNulls removes the members that are null, at every depth, and writes whole numbers as such.
func withoutNulls(t *testing.T, data []byte) []byte {
	t.Helper()
	var strip func(v any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if member == nil {
					delete(v, name)
				} else {
					v[name] = strip(member)
				}
			}
		case []any:
			for i, item := range v {
				v[i] = strip(item)
			}
		case json.Number:
			if n, ok := new(big.Rat).SetString(v.String()); ok && n.IsInt() {
				return json.Number(n.Num().String())
			}
		}
		return v
	}
	out, err := json.Marshal(strip(parsed(t, data)))
	require.NoError(t, err)
	return out
}

// parsed reads a value and keeps its numbers as they are written.
func parsed(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v), "%s", data)
	return v
}
