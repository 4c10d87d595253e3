// Package markup turns descriptions, which anybody may have written, into HTML that is text and little else. They are
// read as Markdown by goldmark; what is written out is decided here, node by node, so that nothing of a description
// becomes an element, an attribute or an address that this package does not know.
package markup

import (
	"bytes"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Linker returns the address for a name, or "" if it has none.
type Linker func(name string) string

// maxText is the number of bytes of a description that are rendered.
const maxText = 20_000

var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()

var (
	docLink  = regexp.MustCompile(`\{@link(?:code|plain)?\s+([^}\s|]+)(?:\s*\|\s*|\s+)?([^}]*)\}`)
	blockTag = regexp.MustCompile(`(?m)^\s*@(remarks|see|example|default|deprecated|category|since|throws|returns|format)\b\s*`)
	wireName = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_$]*(?:/[A-Za-z][A-Za-z0-9_$]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+`)
)

// HTML renders a description as block-level HTML. Names known to link become links.
func HTML(description string, link Linker) template.HTML {
	w := write(description, link)
	return template.HTML(w.String()) //nolint:gosec // escaped by the writer
}

// Inline renders the first paragraph of a description without an enclosing block.
func Inline(description string, link Linker) template.HTML {
	source, root := parse(description)
	w := &writer{source: source, link: link}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock {
			w.children(n)
			break
		}
	}
	return template.HTML(w.String()) //nolint:gosec // as in HTML
}

// Text returns a description as plain text on one line.
func Text(description string) string {
	source, root := parse(description)
	w := &writer{source: source, plain: true}
	w.children(root)
	return strings.Join(strings.Fields(w.String()), " ")
}

// First returns the first sentence of a description as plain text.
func First(description string) string {
	all := Text(description)
	for i := 0; i < len(all); i++ {
		if (all[i] == '.' || all[i] == '!' || all[i] == '?') && i+2 < len(all) && all[i+1] == ' ' && all[i+2] >= 'A' && all[i+2] <= 'Z' {
			all = all[:i+1]
			break
		}
	}
	if words := []rune(all); len(words) > maxFirst {
		return strings.TrimSpace(string(words[:maxFirst])) + "…"
	}
	return all
}

// maxFirst is the maximum length of a first sentence, in runes.
const maxFirst = 300

func parse(description string) ([]byte, ast.Node) {
	description = visible.Lines(visible.Cut(description, maxText))
	description = docLink.ReplaceAllStringFunc(description, func(m string) string {
		parts := docLink.FindStringSubmatch(m)
		return "`" + strings.Trim(strings.TrimSuffix(parts[1], "()"), "`") + "`"
	})
	description = blockTag.ReplaceAllStringFunc(description, func(tag string) string {
		name := strings.Trim(strings.TrimSpace(tag), "@")
		if name == "remarks" {
			return "\n"
		}
		return "\n**" + strings.ToUpper(name[:1]) + name[1:] + ":** "
	})
	source := []byte(description)
	return source, reader.Parse(text.NewReader(source))
}

func write(description string, link Linker) *writer {
	source, root := parse(description)
	w := &writer{source: source, link: link}
	w.children(root)
	return w
}

// writer writes the tree of a description.
type writer struct {
	strings.Builder
	source []byte
	link   Linker
	plain  bool // text alone
	linked bool // inside a link, where there cannot be another
}

func (w *writer) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c)
	}
}

// escape writes text.
func (w *writer) escape(s string) {
	if w.plain {
		w.WriteString(s)
		return
	}
	w.WriteString(html.EscapeString(s))
}

// tag writes a node between tags that have no attributes.
func (w *writer) tag(name string, n ast.Node) {
	if w.plain {
		w.children(n)
		w.WriteString(" ")
		return
	}
	w.WriteString("<" + name + ">")
	w.children(n)
	w.WriteString("</" + name + ">")
}

