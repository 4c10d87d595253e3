// Names: a package may call things otherwise than the sources do, because its schemas, its profile or its user say so. Then
// its declarations are given the names of the sources before these are type-checked, and the sources those of the package
// when they are printed.

package finished

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// names are those that differ.
type names struct {
	sources map[string]string // of the package's declarations, by what the package calls them
	actual  map[string]string // the reverse
	fields  map[string]map[string]string
	members map[string]map[string]string // the reverse, by what the sources call the struct
}

// spelled returns what the sources call a declaration of the package.
func (n *names) spelled(name string) string { return cmp.Or(n.sources[name], name) }

// field is spelled for a field of a struct.
func (n *names) field(of, name string) string { return cmp.Or(n.fields[of][name], name) }

// naming finds out which names differ: a declaration is known by the definition that it is for, in whatever case, if the
// sources have such a word, or else by its name in Go.
func (s *Set) naming(pkg *golang.Package) *names {
	n := &names{map[string]string{}, map[string]string{}, map[string]map[string]string{}, map[string]map[string]string{}}
	if own := pkg.Own("Reducer"); own != "Reducer" {
		n.call(own, "Reducer")
	}
	definitions := map[string]string{} // by Go name
	for _, definition := range slices.Sorted(maps.Keys(pkg.Names)) {
		name := pkg.Names[definition].Go
		if word := s.spelled[fold(definition)]; word != "" && definitions[name] == "" {
			definitions[name] = definition
			if word != name {
				n.call(name, word)
			}
		}
	}
	for _, t := range pkg.Structs {
		for _, f := range t.Fields {
			if word := s.spelled[fold(f.Wire)]; word != "" && word != f.Name && s.spelled[fold(f.Name)] == "" {
				n.callField(t.Name, f.Name, word)
			}
		}
	}
	for _, e := range pkg.Enums {
		definition := cmp.Or(definitions[e.Name], e.Name)
		for _, c := range e.Members {
			s.callLike(n, c.Name, definition+c.Value.String(), definition+strings.TrimPrefix(c.Name, e.Name))
		}
	}
	for _, u := range pkg.Unions {
		definition := cmp.Or(definitions[u.Name], u.Name)
		s.callLike(n, u.Decode, "Decode"+definition)
		if u.Unknown != nil && u.Unknown.Owner == u {
			s.callLike(n, u.Unknown.Name, "Unknown"+definition)
		}
		for _, t := range u.Scalars {
			s.callLike(n, t.Name, definition+strings.TrimPrefix(t.Name, u.Name))
		}
	}
	return n
}

// callLike calls something by the first word of the sources that is spelled like one of some.
func (s *Set) callLike(n *names, name string, words ...string) {
	for _, w := range words {
		if word := s.spelled[fold(w)]; word != "" && name != "" {
			if word != name {
				n.call(name, word)
			}
			return
		}
	}
}

func (n *names) call(name, word string) {
	if n.actual[word] == "" && n.sources[name] == "" {
		n.sources[name], n.actual[word] = word, name
	}
}

func (n *names) callField(of, name, word string) {
	each.Put(n.fields, of, name, word)
	each.Put(n.members, n.spelled(of), word, name)
}

// respell gives the declarations of emitted files the names of the sources.
func (n *names) respell(files []*ast.File) {
	if len(n.sources) == 0 && len(n.fields) == 0 {
		return
	}
	fields := map[*ast.Ident]bool{} // names that are no declarations of the package
	for _, f := range files {
		ast.Inspect(f, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.SelectorExpr:
				fields[node.Sel] = true
			case *ast.TypeSpec:
				if t, ok := node.Type.(*ast.StructType); ok {
					n.respellFields(node.Name.Name, t, fields)
				}
			case *ast.FuncDecl:
				if node.Recv != nil {
					fields[node.Name] = true
				}
			case *ast.Ident:
				if !fields[node] {
					node.Name = n.outOfTheWay(node.Name)
				}
			}
			return true
		})
	}
}

func (n *names) respellFields(of string, t *ast.StructType, fields map[*ast.Ident]bool) {
	for _, f := range t.Fields.List {
		for _, id := range f.Names {
			id.Name = n.field(of, id.Name)
			fields[id] = true
		}
	}
}

// outOfTheWay returns what the sources call a declaration; one that has the name of another for them is called as
// nothing there is.
func (n *names) outOfTheWay(name string) string {
	if word := n.sources[name]; word != "" {
		return word
	}
	if other := n.actual[name]; other != "" && token.IsIdentifier(name) {
		return name + "_"
	}
	return name
}
