// Signatures: comparing method signatures syntactically. Types that cannot be compared count as equal; the compiler
// has the last word.

package userfile

import (
	"bytes"
	"go/ast"
	"go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// scope maps the names in a file to import paths.
type scope struct {
	named      map[string]string // import paths by the name the file gives them
	unnamed    []string          // import paths without an explicit name
	dots       []string          // dot imports
	typeParams map[string]bool
}

func (s *scope) add(spec *ast.ImportSpec) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	switch {
	case spec.Name == nil:
		s.unnamed = append(s.unnamed, path)
	case spec.Name.Name == ".":
		s.dots = append(s.dots, path)
	case spec.Name.Name != "_":
		s.named[spec.Name.Name] = path
	}
}

// paths returns the import paths a qualifier may stand for. The name of a package is not always
// in its path, so without a better one every unnamed import is possible.
func (s *scope) paths(qualifier string) []string {
	var likely []string
	if path, ok := s.named[qualifier]; ok {
		likely = append(likely, path)
	}
	for _, path := range s.unnamed {
		if strings.Contains(path, qualifier) {
			likely = append(likely, path)
		}
	}
	if likely == nil {
		return s.unnamed
	}
	return likely
}

// typ is a type as written in some file.
type typ struct {
	expr  ast.Expr
	scope *scope
}

// comparer compares types. Its budget bounds aliases that go in circles.
type comparer struct {
	names   map[string]bool
	aliases map[string][]alias
	budget  int
}

// sameSignature reports whether a method takes and returns the types of a wanted one.
func (p *Package) sameSignature(m *method, w *wanted) bool {
	within := func(s *scope, fn *ast.FuncDecl) *scope {
		return &scope{s.named, s.unnamed, s.dots, receiverTypeParams(fn)}
	}
	c := &comparer{p.names, p.aliases, 10_000}
	return sameFunc(m.decl.Type, w.decl.Type, c.between(within(m.file.scope, m.decl), within(w.scope, w.decl)))
}

// between returns what compares a type of one scope with a type of another.
func (c *comparer) between(a, b *scope) func(x, y ast.Expr) bool {
	return func(x, y ast.Expr) bool { return c.same(typ{x, a}, typ{y, b}) }
}

func (c *comparer) same(a, b typ) bool {
	c.budget--
	a.expr, b.expr = ast.Unparen(a.expr), ast.Unparen(b.expr)
	if c.budget < 0 || c.unknowable(a) || c.unknowable(b) {
		return true
	}
	if slices.ContainsFunc(c.fullNames(a), func(name string) bool { return slices.Contains(c.fullNames(b), name) }) {
		return true
	}
	if alternatives := c.expand(a); alternatives != nil {
		return slices.ContainsFunc(alternatives, func(t typ) bool { return c.same(t, b) })
	}
	if alternatives := c.expand(b); alternatives != nil {
		return slices.ContainsFunc(alternatives, func(t typ) bool { return c.same(a, t) })
	}
	return c.sameShape(a, b)
}

// unknowable reports whether a type can only be resolved by the type checker: a type parameter or a generic alias.
func (c *comparer) unknowable(t typ) bool {
	switch expr := t.expr.(type) {
	case *ast.Ident:
		return t.scope.typeParams[expr.Name]
	case *ast.IndexExpr:
		return c.isGenericAlias(expr.X)
	case *ast.IndexListExpr:
		return c.isGenericAlias(expr.X)
	}
	return false
}

func (c *comparer) isGenericAlias(expr ast.Expr) bool {
	id, ok := expr.(*ast.Ident)
	return ok && slices.ContainsFunc(c.aliases[id.Name], func(a alias) bool { return a.generic })
}

// fullNames returns the types that a name may refer to, imported ones qualified by their path.
func (c *comparer) fullNames(t typ) []string {
	switch expr := t.expr.(type) {
	case *ast.Ident:
		out := []string{expr.Name}
		if !c.names[expr.Name] && types.Universe.Lookup(expr.Name) == nil {
			for _, path := range t.scope.dots {
				out = append(out, path+"."+expr.Name)
			}
		}
		return out
	case *ast.SelectorExpr:
		qualifier, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil
		}
		return each.Map(t.scope.paths(qualifier.Name), func(path string) string { return path + "." + expr.Sel.Name })
	}
	return nil
}

// expand returns the types an alias may stand for: several if files for different builds disagree.
func (c *comparer) expand(t typ) []typ {
	id, ok := t.expr.(*ast.Ident)
	if !ok {
		return nil
	}
	if c.names[id.Name] {
		return each.Map(c.aliases[id.Name], func(a alias) typ { return a.typ })
	}
	switch id.Name {
	case "any":
		return []typ{{&ast.InterfaceType{Methods: &ast.FieldList{}}, t.scope}}
	case "byte":
		return []typ{{ast.NewIdent("uint8"), t.scope}}
	case "rune":
		return []typ{{ast.NewIdent("int32"), t.scope}}
	}
	return nil
}

