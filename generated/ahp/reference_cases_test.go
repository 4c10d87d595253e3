// The reference against cases of which it is known what comes out: what it says is only worth something if it passes
// them all.

package ahp_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// fixtureNow is the time in every case: 9999 ms.
const fixtureNow = "1970-01-01T00:00:09.999Z"

// fixture is a state, what happens to it, and the state that has to come out.
type fixture struct {
	name, channel     string
	initial, expected jsonObject
	actions           []jsonObject
}

func TestReferenceCases(t *testing.T) {
	all := cases(t)
	t.Logf("%d cases", len(all))
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			state := f.initial
			for _, action := range f.actions {
				state = refer(state, action, fixtureNow)
			}
			require.Empty(t, differences(f.expected, state))
		})
	}
}
