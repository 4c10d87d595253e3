// Dangling references, collected so that repairs can be drafted.

package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Missing is a reference to an undefined name.
type Missing struct {
	Name string   // name of the definition, or ""
	File string   // file within the folder, or as written in an overlay
	Pos  diag.Pos // position of the reference

	// Location of the reference, set only if it has no name.
	Definition string
	At         string // JSON pointer to the referring schema in the definition
	Schema     *Node  // that schema
}

// Missing returns the dangling references by position. It is complete after Parse.
func (s *Set) Missing() []Missing {
	return slices.SortedFunc(maps.Values(s.missing), func(a, b Missing) int { return a.Pos.Compare(b.Pos) })
}

// miss records a dangling reference.
func (s *Set) miss(doc *Document, ref *Node, name string) {
	m := Missing{Name: name, File: doc.Name, Pos: ref.Pos}
	if ref.Pos.File != doc.Display {
		m.File = ref.Pos.File // written by an overlay
	}
	if name == "" {
		if h, ok := s.holderOf(doc, ref); ok {
			m.Definition, m.At, m.Schema = h.definition, h.at, h.schema
		}
	}
	if s.missing == nil {
		s.missing = map[diag.Pos]Missing{}
	}
	s.missing[ref.Pos] = m
}

// PointerToken escapes a name for a JSON pointer.
func PointerToken(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
