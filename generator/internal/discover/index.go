// Index: what stands where in schemas, for findings, which have positions.

package discover

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// index has what is about a position.
type index struct {
	keys    map[diag.Pos]string       // of all objects, by their positions, those of their values, and of items of these
	paths   map[diag.Pos]string       // of schemas
	holders map[diag.Pos]place        // the objects, by the same positions
	nodes   map[diag.Pos]*schema.Node // what they hold, by the same positions
	groups  map[diag.Pos]int          // how many objects there are in a member of a file, by the position of its key, if nothing else is
	parts   map[diag.Pos]string       // paths of the schemas that have what is under allOf
	schemas map[diag.Pos]place        // the innermost schemas that have something
}

// place is an object in a schema.
type place struct {
	definition string // or the path of a schema
	at         string // pointer to what has no path
}

func (p place) String() string { return p.definition + p.at }

// alternative is what pointers to alternatives have. Their paths change with what is taken away from them.
var alternative = regexp.MustCompile(`/(oneOf|anyOf)/`)

func indexOf(set *schema.Set) index {
	at := index{map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]place{}, map[diag.Pos]*schema.Node{}, map[diag.Pos]int{}, map[diag.Pos]string{}, map[diag.Pos]place{}}
	for _, doc := range set.Docs {
		at.noteKeys(doc.Root)
		for _, m := range doc.Root.Members {
			if !slices.ContainsFunc(m.Value.Members, func(m schema.Member) bool { return m.Value.Kind != schema.Object }) {
				at.groups[m.KeyPos] = len(m.Value.Members)
			}
		}
	}
	for _, within := range []bool{true, false} { // what is within a definition is repaired there
		for _, def := range set.Definitions() {
			if (set.Within(def.Node) != nil) == within {
				at.noteHolders(def.Node, place{definition: def.Name})
				at.schemas[def.Pos] = place{definition: def.Name}
				at.noteSchemas(def.Node, place{definition: def.Name})
			}
		}
	}
	set.Visit(func(path string, n *schema.Node) {
		at.paths[n.Pos] = path
		if len(n.Members) > 0 && !alternative.MatchString(at.holders[n.Members[0].KeyPos].at) {
			at.noteHolder(n, place{definition: path})
		}
		at.noteParts(n, path)
	})
	return at
}

func (at *index) noteKeys(n *schema.Node) {
	for _, m := range n.Members {
		at.keys[m.KeyPos], at.keys[m.Value.Pos] = m.Key, m.Key
		at.nodes[m.KeyPos], at.nodes[m.Value.Pos] = n, n
		for _, item := range m.Value.Items {
			at.keys[item.Pos], at.nodes[item.Pos] = m.Key, n
		}
		at.noteKeys(m.Value)
	}
	for _, item := range n.Items {
		at.noteKeys(item)
	}
}

func (at *index) noteHolder(n *schema.Node, p place) {
	for _, m := range n.Members {
		at.holders[m.KeyPos], at.holders[m.Value.Pos] = p, p
		for _, item := range m.Value.Items {
			at.holders[item.Pos] = p
		}
	}
}

// noteHolders notes what is inside of others later, since that is more exact.
func (at *index) noteHolders(n *schema.Node, p place) {
	at.noteHolder(n, p)
	for _, m := range n.Members {
		at.noteHolders(m.Value, place{p.definition, p.at + "/" + schema.PointerToken(m.Key)})
	}
	for i, item := range n.Items {
		at.noteHolders(item, place{p.definition, p.at + "/" + strconv.Itoa(i)})
	}
}

// noteSchemas notes where schemas are.
func (at *index) noteSchemas(n *schema.Node, p place) {
	at.schemas[n.Pos] = p
	for _, m := range n.Members {
		in := place{p.definition, p.at + "/" + schema.PointerToken(m.Key)}
		at.schemas[m.KeyPos], at.schemas[m.Value.Pos] = p, p
		switch {
		case schema.HoldsSchemas(m.Key):
			for _, named := range m.Value.Members {
				inner := place{p.definition, in.at + "/" + schema.PointerToken(named.Key)}
				at.schemas[named.KeyPos] = inner
				at.noteSchemas(named.Value, inner)
			}
		case m.Value.Kind == schema.Object && !schema.IsData(m.Key):
			at.noteSchemas(m.Value, in)
		default:
			for i, item := range m.Value.Items {
				if at.schemas[item.Pos] = p; item.Kind == schema.Object && !schema.IsData(m.Key) {
					at.noteSchemas(item, place{p.definition, in.at + "/" + strconv.Itoa(i)})
				}
			}
		}
	}
}

func (at *index) noteParts(n *schema.Node, path string) {
	for _, part := range n.Get("allOf").List() {
		at.parts[part.Pos] = path
		at.noteParts(part, path)
	}
}
