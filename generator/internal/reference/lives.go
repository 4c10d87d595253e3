// Lives: lifecycles of values with a status.

package reference

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/picture"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// life is a lifecycle as shown on a page.
type life struct {
	Title   string
	Href    string
	Doc     template.HTML
	Summary string
	Picture template.HTML
	Slim    template.HTML // the picture for narrow windows
	Room    int           // width that the picture needs, in hundreds of pixels
	Moves   []move
}

// move is a transition between statuses.
type move struct {
	Action, Href string
	From, To     []string
	When         template.HTML
}

// Labels for statuses that are not distinguished.
const (
	anyStatus  = "any"
	itsStatus  = "as it says"
	moveHeight = 40.0
	slimWidth  = 300.0 // of pictures for narrow windows
	slimColumn = 44.0  // of a status in these, at most
	maxRoom    = 15    // hundreds of pixels; wider pictures are for no window
)

// life describes a lifecycle, or only the transitions of one action.
func (p at) life(l *protocol.Lifecycle, of *action) life {
	h := l.Type.Head()
	moves := movesOf(l)
	if of != nil {
		moves = slices.DeleteFunc(moves, func(m *protocol.Transition) bool { return !of.leads(m) })
	}
	out := life{
		Title: h.Name, Href: p.to(p.typeHref(l.Type)) + "#lives", Summary: markup.First(h.Doc),
	}
	wide := p.lifePicture(l, moves, false)
	out.Picture, out.Room, out.Slim = wide.SVG(), min(int(wide.Width()/100)+1, maxRoom), p.lifePicture(l, moves, true).SVG()
	if l.Status != nil {
		out.Title += "." + l.Status.Name
	}
	for _, m := range moves {
		row := move{Action: m.Action, From: m.From, To: m.To, When: p.inline(m.When)}
		if len(l.States) > 1 && len(m.From) == len(l.States) {
			row.From = []string{anyStatus}
		}
		if m.As != "" {
			row.To = []string{itsStatus}
		}
		if a := p.actionOf(m.Action); a != nil {
			row.Href = p.to(p.actionHref(a))
		}
		out.Moves = append(out.Moves, row)
	}
	return out
}

// movesOf returns all transitions of a value, from creation to removal.
func movesOf(l *protocol.Lifecycle) []*protocol.Transition {
	return slices.Concat(l.Begins, l.Transitions, l.Ends)
}

// lives returns the lifecycles of a type, or only the transitions of one action.
func (p at) lives(here func(*protocol.Lifecycle) bool, of *action) []life {
	var out []life
	for _, l := range p.p.Lifecycles {
		if here(l) {
			out = append(out, p.life(l, of))
		}
	}
	return out
}

// stop is a column of a lifecycle picture.
type stop struct {
	name     string
	x, width float64
}

// lifePicture draws a column for each status and a row for each transition, with a dot at each source and an arrow to
// the target. Columns for nonexistent values are at both ends. In a slim picture the names of columns are turned, and
// actions stand above their rows.
func (p at) lifePicture(l *protocol.Lifecycle, moves []*protocol.Transition, slim bool) *picture.Drawing {
	const before, after = "…", "gone"
	var stops []*stop
	at := map[string]*stop{}
	add := func(key, name string) {
		s := &stop{name: name, width: picture.Box{Label: name}.Fit()}
		stops, at[key] = append(stops, s), s
	}
	if slices.ContainsFunc(moves, func(m *protocol.Transition) bool { return len(m.From) == 0 }) {
		add(before, "not there")
	}
	for _, status := range l.States {
		add("="+status, status)
	}
	if slices.ContainsFunc(moves, func(m *protocol.Transition) bool { return len(m.To) == 0 }) {
		add(after, "gone")
	}
	labels, head := 0.0, boxHeight
	for _, m := range moves {
		labels = max(labels, picture.Width(m.Action))
	}
	x := labels + 34
	if slim {
		x, labels = 0, 0
	}
	for _, s := range stops {
		if slim {
			head = max(head, picture.Width(s.name)+6)
			s.x = x + min(slimColumn, slimWidth/float64(len(stops)))/2
			x = 2*s.x - x
			continue
		}
		s.x = x + s.width/2
		x += s.width + 18
	}
	d := picture.New("Which actions lead " + l.Type.Head().Name + " from which status to which")
	height := head + 14 + float64(len(moves))*moveHeight
	for _, s := range stops {
		d.Line(s.x, head, s.x, height, "life", picture.Plain)
	}
	for _, s := range stops {
		class := "state"
		if s == at[before] || s == at[after] {
			class = ""
		}
		if slim {
			d.Turned(s.x+4, head-4, s.name, "label")
			continue
		}
		d.Box(picture.Box{X: s.x - s.width/2, Y: 0, W: s.width, H: boxHeight, Label: s.name, Class: class})
	}
	for i, m := range moves {
		p.drawMove(d, m, head+14+(float64(i)+0.5)*moveHeight, labels, func(key string) *stop { return at[key] })
	}
	return d
}

// drawMove draws one transition, with its action beside the columns, or above its row if there is no room for labels.
func (p at) drawMove(d *picture.Drawing, m *protocol.Transition, y, labels float64, stopOf func(string) *stop) {
	class, href := "host", ""
	if a := p.actionOf(m.Action); a != nil {
		href, class = p.to(p.actionHref(a)), a.class()
	}
	d.Linked(href, func() {
		if labels == 0 {
			d.Text(0, y-8, m.Action, "label "+class, "start")
			return
		}
		d.Text(labels, y+4, m.Action, "label "+class, "end")
	})
	if labels == 0 {
		y += 5
	}
	places := func(list []string, none string) []float64 {
		var out []float64
		for _, status := range list {
			if s := stopOf("=" + status); s != nil {
				out = append(out, s.x)
			}
		}
		if len(out) == 0 {
			if s := stopOf(none); s != nil {
				out = append(out, s.x)
			}
		}
		return out
	}
	from, to := places(m.From, "…"), places(m.To, "gone")
	if len(from) == 0 || len(to) == 0 {
		return
	}
	first, last := slices.Min(from), slices.Max(from)
	if len(from) > 1 {
		d.Line(first, y, last, y, class, picture.Plain)
	}
	for _, x := range from {
		d.Dot(x, y, class)
	}
	for _, x := range to {
		p.drawArrow(d, x, y, from, class)
	}
}

// drawArrow draws an arrow to a column from the nearest source. A transition to the same status is a loop.
func (p at) drawArrow(d *picture.Drawing, x, y float64, from []float64, class string) {
	start := from[0]
	for _, f := range from {
		if f != x && (start == x || math.Abs(f-x) < math.Abs(start-x)) {
			start = f
		}
	}
	if start == x {
		d.Path(fmt.Sprintf("M%.1f %.1fc26 -14 26 14 4 3", x+3, y-2), class, picture.Arrow)
		return
	}
	end := x - 5
	if start > x {
		end = x + 5
	}
	d.Line(start, y, end, y, class, picture.Arrow)
}
