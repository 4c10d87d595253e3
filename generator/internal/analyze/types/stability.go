// Stability: the stability that schemas state for their parts.

package types

import (
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// stability returns what the first of some schemas states. Malformed statements are reported elsewhere.
func stability(said ...*schema.Schema) protocol.Stability {
	for _, s := range said {
		if n := s.Extension("x-stability"); n != nil {
			return protocol.Stability(n.Text)
		}
	}
	return ""
}
