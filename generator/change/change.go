// Package change compares two analysed protocols. It sees what is on the wire: names, presence,
// types, tags, tables. Wording, order, and whether a shape is written inline, copied or shared
// do not count. It says what changed; package verdict says whom that breaks.
package change

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Change is one difference.
type Change struct {
	Rule     Rule
	Subject  string // what changed, such as "ChatState.workingDirectory" or "action chat/delta"
	From, To string // what it was and what it is; one alone says what went or came
	Old, New diag.Pos
	Place    Place
}

// Place is what stands on each side where a change was found. A side without a counterpart keeps
// what encloses the place: the object a member was added to, the union that lost a variant.
type Place struct {
	OldType, NewType       protocol.Type   // enclosing declaration; nil for rows of a table
	OldField, NewField     *protocol.Field // member, if it is one
	OldVariant, NewVariant protocol.Expr   // variant of a union, if it is one
	OldRow, NewRow         Row             // row of a table, if it is one
}

// Row is a row of one of the protocol's tables: *protocol.Method, *protocol.Action,
// *protocol.Channel or *protocol.ErrorCode.
type Row any

// Detail says what it was and what it is, "" if the rule says it all.
func (c Change) Detail() string {
	if c.From != "" && c.To != "" {
		return c.From + " → " + c.To
	}
	return c.From + c.To
}

// String renders the change on one line.
func (c Change) String() string {
	line := fmt.Sprintf("%s: %s", c.Rule, c.Subject)
	if detail := c.Detail(); detail != "" {
		line += ": " + detail
	}
	return line
}

// Pos is where to look: in the new schemas, or in the old ones for what is no longer there.
func (c Change) Pos() diag.Pos {
	if c.New.IsZero() || c.gone() {
		return c.Old
	}
	return c.New
}

// gone reports whether the change is about something that only the old side has.
func (c Change) gone() bool {
	p := c.Place
	return p.OldField != nil && p.NewField == nil || p.OldVariant != nil && p.NewVariant == nil ||
		p.OldRow != nil && p.NewRow == nil || c.Rule == EnumValueRemoved
}

// Compare lists how new differs from old, sorted by subject and rule.
func Compare(old, new *protocol.Protocol) []Change {
	c := &comparer{
		old: old, new: new, done: map[[2]protocol.Type]bool{},
		pairedOld: map[protocol.Type]bool{}, pairedNew: map[protocol.Type]bool{},
		cover: covering{}, names: map[*protocol.Protocol]map[string]bool{},
	}
	c.channels()
	c.actions()
	c.methods()
	c.errors()
	c.conversation()
	c.replication()
	c.lifecycles()
	c.definitions()
	c.renames()
	slices.SortStableFunc(c.out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Detail(), b.Detail()))
	})
	return slices.CompactFunc(c.out, func(a, b Change) bool { return a.String() == b.String() })
}

type comparer struct {
	old, new             *protocol.Protocol
	out                  []Change
	done                 map[[2]protocol.Type]bool
	pairedOld, pairedNew map[protocol.Type]bool // types that stand for each other on the two sides
	cover                covering
	names                map[*protocol.Protocol]map[string]bool // of the types of a side
}

// spot is what a comparison is about: what is said of it, where it stands on the two sides, and what it is.
type spot struct {
	subject  string
	old, new diag.Pos
	Place
}

// inside is a part of a spot.
func (s spot) inside(part string) spot {
	s.subject += part
	return s
}

// add notes a change.
func (c *comparer) add(rule Rule, from, to string, at spot) {
	c.out = append(c.out, Change{Rule: rule, Subject: at.subject, From: from, To: to, Old: at.old, New: at.new, Place: at.Place})
}

// join calls both for what is on both sides, and gone or came for what is on one only.
func join[E any](old, new []E, key func(E) string, gone, came func(E), both func(E, E)) {
	index := make(map[string]int, len(new))
	for i, n := range new {
		if _, ok := index[key(n)]; !ok {
			index[key(n)] = i
		}
	}
	known := make(map[string]bool, len(old))
	for _, o := range old {
		known[key(o)] = true
		if i, ok := index[key(o)]; ok {
			both(o, new[i])
			continue
		}
		gone(o)
	}
	for _, n := range new {
		if !known[key(n)] {
			came(n)
		}
	}
}
