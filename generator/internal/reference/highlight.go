// Highlight: syntax highlighting of examples.

package reference

import (
	"go/format"
	"go/scanner"
	"go/token"
	"html/template"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// sample is an example as shown on a page.
type sample struct {
	Title string
	Code  template.HTML
	Note  string
}

// paint writes text as HTML, each piece with a class.
type paint struct{ strings.Builder }

func (p *paint) text(class, text string) {
	text = template.HTMLEscapeString(visible.Lines(strings.ReplaceAll(text, "\t", "    ")))
	if class == "" {
		p.WriteString(text)
		return
	}
	p.WriteString(`<i class="` + class + `">` + text + `</i>`)
}

func (p *paint) html() template.HTML { return template.HTML(p.String()) } //nolint:gosec // text is escaped

// paintJSON returns an example as JSON.
func paintJSON(v *example.Value) template.HTML {
	var p paint
	v.Write(func(piece example.Piece, text string, _ *example.Value) {
		switch {
		case piece == example.Name:
			p.text("n", text)
		case piece == example.Literal && strings.HasPrefix(text, `"`):
			p.text("s", text)
		case piece == example.Literal:
			p.text("k", text)
		default:
			p.text("", text)
		}
	})
	return p.html()
}

// paintGo highlights Go source, formatting it if possible.
func paintGo(source string) template.HTML {
	if formatted, err := format.Source([]byte(source)); err == nil {
		source = strings.TrimSpace(string(formatted))
	}
	var p paint
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	done := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		if tok == token.SEMICOLON && text == "\n" || at < done {
			continue
		}
		if text == "" {
			text = tok.String()
		}
		p.text("", source[done:at])
		p.text(goClass(tok, text), text)
		done = at + len(text)
	}
	p.text("", source[done:])
	return p.html()
}

func goClass(tok token.Token, text string) string {
	switch {
	case tok.IsKeyword():
		return "k"
	case tok == token.STRING || tok == token.CHAR:
		return "s"
	case tok == token.COMMENT:
		return "c"
	case tok == token.INT || tok == token.FLOAT:
		return "k"
	case tok == token.IDENT && unicode.IsUpper([]rune(text)[0]):
		return "n"
	}
	return ""
}
