// Transitions: the steps of a lifecycle.

package behaviour

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// transitions reads a list of transitions. Invalid ones are reported and omitted.
func (r *lifeReader) transitions(n *schema.Node, read func(*schema.Node, *protocol.Transition)) []*protocol.Transition {
	if n == nil {
		return nil
	}
	var out []*protocol.Transition
	for _, item := range n.Items {
		at := item.Get("action")
		t := &protocol.Transition{Action: at.Text, When: item.Get("when").Str(), Pos: item.Pos}
		if r.b.Exhausted() {
			return nil
		}
		if !r.action(at) {
			continue
		}
		read(item, t)
		r.twice(item, t)
		out = append(out, t)
	}
	return out
}

// action checks that an action exists and belongs to the lifecycle's channel.
func (r *lifeReader) action(at *schema.Node) bool {
	list := r.actions[at.Text]
	if list == nil {
		names := slices.Sorted(maps.Keys(r.actions))
		r.errorf(at.Pos, similar.DidYouMean(at.Text, names, "name an action by its type"), "there is no action %q", at.Text)
		return false
	}
	ch := list[0].Channel
	if ch == nil {
		r.failed = true
		return false // reported: the action has no channel
	}
	if ch.State != nil && r.holds(ch.State) {
		if r.out.Channel == nil {
			r.out.Channel = ch
		}
		if r.out.Channel != ch {
			r.errorf(at.Pos, "name an action of "+r.out.Channel.Name+": what other channels have are other values", "%q is an action of %s, and the lifecycle is about %s", at.Text, ch.Name, r.out.Channel.Name)
		}
		return r.out.Channel == ch
	}
	var others []string
	for _, other := range r.b.out.Channels {
		if other.State != nil && r.holds(other.State) {
			others = append(others, other.Name)
		}
	}
	hint := "no state of a channel has one"
	if len(others) > 0 {
		hint = "name an action of " + strings.Join(others, " or ")
	}
	r.errorf(at.Pos, hint, "%q is an action of %s, where no %s is", at.Text, ch.Name, r.name())
	return false
}

// holds reports whether values may be within a type.
func (r *lifeReader) holds(t protocol.Type) bool {
	return r.inside(r.out.Type, t) || slices.ContainsFunc(r.out.Stages, func(s *protocol.Stage) bool { return r.inside(s.Type, t) })
}

// inside reports whether values of one type may be within another.
func (r *lifeReader) inside(inner, outer protocol.Type) bool {
	found := r.holders[inner]
	if found == nil {
		found = graph.Reached([]protocol.Type{inner}, func(t protocol.Type) []protocol.Type { return r.users[t] })
		r.holders[inner] = found
	}
	return found[outer]
}

// begin reads an action that creates values.
func (r *lifeReader) begin(n *schema.Node, t *protocol.Transition) {
	r.target(n, t)
	if to := n.Get("to"); to != nil {
		for _, name := range t.To {
			if !slices.Contains(r.out.Initial, name) {
				r.errorf(to.Pos, "add it to initial", "%s begins as %q by %q, which is not among what it begins with", r.name(), name, t.Action)
			}
		}
	}
}

// transition reads an action that changes the status. From keeps the statuses that can change.
func (r *lifeReader) transition(n *schema.Node, t *protocol.Transition) {
	r.source(n, t)
	r.target(n, t)
	changes := func(from string) bool { return slices.ContainsFunc(t.To, func(to string) bool { return to != from }) }
	if from := n.Get("from"); from != nil && len(t.To) > 0 {
		for _, name := range t.From {
			if !changes(name) {
				r.errorf(from.Pos, "leave out "+name, "%q leads from %q to %q, which is no change of status", t.Action, name, name)
			}
		}
	}
	t.From = slices.DeleteFunc(t.From, func(from string) bool { return !changes(from) })
}

// end reads an action that removes values.
func (r *lifeReader) end(n *schema.Node, t *protocol.Transition) { r.source(n, t) }

