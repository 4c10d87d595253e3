// Reconnecting with what no honest client sends. How clients reconnect is tested where there is a protocol, in generated/ahp.

package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManySubscriptionsHoldUpNobody has a client come back with many subscriptions after many actions: the lock is not held for long.
func TestManySubscriptionsHoldUpNobody(t *testing.T) {
	s := &Server[int, int]{}
	for i := range 10_000 {
		e := Envelope[int]{Channel: "elsewhere", Sequence: int64(i + 1), Origin: &Origin{Client: "c"}}
		s.window = append(s.window, remembered[int]{e, 1})
	}
	in := Resuming{Client: "c"}
	for i := range 200_000 {
		in.Subscriptions = append(in.Subscriptions, fmt.Sprintf("%09d", i)) // as long as the other name
	}
	began := time.Now()
	require.Equal(t, map[string]bool{"elsewhere": true}, (&handler[int, int]{server: s}).beside(t.Context(), in))
	require.Less(t, time.Since(began), 5*time.Second)
}
