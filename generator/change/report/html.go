// HTML: the report as a page with required actions, changes side by side, and a timeline.

package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// changesPage is the data of the page.
type changesPage struct {
	Title    string
	Filters  []filter
	First    []todoGroup
	Sections []changeSection
	Notes    []string
	Timeline *timelineTable
}

// filter shows or hides changes by whom they concern.
type filter struct {
	Name, Is string
	N        int
	On       bool
}

// todoGroup is a group of required actions.
type todoGroup struct {
	Title string
	Items []todoItem
	Rest  []todoItem // folded away
}

type todoItem struct{ At, Text, Href, Is string }

// changeSection holds the cards of one section.
type changeSection struct {
	Title, Anchor string
	Folded        bool
	Cards         []card
}

// card shows one cause.
type card struct {
	Anchor, Subject, Rule string
	Is                    string // filter keywords
	Client, Host          side
	Renamed, Todo         string
	Go                    []string
	Before, After         template.HTML
	OldPos, NewPos        string
	Places                []string
	Follows               []string
}

// side is the meaning of a cause for one party.
type side struct{ Verdict, Why string }

// maxFirst is the number of required actions that are shown at once, so that a page begins with what fits a few screens.
const maxFirst = 6

// html writes a self-contained page.
func (d *Diff) html(w io.Writer, as protocol.Side) error {
	content := d.changesPage(as)
	frame := page.Frame{Title: d.Name(), Site: "What changed", Contents: content.contents(), Content: content, Words: d.Sides}
	data, err := page.Single("changes", frame)
	if err != nil {
		return err
	}
	return emit(w, string(data))
}

// Page returns the report as a page of a site.
func (d *Diff) Page(frame page.Frame, as protocol.Side) ([]byte, error) {
	content := d.changesPage(as)
	frame.Contents, frame.Content, frame.Words = content.contents(), content, d.Sides
	return page.Render("changes", frame)
}

func (d *Diff) changesPage(as protocol.Side) *changesPage {
	out := &changesPage{Title: d.Name()}
	if d.Timeline != nil {
		out.Timeline = d.Timeline().table()
	}
	n := d.Causes(as)
	out.Filters = []filter{
		{"Breaks " + d.Sides.A(protocol.FromClient), "client", n.Client, as != protocol.FromHost}, {"Breaks " + d.Sides.A(protocol.FromHost), "host", n.Host, as != protocol.FromClient},
		{"Breaks Go source", "go", n.Go, true}, {"Breaks nothing", "rest", n.Rest, true},
	}
	out.Filters = slices.DeleteFunc(out.Filters, func(f filter) bool { return f.N == 0 })
	anchors := map[string]bool{}
	for s, list := range d.bySection(as) {
		section := changeSection{Title: section(s).heading(d.Sides, as), Anchor: page.Slug(strings.ToLower(strings.ReplaceAll(section(s).heading(d.Sides, as), " ", "-"))), Folded: section(s).harmless()}
		for _, c := range list {
			section.Cards = append(section.Cards, d.card(c, anchors))
		}
		if len(list) > 0 {
			out.Sections = append(out.Sections, section)
		}
	}
	out.First = d.first(out.Sections)
	if d.Accepted > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d accepted and not shown.", d.Accepted))
	}
	if d.Left != nil {
		out.Notes = append(out.Notes, d.Left.Settings...)
		if d.Left.Unchecked != "" {
			out.Notes = append(out.Notes, "What no longer compiles is not known: "+plain(d.Left.Unchecked))
		}
	}
	return out
}

// contents returns the headings of the page.
func (c *changesPage) contents() []page.Link {
	var out []page.Link
	if len(c.First) > 0 {
		out = append(out, page.Link{Text: "What to do first", Href: "#first"})
	}
	for _, s := range c.Sections {
		out = append(out, page.Link{Text: s.Title, Href: "#" + s.Anchor})
	}
	if c.Timeline != nil {
		out = append(out, page.Link{Text: "Timeline", Href: "#timeline"})
	}
	return out
}

