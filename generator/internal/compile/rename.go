// Rename: edits of hand-written files that go along with new names of declarations.

package compile

import (
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// edit replaces an identifier.
type edit struct {
	start, end int
	text       string
}

// Renamed returns the hand-written files of the module around a folder as they are once declarations of the package there have
// other names. Keys are names, or a type and its field or method such as "Note.Text"; values are the new names without the
// type. Paths are absolute.
func Renamed(dir string, names map[string]string) (map[string][]byte, error) {
	r, err := Check(Step{Dir: dir, renames: names})
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name, edits := range r.edits {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start })
		for _, e := range slices.Compact(edits) {
			text = slices.Replace(text, e.start, e.end, []byte(e.text)...)
		}
		out[name] = text
	}
	return out, nil
}

// rename collects the edits of packages.
func (r *Result) rename(loaded []*packages.Package, dir string, names map[string]string) {
	changing := packageIn(loaded, dir)
	if changing == nil || len(names) == 0 {
		return
	}
	v := &viewer{path: changing.PkgPath}
	for _, p := range loaded {
		of := p.Types
		if p.PkgPath != v.path {
			if p.Imports[v.path] == nil {
				continue
			}
			of = p.Imports[v.path].Types
		}
		objects := renamedObjects(of, names)
		v.eachFile(p, func(file *ast.File, name string) {
			ast.Inspect(file, func(n ast.Node) bool {
				if fn, ok := n.(*ast.FuncDecl); ok && fn.Doc != nil {
					comment := fn.Doc.List[0]
					for _, e := range docEdits(comment.Text, fn.Name.Name, newName(p.TypesInfo.Defs[fn.Name], objects), names) {
						at := p.Fset.Position(comment.Pos()).Offset
						r.edits[name] = append(r.edits[name], edit{at + e.start, at + e.end, e.text})
					}
				}
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				object := p.TypesInfo.Uses[id]
				if object == nil {
					object = p.TypesInfo.Defs[id]
				}
				if now := newName(object, objects); now != "" {
					at := p.Fset.Position(id.Pos()).Offset
					r.edits[name] = append(r.edits[name], edit{at, at + len(id.Name), now})
				}
				return true
			})
		})
	}
}

// docEdits returns the edits of the first line of a function's comment: the name that it begins with, and the type that a reducer
// applies, as its stub says it.
func docEdits(comment, was, now string, names map[string]string) (out []edit) {
	rest, ok := strings.CutPrefix(comment, "// "+was+" ")
	if !ok || now == "" {
		return nil
	}
	out = append(out, edit{len("// "), len("// ") + len(was), now})
	if applied, ok := strings.CutPrefix(rest, "applies "); ok {
		applied = strings.TrimSuffix(applied, ".")
		if name := names[applied]; name != "" {
			at := len(comment) - len(rest) + len("applies ")
			out = append(out, edit{at, at + len(applied), name})
		}
	}
	return out
}

// newName returns what an object is called from now on, or "". A field that embeds a type is called like it.
func newName(object types.Object, renamed map[types.Object]string) string {
	if object == nil {
		return ""
	}
	if field, ok := object.(*types.Var); ok && field.Embedded() && renamed[object] == "" {
		if named, ok := types.Unalias(pointee(field.Type())).(*types.Named); ok {
			return renamed[named.Obj()]
		}
	}
	return renamed[object]
}

// renamedObjects finds the objects that get other names.
func renamedObjects(pkg *types.Package, names map[string]string) map[types.Object]string {
	out := map[types.Object]string{}
	if pkg == nil {
		return out
	}
	note := func(key string, object types.Object) {
		if now := names[key]; now != "" {
			out[object] = now
		}
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		note(name, object)
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType || named.Obj() != object {
			continue
		}
		for m := range named.Methods() {
			note(name+"."+m.Name(), m)
		}
		switch u := named.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				note(name+"."+f.Name(), f)
			}
		case *types.Interface:
			for m := range u.ExplicitMethods() {
				note(name+"."+m.Name(), m)
			}
		}
	}
	return out
}
