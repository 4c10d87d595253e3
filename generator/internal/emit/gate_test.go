// The gate cannot be passed by: every string that this package prints as code is a constant, comes from
// package gotext, or is a field that is checked to be an identifier or an import path.

package emit_test

import (
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

func TestEveryStringThatIsPrintedComesThroughTheGate(t *testing.T) {
	require.Empty(t, bypasses(t, ""))
}

// TestBypassesAreFound shows that the test above can fail.
func TestBypassesAreFound(t *testing.T) {
	found := bypasses(t, `package emit

import (
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

func fine(f *jenFile, c *golang.Channel, b *strings.Builder) {
	f.Add(Id(c.Const), text(c.Name), Lit("a"), Comment(gotext.Comment(c.Name)))
	name := c.Const + "Key"
	helper(f, "x"+name)
	b.WriteString(gotext.Literal(c.URI))
}

func helper(f *jenFile, name string) { f.Add(Id(name)) }

func bad(f *jenFile, c *golang.Channel, b *strings.Builder) {
	f.Add(Id(c.Name)) // bad
	f.Comment(c.URI) // bad
	f.Add(Lit(c.Prefix)) // bad
	f.Add(Op("a" + c.Prefix)) // bad
	name := c.Const
	name = strings.ToUpper(c.Name)
	f.Add(Id("x").Dot(name)) // bad
	_, _ = gotext.Code("*"+c.Const), gotext.Code(c.URI + "x") // bad: the second
	badHelper(f, c.Name)
	for _, line := range c.Doc {
		f.Add(Comment(line)) // bad
	}
	b.WriteString(c.Name) // bad
	f.Add(Id(gotext.Comment(c.Name))) // bad
	f.Add(Id(pair{c.Name}.name)) // bad
}

type pair struct{ name string }

func badHelper(f *jenFile, name string) { f.Add(Id(name)) } // bad
`)
	require.Len(t, found, 11, "%s", strings.Join(found, "\n"))
	for _, f := range found {
		require.Contains(t, f, "added.go", "%s", strings.Join(found, "\n"))
	}
}

// bypasses lists the places of the package, with a file added, that print an unchecked string.
func bypasses(t *testing.T, added string) []string {
	t.Helper()
	p := typeChecked(t, added)
	g := newGate(p)
	var out []string
	sinks := 0
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for _, arg := range g.printed(call) {
				sinks++
				if !g.vouched(arg, g.takesComment(call)) {
					at := p.fset.Position(arg.Pos())
					out = append(out, fmt.Sprintf("%s:%d: %s", filepath.Base(at.Filename), at.Line, types.ExprString(arg)))
				}
			}
			return true
		})
	}
	require.Greater(t, sinks, 500, "the test does not see what is printed")
	return out
}

