package emit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

func TestAccessorsAreLookedForInEachUnionOnce(t *testing.T) {
	// Each pair of unions is in both of the next pair: 2⁴⁰ ways lead to the outermost.
	const levels = 40
	outer := []*golang.Union{{Accessors: []golang.Accessor{{Name: "Title"}}}}
	for range levels {
		outer = []*golang.Union{{Parents: outer}, {Parents: outer}}
	}
	require.True(t, inherited(outer[0], golang.Accessor{Name: "Title"}))
	require.False(t, inherited(outer[0], golang.Accessor{Name: "Body"}))
}
