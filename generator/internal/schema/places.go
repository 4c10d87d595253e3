// Places: schemas inside definitions by the paths that messages print, such as Note.pages.item.

package schema

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a schema in a definition, or that of the definition.
type Place struct {
	Definition string
	At         string // JSON pointer, "" for the whole definition
	Path       string // Definition.member and so on
}

// Locate returns the schemas that a path names, which may have wildcards: a definition, its members, and what is inside them
// without a name of its own. It can be called before Merge.
func (s *Set) Locate(path string) (out []Place) {
	if !IsPattern(path) && s.Has(path) {
		return []Place{{Definition: path, Path: path}}
	}
	for _, name := range s.Names() {
		if !IsPattern(path) && !strings.HasPrefix(path, name+".") {
			continue
		}
		seen := map[Place]bool{} // copies in other files have the same
		for _, def := range s.copies(name) {
			w := placeWalk{set: s, want: path, visit: func(at, found string) {
				if p := (Place{name, at, found}); !seen[p] {
					seen[p] = true
					out = append(out, p)
				}
			}}
			w.schema(def.Node, name, "")
		}
	}
	return out
}

// Visit calls a function for each schema with its path. It can be called before Merge.
func (s *Set) Visit(visit func(path string, n *Node)) {
	for _, doc := range s.Docs {
		for _, def := range doc.defs {
			w := placeWalk{set: s, want: "*", visit: func(at, path string) { visit(path, def.Node.At(at)) }}
			w.schema(def.Node, def.Name, "")
		}
	}
}

// placeWalk visits the schemas of a definition whose paths match.
type placeWalk struct {
	set   *Set
	want  string
	visit func(at, path string)
}

// schema visits a schema at a path, unless the path cannot lead to what is wanted.
func (w *placeWalk) schema(n *Node, path, at string) {
	if n.Kind != Object || !IsPattern(w.want) && path != w.want && !strings.HasPrefix(w.want, path+".") {
		return
	}
	if Matches(w.want, path) {
		w.visit(at, path)
	}
	w.inside(n, path, at)
}

// inside visits what is in a schema.
func (w *placeWalk) inside(n *Node, path, at string) {
	for _, m := range n.Members {
		here := at + "/" + PointerToken(m.Key)
		switch m.Key {
		case "properties":
			for _, p := range m.Value.Members {
				w.schema(p.Value, path+"."+p.Key, here+"/"+PointerToken(p.Key))
			}
		case "items":
			w.schema(m.Value, path+".item", here)
		case "additionalProperties":
			w.schema(m.Value, path+".value", here)
		case "allOf":
			for i, part := range m.Value.Items {
				w.inside(part, path, here+"/"+strconv.Itoa(i))
			}
		case "oneOf", "anyOf":
			w.alternatives(m.Value.Items, path, here)
		}
	}
}

// alternatives visits the alternatives of a union under each of their names. A single one beside null is no union.
func (w *placeWalk) alternatives(list []*Node, path, at string) {
	isNull := func(n *Node) bool { return n.Get("type").Str() == "null" }
	rest := slices.DeleteFunc(slices.Clone(list), isNull)
	number := 0
	told := w.set.telling(rest)
	for i, n := range list {
		here := at + "/" + strconv.Itoa(i)
		switch {
		case isNull(n):
		case len(rest) == 1:
			w.inside(n, path, here)
		default:
			number++
			names := alternativeNames(n, number, told[number-1])
			if IsPattern(w.want) {
				names = names[:1]
			}
			for _, name := range names {
				w.schema(n, path+"."+name, here)
			}
		}
	}
}

// alternativeNames returns what an inline alternative may be called: by its constants, its title, what tells it apart, or its number.
func alternativeNames(n *Node, number int, told string) (names []string) {
	if properties := n.Get("properties"); properties != nil {
		for _, p := range properties.Members {
			value := p.Value.Get("const")
			if list := p.Value.Get("enum").List(); value == nil && len(list) == 1 {
				value = list[0]
			}
			if text := value.Str(); text != "" && !slices.Contains(names, text) {
				names = append(names, text)
			}
		}
	}
	if title := n.Get("title").Str(); title != "" && !slices.Contains(names, title) {
		names = append(names, title)
	}
	if told != "" && !slices.Contains(names, told) {
		names = append(names, told)
	}
	return append(names, "variant"+strconv.Itoa(number))
}

// expand returns the JSON pointers in a schema that a pointer with wildcards matches, where an asterisk stands for any text
// in a name.
func expand(n *Node, pointer string) []string {
	if !IsPattern(pointer) {
		return []string{pointer}
	}
	found := []string{""}
	for _, token := range SplitPointer(pointer) {
		var next []string
		for _, at := range found {
			here := n.At(at)
			if here == nil || here.Get(token) != nil || !IsPattern(token) {
				next = append(next, at+"/"+PointerToken(token))
				continue
			}
			for _, m := range here.Members {
				if Wild(token, m.Key) {
					next = append(next, at+"/"+PointerToken(m.Key))
				}
			}
			for i := range here.Items {
				if Wild(token, strconv.Itoa(i)) {
					next = append(next, at+"/"+strconv.Itoa(i))
				}
			}
		}
		found = next
	}
	return found
}
