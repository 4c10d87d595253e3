// Package compile finds what no longer compiles in a module, and what compiles with another meaning, after a planned
// change of some files.
package compile

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
)

// ErrNoModule reports a folder outside any Go module.
var ErrNoModule = errors.New("no go.mod in the folder or above it")

// Step is a planned change of a package.
type Step struct {
	Dir string
	// Overlay holds the new contents by path. Paths are absolute or relative to the working directory, as in the
	// result.
	Overlay map[string][]byte
	// Required lists the newly required fields by struct.
	Required map[string][]string
	// Filled are structs that already had required fields, so that an empty literal was incomplete before as well.
	Filled map[string]bool
	// Unknown maps the types that hold variants which the package does not know to their union.
	Unknown map[string]string

	renames map[string]string // new names of declarations
}

// Result is the effect of a step on a module.
type Result struct {
	Before  []diag.Diagnostic // errors before the step
	After   []diag.Diagnostic // errors after the step
	Changed []diag.Diagnostic // code that compiles but changes meaning or is incomplete
	// Unchecked are files for which no build was found.
	Unchecked []string

	edits map[string][]edit // by file, for new names
}

// Check type-checks all packages of the folder's module, including tests, before and after the step. Packages with
// build constraints are checked in a matching build. It needs the go command.
func Check(step Step) (*Result, error) {
	root := gomod.Above(step.Dir)
	if root == "" {
		return nil, ErrNoModule
	}
	dir := disk.Absolute(step.Dir)
	overlay := map[string][]byte{}
	for name, content := range step.Overlay {
		overlay[disk.Absolute(name)] = content
	}
	r := &Result{edits: map[string][]edit{}}
	before, after, err := r.build(root, dir, step, overlay, conditions{}, []string{"./..."})
	if err != nil {
		return nil, err
	}
	if err := r.others(root, dir, step, overlay, append(before, after...)); err != nil {
		return nil, err
	}
	for _, list := range []*[]diag.Diagnostic{&r.Before, &r.After, &r.Changed} {
		slices.SortFunc(*list, func(a, b diag.Diagnostic) int {
			return cmp.Or(a.Pos.Compare(b.Pos), strings.Compare(a.Message, b.Message))
		})
		*list = slices.Compact(*list) // test variants and builds repeat diagnostics
	}
	return r, nil
}

// build checks one build and returns its packages before and after.
func (r *Result) build(root, dir string, step Step, overlay map[string][]byte, c conditions, patterns []string) (before, after []*packages.Package, err error) {
	before, after, err = newLoader(root, c).load(overlay, patterns)
	if err != nil {
		return nil, nil, err
	}
	if step.renames != nil {
		r.rename(before, dir, step.renames)
		return before, after, nil
	}
	r.Before = append(r.Before, errorsOf(before)...)
	r.After = append(r.After, errorsOf(after)...)
	r.Changed = append(r.Changed, changed(before, after, dir, step)...)
	return before, after, nil
}

// errorsOf returns the errors of packages.
func errorsOf(loaded []*packages.Package) []diag.Diagnostic {
	var out []diag.Diagnostic
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if d, ok := diagnostic(e); ok {
				out = append(out, d)
			}
		}
	})
	return out
}

// others checks additional builds for files that the first one excludes.
func (r *Result) others(root, dir string, step Step, overlay map[string][]byte, loaded []*packages.Package) error {
	module := ""
	users := map[string]bool{} // packages related to the one in the folder
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main {
			module = p.Module.Path
		}
	})
	if module == "" {
		return nil
	}
	users[importPath(module, root, dir)] = true
	files, err := sources(root, overlay)
	if err != nil {
		return err
	}
	of := func(s *source) string { return importPath(module, root, filepath.Dir(s.path)) }
	for more := true; more; {
		more = false
		for _, s := range files {
			if !users[of(s)] && slices.ContainsFunc(s.imports, func(p string) bool { return users[p] }) {
				users[of(s)], more = true, true
			}
		}
	}
	builds, unchecked := others(files, func(s *source) bool { return users[of(s)] })
	patterns := slices.Sorted(maps.Keys(users))
	for _, path := range unchecked {
		r.Unchecked = append(r.Unchecked, display(path))
	}
	for _, c := range builds {
		if _, _, err := r.build(root, dir, step, overlay, c, patterns); err != nil {
			return err
		}
	}
	return nil
}

// diagnostic converts a type-checking error.
func diagnostic(e packages.Error) (diag.Diagnostic, bool) {
	file, rest, ok := cutPosition(e.Pos)
	if !ok {
		return diag.Diagnostic{}, false // about a whole package, with the cause reported for its files
	}
	line, col, _ := strings.Cut(rest, ":")
	pos := diag.Pos{File: display(file)}
	pos.Line, _ = strconv.Atoi(line)
	pos.Col, _ = strconv.Atoi(col)
	return diag.Diagnostic{Pos: pos, Severity: diag.Error, Code: "compile", Message: e.Msg}, true
}

// cutPosition splits file:line:column. The file name may contain colons.
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

// display returns a path for messages.
func display(path string) string { return filepath.ToSlash(disk.Display(path)) }
