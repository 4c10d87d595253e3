// General: an alternative whose tag may be any value, beside those that a constant tells apart.

package dispatch

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byGeneral returns the decision by a constant member that all structs but one have. That one requires the member without
// restricting it, so that every object has the tag; it is meant by all tags that are none of the constants. If several
// members would do, the second result says so. It is not for unions whose schema states the discriminator: then an alternative
// without a constant is probably a mistake.
func (b *builder) byGeneral(u *protocol.Union, leaves []*protocol.Struct, want string) (*protocol.Dispatch, string) {
	if b.Facts.Actions != nil && b.Facts.Actions.Union == u.Name {
		return nil, "" // each action has a type of its own
	}
	type choice struct {
		*protocol.Dispatch
		candidate
	}
	var found []choice
	for _, f := range leaves[0].Fields {
		if f.Name == "" || want != "" && f.Name != want {
			continue
		}
		others := slices.Clone(leaves)
		others = slices.DeleteFunc(others, func(s *protocol.Struct) bool { return len(constants(s, f.Name)) == 0 })
		if len(others) != len(leaves)-1 || len(others) == 0 {
			continue
		}
		i := slices.IndexFunc(leaves, func(s *protocol.Struct) bool { return len(constants(s, f.Name)) == 0 })
		list := b.candidates(others, f.Name)
		if len(list) == 0 || !takesAny(leaves[i].Field(f.Name), constants(others[0], f.Name)[0].Kind) {
			continue
		}
		d := b.byConstant(list[0])
		if d == nil {
			continue
		}
		d.Cases = append(d.Cases, &protocol.Case{Struct: leaves[i]})
		found = append(found, choice{d, list[0]})
	}
	slices.SortStableFunc(found, func(x, y choice) int { return better(x.candidate, y.candidate) })
	switch {
	case len(found) == 0:
		return nil, ""
	case len(found) > 1 && b.sameRank(found[0].candidate, found[1].candidate):
		return nil, bothWouldDo(found[0].name, found[1].name)
	}
	return found[0].Dispatch, ""
}

// takesAny reports whether a required member may be any text, or any integer.
func takesAny(f *protocol.Field, kind protocol.Scalar) bool {
	if f == nil || !f.Required || f.Nullable || f.Const != nil || kind != protocol.String && kind != protocol.Integer {
		return false
	}
	if e := protocol.As[*protocol.Enum](f.Type); e != nil {
		return e.Open && e.Kind == kind && !e.Bitset
	}
	return protocol.Underlying(f.Type) == protocol.Expr(kind)
}
