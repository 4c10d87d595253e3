// Names: which names are declared in a package, and which the user's files refer to.

package userfile

import (
	"go/ast"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/declared"
)

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
