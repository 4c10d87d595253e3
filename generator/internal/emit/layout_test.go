package emit

import (
	"fmt"
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatWasLaidOutBeforeIsTheSame lays text out again, with so much else in between that it is forgotten now and then.
func TestWhatWasLaidOutBeforeIsTheSame(t *testing.T) {
	l := layouts{most: 300}
	kept := 0
	for i := range 20 {
		text := fmt.Sprintf("\n\n// F%d is one.\nfunc  F%[1]d( ) int { return %[1]d}\nfunc (x  T) G() { }\n", i%3)
		want, err := format.Source([]byte("package p\n" + text))
		require.NoError(t, err)
		for range 2 {
			got, err := l.format([]byte(text))
			require.NoError(t, err)
			require.Equal(t, strings.TrimPrefix(string(want), "package p\n\n"), string(got.text))
		}
		_, err = l.format(fmt.Appendf(nil, "var i%d int\n", i))
		require.NoError(t, err)
		require.LessOrEqual(t, l.size, l.most)
		kept = max(kept, len(l.known))
	}
	require.Greater(t, kept, 3)
	_, err := l.format([]byte("func"))
	require.ErrorContains(t, err, "lay out")
}
