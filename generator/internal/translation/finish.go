// Finish: which pairs differ at all, and what is wrong with them.

package translation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// spread marks the pairs that differ, themselves or in something that they hold, until nothing is added.
func (d *deriver) spread() {
	for changed := true; changed; {
		changed = false
		for _, n := range d.nodes {
			for _, to := range both {
				h := &n.half[to]
				differs, mayDrop := h.settle(to)
				if differs != h.differs || mayDrop != h.mayDrop {
					h.differs, h.mayDrop, changed = differs, mayDrop, true
				}
			}
		}
	}
}

// settle says of one direction whether it differs, and whether a value may be left out.
func (h *half) settle(to Direction) (differs, mayDrop bool) {
	if h.alias != nil {
		return h.alias.half[to].differs, h.alias.half[to].mayDrop
	}
	differs = len(h.funcs) > 0 || len(h.add) > 0 || len(h.values) > 0 || h.item.differs(to)
	mayDrop = len(h.funcs) > 0
	for _, e := range h.edges {
		differs = differs || e.drop || e.to != "" || e.child.differs(to)
		mayDrop = mayDrop || e.required && e.child != nil && e.child.half[to].mayDrop
	}
	for _, a := range h.arms {
		differs = differs || a.drop || a.child.differs(to)
		mayDrop = mayDrop || a.drop || a.child != nil && a.child.half[to].mayDrop
	}
	return differs, mayDrop
}

// armsDiffer reports whether a variant differs, or is left out.
func (h *half) armsDiffer(to Direction) bool {
	return slices.ContainsFunc(h.arms, func(a arm) bool { return a.drop || a.child.differs(to) })
}

func (n *node) differs(to Direction) bool { return n != nil && n.half[to].differs }

// finish reports differences that tables cannot express.
func (d *deriver) finish() {
	for _, n := range d.nodes {
		for _, b := range n.beside {
			for _, to := range both {
				b.at.node = n
				if b.child.differs(to) && !b.at.skip[to] {
					d.refuse(b.at, to, "what is beside the members differs, which tables cannot say")
				}
			}
		}
		for _, to := range both {
			if h := &n.half[to]; h.signs && h.kind == translate.Shaped && h.armsDiffer(to) {
				d.refuse(place{path: n.of, owner: n.of, pos: posOf(n), node: n}, to, "its variants differ, and stated signs tell them apart, which tables cannot say")
			}
		}
	}
}

func posOf(n *node) diag.Pos {
	for _, side := range n.sides {
		if ref, ok := side.(protocol.Ref); ok {
			return ref.Type.Head().Pos
		}
	}
	return diag.Pos{}
}

// problem is a difference about which nothing is known.
type problem struct {
	place
	to   Direction
	what string
}

// refuse notes one.
func (d *deriver) refuse(at place, to Direction, format string, args ...any) {
	if at.skip[to] {
		return
	}
	d.problems = append(d.problems, problem{at, to, fmt.Sprintf(format, args...)})
}

// unlike notes that what the two versions have in a place is of different kinds.
func (d *deriver) unlike(at place, to Direction, n *node) {
	d.refuse(at, to, "%s has %s, %s has %s", d.sides[0].Version, describe(n.sides[0]), d.sides[1].Version, describe(n.sides[1]))
}

// report returns what is wrong, with the lines of a profile that would settle it, and whether messages could be converted all the
// same: peers would not agree on a version, or some messages have a reason for which they never can.
func (d *deriver) report() (found []diag.Diagnostic, convertible bool) {
	found = d.unused()
	convertible = len(found) == 0
	for _, e := range d.entries {
		if e.used && e.Never != "" {
			found = append(found, diag.Errorf(e.Pos, "untranslated", "leave "+d.sides[1].Version+" out of speaks", "%s cannot be translated between %s and %s: %s",
				e.At, d.sides[0].Version, d.sides[1].Version, e.Never))
		}
	}
	d.problems = slices.DeleteFunc(d.problems, func(p problem) bool { return !d.reached[p.to][p.node] && p.node != nil })
	owners := map[string][]problem{}
	for _, p := range d.problems {
		owners[p.owner] = append(owners[p.owner], p)
	}
	for _, p := range d.problems {
		verb := [...]string{"lowered to", "lifted from"}[p.to]
		hint := d.hint(owners[p.owner])
		if p.fixed {
			hint = fmt.Sprintf("no entry of a profile can say how: leave %s out of speaks", d.sides[1].Version)
		}
		convertible = convertible && p.fixed && p.node == nil
		found = append(found, diag.Errorf(p.pos, "untranslated", hint,
			"%s cannot be %s %s: %s", p.path, verb, d.sides[1].Version, p.what))
	}
	return found, convertible
}

