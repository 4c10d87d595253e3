// The expressions of reducers that are interpreted.

package finished

import (
	"go/ast"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// value evaluates an expression.
func (m *Performer) value(e ast.Expr, sc *scope) any { return m.values(e, sc)[0] }

// values evaluates an expression that may be a call with several results, or none.
func (m *Performer) values(e ast.Expr, sc *scope) []any {
	if call, ok := e.(*ast.CallExpr); ok {
		return m.invoke(call, sc)
	}
	return []any{m.single(e, sc)}
}

func (m *Performer) single(e ast.Expr, sc *scope) any {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.value(e.X, sc)
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		return m.name(e.Name, sc)
	case *ast.StarExpr:
		if v := m.value(e.X, sc); v != nil {
			return v
		}
		panic(beyond("nil pointer"))
	case *ast.UnaryExpr:
		return m.unary(e, sc)
	case *ast.BinaryExpr:
		return m.binary(e, sc)
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && id.Name == "time" {
			return map[string]any{"RFC3339": time.RFC3339, "Millisecond": time.Millisecond}[e.Sel.Name]
		}
		of := m.value(e.X, sc)
		if of, ok := of.(*local); ok {
			return of.fields[e.Sel.Name]
		}
		return of.(map[string]any)[m.member(e.Sel.Name)]
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return m.several(e, sc)[0]
	case *ast.SliceExpr:
		return m.slice(e, sc)
	case *ast.CompositeLit:
		return m.composite(e, sc)
	case *ast.FuncLit:
		return function(func(args []any) []any { return m.body(e.Type, e.Body, sc.inner(), args) })
	}
	panic(beyond("expression"))
}

// several evaluates an expression with a second result that says whether there is the first.
func (m *Performer) several(e ast.Expr, sc *scope) []any {
	switch e := e.(type) {
	case *ast.TypeAssertExpr:
		v := m.value(e.X, sc)
		if !m.matches(v, e.Type) {
			return []any{nil, false}
		}
		return []any{v, true}
	case *ast.IndexExpr:
		switch on := m.value(e.X, sc).(type) {
		case []any:
			return []any{on[m.value(e.Index, sc).(int64)]}
		case map[string]any:
			if v, ok := on[m.value(e.Index, sc).(string)]; ok {
				return []any{v, true}
			}
		case *table:
			if v, ok := on.items[m.value(e.Index, sc)]; ok {
				return []any{v, true}
			}
			return []any{on.zero, false}
		}
		panic(beyond("index"))
	}
	return m.values(e, sc)
}

func (m *Performer) name(name string, sc *scope) any {
	if s := sc.holder(name); s != nil {
		return s.vars[name]
	}
	switch name {
	case "nil":
		return nil
	case "true", "false":
		return name == "true"
	}
	if v, ok := m.consts[fold(name)]; ok {
		return v
	}
	if u := m.unit(name); u != nil {
		switch d := u.decl.(type) {
		case *ast.FuncDecl:
			return function(func(args []any) []any { return m.call(d, nil, args) })
		case *ast.GenDecl:
			if v, ok := d.Specs[0].(*ast.ValueSpec); ok && len(v.Values) == 1 {
				return m.value(v.Values[0], nil)
			}
		}
	}
	panic(beyond(name))
}

func (m *Performer) unary(e *ast.UnaryExpr, sc *scope) any {
	v := m.value(e.X, sc)
	switch e.Op {
	case token.AND:
		return v
	case token.NOT:
		return !v.(bool)
	case token.SUB:
		return -v.(int64)
	}
	panic(beyond("operator"))
}

func (m *Performer) binary(e *ast.BinaryExpr, sc *scope) any {
	a := m.value(e.X, sc)
	if (e.Op == token.LAND || e.Op == token.LOR) && a.(bool) == (e.Op == token.LOR) {
		return a
	}
	b := m.value(e.Y, sc)
	if e.Op == token.LAND || e.Op == token.LOR {
		return b
	}
	return operate(e.Op, a, b)
}

