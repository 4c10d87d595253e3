// Lifecycles: the status transitions that actions cause.

package change

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// lifecycles compares types that have a status on both sides. Lifecycles stated on one side only are one change.
func (c *comparer) lifecycles() {
	var added, removed []string
	var addedAt, removedAt diag.Pos
	join(c.old.Lifecycles, c.new.Lifecycles, lifecycleName,
		func(o *protocol.Lifecycle) {
			if hasStatus(c.new, o) {
				removed, removedAt = append(removed, lifecycleName(o)), o.Pos
			}
		},
		func(n *protocol.Lifecycle) {
			if hasStatus(c.old, n) {
				added, addedAt = append(added, lifecycleName(n)), n.Pos
			}
		},
		c.lifecycle)
	if len(added) > 0 {
		c.add(LifecycleAdded, "", strings.Join(added, ", "), spot{subject: "lifecycles", new: addedAt})
	}
	if len(removed) > 0 {
		c.add(LifecycleRemoved, strings.Join(removed, ", "), "", spot{subject: "lifecycles", old: removedAt})
	}
}

// hasStatus reports whether the protocol has the subject of the other side's lifecycle.
func hasStatus(p *protocol.Protocol, l *protocol.Lifecycle) bool {
	t := p.Lookup(lifecycleName(l))
	s, ok := t.(*protocol.Struct)
	return t != nil && (l.Status == nil || ok && s.Field(l.Status.Name) != nil)
}

func lifecycleName(l *protocol.Lifecycle) string { return l.Type.Head().Name }

// lifecycle compares transitions between statuses by actions present on both sides.
func (c *comparer) lifecycle(o, n *protocol.Lifecycle) {
	common := inBoth(o.States, n.States)
	join(c.old.AllActions(), c.new.AllActions(), func(a *protocol.Action) string { return a.Type }, func(*protocol.Action) {}, func(*protocol.Action) {},
		func(before, after *protocol.Action) {
			was, is := passages(o, before.Type, common), passages(n, after.Type, common)
			if was != is {
				c.add(LifecycleChanged, was, is, spot{"lifecycle " + lifecycleName(o) + " " + before.Type, o.Pos, n.Pos, Place{OldRow: before, NewRow: after}})
			}
		})
}

// passages describes in one line the transitions an action causes.
func passages(l *protocol.Lifecycle, action string, common []string) string {
	var out []string
	for _, to := range common {
		if hasBegin(l, action, to) {
			out = append(out, "begins as "+to)
		}
	}
	for _, to := range common {
		from := sources(l.Transitions, action, common, func(t *protocol.Transition) bool { return slices.Contains(t.To, to) })
		if from = slices.DeleteFunc(from, func(name string) bool { return name == to }); len(from) > 0 {
			out = append(out, strings.Join(from, " or ")+" to "+to)
		}
	}
	if from := sources(l.Ends, action, common, func(*protocol.Transition) bool { return true }); len(from) > 0 {
		out = append(out, "ends "+strings.Join(from, " or "))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

func hasBegin(l *protocol.Lifecycle, action, to string) bool {
	return slices.ContainsFunc(l.Begins, func(t *protocol.Transition) bool { return t.Action == action && slices.Contains(t.To, to) })
}

// sources returns the source statuses of an action's transitions.
func sources(list []*protocol.Transition, action string, common []string, which func(*protocol.Transition) bool) []string {
	var out []string
	for _, t := range list {
		if t.Action == action && which(t) {
			out = append(out, t.From...)
		}
	}
	return inBoth(common, out)
}

// inBoth returns the elements of both lists in the order of the first.
func inBoth(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !slices.Contains(other, name) })
}
