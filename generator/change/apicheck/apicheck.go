// Package apicheck compares two emitted packages as Go sees them. It type-checks both and asks
// apidiff what no longer compiles, as a second opinion on the verdicts of package goapi.
package apicheck

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/exp/apidiff"
	"golang.org/x/sync/errgroup"

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

// File is one file of an emitted package.
type File struct {
	Name    string
	Content []byte
}

// Compare type-checks both packages and holds the difference against the findings.
func Compare(old, new []File, findings []verdict.Finding) (*Result, error) {
	sides := [2]*types.Package{}
	library := &standard{importer: importer.Default()}
	var group errgroup.Group
	for i, files := range [][]File{old, new} {
		group.Go(func() (err error) {
			sides[i], err = check(files, library)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	report, err := changes(sides[0], sides[1])
	if err != nil {
		return nil, err
	}
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

var stdout sync.Mutex

// changes runs apidiff. It prints notes of its own to the standard output, which belongs to the
// report; there is no other way to keep them out of it.
func changes(old, new *types.Package) (apidiff.Report, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return apidiff.Report{}, fmt.Errorf("compare packages: %w", err)
	}
	defer null.Close()
	stdout.Lock()
	defer stdout.Unlock()
	saved := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = saved }()
	return apidiff.Changes(old, new), nil
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

// standard imports what emitted packages import, from the compiler's export data, which the go
// command supplies. Both sides share the packages, so that a type of theirs is one type.
type standard struct {
	mu       sync.Mutex
	importer types.Importer
}

func (s *standard) Import(path string) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.importer.Import(path)
}

// check type-checks a package without its function bodies: they are not part of its API.
func check(files []File, library types.Importer) (*types.Package, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(fset, f.Name, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse emitted package: %w", err)
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: library, IgnoreFuncBodies: true}
	pkg, err := config.Check("p", fset, parsed, nil)
	if err != nil {
		return nil, fmt.Errorf("type-check emitted package: %w", err)
	}
	return pkg, nil
}
