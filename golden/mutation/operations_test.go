// The mutations of schemas, and of any tree.

package mutation

import (
	"fmt"
	"path"
	"strings"

	"github.com/ahpgen/ahpgen/generator/inside"
)

// renameEverywhere gives a name another spelling wherever it is used, so that what refers to it
// still does.
func (m *mutator) renameEverywhere() bool {
	u, ok := m.someUse()
	if !ok {
		return false
	}
	old := u.text()
	if old == "" || u.key() == "$ref" || isKeyword(old) {
		return false
	}
	now := m.anyText()
	for _, f := range m.in.files {
		if f.tree != nil {
			respell(f.tree, old, now)
		}
	}
	return true
}

// respell replaces a name: keys, whole texts, ends of references and parts of paths.
func respell(n *inside.Node, old, now string) {
	switch n.Kind {
	case inside.String:
		switch {
		case n.Text == old:
			n.Text = now
		case strings.HasSuffix(n.Text, "/"+old) && strings.Contains(n.Text, "#/"):
			n.Text = strings.TrimSuffix(n.Text, old) + strings.ReplaceAll(strings.ReplaceAll(now, "~", "~0"), "/", "~1")
		case strings.Contains("."+n.Text+".", "."+old+"."):
			n.Text = strings.Trim(strings.ReplaceAll("."+n.Text+".", "."+old+".", "."+now+"."), ".")
		}
	case inside.Array:
		for _, item := range n.Items {
			respell(item, old, now)
		}
	case inside.Object:
		for i := range n.Members {
			if n.Members[i].Key == old {
				n.Members[i].Key = now
			}
			respell(n.Members[i].Value, old, now)
		}
	}
}

// isKeyword reports whether a key says something to ahpgen by itself.
func isKeyword(key string) bool {
	switch key {
	case "$ref", "$defs", "definitions", "type", "enum", "const", "properties", "required", "additionalProperties", "items", "oneOf", "anyOf", "allOf",
		"title", "description", "deprecated", "discriminator", "propertyName", "schemas", "out", "package", "profile", "names", "inputs", "options":
		return true
	}
	return strings.HasPrefix(key, "x-") || strings.HasPrefix(key, "$")
}

// describe gives a schema, or an entry of a profile, a description.
func (m *mutator) describe() bool {
	s, ok := m.place(func(s slot) bool { return isObject(s.get()) })
	if !ok {
		return false
	}
	description := hostileText(m.r)
	for range m.r.IntN(3) {
		description += pick(m.r, []string{"\n", " ", "\n\n", "\n```\n", "\r\n", ""}) + hostileText(m.r)
	}
	put(s.get(), pick(m.r, []string{"description", "description", "description", "title", "doc", "why"}), text(description))
	return true
}

// setText replaces one text, or one key.
func (m *mutator) setText() bool {
	u, ok := m.someUse()
	switch {
	case !ok:
	case u.isKey:
		u.parent.Members[u.index].Key = m.anyText()
	default:
		u.set(text(m.anyText()))
	}
	return ok
}

func (m *mutator) replaceValue() bool {
	s, ok := m.place(nil)
	if ok {
		s.set(m.anyValue())
	}
	return ok
}

func (m *mutator) delete() bool {
	s, ok := m.place(nil)
	if ok {
		s.remove()
	}
	return ok
}

// duplicate repeats an item, or a member under the same key or another.
func (m *mutator) duplicate() bool {
	s, ok := m.place(nil)
	if !ok {
		return false
	}
	copied := s.get().Clone()
	if s.parent.Kind == inside.Array {
		s.parent.Items = append(s.parent.Items, copied)
		return true
	}
	key := s.key()
	if m.r.IntN(4) > 0 {
		key = m.anyText()
	}
	s.parent.Members = append(s.parent.Members, member(key, copied))
	return true
}

