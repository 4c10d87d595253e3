// Random values that the schemas of both versions accept. Texts come from a small pool, so that keys meet.

package behave

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maker makes values.
type maker struct {
	rand *rand.Rand
	full float64 // how likely an optional member is there, and a list as long as it may be

	texts []string // to choose from; nil for a few letters

	apart bool // objects that are in no other have optional members that one of the versions alone has
}

const (
	shallow = 5  // depth up to which there are optional members and items
	deepest = 24 // depth at which a value is given up

	often    = 0.5 // how likely an optional member of a state or action is there at least
	maxItems = 2
)

var (
	words   = []string{"a", "b"}
	numbers = []int64{0, 1, 2, 7}
)

// text chooses a text.
func (m *maker) text() string {
	if m.texts == nil {
		return words[m.rand.IntN(len(words))]
	}
	return m.texts[m.rand.IntN(len(m.texts))]
}

// object makes an object with what either version requires, and some of what both have. What one of them alone has, the
// other passes over; such optional members only actions have.
func (m *maker) object(old, new *protocol.Struct, depth int) (map[string]any, bool) {
	out := map[string]any{}
	if depth > deepest {
		return nil, false
	}
	for _, o := range old.Fields {
		n := new.Field(o.Name)
		if n == nil {
			if n = o; !o.Required && (!m.apart || depth > 0) {
				continue
			}
		}
		if !m.member(out, o, n, depth) {
			return nil, false
		}
	}
	for _, n := range new.Fields {
		if old.Field(n.Name) == nil && (n.Required || m.apart && depth == 0) && !m.member(out, n, n, depth) {
			return nil, false
		}
	}
	for i, c := range old.Choices {
		other := c
		if i < len(new.Choices) {
			other = new.Choices[i]
		}
		v, ok := m.union(c.Type, other.Type, depth+1)
		object, isObject := v.(map[string]any)
		if !ok || !isObject {
			return nil, false
		}
		maps.Copy(out, object)
	}
	return out, true
}

// action makes an action, also with optional members that one of the versions alone has.
func (m *maker) action(old, new *protocol.Struct) (map[string]any, bool) {
	m.apart = true
	defer func() { m.apart = false }()
	return m.object(old, new, 0)
}

// tag makes an object one of a certain action, where the struct is that of several.
func tag(object map[string]any, as *protocol.Action) {
	for _, f := range as.Struct.Fields {
		for _, v := range f.Values {
			if v.Str == as.Type {
				object[f.Name] = v.Str
			}
		}
	}
}

// member sets a member to a random value. It returns false if the member is required and no value fits both versions.
func (m *maker) member(out map[string]any, o, n *protocol.Field, depth int) bool {
	must := o.Required || n.Required
	full := m.full
	if depth == 0 {
		full = max(full, often)
	}
	if !must && (depth > shallow || m.rand.Float64() > full) {
		return true
	}
	var v any
	ok := true
	switch {
	case o.Const != nil:
		v = o.Const.Plain()
	case n.Const != nil:
		v = n.Const.Plain()
	case len(o.Values) > 0 || len(n.Values) > 0:
		v, ok = m.oneOf(o.Values, n.Values)
	default:
		v, ok = m.value(o.Type, n.Type, depth+1)
	}
	if ok {
		out[o.Name] = v
	}
	return ok || !must
}

// oneOf chooses a value that both have. Without values, any will do.
func (m *maker) oneOf(old, new []protocol.Value) (any, bool) {
	both := each.Where(old, func(v protocol.Value) bool { return len(new) == 0 || slices.Contains(new, v) })
	if len(old) == 0 {
		both = new
	}
	if len(both) == 0 {
		return nil, false
	}
	return both[m.rand.IntN(len(both))].Plain(), true
}

// value makes a value of a type.
func (m *maker) value(old, new protocol.Expr, depth int) (any, bool) {
	if depth > deepest {
		return nil, false
	}
	old, new = protocol.Underlying(old), protocol.Underlying(new)
	if protocol.As[*protocol.Enum](old) != nil || protocol.As[*protocol.Enum](new) != nil {
		return m.enum(old, new)
	}
	switch o := old.(type) {
	case protocol.Scalar:
		if o != new {
			return nil, false
		}
		return m.scalar(o)
	case protocol.List:
		n, ok := new.(protocol.List)
		if !ok {
			return nil, false
		}
		return m.list(o.Elem, n.Elem, depth), true
	case protocol.Map:
		n, ok := new.(protocol.Map)
		if !ok {
			return nil, false
		}
		out := map[string]any{}
		for _, item := range m.list(o.Elem, n.Elem, depth) {
			out[m.text()] = item
		}
		return out, true
	}
	return m.declared(protocol.As[protocol.Type](old), protocol.As[protocol.Type](new), depth)
}

