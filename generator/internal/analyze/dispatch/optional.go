// Optional: variants distinguished by a text constant that may be missing. Libraries that make schemas of classes leave it out of
// what is required, since the class fills it in.

package dispatch

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byOptional returns the decision by a member for which each struct has texts of its own. Where it is missing, the object is the
// only struct that does not require it, if there is just one, and of no variant otherwise. If several members would do, the
// second result says so. Where the schema states the discriminator and some require it, the others probably should.
func (b *builder) byOptional(leaves []*protocol.Struct, want string) (*protocol.Dispatch, string) {
	if len(leaves) < 2 {
		return nil, ""
	}
	var found *protocol.Dispatch
	several := ""
	for _, f := range leaves[0].Fields {
		if want != "" && f.Name != want {
			continue
		}
		d := optionalAt(leaves, f.Name)
		switch {
		case d == nil, want != "" && forgotten(leaves, f.Name):
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
	d := &protocol.Dispatch{Member: name, Kind: protocol.String, Absent: true}
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
	if len(lacking) == 1 {
		d.Absent, d.Untagged = false, lacking[0].Str
	}
	return d
}

// byFilledIn returns the decision by a text that each struct has by default in the only such member, or nil. It goes before
// required members, since a newer variant has a text of its own as well.
func byFilledIn(leaves []*protocol.Struct) *protocol.Dispatch {
	var found *protocol.Dispatch
	for _, f := range leaves[0].Fields {
		if slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { own := s.Field(f.Name); return own == nil || own.Const == nil }) {
			continue
		}
		if d := optionalAt(leaves, f.Name); d != nil {
			if found != nil {
				return nil
			}
			found = d
		}
	}
	return found
}
