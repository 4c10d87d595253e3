// Package apicheck compares two emitted packages as Go sees them. It type-checks both and asks
// apidiff what no longer compiles, as a second opinion on the verdicts of package goapi.
package apicheck

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
)

// Result is what apidiff says, held against the findings.
type Result struct {
	Incompatible []string `json:"incompatible"` // what no longer compiles
	Compatible   int      `json:"compatible"`   // number of additions
	// Unexplained are incompatible changes that no finding accounts for: Go names that moved though
	// nothing on the wire did, or a verdict that is too mild.
	Unexplained []string `json:"unexplained"`
	// Unconfirmed are findings taken for source breaks in which apidiff sees none.
	Unconfirmed []string `json:"unconfirmed"`
}

// Breaks reports whether some programs no longer compile.
func (r *Result) Breaks() bool { return len(r.Incompatible) > 0 }

// File is one file of an emitted package, or of one below it.
type File struct {
	Name    string // with its folder, relative to the package's
	Content []byte
}

// Package is an emitted package, with those below it that it imports.
type Package struct {
	Files []File
	// Below is the import path of the folder Dir, relative to the package's.
	Below, Dir string
}

// below returns where a package is below the folder Dir, if it is emitted there.
func (p Package) below(name string) (string, bool) {
	below, ok := strings.CutPrefix(name, p.Below)
	return below, ok && (below == "" || below[0] == '/')
}

// Compare type-checks both packages and holds the difference against the findings. apidiff may print notes of its own to
// [os.Stdout]; a program that prints something else there has to keep them apart.
func Compare(old, new Package, findings []verdict.Finding) (*Result, error) {
	sides := [2]*types.Package{}
	imports, err := newImporter(old, new)
	if err != nil {
		return nil, err
	}
	library := &standard{importer: imports, emitted: map[string]*types.Package{}}
	for i, pkg := range []Package{old, new} {
		if sides[i], err = library.check(pkg, "", "p"); err != nil {
			return nil, err
		}
	}
	report := apidiff.Changes(sides[0], sides[1])
	r := &Result{Incompatible: []string{}, Unexplained: []string{}, Unconfirmed: []string{}}
	for _, c := range report.Changes {
		if c.Compatible {
			r.Compatible++
			continue
		}
		r.Incompatible = append(r.Incompatible, c.Message)
	}
	slices.Sort(r.Incompatible)
	r.judge(findings)
	return r, nil
}

// judge looks for what only one of the two sees.
func (r *Result) judge(findings []verdict.Finding) {
	broken := map[string]bool{} // identifiers that a finding says are broken
	for _, f := range findings {
		if f.Go == verdict.GoBreak {
			for _, name := range f.GoNames {
				broken[name] = true
			}
		}
	}
	changed := map[string]bool{}
	for _, message := range r.Incompatible {
		name := identifier(message)
		changed[name] = true
		if !broken[name] {
			r.Unexplained = append(r.Unexplained, message)
		}
	}
	for _, f := range findings {
		if f.Go == verdict.GoBreak && !slices.ContainsFunc(f.GoNames, func(name string) bool { return changed[name] }) {
			r.Unconfirmed = append(r.Unconfirmed, f.Change.String())
		}
	}
}

// identifier is the package-level name that a message of apidiff is about: it starts with a name, a
// member or a method.
func identifier(message string) string {
	name, _, _ := strings.Cut(message, ":")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "("), "*")
	if i := strings.IndexAny(name, ".,) "); i >= 0 {
		name = name[:i]
	}
	return name
}

// standard imports what emitted packages import: the standard library from the compiler's export data,
// which the go command supplies, and what is emitted below them. Both sides share the packages, so that a
// type of theirs is one type.
type standard struct {
	importer types.Importer
	emitted  map[string]*types.Package
}

// importing is the importer for what one emitted package imports.
type importing struct {
	*standard
	pkg Package
}

func (i importing) Import(name string) (*types.Package, error) {
	below, ok := i.pkg.below(name)
	if !ok {
		return i.importer.Import(name)
	}
	if known := i.emitted[name]; known != nil {
		return known, nil
	}
	checked, err := i.check(i.pkg, path.Join(i.pkg.Dir, below), name)
	if err == nil {
		i.emitted[name] = checked
	}
	return checked, err
}

// check type-checks the package in a folder without its function bodies: they are not part of its API.
func (s *standard) check(pkg Package, dir, name string) (*types.Package, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range pkg.Files {
		if folder, _ := path.Split(f.Name); strings.TrimSuffix(folder, "/") != dir {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name, f.Content, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse emitted package: %w", err)
		}
		if !inBuild(file) {
			continue
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: importing{s, pkg}, IgnoreFuncBodies: true}
	checked, err := config.Check(name, fset, parsed, nil)
	if err != nil {
		return nil, fmt.Errorf("type-check emitted package: %w", err)
	}
	return checked, nil
}

// inBuild reports whether a file is part of a build without tags.
func inBuild(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() > file.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr.Eval(func(string) bool { return false })
			}
		}
	}
	return true
}
