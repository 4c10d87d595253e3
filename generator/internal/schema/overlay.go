// Overlays: repairs of schemas, applied before they are parsed.

package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Op is the operation of an edit.
type Op int

// The overlay operations.
const (
	Define         Op = iota // add a missing definition
	DefineConstant           // add a constant as a target of references; it becomes no type
	Drop                     // remove a definition
	Patch                    // apply an RFC 7396 merge patch
	Append                   // append an item to a list
	Remove                   // remove an item from a list
	Rename                   // call the definition of one file otherwise
)

// Edit is an overlay entry.
type Edit struct {
	Pos        diag.Pos
	Op         Op
	Definition string
	At         string // JSON pointer inside the definition, which may have wildcards, or ""
	Value      *Node  // nil for Drop
	Supplied   bool   // the definition is an enum with names that only counts if referenced
	Was        *Node  // the expected current value, or nil
	File, To   string // of Rename: the file, and the new name
}

// Apply applies the edit to every copy of the definition and returns the number of places changed.
func (s *Set) Apply(e Edit) (n int) {
	switch e.Op {
	case DefineConstant:
		if s.constants == nil {
			s.constants = map[string]*Node{}
		}
		s.constants[e.Definition] = e.Value // counted with the enum
	case Define:
		return s.define(e)
	case Rename:
		if slices.ContainsFunc(s.Docs, func(doc *Document) bool { return doc.Name == e.File && doc.rename(e.Definition, e.To) }) {
			return 1
		}
	case Drop:
		return s.drop(e.Definition)
	default:
		for _, def := range s.copies(e.Definition) {
			n += s.edit(def, e)
		}
	}
	return n
}

// define adds a definition, unless there is one.
func (s *Set) define(e Edit) int {
	if def := s.added[e.Definition]; def != nil && def.Supplied && e.Supplied {
		return extend(def, e.Value)
	}
	if s.Has(e.Definition) {
		return 0
	}
	if s.added == nil {
		s.added = map[string]*Definition{}
	}
	// The copy gets a document so that its references resolve like those of a file.
	doc := &Document{Name: "overlay", Display: e.Pos.File, byName: map[string]*Definition{}}
	if len(s.Docs) > 0 {
		doc = s.Docs[0]
	}
	def := &Definition{Name: e.Definition, Pos: e.Pos, Node: e.Value, Doc: doc, Supplied: e.Supplied}
	s.added[e.Definition] = def
	s.noteVendor(def, e.Value)
	return 1
}

// drop removes a definition from all files.
func (s *Set) drop(name string) int {
	all := s.copies(name)
	for _, doc := range s.Docs {
		maps.DeleteFunc(doc.byName, func(_ string, def *Definition) bool { return slices.Contains(all, def) })
		doc.defs = slices.DeleteFunc(doc.defs, func(def *Definition) bool { return slices.Contains(all, def) })
	}
	delete(s.added, name)
	return len(all)
}

// edit makes an edit at each place that its pointer means, and returns how many have changed.
func (s *Set) edit(def *Definition, e Edit) (n int) {
	for _, at := range expand(def.Node, e.At) {
		e.At = at
		if root, ok := edit(def.Node, SplitPointer(at), e); ok {
			def.Node = root
			s.noteVendor(def, e.Value)
			n++
		}
	}
	return n
}

// Differs reports whether something else stands at the place of an edit than what it replaces: then there is nothing to do.
func (s *Set) Differs(e Edit) bool {
	return e.Was != nil && slices.ContainsFunc(s.Docs, func(doc *Document) bool {
		def := doc.definition(e.Definition)
		if def == nil {
			return false
		}
		return slices.ContainsFunc(expand(def.Node, e.At), func(at string) bool {
			n := def.Node.At(at)
			return n != nil && !n.Equal(e.Was)
		})
	})
}

// Repaired returns a file with its definitions as the overlay leaves them.
func (s *Set) Repaired(doc *Document) *Node {
	root := &Node{Kind: Object, Pos: doc.Root.Pos, Members: slices.Clone(doc.Root.Members)}
	if own := doc.root(); own != nil {
		defs := each.Where(doc.Root.Members, func(m Member) bool { return m.Key == "$defs" || m.Key == "definitions" })
		root.Members = slices.Concat(own.Node.Members, defs)
	}
	for i, m := range root.Members {
		if m.Key != "$defs" && m.Key != "definitions" || m.Value.Kind != Object {
			continue
		}
		defs := *m.Value
		defs.Members = nil
		for _, d := range m.Value.Members {
			def := doc.byName[d.Key]
			switch {
			case def != nil && def.Pos == d.KeyPos:
				d.Value = def.Node
			case def == nil && !isNamespace(d.Value):
				continue // dropped
			}
			defs.Members = append(defs.Members, d)
		}
		root.Members[i].Value = &defs
	}
	return root
}

// repaired returns a file as Repaired does, once the definitions are merged, after which none is edited.
func (s *Set) repaired(doc *Document) *Node {
	if s.roots[doc] == nil {
		if s.roots == nil {
			s.roots = map[*Document]*Node{}
		}
		s.roots[doc] = s.Repaired(doc)
	}
	return s.roots[doc]
}

// extend adds values and names to an enum added by an earlier edit.
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

// edit returns the node with the change at path.
func edit(n *Node, path []string, e Edit) (*Node, bool) {
	return n.with(path, func(n *Node, rest []string) (*Node, bool) {
		switch {
		case len(rest) == 0:
			return change(n, e)
		case len(rest) > 1 || n.Kind != Object || e.Op != Patch || e.Was != nil || !e.describes():
			return n, false
		}
		c := *n
		c.Members = append(slices.Clone(n.Members), Member{Key: rest[0], KeyPos: e.Pos, Value: e.Value})
		return &c, true
	})
}

// with returns the node with the result of a function in place of the node at a path, and copies the nodes on the way. If there is none,
// the function gets the last one that there is, with the rest of the path.
func (n *Node) with(path []string, f func(n *Node, rest []string) (*Node, bool)) (*Node, bool) {
	if len(path) == 0 {
		return f(n, nil)
	}
	c := *n
	var ok bool
	switch n.Kind {
	case Object:
		if i := n.find(path[0]); i >= 0 {
			c.Members = slices.Clone(n.Members)
			c.Members[i].Value, ok = n.Members[i].Value.with(path[1:], f)
			return &c, ok
		}
	case Array:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(n.Items) {
			c.Items = slices.Clone(n.Items)
			c.Items[i], ok = n.Items[i].with(path[1:], f)
			return &c, ok
		}
	}
	return f(n, path)
}

// describes reports whether a patch is complete enough to create a missing value. For a member, it must state its
// type.
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
			// The known value is replaced rather than merged; documentation is kept.
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
