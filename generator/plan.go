// Plan: the planned files of a package compared with existing ones.

package generator

import (
	"bytes"
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/apply"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates"
)

// State is the state of a planned file on disk.
type State int

// The states of a file.
const (
	Unchanged State = iota
	Missing         // does not exist yet
	Stale           // exists with other content
	Orphaned        // emitted earlier, no longer part of the package
)

// String returns the name of the state.
func (s State) String() string { return [...]string{"unchanged", "missing", "stale", "orphaned"}[s] }

// PlannedFile is a file in the output folder, or beside the configuration.
type PlannedFile struct {
	Name  string
	Dir   string // if not the output folder
	State State
	New   []byte // nil for orphaned files
	Old   []byte // nil for missing files

	// Hand reports that the file is the user's: only stubs are inserted.
	Hand     bool
	Aside    bool     // not part of the package: the lock, the configuration, schemas
	Stubs    []string // inserted methods, such as "Reducer.sessionReady"
	Finished []string // those with a finished body

	// Unchanged stubs: Gone are removed, Followed are updated.
	Gone, Followed []string
}

// Plan is what Apply would do.
type Plan struct {
	Protocol    *protocol.Protocol
	Out         string // output folder as configured
	Package     string
	Files       []PlannedFile // sorted by name
	SchemaFiles int
	SchemaBytes int

	// Refused are the older versions that schemas or their profile list, and that comparisons are against.
	Refused []string

	// Findings are about the user's code. They do not prevent Apply: a signature, for example, can only be corrected
	// once its types exist.
	Findings []diag.Diagnostic

	// Finished are the emitted finished reducers; Yours those the user replaced. Both are method names.
	Finished, Yours []string
	NewFinished     bool // a file of finished reducers is new

	// Unfit says why a finished reducer does not fit the package, by method name, such as "Reducer.chatErrored".
	Unfit map[string]string

	// Drift lists differences from the inputs and options in the lock, one per line.
	Drift []string

	pkg      *golang.Package
	finished map[string]bool // files of finished reducers

	// written are digests of stubs as this and the former version of the package have them, by method, and
	// stubs those of this one. The lock is trusted for stubs only: an edited lock
	// could otherwise mark the user's work as generated.
	written map[string][]string
	claimed map[string]string
	stubs   map[string]string

	// starts are the stubs with a finished body; started are their digests before a bump.
	starts  map[string]bool
	started map[string]string

	writers *writers // who provides each method

	names   map[string]string // configured Go names that have a subject
	own     []string          // actions whose reducers the user replaces
	sources map[string][]byte // the user's files that stubs were planned with, by name; nil if none were
	clashes []string          // names that the user declares too
	fixed   map[string][]byte // files of the user's with other names in them
	wireDir string            // folder of the runtime, relative to Out

	libraries []string // modules that the package needs, beyond the standard library
}

// compare sets the files of the plan against the output folder, and returns the files of the user's that stand in the way.
func (p *Plan) compare(files []emit.Output) (found []diag.Diagnostic, err error) {
	if _, err := os.ReadDir(p.Out); err != nil && !disk.IsMissing(err) {
		return nil, fmt.Errorf("read output folder: %w", err)
	}
	planned := map[string]bool{}
	for _, f := range files {
		planned[f.Name] = true
		pf := PlannedFile{Name: f.Name, New: f.Content}
		old, wrong, err := p.read(f.Name)
		found = append(found, wrong...)
		switch {
		case disk.IsMissing(err):
			pf.State = Missing
			p.NewFinished = p.NewFinished || p.finished[f.Name]
		case disk.IsNoFolder(err):
			return found, fmt.Errorf("read output folder: %w", err)
		case err != nil:
			return found, err
		case sameLines(old, f.Content):
			pf.New, pf.Old = old, old
		default:
			pf.State, pf.Old = Stale, old
		}
		p.Files = append(p.Files, pf)
	}
	for _, dir := range p.emitted() {
		if err := p.orphans(dir, planned); err != nil {
			return found, err
		}
	}
	p.sort()
	return found, nil
}

// emitted returns the folders with emitted files, relative to Out.
func (p *Plan) emitted() []string {
	folders := []string{"", gomod.RuntimeFolder}
	if p.wireDir != gomod.RuntimeFolder {
		folders = append(folders, p.wireDir)
	}
	for _, dir := range folders[1:] {
		for _, sub := range emit.Folders() {
			folders = append(folders, path.Join(dir, sub))
		}
	}
	return append(folders, golang.RandomFolder(p.Package))
}

