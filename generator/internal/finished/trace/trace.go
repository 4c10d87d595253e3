// What each declaration of the sources uses.

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/schemas"
)

// trace works out what the sources of a folder use, together with those of the editions in it that are laid over them,
// each over the ones before. The last says for which schemas.
func trace(folder, protocol string, lineage ...string) (*finished.Uses, error) {
	editions := []schemas.Edition{{Folder: os.DirFS(folder)}}
	for _, version := range lineage {
		editions = append(editions, schemas.Edition{Version: version, Folder: os.DirFS(filepath.Join(folder, version))})
	}
	pkg, err := reference(protocol, editions)
	if err != nil {
		return nil, err
	}
	all, err := finished.Sources(editions...)
	if err != nil {
		return nil, err
	}
	texts, err := laidOver(all, editions, pkg)
	if err != nil {
		return nil, err
	}
	loaded, err := load(folder, texts, pkg)
	if err != nil {
		return nil, err
	}
	t := &tracer{
		loaded: loaded, texts: texts, info: loaded.TypesInfo, known: know(pkg, loaded.Types.Scope()), pkg: pkg,
		index: map[finished.Symbol]int{}, out: finished.Uses{Sources: map[string]string{}},
		own: map[types.Object]string{},
	}
	t.out.Types = t.known.model.Types()
	for name, text := range all {
		t.out.Sources[name] = finished.Digest([]byte(text))
	}
	for _, f := range sources(loaded) {
		for _, d := range f.Decls {
			t.declare(d)
		}
	}
	for _, f := range sources(loaded) {
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
	return &t.out, nil
}

// format writes one symbol and one declaration a line.
func format(uses *finished.Uses) ([]byte, error) {
	var b bytes.Buffer
	var problem error
	value := func(v any) string {
		text, err := json.Marshal(v)
		problem = cmp.Or(problem, err)
		return string(text)
	}
	fmt.Fprintf(&b, "{\n\"sources\": %s,\n\"types\": %s,\n", value(uses.Sources), value(uses.Types))
	if uses.NoTypes != nil {
		fmt.Fprintf(&b, "\"noTypes\": %s,\n", value(uses.NoTypes))
	}
	b.WriteString("\"symbols\": [")
	for i, s := range uses.Symbols {
		fmt.Fprintf(&b, "%s\n%s", comma(i), value(s))
	}
	b.WriteString("\n],\n\"units\": [")
	for i, u := range uses.Units {
		fmt.Fprintf(&b, "%s\n%s", comma(i), value(u))
	}
	b.WriteString("\n]")
	if uses.NoUnits != nil {
		fmt.Fprintf(&b, ",\n\"noUnits\": %s", value(uses.NoUnits))
	}
	b.WriteString("\n}\n")
	return b.Bytes(), problem
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

type tracer struct {
	loaded   *packages.Package
	texts    map[string]string // of the sources, by name
	info     *types.Info
	known    *known
	pkg      *golang.Package
	own      map[types.Object]string // declarations of the sources
	index    map[finished.Symbol]int
	out      finished.Uses
	problems []string
}

func (t *tracer) problem(at token.Pos, format string, args ...any) {
	pos := t.loaded.Fset.Position(at)
	t.problems = append(t.problems, fmt.Sprintf("%s:%d:%d: %s", sourceName(pos.Filename), pos.Line, pos.Column, fmt.Sprintf(format, args...)))
}

func (t *tracer) fileName(f *ast.File) string {
	return sourceName(t.loaded.Fset.Position(f.Package).Filename)
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
	offset := func(pos token.Pos) int { return t.loaded.Fset.Position(pos).Offset }
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
	from, to := t.loaded.Fset.Position(fn.Pos()), t.loaded.Fset.Position(fn.Body.Lbrace)
	return strings.TrimSpace(t.texts[sourceName(from.Filename)][from.Offset:to.Offset])
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

// symbolOf is what a name stands for, nil if it is the same in every package.
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
	if obj.Pkg() != t.loaded.Types {
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
	file := filepath.Base(t.loaded.Fset.Position(obj.Pos()).Filename)
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