func (m *mutator) swap() bool {
	tree := m.tree()
	a, ok := m.placeIn(tree, nil)
	if !ok {
		return false
	}
	b, _ := m.placeIn(tree, nil)
	x, y := a.get().Clone(), b.get().Clone()
	a.set(y)
	if m.r.IntN(2) == 0 {
		b.set(x)
	}
	return true
}

func (m *mutator) renameKey() bool {
	s, ok := m.place(func(s slot) bool { return s.parent.Kind == inside.Object })
	if ok {
		s.parent.Members[s.index].Key = m.anyText()
	}
	return ok
}

// move takes a subtree to another object or list.
func (m *mutator) move() bool {
	tree := m.tree()
	from, ok := m.placeIn(tree, nil)
	if !ok {
		return false
	}
	to, ok := m.placeIn(tree, func(s slot) bool { k := s.get().Kind; return k == inside.Object || k == inside.Array })
	if !ok {
		return false
	}
	value, key := from.get().Clone(), from.key()
	target := to.get()
	from.remove()
	if target.Kind == inside.Array {
		target.Items = append(target.Items, value)
	} else {
		target.Members = append(target.Members, member(key, value))
	}
	return true
}

// graft puts a subtree of any seed into the place of another.
func (m *mutator) graft() bool {
	s, ok := m.place(nil)
	if !ok {
		return false
	}
	donor := pick(m.r, m.seeds)
	list := slots(pick(m.r, donor.files).tree, nil)
	if len(list) == 0 {
		return false
	}
	s.set(pick(m.r, list).get().Clone())
	return true
}

func (m *mutator) addDefinition() bool {
	tree := m.schemaTree()
	if tree == nil {
		return false
	}
	defs := definitions(tree)
	if defs == nil {
		return false
	}
	name := m.anyText()
	switch m.r.IntN(4) {
	case 0:
		name = "New" + m.definitionName()
	case 1:
		name = pick(m.r, []string{"Unknown", "Decode", "", "Is"}) + m.definitionName() + pick(m.r, []string{"", "Type", "Kind", "Value", "Action", "s"})
	}
	put(defs, name, m.smallSchema(3))
	if s, ok := m.schemaPlace(nil); ok && m.r.IntN(2) == 0 {
		s.set(refTo(name))
	}
	return true
}

// splice takes a definition of another seed with the definitions around it.
func (m *mutator) splice() bool {
	tree := m.schemaTree()
	donors := pick(m.r, m.seeds).schemas()
	if tree == nil || len(donors) == 0 {
		return false
	}
	donor := pick(m.r, donors).tree
	if donor == nil {
		return false
	}
	from, to := definitions(donor), definitions(tree)
	if from == nil || to == nil || len(from.Members) == 0 {
		return false
	}
	for _, d := range from.Members {
		if to.Get(d.Key) == nil || m.r.IntN(8) == 0 {
			to.Members = append(to.Members, member(d.Key, d.Value.Clone()))
		}
	}
	if m.r.IntN(2) == 0 {
		for _, d := range donor.Members {
			if strings.HasPrefix(d.Key, "x-") {
				put(tree, d.Key, d.Value.Clone())
			}
		}
	}
	if s, ok := m.schemaPlace(nil); ok {
		s.set(refTo(pick(m.r, from.Members).Key))
	}
	return true
}

// retarget points a reference elsewhere, at itself or through new aliases, or puts one in.
func (m *mutator) retarget() bool {
	target := m.definitionName()
	if m.r.IntN(4) == 0 {
		defs := definitions(m.schemaTree())
		if defs == nil {
			return false
		}
		for i := range 1 + m.r.IntN(4) {
			alias := fmt.Sprintf("Alias%d", i)
			put(defs, alias, refTo(target))
			target = alias
		}
	}
	ref := refTo(target)
	switch m.r.IntN(12) {
	case 0:
		ref = object(member("$ref", text(pick(m.r, []string{"#", "#/", "#/$defs/", "#/$defs", "", "x", "http://x/y", "other.schema.json", "../x.json#/$defs/A", "file:///etc/passwd", "#/$defs/A/properties/a", "#/%24defs/A"}))))
	case 1:
		put(ref, "description", text(hostileText(m.r)))
	}
	s, ok := m.schemaPlace(func(n *inside.Node) bool { return n.Get("$ref") != nil })
	if !ok || m.r.IntN(2) == 0 {
		if s, ok = m.schemaPlace(nil); !ok {
			return false
		}
	}
	s.set(ref)
	return true
}

