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
		{"envelope", typeName(r.Envelope.Type), true}, {"envelope.channel", fieldName(r.Envelope.Channel), false}, {"envelope.action", fieldName(r.Envelope.Action), false},
		{"envelope.sequence", fieldName(r.Envelope.Sequence), false}, {"envelope.client", r.Envelope.Client.String(), false},
		{"envelope.clientSequence", r.Envelope.ClientSequence.String(), false}, {"envelope.rejection", fieldName(r.Envelope.Rejection), false},
		{"snapshot", typeName(r.Snapshot.Type), true}, {"snapshot.channel", fieldName(r.Snapshot.Channel), false},
		{"snapshot.state", fieldName(r.Snapshot.State), false}, {"snapshot.sequence", fieldName(r.Snapshot.Sequence), false},
		{"dispatch", typeName(r.Dispatch.Type), true}, {"dispatch.channel", fieldName(r.Dispatch.Channel), false},
		{"dispatch.action", fieldName(r.Dispatch.Action), false}, {"dispatch.clientSequence", fieldName(r.Dispatch.ClientSequence), false},
		{"reconnect.replay", typeName(r.Reconnect.Replay), true}, {"reconnect.replay.envelopes", fieldName(r.Reconnect.Envelopes), false},
		{"reconnect.replay.missing", fieldName(r.Reconnect.Missing), false}, {"reconnect.restart", typeName(r.Reconnect.Restart), true},
		{"reconnect.restart.snapshots", fieldName(r.Reconnect.Snapshots), false},
	}, r.Pos}
}

func sessionOf(p *protocol.Protocol) roles {
	s := p.Replication.Session
	if s == nil {
		return roles{}
	}
	return roles{[]role{
		{"open.client", fieldName(s.Open.Client), false}, {"open.subscriptions", fieldName(s.Open.Subscriptions), false},
		{"open.sequence", fieldName(s.Open.Sequence), false}, {"open.snapshots", fieldName(s.Open.Snapshots), false},
		{"resume.method", methodName(s.Resume.Method), false}, {"resume.client", fieldName(s.Resume.Client), false},
		{"resume.sequence", fieldName(s.Resume.Sequence), false}, {"resume.subscriptions", fieldName(s.Resume.Subscriptions), false},
		{"subscribe.method", methodName(s.Subscribe.Method), false}, {"subscribe.channel", fieldName(s.Subscribe.Channel), false},
		{"subscribe.snapshot", fieldName(s.Subscribe.Snapshot), false}, {"subscribe.missing", codeText(s.Subscribe.Missing), false},
		{"unsubscribe.method", methodName(s.Unsubscribe.Method), false}, {"unsubscribe.channel", fieldName(s.Unsubscribe.Channel), false},
		{"dispatch", methodName(s.Dispatch), false}, {"action", methodName(s.Action), false},
		{"anytime", strings.Join(each.Map(s.Anytime, methodName), ", "), false}, {"repeat", repeatText(s.Repeat), false},
		{"ignored", strings.Join(each.Map(s.Ignored, func(c *protocol.Channel) string { return c.Name }), ", "), false}, {"lists", listsText(s.Lists), false},
	}, p.Replication.Pos}
}

// listsText returns the methods by which clients get each list.
func listsText(list []*protocol.ListRoles) string {
	var out []string
	for _, l := range list {
		parts := []string{l.Channel.Name + " at " + l.At.Name + " by " + methodName(l.Method)}
		for _, c := range []*protocol.ListChange{l.Added, l.Removed, l.Updated} {
			if c != nil {
				parts = append(parts, methodName(c.Method))
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
	names := each.Map(list, func(r protocol.RepeatRoles) string { return methodName(r.Method) + " by " + fieldName(r.Key) })
	return strings.Join(names, ", ")
}

func typeName(s *protocol.Struct) string {
	if s == nil {
		return ""
	}
	return s.Name
}

func fieldName(f *protocol.Field) string {
	if f == nil {
		return ""
	}
	return f.Name
}

func methodName(m *protocol.Method) string {
	if m == nil {
		return ""
	}
	return m.Name
}

func codeText(e *protocol.ErrorCode) string {
	if e == nil {
		return ""
	}
	return strconv.FormatInt(e.Code, 10)
}
