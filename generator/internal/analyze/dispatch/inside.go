// Inside: variants distinguished by a constant in a nested object.

package dispatch

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxInside is the maximum nesting depth of such constants.
const maxInside = 4

// maxLooks bounds the number of members examined.
const maxLooks = 10_000

// byInside returns the decision by the only path to a required text constant that differs in every variant. It is
// tried last. If several paths qualify, the second result says so.
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

// inside counts the examined members.
type inside struct{ looks int }

// paths returns the paths to constants in nested objects that are always present.
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

// alwaysObject returns the object a member always has, or nil.
func alwaysObject(f *protocol.Field) *protocol.Struct {
	if !f.Required || f.Nullable || f.Const != nil {
		return nil
	}
	return phase.StructOf(f.Type)
}

// insideAt returns the decision by the constants at a path, or nil if they do not distinguish the variants.
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

// constantsAt returns the values of the constant at a path, or nil if it is optional or not constant.
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
