// Package compile finds what no longer compiles in a module, and what compiles and means something else,
// once some of its files have other content, before anything is written.
package compile

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
)

// ErrNoModule says that a folder is in no Go module, so that nothing can be compiled there.
var ErrNoModule = errors.New("no go.mod in the folder or above it")

// Step is a change of the package in a folder.
type Step struct {
	Dir string
	// Overlay holds the files that change, by path. Names in it and in the result are relative to the
	// working directory, or absolute.
	Overlay map[string][]byte
	// Required lists, by struct, the fields that a value has to have from now on and had not to before.
	Required map[string][]string
	// Filled are the structs that had to have something before as well, so that an empty literal of them
	// was no whole value then either.
	Filled map[string]bool
}

// Result is what a module makes of a step.
type Result struct {
	Before  []diag.Diagnostic // what did not compile before, where it stood
	After   []diag.Diagnostic // what does not compile afterwards
	Changed []diag.Diagnostic // what compiles, and means or lacks something
	// Unchecked are files that no build was found for.
	Unchecked []string
}

// Check type-checks every package of the module that the folder is in, tests included, before and after
// the step. Packages with files for other systems, or behind build tags, are checked in such a build as
// well. It needs the go command.
func Check(step Step) (*Result, error) {
	root := gomod.Above(step.Dir)
	if root == "" {
		return nil, ErrNoModule
	}
	dir, err := filepath.Abs(step.Dir)
	if err != nil {
		return nil, err
	}
	overlay := map[string][]byte{}
	for name, content := range step.Overlay {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		overlay[abs] = content
	}
	r := &Result{}
	before, after, err := r.build(root, dir, step, overlay, conditions{}, []string{"./..."})
	if err != nil {
		return nil, err
	}
	if err := r.others(root, dir, step, overlay, append(before, after...)); err != nil {
		return nil, err
	}
	for _, list := range []*[]diag.Diagnostic{&r.Before, &r.After, &r.Changed} {
		slices.SortFunc(*list, func(a, b diag.Diagnostic) int {
			if c := a.Pos.Compare(b.Pos); c != 0 {
				return c
			}
			return strings.Compare(a.Message, b.Message)
		})
		*list = slices.Compact(*list) // a package and its test variant say the same, and so do builds
	}
	return r, nil
}

// build checks one build, and returns the packages that it has before and after.
func (r *Result) build(root, dir string, step Step, overlay map[string][]byte, c conditions, patterns []string) (before, after []*packages.Package, err error) {
	before, after, err = newLoader(root, c).load(overlay, patterns)
	if err != nil {
		return nil, nil, err
	}
	r.Before = append(r.Before, errorsOf(before)...)
	r.After = append(r.After, errorsOf(after)...)
	r.Changed = append(r.Changed, changed(before, after, dir, step)...)
	return before, after, nil
}

// errorsOf lists what does not compile.
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

// others checks the builds that have the files which the first one lacks.
func (r *Result) others(root, dir string, step Step, overlay map[string][]byte, loaded []*packages.Package) error {
	module := ""
	users := map[string]bool{} // packages that have to do with the one in the folder
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
	var patterns []string
	for p := range users {
		patterns = append(patterns, p)
	}
	slices.Sort(patterns)
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

// display is a path as messages show it.
func display(path string) string { return filepath.ToSlash(disk.Display(path)) }
