// Package apicheck compares two emitted packages as Go APIs. It type-checks both and asks apidiff for incompatible
// changes, as a check on package goapi.
package apicheck

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
)

// Result is the comparison of apidiff's output with the findings.
type Result struct {
	Incompatible []string `json:"incompatible"` // incompatible changes
	Compatible   int      `json:"compatible"`   // number of additions
	// Unexplained are incompatible changes without a finding: Go names that changed although the wire did not, or
	// verdicts that are too mild.
	Unexplained []string `json:"unexplained"`
	// Unconfirmed are findings reported as source breaks for which apidiff reports nothing.
	Unconfirmed []string `json:"unconfirmed"`
}

// File is a file of an emitted package or of a package below it.
type File struct {
	Name    string // with its folder, relative to the package
	Content []byte
}

// Package is an emitted package with the packages below it.
type Package struct {
	Files []File
	// Below is the import path of the folder Dir, relative to the package's.
	Below, Dir string
}

// below returns the folder of a package if it is emitted below Dir.
func (p Package) below(name string) (string, bool) {
	below, ok := strings.CutPrefix(name, p.Below)
	return below, ok && (below == "" || below[0] == '/')
}

// Compare type-checks both packages and checks the differences against the findings. apidiff may print to
// [os.Stdout].
func Compare(old, new Package, findings []verdict.Finding) (*Result, error) {
	exports.Lock()
	defer exports.Unlock()
	sides := [2]*types.Package{}
	imports, err := newImporter(old, new)
	if err != nil {
		return nil, err
	}
	library := &standard{importer: imports, emitted: map[string]*types.Package{}}
	for i, pkg := range []Package{old, new} {
		if sides[i], err = library.check(pkg, "", ""); err != nil {
			return nil, err
		}
	}
	incompatible, compatible := messages(sides[0], sides[1])
	r := &Result{Incompatible: []string{}, Compatible: len(compatible), Unexplained: []string{}, Unconfirmed: []string{}}
	went := namesThatWent(sides[0], sides[1])
	for _, message := range incompatible {
		if !follows(message, went, sides[1].Scope()) {
			r.Incompatible = append(r.Incompatible, message)
		}
	}
	r.judge(findings, incompatible)
	return r, nil
}

// messages returns apidiff's messages in order. Messages repeated for embedding types are merged.
func messages(old, new *types.Package) (incompatible, compatible []string) {
	for _, c := range apidiff.Changes(apart(old), apart(new)).Changes {
		if c.Compatible {
			compatible = append(compatible, c.Message)
		} else {
			incompatible = append(incompatible, c.Message)
		}
	}
	slices.Sort(incompatible)
	slices.Sort(compatible)
	return slices.Compact(incompatible), slices.Compact(compatible)
}

// judge compares the messages with the findings.
func (r *Result) judge(findings []verdict.Finding, messages []string) {
	broken := map[string]bool{} // identifiers in source-breaking findings
	for _, f := range findings {
		if f.Go == verdict.GoBreak {
			for _, name := range f.GoNames {
				broken[name] = true
			}
		}
	}
	changed := map[string]bool{}
	for _, message := range messages {
		changed[identifier(message)] = true
	}
	for _, message := range r.Incompatible {
		if !broken[identifier(message)] {
			r.Unexplained = append(r.Unexplained, message)
		}
	}
	for _, f := range findings {
		if f.Go == verdict.GoBreak && !slices.ContainsFunc(f.GoNames, func(name string) bool { return changed[name] }) {
			r.Unconfirmed = append(r.Unconfirmed, f.Change.String())
		}
	}
}

// namesThatWent returns the types missing from the new package.
func namesThatWent(old, new *types.Package) map[string]bool {
	went := map[string]bool{}
	for _, name := range old.Scope().Names() {
		if _, ok := old.Scope().Lookup(name).(*types.TypeName); ok && new.Scope().Lookup(name) == nil {
			went[name] = true
		}
	}
	return went
}

var word = regexp.MustCompile(`[\pL_][\pL\pN_./]*`)

// follows reports whether a message is implied by removed types: a declaration whose type changed only because
// another type replaced a removed one. Programs that do not use the removed name still compile.
func follows(message string, went map[string]bool, new *types.Scope) bool {
	_, change, _ := strings.Cut(message, ": changed from ")
	before, after, ok := strings.Cut(change, " to ")
	if !ok || word.ReplaceAllString(before, "T") != word.ReplaceAllString(after, "T") {
		return false
	}
	olds, news := word.FindAllString(before, -1), word.FindAllString(after, -1)
	for i, name := range olds {
		if _, isType := new.Lookup(news[i]).(*types.TypeName); name != news[i] && !(went[name] && isType) {
			return false
		}
	}
	return true
}

// subject matches the beginning of an apidiff message: a name, a member or a method, possibly of a type below the
// package.
var subject = regexp.MustCompile(`^(?:[^\s()\[]*/[^\s()\[./]+\.)?\(?\*?([\pL_][\pL\pN_]*)`)

// identifier returns the package-level name an apidiff message is about.
func identifier(message string) string {
	if found := subject.FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return ""
}

// standard imports the standard library from export data, and the packages emitted below. Both sides share these
// packages so that their types are identical.
type standard struct {
	importer types.Importer
	emitted  map[string]*types.Package
}

// importing is the importer for one emitted package.
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

// check type-checks the package in a folder without function bodies.
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

// inBuild reports whether a file is built without build tags.
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
