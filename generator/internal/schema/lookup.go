// Lookups with indexes for large inputs.

package schema

import (
	"regexp"
	"slices"
	"strconv"
)

// indexFrom is the size from which objects are indexed.
const indexFrom = 16

// memberIndex is an index of members by key.
type memberIndex struct {
	of *Member // first member of the indexed list, to detect copies
	n  int
	at map[string]int
}

// find returns the index of the first member with the key, or -1.
func (n *Node) find(key string) int {
	if len(n.Members) < indexFrom {
		for i := range n.Members {
			if n.Members[i].Key == key {
				return i
			}
		}
		return -1
	}
	if n.index == nil || n.index.of != &n.Members[0] || n.index.n != len(n.Members) {
		n.index = &memberIndex{of: &n.Members[0], n: len(n.Members), at: make(map[string]int, len(n.Members))}
		for i := range n.Members {
			if _, ok := n.index.at[n.Members[i].Key]; !ok {
				n.index.at[n.Members[i].Key] = i
			}
		}
	}
	if i, ok := n.index.at[key]; ok {
		return i
	}
	return -1
}

// named returns the document with a name, or nil.
func (s *Set) named(name string) *Document {
	s.indexFiles()
	return s.files[name]
}

// withID returns the document with an $id, or nil.
func (s *Set) withID(id string) *Document {
	s.indexFiles()
	return s.ids[id]
}

func (s *Set) indexFiles() {
	if s.files == nil {
		s.files, s.ids = map[string]*Document{}, map[string]*Document{}
		for _, d := range s.Docs {
			if s.files[d.Name] == nil {
				s.files[d.Name] = d
			}
			if d.ID != "" && s.ids[d.ID] == nil {
				s.ids[d.ID] = d
			}
		}
	}
}

// anchor is a name within a file.
type anchor struct {
	in   *Document
	name string
}

// places are definitions by what references can call them, apart from their names: the first of each.
type places struct {
	ids     map[string]*Definition
	anchors map[anchor]*Definition
	nodes   map[*Node]*Definition
}

func (s *Set) indexPlaces() *places {
	if s.places != nil {
		return s.places
	}
	s.places = &places{map[string]*Definition{}, map[anchor]*Definition{}, map[*Node]*Definition{}}
	for _, doc := range s.Docs {
		for _, def := range doc.defs {
			if id := identity(def.Node); id != "" && s.places.ids[id] == nil && def.Node.Pos != doc.Root.Pos {
				s.places.ids[id] = def
			}
			for _, name := range anchors(def.Node) {
				if at := (anchor{doc, name}); s.places.anchors[at] == nil {
					s.places.anchors[at] = def
				}
			}
		}
	}
	for _, def := range s.merged {
		if s.places.nodes[def.Node] == nil {
			s.places.nodes[def.Node] = def
		}
	}
	return s.places
}

// Within returns the definition that a node within another definition is because a reference leads to it, or nil.
func (s *Set) Within(n *Node) *Definition { return s.within[n] }

// Names returns all names defined by documents and overlays. It can be called before Merge.
func (s *Set) Names() []string {
	var names []string
	seen := map[string]bool{}
	add := func(defs []*Definition) {
		for _, def := range defs {
			if !seen[def.Name] {
				seen[def.Name], names = true, append(names, def.Name)
			}
		}
	}
	for _, doc := range s.Docs {
		add(doc.defs)
	}
	add(sortedDefs(s.added))
	return names
}

// holder is the location of a schema in a definition.
type holder struct {
	definition string
	at         string // JSON pointer
	schema     *Node
}

// holderOf returns the location of a reference.
func (s *Set) holderOf(doc *Document, ref *Node) (holder, bool) {
	if s.holders == nil {
		s.holders = map[*Document]map[*Node]holder{}
	}
	found := s.holders[doc]
	if found == nil {
		found = map[*Node]holder{}
		for _, def := range doc.defs {
			collect(found, def.Name, def.Node, "")
		}
		for _, def := range sortedDefs(s.added) {
			collect(found, def.Name, def.Node, "")
		}
		s.holders[doc] = found
	}
	h, ok := found[ref]
	return h, ok
}

