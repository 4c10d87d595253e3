// Fit: the sources, type-checked as a part of a package.

package finished

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
)

// fit is what the type checker finds out about a set beside a package.
type fit struct {
	set     *Set
	pkg     *golang.Package
	names   *names
	known   *known
	types   *types.Package
	info    *types.Info
	unitOf  map[types.Object]*unit
	why     map[*unit]string // what keeps a unit from being chosen
	broken  map[*unit]bool   // it does not compile, or is for other versions, or uses such a unit
	another map[*unit]bool   // it is, or needs, what is for other versions
	refs    map[*unit][]ref
	uses    map[*unit][]*unit
	inserts map[*unit][]insertion

	mentioned map[string]map[string]bool // members of emitted structs that the sources mention
}

// ref is a name in a source that may be another in the package.
type ref struct {
	at     int // offset
	length int
	unit   *unit  // the declaration of the sources that it names, or
	path   string // the package that it stands for, or
	name   string // what the package calls it
}

// check type-checks a set as a part of a package.
func (s *Set) check(e *Emitted) (*fit, error) {
	f := &fit{
		set: s, pkg: e.pkg, names: s.naming(e.pkg), unitOf: map[types.Object]*unit{}, why: map[*unit]string{}, broken: map[*unit]bool{},
		another: map[*unit]bool{}, refs: map[*unit][]ref{}, uses: map[*unit][]*unit{}, inserts: map[*unit][]insertion{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		},
	}
	f.known = know(e.pkg, f.names)
	fset := token.NewFileSet()
	fset.AddFile("sources", 1, s.fset.Base()) // positions of emitted files come after those of the sources
	words := maps.Clone(s.words)
	for actual := range f.names.sources {
		words[actual] = true
	}
	files, err := e.parse(fset, ".", words)
	if err != nil {
		return nil, fmt.Errorf("read emitted files: %w", err)
	}
	f.names.respell(files)
	wanted := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.sources)) {
		files = append(files, s.part(name, e.pkg.Name, wanted))
	}
	config := types.Config{Importer: &importer{e, wanted, words, map[string]*types.Package{}}, Error: f.note}
	f.types, _ = config.Check(e.pkg.Name, fset, files, f.info) // reported one by one
	for _, u := range s.order {
		f.unitOf[f.info.Defs[u.ident]] = u
	}
	for _, u := range s.order {
		f.resolve(u)
	}
	f.guard()
	f.judge()
	f.carry()
	return f, nil
}

// part returns a source with the declarations that count, as a file of the package.
func (s *Set) part(name, pkg string, wanted map[string]bool) *ast.File {
	src := s.sources[name].file
	out := &ast.File{Name: ast.NewIdent(pkg), Package: src.Package, FileStart: src.FileStart, FileEnd: src.FileEnd, Imports: src.Imports}
	for _, d := range src.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			out.Decls = append(out.Decls, d)
		}
	}
	for _, spec := range src.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			wanted[p] = true
		}
	}
	for _, u := range s.order {
		if u.file == name {
			out.Decls = append(out.Decls, u.decl)
		}
	}
	return out
}

// at returns the unit that holds a position, nil if it is not in the sources.
func (s *Set) at(pos token.Pos) *unit {
	return each.First(s.order, func(u *unit) bool { return u.pos <= pos && pos <= u.end })
}

// note takes down what the type checker reports, of the units.
func (f *fit) note(err error) {
	var typed types.Error
	if !errors.As(err, &typed) {
		return
	}
	if u := f.set.at(typed.Pos); u != nil {
		f.broken[u] = true
		f.object(u, typed.Msg)
	}
}

// object notes the first thing that is wrong with a unit.
func (f *fit) object(u *unit, why string) {
	if f.why[u] == "" {
		f.why[u] = why
	}
}

// resolve finds out what the names in a unit stand for.
func (f *fit) resolve(u *unit) {
	offset := func(pos token.Pos) int { return f.set.fset.Position(pos).Offset }
	ast.Inspect(u.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := f.info.Uses[id]
		if obj == nil {
			obj = f.info.Defs[id]
		}
		r := ref{at: offset(id.Pos()), length: len(id.Name)}
		switch obj := obj.(type) {
		case nil:
			return true
		case *types.PkgName:
			r.path = obj.Imported().Path()
		case *types.Func:
			r.unit = f.unitOf[obj.Origin()]
		default:
			r.unit = f.unitOf[obj]
		}
		if r.unit == nil && r.path == "" {
			if r.name = f.actual(obj, id); r.name == id.Name {
				return true
			}
		}
		if r.unit != nil && r.unit != u {
			f.uses[u] = append(f.uses[u], r.unit)
		}
		f.refs[u] = append(f.refs[u], r)
		return true
	})
	slices.SortFunc(f.refs[u], func(a, b ref) int { return a.at - b.at })
}

// actual returns what the package calls something that it declares.
func (f *fit) actual(obj types.Object, id *ast.Ident) string {
	if obj.Pkg() != f.types {
		return id.Name
	}
	if obj.Parent() == f.types.Scope() {
		if name := f.names.actual[id.Name]; name != "" {
			return name
		}
		return id.Name
	}
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		for typ, fields := range f.names.members {
			if name := fields[id.Name]; name != "" && f.fieldOf(typ, id.Name) == v.Origin() {
				return name
			}
		}
	}
	return id.Name
}

// fieldOf returns a field of a struct of the package, nil if it has none.
func (f *fit) fieldOf(typ, name string) *types.Var {
	obj := f.types.Scope().Lookup(typ)
	if obj == nil {
		return nil
	}
	s, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for v := range s.Fields() {
		if v.Name() == name {
			return v
		}
	}
	return nil
}

// judge decides on every unit: it goes with the package unless it, or one that it uses, does not.
func (f *fit) judge() {
	at := f.set.version(f.pkg.Version)
	users := map[*unit][]*unit{}
	var wrong []*unit
	for _, u := range f.set.order {
		for _, used := range f.uses[u] {
			users[used] = append(users[used], u)
		}
		if !u.versions.Holds(at) {
			f.why[u], f.another[u] = "it is for versions "+u.limit, true
		}
		if f.why[u] != "" {
			wrong = append(wrong, u)
		}
	}
	broken := each.Where(f.set.order, func(u *unit) bool { return f.broken[u] || f.another[u] })
	f.broken = graph.Reached(broken, func(u *unit) []*unit { return users[u] })
	for len(wrong) > 0 {
		u := wrong[0]
		wrong = wrong[1:]
		for _, user := range users[u] {
			if f.why[user] == "" {
				f.why[user], f.another[user] = u.name+": "+f.why[u], f.another[u]
				wrong = append(wrong, user)
			}
		}
	}
}

// fits reports whether a unit goes with the package.
func (f *fit) fits(u *unit) bool { return u != nil && f.why[u] == "" }

// structOf returns the emitted struct that a type is, or that a pointer to it leads to, as the sources call it; ""
// for none.
func (f *fit) structOf(t types.Type) string {
	if name := f.named(t); f.known.structs[name] != nil {
		return name
	}
	return ""
}

// named returns the name of a type of the package, or of that which a pointer leads to; "" for another type.
func (f *fit) named(t types.Type) string {
	if t == nil {
		return ""
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() == f.types {
		return named.Obj().Name()
	}
	return ""
}
