// Lists: lists of channels that follow from the states of these, checked against what they are.

package behaviour

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// lists reads what is stated about lists, each by itself: without one that does not fit, there is a session all the same.
func (b *builder) lists(stated facts.Fact, n *schema.Node) {
	s := b.out.Replication.Session
	for _, item := range n.List() {
		if !b.holds(item) {
			continue
		}
		had := s.Lists
		b.fitting(stated, "bad-role", "list of channels", func(b *builder) {
			r := &listReader{sessionReader{roleReader: roleReader{b: b}, roles: map[*protocol.Method]bool{}}}
			if out := r.list(item); !r.failed {
				s.Lists = append(s.Lists, out)
			}
		}, func() { s.Lists = had })
	}
}

// holds reports whether something is for the version at hand. A range that cannot be read was reported.
func (b *builder) holds(n *schema.Node) bool {
	in, err := b.Facts.Versions.Order.ParseRange(n.Get("versions").Str())
	return n.Get("versions") == nil || err == nil && in.Holds(b.Facts.Versions.At)
}

type listReader struct{ sessionReader }

func (r *listReader) list(n *schema.Node) *protocol.ListRoles {
	out := &protocol.ListRoles{Channel: r.channel(n.Get("channel")), At: r.channel(n.Get("at")), Entry: r.structAt(n.Get("entry"))}
	if r.failed || out.Entry == nil || r.b.of.Types.Broken[out.Entry] {
		r.failed = true
		return nil
	}
	if !r.channels(n, out) {
		return nil
	}
	out.URI = r.text(n.Get("uri"), out.Entry)
	out.Created, out.Changed = r.time(n.Get("created"), out.Entry), r.time(n.Get("changed"), out.Entry)
	r.latest(n.Get("latest"), out)
	r.members(n, out)
	r.request(n.Get("list"), out)
	out.Added = r.change(n.Get("added"), out, true)
	out.Removed = r.change(n.Get("removed"), out, false)
	out.Updated = r.change(n.Get("updated"), out, false)
	r.count(n.Get("count"), out)
	return out
}

// channels checks that the channels have states, and that the channel with the notifications has a single name.
func (r *listReader) channels(n *schema.Node, out *protocol.ListRoles) bool {
	if out.Channel.State == nil || r.b.of.Types.Broken[out.Channel.State] {
		r.errorf(n.Get("channel").Pos, "name a channel with a state", "channel %s has no state", out.Channel.Name)
	} else if !slices.ContainsFunc(r.b.out.AllActions(), func(a *protocol.Action) bool { return a.Channel != nil && a.Channel.State == out.Channel.State }) {
		r.errorf(n.Get("channel").Pos, "name a channel with actions", "channel %s has no actions, so a server does not hold its state", out.Channel.Name)
	}
	if slices.ContainsFunc(r.b.out.Replication.Session.Lists, func(l *protocol.ListRoles) bool { return l.Channel.State == out.Channel.State }) {
		r.errorf(n.Get("channel").Pos, "name another channel", "channel %s stands in a list already", out.Channel.Name)
	}
	if u := protocol.As[*protocol.Union](r.b.out.Replication.Snapshot.State.Type); !r.failed && u != nil && !slices.Contains(u.Leaves(), out.Channel.State) {
		r.errorf(n.Get("channel").Pos, "add "+out.Channel.State.Name+" to "+u.Name, "channel %s cannot be subscribed to", out.Channel.Name)
	}
	if out.At.URI == "" || slices.Contains([]byte(out.At.URI), '<') {
		r.errorf(n.Get("at").Pos, "name a channel whose URI is always the same", "nothing says which channel %s is meant", out.At.Name)
	}
	return !r.failed
}

// time reads a member that holds a time: a text, or a number.
func (r *listReader) time(n *schema.Node, s *protocol.Struct) *protocol.Field {
	f := r.always(n, s)
	return r.is(n, f, "a time: a string or an integer", isScalar(f, protocol.String) || isScalar(f, protocol.Integer))
}

