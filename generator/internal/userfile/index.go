// The index: names, aliases and methods declared in the files of the package, and the names that the user's files refer to.

package userfile

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/token"
	"io"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/declared"
)

// methodKey identifies a method by its base type and name, whether or not the receiver is a pointer.
type methodKey struct{ base, name string }

// method is one declaration of a method. Files for different builds may each have one.
type method struct {
	file *file
	decl *ast.FuncDecl
	key  methodKey

	tools bool // unchanged since it was inserted
}

// alias is one declaration of an alias. Files for different builds may each have one.
type alias struct {
	typ     typ
	generic bool
}

// index fills in what the files declare. Test files are left out of everything but methods: a method there
// does not count as an implementation, since ordinary builds lack it, yet a second one would
// break the tests.
func (p *Package) index() {
	p.names = map[string]bool{}
	p.aliases = map[string][]alias{}
	p.methods = map[methodKey][]*method{}
	for _, f := range p.files {
		if f.role == test {
			continue
		}
		for _, decl := range f.syntax.Decls {
			p.indexNames(f, decl)
		}
	}
	for _, f := range p.files {
		for _, m := range p.methodsOf(f) {
			p.all = append(p.all, m)
			p.methods[m.key] = append(p.methods[m.key], m)
		}
	}
}

func (p *Package) indexNames(f *file, decl ast.Decl) {
	for name := range declared.Names(decl) { // of methods too, in which there is a dot
		p.names[name] = true
	}
	general, ok := decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range general.Specs {
		if spec, ok := spec.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
			a := alias{typ: typ{spec.Type, f.scope}, generic: spec.TypeParams != nil}
			p.aliases[spec.Name.Name] = append(p.aliases[spec.Name.Name], a)
		}
	}
}

// methodsOf lists the methods a file declares, in order. An alias that differs between builds
// gives one method per type it stands for.
func (p *Package) methodsOf(f *file) []*method {
	var out []*method
	for _, decl := range f.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || len(fn.Recv.List) != 1 {
			continue
		}
		for _, base := range p.baseTypes(fn.Recv.List[0].Type) {
			out = append(out, &method{file: f, decl: fn, key: methodKey{base, fn.Name.Name}})
		}
	}
	return out
}

// baseTypes names the types behind a receiver: without parentheses, pointer, type parameters and
// aliases.
func (p *Package) baseTypes(expr ast.Expr) []string {
	var out []string
	seen := map[string]bool{} // aliases may be cyclic
	var visit func(ast.Expr)
	visit = func(expr ast.Expr) {
		switch expr := expr.(type) {
		case *ast.ParenExpr:
			visit(expr.X)
		case *ast.StarExpr:
			visit(expr.X)
		case *ast.IndexExpr:
			visit(expr.X)
		case *ast.IndexListExpr:
			visit(expr.X)
		case *ast.Ident:
			if seen[expr.Name] {
				return
			}
			seen[expr.Name] = true
			before := len(out)
			for _, a := range p.aliases[expr.Name] {
				visit(a.typ.expr)
			}
			if len(out) == before {
				out = append(out, expr.Name)
			}
		}
	}
	visit(expr)
	return out
}

// receiverName returns the name of a method's receiver, or "" if it is missing or blank.
func receiverName(fn *ast.FuncDecl) string {
	if names := fn.Recv.List[0].Names; len(names) == 1 && names[0].Name != "_" {
		return names[0].Name
	}
	return ""
}

// receiverTypeParams returns the names of the receiver's type parameters.
func receiverTypeParams(fn *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	add := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if id, ok := e.(*ast.Ident); ok {
				out[id.Name] = true
			}
		}
	}
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			add(n.Index)
		case *ast.IndexListExpr:
			add(n.Indices...)
		}
		return true
	})
	return out
}

// isConditional reports whether a file is part of some builds only: by a //go:build line that asks for
// more than a Go version, by the system or architecture in its name, or because it uses cgo.
func isConditional(f *file) bool {
	if slices.ContainsFunc(f.syntax.Imports, isC) {
		return true
	}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if comment.Pos() < f.syntax.Package && isCondition(comment.Text) {
				return true
			}
		}
	}
	return !matchesAnywhere(f.name)
}

// InEveryBuild reports whether a file of that name is part of every build of its package, as far as
// the name decides: it is no test, and for no system in particular.
func InEveryBuild(name string) bool { return isFileName(name) && matchesAnywhere(name) }

func matchesAnywhere(name string) bool {
	// An empty build context: only files without constraints match.
	nowhere := build.Context{GOOS: "-", GOARCH: "-", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	match, err := nowhere.MatchFile("", name)
	return err != nil || match
}

func isCondition(comment string) bool {
	expr, err := constraint.Parse(comment)
	if err != nil {
		return false
	}
	asksMore := false
	expr.Eval(func(tag string) bool {
		asksMore = asksMore || !strings.HasPrefix(tag, "go1.")
		return true
	})
	return asksMore
}

// fileScope returns the names that the imports of a file declare.
func fileScope(syntax *ast.File) *scope {
	s := &scope{named: map[string]string{}}
	for _, spec := range syntax.Imports {
		s.add(spec)
	}
	return s
}

func isImport(decl ast.Decl) bool {
	gen, ok := decl.(*ast.GenDecl)
	return ok && gen.Tok == token.IMPORT
}

// HasMethod reports whether the user wrote a method, in tests or under any build constraint. Unchanged stubs do not
// count.
func (p *Package) HasMethod(receiver, name string) bool {
	return slices.ContainsFunc(p.methods[methodKey{receiver, name}], func(m *method) bool { return m.file.role != generated && !m.tools })
}

// Where returns the position of a user's method, or the zero position if there is none.
func (p *Package) Where(receiver, name string) diag.Pos {
	for _, m := range p.methods[methodKey{receiver, name}] {
		if m.file.role != generated {
			return p.position(m.file, m.decl.Name.Pos())
		}
	}
	return diag.Pos{}
}

// Taken reports whether any file of the package declares a name, including tests.
func (p *Package) Taken(name string) bool {
	if p.names[name] {
		return true
	}
	p.scan()
	return p.inTests[name]
}

// Mentions reports whether any of the user's files refers to a name.
func (p *Package) Mentions(name string) bool {
	p.scan()
	return p.mentioned[name]
}

// scan collects the identifiers used in the user's files, and those declared in tests.
func (p *Package) scan() {
	if p.mentioned != nil {
		return
	}
	p.mentioned, p.inTests = map[string]bool{}, map[string]bool{}
	tools := map[*ast.FuncDecl]bool{}
	for _, m := range p.all {
		tools[m.decl] = tools[m.decl] || m.tools
	}
	for _, f := range p.files {
		if f.role == generated {
			continue
		}
		if f.role == test {
			for _, decl := range f.syntax.Decls {
				for name := range declared.Names(decl) {
					p.inTests[name] = true
				}
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncDecl); ok && tools[fn] {
				return false // unchanged stubs do not count
			}
			if id, ok := n.(*ast.Ident); ok {
				p.mentioned[id.Name] = true
			}
			return true
		})
	}
}
