// Imports: adding the imports that an inserted method needs.

package userfile

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// importName returns the name that a file knows a package by, if it imports it. The default is the
// package's own name.
func (f *file) importName(importPath, packageName string) (string, bool) {
	if slices.Contains(f.scope.unnamed, importPath) {
		return packageName, true
	}
	for _, spec := range f.syntax.Imports { // not the map: the first one, always
		if spec.Name != nil && f.scope.named[spec.Name.Name] == importPath {
			return spec.Name.Name, true
		}
	}
	return "", false
}

// isImported reports whether a name already stands for a package in a file.
func (f *file) isImported(name string) bool {
	_, named := f.scope.named[name]
	return named || slices.ContainsFunc(f.scope.unnamed, func(p string) bool { return defaultName(p) == name })
}

// defaultName guesses the name of a package from its import path.
func defaultName(importPath string) string {
	dir, base := path.Split(importPath)
	if isMajorVersion(base) && dir != "" {
		return path.Base(dir)
	}
	return base
}

func isMajorVersion(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	_, err := strconv.Atoi(digits)
	return ok && err == nil
}

// importClause returns a spec such as `"context"` or `ctx "context"`.
func importClause(name, importPath string) string {
	if defaultName(importPath) == name {
		return strconv.Quote(importPath)
	}
	return name + " " + strconv.Quote(importPath)
}

// importStyle is how import clauses are formatted at a position.
type importStyle int

const (
	ownLines importStyle = iota // a declaration, set off by blank lines
	inList                      // lines of an existing list
	sameLine                    // declarations joined by semicolons
)

// isStandard reports whether an import clause, or a path behind a quote, is of the standard library: its first element has no dot.
func isStandard(clause string) bool {
	_, importPath, _ := strings.Cut(clause, `"`)
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// write formats import clauses. In a declaration of its own, the standard library comes first.
func (style importStyle) write(clauses []string, eol string) string {
	switch {
	case style == inList:
		return "\t" + strings.Join(clauses, eol+"\t")
	case style == sameLine || len(clauses) == 1:
		return "import " + strings.Join(clauses, "; import ")
	}
	var groups []string
	for _, group := range [][]string{each.Where(clauses, isStandard), slices.DeleteFunc(slices.Clone(clauses), isStandard)} {
		if len(group) > 0 {
			groups = append(groups, "\t"+strings.Join(group, eol+"\t"))
		}
	}
	return "import (" + eol + strings.Join(groups, eol+eol) + eol + ")"
}

// importPlace returns where to insert an import clause: in a parenthesized import, after the last import, or after
// the package clause.
func (f *file) importPlace(importPath string) (place, importStyle) {
	var last ast.Node = f.syntax.Name
	for _, decl := range f.syntax.Decls {
		if !isImport(decl) {
			continue
		}
		last = decl
		if at, ok := f.amongImports(decl.(*ast.GenDecl), importPath); ok {
			return at, inList
		}
	}
	if offset, ok := f.afterLine(f.end(last)); ok && !f.hasDeclBetween(f.end(last), offset) {
		return f.blockPlace(offset), ownLines
	}
	return place{offset: f.end(last), lead: "; "}, sameLine
}

// hasDeclBetween reports whether a declaration starts in a piece of the file.
func (f *file) hasDeclBetween(start, end int) bool {
	return slices.ContainsFunc(f.syntax.Decls, func(d ast.Decl) bool {
		return start <= f.offset(d.Pos()) && f.offset(d.Pos()) < end
	})
}

// importsC reports whether the declaration imports "C", whose comment is C code for cgo.
func importsC(decl *ast.GenDecl) bool {
	return slices.ContainsFunc(decl.Specs, func(s ast.Spec) bool { return isC(s.(*ast.ImportSpec)) })
}

func isC(spec *ast.ImportSpec) bool {
	imported, err := strconv.Unquote(spec.Path.Value)
	return err == nil && imported == "C"
}

// amongImports finds the line for a path in a block of a list of imports, which gofmt keeps sorted: the first one that has
// packages of the standard library if this is one, or others if it is not, or else the first. It is not ok if the list is not
// written one to a line.
func (f *file) amongImports(decl *ast.GenDecl, importPath string) (place, bool) {
	if !decl.Lparen.IsValid() || len(decl.Specs) == 0 || importsC(decl) {
		return place{}, false
	}
	line := func(pos token.Pos) int { return f.tokens.PositionFor(pos, false).Line }
	bounds := []int{f.offset(decl.Rparen)}
	var blocks [][]*ast.ImportSpec
	for i, spec := range decl.Specs {
		spec := spec.(*ast.ImportSpec)
		bounds = append(bounds, f.docStart(spec))
		if i == 0 || line(spec.Pos()) != line(decl.Specs[i-1].Pos())+1 {
			blocks = append(blocks, nil)
		}
		blocks[len(blocks)-1] = append(blocks[len(blocks)-1], spec)
	}
	alike := func(block []*ast.ImportSpec) bool {
		return isStandard(block[0].Path.Value) == isStandard(strconv.Quote(importPath))
	}
	block := blocks[max(0, slices.IndexFunc(blocks, alike))]
	after := f.offset(decl.Lparen) + 1
	if start := f.docStart(block[0]); start > after {
		after = max(after, bytes.LastIndexByte(f.content[:start], '\n'))
	}
	for _, spec := range block {
		if other, err := strconv.Unquote(spec.Path.Value); err == nil && other < importPath {
			after = f.end(spec)
		}
	}
	offset := f.lineStart(after)
	for _, bound := range bounds {
		if after <= bound && bound < offset {
			return place{}, false
		}
	}
	eol := f.lineEnd()
	return place{offset: offset, sep: eol, trail: eol}, true
}
