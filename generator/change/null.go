// Null: members that can only be null, which have no type in Go.

package change

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// onlyNull reports whether null is the one value of a member.
func onlyNull(f *protocol.Field) bool {
	is := protocol.Limit{Keyword: protocol.Schema, Value: `{"type":["null"]}`}
	return f.Type == protocol.Any && slices.Contains(f.Limits.Limits(), is)
}

// null compares members of which one can only be null.
func (c *comparer) null(o, n *protocol.Field, at spot) {
	text := func(f *protocol.Field) string {
		switch {
		case onlyNull(f):
			return "null"
		case f.Nullable && f.Type != protocol.Any:
			return describeField(f) + " or null"
		}
		return describeField(f)
	}
	takesNull := func(f *protocol.Field) bool { return f.Nullable || f.Type == protocol.Any }
	rule := TypeChanged
	switch {
	case onlyNull(n) && takesNull(o):
		rule = TypeNarrowed
	case onlyNull(o) && takesNull(n):
		rule = TypeWidened
	}
	c.add(rule, text(o), text(n), at)
}
