// Distances between words, and the nearest of some.

package similar_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/similar"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 1}, {"requierd", "required", 1}, {"abcd", "badc", 2}, {"abc", "cab", 2}, {"ca", "abc", 3},
	} {
		require.Equal(t, c.want, similar.Distance(c.a, c.b, 100), "%q, %q", c.a, c.b)
		require.Equal(t, c.want, similar.Distance(c.b, c.a, 100), "%q, %q", c.b, c.a)
	}
}

// A limit changes nothing about distances below it.
func TestDistanceWithinALimit(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "required", "requierd", "rquired", "properties", "propertys", "additionalProperties"}
	for _, a := range words {
		for _, b := range words {
			for limit := range 6 {
				require.Equal(t, min(limit, similar.Distance(a, b, 100)), similar.Distance(a, b, limit), "%q, %q, %d", a, b, limit)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"schemas", "profile", "out"}
	require.Equal(t, "schemas", similar.Nearest("schema", words))
	require.Equal(t, "profile", similar.Nearest("Porfile", words))
	require.Empty(t, similar.Nearest("x", words))
	require.Equal(t, `did you mean "out"?`, similar.DidYouMean("outt", words, "no"))
	require.Equal(t, "no", similar.DidYouMean("out", words, "no"), "the word itself is no advice")
}
