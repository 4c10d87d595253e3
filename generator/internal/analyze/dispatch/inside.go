// Inside: variants that are told apart by a constant that stands in an object inside each of them.

package dispatch

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxInside is how many objects deep a constant may stand that tells variants apart.
const maxInside = 4

// maxLooks bounds how many members are looked at for such constants: objects inside objects can be very many.
const maxLooks = 10_000

// byInside finds the one path to a text that is required and constant in every variant, and another in each. Nothing that
// the variants have in themselves comes after it: it is tried where they cannot be told apart otherwise. If several paths
// would do, the second result says so.
func byInside(leaves []*protocol.Struct) (*protocol.Dispatch, string) {
	var found *protocol.Dispatch
	for _, path := range (&inside{}).paths(leaves[0], nil) {
		d := insideAt(leaves, path)
		switch {
		case d != nil && found != nil:
			return nil, fmt.Sprintf("both %q and %q would do", found.Inside(), d.Inside())
		case d != nil:
			found = d
		}
	}
	return found, ""
}

// inside counts the members that have been looked at.
type inside struct{ looks int }

// paths lists the ways to constants in objects inside one that are always there.
func (i *inside) paths(s *protocol.Struct, above []string) (out [][]string) {
	for _, f := range s.Fields {
		if i.looks++; i.looks > maxLooks || strings.Contains(f.Name, ".") {
			continue // in the latter case no path can name it
		}
		path := append(above[:len(above):len(above)], f.Name)
		if inner := alwaysObject(f); inner != nil && len(path) <= maxInside {
			out = append(out, i.paths(inner, path)...)
		} else if len(above) > 0 && len(constants(s, f.Name)) > 0 {
			out = append(out, path)
		}
	}
	return out
}

// alwaysObject is the object that a member always has, nil if it may have none or another value.
func alwaysObject(f *protocol.Field) *protocol.Struct {
	if !f.Required || f.Nullable || f.Const != nil {
		return nil
	}
	return phase.StructOf(f.Type)
}

// insideAt is the decision by the constants at the end of a path, nil if they do not tell all variants apart.
func insideAt(leaves []*protocol.Struct, path []string) *protocol.Dispatch {
	d := &protocol.Dispatch{Stated: true}
	taken := map[string]bool{}
	for _, leaf := range leaves {
		sign := protocol.Sign{Member: strings.Join(path, ".")}
		for _, v := range constantsAt(leaf, path) {
			if v.Kind != protocol.String || taken[v.Str] {
				return nil
			}
			taken[v.Str] = true
			sign.Is = append(sign.Is, v.Str)
		}
		if len(sign.Is) == 0 {
			return nil
		}
		d.Cases = append(d.Cases, &protocol.Case{Struct: leaf, Signs: []protocol.Sign{sign}})
	}
	return d
}

// constantsAt are the values that the member at the end of a path is limited to, nil if it is not, or may be missing.
func constantsAt(s *protocol.Struct, path []string) []protocol.Value {
	for _, name := range path[:len(path)-1] {
		f := s.Field(name)
		if f == nil {
			return nil
		}
		if s = alwaysObject(f); s == nil {
			return nil
		}
	}
	return constants(s, path[len(path)-1])
}
