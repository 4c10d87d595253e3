// The mutations that add several definitions at once which belong together: unions that overlap, and
// objects that inherit. Most of their names are plain, so that many are accepted.

package mutation

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// plainName is one of few names, now and then a hostile one.
func (m *mutator) plainName() string {
	if m.r.IntN(60) == 0 {
		return m.anyText()
	}
	return pick(m.r, []string{"type", "kind", "state", "id", "value", "next", "items", "name", "0", "a", "A", "a-b", "tag", "raw"})
}

// family adds variants, unions of some of them or of each other, and an object that holds all.
func (m *mutator) family() bool {
	defs := definitions(m.schemaTree())
	if defs == nil {
		return false
	}
	prefix := pick(m.r, []string{"F", "F", "G", "X1", "Unknown"})
	tag, other := m.plainName(), m.plainName()
	put(defs, prefix+"Kind", object(member("type", text("string")), member("enum", texts("one", "two"))))
	put(defs, prefix+"Maybe", object(member("enum", array(text("three"), text("four"), null()))))
	put(defs, prefix+"Also", refTo(prefix+"Kind"))
	var all []string
	for i := range 2 + m.r.IntN(4) {
		name := fmt.Sprintf("%sV%d", prefix, i)
		put(defs, name, m.variant(prefix, tag, other, all, i))
		all = append(all, name)
	}
	variants := len(all)
	for i := range 1 + m.r.IntN(4) {
		name := fmt.Sprintf("%sU%d", prefix, i)
		put(defs, name, object(member(pick(m.r, []string{"oneOf", "anyOf"}), array(m.alternatives(all, variants)...))))
		if m.r.IntN(3) == 0 {
			m.unionRule(name, tag)
		}
		all = append(all, name)
	}
	holder, required := object(), array()
	for i, name := range all {
		key := fmt.Sprintf("m%d", i)
		put(holder, key, m.held(name))
		if m.r.IntN(2) == 0 {
			required.Items = append(required.Items, text(key))
		}
	}
	put(defs, prefix+"Holder", object(member("type", text("object")), member("properties", holder), member("required", required)))
	return true
}

// variant is an object with a tag, which may inherit from one that is there.
func (m *mutator) variant(prefix, tag, other string, all []string, i int) *inside.Node {
	properties := object(member(tag, m.tagSchema(prefix, i)))
	required := texts(tag)
	if m.r.IntN(3) == 0 {
		put(properties, other, m.tagSchema(prefix, m.r.IntN(3)))
		required.Items = append(required.Items, text(other))
	}
	if m.r.IntN(2) == 0 {
		put(properties, fmt.Sprintf("own%d", i), m.plainSchema(2))
		required.Items = append(required.Items, text(fmt.Sprintf("own%d", i)))
	}
	put(properties, m.plainName()+"2", m.plainSchema(2))
	if m.r.IntN(10) == 0 {
		required.Items = required.Items[1:]
	}
	out := object(member("type", text("object")), member("properties", properties), member("required", required))
	if len(all) > 0 && m.r.IntN(6) == 0 {
		out.Members = append([]inside.Member{member("allOf", array(refTo(pick(m.r, all))))}, out.Members...)
	}
	if m.r.IntN(12) == 0 {
		put(out, "additionalProperties", m.plainSchema(1))
	}
	return out
}

// tagSchema says which values the tag of the variant of a number may have: mostly such as no other has.
func (m *mutator) tagSchema(prefix string, i int) *inside.Node {
	one, two := fmt.Sprintf("v%d", i), fmt.Sprintf("w%d", i)
	if m.r.IntN(25) == 0 {
		return pick(m.r, []*inside.Node{
			object(member("const", truth(i%2 == 0))),
			object(member("const", number(fmt.Sprint(i)))),
			object(member("enum", array(number(fmt.Sprint(i)), number(fmt.Sprint(10+i))))),
			object(member("enum", array(text(one), text(two), null()))),
			object(member("anyOf", array(object(member("enum", texts(one, two))), object(member("type", text("null")))))),
			refTo(prefix + "Maybe"),
			object(member("type", text("string"))),
		})
	}
	switch n := m.r.IntN(12); {
	case n < 2 && i == 0 || m.r.IntN(30) == 0:
		return pick(m.r, []*inside.Node{refTo(prefix + "Kind"), refTo(prefix + "Also"), object(member("allOf", array(refTo(prefix+"Kind"))))})
	case n < 4:
		return object(member("enum", texts(one, two)))
	case n < 5:
		return object(member("oneOf", array(object(member("const", text(one))), object(member("const", text(two))))))
	}
	return object(member("const", text(one)))
}