// hint returns the entry that accounts for all problems of a definition.
func (d *deriver) hint(list []problem) string {
	var newer, older []string
	var to [2]bool
	for _, p := range list {
		to[p.to] = true
		if p.newer != "" && !slices.Contains(newer, p.newer) {
			newer = append(newer, p.newer)
		}
		if p.older != "" && !slices.Contains(older, p.older) {
			older = append(older, p.older)
		}
	}
	line := []string{`"at": ` + jsontext.Line(list[0].owner), `"since": ` + jsontext.Line(d.sides[0].Version)}
	for _, side := range []struct {
		key   string
		names []string
	}{{"newer", newer}, {"older", older}} {
		if len(side.names) > 0 {
			line = append(line, jsontext.Line(side.key)+": ["+strings.Join(each.Map(side.names, jsontext.Line[string]), ", ")+"]")
		}
	}
	if values := d.valuesIn(list); values != "" {
		return values
	}
	for _, way := range both {
		if to[way] {
			verb := [...]string{"lower", "lift"}[way]
			line = append(line, fmt.Sprintf("%q: %q", verb, verb+goName(list[0].owner)))
		}
	}
	return `say how in "translations" of the profile: {` + strings.Join(append(line, `"why": "…"`), ", ") + "}"
}

// valuesIn returns the entry for values of an enum or variants of a union, or "" for other problems.
func (d *deriver) valuesIn(list []problem) string {
	key, item := "dropped", jsontext.Line[string]
	open, end := "[", "]"
	if ref, ok := d.sides[0].Lookup(list[0].owner).(*protocol.Enum); ok && ref != nil {
		key, open, end = "values", "{", "}"
		item = func(value string) string { return jsontext.Line(value) + `: "…"` }
	}
	var items []string
	for _, p := range list {
		if p.value == "" {
			return ""
		}
		if text := item(p.value); !slices.Contains(items, text) {
			items = append(items, text)
		}
	}
	return fmt.Sprintf(`say how in "translations" of the profile: {"at": %s, "since": %s, %q: %s%s%s, "why": "…"}`,
		jsontext.Line(list[0].owner), jsontext.Line(d.sides[0].Version), key, open, strings.Join(items, ", "), end)
}

// goName makes a part of an identifier of a path.
func goName(path string) string {
	var b strings.Builder
	up := true
	for _, r := range path {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		switch {
		case !letter:
			up = true
			continue
		case up:
			b.WriteString(strings.ToUpper(string(r)))
		default:
			b.WriteRune(r)
		}
		up = false
	}
	return b.String()
}

// describe describes a type in a few words.
func describe(e protocol.Expr) string {
	switch e := e.(type) {
	case protocol.Scalar:
		return e.String()
	case protocol.List:
		return "list of " + describe(protocol.Underlying(e.Elem))
	case protocol.Map:
		return "map of " + describe(protocol.Underlying(e.Elem))
	case protocol.Ref:
		kind := "union "
		switch e.Type.(type) {
		case *protocol.Struct:
			kind = "object "
		case *protocol.Enum:
			kind = "enum "
		}
		return kind + cmp.Or(nameOf(e.Type), "without members")
	}
	return "nothing"
}

// listed lists values.
func listed(values []protocol.Value) string {
	return strings.Join(each.Map(values, protocol.Value.JSON), ", ")
}
