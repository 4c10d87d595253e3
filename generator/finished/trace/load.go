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
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/analyze"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/emit"
	"github.com/ahpgen/ahpgen/generator/finished"
	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/profile"
	"github.com/ahpgen/ahpgen/generator/schema"
	"github.com/ahpgen/ahpgen/schemas"
)

// generated starts the names of files that are only there for the type checker.
const generated = "zz_generated_"

// reference builds the package that the sources are written for, named as the embedded schemas are.
func reference(of string) (*golang.Package, error) {
	var diags diag.List
	name, _, _ := strings.Cut(of, "@")
	folder, display, err := schemas.Protocol(of)
	if err != nil {
		return nil, err
	}
	set, err := schema.Load(folder, display, nil, &diags)
	if err != nil {
		return nil, err
	}
	facts := profile.Empty() // the schemas state them
	if p := analyze.Run(set, facts, "", &diags); p != nil {
		options := golang.Options{
			Package: name, Wire: finished.FloorPath, WireDir: "wire", Initialisms: facts.Naming.Initialisms,
		}
		if pkg := golang.Build(p, options, &diags); pkg != nil {
			return pkg, nil
		}
	}
	return nil, fmt.Errorf("the embedded schemas: %v", diags.Sorted())
}

// checked is a package with what the type checker knows of it.
type checked struct {
	fset  *token.FileSet
	files []*ast.File // those written by hand
	types *types.Package
	info  *types.Info
}

// load type-checks the sources as part of a package, as if all of them were in the folder. Nothing is compiled but
// what they import: that is there from other builds.
func load(folder string, texts map[string]string, pkg *golang.Package) (*checked, error) {
	files, err := emit.Files(pkg)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, f := range files {
		if !strings.Contains(f.Name, "/") {
			all[generated+f.Name] = string(f.Content)
		}
	}
	maps.Copy(all, texts)
	rest, err := unfinished(texts, pkg)
	if err != nil {
		return nil, err
	}
	all[generated+"rest.go"] = string(rest)
	c := &checked{fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := parser.ParseFile(c.fset, name, all[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
		if !strings.HasPrefix(name, generated) {
			c.files = append(c.files, f)
		}
	}
	imports, err := imported(folder, c.fset, parsed)
	if err != nil {
		return nil, err
	}
	var problems []error
	config := types.Config{Importer: imports, Error: func(err error) { problems = append(problems, err) }}
	c.types, _ = config.Check(pkg.Name, c.fset, parsed, c.info) // the error is the first of the problems
	return c, errors.Join(problems...)
}

// importer holds the packages that files import.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// imported loads the packages that files import, as a folder of this module sees them.
func imported(folder string, fset *token.FileSet, files []*ast.File) (importer, error) {
	paths := map[string]bool{}
	for _, f := range files {
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			paths[path] = true
		}
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes, Dir: folder, Fset: fset,
	}, slices.Sorted(maps.Keys(paths))...)
	if err != nil {
		return nil, err
	}
	out := importer{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, e
		}
		out[p.PkgPath] = p.Types
	}
	return out, nil
}

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