func (c *comparer) sameShape(a, b typ) bool {
	in := c.between(a.scope, b.scope)
	switch x := a.expr.(type) {
	case *ast.StarExpr:
		y, ok := b.expr.(*ast.StarExpr)
		return ok && in(x.X, y.X)
	case *ast.Ellipsis:
		y, ok := b.expr.(*ast.Ellipsis)
		return ok && in(x.Elt, y.Elt)
	case *ast.ArrayType:
		y, ok := b.expr.(*ast.ArrayType)
		return ok && sameLength(x.Len, y.Len) && in(x.Elt, y.Elt)
	case *ast.MapType:
		y, ok := b.expr.(*ast.MapType)
		return ok && in(x.Key, y.Key) && in(x.Value, y.Value)
	case *ast.ChanType:
		y, ok := b.expr.(*ast.ChanType)
		return ok && x.Dir == y.Dir && in(x.Value, y.Value)
	case *ast.FuncType:
		y, ok := b.expr.(*ast.FuncType)
		return ok && sameFunc(x, y, in)
	case *ast.StructType:
		y, ok := b.expr.(*ast.StructType)
		return ok && sameFields(x.Fields, y.Fields, in)
	case *ast.InterfaceType:
		y, ok := b.expr.(*ast.InterfaceType)
		return ok && sameMethods(x.Methods, y.Methods, in)
	case *ast.IndexExpr, *ast.IndexListExpr:
		base, args := instance(x)
		otherBase, otherArgs := instance(b.expr)
		return otherBase != nil && in(base, otherBase) && slices.EqualFunc(args, otherArgs, in)
	}
	return false // a name, and the other type is not of that name
}

// instance splits a generic type into its base and type arguments.
func instance(expr ast.Expr) (ast.Expr, []ast.Expr) {
	switch expr := expr.(type) {
	case *ast.IndexExpr:
		return expr.X, []ast.Expr{expr.Index}
	case *ast.IndexListExpr:
		return expr.X, expr.Indices
	}
	return nil, nil
}

// sameLength compares array lengths. Non-literal lengths count as equal.
func sameLength(a, b ast.Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, ok := a.(*ast.BasicLit)
	y, ok2 := b.(*ast.BasicLit)
	if !ok || !ok2 {
		return true
	}
	n, m := constant.MakeFromLiteral(x.Value, x.Kind, 0), constant.MakeFromLiteral(y.Value, y.Kind, 0)
	return n.Kind() == constant.String || m.Kind() == constant.String || constant.Compare(n, token.EQL, m)
}

func sameFunc(a, b *ast.FuncType, same func(x, y ast.Expr) bool) bool {
	sameTypes := func(f, g field) bool { return same(f.expr, g.expr) }
	return slices.EqualFunc(flatten(a.Params), flatten(b.Params), sameTypes) && slices.EqualFunc(flatten(a.Results), flatten(b.Results), sameTypes)
}

func sameFields(a, b *ast.FieldList, same func(x, y ast.Expr) bool) bool {
	return slices.EqualFunc(flatten(a), flatten(b), func(f, g field) bool {
		return f.name == g.name && f.tag == g.tag && same(f.expr, g.expr)
	})
}

// sameMethods compares the methods of two interfaces in any order. Embedded interfaces are not resolved.
func sameMethods(a, b *ast.FieldList, same func(x, y ast.Expr) bool) bool {
	byName := func(x, y field) int { return strings.Compare(x.name, y.name) }
	x, y := flatten(a), flatten(b)
	slices.SortStableFunc(x, byName)
	slices.SortStableFunc(y, byName)
	embeds := func(f field) bool { return f.name == "" }
	if slices.ContainsFunc(x, embeds) || slices.ContainsFunc(y, embeds) {
		return true
	}
	return slices.EqualFunc(x, y, func(f, g field) bool { return f.name == g.name && same(f.expr, g.expr) })
}

// field is one parameter, struct field or interface method.
type field struct {
	name string
	tag  string
	expr ast.Expr
}

// flatten splits grouped fields such as "a, b int".
func flatten(list *ast.FieldList) []field {
	if list == nil {
		return nil
	}
	var out []field
	for _, f := range list.List {
		tag := ""
		if f.Tag != nil {
			tag, _ = strconv.Unquote(f.Tag.Value) // the parser accepts only strings
		}
		for _, name := range f.Names {
			out = append(out, field{name.Name, tag, f.Type})
		}
		if f.Names == nil {
			out = append(out, field{"", tag, f.Type})
		}
	}
	return out
}

// signatureText prints a signature on one line, such as "(a, b int) error".
func signatureText(fn *ast.FuncType) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), fn); err != nil {
		return "(unprintable)" // cannot happen for parsed types
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(b.String(), "func")), " ")
}
