// The mutations of what schemas do not say by themselves: vendor keywords, profiles, effects,
// configurations and locks.

package mutation

import (
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// vendorKeywords make a fitting value for each keyword; odd ones come from anyValue.
var vendorKeywords = []struct {
	key  string
	root bool
	make func(m *mutator) *schema.Node
}{
	{"x-protocol", true, func(m *mutator) *schema.Node {
		return object(member("name", text(m.anyText())), member("title", text(m.anyText())), member("version", text(pick(m.r, versions))), member("supported", texts(pick(m.r, versions), m.anyText())))
	}},
	{"x-initialisms", true, func(m *mutator) *schema.Node { return texts(m.anyText(), m.anyText()) }},
	{"x-channels", true, func(m *mutator) *schema.Node {
		return array(object(member("name", text(m.anyText())), member("uri", text(m.anyText())), member("description", text(hostileText(m.r)))),
			object(member("name", text("tools")), member("uri", text("tools://<id>"+m.anyText())), member("passThrough", text(m.anyText()))))
	}},
	{"x-extensions", true, func(m *mutator) *schema.Node {
		return object(member("prefix", text(m.anyText())), member("meta", text(m.anyText())))
	}},
	{"x-handshake", true, func(m *mutator) *schema.Node {
		return object(member("method", text(m.anyText())), member("offer", text(m.anyText())), member("answer", text(m.anyText())), member("error", number("-32005")), member("supported", text(m.anyText())))
	}},
	{"x-go-name", false, func(m *mutator) *schema.Node { return text(m.anyText()) }},
	{"x-enum-names", false, func(m *mutator) *schema.Node { return texts(m.anyText(), m.anyText()) }},
	{"x-enum-descriptions", false, func(m *mutator) *schema.Node { return texts(hostileText(m.r), hostileText(m.r)) }},
	{"x-bitset", false, func(m *mutator) *schema.Node {
		return object(member(m.anyText(), number("1")), member(m.anyText(), number("2")), member(m.anyText(), number(pick(m.r, hostileNumbers))))
	}},
	{"x-abstract", false, func(m *mutator) *schema.Node { return truth(true) }},
	{"x-instead", false, func(m *mutator) *schema.Node { return text(m.memberPath()) }},
	{"x-partial-of", false, func(m *mutator) *schema.Node { return text(m.definitionName()) }},
	{"x-tag", false, func(m *mutator) *schema.Node { return text(m.anyText()) }},
	{"x-unknown", false, func(m *mutator) *schema.Node { return truth(true) }},
	{"x-channel", false, func(m *mutator) *schema.Node {
		return object(member("name", text(m.anyText())), member("uri", text(m.anyText())), member("prefix", text(m.anyText())))
	}},
	{"x-actions", false, func(m *mutator) *schema.Node { return object(member("client", text(m.anyText()))) }},
	{"x-since", false, func(m *mutator) *schema.Node { return text(pick(m.r, versions)) }},
	{"x-client-dispatchable", false, func(m *mutator) *schema.Node { return truth(true) }},
	{"x-dispatched", false, func(m *mutator) *schema.Node { return truth(true) }},
	{"x-method", false, func(m *mutator) *schema.Node { return text(m.anyText()) }},
	{"x-side", false, func(m *mutator) *schema.Node { return text(pick(m.r, []string{"host", "client", "both"})) }},
	{"x-result", false, func(m *mutator) *schema.Node { return text(m.definitionName()) }},
	{"x-notification", false, func(m *mutator) *schema.Node { return truth(true) }},
	{"x-error-codes", false, func(m *mutator) *schema.Node { return truth(true) }},
	{"x-error-data", false, func(m *mutator) *schema.Node { return object(member("-1", text(m.definitionName()))) }},
	{"x-nonsense", false, func(m *mutator) *schema.Node { return m.anyValue() }},
	{"deprecated", false, func(m *mutator) *schema.Node { return truth(true) }},
}

var versions = []string{"0.7.0", "1.0", "1", "2.0.0-rc.1", "0.0.0", "999999999999999999999.0", "1.0.0-\nx", "01.2", "1.0.0+x", "", "latest", "1.0.0-" + canary}

// vendor states a fact about a schema, or about the protocol.
func (m *mutator) vendor() bool {
	k := pick(m.r, vendorKeywords)
	value := k.make(m)
	if m.r.IntN(6) == 0 {
		value = m.anyValue()
	}
	if k.root {
		tree := m.schemaTree()
		if tree == nil || tree.Kind != schema.Object {
			return false
		}
		put(tree, k.key, value)
		return true
	}
	s, ok := m.schemaPlace(isObject)
	if !ok {
		return false
	}
	put(s.get(), k.key, value)
	if k.key == "x-method" { // it is worth nothing alone
		put(s.get(), "x-side", text(pick(m.r, []string{"host", "client", "both"})))
		if m.r.IntN(2) == 0 {
			put(s.get(), "x-notification", truth(true))
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

// profileEntries make an entry for each list of a profile, which is named by its keys.
var profileEntries = []struct {
	path []string
	make func(m *mutator) *schema.Node
}{
	{[]string{"naming", "names"}, func(m *mutator) *schema.Node {
		return object(member("at", text(m.at())), member("name", text(m.anyText())))
	}},
	{[]string{"naming", "initialisms"}, func(m *mutator) *schema.Node { return text(m.anyText()) }},
	{[]string{"numbers", "integers"}, func(m *mutator) *schema.Node { return object(member("at", text(m.at()))) }},
	{[]string{"numbers", "floats"}, func(m *mutator) *schema.Node { return object(member("at", text(m.at()))) }},
	{[]string{"unions", "rules"}, func(m *mutator) *schema.Node {
		return object(member("union", text(m.definitionName())), member("open", truth(m.r.IntN(2) == 0)), member("tag", text(m.anyText())), member("discriminator", text(m.anyText())))
	}},
	{[]string{"unions", "discriminators"}, func(m *mutator) *schema.Node { return text(m.anyText()) }},
	{[]string{"enums", "rules"}, func(m *mutator) *schema.Node {
		return object(member("enum", text(m.definitionName())), member("open", truth(m.r.IntN(2) == 0)), member("names", object(member(m.anyText(), text(m.anyText())))))
	}},
	{[]string{"partials"}, func(m *mutator) *schema.Node {
		return object(member("at", text(m.at())), member("of", text(m.definitionName())), member("name", text(m.anyText())))
	}},
	{[]string{"omit"}, func(m *mutator) *schema.Node { return object(member("definition", text(m.definitionName()))) }},
	{[]string{"channels"}, func(m *mutator) *schema.Node {
		return object(member("name", text(m.anyText())), member("uri", text(m.anyText())), member("prefix", text(m.anyText())), member("state", text(m.definitionName())), member("doc", text(hostileText(m.r))))
	}},
	{[]string{"actions", "rules"}, func(m *mutator) *schema.Node {
		return object(member("type", text(m.anyText())), member("since", text(pick(m.r, versions))), member("client", truth(true)))
	}},
	{[]string{"actions", "dispatched"}, func(m *mutator) *schema.Node { return object(member("at", text(m.at()))) }},
	{[]string{"methods"}, func(m *mutator) *schema.Node {
		return object(member("name", text(m.anyText())), member("from", text(pick(m.r, []string{"client", "host", "both"}))), member("kind", text(pick(m.r, []string{"request", "notification"}))),
			member("params", text(m.definitionName())), member("since", text(pick(m.r, versions))), member("doc", text(hostileText(m.r))))
	}},
	{[]string{"errors", "enums"}, func(m *mutator) *schema.Node { return text(m.definitionName()) }},
	{[]string{"errors", "codes"}, func(m *mutator) *schema.Node {
		return object(member("code", number(pick(m.r, hostileNumbers))), member("name", text(m.anyText())), member("data", text(m.definitionName())), member("doc", text(hostileText(m.r))))
	}},
	{[]string{"overlay"}, func(m *mutator) *schema.Node {
		return object(member("definition", text(m.definitionName())), member("why", text("It is so.")),
			member(pick(m.r, []string{"define", "patch", "append", "remove", "enumeration", "was"}), m.anyValue()))
	}},
	{[]string{"ignoreKeywords"}, func(m *mutator) *schema.Node { return text(m.anyText()) }},
	{[]string{"versions", "supported"}, func(m *mutator) *schema.Node { return text(pick(m.r, versions)) }},
	{[]string{"versions", "recognise"}, func(m *mutator) *schema.Node {
		return object(member("version", text(pick(m.r, versions))), member("definitions", texts(m.definitionName())))
	}},
}

// profileEntry adds an entry to the profile, mostly where it belongs. An input without a profile
// gets one.
func (m *mutator) profileEntry() bool {
	f := m.in.file(profileName)
	if f == nil {
		f = m.profile(m.anyText())
	}
	if f.tree == nil || f.tree.Kind != schema.Object {
		return false
	}
	if m.r.IntN(10) == 0 {
		put(f.tree, pick(m.r, []string{"name", "title", "package", "sharedDefinitions", "handshake", "extensions", "replication", "files"}), m.anyValue())
		return true
	}
	e := pick(m.r, profileEntries)
	entry := e.make(m)
	if m.r.IntN(8) == 0 {
		put(entry, pick(m.r, []string{"versions", "why", "until", "repairedIn"}), text(pick(m.r, versions)))
	}
	if m.r.IntN(12) == 0 {
		e = pick(m.r, profileEntries) // where it does not belong
	}
	n := f.tree
	for i, key := range e.path {
		next := n.Get(key)
		if next == nil {
			next = object()
			if i == len(e.path)-1 {
				next = array()
			}
			if key == "actions" {
				put(next, "union", text(m.definitionName()))
			}
			put(n, key, next)
		}
		n = next
	}
	n.Items = append(n.Items, entry)
	if n.Kind != schema.Array {
		n.Items = nil
		return false
	}
	return true
}

// effect adds an effect to an action, or changes one that is there.
func (m *mutator) effect() bool {
	tree := m.schemaTree()
	if m.r.IntN(3) == 0 && m.in.file(profileName) != nil {
		tree = m.in.file(profileName).tree
	}
	s, ok := m.placeIn(tree, func(s slot) bool {
		return (s.key() == "x-effects" || s.key() == "effects" || s.key() == "then") && s.get().Kind == schema.Array
	})
	if !ok {
		if s, ok = m.schemaPlace(hasProperties); !ok {
			return false
		}
		put(s.get(), "x-effects", array(m.oneEffect(2)))
		return true
	}
	list := s.get()
	if m.r.IntN(2) == 0 || len(list.Items) == 0 {
		list.Items = append(list.Items, m.oneEffect(2))
		return true
	}
	step := pick(m.r, list.Items)
	if !isObject(step) {
		return false
	}
	key := pick(m.r, []string{"from", "value", "bits", "mask", "key", "every", "complete", "then", "except", "replace", "variant", "effects", "when", "set", "clear", "flag", "upsert", "remove", "merge", "patch", "append", "reorder"})
	put(step, key, m.effectPart(key, 1))
	return true
}

func (m *mutator) oneEffect(depth int) *schema.Node {
	out := object(member(pick(m.r, []string{"set", "clear", "flag", "upsert", "remove", "merge", "patch", "append", "reorder"}), text(m.memberPath())))
	for range m.r.IntN(4) {
		key := pick(m.r, []string{"from", "from", "from", "value", "bits", "key", "key", "every", "complete", "then", "except", "replace", "variant", "effects", "when"})
		put(out, key, m.effectPart(key, depth))
	}
	return out
}

func (m *mutator) effectPart(key string, depth int) *schema.Node {
	if m.r.IntN(10) == 0 {
		return m.anyValue()
	}
	switch key {
	case "value":
		return pick(m.r, []*schema.Node{text(m.anyText()), truth(true), number(pick(m.r, hostileNumbers)), array(), object()})
	case "bits", "mask":
		return number(pick(m.r, hostileNumbers))
	case "every", "complete":
		return truth(m.r.IntN(2) == 0)
	case "then", "effects":
		if depth == 0 {
			return array()
		}
		return array(m.oneEffect(depth - 1))
	case "except":
		return texts(m.memberPath())
	case "variant":
		return text(m.anyText())
	case "when":
		return pick(m.r, []*schema.Node{
			object(member("present", text(m.memberPath()))),
			object(member("member", text(m.memberPath())), member("is", pick(m.r, []*schema.Node{text(m.anyText()), truth(false), number("1")}))),
			object(member("state", text(m.memberPath())), member("equals", text(m.memberPath()))),
		})
	case "key":
		if m.r.IntN(3) == 0 {
			return texts(m.memberPath(), m.memberPath())
		}
	}
	return text(m.memberPath())
}

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
	if f == nil || f.tree == nil || f.tree.Kind != schema.Object {
		return false
	}
	switch m.r.IntN(12) {
	case 8:
		put(f.tree, "runtime", text(pick(m.r, []string{m.anyText(), "out/rt", "out/wire/rpc", "out/a/b", "out", ".", "rt", "out/" + m.anyText()})))
	case 9:
		put(f.tree, "transports", texts("websocket"))
	case 10:
		put(f.tree, "logs", texts("bolt"))
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
		if s, ok := m.placeIn(m.schemaTree(), func(s slot) bool { return s.key() == "const" && s.get().Kind == schema.String }); ok {
			own.Items = append(own.Items, s.get().Clone())
		}
		put(f.tree, "reducers", object(member("own", own)))
	case 7:
		put(f.tree, pick(m.r, []string{"profile", "schemas", "out"}), text(m.anyText()))
	default:
		put(f.tree, pick(m.r, []string{"schemas", "profile", "protocolVersion", "out", "package", "reducers", "host", "runtime", "transports", "logs", "$schema", hostileText(m.r)}), m.anyValue())
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
		if s, ok := m.placeIn(all, func(s slot) bool { return s.get().Kind == schema.String }); ok {
			name := m.anyText()
			switch m.r.IntN(4) {
			case 0:
				if other, ok := m.placeIn(all, func(s slot) bool { return s.get().Kind == schema.String }); ok {
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
