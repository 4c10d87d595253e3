// Carry: optional members that came to types after the sources were written, which mention them nowhere. A literal that copies
// members of one value into another copies those as well that both declare alike, also where a struct of the sources holds
// them in between.

package finished

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// insertion is text that a declaration gets in addition.
type insertion struct {
	at      int // offset
	text    string
	imports map[string]string // paths by name
}

// copying is a literal that holds members of other values.
type copying struct {
	unit  *unit
	lit   *ast.CompositeLit
	to    string   // the emitted struct, "" for one of the sources
	via   *unit    // the struct of the sources
	from  []origin // in order
	keyed bool
}

// origin is a variable whose members are copied.
type origin struct {
	name    string
	typ     string // the emitted struct, "" for one of the sources
	via     *unit
	members map[string]bool // those that the literal mentions
}

// carry finds what there is to insert into units that fit.
func (f *fit) carry() {
	f.mention()
	var all []*copying
	for _, u := range f.set.order {
		if f.broken[u] {
			continue
		}
		ast.Inspect(u.decl, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) > 0 {
				if c := f.copying(u, lit); c != nil {
					all = append(all, c)
				}
			}
			return true
		})
	}
	between := f.between(all)
	for _, c := range all {
		var added []string
		if c.to != "" {
			added = f.members(c, between)
		} else {
			added = f.kept(c, between[c.via])
		}
		f.insertElements(c, added)
	}
	for _, u := range f.set.order {
		f.insertFields(u, between[u])
	}
}

// mention notes the members of emitted structs that the sources mention.
func (f *fit) mention() {
	f.mentioned = map[string]map[string]bool{}
	note := func(typ, name string) { each.Put(f.mentioned, typ, name, true) }
	for _, u := range f.set.order {
		ast.Inspect(u.decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				note(f.structOf(f.info.TypeOf(n.X)), n.Sel.Name)
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						if id, ok := kv.Key.(*ast.Ident); ok {
							note(f.structOf(f.info.TypeOf(n)), id.Name)
						}
					}
				}
			}
			return true
		})
	}
}

// copying returns what a literal copies, or nil.
func (f *fit) copying(u *unit, lit *ast.CompositeLit) *copying {
	typ := f.info.TypeOf(lit)
	c := &copying{unit: u, lit: lit, to: f.structOf(typ), via: f.holder(typ)}
	if c.to == "" && c.via == nil {
		return nil
	}
	for _, e := range lit.Elts {
		value := e
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			c.keyed, value = true, kv.Value
		}
		ast.Inspect(value, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				f.originate(c, sel)
			}
			_, inner := n.(*ast.CompositeLit)
			return !inner
		})
	}
	if len(c.from) == 0 {
		return nil
	}
	return c
}

// originate notes a member that is copied from a variable.
func (f *fit) originate(c *copying, sel *ast.SelectorExpr) {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return
	}
	if v, ok := f.info.Uses[id].(*types.Var); !ok || v.IsField() {
		return
	}
	if s := f.info.Selections[sel]; s == nil || s.Kind() != types.FieldVal {
		return
	}
	i := slices.IndexFunc(c.from, func(o origin) bool { return o.name == id.Name })
	if i < 0 {
		o := origin{name: id.Name, typ: f.structOf(f.info.TypeOf(id)), via: f.holder(f.info.TypeOf(id)), members: map[string]bool{}}
		if o.typ == "" && o.via == nil {
			return
		}
		i, c.from = len(c.from), append(c.from, o)
	}
	c.from[i].members[sel.Sel.Name] = true
}

// holder returns the struct of the sources that a type is, or that a pointer to it leads to, or nil.
func (f *fit) holder(t types.Type) *unit {
	name := f.named(t)
	if name == "" {
		return nil
	}
	u := f.unitOf[f.types.Scope().Lookup(name)]
	if u == nil {
		return nil
	}
	if spec, ok := u.decl.(*ast.GenDecl).Specs[0].(*ast.TypeSpec); ok {
		if _, ok := spec.Type.(*ast.StructType); ok {
			return u
		}
	}
	return nil
}

// optional returns the type of a member that a struct may go without, nil for another, or for none.
func (f *fit) optional(typ, name string) types.Type {
	field := f.known.fields[typ][name]
	if field == nil || field.Presence != golang.Optional {
		return nil
	}
	if v := f.fieldOf(typ, name); v != nil {
		return v.Type()
	}
	return nil
}

func identical(a, b types.Type) bool { return a != nil && b != nil && types.Identical(a, b) }