// source is a package with what the type checker knows of it.
type source struct {
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// imports are packages by path.
type imports map[string]*packages.Package

func (i imports) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// typeChecked reads this package with a file added. What it imports comes from the build cache.
func typeChecked(t *testing.T, added string) *source {
	t.Helper()
	s := &source{fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	here, err := gobuild.ImportDir(".", 0)
	require.NoError(t, err)
	for _, name := range here.GoFiles {
		f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		s.files = append(s.files, f)
	}
	if added != "" {
		f, err := parser.ParseFile(s.fset, "added.go", added, parser.SkipObjectResolution)
		require.NoError(t, err)
		s.files = append(s.files, f)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes, Fset: s.fset}, here.Imports...)
	require.NoError(t, err)
	from := imports{}
	for _, p := range loaded {
		require.Empty(t, p.Errors)
		from[p.PkgPath] = p
	}
	config := types.Config{Importer: from}
	s.types, err = config.Check("github.com/ahpgen/ahpgen/generator/internal/emit", s.fset, s.files, s.info)
	require.NoError(t, err)
	return s
}

// gate knows where the strings of a package come from.
type gate struct {
	info    *types.Info
	pkg     *types.Package
	sources map[types.Object][]value           // what a variable, or a field of the package's own, is set to
	params  map[types.Object]param             // whose parameter a variable is
	calls   map[types.Object][]*ast.CallExpr   // of a function, or of a variable that holds one
	results map[types.Object][]*ast.ReturnStmt // of a function, or of a variable that holds one
	seen    map[ast.Expr]bool
}

// value is an expression, or one result of a call.
type value struct {
	expr   ast.Expr
	result int
}

type param struct {
	of    types.Object
	index int
}

func newGate(p *source) *gate {
	g := &gate{
		info: p.info, pkg: p.types, sources: map[types.Object][]value{}, params: map[types.Object]param{},
		calls: map[types.Object][]*ast.CallExpr{}, results: map[types.Object][]*ast.ReturnStmt{},
	}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				g.function(g.info.Defs[n.Name], n.Type, n.Body)
			case *ast.AssignStmt:
				g.assign(n.Lhs, n.Rhs)
			case *ast.ValueSpec:
				var names []ast.Expr
				for _, name := range n.Names {
					names = append(names, name)
				}
				g.assign(names, n.Values)
			case *ast.RangeStmt:
				if n.Value != nil {
					g.set(n.Value, value{n.X, 0})
				}
			case *ast.CompositeLit:
				g.literal(n)
			case *ast.CallExpr:
				if callee := g.callee(n); callee != nil {
					g.calls[callee] = append(g.calls[callee], n)
				}
			}
			return true
		})
	}
	return g
}

// function notes the parameters and the return statements of a function.
func (g *gate) function(of types.Object, typ *ast.FuncType, body *ast.BlockStmt) {
	i := 0
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			g.params[g.info.Defs[name]] = param{of, i}
			i++
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			g.results[of] = append(g.results[of], r)
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

func (g *gate) assign(to, from []ast.Expr) {
	for i, l := range to {
		switch {
		case len(from) == len(to):
			g.set(l, value{from[i], 0})
		case len(from) == 1:
			g.set(l, value{from[0], i})
		}
	}
}

func (g *gate) set(to ast.Expr, v value) {
	object := g.object(to)
	if object == nil {
		return
	}
	g.sources[object] = append(g.sources[object], v)
	if fn, ok := v.expr.(*ast.FuncLit); ok {
		g.function(object, fn.Type, fn.Body)
	}
}

// literal notes what the fields of a struct are set to.
func (g *gate) literal(lit *ast.CompositeLit) {
	s, ok := g.info.TypeOf(lit).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			g.set(kv.Key, value{kv.Value, 0})
		} else {
			g.sources[s.Field(i)] = append(g.sources[s.Field(i)], value{elt, 0})
		}
	}
}

// object returns the variable, field or function that an expression names.
func (g *gate) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return g.info.ObjectOf(e)
	case *ast.SelectorExpr:
		return g.info.ObjectOf(e.Sel)
	}
	return nil
}

func (g *gate) callee(call *ast.CallExpr) types.Object { return g.object(call.Fun) }

// printed lists the arguments of a call that become part of emitted code.
func (g *gate) printed(call *ast.CallExpr) []ast.Expr {
	if t := g.info.Types[call.Fun]; t.IsType() && types.TypeString(t.Type, (*types.Package).Name) == "gotext.Code" {
		return call.Args // which templates print as it is
	}
	callee, ok := g.callee(call).(*types.Func)
	if !ok || callee.Pkg() == nil {
		return nil
	}
	writes := callee.Pkg().Path() == "strings" && strings.HasPrefix(callee.Name(), "Write")
	if !writes && !strings.HasSuffix(callee.Pkg().Path(), "/jennifer/jen") && !strings.HasSuffix(callee.Pkg().Path(), "/ahpgen/templates") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(call.Args), func(arg ast.Expr) bool {
		t, ok := g.info.TypeOf(arg).Underlying().(*types.Basic)
		return !ok || t.Info()&types.IsString == 0
	})
}

// takesComment reports whether a comment may stand where a call puts its argument.
func (g *gate) takesComment(call *ast.CallExpr) bool {
	name := g.callee(call).Name()
	return name == "Comment" || strings.HasPrefix(name, "Write")
}

