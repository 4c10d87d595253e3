// Pictures: diagrams of the protocol.

package reference

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/picture"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

const (
	rowHeight = 40.0 // distance between rows of boxes
	boxHeight = 28.0
	columnGap = 120.0 // distance between connected columns
)

// protocolPicture draws the channels between both sides, with the number of action types in each direction.
func (p at) protocolPicture() template.HTML {
	type lane struct {
		c            *protocol.Channel
		client, host int
	}
	var lanes []lane
	width := 0.0
	for _, c := range p.p.Channels {
		if client, host := p.actionsOn(c); len(client)+len(host) > 0 {
			lanes = append(lanes, lane{c, len(client), len(host)})
			width = max(width, picture.Box{Label: c.Name, Note: stateName(c)}.Fit())
		}
	}
	if len(lanes) == 0 {
		return ""
	}
	const gap, height, pitch = 150.0, 46.0, 62.0
	side := p.sideWidth()
	total := float64(len(lanes))*pitch - (pitch - height)
	d := picture.New(p.p.Sides.In("The channels, with the number of kinds of action that clients and hosts send on each"))
	d.Box(picture.Box{X: 0, Y: 0, W: side, H: total, Label: p.p.Sides.In("Client"), Class: "client"})
	x := side + gap
	d.Box(picture.Box{X: x + width + gap, Y: 0, W: side, H: total, Label: p.p.Sides.In("Host"), Class: "host"})
	for i, l := range lanes {
		y := float64(i) * pitch
		d.Box(picture.Box{X: x, Y: y, W: width, H: height, Label: l.c.Name, Note: stateName(l.c), Href: p.to(p.channelHref(l.c))})
		if l.client > 0 {
			d.Line(side, y+height/2, x, y+height/2, "client", picture.Arrow)
			d.Text(side+gap/2, y+height/2-7, fmt.Sprintf("%d to dispatch", l.client), "note", "middle")
		}
		if l.host > 0 {
			d.Line(x+width+gap, y+height/2, x+width, y+height/2, "host", picture.Arrow)
			d.Text(x+width+gap/2, y+height/2-7, fmt.Sprintf("%d %s", l.host, p.p.Sides.In("from the host")), "note", "middle")
		}
	}
	return d.SVG()
}

// sideWidth returns the width of the boxes of both sides.
func (p at) sideWidth() float64 {
	return max(84, picture.Box{Label: p.p.Sides.In("Client")}.Fit(), picture.Box{Label: p.p.Sides.In("Host")}.Fit())
}

func stateName(c *protocol.Channel) string {
	if c.State == nil {
		return ""
	}
	return c.State.Name
}

// target is a member of a state with the effects on it.
type target struct {
	field *protocol.Field
	verb  string
}

// targets returns the state members that effects change, without duplicates.
func targets(effects []*protocol.Effect) []target {
	var out []target
	add := func(t target) {
		if !slices.ContainsFunc(out, func(o target) bool { return o.field == t.field }) {
			out = append(out, t)
		}
	}
	for _, e := range effects {
		words := e.Do.Words(e.Target)
		t := target{verb: words.Arrow}
		if len(e.Target) > 0 {
			t.field = e.Target[0]
		}
		if len(e.Target) > 1 {
			t.verb = "changes"
		}
		add(t)
		for _, then := range targets(words.Then) {
			add(then)
		}
	}
	return out
}

// channelPicture draws the actions of a channel and the state members each is stated to change.
func (p at) channelPicture(c *protocol.Channel) template.HTML {
	list := slices.Concat(p.actionsOn(c))
	if c.State == nil || len(list) == 0 {
		return ""
	}
	fields := changedFields(c, list)
	left, right := 0.0, picture.Box{Label: c.State.Name}.Fit()
	for _, a := range list {
		left = max(left, picture.Box{Label: shortName(a)}.Fit())
	}
	for _, f := range fields {
		right = max(right, picture.Box{Label: f.Name}.Fit())
	}
	d := picture.New("The actions of the channel " + c.Name + " and the members of its state that they change")
	x := left + columnGap*1.5
	top := max(0, (float64(len(list))-float64(len(fields)+1))*rowHeight/2)
	heightOf := func(f *protocol.Field) float64 {
		return top + float64(slices.Index(fields, f)+1)*rowHeight + boxHeight/2 // -1 stands for the whole state
	}
	for i, a := range list {
		y := float64(i)*rowHeight + boxHeight/2
		for _, t := range targets(a.Rows[0].Effects) {
			d.Curve(left, y, x, heightOf(t.field), a.class(), picture.Arrow)
		}
		if !a.Rows[0].Stated {
			d.Curve(left, y, x, heightOf(nil), a.class()+" dashed", picture.Arrow)
		}
	}
	for i, a := range list {
		d.Box(picture.Box{X: 0, Y: float64(i) * rowHeight, W: left, H: boxHeight, Label: shortName(a), Href: p.to(p.actionHref(a)), Class: a.class()})
	}
	state := p.to(p.typeHref(c.State))
	d.Box(picture.Box{X: x, Y: top, W: right, H: boxHeight, Label: c.State.Name, Href: state, Class: "state"})
	for i, f := range fields {
		d.Box(picture.Box{X: x, Y: top + float64(i+1)*rowHeight, W: right, H: boxHeight, Label: f.Name, Href: state + "#" + anchorOf("", f.Name)})
	}
	return d.SVG()
}

