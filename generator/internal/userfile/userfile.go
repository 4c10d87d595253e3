// Package userfile reads the Go files of a package and plans what to insert into those that the
// user owns: methods that are missing. It only ever inserts; not a byte of what the user wrote
// changes. It knows Go and nothing of protocols, and it writes nothing itself.
package userfile

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Source says which package to read.
type Source struct {
	Dir     string // the folder as positions show it
	Package string // files of another package in the same folder are only checked for syntax errors

	// IsGenerated tells files that the tool replaces from those that the user owns. Nil means none.
	IsGenerated func(name string, content []byte) bool

	// Planned holds the generated files as they will be, by name. If it is not nil, the
	// generated files of the folder are left out: they may be out of date.
	Planned map[string][]byte

	// IsTools tells methods in the user's files that the tool put there, and nobody changed since, by
	// their names and by [Package.Text]. Nil means that there are none.
	IsTools func(method string, text func() string) bool
}

// Package is what the Go files of one folder declare.
type Package struct {
	source  Source
	entries []string // every name in the folder
	files   []*file  // sorted by name
	sources map[string][]byte
	names   map[string]bool
	aliases map[string][]alias
	all     []*method // by file and position
	methods map[methodKey][]*method

	mentioned map[string]bool // by the user's files, once asked for
	inTests   map[string]bool // declared by tests, likewise
}

// role says what may be done with a file.
type role int

const (
	owned     role = iota // the user's: may be extended
	readOnly              // a link, or written by another program: only read
	generated             // the tool's own: only read
	test                  // only in test builds: what it declares does not count
)

// file is one Go file of the package.
type file struct {
	name        string
	content     []byte
	role        role
	conditional bool // part of some builds only
	syntax      *ast.File
	tokens      *token.File
	scope       *scope
	multiline   []span // comments and strings that may hold line ends
}

// Load reads every Go file of a folder whatever its build tags. Only names that the go command
// never looks at, those that start with "_" or ".", are left out. A folder that is not there
// is an empty package. What is wrong inside files goes to diags; if that is an error, the package is nil,
// so that nothing can be planned, let alone written.
func Load(fsys fs.FS, source Source, diags *diag.List) (*Package, error) {
	if !token.IsIdentifier(source.Package) {
		return nil, fmt.Errorf("read package: %q is no package name", source.Package)
	}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read package: %w", err)
	}
	p := &Package{source: source, sources: map[string][]byte{}}
	var found diag.List
	for _, entry := range entries {
		p.entries = append(p.entries, entry.Name())
		if f := p.read(fsys, entry, &found); f != nil {
			p.files = append(p.files, f)
		}
	}
	diags.Merge(&found)
	if found.HasErrors() {
		return nil, nil
	}
	for _, name := range slices.Sorted(maps.Keys(source.Planned)) {
		f, err := parse(name, withoutBodies(source.Planned[name]))
		if err != nil {
			return nil, fmt.Errorf("read planned file: %w", err)
		}
		f.role = generated
		p.files = append(p.files, f)
	}
	slices.SortFunc(p.files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
	p.index()
	p.markTools()
	return p, nil
}

// read returns one file of the folder, nil if it is none of the package's.
func (p *Package) read(fsys fs.FS, entry fs.DirEntry, diags *diag.List) *file {
	name := entry.Name()
	if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
		return nil
	}
	content, err := fs.ReadFile(fsys, name)
	if err != nil {
		diags.Errorf(diag.Pos{File: p.display(name)}, "unreadable", "every Go file of the folder is read before one is extended",
			"cannot read the file: %s", diag.Reason(err))
		return nil
	}
	isGenerated := p.source.IsGenerated != nil && p.source.IsGenerated(name, content)
	if !isGenerated {
		p.sources[name] = content
	}
	if isGenerated && p.source.Planned != nil {
		return nil
	}
	f, err := parse(name, content)
	switch {
	case err != nil && isGenerated:
		return nil // it will be replaced
	case err != nil:
		p.reportSyntax(name, content, err, diags)
		return nil
	case f.syntax.Name.Name != p.source.Package:
		return nil
	case isGenerated:
		f.role = generated
	case strings.HasSuffix(name, "_test.go"):
		f.role = test
	case !entry.Type().IsRegular() || ast.IsGenerated(f.syntax):
		f.role = readOnly
	}
	return f
}

// parse reads one file; the error is the parser's.
func parse(name string, content []byte) (*file, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, content: content, syntax: syntax, tokens: fset.File(syntax.FileStart), scope: fileScope(syntax)}
	f.conditional = isConditional(f)
	f.multiline = f.multilineTokens()
	return f, nil
}

// reportSyntax turns the parser's errors into diagnostics. Their offsets are real; their lines
// follow //line directives, which point into other files.
func (p *Package) reportSyntax(name string, content []byte, err error, diags *diag.List) {
	const hint = "mend it first: a file is only extended when all files of the package can be read"
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		diags.Errorf(diag.Pos{File: p.display(name)}, "go-syntax", hint, "syntax error: %v", err)
		return
	}
	for _, e := range list {
		before := string(content[:min(e.Pos.Offset, len(content))])
		pos := diag.Pos{File: p.display(name), Line: 1 + strings.Count(before, "\n"), Col: len(before) - strings.LastIndex(before, "\n")}
		diags.Errorf(pos, "go-syntax", hint, "syntax error: %s", e.Msg)
	}
}

// display is a file's name as positions show it.
func (p *Package) display(name string) string { return path.Join(p.source.Dir, name) }

// position is where something stands in a file, whatever //line directives say.
func (p *Package) position(f *file, pos token.Pos) diag.Pos {
	at := f.tokens.PositionFor(pos, false)
	return diag.Pos{File: p.display(f.name), Line: at.Line, Col: at.Column}
}

// Declares reports whether a file that is part of ordinary builds declares a name: a type, function,
// variable or constant.
func (p *Package) Declares(name string) bool { return p.names[name] }

// Sources are the contents of all Go files of the folder that the tool does not replace, by name, as
// they were parsed. What [Package.Plan] decides rests on each of them, and holds for these bytes.
func (p *Package) Sources() map[string][]byte { return p.sources }

// Has reports whether the user owns a file of that name.
func (p *Package) Has(name string) bool {
	return slices.ContainsFunc(p.files, func(f *file) bool { return f.role == owned && f.name == name })
}
