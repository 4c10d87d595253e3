// Calls: what a protocol can do about requests that take long, checked against its methods.

package analyze

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) calls() {
	c := b.facts.Calls
	if c == nil {
		return
	}
	out := &protocol.Calls{}
	if c.Cancel != nil {
		out.Cancel, out.CancelID = b.notificationWith("cancel", c.Cancel.Method, c.Cancel.ID), c.Cancel.ID
		out.CancelError = c.Cancel.Error
	}
	if c.Progress != nil {
		out.Progress, out.Token = b.notificationWith("progress", c.Progress.Method, c.Progress.Token), c.Progress.Token
		out.RequestPath = strings.Split(c.Progress.Request, ".")
		for _, m := range b.out.Methods {
			if !m.Notification && objectOf(m.Params) != nil && objectOf(m.Params).Field(out.RequestPath[0]) != nil {
				out.Takes = append(out.Takes, m)
			}
		}
		if out.Progress != nil && len(out.Takes) == 0 {
			b.diags.Errorf(b.facts.Calls.Pos, "bad-calls", "name a member that the parameters of some request have",
				"calls: progress: no request has a member %q", out.RequestPath[0])
		}
	}
	if out.Cancel != nil || out.Progress != nil {
		b.out.Calls = out
	}
}

// notificationWith returns the notification of a name, whose parameters have a member. Anything else is
// reported.
func (b *builder) notificationWith(what, name, member string) *protocol.Method {
	i := slices.IndexFunc(b.out.Methods, func(m *protocol.Method) bool { return m.Name == name })
	if i < 0 && b.facts.Calls.Source == facts.Profile {
		b.diags.Warnf(b.facts.Calls.Pos, "unused-entry", "name a notification of the protocol, unless it came in with a later version", "calls: %s: there is no notification %q", what, name)
		return nil
	}
	if i < 0 || !b.out.Methods[i].Notification {
		b.diags.Errorf(b.facts.Calls.Pos, "bad-calls", "name a notification of the protocol", "calls: %s: there is no notification %q", what, name)
		return nil
	}
	m := b.out.Methods[i]
	if s := objectOf(m.Params); s == nil || s.Field(member) == nil {
		b.diags.Errorf(b.facts.Calls.Pos, "bad-calls", "name a member that they have", "calls: %s: the parameters of %s have no member %q", what, name, member)
		return nil
	}
	return m
}
