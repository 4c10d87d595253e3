// Index: what stands where in schemas, for findings, which have positions.

package discover

import (
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// index has texts by positions.
type index struct {
	keys     map[diag.Pos]string // of all objects
	paths    map[diag.Pos]string // of schemas
	holders  map[diag.Pos]string // paths of the schemas that keys stand in
	defaults map[diag.Pos]string // paths of the schemas that have a default, by its value
	refs     map[diag.Pos]string // the same for references
	parts    map[diag.Pos]string // the same for what is under allOf
}

func indexOf(set *schema.Set) index {
	at := index{map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]string{}}
	for _, doc := range set.Docs {
		at.noteKeys(doc.Root)
	}
	set.Visit(func(path string, n *schema.Node) {
		at.paths[n.Pos] = path
		for _, m := range n.Members {
			at.holders[m.KeyPos] = path
		}
		if value := n.Get("default"); value != nil {
			at.defaults[value.Pos] = path
		}
		if ref := n.Get("$ref"); ref != nil {
			at.refs[ref.Pos] = path
		}
		at.noteParts(n, path)
	})
	return at
}

func (at *index) noteKeys(n *schema.Node) {
	for _, m := range n.Members {
		at.keys[m.KeyPos] = m.Key
		at.noteKeys(m.Value)
	}
	for _, item := range n.Items {
		at.noteKeys(item)
	}
}

func (at *index) noteParts(n *schema.Node, path string) {
	for _, part := range n.Get("allOf").List() {
		at.parts[part.Pos] = path
		at.noteParts(part, path)
	}
}