// first returns the most important required actions: places in the repository if one is given, or else
// source-breaking changes and changes Go code cannot notice.
func (d *Diff) first(sections []changeSection) []todoGroup {
	var out []todoGroup
	if d.Left != nil {
		for _, p := range d.Left.parts() {
			g := todoGroup{Title: p.heading}
			for _, item := range p.items {
				g.Items = append(g.Items, todoItem{At: plain(d.Paths.shown(item.Pos).String()), Text: oneLine(item.Message)})
			}
			out = append(out, g)
		}
	} else {
		for _, s := range sections {
			if s.Folded {
				continue
			}
			g := todoGroup{Title: s.Title}
			for _, c := range s.Cards {
				text := c.Todo
				for _, of := range []side{c.Client, c.Host} {
					if text == "" && of.Verdict == verdict.Breaks.String() {
						text = of.Why
					}
				}
				g.Items = append(g.Items, todoItem{At: c.Subject, Text: text, Href: "#" + c.Anchor, Is: c.Is})
			}
			out = append(out, g)
		}
	}
	out = slices.DeleteFunc(out, func(g todoGroup) bool { return len(g.Items) == 0 })
	for i := range out {
		if n := max(1, maxFirst/len(out)); len(out[i].Items) > n {
			out[i].Items, out[i].Rest = out[i].Items[:n], out[i].Items[n:]
		}
	}
	return out
}

// card returns the card of a cause.
func (d *Diff) card(c cause, anchors map[string]bool) card {
	out := card{
		Anchor: anchor(c, anchors), Subject: plain(c.subject()), Rule: string(c.Change.Rule), Renamed: plain(c.renamed), Todo: c.todo(), Go: c.GoNames,
		Client: side{c.Client.String(), plain(c.Why(protocol.FromClient))}, Host: side{c.Host.String(), plain(c.Why(protocol.FromHost))},
	}
	if !c.Rule.OnWire() {
		out.Client, out.Host = side{}, side{}
	}
	out.Is = strings.Join(c.concerns(), " ")
	before, after := sketches(d.Sides, c.Change)
	out.Before, out.After = compared(before, after)
	at := func(pos diag.Pos) string {
		if pos.IsZero() {
			return ""
		}
		return plain(d.Paths.shown(pos).String())
	}
	out.OldPos, out.NewPos = at(c.Old), at(c.New)
	if len(c.alike) > 0 {
		for _, p := range c.places() {
			out.Places = append(out.Places, joinClauses(plain(p.Subject), p.todo()))
		}
	}
	for _, f := range c.follows {
		out.Follows = append(out.Follows, plain(fmt.Sprintf("%s: %s", f.Change.Rule, f.Subject)))
	}
	return out
}

// anchor returns the anchor of a card, which is unique even if a subject has several changes.
func anchor(c cause, taken map[string]bool) string {
	out := page.Slug(string(c.Change.Rule) + "/" + c.Subject)
	if taken[out] {
		out = page.Slug(string(c.Change.Rule) + "/" + c.Subject + "/" + c.Detail())
	}
	taken[out] = true
	return out
}

// concerns returns the filter keywords of a cause.
func (c *cause) concerns() []string {
	var out []string
	if c.Client == verdict.Breaks {
		out = append(out, "client")
	}
	if c.Host == verdict.Breaks {
		out = append(out, "host")
	}
	if c.Else == verdict.GoBreak || c.Unequal != "" {
		out = append(out, "go")
	}
	if len(out) == 0 {
		out = append(out, "rest")
	}
	return out
}

// compared marks the differences between two texts.
func compared(before, after string) (a, b template.HTML) {
	was, is := pieces(before), pieces(after)
	head, tail := common(was, is)
	show := func(list []string, other, tag string) template.HTML {
		text := func(list []string) string { return template.HTMLEscapeString(visible.Lines(strings.Join(list, ""))) }
		changed := text(list[head : len(list)-tail])
		if changed != "" && other != "" {
			changed = "<" + tag + ">" + changed + "</" + tag + ">"
		}
		return template.HTML(text(list[:head]) + changed + text(list[len(list)-tail:])) //nolint:gosec // text is escaped
	}
	return show(was, after, "del"), show(is, before, "ins")
}

// pieces splits a text at word boundaries.
func pieces(text string) []string {
	var out []string
	word := false
	for _, r := range text {
		is := r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if len(out) == 0 || !is || !word {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		word = is
	}
	return out
}