// wrap puts a schema into another.
func (m *mutator) wrap() bool {
	s, ok := m.schemaPlace(nil)
	if !ok {
		return false
	}
	inner := s.get().Clone()
	var outer *inside.Node
	switch m.r.IntN(9) {
	case 0:
		outer = object(member("allOf", array(inner)))
	case 1:
		outer = object(member("anyOf", array(inner, object(member("type", text("null"))))))
	case 2:
		outer = object(member("oneOf", array(inner, m.smallSchema(1))))
	case 3:
		outer = object(member("type", text("array")), member("items", inner))
	case 4:
		outer = object(member("type", text("object")), member("additionalProperties", inner))
	case 5:
		outer = object(member("type", text("object")), member("properties", object(member(m.anyText(), inner))))
	case 6:
		outer = object(member("anyOf", array(inner)))
	case 7:
		outer = object(member("allOf", array(inner, m.ref())))
	default:
		outer = object(member(pick(m.r, []string{"oneOf", "anyOf"}), array(m.ref(), inner)))
	}
	s.set(outer)
	return true
}

// nest puts choices into choices, many deep.
func (m *mutator) nest() bool {
	s, ok := m.schemaPlace(nil)
	if !ok {
		return false
	}
	n := s.get().Clone()
	key := pick(m.r, []string{"anyOf", "oneOf", "allOf"})
	for range 2 + m.r.IntN(25) {
		if m.r.IntN(6) == 0 {
			key = pick(m.r, []string{"anyOf", "oneOf", "allOf"})
		}
		other := n
		switch m.r.IntN(4) {
		case 0:
			other = m.ref()
		case 1:
			other = m.smallSchema(0)
		case 2:
			other = nil
		}
		list := array(n)
		if other != nil && len(n.Compact()) < 20_000 {
			list.Items = append(list.Items, other.Clone())
		}
		n = object(member(key, list))
	}
	s.set(n)
	return true
}

// addMember declares one more member of an object.
func (m *mutator) addMember() bool {
	s, ok := m.schemaPlace(hasProperties)
	if !ok {
		return false
	}
	n := s.get()
	key := m.anyText()
	put(n.Get("properties"), key, m.smallSchema(2))
	if required := n.Get("required"); m.r.IntN(2) == 0 {
		if required == nil || required.Kind != inside.Array {
			put(n, "required", texts(key))
		} else {
			required.Items = append(required.Items, text(key))
		}
	}
	return true
}

// addValue adds a value to an enum, or makes a member a constant.
func (m *mutator) addValue() bool {
	s, ok := m.placeIn(m.schemaTree(), func(s slot) bool { return s.key() == "enum" && s.get().Kind == inside.Array })
	if ok && m.r.IntN(3) > 0 {
		list := s.get()
		for range 1 + m.r.IntN(3) {
			value := text(m.anyText())
			if len(list.Items) > 0 && list.Items[0].Kind == inside.Number {
				value = number(pick(m.r, hostileNumbers))
			}
			list.Items = append(list.Items, value)
		}
		return true
	}
	s, ok = m.placeIn(m.schemaTree(), func(s slot) bool { return s.key() == "const" })
	if !ok {
		return false
	}
	s.set(text(m.anyText()))
	if m.r.IntN(3) == 0 {
		s.set(m.anyValue())
	}
	return true
}

