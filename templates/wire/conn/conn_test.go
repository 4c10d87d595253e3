// What a kept connection decides by itself. How it keeps one is tested where there is a protocol, in generated/ahp.

package conn

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func TestWaitsGrowAndDiffer(t *testing.T) {
	c := &Conn{options: Options{MinWait: 100 * time.Millisecond, MaxWait: time.Second}}
	for attempt, most := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 3: 400 * time.Millisecond, 4: 800 * time.Millisecond, 5: time.Second, 1_000_000: time.Second,
	} {
		seen := map[time.Duration]bool{}
		for range 100 {
			wait := c.wait(attempt)
			require.LessOrEqual(t, wait, most)
			require.GreaterOrEqual(t, wait, most/2-1)
			seen[wait] = true
		}
		require.Greater(t, len(seen), 10, "clients would come back all at once")
	}
}

func TestAnIdentityUsesNoNumberTwice(t *testing.T) {
	a, n := Identity("", 0)
	b, _ := Identity("", 0)
	require.NotEqual(t, a, b)
	require.Zero(t, n, "nobody has used any")

	id, n := Identity("stored", 41)
	require.Equal(t, "stored", id)
	require.Equal(t, int64(41), n)

	_, first := Identity("stored", 0)
	time.Sleep(time.Millisecond)
	_, second := Identity("stored", 0)
	require.Greater(t, second, first, "a later process")
	require.Less(t, second, int64(1)<<53, "as JSON has it exactly")
}

func TestHostsAreKeptByName(t *testing.T) {
	var h Hosts[int]
	_, ok := h.Of("a")
	require.False(t, ok)
	h.Set("b", 2)
	h.Set("a", 1)
	h.Set("a", 3)
	n, ok := h.Of("a")
	require.True(t, ok)
	require.Equal(t, 3, n)
	require.Equal(t, []string{"a", "b"}, h.Names())
	h.Remove("a")
	require.Equal(t, []string{"b"}, h.Names())
	require.NotEqual(t, Place{"a", "x"}, Place{"b", "x"})
}

func TestBadItemsNameWhatTheyWereAbout(t *testing.T) {
	other := errors.New("other")
	_, err := Salvage(other, "channel")
	require.Equal(t, other, err)
	channels, err := Salvage(&rpc.ItemsError{Items: []rpc.BadItem{
		{Raw: []byte(`{"channel":"a","x":1}`)}, {Raw: []byte(`{"resource":"b"}`)}, {Raw: []byte(`5`)},
	}}, "channel", "resource")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, channels)
}
