// Test of which edition of finished reducers is for a version.

package finished

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/version"
)

func TestTheNewestEditionThatIsNotNewerIsChosen(t *testing.T) {
	for _, c := range []struct {
		order    version.Order
		editions []string
		wanted   map[string]string
	}{
		{version.Numbers, []string{"0.4.0", "0.7.0", "0.10.0"}, map[string]string{
			"0.1.0": "0.4.0", "0.4.0": "0.4.0", "0.9.9": "0.7.0", "0.10.0-dev": "0.10.0", "1.0.0": "0.10.0",
		}},
		{version.Dates, []string{"2024-11-05", "2025-03-26", "2025-11-25"}, map[string]string{
			"2024-01-01": "2024-11-05", "2025-01-01": "2024-11-05", "2025-03-26": "2025-03-26", "2025-11-24": "2025-03-26", "2026-01-01": "2025-11-25",
		}},
		{version.Integers, []string{"2", "9", "10"}, map[string]string{"1": "2", "8": "2", "9": "9", "11": "10"}},
	} {
		for at, want := range c.wanted {
			choose, err := editionOf(c.order, at)
			require.NoError(t, err)
			require.Equal(t, want, c.editions[choose(c.editions)], at)
		}
	}
	choose, err := editionOf(version.Dates, "")
	require.NoError(t, err)
	require.Nil(t, choose)
	_, err = editionOf(version.Dates, "1.0.0")
	require.EqualError(t, err, `version "1.0.0" is not a date`)
}
