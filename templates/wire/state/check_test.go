package state_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/state"
)

// tally is a state, and an action as well.
type tally struct {
	wire.Encodable
	counts []int
}

func (t *tally) AppendJSON(b []byte) ([]byte, error) {
	for _, n := range t.counts {
		b = strconv.AppendInt(append(b, ' '), int64(n), 10)
	}
	return b, nil
}

func TestAReducerUnderTest(t *testing.T) {
	calls := 0
	for want, apply := range map[string]func(s, a *tally) *tally{
		"": func(s, a *tally) *tally { return &tally{counts: []int{s.counts[0] + a.counts[0]}} },
		"writes to the state: it was  1, and is  5": func(s, a *tally) *tally {
			s.counts[0] = 5
			return &tally{counts: []int{7}}
		},
		"writes to the action": func(s, a *tally) *tally {
			a.counts[0]++
			return &tally{counts: []int{7}}
		},
		"the same action comes to  1, and then to  2": func(s, a *tally) *tally {
			calls++
			return &tally{counts: []int{calls}}
		},
		"returns a copy where nothing changes": func(s, a *tally) *tally { return &tally{counts: []int{1}} },
	} {
		next, err := state.Check(apply, &tally{counts: []int{1}}, &tally{counts: []int{2}})
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, []int{3}, next.counts)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	same, err := state.Check(func(s, _ *tally) *tally { return s }, &tally{counts: []int{1}}, &tally{})
	require.NoError(t, err)
	require.Equal(t, []int{1}, same.counts)
}