// alternatives are some variants and unions, by reference or inline.
func (m *mutator) alternatives(all []string, variants int) []*inside.Node {
	var out []*inside.Node
	for i, name := range all {
		if m.r.IntN(3) == 0 || i >= variants && m.r.IntN(2) == 0 {
			continue
		}
		out = append(out, refTo(name))
	}
	if len(out) == 0 {
		out = append(out, refTo(all[0]), refTo(all[1]))
	}
	switch m.r.IntN(20) {
	case 0:
		out = append(out, object(member("type", text("null"))))
	case 1:
		out = append(out, object(member("x-unknown", truth(true))))
	case 2:
		out = append(out, object(member("type", text("string"))))
	case 3, 4, 5:
		inner := []*inside.Node{refTo(pick(m.r, all[:variants]))}
		for _, name := range all[:variants] {
			if m.r.IntN(2) == 0 {
				inner = append(inner, refTo(name))
			}
		}
		out = append(out, object(member(pick(m.r, []string{"oneOf", "anyOf"}), array(inner...))))
	}
	m.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// unionRule has the profile say something about a union.
func (m *mutator) unionRule(name, tag string) {
	f := m.profile("p")
	if f.tree == nil || f.tree.Kind != inside.Object {
		return
	}
	unions := f.tree.Get("unions")
	if unions == nil {
		unions = object()
		put(f.tree, "unions", unions)
	}
	rules := unions.Get("rules")
	if rules == nil || rules.Kind != inside.Array {
		rules = array()
		put(unions, "rules", rules)
	}
	rule := object(member("union", text(name)))
	if m.r.IntN(2) == 0 {
		put(rule, "open", truth(m.r.IntN(3) > 0))
	}
	if m.r.IntN(2) == 0 {
		put(rule, "discriminator", text(tag))
	}
	if m.r.IntN(4) == 0 || len(rule.Members) == 1 {
		put(rule, "tag", text(pick(m.r, []string{"FamilyTag", "FKind", "Raw", "Extra", "Type", m.plainName()})))
	}
	rules.Items = append(rules.Items, rule)
}

// held is a member that holds a type in some way.
func (m *mutator) held(name string) *inside.Node {
	ref := refTo(name)
	switch m.r.IntN(8) {
	case 0:
		return object(member("type", text("array")), member("items", ref))
	case 1:
		return object(member("type", text("object")), member("additionalProperties", ref))
	case 2:
		return object(member("anyOf", array(ref, object(member("type", text("null"))))))
	case 3:
		return object(member("anyOf", array(ref, object(member("type", text("string"))), object(member("type", text("array")), member("items", ref.Clone())))))
	}
	return ref
}

// plainSchema makes a schema that is mostly accepted.
func (m *mutator) plainSchema(depth int) *inside.Node {
	typ := func(name string) *inside.Node { return object(member("type", text(name))) }
	if depth == 0 {
		return typ(pick(m.r, []string{"string", "integer", "boolean", "number"}))
	}
	switch m.r.IntN(14) {
	case 0:
		return m.ref()
	case 1, 2:
		element := m.plainSchema(depth - 1)
		if allowsNull(element) && m.r.IntN(20) > 0 {
			element = typ("string")
		}
		return pick(m.r, []*inside.Node{object(member("type", text("array")), member("items", element)), object(member("type", text("object")), member("additionalProperties", element))})
	case 3:
		return object(member("anyOf", array(m.plainSchema(depth-1), typ("null"))))
	case 4:
		return object(member("type", texts(pick(m.r, []string{"string", "integer", "boolean"}), "null")))
	case 5:
		return object(member("type", text("string")), member("enum", texts("up", "down", m.plainName())))
	case 6:
		return object(member("anyOf", array(typ("string"), pick(m.r, []*inside.Node{typ("integer"), typ("boolean"), m.plainSchema(depth - 1)}))))
	case 7, 8:
		key := m.plainName()
		return object(member("type", text("object")), member("properties", object(member(key, m.plainSchema(depth-1)), member(key+"2", m.plainSchema(depth-1)))), member("required", texts(key)))
	case 9:
		return object()
	case 10:
		return object(member("type", text("integer")), member("enum", array(number("1"), number("2"))))
	}
	return typ(pick(m.r, []string{"string", "integer", "boolean", "number", "object"}))
}

// allowsNull reports whether a schema that plainSchema made has null among its values.
func allowsNull(n *inside.Node) bool {
	if list := n.Get("anyOf"); list != nil {
		return slices.ContainsFunc(list.Items, allowsNull)
	}
	typ := n.Get("type")
	return typ != nil && (typ.Text == "null" || len(typ.Items) > 0)
}

// inherit has an object inherit from others, and say once more what some of their members are.
func (m *mutator) inherit() bool {
	tree := m.schemaTree()
	defs := definitions(tree)
	if defs == nil {
		return false
	}
	s, ok := m.placeIn(tree, func(s slot) bool { return s.get().Kind == inside.Object && hasProperties(s.get()) })
	if !ok {
		return false
	}
	n := s.get()
	own := slices.Clone(n.Get("properties").Members)
	bases := array()
	for i := range 1 + m.r.IntN(3) {
		base := object(member("type", text("object")), member("properties", object()))
		for range 1 + m.r.IntN(3) {
			key := m.plainName()
			value := m.plainSchema(2)
			if len(own) > 0 && m.r.IntN(3) == 0 {
				again := pick(m.r, own)
				key = again.Key
				if m.r.IntN(8) > 0 {
					value = again.Value.Clone()
				}
			}
			put(base.Get("properties"), key, value)
		}
		own = append(own, base.Get("properties").Members...)
		if m.r.IntN(3) == 0 {
			put(base, "required", texts(base.Get("properties").Members[0].Key))
		}
		name := fmt.Sprintf("Base%d", i)
		switch m.r.IntN(4) {
		case 0:
			bases.Items = append(bases.Items, base)
		case 1:
			put(defs, name+"Name", refTo(name))
			bases.Items = append(bases.Items, refTo(name+"Name"))
			put(defs, name, base)
		default:
			put(defs, name, base)
			bases.Items = append(bases.Items, refTo(name))
		}
	}
	if m.r.IntN(8) == 0 {
		bases.Items = append(bases.Items, m.ref())
	}
	put(n, "allOf", bases)
	return true
}

// profile is that of the input, which gets one where it has none.
func (m *mutator) profile(name string) *file {
	f := m.in.file(profileName)
	if f != nil {
		return f
	}
	f = &file{name: profileName, tree: object(member("name", text(name)), member("title", text(name)))}
	m.in.set(f)
	if config := m.in.file(generator.ConfigName); config != nil && config.tree != nil {
		put(config.tree, "profile", text("./"+profileName))
	}
	return f
}