// node writes one node. What is not named here loses its form and keeps its text.
func (w *writer) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph:
		w.tag("p", n)
	case *ast.Heading: // pages have headings of their own
		w.tag("h4", n)
	case *ast.Blockquote:
		w.tag("blockquote", n)
	case *ast.List:
		w.tag(map[bool]string{true: "ol", false: "ul"}[n.IsOrdered()], n)
	case *ast.ListItem:
		w.tag("li", n)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		w.code(n)
	case *ast.ThematicBreak:
		if !w.plain {
			w.WriteString("<hr/>")
		}
	case *ast.HTMLBlock:
		w.lines(n)
		if n.HasClosure() {
			w.escape(string(n.ClosureLine.Value(w.source)))
		}
	case *extast.Table:
		w.tag("table", n)
	case *extast.TableHeader, *extast.TableRow:
		w.tag("tr", n)
	case *extast.TableCell:
		w.tag(map[bool]string{true: "th", false: "td"}[n.Parent().Kind() == extast.KindTableHeader], n)
	default:
		w.inline(n)
	}
}

// inline writes what stands within a line.
func (w *writer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.words(unescaped(n.Segment.Value(w.source)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.WriteString("\n")
		}
	case *ast.String:
		w.words(string(n.Value))
	case *ast.CodeSpan:
		w.codeSpan(n)
	case *ast.Emphasis:
		w.tag(map[bool]string{true: "em", false: "strong"}[n.Level == 1], n)
	case *extast.Strikethrough:
		w.tag("del", n)
	case *ast.Link:
		w.anchor(string(n.Destination), n)
	case *ast.AutoLink:
		w.anchor(string(n.URL(w.source)), nil, string(n.Label(w.source)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			w.escape(string(segment.Value(w.source)))
		}
	default: // an image is what it says
		w.children(n)
	}
}

// unescaped resolves what Markdown lets a person write with backslashes and as entities.
func unescaped(segment []byte) string {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		switch end := bytes.IndexByte(segment[i:min(len(segment), i+maxEntity)], ';'); {
		case c == '\\' && i+1 < len(segment) && strings.IndexByte(punctuation, segment[i+1]) >= 0:
			i++
			b.WriteByte(segment[i])
		case c == '&' && end > 0:
			b.WriteString(visible.Lines(html.UnescapeString(string(segment[i : i+end+1]))))
			i += end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

const (
	punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	maxEntity   = 12 // bytes in the longest entity used in descriptions
)

// words writes text, linking the names in it.
func (w *writer) words(s string) {
	if w.plain || w.link == nil || w.linked {
		w.escape(s)
		return
	}
	at := 0
	for _, m := range wireName.FindAllStringIndex(s, -1) {
		if href := w.link(s[m[0]:m[1]]); href != "" {
			w.escape(s[at:m[0]])
			w.open(href, "ref")
			w.escape(s[m[0]:m[1]])
			w.WriteString("</a>")
			at = m[1]
		}
	}
	w.escape(s[at:])
}

func (w *writer) open(href, class string) {
	w.WriteString(`<a class="` + class + `" href="` + html.EscapeString(href) + `">`)
}

func (w *writer) codeSpan(n ast.Node) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.source))
		}
	}
	if w.plain {
		w.WriteString(b.String())
		return
	}
	href := ""
	if w.link != nil && !w.linked {
		href = w.link(b.String())
	}
	if href != "" {
		w.open(href, "ref")
	}
	w.WriteString("<code>" + html.EscapeString(b.String()) + "</code>")
	if href != "" {
		w.WriteString("</a>")
	}
}

func (w *writer) code(n ast.Node) {
	if w.plain {
		w.lines(n)
		return
	}
	w.WriteString("<pre><code>")
	w.lines(n)
	w.WriteString("</code></pre>")
}

func (w *writer) lines(n ast.Node) {
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		w.escape(string(segment.Value(w.source)))
	}
}

// anchor writes a link, or only its text if the address is not allowed.
func (w *writer) anchor(address string, n ast.Node, label ...string) {
	inside := func() {
		if n == nil {
			w.escape(strings.Join(label, ""))
			return
		}
		w.children(n)
	}
	href := Address(address)
	if w.plain || href == "" || w.linked {
		inside()
		return
	}
	w.WriteString(`<a rel="noreferrer noopener nofollow" href="` + html.EscapeString(href) + `">`)
	w.linked = true
	inside()
	w.linked = false
	w.WriteString("</a>")
}

// Address returns an address as it may be linked: absolute, of the web or of mail. It is "" for any other, so that
// nothing runs, and no page claims to be a part of these.
func Address(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > 2_000 {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
	default:
		return ""
	}
	return u.String()
}