// declared makes a value of a struct or union. Of a struct and a union, the variant of that name is made.
func (m *maker) declared(old, new protocol.Type, depth int) (any, bool) {
	switch o := old.(type) {
	case *protocol.Struct:
		switch n := new.(type) {
		case *protocol.Struct:
			return m.object(o, n, depth)
		case *protocol.Union:
			return m.union(&protocol.Union{Variants: []*protocol.Variant{{Type: protocol.Ref{Type: o}}}}, n, depth)
		}
	case *protocol.Union:
		switch n := new.(type) {
		case *protocol.Struct:
			return m.union(o, &protocol.Union{Variants: []*protocol.Variant{{Type: protocol.Ref{Type: n}}}}, depth)
		case *protocol.Union:
			return m.union(o, n, depth)
		}
	}
	return nil, false
}

func (m *maker) list(old, new protocol.Expr, depth int) []any {
	out := []any{}
	for range maxItems {
		if depth <= shallow && m.rand.Float64() < 0.2+m.full {
			if v, ok := m.value(old, new, depth+1); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

func (m *maker) scalar(kind protocol.Scalar) (any, bool) {
	switch kind {
	case protocol.String:
		return m.text(), true
	case protocol.Bool:
		return m.rand.IntN(2) == 1, true
	case protocol.Null:
		return nil, false
	case protocol.Any:
		return "x", true
	}
	return numbers[m.rand.IntN(len(numbers))], true
}

// enum makes a value that both enums have; one of the two may be any text or number.
func (m *maker) enum(old, new protocol.Expr) (any, bool) {
	var sides [2][]protocol.Value
	bits, isBits := int64(0), false
	for i, e := range []protocol.Expr{old, new} {
		t := protocol.As[*protocol.Enum](e)
		if t == nil {
			continue
		}
		isBits = isBits || t.Bitset
		for _, v := range t.Members {
			sides[i] = append(sides[i], v.Value)
			bits |= v.Value.Int
		}
	}
	if isBits {
		return m.rand.Int64() & bits, true
	}
	return m.oneOf(sides[0], sides[1])
}

// union makes one of the variants that both have, or that the one that does not know it keeps.
func (m *maker) union(old, new *protocol.Union, depth int) (any, bool) {
	type pair struct{ old, new protocol.Expr }
	var pairs []pair
	if old.Kind == protocol.Token || new.Kind == protocol.Token {
		for _, o := range old.Variants {
			for _, n := range new.Variants {
				if o.Name == n.Name {
					pairs = append(pairs, pair{o.Type, n.Type})
				}
			}
		}
	} else {
		leaves := new.Leaves()
		for _, o := range old.Leaves() {
			i := slices.IndexFunc(leaves, func(n *protocol.Struct) bool { return n.Name == o.Name })
			switch {
			case i >= 0:
				pairs = append(pairs, pair{protocol.Ref{Type: o}, protocol.Ref{Type: leaves[i]}})
			case new.Open:
				pairs = append(pairs, pair{protocol.Ref{Type: o}, protocol.Ref{Type: o}})
			}
		}
		for _, n := range leaves {
			if old.Open && !slices.ContainsFunc(old.Leaves(), func(o *protocol.Struct) bool { return n.Name == o.Name }) {
				pairs = append(pairs, pair{protocol.Ref{Type: n}, protocol.Ref{Type: n}})
			}
		}
	}
	if len(pairs) == 0 {
		return nil, false
	}
	p := pairs[m.rand.IntN(len(pairs))]
	return m.value(p.old, p.new, depth+1)
}

// Sample returns a random state of a channel, and random actions for it. The same seed always gives the same. The state is nil
// if none could be made.
func Sample(of *protocol.Channel, rules []*protocol.Action, seed uint64, n int) (state map[string]any, actions []map[string]any) {
	m := &maker{rand: rand.New(rand.NewPCG(seed, 4)), full: maxFull} //nolint:gosec // the same values each time
	state, ok := m.object(of.State, of.State, 0)
	if !ok || len(rules) == 0 {
		return nil, nil
	}
	for range n {
		rule := rules[m.rand.IntN(len(rules))]
		action, ok := m.action(rule.Struct, rule.Struct)
		if !ok {
			continue
		}
		tag(action, rule)
		actions = append(actions, action)
	}
	return state, actions
}
