// Calls: what a protocol can do about requests that take long, and whether messages come in batches, checked against its
// methods.

package behaviour

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) calls() {
	c := b.Facts.Calls
	if c == nil {
		return
	}
	out := &protocol.Calls{Pos: c.Pos}
	if c.Cancel != nil {
		b.fitting(c, "bad-calls", "statement about cancelling", func(b *builder) { b.cancel(c, out) }, func() { out.Cancel = nil })
	}
	if c.Progress != nil {
		b.fitting(c, "bad-calls", "statement about progress", func(b *builder) { b.progress(c, out) }, func() { out.Progress, out.Takes = nil, nil })
	}
	if out.Cancel != nil || out.Progress != nil {
		b.out.Calls = out
	}
}

func (b *builder) cancel(c *facts.Calls, out *protocol.Calls) {
	out.Cancel, out.CancelID = b.notificationWith("cancel", c.Cancel.Method, c.Cancel.ID), c.Cancel.ID
	out.CancelError = c.Cancel.Error
}

func (b *builder) progress(c *facts.Calls, out *protocol.Calls) {
	out.Progress, out.Token = b.notificationWith("progress", c.Progress.Method, c.Progress.Token), c.Progress.Token
	out.RequestPath = strings.Split(c.Progress.Request, ".")
	for _, m := range b.out.Methods {
		if !m.Notification && phase.ObjectOf(m.Params) != nil && phase.ObjectOf(m.Params).Field(out.RequestPath[0]) != nil {
			out.Takes = append(out.Takes, m)
		}
	}
	if out.Progress != nil && len(out.Takes) == 0 {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member that the parameters of some request have",
			"calls: progress: no request has a member %q", out.RequestPath[0])
	}
}

// batches settles what may come in a batch.
func (b *builder) batches() {
	if in := b.Facts.Batches; in != nil {
		b.fitting(in, "bad-batches", "statement about batches", func(b *builder) { b.batched(in) }, func() { b.out.Batches = nil })
	}
}

func (b *builder) batched(in *facts.Batches) {
	out := &protocol.Batches{Pos: in.Pos}
	for _, name := range in.Alone {
		i := slices.IndexFunc(b.out.Methods, func(m *protocol.Method) bool { return m.Name == name && !m.Notification })
		if i < 0 {
			b.Errorf(in.Pos, "bad-batches", "name a request of the protocol, or take it away", "batches: alone: there is no request %q", name)
			continue
		}
		out.Alone = append(out.Alone, b.out.Methods[i])
	}
	b.out.Batches = out
}

// notificationWith returns the notification of a name, whose parameters have a member. Anything else is
// reported.
func (b *builder) notificationWith(what, name, member string) *protocol.Method {
	m := b.out.Method(name)
	if m == nil && b.Facts.Calls.Source != facts.Schema {
		b.Warnf(b.Facts.Calls.Pos, "unused-entry", "name a notification of the protocol, unless it came in with a later version", "calls: %s: there is no notification %q", what, name)
		return nil
	}
	if m == nil || !m.Notification {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a notification of the protocol", "calls: %s: there is no notification %q", what, name)
		return nil
	}
	if s := phase.ObjectOf(m.Params); s == nil || s.Field(member) == nil {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member that they have", "calls: %s: the parameters of %s have no member %q", what, name, member)
		return nil
	}
	return m
}
