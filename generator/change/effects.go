// Effects: what actions do to states, including reducers written in Go.

package change

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// rules compares the effects of actions. If effects are stated on one side only, that is reported as one change.
func (c *comparer) rules(pairs [][2]*protocol.Action) {
	var added, removed []string
	for _, pair := range pairs {
		o, n := pair[0], pair[1]
		was, is := c.ruleOf(o), c.ruleOf(n)
		switch {
		case was == is:
			continue
		case was.kind == "":
			added = append(added, n.Type)
			continue
		case is.kind == "":
			removed = append(removed, o.Type)
			continue
		}
		rule, done := RuleChanged, behave.Compare(o, n)
		if done.Runs > 0 {
			rule = RuleRestated
		}
		c.add(rule, was.text, is.text, spot{"action " + o.Type, o.Pos, n.Pos, Place{OldRow: o, NewRow: n}})
		last := &c.out[len(c.out)-1]
		last.Same, last.Proof = done.Runs, done.Proof
	}
	if len(added) > 0 {
		c.add(RuleAdded, "", strings.Join(added, ", "), spot{"rules of actions", diag.Pos{}, actionUnion(c.new).Head().Pos, Place{}})
	}
	if len(removed) > 0 {
		c.add(RuleRemoved, strings.Join(removed, ", "), "", spot{"rules of actions", actionUnion(c.old).Head().Pos, diag.Pos{}, Place{}})
	}
}

// rule returns the kind and text of an action's effect.
type rule struct{ kind, text string }

// Uncompared reports whether nothing shows that a changed rule does something else: it is written in Go on either side,
// and could not be applied to states.
func (c Change) Uncompared() bool {
	return c.Rule == RuleChanged && c.Proof == nil && (strings.HasPrefix(c.From, finished) || strings.HasPrefix(c.To, finished))
}

// The kinds of rules.
const (
	stated   = "effects"
	finished = "finished reducer"
)

func (c *comparer) ruleOf(a *protocol.Action) rule {
	switch {
	case a.Stated:
		return rule{stated, c.effectsText(a.Struct, a.Effects)}
	case a.Finished != "":
		return rule{finished, finished + " " + a.Finished[:min(len(a.Finished), 8)]}
	}
	return rule{}
}

// effectsText describes effects such that different effects have different texts.
func (c *comparer) effectsText(action *protocol.Struct, list []*protocol.Effect) string {
	if len(list) == 0 {
		return "changes nothing"
	}
	var out []string
	for _, e := range list {
		text := e.Do.Text(e.Target.String(), protocol.Telling{
			Effects: func(inside []*protocol.Effect) string { return c.effectsText(action, inside) },
			Members: func(m *protocol.Merge) []string { return c.mergedMembers(action, m) },
		})
		for i, c := range e.When {
			text += []string{" when ", " and "}[min(i, 1)] + c.Text()
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// mergedMembers returns the merged members that exist on both sides. The others are reported as added or removed.
func (c *comparer) mergedMembers(action *protocol.Struct, do *protocol.Merge) []string {
	source := action
	if last := do.From.Last(); last != nil {
		source = protocol.As[*protocol.Struct](last.Type)
	}
	var names []string
	for _, m := range do.Members {
		if source != nil && hasMember(c.old, source.Name, m.From.Name) && hasMember(c.new, source.Name, m.From.Name) {
			names = append(names, m.From.Name)
		}
	}
	slices.Sort(names)
	return names
}

// hasMember reports whether a protocol declares an object with the given member.
func hasMember(p *protocol.Protocol, object, member string) bool {
	s, ok := p.Lookup(object).(*protocol.Struct)
	return ok && s.Field(member) != nil
}
