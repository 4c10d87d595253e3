// Lists: lists of channels that follow from the states of these, as fields of Go types.

package golang

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// ChannelList is a list of channels that the server keeps.
type ChannelList struct {
	At                         string  `go:"text"` // URI of the channel whose subscribers are notified
	State, Entry               *Struct // of the channels, and in the list
	Members                    []EntryMember
	URI, Created, Changed      *Field // of the entry; nil if they are members of the state as well
	ChangedOfState             []*Field
	LatestOf, Latest           *Field // a list in the state, and a text of its items; nil if nothing is said
	Method                     *Method
	Items, Limit, Cursor, Next *Field
	Added, Removed, Updated    *protocol.ListChange
	Count                      *Struct // an action; nil if none says how many there are
	CountMember, CountOfState  *Field
	AtState                    *Struct
}

// EntryMember is a field of an entry and the fields of the state that lead to its value; of a list, it has the fields of
// the items.
type EntryMember struct {
	Field *Field
	From  []*Field
	Items []EntryMember
}

// lists settles which lists the server keeps.
func (b *builder) lists(in *protocol.SessionRoles) []*ChannelList {
	var out []*ChannelList
	for _, l := range in.Lists {
		field := func(f *protocol.Field) *Field { return b.fieldOf[f] }
		made := func(f *protocol.Field) *Field {
			if slices.Contains(l.Made, f) {
				return b.fieldOf[f]
			}
			return nil
		}
		list := &ChannelList{
			At: l.At.URI, State: b.StructOf(l.Channel.State), Entry: b.StructOf(l.Entry), Members: b.entryMembers(l.Members),
			URI: made(l.URI), Created: made(l.Created), Changed: made(l.Changed), LatestOf: field(l.LatestOf), Latest: field(l.Latest),
			Method: b.method(l.Method),
			Items:  field(l.Items), Limit: field(l.Limit), Cursor: field(l.Cursor), Next: field(l.Next),
			Added: l.Added, Removed: l.Removed, Updated: l.Updated,
		}
		for _, m := range l.Members {
			if m.Member == l.Changed {
				for _, f := range m.From {
					list.ChangedOfState = append(list.ChangedOfState, b.fieldOf[f])
				}
			}
		}
		if l.Count != nil {
			list.Count, list.CountMember, list.CountOfState = b.StructOf(l.Count.Struct), field(l.CountMember), field(l.CountOfTheState)
			list.AtState = b.StructOf(l.At.State)
		}
		out = append(out, list)
	}
	return out
}

func (b *builder) entryMembers(in []protocol.EntryMember) []EntryMember {
	var out []EntryMember
	for _, m := range in {
		made := EntryMember{Field: b.fieldOf[m.Member], Items: b.entryMembers(m.Items)}
		for _, f := range m.From {
			made.From = append(made.From, b.fieldOf[f])
		}
		out = append(out, made)
	}
	return out
}
