// A program that uses all that an emitted package exports, written from the package itself.

package upgrade

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// consumer writes the program.
type consumer struct {
	pkg     *types.Package
	imports map[string]string // by path: their names in the program
	body    strings.Builder
	runs    []string // calls in main
}

func (c *consumer) qualify(p *types.Package) string {
	if c.imports[p.Path()] == "" {
		c.imports[p.Path()] = fmt.Sprintf("%s%d", p.Name(), len(c.imports))
	}
	return c.imports[p.Path()]
}

func (c *consumer) line(format string, args ...any) {
	fmt.Fprintf(&c.body, format+"\n", args...)
}

// typeText returns a type as the program writes it, and whether it can.
func (c *consumer) typeText(t types.Type) (string, bool) {
	if hidden(t, map[types.Type]bool{}) {
		return "", false
	}
	return types.TypeString(t, c.qualify), true
}

// hidden tells whether a type has something that other packages cannot name.
func hidden(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if t.Obj().Pkg() != nil && (!t.Obj().Exported() || strings.Contains(t.Obj().Pkg().Path(), "internal")) {
			return true
		}
		for arg := range t.TypeArgs().Types() {
			if hidden(arg, seen) {
				return true
			}
		}
		return false
	case *types.Alias:
		return t.Obj().Pkg() != nil && !t.Obj().Exported()
	case *types.Pointer:
		return hidden(t.Elem(), seen)
	case *types.Slice:
		return hidden(t.Elem(), seen)
	case *types.Map:
		return hidden(t.Key(), seen) || hidden(t.Elem(), seen)
	case *types.Chan:
		return hidden(t.Elem(), seen)
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if hidden(v.Type(), seen) {
					return true
				}
			}
		}
		return t.TypeParams().Len() > 0
	case *types.TypeParam:
		return true
	case *types.Struct, *types.Interface:
		return false
	}
	return false
}

// consume returns the program: a switch over each union and enum, a literal, the members and a comparison of each type, and
// the functions. It prints, for each line "NAME JSON" that it reads, what becomes of the value.
func consume(pkg *types.Package) string {
	c := &consumer{pkg: pkg, imports: map[string]string{}}
	c.qualify(pkg)
	scope := pkg.Scope()
	for i, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok && named.TypeParams().Len() == 0 && !obj.IsAlias() {
				c.named(name, named, i)
			}
		case *types.Func:
			if text, ok := c.typeText(obj.Type()); ok {
				c.line("var _ %s = %s.%s\n", text, c.qualify(pkg), name)
			}
		}
	}
	var out strings.Builder
	out.WriteString("package main\n\nimport (\n\t\"bufio\"\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n\n")
	for _, path := range slices.Sorted(maps.Keys(c.imports)) {
		if strings.Contains(c.body.String(), c.imports[path]+".") {
			fmt.Fprintf(&out, "\t%s %q\n", c.imports[path], path)
		}
	}
	fmt.Fprintf(&out, ")\n\n%s\n%s", c.body.String(), consumerMain)
	out.WriteString("var runs = map[string]func(text string) string{\n" + strings.Join(c.runs, "\n") + "\n}\n")
	return out.String()
}

const consumerMain = `
func show(do func() string) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprint("panic: ", r)
		}
	}()
	return do()
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		name, text, _ := strings.Cut(in.Text(), " ")
		if run := runs[name]; run != nil {
			fmt.Println(name, show(func() string { return run(text) }))
		}
	}
}

`

func (c *consumer) named(name string, named *types.Named, i int) {
	p := c.qualify(c.pkg)
	switch u := named.Underlying().(type) {
	case *types.Interface:
		c.union(name, named, u, i)
	case *types.Basic:
		c.enum(name, named, i)
	case *types.Struct:
		c.structure(name, named, u)
	}
	if types.IsInterface(named) {
		return
	}
	set := types.NewMethodSet(types.NewPointer(named))
	for s := range set.Methods() {
		if !s.Obj().Exported() || len(s.Index()) > 1 {
			continue
		}
		if text, ok := c.typeText(s.Obj().Type()); ok {
			c.line("func method%s%s(v *%s.%s) { var _ %s = v.%s }\n", name, s.Obj().Name(), p, name, text, s.Obj().Name())
		}
	}
}

// decodes tells whether values of a type are read from JSON: Decode takes them.
func (c *consumer) decodes(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, c.pkg, "DecodeJSON")
	return obj != nil && c.pkg.Scope().Lookup("Decode") != nil
}

