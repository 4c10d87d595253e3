// Optional: variants distinguished by a text constant that may be missing. Libraries that make schemas of classes leave it out of
// what is required, since the class fills it in.

package dispatch

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byOptional returns the decision by a member for which each struct has texts of its own, of those that are taken. Where it is missing,
// the object is the only struct that does not require it, if there is just one, and of no variant otherwise. If several members
// would do, the second result says so.
func (b *builder) byOptional(leaves []*protocol.Struct, takes func(member string) bool) (*protocol.Dispatch, string) {
	var found *protocol.Dispatch
	several := ""
	for _, f := range leaves[0].Fields {
		d := optionalAt(leaves, f.Name)
		switch {
		case d == nil || !takes(f.Name):
		case found == nil || b.rank(d.Member) < b.rank(found.Member):
			found, several = d, ""
		case b.rank(d.Member) == b.rank(found.Member):
			several = bothWouldDo(found.Member, d.Member)
		}
	}
	if several != "" {
		return nil, several
	}
	return found, ""
}

// filledIn reports whether each struct has a single value of a member, by default if it does not require it.
func filledIn(leaves []*protocol.Struct, name string) bool {
	return !slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { return s.Field(name).Const == nil })
}

// forgotten reports whether some require a member and others neither require it nor have it by default.
func forgotten(leaves []*protocol.Struct, name string) bool {
	count := map[bool]int{}
	for _, s := range leaves {
		if f := s.Field(name); f.Required || f.Const == nil {
			count[f.Required]++
		}
	}
	return count[true] > 0 && count[false] > 0
}

// optionalAt returns the decision by the texts of a member, or nil if one has none, or not all are different.
func optionalAt(leaves []*protocol.Struct, name string) *protocol.Dispatch {
	if name == "" {
		return nil // a decision without a member is by shape
	}
	d := &protocol.Dispatch{Member: name, Kind: protocol.String}
	taken := map[string]bool{"": true} // what stands for none
	var lacking []protocol.Value
	for _, s := range leaves {
		f := s.Field(name)
		if f == nil {
			return nil
		}
		values := valuesOf(f)
		if len(values) == 0 || len(values) > 1 && !f.Required {
			return nil
		}
		if !f.Required {
			lacking = append(lacking, values[0])
		}
		for _, v := range values {
			if v.Kind != protocol.String || taken[v.Str] {
				return nil
			}
			taken[v.Str] = true
		}
		d.Cases = append(d.Cases, &protocol.Case{Values: values, Struct: s})
	}
	if d.Absent = len(lacking) > 1; len(lacking) == 1 {
		d.Untagged = lacking[0].Str
	}
	return d
}
