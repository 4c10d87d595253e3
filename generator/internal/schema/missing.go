// References to definitions that no file has, kept so that a repair can be drafted for each.

package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Missing is a reference to a definition that no file and no overlay has.
type Missing struct {
	Name string   // of the definition; "" if the reference gives none
	File string   // within the folder of schemas, or as written for a reference in an overlay
	Pos  diag.Pos // of the reference

	// Where the reference stands; only set if it gives no name.
	Definition string
	At         string // JSON pointer inside the definition to the schema that refers
	Schema     *Node  // that schema
}

// Missing lists the references to definitions that are nowhere, by position. It is complete after Parse.
func (s *Set) Missing() []Missing {
	return slices.SortedFunc(maps.Values(s.missing), func(a, b Missing) int { return a.Pos.Compare(b.Pos) })
}

// miss notes a reference in doc to a definition that is nowhere.
func (s *Set) miss(doc *Document, ref *Node, name string) {
	m := Missing{Name: name, File: doc.Name, Pos: ref.Pos}
	if ref.Pos.File != doc.Display {
		m.File = ref.Pos.File // an overlay wrote it
	}
	if name == "" {
		s.locate(&m, doc, ref)
	}
	if s.missing == nil {
		s.missing = map[diag.Pos]Missing{}
	}
	s.missing[ref.Pos] = m
}

// locate fills in where a reference stands.
func (s *Set) locate(m *Missing, doc *Document, ref *Node) {
	if h, ok := s.holderOf(doc, ref); ok {
		m.Definition, m.At, m.Schema = h.definition, h.at, h.schema
	}
}

// pointerToken escapes a member name for a JSON pointer.
func pointerToken(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
