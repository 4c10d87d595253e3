package flags

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPartOfTheTestsTriesAll(t *testing.T) {
	for _, value := range []string{"0/3", "4/3", "1/0", "2", "most", "1/3x", "1/3 2", "-1/3", "1/"} {
		_, err := asks(value, "TestA")
		require.EqualError(t, err, "AHPGEN_TESTS="+value+": want all, or a part such as 2/3")
	}
	has := func(value, test string) bool {
		t.Helper()
		ok, err := asks(value, test)
		require.NoError(t, err)
		return ok
	}
	require.False(t, has("", "TestA"))
	require.True(t, has("all", "TestA"))
	count := [3]int{}
	for i := range 300 {
		parts := 0
		for part := range 3 {
			if has(fmt.Sprintf("%d/3", part+1), fmt.Sprintf("Test%d", i)) {
				count[part]++
				parts++
			}
		}
		require.Equal(t, 1, parts, "each test is in one part")
	}
	for _, n := range count {
		require.Greater(t, n, 60, "the parts are alike: %v", count)
	}
}
