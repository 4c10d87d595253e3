// Imports: adding the imports that an inserted method needs.

package userfile

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
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

// write formats import clauses.
func (style importStyle) write(clauses []string, eol string) string {
	switch {
	case style == inList:
		return "\t" + strings.Join(clauses, eol+"\t")
	case style == sameLine || len(clauses) == 1:
		return "import " + strings.Join(clauses, "; import ")
	}
	return "import (" + eol + "\t" + strings.Join(clauses, eol+"\t") + eol + ")"
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

// amongImports finds the line for a path in the first block of a list of imports, which gofmt keeps
// sorted. It is not ok if the list is not written one to a line.
func (f *file) amongImports(decl *ast.GenDecl, importPath string) (place, bool) {
	if !decl.Lparen.IsValid() || len(decl.Specs) == 0 || importsC(decl) {
		return place{}, false
	}
	line := func(pos token.Pos) int { return f.tokens.PositionFor(pos, false).Line }
	after, nextLine := f.offset(decl.Lparen)+1, 0
	bounds := []int{f.offset(decl.Rparen)}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ImportSpec)
		bounds = append(bounds, f.docStart(spec))
		other, err := strconv.Unquote(spec.Path.Value)
		inBlock := nextLine == 0 || line(spec.Pos()) == nextLine
		if err == nil && inBlock && other < importPath {
			after = f.end(spec)
		}
		if inBlock {
			nextLine = line(spec.Pos()) + 1
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
