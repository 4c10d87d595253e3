// Hosted: what the template of the server asks of lists of channels.

package emit

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// ToldByState reports whether the server asks of which type a state is.
func (v view) ToldByState() bool {
	s := v.Session
	return len(s.Lists) > 0 && len(s.Forms) > 0 || slices.ContainsFunc(s.Forms, func(f golang.Form) bool { return f.State != nil })
}

// ChangedAt returns when a channel last changed as far as its state says so itself, and otherwise when it was opened.
func (v view) ChangedAt(l *golang.ChannelList) gotext.Code {
	at := l.ChangedOfState
	if len(at) == 0 || at[len(at)-1].Pointer {
		return "opened"
	}
	f, value := at[len(at)-1], chain("now", at)
	if v.IsText(f) {
		return "server.Latest(time.Time{}, " + value + ")"
	}
	if f.Reading == protocol.SecondsSince1970 {
		value += ", 0"
	}
	return "time." + v.Unix(f) + "(" + value + ")"
}

// IsText reports whether a field is a string.
func (view) IsText(f *golang.Field) bool {
	return golang.Underlying(f.Type) == golang.Type(golang.String)
}

// Unix returns what package time calls a time in the unit of a field.
func (view) Unix(f *golang.Field) gotext.Code {
	if f.Reading == protocol.SecondsSince1970 {
		return "Unix"
	}
	return "UnixMilli"
}

// chain returns a field of a field of a variable.
func chain(of string, fields []*golang.Field) gotext.Code {
	for _, f := range fields {
		of += "." + f.Name
	}
	return gotext.Code(of)
}

// entry is what fills an entry of a list, or an item in it: members, and the variables between which they are copied.
type entry struct {
	Members  []golang.EntryMember
	from, to string
}

// Entry returns what fills an entry.
func (v view) Entry(l *golang.ChannelList) entry { return entry{l.Members, "now", "out"} }

// Items returns what fills an item of a member that is a list.
func (entry) Items(m golang.EntryMember) entry { return entry{m.Items, "from", "to"} }

// Value returns where the value of a member comes from, and Target where it goes.
func (e entry) Value(m golang.EntryMember) gotext.Code { return chain(e.from, m.From) }

// Target returns the field that a member is.
func (e entry) Target(m golang.EntryMember) gotext.Code {
	return gotext.Code(e.to + "." + m.Field.Name)
}

// Present reports whether a list is always there.
func (entry) Present(m golang.EntryMember) bool {
	return m.From[len(m.From)-1].Presence == golang.Required
}

// Addressed reports whether a member takes the address of its value.
func (entry) Addressed(m golang.EntryMember) bool {
	return m.Field.Pointer && !m.From[len(m.From)-1].Pointer
}

// Item returns the type of the items of a member that is a list.
func (entry) Item(m golang.EntryMember) string {
	return golang.Underlying(golang.Underlying(m.Field.Type).(golang.Slice).Elem).(golang.StructType).Struct.Name
}