// isShared reports whether a file is in a shared runtime, which other packages may need.
func (p *Plan) isShared(name string) bool {
	inRuntime, ok := strings.CutPrefix(name, p.wireDir+"/")
	return ok && !filepath.IsLocal(filepath.FromSlash(p.wireDir)) && templates.HasFile(strings.TrimSuffix(inRuntime, emit.Suffix)+".go")
}

// orphans returns files in a folder that are no longer emitted.
func (p *Plan) orphans(dir string, planned map[string]bool) error {
	entries, err := os.ReadDir(filepath.Join(p.Out, dir))
	if err != nil && !disk.IsMissing(err) && !(dir != "" && disk.IsNoFolder(err)) {
		return fmt.Errorf("read output folder: %w", err)
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if planned[name] || p.isShared(name) || strings.HasPrefix(entry.Name(), ".") || !strings.HasSuffix(name, emit.Suffix) || !entry.Type().IsRegular() {
			continue
		}
		old, err := disk.ReadFile(filepath.Join(p.Out, filepath.FromSlash(name)))
		if err != nil {
			return fmt.Errorf("read output folder: %w", err)
		}
		if isOurs(old) {
			p.Files = append(p.Files, PlannedFile{Name: name, State: Orphaned, Old: old})
		}
	}
	return nil
}

func (p *Plan) sort() {
	slices.SortFunc(p.Files, func(a, b PlannedFile) int { return strings.Compare(a.Name, b.Name) })
}

// sameLines reports whether a file has the planned text, ignoring CR LF line endings from git.
func sameLines(old, planned []byte) bool {
	return bytes.Equal(old, planned) || bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), planned)
}

func isOurs(content []byte) bool { return bytes.HasPrefix(content, []byte(emit.Marker)) }

// read returns the file that a planned one would replace, and what keeps it from that.
func (p *Plan) read(name string) (old []byte, found []diag.Diagnostic, err error) {
	path := filepath.Join(p.Out, name)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	pos := diag.Pos{File: filepath.ToSlash(path)}
	if !info.Mode().IsRegular() {
		return nil, []diag.Diagnostic{
			diag.Errorf(pos, "not-a-file", "remove it, or generate into another folder", "a generated file goes here, but this is no regular file"),
		}, nil
	}
	if old, err = disk.ReadFile(path); err != nil {
		return nil, nil, fmt.Errorf("read output folder: %w", err)
	}
	if !isOurs(old) {
		pos.Line, pos.Col = 1, 1
		found = append(found, diag.Errorf(pos, "not-generated", "files named *"+emit.Suffix+" belong to ahpgen: rename this one, or generate into another folder",
			"a generated file goes here, but a person wrote this one"))
	}
	return old, found, nil
}

// existingPackage returns the package name of the Go files in a folder, or "".
func existingPackage(dir string) string {
	name := ""
	if dir == "" {
		return name // nothing will be written
	}
	for file, content := range goFiles(dir) {
		if f, err := parser.ParseFile(token.NewFileSet(), file, content, parser.PackageClauseOnly); err == nil {
			name = f.Name.Name
		}
	}
	return name
}

// checkPackageClause returns the files of the user's that belong to another package.
func checkPackageClause(dir, want string) (found []diag.Diagnostic) {
	for file, content := range goFiles(dir) {
		if isOurs(content) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, content, parser.PackageClauseOnly)
		if err != nil || f.Name.Name == want {
			continue
		}
		at := fset.Position(f.Name.Pos())
		found = append(found, diag.Errorf(diag.Pos{File: filepath.ToSlash(file), Line: at.Line, Col: at.Column}, "other-package",
			fmt.Sprintf("call the package %s (package in ahpgen.json, or --package), or generate into a folder of its own", f.Name.Name),
			"this file is in package %s, the generated ones would be in package %s", f.Name.Name, want))
	}
	return found
}

// goFiles yields the Go files of a folder except tests.
func goFiles(dir string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return // created later, or reported when written
		}
		for _, entry := range entries {
			file := filepath.Join(dir, entry.Name())
			if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := disk.ReadFile(file)
			if err != nil {
				continue
			}
			if !yield(file, content) {
				return
			}
		}
	}
}

