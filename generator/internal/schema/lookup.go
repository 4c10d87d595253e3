// Lookups that do not slow down with the size of what is looked through.

package schema

import "strconv"

// indexFrom is the number of members from which on an object is looked through by an index.
const indexFrom = 16

// memberIndex finds the members of one list by key.
type memberIndex struct {
	of *Member // the first member of the list: a node that was copied and changed has another
	n  int
	at map[string]int
}

// find returns the place of the first member with the key, -1 if there is none.
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

// named returns the document with a name, nil if there is none.
func (s *Set) named(name string) *Document {
	s.indexFiles()
	return s.files[name]
}

// withID returns the document with an $id, nil if there is none.
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

// Names are those of all that documents and overlays define, each once; it works before Merge.
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

// holder is the place of a schema inside a definition.
type holder struct {
	definition string
	at         string // JSON pointer
	schema     *Node
}

// holderOf says where a reference stands in a document or an overlay.
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

// collect notes where every reference stands below a node.
func collect(found map[*Node]holder, definition string, n *Node, at string) {
	for _, m := range n.Members {
		if m.Key == "$ref" {
			if _, ok := found[m.Value]; !ok {
				found[m.Value] = holder{definition, at, n}
			}
		}
		if m.Value.Kind == Object || m.Value.Kind == Array {
			collect(found, definition, m.Value, at+"/"+pointerToken(m.Key))
		}
	}
	for i, item := range n.Items {
		if item.Kind == Object || item.Kind == Array {
			collect(found, definition, item, at+"/"+strconv.Itoa(i))
		}
	}
}

// Reference returns what a schema refers to if it says nothing else, or only describes it otherwise.
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

// Follow returns the schema with content that references lead to from this one, itself if it is no
// reference, nil if they lead nowhere or in a circle. A way is only walked once.
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

// Release lets go of what the files say. Their names and texts stay.
func (s *Set) Release() {
	for _, doc := range s.Docs {
		doc.Root, doc.defs, doc.byName, doc.lower = nil, nil, nil, nil
	}
	s.added, s.constants, s.merged, s.byName, s.holders = nil, nil, nil, nil, nil
}

// Choices are the alternatives of oneOf or, if there is none, of anyOf.
func (s *Schema) Choices() []*Schema {
	if s.OneOf != nil {
		return s.OneOf
	}
	return s.AnyOf
}