// between finds the members that structs of the sources have to hold in addition: what goes in somewhere, and out elsewhere.
func (f *fit) between(all []*copying) map[*unit]map[string]types.Type {
	in, known := map[*unit]map[string][]types.Type{}, map[*unit]map[string]bool{}
	for _, c := range all {
		if c.to != "" {
			continue
		}
		if in[c.via] == nil {
			in[c.via], known[c.via] = map[string][]types.Type{}, map[string]bool{}
		}
		for _, o := range c.from {
			for name := range f.known.fields[o.typ] {
				if t := f.optional(o.typ, name); t != nil {
					in[c.via][name] = append(in[c.via][name], t)
				}
				known[c.via][name] = known[c.via][name] || o.members[name]
			}
		}
	}
	out := map[*unit]map[string]types.Type{}
	for _, c := range all {
		for _, o := range c.from {
			for name, list := range in[o.via] {
				t := f.optional(c.to, name)
				if f.mentioned[c.to][name] || known[o.via][name] || t == nil || !slices.ContainsFunc(list, func(other types.Type) bool { return identical(t, other) }) {
					continue
				}
				each.Put(out, o.via, name, t)
			}
		}
	}
	return out
}

// members returns the elements that a literal of an emitted struct gets.
func (f *fit) members(c *copying, between map[*unit]map[string]types.Type) []string {
	var out []string
	s := f.known.structs[c.to]
	for _, field := range s.Fields {
		name := f.names.field(s.Name, field.Name)
		t := f.optional(c.to, name)
		if t == nil || f.mentioned[c.to][name] {
			continue
		}
		for _, o := range c.from {
			if !o.members[name] && (identical(t, f.optional(o.typ, name)) || identical(t, between[o.via][name])) {
				out = append(out, field.Name+": "+o.name+"."+cmp.Or(f.inHolder(o, name), f.memberOf(o.typ, name)))
				break
			}
		}
	}
	return out
}

// inHolder returns what a struct of the sources calls a member that it got, "" if the origin is none.
func (f *fit) inHolder(o origin, name string) string {
	if o.via == nil {
		return ""
	}
	return name
}

// memberOf returns what the package calls a member.
func (f *fit) memberOf(typ, name string) string { return cmp.Or(f.names.members[typ][name], name) }

// kept returns the elements that a literal of a struct of the sources gets.
func (f *fit) kept(c *copying, fields map[string]types.Type) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := "nil"
		for _, o := range c.from {
			if identical(fields[name], f.optional(o.typ, name)) {
				value = o.name + "." + f.memberOf(o.typ, name)
			}
		}
		if c.keyed {
			value = name + ": " + value
		}
		out = append(out, value)
	}
	return out
}

// insertElements puts elements at the end of a literal.
func (f *fit) insertElements(c *copying, elements []string) {
	if len(elements) == 0 {
		return
	}
	last := c.lit.Elts[len(c.lit.Elts)-1]
	separator := ", "
	if f.line(last.Pos()) != f.line(c.lit.Rbrace) && c.keyed {
		separator = ",\n"
	}
	f.insert(c.unit, last.End(), insertion{text: separator + strings.Join(elements, separator)})
}

// insertFields puts fields at the end of a struct of the sources.
func (f *fit) insertFields(u *unit, fields map[string]types.Type) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		spec := u.decl.(*ast.GenDecl).Specs[0].(*ast.TypeSpec)
		in := insertion{imports: map[string]string{}}
		in.text = name + " " + f.spell(fields[name], in.imports) + "\n"
		f.insert(u, spec.Type.(*ast.StructType).Fields.Closing, in)
	}
}

// spell returns a type as the package writes it.
func (f *fit) spell(t types.Type, imports map[string]string) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return "*" + f.spell(t.Elem(), imports)
	case *types.Slice:
		return "[]" + f.spell(t.Elem(), imports)
	case *types.Map:
		return "map[" + f.spell(t.Key(), imports) + "]" + f.spell(t.Elem(), imports)
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && p != f.types {
			imports[p.Name()] = p.Path()
			return p.Name() + "." + t.Obj().Name()
		}
		return cmp.Or(f.names.actual[t.Obj().Name()], t.Obj().Name())
	}
	return t.String()
}

func (f *fit) insert(u *unit, pos token.Pos, in insertion) {
	in.at = f.set.fset.Position(pos).Offset
	f.inserts[u] = append(f.inserts[u], in)
	slices.SortStableFunc(f.inserts[u], func(a, b insertion) int { return a.at - b.at })
}

func (f *fit) line(pos token.Pos) int { return f.set.fset.Position(pos).Line }