// NoModule reports whether the package is in no Go module, so that nothing can import its runtime.
func (p *Plan) NoModule() bool { return gomod.Above(p.Out) == "" }

// Libraries returns the modules that the package needs and that its module does not require, in alphabetical order.
func (p *Plan) Libraries() []string {
	return slices.DeleteFunc(slices.Clone(p.libraries), func(path string) bool { return !gomod.Lacks(p.Out, path) })
}

// Clean reports whether nothing would change.
func (p *Plan) Clean() bool {
	return !slices.ContainsFunc(p.Files, func(f PlannedFile) bool { return f.State != Unchanged })
}

// Count returns the number of generated files in a state.
func (p *Plan) Count(s State) int {
	n := 0
	for _, f := range p.Files {
		if f.State == s && !f.Hand && !f.Aside {
			n++
		}
	}
	return n
}

// Diff returns the changes as a unified diff.
func (p *Plan) Diff() string {
	var b strings.Builder
	for _, f := range p.Files {
		if f.State == Unchanged {
			continue
		}
		path := p.Path(f)
		from, to := path, path
		if f.State == Missing {
			from = "/dev/null"
		}
		if f.State == Orphaned {
			to = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, to, string(f.Old), string(f.New)))
	}
	return b.String()
}

// Apply writes the files of the plan: those of the user first, all of them or none, then those that ahpgen can make again,
// and last the configuration and the lock. It fails if one of the user's files was saved after it was read; then nothing
// is written. After a kill in between the next run writes the rest.
func (p *Plan) Apply() (err error) {
	defer new(diag.List).Catch(&err)
	c := apply.Change{Check: p.checkSources}
	var last []apply.File
	for _, f := range p.Files {
		if f.State == Unchanged {
			continue
		}
		file := apply.File{Path: p.path(f), Owned: f.Hand || f.Aside, Old: f.Old, New: f.New}
		switch {
		case f.Aside:
			last = append(last, file)
		case f.Hand:
			c.Hand = append(c.Hand, file)
		default:
			c.Rest = append(c.Rest, file)
		}
	}
	slices.SortStableFunc(last, func(a, b apply.File) int { return cmp.Compare(rank(a), rank(b)) })
	c.Rest = append(c.Rest, last...)
	if err := apply.Write(c); err != nil {
		return fmt.Errorf("write output folder: %w", err)
	}
	p.removeEmptied()
	return nil
}

// rank orders the files that are no part of the package: the configuration, the lock, which tells a run after one that was
// cut short what it had compared, and the schemas that a bump replaces.
func rank(f apply.File) int {
	if i := slices.Index([]string{ConfigName, LockName}, filepath.Base(f.Path)); i >= 0 {
		return i
	}
	return 2
}

// removeEmptied removes folders of a runtime of which the last file went, as where it is shared from now on. Whatever else
// is in a folder keeps it.
func (p *Plan) removeEmptied() {
	folders := p.emitted()[1:]
	for _, dir := range slices.Clone(folders) {
		folders = append(folders, path.Join(dir, "internal")) // which has folders alone
	}
	for _, f := range p.Files {
		if f.State != Orphaned || f.Hand || f.Aside {
			continue
		}
		for dir := path.Dir(f.Name); slices.Contains(folders, dir); dir = path.Dir(dir) {
			at := filepath.Join(p.Out, filepath.FromSlash(dir))
			if info, err := os.Lstat(at); err != nil || !info.IsDir() || os.Remove(at) != nil {
				break // a non-empty folder cannot be removed
			}
		}
	}
}

// path returns the location of a planned file.
func (p *Plan) path(f PlannedFile) string { return filepath.Join(cmp.Or(f.Dir, p.Out), f.Name) }

// Path returns the location of a planned file for messages.
func (p *Plan) Path(f PlannedFile) string { return filepath.ToSlash(p.path(f)) }

// Unconfirmed returns a warning that reducer rules were not checked against this version, or "".
func (p *Plan) Unconfirmed() string {
	if p.Protocol.Confirmed == "" {
		return ""
	}
	n := len(p.Finished)
	for _, a := range p.Protocol.AllActions() {
		if a.Stated {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("reducers of ahpgen's: %d follow rules that were confirmed up to %s, and this is %s: compare them with what it says of their actions; \"reducers\": {\"own\": […]} in %s takes one over",
		n, p.Protocol.Confirmed, p.Protocol.Version, ConfigName)
}
