// Pieces: printing a file in pieces bounds memory and uses all processors.

package emit

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"
	"golang.org/x/sync/errgroup"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// pieceLength is the number of declarations in a piece.
const pieceLength = 64

// jenFile is a file printed in pieces. It knows whether it is empty. gofmt's layout does not depend on text beyond a
// blank line.
type jenFile struct {
	*jen.File
	used bool
	at   diag.Pos // declaration being printed

	name   string
	pkg    string
	doc    []string              // of the package
	named  map[string]string     // package names by import path
	others []golang.CustomImport // packages imported under another name
	group  *errgroup.Group       // prints pieces concurrently
	length int                   // declarations in the current piece
	pieces []*piece              // completed pieces
}

// piece is a part of a file, printed and formatted.
type piece struct {
	body    []byte
	imports map[string]string // import path → import spec
}

// newFile returns an empty file. Imports have fixed names.
func newFile(name, pkg string, imports map[string]string, renamed []golang.CustomImport, group *errgroup.Group) *jenFile {
	f := &jenFile{name: name, pkg: pkg, group: group, named: imports, others: renamed}
	f.begin()
	return f
}

// Line adds a blank line before the next declaration.
func (f *jenFile) Line() *jen.Statement {
	f.next()
	return f.File.Line()
}

// next starts a declaration without a blank line before it.
func (f *jenFile) next() {
	if f.length == pieceLength {
		f.flush()
	}
	f.length++
}

// add appends a declaration with its comment, after a blank line.
func (f *jenFile) add(doc []string, code jen.Code) {
	f.used = true
	f.Line()
	addComments(f, doc)
	f.Add(code)
}

func (f *jenFile) empty() bool { return !f.used }

// flush prints the current piece and starts another.
func (f *jenFile) flush() {
	done := f.File
	f.piece(func(out *piece) error { return out.print(done) })
	f.begin()
}

// piece appends a piece and has it printed.
func (f *jenFile) piece(print func(*piece) error) {
	out, at := &piece{}, f.at
	f.pieces = append(f.pieces, out)
	f.group.Go(func() (err error) {
		defer func() {
			// A panic must be recovered in its own goroutine.
			if r := recover(); r != nil {
				err = diag.NewCrash(r, at)
			}
		}()
		if err := print(out); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	})
}

// begin begins a piece.
func (f *jenFile) begin() {
	f.File, f.length = jen.NewFile(f.pkg), 0
	f.ImportNames(f.named)
	for _, i := range f.others {
		f.ImportAlias(i.Path, i.Name)
	}
}

// print renders a file and keeps the formatted text after the imports.
func (p *piece) print(f *jen.File) error {
	var b bytes.Buffer
	f.NoFormat = true
	if err := f.Render(&b); err != nil {
		return err
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", b.Bytes(), parser.ImportsOnly)
	if err != nil {
		return fmt.Errorf("read imports: %w", err)
	}
	end := parsed.Name.End()
	for _, d := range parsed.Decls {
		end = d.End()
	}
	offset := func(pos token.Pos) int { return fset.Position(pos).Offset }
	p.imports = map[string]string{}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("read imports: %w", err)
		}
		p.imports[path] = string(b.Bytes()[offset(spec.Pos()):offset(spec.End())])
	}
	p.body, err = laidOut.format(b.Bytes()[offset(end):])
	return err
}

// writeImports prints import specs in two groups: the standard library, and the runtime.
func (f *jenFile) writeImports(b *bytes.Buffer, paths []string, specs map[string]string) {
	runtime := func(path string) bool { return f.named[path] != "" }
	slices.SortStableFunc(paths, func(x, y string) int {
		switch {
		case runtime(x) == runtime(y):
			return 0
		case runtime(y):
			return -1
		}
		return 1
	})
	for i, path := range paths {
		if i > 0 && runtime(path) && !runtime(paths[i-1]) {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "\t%s\n", specs[path])
	}
}

// content joins the printed pieces.
func (f *jenFile) content(header string) ([]byte, error) {
	imports := map[string]string{}
	size := 0
	for _, p := range f.pieces {
		for path, spec := range p.imports {
			if other, ok := imports[path]; ok && other != spec {
				return nil, fmt.Errorf("%s: %s is imported as %s and as %s", f.name, path, other, spec)
			}
			imports[path] = spec
		}
		size += len(p.body) + 1
	}
	var b bytes.Buffer
	b.Grow(len(header) + len(f.pkg) + 64*(len(imports)+1) + size)
	fmt.Fprintf(&b, "%s\n\n", header)
	for _, line := range f.doc {
		b.WriteString(gotext.Comment(line) + "\n")
	}
	fmt.Fprintf(&b, "package %s\n", f.pkg)
	switch paths := slices.Sorted(maps.Keys(imports)); len(paths) {
	case 0:
	case 1:
		fmt.Fprintf(&b, "\nimport %s\n", imports[paths[0]])
	default:
		b.WriteString("\nimport (\n")
		f.writeImports(&b, paths, imports)
		b.WriteString(")\n")
	}
	for _, p := range f.pieces {
		if len(p.body) == 0 {
			continue // nothing stands before a template, or behind it
		}
		b.WriteByte('\n')
		b.Write(p.body)
		p.body = nil
	}
	return b.Bytes(), nil
}
