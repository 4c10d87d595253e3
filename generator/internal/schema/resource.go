// Resources: schemas within a file that have an identifier of their own, which references in them are relative to.

package schema

import (
	"slices"
	"strconv"
	"strings"
)

// resource is a schema with an identifier of its own within a file.
type resource struct {
	doc     *Document
	pointer string // where it stands
	id      string // absolute if that of the file is, or it is so itself
}

// resources are those of all files.
type resources struct {
	byID  map[string]*resource
	bases map[*Node]*resource // the resources that references stand in, by their values
}

// resourceOf returns the resource that a reference leads into, or nil if that is a file. The part of the reference in front of
// the fragment is given.
func (s *Set) resourceOf(doc *Document, ref *Node, file string) *resource {
	if s.resources == nil {
		s.resources = &resources{map[string]*resource{}, map[*Node]*resource{}}
		for _, d := range s.Docs {
			s.resources.collect(&resource{doc: d, id: d.ID}, d.Root, "", "", 0)
		}
	}
	base := s.resources.bases[ref]
	switch {
	case file != "" && base != nil:
		return s.resources.byID[relativeTo(base.id, file)]
	case file != "":
		return s.resources.byID[relativeTo(doc.ID, file)]
	case base != nil && base.pointer != "":
		return base
	}
	return nil
}

// data are keywords whose values are no schemas.
var data = []string{"const", "enum", "default", "example", "examples"}

// IsData reports whether the value of a keyword holds no schemas, whatever it looks like.
func IsData(keyword string) bool { return slices.Contains(data, keyword) }

// collect notes the resources below a node, and the references in each. The keyword is what the node is the value of.
func (r *resources) collect(in *resource, n *Node, pointer, keyword string, depth int) {
	if depth > MaxDepth {
		return
	}
	id := n.Get("$id").Str()
	if old := n.Get("id"); id == "" && old != nil && in.doc.isOldID(Member{Key: "id", Value: old}) {
		id = strings.TrimSuffix(old.Str(), "#")
	}
	if n.Kind == Object && pointer != "" && id != "" && id[0] != '#' {
		in = &resource{in.doc, pointer, relativeTo(in.id, id)}
		if r.byID[in.id] == nil {
			r.byID[in.id] = in
		}
	}
	for _, m := range n.Members {
		if m.Key == "$ref" && m.Value.Kind == String {
			r.bases[m.Value] = in
		}
		key := m.Key
		if HoldsSchemas(keyword) {
			key = "" // a name
		}
		if !IsData(key) {
			r.collect(in, m.Value, pointer+"/"+PointerToken(m.Key), key, depth+1)
		}
	}
	for i, item := range n.Items {
		r.collect(in, item, pointer+"/"+strconv.Itoa(i), "", depth+1)
	}
}
