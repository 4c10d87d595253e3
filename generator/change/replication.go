// Replication: the types and members that carry states to clients, and the methods by which clients connect.

package change

import (
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// replication compares roles of types and members. A statement present on one side only is one change.
func (c *comparer) replication() {
	old, new := replicationOf(c.old), replicationOf(c.new)
	c.roles("replication", roleRules{ReplicationAdded, ReplicationRemoved, ReplicationChanged}, old, new)
	if len(old.list) > 0 && len(new.list) > 0 {
		c.roles("session", roleRules{SessionAdded, SessionRemoved, SessionChanged}, sessionOf(c.old), sessionOf(c.new))
	}
}

// roles returns the roles in a statement.
type roles struct {
	list []role
	pos  diag.Pos
}

type role struct {
	part, is string
	isType   bool
}

// roleRules are the rules for added, removed and changed statements.
type roleRules struct{ added, removed, changed Rule }

func (c *comparer) roles(subject string, rules roleRules, old, new roles) {
	switch {
	case len(old.list) == 0 && len(new.list) == 0:
	case len(old.list) == 0:
		c.add(rules.added, "", "", spot{subject, diag.Pos{}, new.pos, Place{}})
	case len(new.list) == 0:
		c.add(rules.removed, "", "", spot{subject, old.pos, diag.Pos{}, Place{}})
	default:
		for i, o := range old.list {
			n := new.list[i]
			if o.isType && c.new.Lookup(o.is) == nil {
				continue // renamed or removed, which is reported elsewhere
			}
			c.text(rules.changed, o.is, n.is, spot{subject + " " + o.part, old.pos, new.pos, Place{}})
		}
	}
}

func replicationOf(p *protocol.Protocol) roles {
	r := p.Replication
	if r == nil {
		return roles{}
	}
	return roles{[]role{
		{"envelope", r.Envelope.Type.Name, true}, {"envelope.channel", r.Envelope.Channel.Name, false}, {"envelope.action", r.Envelope.Action.Name, false},
		{"envelope.sequence", r.Envelope.Sequence.Name, false}, {"envelope.client", r.Envelope.Client.String(), false},
		{"envelope.clientSequence", r.Envelope.ClientSequence.String(), false}, {"envelope.rejection", r.Envelope.Rejection.Name, false},
		{"snapshot", r.Snapshot.Type.Name, true}, {"snapshot.channel", r.Snapshot.Channel.Name, false},
		{"snapshot.state", r.Snapshot.State.Name, false}, {"snapshot.sequence", r.Snapshot.Sequence.Name, false},
		{"dispatch", r.Dispatch.Type.Name, true}, {"dispatch.channel", r.Dispatch.Channel.Name, false},
		{"dispatch.action", r.Dispatch.Action.Name, false}, {"dispatch.clientSequence", r.Dispatch.ClientSequence.Name, false},
		{"reconnect.replay", r.Reconnect.Replay.Name, true}, {"reconnect.replay.envelopes", r.Reconnect.Envelopes.Name, false},
		{"reconnect.replay.missing", r.Reconnect.Missing.Name, false}, {"reconnect.restart", r.Reconnect.Restart.Name, true},
		{"reconnect.restart.snapshots", r.Reconnect.Snapshots.Name, false},
	}, r.Pos}
}

func sessionOf(p *protocol.Protocol) roles {
	s := p.Replication.Session
	if s == nil {
		return roles{}
	}
	return roles{[]role{
		{"open.client", s.Open.Client.Name, false}, {"open.subscriptions", s.Open.Subscriptions.Name, false},
		{"open.sequence", s.Open.Sequence.Name, false}, {"open.snapshots", s.Open.Snapshots.Name, false},
		{"resume.method", s.Resume.Method.Name, false}, {"resume.client", s.Resume.Client.Name, false},
		{"resume.sequence", s.Resume.Sequence.Name, false}, {"resume.subscriptions", s.Resume.Subscriptions.Name, false},
		{"subscribe.method", s.Subscribe.Method.Name, false}, {"subscribe.channel", s.Subscribe.Channel.Name, false},
		{"subscribe.snapshot", s.Subscribe.Snapshot.Name, false}, {"subscribe.missing", strconv.FormatInt(s.Subscribe.Missing.Code, 10), false},
		{"unsubscribe.method", s.Unsubscribe.Method.Name, false}, {"unsubscribe.channel", s.Unsubscribe.Channel.Name, false},
		{"dispatch", s.Dispatch.Name, false}, {"action", s.Action.Name, false},
		{"anytime", strings.Join(each.Map(s.Anytime, func(m *protocol.Method) string { return m.Name }), ", "), false}, {"repeat", repeatText(s.Repeat), false},
		{"ignored", strings.Join(each.Map(s.Ignored, func(c *protocol.Channel) string { return c.Name }), ", "), false}, {"lists", listsText(s.Lists), false},
	}, p.Replication.Pos}
}

// listsText returns the methods by which clients get each list.
func listsText(list []*protocol.ListRoles) string {
	var out []string
	for _, l := range list {
		parts := []string{l.Channel.Name + " at " + l.At.Name + " by " + l.Method.Name}
		for _, c := range []*protocol.ListChange{l.Added, l.Removed, l.Updated} {
			if c != nil {
				parts = append(parts, c.Method.Name)
			}
		}
		if l.Count != nil {
			parts = append(parts, l.Count.Type)
		}
		out = append(out, strings.Join(parts, ", "))
	}
	return strings.Join(out, "; ")
}

func repeatText(list []protocol.RepeatRoles) string {
	names := each.Map(list, func(r protocol.RepeatRoles) string { return r.Method.Name + " by " + r.Key.Name })
	return strings.Join(names, ", ")
}
