// Load: the sources, type-checked beside what is generated from the schemas that they are written for.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// generated starts the names of files that are only there for the type checker.
const generated = "zz_generated_"

// load type-checks the sources as part of a package, as if all of them were in the folder.
func load(folder string, texts map[string]string, pkg *golang.Package) (*packages.Package, error) {
	files, err := emit.Files(pkg)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, f := range files {
		if !strings.Contains(f.Name, "/") && !strings.Contains(string(f.Content), "\n//go:build purego\n") {
			all[generated+f.Name] = f.Content
		}
	}
	for name, text := range texts {
		all[fileName(name)] = []byte(text)
	}
	if all[generated+"rest.go"], err = unfinished(texts, pkg); err != nil {
		return nil, err
	}
	out := &packages.Package{Name: pkg.Name, Fset: token.NewFileSet(), TypesInfo: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := parser.ParseFile(out.Fset, filepath.Join(folder, name), all[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if isDeclared(name) {
			declare(f)
		}
		out.Syntax = append(out.Syntax, f)
		out.CompiledGoFiles = append(out.CompiledGoFiles, name)
	}
	there, err := imports()
	if err != nil {
		return nil, err
	}
	var problems []error
	config := types.Config{Importer: there, Error: func(err error) {
		if typed := (types.Error{}); errors.As(err, &typed) && typed.Soft && isDeclared(out.Fset.Position(typed.Pos).Filename) {
			return // an import for the bodies that are not there
		}
		problems = append(problems, err)
	}}
	out.Types, _ = config.Check(pkg.Name, out.Fset, out.Syntax, out.TypesInfo) // reported one by one
	return out, errors.Join(problems...)
}

// isDeclared reports whether a file is generated, so that only what it declares counts.
func isDeclared(file string) bool { return strings.HasPrefix(filepath.Base(file), generated) }

// declare takes the bodies of functions out of a file: what generated ones do is for others to check. Those of generic
// functions have to be there.
func declare(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.TypeParams == nil && (fn.Recv == nil || !isGeneric(fn.Recv.List[0].Type)) {
			fn.Body = nil
		}
	}
}

// isGeneric reports whether a receiver has type parameters.
func isGeneric(receiver ast.Expr) bool {
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	switch receiver.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// imported are packages by path.
type imported map[string]*types.Package

// Import returns a package that is there already.
func (i imported) Import(name string) (*types.Package, error) {
	if p := i[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s does not come with %s", name, finished.FloorPath)
}

// imports loads what sources and generated files can import: what does not depend on the protocol, and what that imports.
// Its types come from what the compiler exports, which is there in no time.
var imports = sync.OnceValues(func() (imported, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps}, finished.FloorPath+"/...")
	if err != nil {
		return nil, err
	}
	var paths []string
	packages.Visit(loaded, nil, func(p *packages.Package) { paths = append(paths, p.PkgPath) })
	if loaded, err = packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes}, paths...); err != nil {
		return nil, err
	}
	out := imported{}
	var problems []error
	packages.Visit(loaded, nil, func(p *packages.Package) {
		out[p.PkgPath] = p.Types
		for _, e := range p.Errors {
			problems = append(problems, e)
		}
	})
	return out, errors.Join(problems...)
})

// unfinished declares the reducers that the sources lack.
func unfinished(texts map[string]string, pkg *golang.Package) ([]byte, error) {
	reducer := pkg.Own("Reducer")
	there := map[string]bool{}
	for name, text := range texts {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				there[funcName(fn)] = true
			}
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n", pkg.Name)
	for _, c := range pkg.Reducers.Channels {
		for _, a := range pkg.Reducers.Hand(c) {
			if !there[reducer+"."+a.Method] {
				fmt.Fprintf(&b, "\nfunc (r *%s) %s(s *%s, a *%s) *%s { return s }\n", reducer, a.Method, c.State.Name, a.Action.Name, c.State.Name)
			}
		}
	}
	return b.Bytes(), nil
}

// fileName is where a source is put for the type checker, beside the others.
func fileName(source string) string { return strings.ReplaceAll(source, "/", "__") }

// sourceName is the source that the file at a path stands for.
func sourceName(file string) string { return strings.ReplaceAll(filepath.Base(file), "__", "/") }

// sources lists the files that were written by hand.
func sources(loaded *packages.Package) []*ast.File {
	var out []*ast.File
	for i, f := range loaded.Syntax {
		if !isDeclared(loaded.CompiledGoFiles[i]) {
			out = append(out, f)
		}
	}
	return out
}

// known is what the generated files declare, as symbols.
type known struct {
	model   *finished.Model
	objects map[types.Object]finished.Symbol
}

func know(pkg *golang.Package, scope *types.Scope) *known {
	k := &known{finished.NewModel(pkg, nil), map[types.Object]finished.Symbol{}}
	add := func(kind, goName, typ, member string) types.Object {
		obj := scope.Lookup(goName)
		if obj != nil {
			k.objects[obj] = finished.Symbol{Kind: kind, Type: typ, Member: member}
		}
		return obj
	}
	for _, s := range pkg.Structs {
		definition := k.model.Definition(s.Name)
		obj := add(finished.Type, s.Name, definition, "")
		for _, f := range s.Fields {
			if field := fieldOf(obj, f.Name); field != nil {
				k.objects[field] = finished.Symbol{Kind: finished.Field, Type: definition, Member: f.Wire}
			}
		}
	}
	for _, u := range pkg.Unions {
		definition := k.model.Definition(u.Name)
		add(finished.Type, u.Name, definition, "")
		add(finished.Decode, u.Decode, definition, "")
		for _, t := range u.Tokens {
			if t.Scalar != nil {
				add(finished.Scalar, t.Scalar.Name, definition, strings.TrimSpace(string(t.Kind)+" "+t.Word))
			}
		}
		if x := u.Unknown; x != nil && x.Owner == u {
			obj := add(finished.Unknown, x.Name, definition, "")
			if field := fieldOf(obj, x.Field); field != nil {
				k.objects[field] = finished.Symbol{Kind: finished.UnknownField, Type: definition}
			}
		}
	}
	for _, e := range pkg.Enums {
		definition := k.model.Definition(e.Name)
		add(finished.Type, e.Name, definition, "")
		for _, c := range e.Members {
			add(finished.Const, c.Name, definition, c.Value.String())
		}
	}
	for _, a := range pkg.Aliases {
		add(finished.Type, a.Name, k.model.Definition(a.Name), "")
	}
	add(finished.Own, pkg.Own("Reducer"), "Reducer", "")
	return k
}

func fieldOf(obj types.Object, name string) types.Object {
	if obj == nil || name == "" {
		return nil
	}
	s, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		if f.Name() == name {
			return f
		}
	}
	return nil
}
