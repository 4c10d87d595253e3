package shared_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// TestReadingAKeyOfMemoryCostsWhatTheKeyHas, and not what others have: a server that trims reads many keys, one by one.
func TestReadingAKeyOfMemoryCostsWhatTheKeyHas(t *testing.T) {
	var m shared.Memory
	for i := range 10_000 {
		_, err := m.Append(t.Context(), shared.Batch{Records: []shared.Record{{Key: fmt.Sprint(i)}}})
		require.NoError(t, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read := 0
	for i := range 100 {
		require.NoError(t, m.Read(t.Context(), fmt.Sprint(i), 0, func(r shared.Record) error {
			require.EqualValues(t, i+1, r.Number)
			read++
			return nil
		}))
	}
	runtime.ReadMemStats(&after)
	require.Equal(t, 100, read)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*10_000))
}
