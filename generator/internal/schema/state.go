// Statements: keywords that a profile states about schemas, as if they were part of them.

package schema

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// State sets keywords on a definition, on Definition.member, or with an empty at on the root, in every file that has
// it. It reports whether the place exists.
func (s *Set) State(at string, keywords []Member) bool {
	if at == "" {
		return s.stateAtRoot(keywords)
	}
	name, member := at, ""
	if !s.Has(at) {
		dot := max(strings.LastIndexByte(at, '.'), 0)
		name, member = at[:dot], strings.TrimPrefix(at[dot:], ".")
	}
	found := false
	for _, def := range s.copies(name) {
		node, ok := stated(def.Node, member, keywords)
		if ok {
			def.Node, found = node, true
			s.restated = append(s.restated, def)
		}
	}
	return found
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
		if def := doc.byName[name]; def != nil {
			out = append(out, def)
		}
	}
	if def := s.added[name]; def != nil {
		out = append(out, def)
	}
	return out
}

// stated returns a copy of a schema with keywords added to it or to its member.
func stated(n *Node, member string, keywords []Member) (*Node, bool) {
	if n.Kind != Object {
		return n, false
	}
	out := *n
	out.Members = slices.Clone(n.Members)
	if member == "" {
		for _, k := range keywords {
			out.put(k)
		}
		return &out, true
	}
	for i, m := range out.Members {
		parts := *m.Value
		switch m.Key {
		case "properties":
			at := parts.find(member)
			if at < 0 {
				continue
			}
			parts.Members = slices.Clone(parts.Members)
			value, ok := stated(parts.Members[at].Value, "", keywords)
			parts.Members[at].Value, out.Members[i].Value = value, &parts
			return &out, ok
		case "allOf":
			parts.Items = slices.Clone(parts.Items)
			for at, part := range parts.Items {
				value, ok := stated(part, member, keywords)
				if ok {
					parts.Items[at], out.Members[i].Value = value, &parts
					return &out, true
				}
			}
		}
	}
	return n, false
}

// put sets a member of an unshared object.
func (n *Node) put(m Member) {
	if i := n.find(m.Key); i >= 0 {
		n.Members[i] = m
		return
	}
	n.Members = append(n.Members, m)
}

// CheckStatements validates definitions changed by statements against the vocabulary. Dependent keywords may be in
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
