// Pieces: printing a file in pieces bounds memory and uses all processors.

package emit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"
	"golang.org/x/sync/errgroup"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// pieceLength is the number of declarations in a piece.
const pieceLength = 64

// jenFile is a file printed in pieces. gofmt's layout does not depend on text beyond a
// blank line.
type jenFile struct {
	*jen.File
	at diag.Pos // declaration being printed

	name    string
	pkg     string
	doc     []string              // of the package
	imports []golang.CustomImport // packages that it may import
	group   *errgroup.Group       // prints pieces concurrently
	length  int                   // declarations in the current piece
	pieces  []*piece              // completed pieces
}

// piece is a part of a file, printed and formatted.
type piece struct{ layout }

// newFile returns an empty file.
func newFile(name, pkg string, imports []golang.CustomImport, group *errgroup.Group) *jenFile {
	f := &jenFile{name: name, pkg: pkg, group: group, imports: imports}
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
	f.Line()
	addComments(f, doc)
	f.Add(code)
}

// empty reports whether there are no declarations, once all pieces are printed.
func (f *jenFile) empty() bool {
	return !slices.ContainsFunc(f.pieces, func(p *piece) bool { return len(p.text) > 0 })
}

// flush prints the current piece and starts another.
func (f *jenFile) flush() {
	done := f.File
	f.piece(func() ([]byte, error) { return rendered(done) })
	f.begin()
}

// piece appends a piece, and has it printed and formatted.
func (f *jenFile) piece(print func() ([]byte, error)) {
	out, at := &piece{}, f.at
	f.pieces = append(f.pieces, out)
	f.group.Go(func() (err error) {
		defer func() {
			// A panic must be recovered in its own goroutine.
			if r := recover(); r != nil {
				err = diag.NewCrash(r, at)
			}
		}()
		text, err := print()
		if err == nil {
			out.layout, err = laidOut.format(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	})
}

// begin begins a piece.
func (f *jenFile) begin() { f.File, f.length = jen.NewFile(f.pkg), 0 }

// rendered prints declarations without the package clause.
func rendered(f *jen.File) ([]byte, error) {
	var b bytes.Buffer
	f.NoFormat = true
	err := f.Render(&b)
	_, text, _ := bytes.Cut(b.Bytes(), []byte("\n"))
	return text, err
}

// imported returns the packages that the pieces name, each once.
func (f *jenFile) imported() []golang.CustomImport {
	names := map[string]bool{}
	for _, p := range f.pieces {
		maps.Copy(names, p.names)
	}
	var out []golang.CustomImport
	for _, i := range f.imports {
		if names[i.Name] {
			out = each.With(out, i)
		}
	}
	return out
}

// content joins the printed pieces.
func (f *jenFile) content(header string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", header)
	for _, line := range f.doc {
		b.WriteString(gotext.Comment(line) + "\n")
	}
	fmt.Fprintf(&b, "package %s\n", f.pkg)
	if imports := golang.Imports(f.imported()); imports != "" {
		b.WriteString("\n" + imports)
	}
	for _, p := range f.pieces {
		if len(p.text) == 0 {
			continue // nothing stands before a template, or behind it
		}
		b.WriteByte('\n')
		b.Write(p.text)
		p.text = nil
	}
	return b.Bytes()
}
