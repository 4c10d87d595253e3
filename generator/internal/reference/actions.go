// Actions: one page for each type of action.

package reference

import (
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// actionPage is the data of an action's page.
type actionPage struct {
	Name      string
	Doc       template.HTML
	Channel   *page.Link
	State     *page.Link
	Client    bool
	Since     string
	Stability string
	Constant  string
	Method    string // of the reducer
	Reduction reduction
	Shapes    []shape
	Picture   template.HTML
	Lives     []life
	Uses      []use
	Position  position
	Previous  *page.Link
	Next      *page.Link
}

// reduction describes the effect of an action on the state.
type reduction struct {
	How   string // "stated", "finished" or "yours"; "" if there is no state
	Doc   template.HTML
	Steps []step
	// Writes and Reads are the members that a finished reducer writes and reads, by type.
	Writes, Reads []touchedType
	Changes       []behave.Part // what the example does to a state
}

// shape is a struct with its members on a page that may show several.
type shape struct {
	Anchor, Name, Go string
	Doc              template.HTML
	Members          []member
	Samples          []sample
	Position         position
	Deprecated       bool
}

func (s *site) actionPages() {
	for i, a := range s.actions {
		name := s.actionHref(a)
		p := s.from(name)
		content := p.action(a)
		if i > 0 {
			content.Previous = p.actionLink(s.actions[i-1])
		}
		if i+1 < len(s.actions) {
			content.Next = p.actionLink(s.actions[i+1])
		}
		s.add(name, "action", a.Type, content, func(f *page.Frame) {
			f.Wide = true
			p.siblings(f, a)
		})
		s.indexAction(a, name)
	}
}

func (p at) actionLink(a *action) *page.Link {
	return &page.Link{Text: a.Type, Href: p.to(p.actionHref(a))}
}

// siblings returns the links to the other actions of the channel.
func (p at) siblings(f *page.Frame, a *action) {
	if a.channel() == nil {
		return
	}
	var links []page.Link
	for _, other := range p.actions {
		if other.channel() == a.channel() {
			text := strings.TrimPrefix(other.Type, a.channel().Prefix)
			links = append(links, page.Link{Text: text, Href: p.to(p.actionHref(other)), Current: other == a})
		}
	}
	own := page.Section{Title: a.channel().Name + " actions", Links: links}
	f.Sections = append([]page.Section{f.Sections[0], own}, f.Sections[1:]...)
}

func (p at) action(a *action) *actionPage {
	first := a.Rows[0]
	out := &actionPage{
		Name: a.Type, Doc: p.html(p.docOf(a)), Client: a.client(), Since: first.Since, Stability: first.Stability().String(), Position: p.position(first.Pos),
		Reduction: p.reduction(a), Picture: p.effectPicture(a),
		Lives: p.lives(func(l *protocol.Lifecycle) bool { return slices.ContainsFunc(movesOf(l), a.leads) }, a),
	}
	if c := a.channel(); c != nil {
		out.Channel = &page.Link{Text: c.Name, Href: p.to(p.channelHref(c))}
		if c.State != nil {
			out.State = &page.Link{Text: c.State.Name, Href: p.to(p.typeHref(c.State))}
		}
	}
	if p.pkg.Actions != nil {
		for i, row := range p.p.Actions.Actions {
			if row == first && i < len(p.pkg.Actions.Rows) {
				out.Constant = p.pkg.Actions.Rows[i].Const
			}
		}
	}
	if r := p.reducer(first); r != nil {
		out.Method = r.Method
	}
	for _, row := range a.Rows {
		for _, u := range p.usesOf(row.Struct) {
			out.Uses = each.With(out.Uses, u)
		}
		s := p.shape(row.Struct, "")
		if len(a.Rows) > 1 {
			s = p.shape(row.Struct, page.Slug(row.Struct.Name))
		} else {
			s.Doc = ""
		}
		if v := p.maker.Tagged(row.Struct, p.p.Actions.Union.Dispatch.Member, a.Type); v != nil {
			s.Samples = p.samples(v)
			if row == first && out.Reduction.How != "yours" {
				out.Reduction.Changes = clipped(behave.Show(row, []byte(v.JSON())))
			}
		}
		out.Shapes = append(out.Shapes, s)
	}
	return out
}

// linked is a name in a Go comment that a page cannot link to.
var linked = regexp.MustCompile(`\[([A-Za-z_][\w.]*)\]`)

// maxPart is the number of letters that a part of a state shows.
const maxPart = 160

// clipped shortens long values.
func clipped(parts []behave.Part) []behave.Part {
	for i := range parts {
		parts[i].Before, parts[i].After = visible.Cut(parts[i].Before, maxPart), visible.Cut(parts[i].After, maxPart)
	}
	return parts
}

// shape describes a struct. The anchor identifies it on its page.
func (p at) shape(t *protocol.Struct, anchor string) shape {
	return shape{
		Anchor: anchor, Name: t.Name, Go: p.goName(t), Doc: p.html(t.Doc), Members: p.members(t, anchor), Position: p.position(t.Pos), Deprecated: t.Deprecated,
	}
}

// reducer returns the Go method that applies an action, or "".
func (s *site) reducer(row *protocol.Action) *golang.ActionReducer {
	if s.pkg.Reducers == nil || row.Channel == nil {
		return nil
	}
	for _, c := range s.pkg.Reducers.Channels {
		for _, a := range c.Actions {
			if c.Channel == row.Channel.Name && a.Action == s.pkg.StructOf(row.Struct) {
				return a
			}
		}
	}
	return nil
}

// reduction describes what an action does to the state of its channel.
func (p at) reduction(a *action) reduction {
	first := a.Rows[0]
	finished := p.Finished[a.Type]
	switch {
	case a.channel() == nil || a.channel().State == nil:
		return reduction{}
	case first.Stated:
		return reduction{How: "stated", Steps: steps(first.Effects)}
	case finished != "":
		var paragraphs []string
		for _, text := range strings.Split(finished, "\n\n") {
			paragraphs = append(paragraphs, linked.ReplaceAllString(strings.Join(strings.Fields(text), " "), "`$1`"))
		}
		out := reduction{How: "finished", Doc: p.html(strings.Join(paragraphs, "\n\n"))}
		out.Writes, out.Reads = p.touched(a)
		return out
	}
	return reduction{How: "yours"}
}

// indexAction adds an action to the search index.
func (s *site) indexAction(a *action, href string) {
	var names []string
	for _, row := range a.Rows {
		names = append(names, s.goName(row.Struct))
		s.indexMembers(row.Struct, s.typeHref(row.Struct), a.Type)
	}
	s.entries = append(s.entries, entry{kind: "action", name: a.Type, goName: strings.Join(names, " "), href: href, text: markup.Text(s.docOf(a))})
}
