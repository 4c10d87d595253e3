// Renames: an addition and a removal with similar names or equal shapes are reported as a possible rename. On the
// wire they remain a removal and an addition.

package change

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// renames pairs removals with additions, first by name, then by shape if exactly one on each side matches.
func (c *comparer) renames() {
	var gone, came []Change
	for _, ch := range c.out {
		if c.isMeta(ch) {
			continue
		}
		switch ch.Rule {
		case FieldRemoved, TypeRemoved, MethodRemoved, NotificationRemoved, ActionRemoved:
			gone = append(gone, ch)
		case FieldAdded, TypeAdded, MethodAdded, NotificationAdded, ActionAdded:
			came = append(came, ch)
		}
	}
	for _, key := range []func(Change) string{nameKey, shapeKey} {
		gone, came = c.renamed(gone, came, key)
	}
}

// isMeta reports whether a change concerns the metadata member, which has the same name everywhere.
func (c *comparer) isMeta(ch Change) bool {
	is := func(p *protocol.Protocol, f *protocol.Field) bool {
		return f != nil && p.Extensions != nil && f.Name == p.Extensions.Meta
	}
	return is(c.old, ch.Place.OldField) || is(c.new, ch.Place.NewField)
}

// renamed pairs changes by key and returns the unpaired ones.
func (c *comparer) renamed(gone, came []Change, key func(Change) string) (leftGone, leftCame []Change) {
	groups := func(list []Change) map[string][]Change {
		out := map[string][]Change{}
		for _, ch := range list {
			if k := key(ch); k != "" {
				out[k] = append(out[k], ch)
			}
		}
		return out
	}
	were, are := groups(gone), groups(came)
	paired := func(ch Change) bool { k := key(ch); return len(were[k]) == 1 && len(are[k]) == 1 }
	for _, o := range gone {
		if !paired(o) {
			leftGone = append(leftGone, o)
			continue
		}
		n := are[key(o)][0]
		where, from := splitSubject(o)
		_, to := splitSubject(n)
		place := Place{OldType: o.Place.OldType, NewType: n.Place.NewType}
		c.add(RenameCandidate, from, to, spot{where, o.Old, n.New, place})
	}
	for _, n := range came {
		if !paired(n) {
			leftCame = append(leftCame, n)
		}
	}
	return leftGone, leftCame
}

// nameKey consists of the parent, the kind, and the words of the name.
func nameKey(c Change) string {
	if constant(c) {
		return ""
	}
	where, name := splitSubject(c)
	what := c.From + c.To
	if where != "types" {
		what = "" // regardless of shape
	}
	list := words(name)
	if len(list) == 0 {
		return ""
	}
	return where + " " + what + " " + strings.Join(list, " ")
}

// constant reports whether a change concerns a constant member.
func constant(c Change) bool {
	f := cmp.Or(c.Place.OldField, c.Place.NewField)
	return f != nil && valuesOf(f) != nil
}

// shapeKey consists of the parent and the shape of what went or came. It is "" for shapes with too little content.
func shapeKey(c Change) string {
	where, _ := splitSubject(c)
	shape := cmp.Or(c.Shapes())
	switch c.Rule {
	case FieldAdded, FieldRemoved:
		if constant(c) {
			return ""
		}
	case TypeAdded, TypeRemoved:
		shape = cmp.Or(memberShape(c.Place.OldType), memberShape(c.Place.NewType))
	case MethodAdded, MethodRemoved, NotificationAdded, NotificationRemoved:
		if m, ok := cmp.Or(c.Place.OldRow, c.Place.NewRow).(*protocol.Method); ok && m.Params == nil && m.Result == nil {
			return ""
		}
	case ActionAdded, ActionRemoved:
		shape = cmp.Or(actionShape(c.Place.OldRow), actionShape(c.Place.NewRow))
	}
	if shape == "" {
		return ""
	}
	return where + " " + shape
}

// memberShape returns the shape of a type without constants, which often repeat the name as a tag. It is empty for
// objects with only constants.
func memberShape(t protocol.Type) string {
	s, ok := t.(*protocol.Struct)
	if !ok {
		return typeShape(t)
	}
	bare := *s
	bare.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f *protocol.Field) bool { return valuesOf(f) != nil })
	if len(bare.Fields) == 0 {
		return ""
	}
	return typeShape(&bare)
}

// actionShape returns the shape of an action's payload, with its channel.
func actionShape(row Row) string {
	a, ok := row.(*protocol.Action)
	if !ok || a.Struct == nil {
		return ""
	}
	if shape := memberShape(a.Struct); shape != "" {
		return channelName(a) + " " + shape
	}
	return ""
}

// splitSubject splits a subject into its parent and its own name.
func splitSubject(c Change) (where, name string) {
	if c.Place.OldType != nil && c.Place.NewType != nil {
		if i := strings.LastIndexByte(c.Subject, '.'); i > 0 {
			return c.Subject[:i], c.Subject[i+1:]
		}
	}
	if method, ok := strings.CutPrefix(c.Subject, "method "); ok {
		return "methods", method
	}
	if action, ok := strings.CutPrefix(c.Subject, "action "); ok {
		return "actions", action
	}
	return "types", c.Subject
}
