// Type-checking of the listed packages.

package compile

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// check type-checks the source packages of a graph concurrently. Unchanged packages are taken from the former graph.
func (l *loader) check(g, former *graph) {
	same := g.same(former)
	parser := &fileParser{fset: l.fset, overlay: g.overlay, parsed: map[string]func() (*ast.File, error){}}
	done := map[string]chan struct{}{}
	found := map[string]*[]packages.Error{}
	for _, p := range g.all {
		done[p.ID], found[p.ID] = make(chan struct{}), new([]packages.Error)
	}
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range g.all {
		go func() {
			defer close(done[p.ID])
			for _, imported := range p.Imports {
				<-done[imported.ID]
			}
			limit <- struct{}{}
			defer func() { <-limit }()
			switch was := same[p.ID]; {
			case !g.source[p.ID]:
				p.Types = l.exported[p.PkgPath]
			case was != nil:
				p.Fset, p.Types, p.TypesInfo, p.Syntax = was.Fset, was.Types, was.TypesInfo, was.Syntax
				*found[p.ID] = former.found[p.ID]
			default:
				*found[p.ID] = l.checkOne(p, parser, g.initial[p.ID])
			}
		}()
	}
	g.found = map[string][]packages.Error{}
	for _, p := range g.all {
		<-done[p.ID]
		g.found[p.ID] = *found[p.ID]
		p.Errors = append(p.Errors, g.found[p.ID]...)
	}
}

// same maps package IDs to those of the former graph with the same files and imports.
func (g *graph) same(former *graph) map[string]*packages.Package {
	out := map[string]*packages.Package{}
	if former == nil {
		return out
	}
	was := map[string]*packages.Package{}
	for _, q := range former.all {
		was[q.ID] = q
	}
	for _, p := range g.all {
		q := was[p.ID]
		if q == nil || g.source[p.ID] != former.source[p.ID] || g.initial[p.ID] != former.initial[p.ID] {
			continue
		}
		overlaid := func(name string) bool { _, ok := g.overlay[name]; return ok }
		if !slices.Equal(p.CompiledGoFiles, q.CompiledGoFiles) || slices.ContainsFunc(p.CompiledGoFiles, overlaid) {
			continue
		}
		equal := len(p.Imports) == len(q.Imports)
		for path, imported := range p.Imports {
			equal = equal && q.Imports[path] != nil && out[imported.ID] == q.Imports[path]
		}
		if equal {
			out[p.ID] = q
		}
	}
	return out
}

// checkOne parses and type-checks a package, with function bodies if it was matched, and returns the errors.
func (l *loader) checkOne(p *packages.Package, parser *fileParser, whole bool) []packages.Error {
	var found []packages.Error
	for _, name := range p.CompiledGoFiles {
		file, err := parser.parse(name)
		found = append(found, parseErrors(name, err)...)
		if file != nil {
			p.Syntax = append(p.Syntax, file)
		}
	}
	p.Fset = l.fset
	p.Types = types.NewPackage(p.PkgPath, p.Name)
	if whole {
		p.TypesInfo = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		}
	}
	config := &types.Config{
		Importer:         importsOf(p.Imports),
		IgnoreFuncBodies: !whole,
		Sizes:            l.sizes,
		Error:            func(err error) { found = append(found, l.typeError(err, token.NoPos)) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	err := types.NewChecker(config, l.fset, p.Types, p.TypesInfo).Files(p.Syntax)
	if err != nil && len(found) == 0 && len(p.Syntax) > 0 {
		found = append(found, l.typeError(err, p.Syntax[0].Package)) // such as a newer Go version in the module
	}
	return found
}

func (l *loader) typeError(err error, at token.Pos) packages.Error {
	e := packages.Error{Msg: err.Error(), Kind: packages.TypeError}
	if typed := (types.Error{}); errors.As(err, &typed) {
		at, e.Msg = typed.Pos, typed.Msg
	}
	e.Pos = l.fset.Position(at).String()
	return e
}

func parseErrors(name string, err error) []packages.Error {
	var (
		list scanner.ErrorList
		path *fs.PathError
		out  []packages.Error
	)
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			out = append(out, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	case errors.As(err, &path):
		out = append(out, packages.Error{Pos: path.Path + ":1", Msg: path.Err.Error(), Kind: packages.ParseError})
	case err != nil:
		out = append(out, packages.Error{Pos: name + ":1", Msg: err.Error(), Kind: packages.ParseError})
	}
	return out
}

// importsOf returns the imported packages by import path.
type importsOf map[string]*packages.Package

// Import returns a package that is already type-checked.
func (m importsOf) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := m[path]
	if p == nil || p.Types == nil {
		return nil, fmt.Errorf("import cycle, or no package %s", path)
	}
	return p.Types, nil
}

// fileParser parses each file once, for the package and its test variant.
type fileParser struct {
	fset    *token.FileSet
	overlay map[string][]byte
	mu      sync.Mutex
	parsed  map[string]func() (*ast.File, error)
}

func (f *fileParser) parse(name string) (*ast.File, error) {
	f.mu.Lock()
	once := f.parsed[name]
	if once == nil {
		once = sync.OnceValues(func() (*ast.File, error) {
			content, ok := f.overlay[name]
			if !ok {
				var err error
				if content, err = os.ReadFile(name); err != nil {
					return nil, err
				}
			}
			return parser.ParseFile(f.fset, name, content, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
		})
		f.parsed[name] = once
	}
	f.mu.Unlock()
	return once()
}