func operate(op token.Token, a, b any) any {
	switch op {
	case token.EQL:
		return same(a, b)
	case token.NEQ:
		return !same(a, b)
	}
	if text, ok := a.(string); ok && op == token.ADD {
		return text + b.(string)
	}
	x, y := a.(int64), b.(int64)
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.AND:
		return x & y
	case token.OR:
		return x | y
	case token.AND_NOT:
		return x &^ y
	case token.SHL:
		return x << y
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	case token.GEQ:
		return x >= y
	}
	panic(beyond("operator"))
}

// same compares as == does. Objects are compared as pointers.
func same(a, b any) bool {
	x, isObject := a.(map[string]any)
	y, _ := b.(map[string]any)
	if isObject {
		return reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer()
	}
	if list, ok := a.([]any); ok { // compared with nil alone
		return list == nil
	}
	return a == b
}

func (m *Performer) slice(e *ast.SliceExpr, sc *scope) any {
	list, ok := m.value(e.X, sc).([]any)
	if !ok {
		panic(beyond("slice"))
	}
	from, to := int64(0), int64(len(list))
	if e.Low != nil {
		from = m.value(e.Low, sc).(int64)
	}
	if e.High != nil {
		to = m.value(e.High, sc).(int64)
	}
	return list[from:to:to]
}

func (m *Performer) composite(e *ast.CompositeLit, sc *scope) any {
	if _, ok := e.Type.(*ast.ArrayType); ok {
		list := []any{}
		for _, item := range e.Elts {
			list = append(list, m.value(item, sc))
		}
		return list
	}
	if _, ok := e.Type.(*ast.MapType); ok && len(e.Elts) == 0 {
		return map[string]any{}
	}
	if v, ok := m.compositeLocal(e, sc); ok {
		return v
	}
	id, ok := e.Type.(*ast.Ident)
	if !ok || m.structs[fold(id.Name)] == nil {
		panic(beyond("literal"))
	}
	out := newObject(m.structs[fold(id.Name)])
	for _, item := range e.Elts {
		kv := item.(*ast.KeyValueExpr)
		if v := m.value(kv.Value, sc); v != nil {
			out[m.member(kv.Key.(*ast.Ident).Name)] = copied(v)
		}
	}
	return out
}

// invoke calls a function or method, or converts a value.
func (m *Performer) invoke(call *ast.CallExpr, sc *scope) []any {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		if sc.holder(fn.Name) == nil && (m.types[fold(fn.Name)] && m.set.units[fn.Name] == nil || slices.Contains([]string{"string", "int", "int64", "uint64"}, fn.Name)) {
			return []any{m.value(call.Args[0], sc)}
		}
		if m.isText(fn.Name) {
			return []any{m.value(call.Args[0], sc)}
		}
		if v, ok := m.makeMap(call); ok && fn.Name == "make" {
			return []any{v}
		}
		if f := builtins[fn.Name]; f != nil {
			return f(m.arguments(call, sc))
		}
	case *ast.ArrayType:
		return []any{m.value(call.Args[0], sc)}
	case *ast.SelectorExpr:
		if id, ok := fn.X.(*ast.Ident); ok && sc.holder(id.Name) == nil {
			if f := builtins[id.Name+"."+fn.Sel.Name]; f != nil {
				return f(m.arguments(call, sc))
			}
			panic(beyond(id.Name + "." + fn.Sel.Name))
		}
		return m.method(m.value(fn.X, sc), fn.Sel.Name, m.arguments(call, sc))
	}
	return m.value(call.Fun, sc).(function)(m.arguments(call, sc))
}

func (m *Performer) arguments(call *ast.CallExpr, sc *scope) []any {
	var out []any
	for _, e := range call.Args {
		if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
			panic(beyond("blank"))
		}
		out = append(out, m.value(e, sc))
	}
	if call.Ellipsis.IsValid() { // append alone takes a list
		list, _ := out[len(out)-1].([]any)
		out = append(out[:len(out)-1:len(out)-1], list...)
	}
	return out
}

