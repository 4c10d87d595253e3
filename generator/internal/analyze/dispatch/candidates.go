// Candidates: the members by which the variants of a union may be distinguished, best first.

package dispatch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// candidate is a possible discriminator.
type candidate struct {
	name   string
	groups [][]*protocol.Struct // structs grouped by value
	single bool                 // every struct has one value of its own
	rank   int                  // position in the profile's preferences
}

// candidates returns the possible discriminators, best first.
func (b *builder) candidates(leaves []*protocol.Struct, want string) []candidate {
	var out []candidate
	for _, f := range leaves[0].Fields {
		if f.Name == "" || want != "" && f.Name != want {
			continue // a decision without a member is by shape
		}
		groups, single, ok := group(leaves, f.Name)
		if !ok || len(groups) == 1 && (len(leaves) > 1 || !single && want == "") {
			continue // for a single alternative any such member would do
		}
		out = append(out, candidate{f.Name, groups, single, b.rank(f.Name)})
	}
	slices.SortStableFunc(out, better)
	return out
}

// rank returns the position of a member in the profile's preferences.
func (b *builder) rank(member string) int {
	if at := slices.Index(b.Facts.Discriminators, member); at >= 0 {
		return at
	}
	return len(b.Facts.Discriminators)
}

// better sorts the better of two candidates first.
func better(x, y candidate) int {
	return cmp.Or(-cmp.Compare(len(x.groups), len(y.groups)), cmpBool(y.single, x.single), cmp.Compare(x.rank, y.rank))
}

// bothWouldDo says that nothing decides between two members.
func bothWouldDo(x, y string) string { return fmt.Sprintf("both %q and %q would do", x, y) }

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// sameRank reports whether two candidates are equally good.
func (b *builder) sameRank(x, y candidate) bool {
	return len(x.groups) == len(y.groups) && x.single == y.single && x.rank == y.rank
}

// group groups structs by the value of a member. It fails if one has no constant there, or the kinds differ.
func group(leaves []*protocol.Struct, name string) (groups [][]*protocol.Struct, single, ok bool) {
	single = true
	owner := map[protocol.Value]int{} // group by value
	var kind protocol.Scalar
	for i, s := range leaves {
		own := constants(s, name)
		if i == 0 && len(own) > 0 {
			kind = own[0].Kind
		}
		if len(own) == 0 || own[0].Kind != kind {
			return nil, false, false
		}
		single = single && len(own) == 1
		at := len(groups)
		for _, v := range own {
			if g, ok := owner[v]; ok {
				at = min(at, g)
			}
		}
		if at == len(groups) {
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], s)
		for _, v := range own {
			if g, ok := owner[v]; !ok || at < g {
				owner[v] = at
			}
		}
	}
	return groups, single, true
}
