// Local: values of types that the sources of reducers declare themselves, and of maps that they make.

package finished

import (
	"go/ast"
	"maps"
)

// local is a struct that the sources declare. It is copied where Go copies it.
type local struct {
	typ    string
	fields map[string]any
}

// table is a map that a source makes, with what it has for other keys.
type table struct {
	zero  any
	items map[any]any
}

// declared returns the type that the sources declare under a name, or nil.
func (m *Performer) declared(typ ast.Expr) (name string, spec *ast.TypeSpec) {
	id, ok := typ.(*ast.Ident)
	if !ok {
		return "", nil
	}
	u := m.unit(id.Name)
	if u == nil {
		return "", nil
	}
	if d, ok := u.decl.(*ast.GenDecl); ok {
		spec, _ = d.Specs[0].(*ast.TypeSpec)
	}
	return id.Name, spec
}

// zeroLocal returns the zero value of a type that the sources declare, and whether they do.
func (m *Performer) zeroLocal(typ ast.Expr) (any, bool) {
	name, spec := m.declared(typ)
	if spec == nil {
		return nil, false
	}
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return m.zero(spec.Type), true
	}
	out := &local{name, map[string]any{}}
	for _, f := range fields.Fields.List {
		for _, name := range f.Names {
			out.fields[name.Name] = m.zero(f.Type)
		}
	}
	return out, true
}

// compositeLocal returns the value of a literal of a struct that the sources declare.
func (m *Performer) compositeLocal(e *ast.CompositeLit, sc *scope) (any, bool) {
	zero, ok := m.zeroLocal(e.Type)
	out, isLocal := zero.(*local)
	if !ok || !isLocal {
		return nil, false
	}
	_, spec := m.declared(e.Type)
	var names []string
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
	}
	for i, item := range e.Elts {
		name, value := "", item
		if kv, keyed := item.(*ast.KeyValueExpr); keyed {
			name, value = kv.Key.(*ast.Ident).Name, kv.Value
		} else {
			name = names[i]
		}
		out.fields[name] = copied(m.value(value, sc))
	}
	return out, true
}

// makeMap returns what make does for a map, and whether it is about one.
func (m *Performer) makeMap(call *ast.CallExpr) (any, bool) {
	typ, ok := call.Args[0].(*ast.MapType)
	if !ok {
		return nil, false
	}
	return &table{m.zero(typ.Value), map[any]any{}}, true
}

func (l *local) clone() *local { return &local{l.typ, maps.Clone(l.fields)} }