// source reads the source statuses of a transition.
func (r *lifeReader) source(n *schema.Node, t *protocol.Transition) {
	from, except := n.Get("from"), n.Get("except")
	switch {
	case from != nil && except != nil:
		r.errorf(except.Pos, "keep one of the two", "the transition says both from what and from what not")
	case from != nil:
		t.From = r.statuses(from)
	default:
		t.From, t.Unknown = slices.Clone(r.out.States), r.out.Open
		if except != nil {
			but := r.statuses(except)
			t.From = slices.DeleteFunc(t.From, func(name string) bool { return slices.Contains(but, name) })
		}
	}
}

// target reads the target statuses of a transition.
func (r *lifeReader) target(n *schema.Node, t *protocol.Transition) {
	if at := n.Get("to"); at != nil {
		t.To = r.statuses(at)
		return
	}
	at := n.Get("as")
	t.As = at.Text
	for _, a := range r.actions[t.Action] {
		if f := r.memberOf(at, a.Struct); f != nil {
			r.says(at, f, t)
		}
	}
	t.To = inOrder(t.To, r.out.States)
}

// memberOf resolves a path in an action, whose members may be optional.
func (r *lifeReader) memberOf(at *schema.Node, s *protocol.Struct) *protocol.Field {
	var f *protocol.Field
	for name := range strings.SplitSeq(at.Text, ".") {
		if s == nil {
			r.errorf(at.Pos, "end the path there", "%s is no object, so %s cannot be inside it", f.Name, name)
			return nil
		}
		if r.b.of.Types.Broken[s] {
			r.failed = true
			return nil // reported: a dangling member
		}
		of := s
		if f = s.Field(name); f == nil {
			r.errorf(at.Pos, similar.DidYouMean(name, phase.FieldNames(of), phase.MemberHint(of)), "%s has no member %q", of.Name, name)
			return nil
		}
		s = phase.StructOf(f.Type)
	}
	return f
}

// says adds the statuses that a member of an action can lead to: it is a status, or contains values with one.
func (r *lifeReader) says(at *schema.Node, f *protocol.Field, t *protocol.Transition) {
	names, _, ok := statusesOf(f.Type)
	if ok && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.own, name) }) {
		t.To = append(t.To, names...)
		if !f.Required && r.out.Absent != "" {
			t.To = append(t.To, r.out.Absent)
		}
		return
	}
	held := protocol.Held(f.Type)
	if held == nil || !r.holds(held) {
		r.errorf(at.Pos, "name a member that is a status, or that such values are in", "%s is %s, which tells no status of %s", f.Name, phase.Describe(f.Type), r.name())
		return
	}
	if r.inside(r.out.Type, held) {
		t.To = append(t.To, r.own...)
		if r.out.Absent != "" {
			t.To = append(t.To, r.out.Absent)
		}
	}
	for _, stage := range r.out.Stages {
		if r.inside(stage.Type, held) {
			t.To = append(t.To, stage.Name)
		}
	}
}

// inOrder returns the elements of both lists in the order of the second.
func inOrder(list, order []string) []string {
	return slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !slices.Contains(list, name) })
}

// twice reports duplicate transitions.
func (r *lifeReader) twice(n *schema.Node, t *protocol.Transition) {
	from, to := t.From, t.To
	if n.Get("to") == nil && n.Get("as") == nil {
		to = []string{""}
	} else if len(from) == 0 {
		from = []string{""}
	}
	if !r.b.Repeat(n.Pos, len(from)*len(to), "statuses", r.name()) {
		r.failed = true
		return
	}
	for _, f := range from {
		for _, name := range to {
			if f == name {
				continue // unchanged
			}
			s := passage{t.Action, f, name}
			if first := r.seen[s]; first != nil {
				r.errorf(n.Pos, "say it once; the other stands at "+first.Pos.String(), "what %q does to %q is stated twice", t.Action, cmp.Or(f, name))
				return
			}
			r.seen[s] = n
		}
	}
}
