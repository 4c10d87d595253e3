// Sequence: the messages between client and host, from handshake to reconnect.

package reference

import (
	"html/template"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/picture"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// message is an arrow between the two sides.
type message struct {
	label, note string
	href        string
	toClient    bool
	answer      bool
	title       string // title of a part; then there is no arrow
}

// sequencePicture draws the messages of a connection, as far as they are stated.
func (p at) sequencePicture() template.HTML {
	r := p.p.Replication
	if r == nil || r.Session == nil {
		return ""
	}
	list := append(p.opening(r), p.acting(r)...)
	list = append(list, p.comingBack(r)...)
	width := 0.0
	for _, m := range list {
		width = max(width, picture.Width(m.label), picture.Width(m.note)*0.95)
	}
	width += 60
	const step = 46.0
	side := p.sideWidth()
	const partBefore, partAfter = 54.0, 10.0 // space before and after a title
	d := picture.New(p.p.Sides.In("What a client and a host send each other") + ": handshake, subscription, actions, a refusal, and a connection that comes back")
	left, right := side/2, side/2+width
	height := 50.0
	for _, m := range list {
		if m.title != "" {
			height += partBefore - partAfter
			continue
		}
		height += step
	}
	for _, end := range []struct {
		x           float64
		name, class string
	}{{left, p.p.Sides.In("Client"), "client"}, {right, p.p.Sides.In("Host"), "host"}} {
		d.Line(end.x, boxHeight, end.x, height, end.class+" life", picture.Plain)
		d.Box(picture.Box{X: end.x - side/2, Y: 0, W: side, H: boxHeight, Label: end.name, Class: end.class})
	}
	y := boxHeight + 10
	for _, m := range list {
		if m.title != "" {
			y += partBefore
			d.Box(picture.Box{X: left + 12, Y: y - 24, W: width - 24, H: 24, Label: m.title, Class: "part"})
			y -= partAfter
			continue
		}
		y += step
		class := map[bool]string{true: "host", false: "client"}[m.toClient]
		if m.answer {
			class += " dashed"
		}
		from, to := left, right
		if m.toClient {
			from, to = right, left
		}
		d.Line(from, y, to, y, class, picture.Arrow)
		d.Linked(m.href, func() { d.Text((left+right)/2, y-7, m.label, "label", "middle") })
		d.Text((left+right)/2, y+14, m.note, "note", "middle")
	}
	return d.SVG()
}

func fieldName(f *protocol.Field) string {
	if f == nil {
		return ""
	}
	return f.Name
}

// with joins the non-empty names.
func with(names ...string) string {
	return strings.Join(each.Where(names, func(n string) bool { return n != "" }), ", ")
}

func (p at) asked(m *protocol.Method, note string) message {
	if m == nil {
		return message{}
	}
	return message{label: m.Name, note: note, href: p.to(p.methodHref(m))}
}

func (p at) opening(r *protocol.Replication) []message {
	s := r.Session
	offer, answer := "", ""
	if p.p.Handshake != nil {
		offer, answer = p.p.Handshake.Offer, p.p.Handshake.Answer
	}
	return []message{
		{title: "Handshake"},
		p.asked(s.Open.Method, with(fieldName(s.Open.Client), offer, fieldName(s.Open.Subscriptions))),
		{label: "result", note: with(answer, fieldName(s.Open.Sequence), fieldName(s.Open.Snapshots)), toClient: true, answer: true},
		p.asked(s.Subscribe.Method, fieldName(s.Subscribe.Channel)),
		{label: "result", note: with(fieldName(s.Subscribe.Snapshot)) + ": the state, and the number it is as of", toClient: true, answer: true},
	}
}

func (p at) acting(r *protocol.Replication) []message {
	s := r.Session
	back := func(label, note string) message {
		m := p.asked(s.Action, note)
		m.label, m.toClient = m.label+": "+label, true
		return m
	}
	out := []message{{title: "Actions"}}
	if s.Action == nil || s.Dispatch == nil {
		return nil
	}
	sequence := fieldName(r.Envelope.Sequence)
	out = append(out,
		back(p.p.Sides.In("the host acts"), with(sequence, "to all who have subscribed")),
		p.asked(s.Dispatch, with(fieldName(r.Dispatch.ClientSequence), fieldName(r.Dispatch.Action))),
		back("the echo", with(sequence, r.Envelope.ClientSequence.String(), "to all, its sender as well")),
	)
	if r.Envelope.Rejection != nil {
		again := p.asked(s.Dispatch, fieldName(r.Dispatch.ClientSequence))
		out = append(out, again, back("refused", with(fieldName(r.Envelope.Rejection), "its sender takes it back")))
	}
	return out
}

func (p at) comingBack(r *protocol.Replication) []message {
	s := r.Session
	if s.Resume.Method == nil {
		return nil
	}
	out := []message{
		{title: "After a loss of the connection"},
		p.asked(s.Resume.Method, with(fieldName(s.Resume.Client), fieldName(s.Resume.Sequence), fieldName(s.Resume.Subscriptions))),
	}
	if r.Reconnect.Replay != nil {
		out = append(out, message{label: "either what was missed", note: with(fieldName(r.Reconnect.Envelopes), fieldName(r.Reconnect.Missing)), toClient: true, answer: true, href: p.to(p.typeHref(r.Reconnect.Replay))})
	}
	if r.Reconnect.Restart != nil {
		out = append(out, message{label: "or new states", note: fieldName(r.Reconnect.Snapshots), toClient: true, answer: true, href: p.to(p.typeHref(r.Reconnect.Restart))})
	}
	return out
}
