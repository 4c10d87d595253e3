// Mutations: changes of an input by its structure, drawn from a source of random numbers.

package mutation

import (
	"math/rand/v2"
	"strings"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// mutator changes one input.
type mutator struct {
	r     *rand.Rand
	in    *input
	seeds []*input
}

// mutate makes the input of a run. The same numbers make the same input.
func mutate(seeds []*input, seed, run uint64) *input {
	r := rand.New(rand.NewPCG(seed, run))
	from := pick(r, seeds)
	for range 3 {
		// What is refused already is worth less, and so is what shows nothing special.
		other := pick(r, seeds)
		if from.refused && r.IntN(5) > 0 || other.rich > from.rich && !other.refused && r.IntN(3) == 0 {
			from = other
		}
	}
	m := &mutator{r: r, in: from.clone(), seeds: seeds}
	if r.IntN(2) == 0 {
		m.in.drop(generator.LockName)
	}
	total := 0
	for _, op := range operations {
		total += op.weight
	}
	for n := 1; n <= 12; n++ {
		at := r.IntN(total)
		for _, op := range operations {
			if at -= op.weight; at < 0 {
				if op.apply(m) {
					m.in.steps = append(m.in.steps, op.name)
				}
				break
			}
		}
		if r.IntN(100) < 50 {
			break
		}
	}
	m.keepCheap()
	return m.in
}

// keepCheap has nearly all configurations name schemas of their own: those that come with ahpgen are
// a hundred times as large as a seed.
func (m *mutator) keepCheap() {
	f := m.in.file(generator.ConfigName)
	if m.r.IntN(20) == 0 || f == nil || f.tree == nil || f.tree.Kind != inside.Object {
		return
	}
	if named := f.tree.Get("schemas"); named == nil || generator.IsEmbedded(named.Text) {
		put(f.tree, "schemas", text(schemaFolder))
	}
}

// operations are the mutations with their weights. Each reports whether it changed anything.
var operations = []struct {
	name   string
	weight int
	apply  func(*mutator) bool
}{
	{"rename everywhere", 14, (*mutator).renameEverywhere},
	{"describe", 6, (*mutator).describe},
	{"set text", 8, (*mutator).setText},
	{"replace value", 5, (*mutator).replaceValue},
	{"delete", 5, (*mutator).delete},
	{"duplicate", 4, (*mutator).duplicate},
	{"swap", 3, (*mutator).swap},
	{"rename key", 3, (*mutator).renameKey},
	{"move", 3, (*mutator).move},
	{"graft", 4, (*mutator).graft},
	{"add definition", 6, (*mutator).addDefinition},
	{"splice definition", 5, (*mutator).splice},
	{"transplant definition", 6, (*mutator).transplant},
	{"cross definitions", 8, (*mutator).cross},
	{"gate", 5, (*mutator).gate},
	{"retarget reference", 6, (*mutator).retarget},
	{"wrap", 6, (*mutator).wrap},
	{"nest choices", 2, (*mutator).nest},
	{"add member", 8, (*mutator).addMember},
	{"add value", 6, (*mutator).addValue},
	{"make union", 5, (*mutator).makeUnion},
	{"family", 10, (*mutator).family},
	{"inherit", 4, (*mutator).inherit},
	{"bound", 2, (*mutator).bound},
	{"vendor keyword", 8, (*mutator).vendor},
	{"profile entry", 6, (*mutator).profileEntry},
	{"effect", 8, (*mutator).effect},
	{"configuration", 4, (*mutator).configure},
	{"lock name", 5, (*mutator).lockName},
	{"file name", 1, (*mutator).fileName},
	{"split file", 2, (*mutator).splitFile},
	{"raw bytes", 1, (*mutator).rawBytes},
}

// slot is a place in a tree: a member of an object or an item of a list.
type slot struct {
	parent *inside.Node
	index  int
}

func (s slot) get() *inside.Node {
	if s.parent.Kind == inside.Array {
		return s.parent.Items[s.index]
	}
	return s.parent.Members[s.index].Value
}

func (s slot) set(n *inside.Node) {
	if s.parent.Kind == inside.Array {
		s.parent.Items[s.index] = n
	} else {
		s.parent.Members[s.index].Value = n
	}
}

func (s slot) key() string {
	if s.parent.Kind == inside.Object {
		return s.parent.Members[s.index].Key
	}
	return ""
}

func (s slot) remove() {
	if s.parent.Kind == inside.Array {
		s.parent.Items = append(s.parent.Items[:s.index:s.index], s.parent.Items[s.index+1:]...)
	} else {
		s.parent.Members = append(s.parent.Members[:s.index:s.index], s.parent.Members[s.index+1:]...)
	}
}

// slots lists every place of a tree that fits.
func slots(n *inside.Node, fits func(slot) bool) []slot {
	var out []slot
	var walk func(n *inside.Node)
	walk = func(n *inside.Node) {
		for i := range max(len(n.Items), len(n.Members)) {
			s := slot{n, i}
			if fits == nil || fits(s) {
				out = append(out, s)
			}
			walk(s.get())
		}
	}
	if n != nil {
		walk(n)
	}
	return out
}

// use is a text or a key of an input.
type use struct {
	slot
	isKey bool
}

func (u use) text() string {
	if u.isKey {
		return u.key()
	}
	return u.get().Text
}

// uses lists the texts and keys of all files by their roles, such as the names of channels or the keys
// of definitions, so that rare ones are not lost among many descriptions.
func (m *mutator) uses() (roles []string, byRole map[string][]use) {
	byRole = map[string][]use{}
	add := func(role string, u use) {
		if byRole[role] == nil {
			roles = append(roles, role)
		}
		byRole[role] = append(byRole[role], u)
	}
	var walk func(n *inside.Node, role string)
	walk = func(n *inside.Node, role string) {
		for i := range max(len(n.Items), len(n.Members)) {
			s := slot{n, i}
			below := role + "/*"
			if n.Kind == inside.Object {
				if fixed := s.key(); role == "" || isKeyword(fixed) || !isContainer(role) {
					below = fixed
				} else {
					add("key of "+role, use{s, true})
				}
			}
			if s.get().Kind == inside.String {
				add(below, use{s, false})
			}
			walk(s.get(), below)
		}
	}
	for _, f := range m.in.files {
		if f.tree != nil {
			walk(f.tree, "")
		}
	}
	return roles, byRole
}

// richness is how many kinds of things an input states.
func richness(in *input) int {
	roles, _ := (&mutator{in: in}).uses()
	return len(roles)
}

// isContainer reports whether the keys below a key are names rather than words of the format.
func isContainer(key string) bool {
	switch key {
	case "properties", "$defs", "definitions", "names", "names/*", "x-bitset", "x-error-data", "enumeration":
		return true
	}
	return false
}

// someUse picks a text or a key, each role with the same chance.
func (m *mutator) someUse() (use, bool) {
	roles, byRole := m.uses()
	if len(roles) == 0 {
		return use{}, false
	}
	return pick(m.r, byRole[pick(m.r, roles)]), true
}

// tree picks a file and returns its tree: mostly a schema, sometimes the profile, the lock or the
// configuration.
func (m *mutator) tree() *inside.Node {
	var f *file
	switch n := m.r.IntN(20); {
	case n < 5:
		f = m.in.file(profileName)
	case n < 6:
		f = m.in.file(generator.ConfigName)
	case n < 7:
		f = m.in.file(generator.LockName)
	}
	if f == nil || f.tree == nil {
		return m.schemaTree()
	}
	return f.tree
}

func (m *mutator) schemaTree() *inside.Node {
	list := m.in.schemas()
	if len(list) == 0 {
		return nil
	}
	return pick(m.r, list).tree
}

// place picks a place that fits in some file.
func (m *mutator) place(fits func(slot) bool) (slot, bool) {
	return m.placeIn(m.tree(), fits)
}

func (m *mutator) placeIn(tree *inside.Node, fits func(slot) bool) (slot, bool) {
	list := slots(tree, fits)
	if len(list) == 0 {
		return slot{}, false
	}
	return pick(m.r, list), true
}

// definitions returns the object that holds the definitions of a schema, nil where there is none.
func definitions(tree *inside.Node) *inside.Node {
	for _, key := range []string{"$defs", "definitions"} {
		if defs := tree.Get(key); defs != nil && defs.Kind == inside.Object {
			return defs
		}
	}
	return nil
}

// definitionNames lists the names of all definitions.
func (m *mutator) definitionNames() []string {
	var out []string
	for _, f := range m.in.schemas() {
		if f.tree == nil {
			continue
		}
		if defs := definitions(f.tree); defs != nil {
			for _, d := range defs.Members {
				out = append(out, d.Key)
			}
		}
	}
	return out
}

func (m *mutator) definitionName() string {
	if list := m.definitionNames(); len(list) > 0 {
		return pick(m.r, list)
	}
	return "A"
}

// ref is a reference to some definition.
func (m *mutator) ref() *inside.Node { return refTo(m.definitionName()) }

func refTo(name string) *inside.Node {
	escaped := strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	return object(member("$ref", text("#/$defs/"+escaped)))
}

// schemaPlaces lists the places of a schema file where a schema stands.
func schemaPlaces(tree *inside.Node) []slot {
	var out []slot
	var walk func(s slot)
	below := func(n *inside.Node) {
		for i := range n.Members {
			v := n.Members[i].Value
			switch n.Members[i].Key {
			case "items", "additionalProperties":
				walk(slot{n, i})
			case "properties", "$defs", "definitions":
				if v.Kind == inside.Object {
					for j := range v.Members {
						walk(slot{v, j})
					}
				}
			case "oneOf", "anyOf", "allOf":
				if v.Kind == inside.Array {
					for j := range v.Items {
						walk(slot{v, j})
					}
				}
			}
		}
	}
	walk = func(s slot) {
		out = append(out, s)
		below(s.get())
	}
	if tree != nil {
		below(tree)
	}
	return out
}

// schemaPlace picks a place where a schema stands.
func (m *mutator) schemaPlace(fits func(*inside.Node) bool) (slot, bool) {
	var list []slot
	for _, s := range schemaPlaces(m.schemaTree()) {
		if fits == nil || fits(s.get()) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return slot{}, false
	}
	return pick(m.r, list), true
}

func isObject(n *inside.Node) bool { return n.Kind == inside.Object }

// hasProperties fits schemas of objects with members.
func hasProperties(n *inside.Node) bool {
	p := n.Get("properties")
	return p != nil && p.Kind == inside.Object
}

// anyText picks a text: a hostile one, or one that the input has somewhere.
func (m *mutator) anyText() string {
	if m.r.IntN(3) > 0 {
		return hostileText(m.r)
	}
	if s, ok := m.place(func(s slot) bool { return s.get().Kind == inside.String || s.parent.Kind == inside.Object }); ok {
		if s.parent.Kind == inside.Object && m.r.IntN(2) == 0 {
			return s.key()
		}
		if s.get().Kind == inside.String {
			return s.get().Text
		}
	}
	return m.definitionName()
}

// anyValue makes a value of any kind.
func (m *mutator) anyValue() *inside.Node {
	switch m.r.IntN(9) {
	case 0:
		return null()
	case 1:
		return truth(m.r.IntN(2) == 0)
	case 2, 3:
		return number(pick(m.r, hostileNumbers))
	case 4, 5:
		return text(m.anyText())
	case 6:
		return array(m.atoms()...)
	case 7:
		return object(member(m.anyText(), text(m.anyText())))
	}
	return m.smallSchema(2)
}

func (m *mutator) atoms() []*inside.Node {
	var out []*inside.Node
	for range m.r.IntN(4) {
		switch m.r.IntN(4) {
		case 0:
			out = append(out, null())
		case 1:
			out = append(out, number(pick(m.r, hostileNumbers)))
		default:
			out = append(out, text(m.anyText()))
		}
	}
	return out
}

// smallSchema makes a schema.
func (m *mutator) smallSchema(depth int) *inside.Node {
	typ := func(name string) *inside.Node { return object(member("type", text(name))) }
	n := m.r.IntN(16)
	if depth == 0 {
		n = m.r.IntN(8)
	}
	switch n {
	case 0:
		return typ("integer")
	case 1:
		return typ("boolean")
	case 2:
		return m.ref()
	case 3:
		return object(member("const", text(m.anyText())))
	case 4:
		return object(member("type", text("string")), member("enum", texts(m.anyText(), hostileText(m.r), m.anyText())))
	case 5:
		return pick(m.r, []*inside.Node{object(), truth(true), typ("null"), typ("number"), typ("object"), typ("array"), object(member("type", texts("string", "null")))})
	case 6, 7:
		return typ("string")
	case 8:
		return object(member("type", text("array")), member("items", m.smallSchema(depth-1)))
	case 9:
		return object(member("type", text("object")), member("additionalProperties", m.smallSchema(depth-1)))
	case 10:
		return object(member("anyOf", array(m.smallSchema(depth-1), typ("null"))))
	case 11:
		return object(member(pick(m.r, []string{"oneOf", "anyOf", "allOf"}), array(m.smallSchema(depth-1), m.smallSchema(depth-1))))
	case 12:
		return object(member("type", text("integer")), member("enum", array(number(pick(m.r, hostileNumbers)), number("3"))))
	}
	key := m.anyText()
	out := object(member("type", text("object")), member("properties", object(member(key, m.smallSchema(depth-1)), member("k"+key, m.smallSchema(depth-1)))))
	if m.r.IntN(2) == 0 {
		put(out, "required", texts(key))
	}
	return out
}
