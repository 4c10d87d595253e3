// Over: the sources of editions laid over each other, as one set of files in which each thing is declared once.

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/schemas"
)

// declared is a declaration of a source.
type declared struct {
	source string
	decl   ast.Decl
	doc    *ast.CommentGroup
}

// laidOver blanks out in the sources what does not count: what a later edition declares again, and what is from an
// earlier edition and for no reducer of the package. Everything else stays where it is, byte for byte.
func laidOver(texts map[string]string, editions []schemas.Edition, pkg *golang.Package) (map[string]string, error) {
	if len(editions) == 1 {
		return texts, nil
	}
	fset := token.NewFileSet()
	files := map[string]*ast.File{}
	counts := map[string]declared{} // by name
	blank := map[string][]ast.Node{}
	last := editions[len(editions)-1].Version
	own := map[string]bool{}
	for _, e := range editions {
		for name, text := range texts {
			if path.Dir(finished.SourceName(e.Version, "x.go")) != path.Dir(name) {
				continue
			}
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files[name] = f
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
					continue
				}
				thing, doc := declName(d)
				if old, ok := counts[thing]; ok {
					blank[old.source] = append(blank[old.source], nodes(old)...)
				}
				counts[thing] = declared{name, d, doc}
				own[thing] = e.Version == last
			}
		}
	}
	needed := reach(counts, own, pkg)
	for thing, d := range counts {
		if !needed[thing] {
			blank[d.source] = append(blank[d.source], nodes(d)...)
		}
	}
	out := map[string]string{}
	for name, text := range texts {
		out[name] = blanked(fset, files[name], text, blank[name])
	}
	return out, nil
}

func nodes(d declared) []ast.Node {
	if d.doc == nil {
		return []ast.Node{d.decl}
	}
	return []ast.Node{d.doc, d.decl}
}

// reach finds what is needed: the reducers of the package that are written by hand, what the last edition declares, and
// whatever these mention. Methods are known by their names alone.
func reach(counts map[string]declared, own map[string]bool, pkg *golang.Package) map[string]bool {
	mentioned := map[string][]string{} // declarations by the names under which they are mentioned
	for thing := range counts {
		word := thing[strings.IndexByte(thing, '.')+1:]
		mentioned[word] = append(mentioned[word], thing)
	}
	var queue []string
	for thing := range counts {
		if own[thing] {
			queue = append(queue, thing)
		}
	}
	for _, c := range pkg.Reducers.Channels {
		for _, a := range pkg.Reducers.Hand(c) {
			queue = append(queue, pkg.Own("Reducer")+"."+a.Method)
		}
	}
	needed := map[string]bool{}
	for len(queue) > 0 {
		thing := queue[0]
		queue = queue[1:]
		if needed[thing] || counts[thing].decl == nil {
			continue
		}
		needed[thing] = true
		ast.Inspect(counts[thing].decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for _, other := range mentioned[id.Name] {
					if !isReducer(other, pkg) {
						queue = append(queue, other)
					}
				}
			}
			return true
		})
	}
	return needed
}

// isReducer reports whether a method is the reducer of an action, which no other code calls.
func isReducer(thing string, pkg *golang.Package) bool {
	method, ok := strings.CutPrefix(thing, pkg.Own("Reducer")+".")
	return ok && slices.ContainsFunc(pkg.Reducers.Channels, func(c *golang.ChannelReducer) bool {
		return slices.ContainsFunc(c.Actions, func(a *golang.ActionReducer) bool { return a.Method == method })
	})
}

// blanked puts spaces in the place of declarations, and of the imports that nothing uses then. Lines stay.
func blanked(fset *token.FileSet, f *ast.File, text string, nodes []ast.Node) string {
	out := []byte(text)
	blank := func(n ast.Node) {
		for i := fset.Position(n.Pos()).Offset; i < fset.Position(n.End()).Offset; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	used := map[string]bool{}
	for _, d := range f.Decls {
		if slices.Contains(nodes, ast.Node(d)) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok {
					used[x.Name] = true
				}
			}
			return true
		})
	}
	for _, n := range nodes {
		blank(n)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		left := 0
		for _, spec := range g.Specs {
			if p, err := strconv.Unquote(spec.(*ast.ImportSpec).Path.Value); err == nil && !used[path.Base(p)] {
				blank(spec)
			} else {
				left++
			}
		}
		if left == 0 {
			blank(g)
		}
	}
	return string(out)
}
