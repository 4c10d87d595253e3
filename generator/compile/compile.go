// Package compile finds what no longer compiles in a module once some of its files have other
// content, before anything is written.
package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// ErrNoModule says that a folder is in no Go module, so that nothing can be compiled there.
var ErrNoModule = errors.New("no go.mod in the folder or above it")

// Errors type-checks every package of the module that dir is in, tests included, with the files of
// the overlay in place of those on disk. Names in the overlay and in the result are as given to it or
// relative to the working directory. It needs the go command.
func Errors(dir string, overlay map[string][]byte) ([]diag.Diagnostic, error) {
	root, err := moduleRoot(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, content := range overlay {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		files[abs] = content
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: root, Overlay: files, Tests: true,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("type-check the module: %w", err)
	}
	var out []diag.Diagnostic
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if d, ok := diagnostic(e); ok {
				out = append(out, d)
			}
		}
	})
	slices.SortFunc(out, func(a, b diag.Diagnostic) int {
		if c := a.Pos.Compare(b.Pos); c != 0 {
			return c
		}
		return strings.Compare(a.Message, b.Message)
	})
	return slices.Compact(out), nil // a package and its test variant say the same
}

// diagnostic is an error of the type checker with its position taken apart.
func diagnostic(e packages.Error) (diag.Diagnostic, bool) {
	file, rest, ok := cutPosition(e.Pos)
	if !ok {
		return diag.Diagnostic{}, false // about a package as a whole; the files say what is behind it
	}
	line, col, _ := strings.Cut(rest, ":")
	pos := diag.Pos{File: display(file)}
	pos.Line, _ = strconv.Atoi(line)
	pos.Col, _ = strconv.Atoi(col)
	return diag.Diagnostic{Pos: pos, Severity: diag.Error, Code: "compile", Message: e.Msg}, true
}

// cutPosition cuts file:line:column behind the file, whose name may hold colons.
func cutPosition(pos string) (file, rest string, ok bool) {
	i := strings.LastIndex(pos, ":")
	if i < 0 {
		return "", "", false
	}
	if j := strings.LastIndex(pos[:i], ":"); j >= 0 {
		if _, err := strconv.Atoi(pos[j+1 : i]); err == nil {
			i = j
		}
	}
	return pos[:i], pos[i+1:], pos[:i] != "" && pos[:i] != "-"
}

// display shortens a path to one relative to the working directory where that is possible.
func display(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return filepath.ToSlash(path)
	}
	if rel, err := filepath.Rel(wd, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

func moduleRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if info, err := os.Stat(filepath.Join(abs, "go.mod")); err == nil && info.Mode().IsRegular() {
			return abs, nil
		}
		parent := filepath.Dir(abs)
		if parent == abs {
			return "", ErrNoModule
		}
		abs = parent
	}
}