// method calls a method of the reducer, or one that is emitted for a bitset or a union.
func (m *Performer) method(of any, name string, args []any) []any {
	if _, ok := of.(receiver); ok {
		if u := m.unit("Reducer." + name); u != nil {
			return m.call(u.decl.(*ast.FuncDecl), of, args)
		}
		switch name {
		case "now":
			return []any{noon}
		case "appendText":
			return []any{args[0].(string) + args[1].(string)}
		}
		panic(beyond("method " + name))
	}
	if in, ok := of.(*local); ok {
		if u := m.unit(in.typ + "." + name); u != nil {
			return m.call(u.decl.(*ast.FuncDecl), in.clone(), args)
		}
	}
	if at, ok := of.(time.Time); ok {
		switch name {
		case "UTC":
			return []any{at.UTC()}
		case "UnixMilli":
			return []any{at.UnixMilli()}
		case "Format":
			return []any{at.Format(args[0].(string))}
		case "Before":
			return []any{at.Before(args[0].(time.Time))}
		case "Truncate":
			return []any{at.Truncate(args[0].(time.Duration))}
		case "Year":
			return []any{int64(at.Year())}
		}
	}
	if bits, ok := of.(int64); ok && len(args) == 1 {
		switch mask := args[0].(int64); name {
		case "With":
			return []any{bits | mask}
		case "Without":
			return []any{bits &^ mask}
		case "Has":
			return []any{bits&mask == mask}
		}
	}
	if object, ok := of.(map[string]any); ok && len(args) == 0 {
		if member, ok := strings.CutPrefix(name, "Get"); ok {
			return []any{object[m.member(member)]}
		}
	}
	panic(beyond("method " + name))
}

// noon is the time by the clock of reducers, which stands still.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// meets returns a condition on items.
func meets(v any) func(any) bool {
	return func(item any) bool { return v.(function)([]any{item})[0].(bool) }
}

// builtins are the functions of Go, of its standard library and of the runtime that reducers use.
var builtins = map[string]function{
	"len": func(a []any) []any {
		if text, ok := a[0].(string); ok {
			return []any{int64(len(text))}
		}
		if object, ok := a[0].(map[string]any); ok {
			return []any{int64(len(object))}
		}
		return []any{int64(len(listOf(a[0])))}
	},
	"append": func(a []any) []any {
		if a[0] == nil && len(a) == 1 {
			return a
		}
		return []any{append(append([]any{}, listOf(a[0])...), a[1:]...)}
	},
	"max": func(a []any) []any { return []any{max(a[0].(int64), a[1].(int64))} },
	"min": func(a []any) []any { return []any{min(a[0].(int64), a[1].(int64))} },
	"time.Parse": func(a []any) []any {
		at, err := time.Parse(a[0].(string), a[1].(string))
		if err != nil {
			return []any{at, err.Error()}
		}
		return []any{at, nil}
	},
	"time.UnixMilli": func(a []any) []any { return []any{time.UnixMilli(a[0].(int64))} },
	"state.Pointer":  func(a []any) []any { return a },
	"slices.Clip":    func(a []any) []any { return a },
	"slices.Clone": func(a []any) []any {
		if a[0] == nil {
			return a
		}
		return []any{append([]any{}, listOf(a[0])...)}
	},
	"slices.Delete": func(a []any) []any {
		list := listOf(a[0])
		return []any{append(append([]any{}, list[:a[1].(int64)]...), list[a[2].(int64):]...)}
	},
	"cmp.Or": func(a []any) []any {
		for _, v := range a {
			if v != nil && v != "" && v != int64(0) {
				return []any{v}
			}
		}
		return a[len(a)-1:]
	},
	"slices.DeleteFunc": func(a []any) []any {
		return []any{slices.DeleteFunc(slices.Clone(listOf(a[0])), meets(a[1]))}
	},
	"maps.Copy": func(a []any) []any {
		from, _ := a[1].(map[string]any)
		maps.Copy(a[0].(map[string]any), from)
		return []any{nil}
	},
	"slices.IndexFunc":    func(a []any) []any { return []any{int64(slices.IndexFunc(listOf(a[0]), meets(a[1])))} },
	"slices.ContainsFunc": func(a []any) []any { return []any{slices.ContainsFunc(listOf(a[0]), meets(a[1]))} },
	"slices.Contains": func(a []any) []any {
		return []any{slices.ContainsFunc(listOf(a[0]), func(v any) bool { return same(v, a[1]) })}
	},
}
