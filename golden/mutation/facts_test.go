// The mutations of what schemas do not say by themselves: vendor keywords, profiles, effects,
// configurations and locks.

package mutation

import (
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

var versions = []string{"0.7.0", "1.0", "1", "2.0.0-rc.1", "0.0.0", "999999999999999999999.0", "1.0.0-\nx", "01.2", "1.0.0+x", "", "latest", "1.0.0-" + canary}

// vendor states a fact about a schema, or about the protocol, with what has to stand beside it.
func (m *mutator) vendor() bool {
	if m.r.IntN(20) == 0 {
		s, ok := m.schemaPlace(isObject)
		if ok {
			put(s.get(), pick(m.r, []string{"deprecated", "x-nonsense"}), pick(m.r, []*inside.Node{truth(true), m.anyValue()}))
		}
		return ok
	}
	k := pick(m.r, keywords())
	n := m.schemaTree()
	if !k.root {
		s, ok := m.schemaPlace(isObject)
		if !ok {
			return false
		}
		n = s.get()
	}
	if n == nil || n.Kind != inside.Object {
		return false
	}
	needs := formAt(vocabularyFile, "/$defs/keywords/dependentRequired")
	put(n, k.name, m.fitting(k.name, k.form, 3))
	for _, name := range needs.Get(k.name).List() {
		if i := slices.IndexFunc(keywords(), func(other keyword) bool { return other.name == name.Text }); i >= 0 && m.r.IntN(10) > 0 {
			put(n, name.Text, m.fitting(name.Text, keywords()[i].form, 3))
		}
	}
	return true
}

// at names a definition or a member of one, as profiles do.
func (m *mutator) at() string {
	switch m.r.IntN(4) {
	case 0:
		return m.definitionName()
	case 1:
		return m.anyText()
	}
	if s, ok := m.schemaPlace(hasProperties); ok {
		if list := s.get().Get("properties").Members; len(list) > 0 {
			return m.definitionName() + "." + pick(m.r, list).Key
		}
	}
	return m.definitionName() + "." + m.anyText()
}

// profileLists are the lists of a profile, and the objects that have them.
var profileLists = sync.OnceValue(func() (out []struct {
	path []string
	form form
}) {
	var walk func(path []string, f form)
	walk = func(path []string, f form) {
		members, forms := f.members()
		for i, m := range members {
			below := append(slices.Clip(path), m.Key)
			switch to, _ := forms[i].follow(); to.Get("type").Str() {
			case "array":
				out = append(out, struct {
					path []string
					form form
				}{below, to})
			case "object":
				walk(below, to)
			}
		}
	}
	walk(nil, formAt(profileFile, ""))
	return out
})

// profileEntry adds an entry to the profile, mostly where it belongs. An input without a profile
// gets one.
func (m *mutator) profileEntry() bool {
	f := m.in.file(profileName)
	if f == nil {
		f = m.profile(m.anyText())
	}
	if f.tree == nil || f.tree.Kind != inside.Object {
		return false
	}
	if m.r.IntN(10) == 0 {
		members, forms := formAt(profileFile, "").members()
		i := m.r.IntN(len(members))
		put(f.tree, members[i].Key, m.fitting(members[i].Key, forms[i], 3))
		return true
	}
	list := pick(m.r, profileLists())
	entry := m.fitting("", list.form.below(list.form.Get("items")), 3)
	if m.r.IntN(12) == 0 {
		list = pick(m.r, profileLists()) // where it does not belong
	}
	n := f.tree
	for i, key := range list.path {
		next := n.Get(key)
		if next == nil {
			next = object()
			if i == len(list.path)-1 {
				next = array()
			}
			if key == "actions" {
				put(next, "union", text(m.definitionName()))
			}
			put(n, key, next)
		}
		n = next
	}
	if n.Kind != inside.Array {
		return false
	}
	n.Items = append(n.Items, entry)
	return true
}

// effect adds an effect to an action, or changes one that is there.
func (m *mutator) effect() bool {
	tree := m.schemaTree()
	if m.r.IntN(3) == 0 && m.in.file(profileName) != nil {
		tree = m.in.file(profileName).tree
	}
	s, ok := m.placeIn(tree, func(s slot) bool {
		return (s.key() == "x-effects" || s.key() == "effects" || s.key() == "then") && s.get().Kind == inside.Array
	})
	if !ok {
		if s, ok = m.schemaPlace(hasProperties); !ok {
			return false
		}
		put(s.get(), "x-effects", array(m.oneEffect()))
		return true
	}
	list := s.get()
	if m.r.IntN(2) == 0 || len(list.Items) == 0 {
		list.Items = append(list.Items, m.oneEffect())
		return true
	}
	step := pick(m.r, list.Items)
	if !isObject(step) {
		return false
	}
	members, forms := effectForm().members()
	i := m.r.IntN(len(members))
	put(step, members[i].Key, m.fitting(members[i].Key, forms[i], 2))
	return true
}

func effectForm() form { return formAt(vocabularyFile, "/$defs/effect") }

func (m *mutator) oneEffect() *inside.Node { return m.fitting("", effectForm(), 4) }

// memberPath names a member, as effects do.
func (m *mutator) memberPath() string {
	name := func() string {
		if s, ok := m.schemaPlace(hasProperties); ok && m.r.IntN(8) > 0 {
			if list := s.get().Get("properties").Members; len(list) > 0 {
				return pick(m.r, list).Key
			}
		}
		return m.anyText()
	}
	switch m.r.IntN(8) {
	case 0:
		return "."
	case 1:
		return name() + "." + name()
	}
	return name()
}

// configure changes an option.
func (m *mutator) configure() bool {
	f := m.in.file(generator.ConfigName)
	if f == nil || f.tree == nil || f.tree.Kind != inside.Object {
		return false
	}
	switch m.r.IntN(12) {
	case 8:
		put(f.tree, "runtime", text(pick(m.r, []string{m.anyText(), "out/rt", "out/wire/rpc", "out/a/b", "out", ".", "rt", "out/" + m.anyText()})))
	case 9:
		put(f.tree, "transports", texts("websocket"))
	case 10:
		put(f.tree, "logs", texts("bolt", "jetstream"))
		put(f.tree, "observers", texts("opentelemetry"))
	case 0:
		put(f.tree, "package", text(pick(m.r, []string{m.anyText(), "x", "main", "init", "json", "type", "_", "a_test", "context", "p_", "string", "documentation", "x1"})))
	case 1:
		put(f.tree, "protocolVersion", text(pick(m.r, versions)))
	case 2, 3:
		put(f.tree, "host", object(member("skeleton", truth(true))))
	case 4:
		put(f.tree, "reducers", object(member("omit", truth(m.r.IntN(2) == 0))))
	case 5, 6:
		own := texts(m.anyText())
		if s, ok := m.placeIn(m.schemaTree(), func(s slot) bool { return s.key() == "const" && s.get().Kind == inside.String }); ok {
			own.Items = append(own.Items, s.get().Clone())
		}
		put(f.tree, "reducers", object(member("own", own)))
	case 7:
		put(f.tree, pick(m.r, []string{"profile", "schemas", "out"}), text(m.anyText()))
	default:
		put(f.tree, pick(m.r, []string{"schemas", "profile", "protocolVersion", "out", "package", "reducers", "host", "runtime", "transports", "logs", "observers", "$schema", hostileText(m.r)}), m.anyValue())
	}
	return true
}

// lockName changes the lock: mostly a Go name in it.
func (m *mutator) lockName() bool {
	f := m.in.file(generator.LockName)
	if f == nil || f.tree == nil {
		return false
	}
	if all := f.tree.Get("names"); all != nil && m.r.IntN(5) > 0 {
		if s, ok := m.placeIn(all, func(s slot) bool { return s.get().Kind == inside.String }); ok {
			name := m.anyText()
			switch m.r.IntN(4) {
			case 0:
				if other, ok := m.placeIn(all, func(s slot) bool { return s.get().Kind == inside.String }); ok {
					name = other.get().Text // taken
				}
			case 1:
				name = "X" + pick(m.r, names())
			}
			s.set(text(name))
			return true
		}
	}
	s, ok := m.placeIn(f.tree, nil)
	if ok {
		s.set(m.anyValue())
	}
	return ok
}
