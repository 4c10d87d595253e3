// Overlays: repairs that a profile makes to schemas before anything is read out of them.

package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Op is what an edit does.
type Op int

// The operations of an overlay.
const (
	Define         Op = iota // add a definition that the schemas lack
	DefineConstant           // add a constant that references stand for; it becomes no type
	Drop                     // leave a definition out
	Patch                    // merge a value into the place, as RFC 7396 does
	Append                   // add an item to the list at the place
	Remove                   // take an item out of the list at the place
)

// Edit is one entry of an overlay.
type Edit struct {
	Pos        diag.Pos
	Op         Op
	Definition string
	At         string // JSON pointer inside the definition, "" for the definition itself
	Value      *Node  // nil for Drop
	Supplied   bool   // what is defined is an enum with names, and counts only if something refers to it
	Was        *Node  // the edit applies only if this stands at the place now; nil for any value
}

// Apply makes the edit in every file that has the definition and reports in how many places it
// found something to do.
func (s *Set) Apply(e Edit) int {
	if e.Op == DefineConstant {
		if s.constants == nil {
			s.constants = map[string]*Node{}
		}
		s.constants[e.Definition] = e.Value
		return 0 // the enum it belongs to says whether the entry was needed
	}
	if e.Op == Define {
		if def := s.added[e.Definition]; def != nil && def.Supplied && e.Supplied {
			return extend(def, e.Value)
		}
		if s.Has(e.Definition) {
			return 0
		}
		if s.added == nil {
			s.added = map[string]*Definition{}
		}
		// The copy borrows a document so that its references resolve like those of a file.
		doc := &Document{Name: "overlay", Display: e.Pos.File, byName: map[string]*Definition{}}
		if len(s.Docs) > 0 {
			doc = s.Docs[0]
		}
		s.added[e.Definition] = &Definition{Name: e.Definition, Pos: e.Pos, Node: e.Value, Doc: doc, Supplied: e.Supplied}
		return 1
	}
	n := 0
	for _, doc := range s.Docs {
		def := doc.byName[e.Definition]
		if def == nil {
			continue
		}
		if e.Op == Drop {
			delete(doc.byName, e.Definition)
			doc.defs = slices.DeleteFunc(doc.defs, func(d *Definition) bool { return d == def })
			n++
			continue
		}
		if root, ok := edit(def.Node, SplitPointer(e.At), e); ok {
			def.Node = root
			n++
		}
	}
	if def := s.added[e.Definition]; def != nil {
		if e.Op == Drop {
			delete(s.added, e.Definition)
			return n + 1
		}
		if root, ok := edit(def.Node, SplitPointer(e.At), e); ok {
			def.Node = root
			n++
		}
	}
	return n
}

// extend adds the values of an enum, and their names, to one that an earlier edit has supplied.
func extend(def *Definition, more *Node) int {
	values, names := *def.Node.Get("enum"), *def.Node.Get("x-enum-names")
	added := 0
	for i, v := range more.Get("enum").Items {
		if !slices.ContainsFunc(values.Items, v.Equal) {
			values.Items = append(slices.Clip(values.Items), v)
			names.Items = append(slices.Clip(names.Items), more.Get("x-enum-names").Items[i])
			added++
		}
	}
	root := *def.Node
	root.Members = slices.Clone(root.Members)
	for i, m := range root.Members {
		switch m.Key {
		case "enum":
			root.Members[i].Value = &values
		case "x-enum-names":
			root.Members[i].Value = &names
		}
	}
	def.Node = &root
	return added
}

// edit returns the node with the change made below path. Nodes on the way are copied.
func edit(n *Node, path []string, e Edit) (*Node, bool) {
	if len(path) == 0 {
		return change(n, e)
	}
	c := *n
	switch n.Kind {
	case Object:
		i := n.find(path[0])
		if i < 0 {
			if len(path) == 1 && e.Op == Patch && e.Was == nil && e.describes() {
				c.Members = append(slices.Clone(n.Members), Member{Key: path[0], KeyPos: e.Pos, Value: e.Value})
				return &c, true
			}
			return n, false
		}
		c.Members = slices.Clone(n.Members)
		value, ok := edit(n.Members[i].Value, path[1:], e)
		c.Members[i].Value = value
		return &c, ok
	case Array:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(n.Items) {
			return n, false
		}
		c.Items = slices.Clone(n.Items)
		value, ok := edit(n.Items[i], path[1:], e)
		c.Items[i] = value
		return &c, ok
	}
	return n, false
}

// describes reports whether a patch can stand where nothing is. For a member it has to say what its values are: a repair of one
// that is not there has nothing to do.
func (e Edit) describes() bool {
	path := SplitPointer(e.At)
	if len(path) < 2 || path[len(path)-2] != "properties" || e.Value.Kind != Object || len(e.Value.Members) == 0 {
		return true
	}
	return slices.ContainsFunc(e.Value.Members, func(m Member) bool {
		return slices.Contains([]string{"type", "$ref", "enum", "const", "oneOf", "anyOf", "allOf"}, m.Key)
	})
}

func change(n *Node, e Edit) (*Node, bool) {
	if e.Was != nil && !n.Equal(e.Was) {
		return n, false
	}
	switch e.Op {
	case Patch:
		if e.Was != nil && strings.HasPrefix(e.At, "/") {
			// What was known to be there is replaced, not mixed with the repair; wording stays.
			return keepWording(n, e.Value), true
		}
		merged := mergePatch(n, e.Value)
		return merged, !merged.Equal(n)
	case Append:
		if n.Kind != Array || slices.ContainsFunc(n.Items, e.Value.Equal) {
			return n, false
		}
		c := *n
		c.Items = append(slices.Clone(n.Items), e.Value)
		return &c, true
	case Remove:
		if n.Kind != Array || !slices.ContainsFunc(n.Items, e.Value.Equal) {
			return n, false
		}
		c := *n
		c.Items = slices.DeleteFunc(slices.Clone(n.Items), e.Value.Equal)
		return &c, true
	}
	return n, false
}

func keepWording(old, repaired *Node) *Node {
	if old.Kind != Object || repaired.Kind != Object || repaired.Get("description") != nil {
		return repaired
	}
	i := slices.IndexFunc(old.Members, func(m Member) bool { return m.Key == "description" })
	if i < 0 {
		return repaired
	}
	c := *repaired
	c.Members = append(slices.Clone(repaired.Members), old.Members[i])
	return &c
}

// mergePatch is RFC 7396: objects merge member by member, null removes, anything else replaces.
func mergePatch(target, patch *Node) *Node {
	if patch.Kind != Object {
		return patch
	}
	out := &Node{Kind: Object, Pos: patch.Pos}
	if target != nil && target.Kind == Object {
		out.Pos = target.Pos
		out.Members = slices.Clone(target.Members)
	}
	at := make(map[string]int, len(out.Members))
	for i, m := range out.Members {
		at[m.Key] = i
	}
	for _, m := range patch.Members {
		i, ok := at[m.Key]
		switch {
		case m.Value.Kind == Null && ok:
			out.Members[i].Value = nil
		case m.Value.Kind == Null:
		case ok:
			out.Members[i].Value = mergePatch(out.Members[i].Value, m.Value)
		default:
			out.Members = append(out.Members, Member{Key: m.Key, KeyPos: m.KeyPos, Value: mergePatch(nil, m.Value)})
		}
	}
	out.Members = slices.DeleteFunc(out.Members, func(m Member) bool { return m.Value == nil })
	return out
}