func (r *listReader) latest(n *schema.Node, out *protocol.ListRoles) {
	if n == nil || len(n.Items) != 2 {
		return
	}
	out.LatestOf = r.member(n.Items[0], out.Channel.State)
	if out.LatestOf == nil {
		return
	}
	list, _ := protocol.Underlying(out.LatestOf.Type).(protocol.List)
	var item *protocol.Struct
	if list.Elem != nil {
		item = phase.StructOf(list.Elem)
	}
	if r.is(n.Items[0], out.LatestOf, "a list of objects", item != nil) == nil {
		return
	}
	out.Latest = r.text(n.Items[1], item)
}

// members finds what of the state the members of an entry are.
func (r *listReader) members(n *schema.Node, out *protocol.ListRoles) {
	from, at := out.Channel.State, protocol.Path(nil)
	if n.Get("from") != nil {
		f := r.always(n.Get("from"), from)
		if f = r.is(n.Get("from"), f, "an object", f != nil && phase.StructOf(f.Type) != nil); f == nil {
			return
		}
		from, at = phase.StructOf(f.Type), protocol.Path{f}
	}
	var without []string
	for _, item := range n.Get("without").List() {
		if f := r.member(item, out.Entry); f != nil {
			without = append(without, f.Name)
		}
	}
	made := []*protocol.Field{out.URI, out.Created, out.Changed}
	for _, f := range out.Entry.Fields {
		if f.Const != nil || slices.Contains(without, f.Name) {
			continue
		}
		if m, ok := entryMember(f, from, at); ok {
			out.Members = append(out.Members, m)
			continue
		}
		switch {
		case slices.Contains(made, f):
			if f == out.Changed && out.Latest == nil && f.Required {
				r.errorf(n.Get("changed").Pos, `add "latest"`, "%s has no member %s, and nothing says when the channel has changed", from.Name, f.Name)
			}
			out.Made = append(out.Made, f)
		case f.Required && !f.Nullable:
			r.errorf(n.Get("entry").Pos, "take it out of required, or the list away", "%s of %s has to be there, and nothing in %s says what it is", f.Name, out.Entry.Name, from.Name)
		}
	}
}

// entryMember finds the member that another one is equal to, or whose items have all that its items have.
func entryMember(f *protocol.Field, from *protocol.Struct, at protocol.Path) (out protocol.EntryMember, ok bool) {
	source := from.Field(f.Name)
	if source == nil || source.Const != nil || source.Nullable != f.Nullable || f.Required && !source.Required {
		return out, false
	}
	out = protocol.EntryMember{Member: f, From: append(slices.Clone(at), source)}
	if phase.SameType(f.Type, source.Type) {
		return out, true
	}
	to, _ := protocol.Underlying(f.Type).(protocol.List)
	of, _ := protocol.Underlying(source.Type).(protocol.List)
	if to.Elem == nil || of.Elem == nil || phase.StructOf(to.Elem) == nil || phase.StructOf(of.Elem) == nil {
		return out, false
	}
	for _, item := range phase.StructOf(to.Elem).Fields {
		inner := phase.StructOf(of.Elem).Field(item.Name)
		switch {
		case inner != nil && inner.Const == nil && inner.Nullable == item.Nullable && phase.SameType(item.Type, inner.Type) && (inner.Required || !item.Required):
			out.Items = append(out.Items, protocol.EntryMember{Member: item, From: protocol.Path{inner}})
		case item.Required:
			return out, false
		}
	}
	return out, len(out.Items) > 0
}

