// Crossings: whole definitions in other places, and unions, bases and gates that lead through one another.

package mutation

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/inside"
)

// transplant puts the whole of a definition where another schema stands: in the place of a member, an alternative, a base or
// another definition, which may take its place in return.
func (m *mutator) transplant() bool {
	tree := m.schemaTree()
	defs := definitionsOf(tree)
	if len(defs) == 0 {
		return false
	}
	from := pick(m.r, defs)
	to, ok := m.placeIn(tree, func(s slot) bool { return s.get() != from.get() && s.get().Kind == inside.Object })
	if places := schemaPlaces(tree); ok && m.r.IntN(4) > 0 && len(places) > 0 {
		to = pick(m.r, places)
	}
	if !ok {
		return false
	}
	body, other := from.get().Clone(), to.get().Clone()
	to.set(body)
	if m.r.IntN(3) == 0 {
		from.set(other)
	}
	return true
}

// definitionsOf are the places of a file's definitions.
func definitionsOf(tree *inside.Node) []slot {
	if tree == nil {
		return nil
	}
	defs := definitions(tree)
	if defs == nil {
		return nil
	}
	out := make([]slot, 0, len(defs.Members))
	for i := range defs.Members {
		out = append(out, slot{defs, i})
	}
	return out
}

// cross leads one definition through another: it becomes an alternative, a base or a member of it, or stands beside it in a
// union that takes the place of one of the two.
func (m *mutator) cross() bool {
	tree := m.schemaTree()
	list := definitionsOf(tree)
	if len(list) == 0 {
		return false
	}
	for range 1 + m.r.IntN(3) {
		into := pick(m.r, list)
		other := refTo(pick(m.r, list).key())
		n := into.get()
		if n.Kind != inside.Object {
			continue
		}
		choice := pick(m.r, []string{"oneOf", "anyOf"})
		switch m.r.IntN(6) {
		case 0:
			addItem(n, "allOf", other)
		case 1:
			addItem(n, choice, other)
		case 2:
			if p := n.Get("properties"); p != nil && p.Kind == inside.Object && len(p.Members) > 0 {
				pick(m.r, slots(p, func(s slot) bool { return s.parent == p })).set(other)
			}
		case 3:
			into.set(object(member(choice, array(n, other))))
		case 4: // alternatives beside members that are taken in
			into.set(object(member("allOf", array(n, other)), member(choice, array(refTo(pick(m.r, list).key()), refTo(pick(m.r, list).key())))))
		case 5:
			pick(m.r, list).set(refTo(into.key()))
		}
	}
	return true
}

// addItem appends to the list of a keyword.
func addItem(n *inside.Node, key string, item *inside.Node) {
	if list := n.Get(key); list != nil && list.Kind == inside.Array {
		list.Items = append(list.Items, item)
		return
	}
	put(n, key, array(item))
}

// gate states a gate on a path of members that may lead through the same definitions more than once.
func (m *mutator) gate() bool {
	tree := m.schemaTree()
	if tree == nil {
		return false
	}
	var methods, members []string
	for _, s := range slots(tree, func(s slot) bool { return s.get().Kind == inside.String && s.key() == "x-method" }) {
		methods = append(methods, s.get().Text)
	}
	for _, s := range slots(tree, func(s slot) bool { return s.key() == "properties" && s.get().Kind == inside.Object }) {
		for _, p := range s.get().Members {
			members = append(members, p.Key)
		}
	}
	if len(methods) == 0 || len(members) == 0 {
		return false
	}
	few := []string{pick(m.r, members), pick(m.r, members), pick(m.r, members)}
	path := func(most int) string {
		var steps []string
		for range 1 + m.r.IntN(most) {
			step := pick(m.r, few)
			if m.r.IntN(8) == 0 {
				step += "[]"
			}
			steps = append(steps, step)
		}
		return strings.Join(steps, ".")
	}
	g := object(member("method", text(pick(m.r, append(methods, "*")))), member("needs", text(path(2))))
	if m.r.IntN(5) > 0 {
		put(g, "member", text(path(12)))
		put(g, "is", text(m.anyText()))
	}
	gates := object(member("method", text(pick(m.r, methods))), member("gates", array(g)))
	if old := tree.Get("x-capabilities"); old != nil && old.Get("gates") != nil && m.r.IntN(4) > 0 {
		addItem(old, "gates", g)
		return true
	}
	put(tree, "x-capabilities", gates)
	return true
}
