// What each declaration of the sources uses.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/finished"
	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/schemas"
)

// trace returns the text of the file that says what the sources of a folder use. Editions are the folders in it that are
// laid over it, each for the version that it is named after; the last says for which schemas.
func trace(folder, protocol string, editions ...string) ([]byte, error) {
	written := schemas.Written(protocol)
	folders := []fs.FS{os.DirFS(folder)}
	for _, version := range editions {
		written = protocol + "@" + version
		folders = append(folders, os.DirFS(filepath.Join(folder, version)))
	}
	pkg, err := reference(written)
	if err != nil {
		return nil, err
	}
	texts, err := finished.Sources(folders...)
	if err != nil {
		return nil, err
	}
	loaded, err := load(folder, texts, pkg)
	if err != nil {
		return nil, err
	}
	t := &tracer{
		loaded: loaded, texts: texts, info: loaded.info, known: know(pkg, loaded.types.Scope()), pkg: pkg,
		index: map[finished.Symbol]int{}, out: finished.Uses{Sources: map[string]string{}},
		own: map[types.Object]string{},
	}
	t.out.Types = t.known.model.Types()
	for _, f := range loaded.files {
		t.out.Sources[t.fileName(f)] = finished.Digest([]byte(texts[t.fileName(f)]))
		for _, d := range f.Decls {
			t.declare(d)
		}
	}
	for _, f := range loaded.files {
		limit := limitOf(beforePackage(f)...)
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
				t.unit(f, d, limit)
			}
		}
	}
	if len(t.problems) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(t.problems, "\n"))
	}
	return format(&t.out)
}

// format writes one symbol and one declaration a line.
func format(uses *finished.Uses) ([]byte, error) {
	var b bytes.Buffer
	head, err := json.Marshal(uses.Sources)
	if err != nil {
		return nil, err
	}
	types, err := json.Marshal(uses.Types)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\n\"sources\": %s,\n\"types\": %s,\n\"symbols\": [", head, types)
	for i, s := range uses.Symbols {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s\n%s", comma(i), line)
	}
	b.WriteString("\n],\n\"units\": [")
	for i, u := range uses.Units {
		line, err := json.Marshal(u)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s\n%s", comma(i), line)
	}
	b.WriteString("\n]\n}\n")
	return b.Bytes(), nil
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

type tracer struct {
	loaded   *checked
	texts    map[string]string // of the sources, by file name
	info     *types.Info
	known    *known
	pkg      *golang.Package
	own      map[types.Object]string // declarations of the sources
	index    map[finished.Symbol]int
	out      finished.Uses
	problems []string
}

func (t *tracer) problem(at token.Pos, format string, args ...any) {
	pos := t.loaded.fset.Position(at)
	t.problems = append(t.problems, fmt.Sprintf("%s:%d:%d: %s", filepath.Base(pos.Filename), pos.Line, pos.Column, fmt.Sprintf(format, args...)))
}

func (t *tracer) fileName(f *ast.File) string {
	return filepath.Base(t.loaded.fset.Position(f.Package).Filename)
}

// declare notes what a declaration declares.
func (t *tracer) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		t.own[t.info.Defs[d.Name]] = funcName(d)
	case *ast.GenDecl:
		if d.Tok != token.IMPORT && len(d.Specs) != 1 {
			t.problem(d.Pos(), "declare one thing at a time: each is emitted only where it is needed")
			return
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				t.own[t.info.Defs[spec.Name]] = spec.Name.Name
			case *ast.ValueSpec:
				if len(spec.Names) != 1 {
					t.problem(spec.Pos(), "declare one thing at a time: each is emitted only where it is needed")
				}
				t.own[t.info.Defs[spec.Names[0]]] = spec.Names[0].Name
			}
		}
	}
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	return typ.(*ast.Ident).Name + "." + d.Name.Name
}

func declName(d ast.Decl) (string, *ast.CommentGroup) {
	if f, ok := d.(*ast.FuncDecl); ok {
		return funcName(f), f.Doc
	}
	g := d.(*ast.GenDecl)
	switch spec := g.Specs[0].(type) {
	case *ast.TypeSpec:
		return spec.Name.Name, g.Doc
	case *ast.ValueSpec:
		return spec.Names[0].Name, g.Doc
	}
	return "", g.Doc
}

// unit traces one declaration.
func (t *tracer) unit(f *ast.File, d ast.Decl, limit string) {
	offset := func(pos token.Pos) int { return t.loaded.fset.Position(pos).Offset }
	name, doc := declName(d)
	u := &finished.Declaration{Name: name, File: t.fileName(f), From: offset(d.Pos()), To: offset(d.End())}
	u.Doc = u.From
	if doc != nil {
		u.Doc = offset(doc.Pos())
	}
	u.Versions = strings.TrimSpace(limit + " " + limitOf(doc))
	if fn, ok := d.(*ast.FuncDecl); ok {
		u.Body = offset(fn.Body.Lbrace) + 1
		t.reducer(u, fn)
	}
	s := &scan{tracer: t, needs: map[int]bool{}, types: map[types.Type]bool{}}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == doc && doc != nil {
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			if sym := t.symbolOf(id); sym != nil {
				u.Refs = append(u.Refs, offset(id.Pos())-u.From, t.at(*sym))
			}
		}
		s.node(n)
		return true
	})
	sortPairs(u.Refs)
	s.conversions()
	for i := range s.needs {
		u.Needs = append(u.Needs, i)
	}
	slices.Sort(u.Needs)
	t.out.Units = append(t.out.Units, u)
}

