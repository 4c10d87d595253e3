// Package picture draws the parts of a protocol as SVG within a page: boxes, lines and words, in the colours
// of the page. It knows nothing of protocols.
package picture

import (
	"fmt"
	"html"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Dimensions in pixels. The font is monospaced.
const (
	letter     = 7.25 // width of a letter
	lineHeight = 18.0
	padding    = 10.0
	maxLabel   = 60 // runes of a label that are shown
)

// Drawing is an SVG picture under construction.
type Drawing struct {
	width, height float64
	b             strings.Builder
	title         string
}

// New returns an empty drawing. The title describes it for screen readers.
func New(title string) *Drawing { return &Drawing{title: title} }

// SVG returns the drawing as an element.
func (d *Drawing) SVG() template.HTML {
	w, h := d.width+1, d.height+1
	//nolint:gosec // escaped when it was written
	return template.HTML(fmt.Sprintf(`<svg class="picture" role="img" viewBox="-1 -1 %s %s" width="%s" height="%s" aria-label="%s">%s</svg>`,
		num(w+1), num(h+1), num(w), num(h), html.EscapeString(visible.Name(d.title)), d.b.String()))
}

// Arrowheads defines the line ends. Each page with pictures must include it once.
const Arrowheads template.HTML = `<svg class="hidden" aria-hidden="true" width="0" height="0"><defs><marker id="arrowhead" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 .8 7.5 4 0 7.2z"/></marker></defs></svg>`

// num formats a length without trailing zeros.
func num(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", f), "0"), ".")
}

func (d *Drawing) cover(x, y float64) {
	d.width, d.height = max(d.width, x), max(d.height, y)
}

func (d *Drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// label returns the text shown in the picture, and the full text if it was truncated.
func label(text string) (short, full string) {
	text = visible.Line(text)
	if utf8.RuneCountInString(text) <= maxLabel {
		return text, ""
	}
	return string([]rune(text)[:maxLabel-1]) + "…", visible.Cut(text, 1_000)
}

// Width returns the width of a label in pixels.
func Width(text string) float64 {
	short, _ := label(text)
	n := 0.0
	for _, r := range short {
		if r > 0x2e80 { // wide scripts
			n++
		}
		n++
	}
	return n * letter
}

// Text draws a line of text. Anchor is "start", "middle" or "end"; y is the baseline.
func (d *Drawing) Text(x, y float64, text, class, anchor string) {
	short, full := label(text)
	title := ""
	if full != "" {
		title = "<title>" + html.EscapeString(full) + "</title>"
	}
	d.printf(`<text class="%s" x="%s" y="%s" text-anchor="%s">%s%s</text>`, class, num(x), num(y), anchor, title, html.EscapeString(short))
	switch anchor {
	case "start":
		d.cover(x+Width(text), y+5)
	case "middle":
		d.cover(x+Width(text)/2, y+5)
	default:
		d.cover(x, y+5)
	}
}

// Turned draws a line of text that runs upwards from (x, y).
func (d *Drawing) Turned(x, y float64, text, class string) {
	d.printf(`<text class="%[3]s" x="%[1]s" y="%[2]s" transform="rotate(-90 %[1]s %[2]s)">%[4]s</text>`, num(x), num(y), class, html.EscapeString(visible.Line(text)))
	d.cover(x+5, y)
}

// Width returns the width of what has been drawn.
func (d *Drawing) Width() float64 { return d.width + 2 }

// Box is a labelled rectangle, optionally linked to a page.
type Box struct {
	X, Y, W, H float64
	Label      string
	Note       string // a second line in a smaller font
	Href       string
	Class      string
}

// Fit returns the width a box needs for its lines.
func (b Box) Fit() float64 { return max(Width(b.Label), Width(b.Note)*0.9) + 2*padding }

// Box draws a box.
func (d *Drawing) Box(b Box) {
	d.Linked(b.Href, func() {
		d.printf(`<rect class="box %s" x="%s" y="%s" width="%s" height="%s" rx="6"/>`, b.Class, num(b.X), num(b.Y), num(b.W), num(b.H))
		y := b.Y + b.H/2 + 4.5
		if b.Note != "" {
			y -= lineHeight / 2
			d.Text(b.X+b.W/2, y+lineHeight-1, b.Note, "note", "middle")
		}
		d.Text(b.X+b.W/2, y, b.Label, "label "+b.Class, "middle")
	})
	d.cover(b.X+b.W, b.Y+b.H)
}

// End is the marker at the end of a line.
type End string

// Markers at the ends of lines.
const (
	Plain End = ""
	Arrow End = ` marker-end="url(#arrowhead)"`
)

// Line draws a straight line.
func (d *Drawing) Line(x1, y1, x2, y2 float64, class string, end End) {
	d.Path(fmt.Sprintf("M%s %sL%s %s", num(x1), num(y1), num(x2), num(y2)), class, end)
	d.cover(max(x1, x2), max(y1, y2))
}

// Curve draws a curve that leaves and arrives horizontally.
func (d *Drawing) Curve(x1, y1, x2, y2 float64, class string, end End) {
	mid := (x1 + x2) / 2
	d.Path(fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x1), num(y1), num(mid), num(y1), num(mid), num(y2), num(x2), num(y2)), class, end)
}

// Path draws an SVG path given as numbers.
func (d *Drawing) Path(path, class string, end End) {
	d.printf(`<path class="line %s" d="%s"%s/>`, class, path, end)
}

// Linked wraps what draw adds in a link, unless the address is "".
func (d *Drawing) Linked(href string, draw func()) {
	if href == "" {
		draw()
		return
	}
	d.printf(`<a href="%s">`, html.EscapeString(href))
	draw()
	d.printf("</a>")
}

// Dot draws a small circle.
func (d *Drawing) Dot(x, y float64, class string) {
	d.printf(`<circle class="dot %s" cx="%s" cy="%s" r="4"/>`, class, num(x), num(y))
	d.cover(x+4, y+4)
}