// makeUnion makes a definition that is a choice, of variants that are there or are made for it.
func (m *mutator) makeUnion() bool {
	defs := definitions(m.schemaTree())
	if defs == nil {
		return false
	}
	choice := array()
	tag := m.anyText()
	for i := range 1 + m.r.IntN(4) {
		switch m.r.IntN(4) {
		case 0:
			choice.Items = append(choice.Items, m.ref())
		case 1:
			choice.Items = append(choice.Items, m.smallSchema(1))
		default:
			name := fmt.Sprintf("Variant%d%s", i, pick(m.r, []string{"", "A", hostileText(m.r)}))
			variant := object(member("type", text("object")), member("required", texts(tag)),
				member("properties", object(member(tag, object(member("const", text(m.anyText())))), member(m.anyText(), m.smallSchema(1)))))
			put(defs, name, variant)
			choice.Items = append(choice.Items, refTo(name))
		}
	}
	union := object(member(pick(m.r, []string{"oneOf", "anyOf"}), choice))
	if m.r.IntN(2) == 0 {
		put(union, "discriminator", object(member("propertyName", text(tag))))
	}
	if m.r.IntN(3) == 0 {
		choice.Items = append(choice.Items, object(member("x-unknown", truth(true))))
	}
	name := pick(m.r, []string{"Choice", "Choice", m.anyText()})
	put(defs, name, union)
	if s, ok := m.schemaPlace(nil); ok && m.r.IntN(2) == 0 {
		s.set(refTo(name))
	}
	return true
}

// bound adds a keyword that limits values.
func (m *mutator) bound() bool {
	s, ok := m.schemaPlace(isObject)
	if !ok {
		return false
	}
	key := pick(m.r, []string{"minimum", "maximum", "multipleOf", "exclusiveMinimum", "minLength", "maxItems", "pattern", "format", "default", "examples", "$comment", "$id", "$schema",
		"not", "if", "patternProperties", "prefixItems", "$anchor", "deprecated", "minProperties", "uniqueItems", "contentEncoding", "const", "enum", "additionalProperties", "items"})
	value := number(pick(m.r, hostileNumbers))
	if m.r.IntN(2) == 0 {
		value = m.anyValue()
	}
	put(s.get(), key, value)
	return true
}

// fileName gives a schema file another name.
func (m *mutator) fileName() bool {
	list := m.in.schemas()
	if len(list) == 0 {
		return false
	}
	f := pick(m.r, list)
	base := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == 0 {
			return '_'
		}
		return r
	}, hostileText(m.r))
	if len(base) > 100 {
		base = strings.ToValidUTF8(base[:100], "")
	}
	f.name = path.Join(schemaFolder, "x"+base+".schema.json")
	return true
}

// splitFile moves definitions into another file, or copies them.
func (m *mutator) splitFile() bool {
	tree := m.schemaTree()
	defs := definitions(tree)
	if defs == nil || len(defs.Members) < 2 {
		return false
	}
	i := m.r.IntN(len(defs.Members))
	moved := object()
	for _, d := range defs.Members[i:] {
		moved.Members = append(moved.Members, member(d.Key, d.Value.Clone()))
	}
	if m.r.IntN(3) > 0 {
		defs.Members = defs.Members[:i:i]
	}
	m.in.set(&file{name: path.Join(schemaFolder, "other.schema.json"), tree: object(member("$defs", moved))})
	return true
}

// rawBytes changes, cuts or repeats bytes.
func (m *mutator) rawBytes() bool {
	f := pick(m.r, m.in.files)
	data := f.bytes()
	if len(data) == 0 {
		return false
	}
	at := m.r.IntN(len(data))
	switch m.r.IntN(4) {
	case 0:
		data = data[:at]
	case 1:
		data[at] = byte(m.r.IntN(256))
	case 2:
		data = append(data[:at:at], append([]byte(hostileText(m.r)), data[at:]...)...)
	default:
		data = append(data[:at:at], data[min(at+1+m.r.IntN(8), len(data)):]...)
	}
	*f = *newFile(f.name, data)
	return true
}