// safeCalls return text that is safe wherever code may stand, if their arguments are no text at all.
var safeCalls = []string{
	"gotext.Literal", "gotext.RawLiteral", "strconv.Itoa", "strconv.FormatUint", "emit.Header", // whose parts are cleaned, in one comment
	"gotext.Printed",                // of what is a constant or comes from the gate
	"emit.declarations",             // of a template, whose places package gotext guards
	"golang.Spell",                  // identifiers
	"golang.Own", "golang.OwnField", // a name of the generator's own, which an identifier and a number set apart
}

// vouched reports whether an expression is a string, or a list or map of strings, that may be printed.
func (g *gate) vouched(e ast.Expr, comment bool) bool {
	e = ast.Unparen(e)
	if g.info.Types[e].Value != nil {
		return true
	}
	if g.seen[e] {
		return true // it depends on what it is asked for
	}
	if g.seen == nil {
		g.seen = map[ast.Expr]bool{}
	}
	g.seen[e] = true
	defer delete(g.seen, e)
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return e.Op == token.ADD && g.vouched(e.X, comment) && g.vouched(e.Y, comment)
	case *ast.SliceExpr:
		return g.vouched(e.X, comment)
	case *ast.IndexExpr:
		return g.vouched(e.X, comment)
	case *ast.CompositeLit:
		return !slices.ContainsFunc(e.Elts, func(elt ast.Expr) bool {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			return !g.vouched(elt, comment)
		})
	case *ast.CallExpr:
		return g.vouchedCall(e, 0, comment)
	case *ast.SelectorExpr:
		if tag, ok := g.tag(e); ok {
			return slices.Contains([]string{"identifier", "import"}, tag)
		}
		return g.vouchedObject(g.info.ObjectOf(e.Sel), comment)
	case *ast.Ident:
		return g.vouchedObject(g.info.ObjectOf(e), comment)
	}
	return false
}

func (g *gate) vouchedCall(call *ast.CallExpr, result int, comment bool) bool {
	if g.info.Types[call.Fun].IsType() { // a conversion
		from := types.TypeString(g.info.TypeOf(call.Args[0]), (*types.Package).Name)
		return from == "golang.Basic" || g.vouched(call.Args[0], comment)
	}
	callee := g.callee(call)
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	name := callee.Pkg().Name() + "." + callee.Name()
	if slices.Contains(safeCalls, name) || comment && name == "gotext.Comment" {
		return true
	}
	if name == "strings.Repeat" {
		return g.vouched(call.Args[0], comment)
	}
	returns := g.results[callee]
	return len(returns) > 0 && !slices.ContainsFunc(returns, func(r *ast.ReturnStmt) bool {
		return result >= len(r.Results) || !g.vouched(r.Results[result], comment)
	})
}

// vouchedObject reports whether all that a variable or a field is ever set to may be printed.
func (g *gate) vouchedObject(object types.Object, comment bool) bool {
	var values []value
	if p, ok := g.params[object]; ok {
		if len(g.calls[p.of]) == 0 {
			return false
		}
		for _, call := range g.calls[p.of] {
			if p.index >= len(call.Args) {
				return false
			}
			values = append(values, value{call.Args[p.index], 0})
		}
	}
	values = append(values, g.sources[object]...)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v value) bool {
		if call, ok := ast.Unparen(v.expr).(*ast.CallExpr); ok && v.result > 0 {
			return !g.vouchedCall(call, v.result, comment)
		}
		return !g.vouched(v.expr, comment)
	})
}

// tag returns what the field's tag says that it is.
func (g *gate) tag(e *ast.SelectorExpr) (string, bool) {
	selection := g.info.Selections[e]
	if selection == nil || selection.Kind() != types.FieldVal || selection.Obj().Pkg() == g.pkg {
		return "", false
	}
	t := selection.Recv()
	for n, i := range selection.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s := t.Underlying().(*types.Struct)
		if n == len(selection.Index())-1 {
			return reflect.StructTag(s.Tag(i)).Get("go"), true
		}
		t = s.Field(i).Type()
	}
	return "", true
}
