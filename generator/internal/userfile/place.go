// Places: where text may be inserted in a file, and which line ending to use.

package userfile

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// span is a range of offsets.
type span struct{ start, end int }

func (s span) holds(offset int) bool { return s.start < offset && offset < s.end }

// place is a position at which blocks of text can be inserted.
type place struct {
	offset           int
	lead, sep, trail string
}

func (f *file) offset(pos token.Pos) int { return f.tokens.Offset(pos) }

// multilineTokens finds comments and raw strings. Their ends come from the text: the parser drops
// carriage returns from comments and then counts too few bytes.
func (f *file) multilineTokens() []span {
	var out []span
	add := func(pos token.Pos, open, end string) {
		start := f.offset(pos)
		if from := start + len(open); bytes.HasPrefix(f.content[start:], []byte(open)) {
			if i := bytes.Index(f.content[from:], []byte(end)); i >= 0 {
				out = append(out, span{start, from + i + len(end)})
			}
		}
	}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			add(comment.Pos(), "/*", "*/")
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			add(lit.Pos(), "`", "`")
		}
		return true
	})
	return out
}

// end returns the offset after a node.
func (f *file) end(n ast.Node) int { return f.offset(n.End()) }

// afterLine returns the start of the line that follows an offset outside of comments and strings,
// beyond comments that begin on the offset's line. It is not ok if a declaration or its
// documentation goes on there.
func (f *file) afterLine(offset int) (next int, ok bool) {
	next = f.lineStart(offset)
	for _, decl := range f.syntax.Decls {
		if (span{f.docStart(decl), f.end(decl)}).holds(next) {
			return 0, false
		}
	}
	return next, true
}

// docStart returns the offset at which a declaration or import starts with its documentation.
func (f *file) docStart(n ast.Node) int {
	var doc *ast.CommentGroup
	switch n := n.(type) {
	case *ast.FuncDecl:
		doc = n.Doc
	case *ast.GenDecl:
		doc = n.Doc
	case *ast.ImportSpec:
		doc = n.Doc
	}
	if doc != nil {
		return f.offset(doc.Pos())
	}
	return f.offset(n.Pos())
}

// lineStart returns the start of the first line after an offset that begins outside of comments
// and strings, or the end of the file.
func (f *file) lineStart(offset int) int {
	for {
		i := bytes.IndexByte(f.content[offset:], '\n')
		if i < 0 {
			return len(f.content)
		}
		next := offset + i + 1
		offset = next
		for _, s := range f.multiline {
			if s.holds(next) {
				offset = s.end
			}
		}
		if offset == next {
			return next
		}
	}
}

// afterDecl returns the place for a declaration that follows another: on the lines below it, or at the end of the
// file if those belong to something else.
func (f *file) afterDecl(decl ast.Node) place {
	if offset, ok := f.afterLine(f.end(decl)); ok {
		return f.blockPlace(offset)
	}
	return f.blockPlace(len(f.content))
}

// blockPlace sets what is inserted off with blank lines, as gofmt does. The offset is at the start
// of a line or at the end of the file.
func (f *file) blockPlace(offset int) place {
	eol := f.lineEnd()
	before, after := string(f.content[:offset]), string(f.content[offset:])
	p := place{offset: offset, lead: eol, sep: eol + eol, trail: eol}
	above, atLineStart := strings.CutSuffix(before, "\n")
	switch {
	case !atLineStart:
		p.lead = eol + eol
	case strings.TrimSpace(above[strings.LastIndex(above, "\n")+1:]) == "":
		p.lead = ""
	}
	if below, _, _ := strings.Cut(after, "\n"); strings.TrimSpace(below) != "" {
		p.trail = eol + eol
	}
	return p
}

// lineEnd returns the line ending used most in the file.
func (f *file) lineEnd() string {
	if crlf := bytes.Count(f.content, []byte("\r\n")); 2*crlf > bytes.Count(f.content, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}
