// Statements: keywords that a profile states about schemas, as if they were part of them.

package schema

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// State sets keywords at the places that a path names, or with an empty one at the root, in every file that has them. It
// returns the paths, "" for the root.
func (s *Set) State(at string, keywords []Member) (paths []string) {
	if at == "" {
		if s.stateAtRoot(keywords) {
			paths = []string{""}
		}
		return paths
	}
	for _, place := range s.Locate(at) {
		for _, def := range s.copies(place.Definition) {
			if node, ok := stated(def.Node, SplitPointer(place.At), keywords); ok {
				def.Node = node
				s.restated = each.With(s.restated, def)
				paths = append(paths, place.Path)
			}
		}
	}
	return paths
}

// stateAtRoot sets keywords in the file that has them, or else in the first.
func (s *Set) stateAtRoot(keywords []Member) bool {
	for _, k := range keywords {
		has := func(d *Document) bool { return d.Root.find(k.Key) >= 0 }
		i := max(slices.IndexFunc(s.Docs, has), 0)
		if i == len(s.Docs) {
			return false
		}
		root := *s.Docs[i].Root
		root.Members = slices.Clone(root.Members)
		root.put(k)
		s.Docs[i].Root = &root
	}
	return true
}

// copies returns the definitions of a name in all files.
func (s *Set) copies(name string) []*Definition {
	var out []*Definition
	for _, doc := range s.Docs {
		if def := doc.definition(name); def != nil {
			out = append(out, def)
		}
	}
	if def := s.added[name]; def != nil {
		out = append(out, def)
	}
	return out
}

// stated returns a copy of a schema with keywords added at a place in it.
func stated(n *Node, path []string, keywords []Member) (*Node, bool) {
	return n.with(path, func(n *Node, rest []string) (*Node, bool) {
		if len(rest) > 0 || n.Kind != Object {
			return n, false
		}
		out := *n
		out.Members = slices.Clone(n.Members)
		for _, k := range keywords {
			out.put(k)
		}
		return &out, true
	})
}

// put sets a member of an unshared object.
func (n *Node) put(m Member) {
	if i := n.find(m.Key); i >= 0 {
		n.Members[i] = m
		return
	}
	n.Members = append(n.Members, m)
}

// noteVendor has a definition checked if what was put into it has vendor keywords.
func (s *Set) noteVendor(def *Definition, n *Node) {
	if n.holdsVendor() {
		s.restated = each.With(s.restated, def)
	}
}

func (n *Node) holdsVendor() bool {
	if n == nil {
		return false
	}
	for key := range n.all() {
		if isVendor(key) {
			return true
		}
	}
	return false
}

// CheckStatements validates definitions changed by statements and repairs against the vocabulary. Dependent keywords may be in
// the schema itself.
func (s *Set) CheckStatements(wrong diag.Places) []diag.Diagnostic {
	var diags diag.List
	for _, def := range s.restated {
		alone := &Node{Kind: Object, Members: []Member{{Key: def.Name, Value: s.own(def.Node)}}}
		root := &Node{Kind: Object, Members: []Member{{Key: "$defs", Value: alone}}}
		diags.AddNew(forms().Check(root, vocabularyCode, wrong)...)
	}
	s.restated = nil
	return diags.Items()
}
