// Package change compares two analysed protocols by what is on the wire: names, presence, types, tags and tables.
// Wording, order, and whether a shape is inlined, copied or shared do not count. Package verdict decides whom a
// change breaks.
package change

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Change is one difference.
type Change struct {
	Rule     Rule
	Subject  string // what changed, such as "ChatState.workingDirectory" or "action chat/delta"
	From, To string // old and new text; one is empty for additions and removals
	Old, New diag.Pos
	Place    Place

	// Unchecked reports that readers can be expected to take values that only the other side's limits exclude.
	Unchecked bool

	// Same is on how many random states an old and a new rule did the same, and Proof a state where they differ.
	Same  int
	Proof *behave.Counterexample
}

// Place holds the declarations on each side of a change. A side without a counterpart holds the enclosing
// declaration: the object a member was added to, or the union that lost a variant.
type Place struct {
	OldType, NewType       protocol.Type   // enclosing declaration, or nil for table rows
	OldField, NewField     *protocol.Field // the member, if any
	OldVariant, NewVariant protocol.Expr   // the union variant, if any
	OldRow, NewRow         Row             // the table row, if any
}

// Row is a row of one of the protocol's tables: *protocol.Method, *protocol.Action,
// *protocol.Channel or *protocol.ErrorCode.
type Row any

// Detail describes the old and new value, or is "" if the rule is self-explanatory.
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

// Pos returns the position in the new schemas, or in the old ones for removals.
func (c Change) Pos() diag.Pos {
	if c.New.IsZero() || c.gone() {
		return c.Old
	}
	return c.New
}

// gone reports whether the change is a removal.
func (c Change) gone() bool {
	p := c.Place
	return p.OldField != nil && p.NewField == nil || p.OldVariant != nil && p.NewVariant == nil ||
		p.OldRow != nil && p.NewRow == nil || c.Rule == EnumValueRemoved
}

// Compare returns the differences between two protocols, sorted by subject and rule.
func Compare(old, new *protocol.Protocol) []Change {
	c := &comparer{
		old: old, new: new, done: map[[2]protocol.Type]bool{},
		pairedOld: map[protocol.Type]bool{}, pairedNew: map[protocol.Type]bool{},
		cover: covering{}, placed: each.Set(slices.Concat(placed(old), placed(new))), names: map[*protocol.Protocol]map[string]bool{},
	}
	c.channels()
	c.actions()
	c.methods()
	c.errors()
	c.conversation()
	c.helpers()
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
	pairedOld, pairedNew map[protocol.Type]bool // corresponding types
	cover                covering
	placed               map[protocol.Type]bool                 // variants in place that the members of an object tell apart
	names                map[*protocol.Protocol]map[string]bool // type names of each side
}

// spot is the subject of a comparison: its description, its place on both sides, and its kind.
type spot struct {
	subject  string
	old, new diag.Pos
	Place
}

// inside returns a spot for a part of the subject.
func (s spot) inside(part string) spot {
	s.subject += part
	return s
}

// add records a change.
func (c *comparer) add(rule Rule, from, to string, at spot) {
	c.out = append(c.out, Change{Rule: rule, Subject: at.subject, From: from, To: to, Old: at.old, New: at.new, Place: at.Place})
}

// either records a change of something that is so or is not: gained if only the new side has it, lost if only the old one has.
func (c *comparer) either(gained, lost Rule, old, new bool, at spot) {
	switch {
	case new && !old:
		c.add(gained, "", "", at)
	case old && !new:
		c.add(lost, "", "", at)
	}
}

// join calls both for keys present on both sides, and gone or came for the others.
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