// sortPairs orders references by where they are.
func sortPairs(refs []int) {
	pairs := slices.Collect(slices.Chunk(slices.Clone(refs), 2))
	slices.SortFunc(pairs, func(a, b []int) int { return a[0] - b[0] })
	copy(refs, slices.Concat(pairs...))
}

// reducer notes that a method is a reducer. Nothing of its action may be unknown to it.
func (t *tracer) reducer(u *finished.Declaration, fn *ast.FuncDecl) {
	for _, c := range t.pkg.Reducers.Channels {
		for _, a := range c.Actions {
			if u.Name != t.pkg.Own("Reducer")+"."+a.Method {
				continue
			}
			want := fmt.Sprintf("func (r *%s) %s(s *%s, a *%s) *%s", t.pkg.Own("Reducer"), a.Method, c.State.Name, a.Action.Name, c.State.Name)
			if got := t.text(fn); got != want {
				t.problem(fn.Pos(), "make it %s", want)
			}
			u.Action, u.State, u.Tag = a.Definition, t.known.model.Definition(c.State.Name), a.Type
			u.Needs = append(u.Needs, t.look(finished.Whole, a.Definition, ""))
		}
	}
}

// text is the head of a method.
func (t *tracer) text(fn *ast.FuncDecl) string {
	from, to := t.loaded.fset.Position(fn.Pos()), t.loaded.fset.Position(fn.Body.Lbrace)
	return strings.TrimSpace(t.texts[filepath.Base(from.Filename)][from.Offset:to.Offset])
}

// at is the index of a symbol.
func (t *tracer) at(s finished.Symbol) int {
	i, ok := t.index[s]
	if !ok {
		i = len(t.out.Symbols)
		t.index[s] = i
		t.out.Symbols = append(t.out.Symbols, s)
	}
	return i
}

// look is the index of a symbol that is not named.
func (t *tracer) look(kind, typ, member string) int {
	_, as, ok := t.known.model.Look(kind, typ, member)
	if !ok {
		t.problems = append(t.problems, fmt.Sprintf("there is no %s %s %s", kind, typ, member))
	}
	return t.at(finished.Symbol{Kind: kind, Type: typ, Member: member, As: as})
}

// symbolOf is what a name stands for, nil where it is the same in every package.
func (t *tracer) symbolOf(id *ast.Ident) *finished.Symbol {
	obj := t.info.Uses[id]
	if obj == nil {
		obj = t.info.Defs[id]
	}
	if obj == nil {
		return nil
	}
	if p, ok := obj.(*types.PkgName); ok {
		return &finished.Symbol{Kind: finished.Import, Type: p.Imported().Path(), Go: id.Name}
	}
	if obj.Pkg() != t.loaded.types {
		return nil
	}
	if fn, ok := obj.(*types.Func); ok {
		obj = fn.Origin()
	}
	if name, ok := t.own[obj]; ok {
		return &finished.Symbol{Kind: finished.Unit, Type: name, Go: id.Name}
	}
	if sym, ok := t.known.objects[obj]; ok {
		_, sym.As, _ = t.known.model.Look(sym.Kind, sym.Type, sym.Member)
		sym.Go = id.Name
		return &sym
	}
	return t.memberOrLocal(id, obj)
}

// memberOrLocal is what is left: methods and fields that come with a type, and what is local.
func (t *tracer) memberOrLocal(id *ast.Ident, obj types.Object) *finished.Symbol {
	file := filepath.Base(t.loaded.fset.Position(obj.Pos()).Filename)
	if !strings.HasPrefix(file, generated) {
		return nil // declared in the sources: local, or a field of a type there
	}
	switch obj := obj.(type) {
	case *types.Func:
		if recv := obj.Signature().Recv(); recv != nil {
			return t.method(id, recv.Type())
		}
	case *types.Var:
		if obj.IsField() && (obj.Name() == "Raw" || slices.Contains([]string{"Now", "texts"}, obj.Name())) {
			return nil // every unknown variant has it, and every Reducer
		}
	}
	t.problem(id.Pos(), "nothing can tell whether another package has %s", id.Name)
	return nil
}

// method is a method that comes with a generated type.
func (t *tracer) method(id *ast.Ident, recv types.Type) *finished.Symbol {
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return nil
	}
	sym := t.known.objects[named.Obj()]
	if sym.Kind == finished.Own && slices.Contains([]string{"now", "appendText", "extendText"}, id.Name) {
		return nil
	}
	_, as, ok := t.known.model.Look(finished.Method, sym.Type, id.Name)
	if sym.Kind != finished.Type || !ok {
		t.problem(id.Pos(), "nothing can tell whether another package has the method %s of %s", id.Name, named.Obj().Name())
		return nil
	}
	return &finished.Symbol{Kind: finished.Method, Type: sym.Type, Member: id.Name, As: as, Go: id.Name}
}

// limitOf is the range of versions that comments limit a declaration to.
func limitOf(docs ...*ast.CommentGroup) string {
	var out []string
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if limit, ok := strings.CutPrefix(c.Text, "//ahpgen:versions "); ok {
				out = append(out, strings.TrimSpace(limit))
			}
		}
	}
	return strings.Join(out, " ")
}

func beforePackage(f *ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	for _, c := range f.Comments {
		if c.Pos() < f.Package {
			out = append(out, c)
		}
	}
	return out
}

// isNumber reports whether a value is written as a number.
func isNumber(v constant.Value) bool { return v != nil && v.Kind() == constant.Int }