// changedFields returns the members changed by stated effects, in declaration order.
func changedFields(c *protocol.Channel, list []*action) []*protocol.Field {
	var out []*protocol.Field
	for _, a := range list {
		for _, t := range targets(a.Rows[0].Effects) {
			if t.field != nil && !slices.Contains(out, t.field) {
				out = append(out, t.field)
			}
		}
	}
	slices.SortFunc(out, func(a, b *protocol.Field) int {
		return cmp.Compare(slices.Index(c.State.Fields, a), slices.Index(c.State.Fields, b))
	})
	return out
}

// class returns the CSS class for who may dispatch an action.
func (a *action) class() string {
	if a.client() {
		return "client"
	}
	return "host"
}

// shortName returns the type of an action without its channel's prefix.
func shortName(a *action) string {
	if c := a.channel(); c != nil {
		return strings.TrimPrefix(a.Type, c.Prefix)
	}
	return a.Type
}

// effectPicture draws what an action does to the members of its state.
func (p at) effectPicture(a *action) template.HTML {
	list := targets(a.Rows[0].Effects)
	if a.channel() == nil || a.channel().State == nil || len(list) == 0 || list[0].field == nil {
		return ""
	}
	left := picture.Box{Label: a.Type}.Fit()
	right := 0.0
	name := func(t target) string {
		if t.field == nil {
			return a.channel().State.Name
		}
		return a.channel().State.Name + "." + t.field.Name
	}
	for _, t := range list {
		right = max(right, picture.Box{Label: name(t)}.Fit())
	}
	d := picture.New("What " + a.Type + " does to the state")
	middle := float64(len(list)-1) * rowHeight / 2
	class := a.class()
	x := left + columnGap
	for i, t := range list {
		y := float64(i) * rowHeight
		d.Curve(left, middle+boxHeight/2, x, y+boxHeight/2, class, picture.Arrow)
		d.Text(x-10, y+boxHeight/2-6, t.verb, "note", "end")
	}
	d.Box(picture.Box{X: 0, Y: middle, W: left, H: boxHeight, Label: a.Type, Class: class})
	state := p.to(p.typeHref(a.channel().State))
	for i, t := range list {
		href := state
		if t.field != nil {
			href += "#" + anchorOf("", t.field.Name)
		}
		d.Box(picture.Box{X: x, Y: float64(i) * rowHeight, W: right, H: boxHeight, Label: name(t), Href: href})
	}
	return d.SVG()
}

// maxBranches is the number of variants above which a union is not drawn.
const maxBranches = 40

// node is a union or variant in a union's picture.
type node struct {
	branch
	inside []node
}

// unionPicture draws a union as a tree of variants labelled by tag, including nested unions.
func (p at) unionPicture(u *protocol.Union) template.HTML {
	tree, leaves := p.tree(u, 0)
	if leaves == 0 || leaves > maxBranches {
		return ""
	}
	d := picture.New("The variants of " + u.Name)
	width := picture.Box{Label: u.Name}.Fit()
	height := p.drawTree(d, tree, width, 0)
	d.Box(picture.Box{X: 0, Y: (height - rowHeight) / 2, W: width, H: boxHeight, Label: u.Name, Class: "state"})
	return d.SVG()
}

// tree returns the tree of a union and its number of leaves.
func (p at) tree(u *protocol.Union, depth int) (out []node, leaves int) {
	const deepest = 3
	for _, b := range p.branches(u) {
		n := node{branch: b}
		more := 1
		if b.inner != nil && depth < deepest {
			if n.inside, more = p.tree(b.inner, depth+1); more == 0 {
				more = 1
			}
		}
		leaves += more
		out = append(out, n)
	}
	return out, leaves
}

// drawTree draws the branches of a union that ends at x, starting at y, and returns their height.
func (p at) drawTree(d *picture.Drawing, tree []node, x, y float64) float64 {
	type place struct{ y, height float64 }
	labels, boxes, height := 0.0, 0.0, 0.0
	var places []place
	name := func(n node) string {
		if n.typ != nil {
			return n.typ.Head().Name
		}
		return n.tag
	}
	for _, n := range tree {
		labels = max(labels, picture.Width(n.tag))
		boxes = max(boxes, picture.Box{Label: name(n)}.Fit())
	}
	left := x + labels + 70
	for _, n := range tree {
		h := rowHeight
		if len(n.inside) > 0 {
			h = p.drawTree(d, n.inside, left+boxes, y+height)
		}
		places = append(places, place{y + height, h})
		height += h
	}
	middle := y + (height-rowHeight)/2 + boxHeight/2
	for i, n := range tree {
		at := places[i].y + (places[i].height-rowHeight)/2
		d.Curve(x, middle, x+40, at+boxHeight/2, "", picture.Plain)
		d.Line(x+40, at+boxHeight/2, left, at+boxHeight/2, "", picture.Arrow)
		if n.tag != name(n) {
			d.Text(x+46, at+boxHeight/2-5, n.tag, "note", "start")
		}
		href := ""
		if n.typ != nil {
			href = p.to(p.typeHref(n.typ))
		}
		d.Box(picture.Box{X: left, Y: at, W: boxes, H: boxHeight, Label: name(n), Href: href, Class: map[bool]string{true: "state"}[n.inner != nil]})
	}
	return height
}