// collect records the locations of all references below a node.
func collect(found map[*Node]holder, definition string, n *Node, at string) {
	for _, m := range n.Members {
		if m.Key == "$ref" {
			if _, ok := found[m.Value]; !ok {
				found[m.Value] = holder{definition, at, n}
			}
		}
		if m.Value.Kind == Object || m.Value.Kind == Array {
			collect(found, definition, m.Value, at+"/"+PointerToken(m.Key))
		}
	}
	for i, item := range n.Items {
		if item.Kind == Object || item.Kind == Array {
			collect(found, definition, item, at+"/"+strconv.Itoa(i))
		}
	}
}

// Reference returns the target of a schema that consists of a reference, apart from documentation.
func (s *Schema) Reference() (*Reference, bool) {
	own := len(s.Types) > 0 || s.Enum != nil || s.Const != nil || s.Object || s.Required != nil ||
		s.Additional != nil || s.Items != nil || s.OneOf != nil || s.AnyOf != nil
	switch {
	case own:
		return nil, false
	case s.Ref != nil && s.AllOf == nil:
		return s.Ref, true
	case s.Ref == nil && len(s.AllOf) == 1:
		return s.AllOf[0].Reference()
	}
	return nil, false
}

// Follow resolves references until a schema with content. It returns nil for dangling and cyclic references.
func (s *Schema) Follow() *Schema {
	var way []*Definition
	var open map[*Definition]bool
	end := s
	for {
		ref, ok := end.Reference()
		if !ok {
			break
		}
		def := ref.Target
		if def == nil || def.Schema == nil || open[def] {
			end = nil
			break
		}
		if def.ended {
			end = def.end
			break
		}
		way = append(way, def)
		if open == nil {
			open = map[*Definition]bool{}
		}
		open[def] = true
		end = def.Schema
	}
	for _, def := range way {
		def.end, def.ended = end, true
	}
	return end
}

// Release frees parsed content. File names and texts remain.
func (s *Set) Release() {
	for _, doc := range s.Docs {
		doc.Root, doc.own, doc.defs, doc.byName, doc.lower = nil, nil, nil, nil, nil
	}
	s.added, s.constants, s.merged, s.byName, s.holders, s.places, s.within, s.roots, s.dynamic = nil, nil, nil, nil, nil, nil, nil, nil, nil
}

// Choices returns the alternatives of oneOf, or else of anyOf.
func (s *Schema) Choices() []*Schema {
	if s.OneOf != nil {
		return s.OneOf
	}
	return s.AnyOf
}

// Forbids reports whether a schema by its own keywords refuses objects with a member.
func (s *Schema) Forbids(member string) bool {
	if rest := s.Node.Get("additionalProperties"); rest == nil || rest.Kind != Bool || rest.Bool || s.Node.Get("properties").Get(member) != nil {
		return false
	}
	patterns := s.Node.Get("patternProperties")
	if patterns == nil {
		return true
	}
	for _, m := range patterns.Members {
		if expression, err := regexp.Compile(m.Key); err != nil || expression.MatchString(member) {
			return false
		}
	}
	return true
}

// isNullType reports whether null is the only type that a schema lists.
func isNullType(s *Schema) bool { return len(s.Types) == 1 && s.Types[0] == "null" }

// Referent returns the definition that a schema refers to, be it beside null, or nil.
func (s *Schema) Referent() *Definition {
	if others := slices.DeleteFunc(slices.Clone(s.Choices()), isNullType); len(others) == 1 {
		s = others[0]
	}
	if ref, ok := s.Reference(); ok {
		return ref.Target
	}
	return nil
}