// request reads the method that answers with the list.
func (r *listReader) request(n *schema.Node, out *protocol.ListRoles) {
	m, params, result := r.sessionReader.request(n.Get("method"))
	if m == nil {
		return
	}
	out.Method = m
	answer := phase.ObjectOf(result)
	if answer == nil {
		r.errorf(n.Get("method").Pos, "name a request that is answered with an object", "the result of %s is no object", m.Name)
		return
	}
	out.Items = r.sessionReader.list(n.Get("items"), answer, out.Entry)
	given := []*protocol.Field{out.Items}
	paged := 0
	for _, part := range []struct {
		name string
		of   *protocol.Struct
		want protocol.Scalar
		to   **protocol.Field
	}{{"limit", params, protocol.Integer, &out.Limit}, {"cursor", params, protocol.String, &out.Cursor}, {"next", answer, protocol.String, &out.Next}} {
		at := n.Get(part.name)
		if at == nil {
			continue
		}
		paged++
		f := r.member(at, part.of)
		if f != nil && f.Required {
			r.errorf(at.Pos, "take it out of required", "%s of %s is always there", f.Name, part.of.Name)
			return
		}
		*part.to = r.is(at, f, part.want.String(), isScalar(f, part.want))
	}
	if paged != 0 && paged != 3 {
		r.errorf(n.Pos, "name all three or none", "a list with pages has a limit, a cursor and a next one")
	}
	r.filled(n.Get("method"), answer, given...)
}

// change reads the notification about a change.
func (r *listReader) change(n *schema.Node, out *protocol.ListRoles, added bool) *protocol.ListChange {
	if n == nil {
		return nil
	}
	m := r.named(n.Get("method"))
	if m == nil {
		r.failed = true
		return nil
	}
	params := phase.ObjectOf(m.Params)
	if !m.Notification || m.From == protocol.FromClient || params == nil {
		r.errorf(n.Get("method").Pos, r.b.Say("name a notification that hosts send"), r.b.Say("%s is no notification of hosts that takes an object"), m.Name)
		return nil
	}
	c := &protocol.ListChange{Method: m}
	var given []*protocol.Field
	text := func(name string) *protocol.Field {
		if n.Get(name) == nil {
			return nil
		}
		f := r.text(n.Get(name), params)
		given = append(given, f)
		return f
	}
	c.At, c.URI = text("at"), text("uri")
	if at := n.Get("entry"); at != nil {
		f := r.always(at, params)
		given = append(given, f)
		if f != nil && added {
			f = r.is(at, f, out.Entry.Name, phase.StructOf(f.Type) == out.Entry)
		} else if f != nil {
			f = r.is(at, f, "an object", phase.StructOf(f.Type) != nil)
		}
		if c.Entry = f; f != nil {
			r.partial(out, c)
		}
	}
	r.filled(n.Get("method"), params, given...)
	return c
}

// partial finds which members of an entry a notification of changes can have: those that may be missing in it.
func (*listReader) partial(out *protocol.ListRoles, c *protocol.ListChange) {
	of := phase.StructOf(c.Entry.Type)
	for _, f := range out.Entry.Fields {
		other := of.Field(f.Name)
		if other != nil && f != out.URI && f != out.Created && phase.SameType(f.Type, other.Type) {
			c.Partial = append(c.Partial, f)
		}
	}
}

// count reads the action that says how many channels there are.
func (r *listReader) count(n *schema.Node, out *protocol.ListRoles) {
	if n == nil {
		return
	}
	if n.Get("action").Str() == "" {
		r.failed = true // reported
		return
	}
	if out.At.State == nil {
		r.errorf(n.Pos, "take it away", "channel %s has no state that says how many there are", out.At.Name)
		return
	}
	actions := r.b.out.Actions.Actions
	i := slices.IndexFunc(actions, func(a *protocol.Action) bool { return a.Type == n.Get("action").Str() })
	if i < 0 || actions[i].Channel != out.At || actions[i].Struct == nil {
		r.errorf(n.Get("action").Pos, "name an action for channel "+out.At.Name, "%s is none", n.Get("action").Compact())
		return
	}
	out.Count = actions[i]
	out.CountMember = r.number(n.Get("member"), actions[i].Struct)
	out.CountOfTheState = r.scalar(n.Get("state"), r.member(n.Get("state"), out.At.State), protocol.Integer)
	r.filled(n.Get("action"), actions[i].Struct, out.CountMember)
}
