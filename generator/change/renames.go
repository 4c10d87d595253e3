// Renames: something went and something of the same shape came. That is a hint for the reader, no
// more: on the wire it is a removal and an addition.

package change

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// renames pairs what went with what came where exactly one of each has the shape.
func (c *comparer) renames() {
	gone, came := map[string][]Change{}, map[string][]Change{}
	for _, ch := range c.out {
		old, new := ch.renameKeys()
		if old != "" {
			gone[old] = append(gone[old], ch)
		}
		if new != "" {
			came[new] = append(came[new], ch)
		}
	}
	for key, old := range gone {
		new := came[key]
		if len(old) != 1 || len(new) != 1 {
			continue
		}
		o, n := old[0], new[0]
		where, from := splitSubject(o)
		_, to := splitSubject(n)
		place := Place{OldType: o.Place.OldType, NewType: n.Place.NewType}
		c.add(RenameCandidate, where, from, to, o.Old, n.New, place)
	}
}

// renameKeys returns what identifies the shape of something that went, or of something that came;
// shapes that say too little to recognise a thing by are left out.
func (c Change) renameKeys() (old, new string) {
	o, n := c.Shapes()
	var kind string
	switch c.Rule {
	case FieldAdded, FieldRemoved:
		if valuesOf(cmp.Or(c.Place.OldField, c.Place.NewField)) != nil {
			return "", "" // nobody reads or writes a constant by name
		}
		kind, _ = splitSubject(c)
	case TypeAdded, TypeRemoved:
		o, n = memberShape(c.Place.OldType), memberShape(c.Place.NewType)
		kind = "types"
	case MethodAdded, MethodRemoved, NotificationAdded, NotificationRemoved:
		if m, ok := cmp.Or(c.Place.OldRow, c.Place.NewRow).(*protocol.Method); ok && m.Params == nil && m.Result == nil {
			return "", ""
		}
		kind = "methods"
	default:
		return "", ""
	}
	if o != "" {
		o = kind + " " + o
	}
	if n != "" {
		n = kind + " " + n
	}
	return o, n
}

// memberShape is the shape of a type by which it is recognised under another name. Constants are left
// out, for the tag of a variant often is its name once more; an object of nothing else has no shape.
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

// splitSubject parts a subject into what encloses it and its own name.
func splitSubject(c Change) (where, name string) {
	if c.Place.OldType != nil && c.Place.NewType != nil {
		if i := strings.LastIndexByte(c.Subject, '.'); i > 0 {
			return c.Subject[:i], c.Subject[i+1:]
		}
	}
	if method, ok := strings.CutPrefix(c.Subject, "method "); ok {
		return "methods", method
	}
	return "types", c.Subject
}