func (c *consumer) structure(name string, named *types.Named, s *types.Struct) {
	p := c.qualify(c.pkg)
	c.line("func members%s(v *%s.%s) {", name, p, name)
	var literal strings.Builder
	for f := range s.Fields() {
		if text, ok := c.typeText(f.Type()); ok && f.Exported() {
			c.line("\tvar _ %s = v.%s", text, f.Name())
			if !f.Embedded() {
				fmt.Fprintf(&literal, "\t\t%s: *new(%s),\n", f.Name(), text)
			}
		}
	}
	c.line("}\n")
	c.line("func make%s() *%s.%s {\n\treturn &%s.%s{\n%s\t}\n}\n", name, p, name, p, name, literal.String())
	if types.Comparable(named) {
		c.line("func same%s(a, b %s.%s) bool {\n\treturn a == b\n}\n", name, p, name)
	}
	if !c.decodes(types.NewPointer(named)) {
		return
	}
	if types.Comparable(named) {
		c.runs = append(c.runs, fmt.Sprintf("\t\"same%s\": func(text string) string {\n\t\ta, _ := %s.Decode[%s.%s]([]byte(text))\n\t\tb, err := %s.Decode[%s.%s]([]byte(text))\n\t\tif err != nil {\n\t\t\treturn \"error: \" + err.Error()\n\t\t}\n\t\treturn fmt.Sprint(same%s(*a, *b))\n\t},", name, p, p, name, p, p, name, name))
	}
	c.runs = append(c.runs, fmt.Sprintf("\t%q: func(text string) string {\n\t\tv, err := %s.Decode[%s.%s]([]byte(text))\n\t\tif err != nil {\n\t\t\treturn \"error: \" + err.Error()\n\t\t}\n\t\tout, err := v.AppendJSON(nil)\n\t\treturn fmt.Sprint(string(out), \" \", err)\n\t},", name, p, p, name))
	c.runs = append(c.runs, fmt.Sprintf("\t\"make%s\": func(string) string {\n\t\tout, err := make%s().AppendJSON(nil)\n\t\treturn fmt.Sprint(string(out), \" \", err)\n\t},", name, name))
}

// union writes a switch that has a case for each variant; what follows it is in turn a panic, an error, and nothing.
func (c *consumer) union(name string, named *types.Named, face *types.Interface, i int) {
	if face.NumMethods() == 0 || !slices.ContainsFunc(slices.Collect(face.Methods()), func(m *types.Func) bool { return !m.Exported() }) {
		return
	}
	p := c.qualify(c.pkg)
	var kept []string
	for _, variant := range c.pkg.Scope().Names() {
		obj, ok := c.pkg.Scope().Lookup(variant).(*types.TypeName)
		if !ok || !obj.Exported() || obj.IsAlias() || types.IsInterface(obj.Type()) {
			continue
		}
		switch {
		case types.Implements(obj.Type(), face):
			kept = append(kept, p+"."+variant)
		case types.Implements(types.NewPointer(obj.Type()), face):
			kept = append(kept, "*"+p+"."+variant)
		}
	}
	if len(kept) == 0 {
		return
	}
	c.line("func tell%s(v %s.%s) (string, error) {\n\tswitch v.(type) {", name, p, name)
	for _, variant := range kept {
		c.line("\tcase %s:\n\t\treturn %q, nil", variant, variant)
	}
	c.line("\t}\n\t%s\n}\n", c.ending(i))
	if c.pkg.Scope().Lookup("Decode"+name) != nil {
		c.runs = append(c.runs, fmt.Sprintf("\t%q: func(text string) string {\n\t\tv, err := %s.Decode%s([]byte(text))\n\t\tif err != nil {\n\t\t\treturn \"error: \" + err.Error()\n\t\t}\n\t\tout, err := tell%s(v)\n\t\treturn fmt.Sprint(out, \" \", err)\n\t},", name, p, name, name))
	}
}

func (c *consumer) ending(i int) string {
	return []string{`panic("no case")`, `return "", fmt.Errorf("no case")`, `return "", nil`}[i%3]
}

func (c *consumer) enum(name string, named *types.Named, i int) {
	p := c.qualify(c.pkg)
	seen := map[string]bool{}
	var list []string
	for _, other := range c.pkg.Scope().Names() {
		k, ok := c.pkg.Scope().Lookup(other).(*types.Const)
		if ok && k.Exported() && types.Identical(k.Type(), named) && k.Val().Kind() != constant.Unknown && !seen[k.Val().ExactString()] {
			seen[k.Val().ExactString()] = true
			list = append(list, other)
		}
	}
	if len(list) == 0 {
		return
	}
	c.line("func value%s(v %s.%s) (string, error) {\n\tswitch v {", name, p, name)
	for _, other := range list {
		c.line("\tcase %s.%s:\n\t\treturn %q, nil", p, other, other)
	}
	c.line("\t}\n\t%s\n}\n", c.ending(i))
	if basic := named.Underlying().(*types.Basic); basic.Kind() == types.String {
		c.runs = append(c.runs, fmt.Sprintf("\t\"value%s\": func(text string) string {\n\t\tout, err := value%s(%s.%s(text))\n\t\treturn fmt.Sprint(out, \" \", err)\n\t},", name, name, p, name))
	}
}
