// Lifecycles: where actions are stated to lead a value that has a status, checked against actions and types.

package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// lifecycles reads what is stated about values with a status.
func (b *builder) lifecycles() {
	for _, stated := range b.facts.Lifecycles {
		def := b.set.Lookup(stated.At)
		if def == nil {
			continue // reported as matching nothing, if it is a mistake
		}
		b.used.Add(stated)
		b.diags.Working(stated.Pos)
		var own diag.List
		r := &lifeReader{b: b, diags: b.diags}
		if stated.Source == facts.Embedded {
			r.diags = &own
		}
		life := r.read(stated, b.types[def])
		if own.HasErrors() {
			fit.Mismatch(stated, b.diags, "bad-lifecycle", "", "what the profile states about the life of %s does not fit these schemas: %s", stated.At, own.Sorted()[0].Message)
			continue
		}
		if life != nil {
			b.out.Lifecycles = append(b.out.Lifecycles, life)
		}
	}
}

// lifeReader reads one lifecycle.
type lifeReader struct {
	b     *builder
	diags *diag.List
}

func (r *lifeReader) errorf(n *schema.Node, hint, format string, args ...any) {
	r.diags.Errorf(n.Pos, "bad-lifecycle", hint, format, args...)
}

// anything stands for every status, or for the one that an action brings.
const anything = "*"

func (r *lifeReader) read(stated *facts.Lifecycle, t protocol.Type) *protocol.Lifecycle {
	n := stated.Node
	if n.Kind != schema.Object || r.diags.At(n.Pos) {
		return nil // said where its form was checked
	}
	out := &protocol.Lifecycle{Type: t, By: n.Get("by").Str(), Pos: n.Pos}
	if !r.statuses(n, out) {
		return nil
	}
	moves := n.Get("moves")
	if moves == nil {
		return nil
	}
	for _, item := range moves.Items {
		if m := r.move(item, out); m != nil {
			out.Moves = append(out.Moves, m)
		}
	}
	return out
}

// statuses finds the values that the status can have, and reports where it has none.
func (r *lifeReader) statuses(n *schema.Node, out *protocol.Lifecycle) bool {
	at := n
	if by := n.Get("by"); by != nil {
		at = by
	}
	name := out.Type.Head().Name
	switch t := out.Type.(type) {
	case *protocol.Union:
		if t.Kind != protocol.Tagged || t.Dispatch == nil || t.Dispatch.Kind != protocol.String {
			r.errorf(n, "state it of an object, or of a union whose variants have a constant text each", "the variants of %s are not told apart by a status", name)
			return false
		}
		if out.By == "" {
			out.By = t.Dispatch.Member
		}
		if out.By != t.Dispatch.Member {
			r.errorf(at, fmt.Sprintf("write %q, or leave it out", t.Dispatch.Member), "the variants of %s are told apart by %q, not by %q", name, t.Dispatch.Member, out.By)
			return false
		}
		for _, c := range t.Dispatch.Cases {
			for _, v := range c.Values {
				out.Statuses = append(out.Statuses, v.Str)
			}
		}
	case *protocol.Struct:
		return r.member(n, at, t, out)
	default:
		r.errorf(n, "state it of the object or union that has the status", "%s is neither an object nor a union", name)
		return false
	}
	return len(out.Statuses) > 0
}

// member finds the statuses of an object by the type of the member that holds them.
func (r *lifeReader) member(n, at *schema.Node, t *protocol.Struct, out *protocol.Lifecycle) bool {
	if out.By == "" {
		r.errorf(n, `name it: "by": "…"`, "nothing says which member of %s holds the status", t.Name)
		return false
	}
	f := t.Field(out.By)
	if f == nil {
		var names []string
		for _, f := range t.Fields {
			names = append(names, f.Name)
		}
		r.errorf(at, meant(out.By, names, "name one of its members"), "%s has no member %q", t.Name, out.By)
		return false
	}
	ref, _ := protocol.Underlying(f.Type).(protocol.Ref)
	switch of := ref.Type.(type) {
	case *protocol.Enum:
		if of.Kind == protocol.String {
			for _, m := range of.Members {
				out.Statuses = append(out.Statuses, m.Value.Str)
			}
		}
	case *protocol.Union:
		if of.Kind == protocol.Tagged && of.Dispatch != nil {
			r.errorf(at, fmt.Sprintf("state it of %s", of.Name), "%s.%s has a status of its own", t.Name, f.Name)
			return false
		}
	}
	if len(out.Statuses) == 0 {
		r.errorf(at, "name a member that is an enum of texts", "%s.%s has no statuses: its type is no enum of texts", t.Name, f.Name)
		return false
	}
	return true
}

// meant is a hint that names what is nearest to a word, or else says what to do.
func meant(word string, words []string, otherwise string) string {
	if near := schema.NearestOf(word, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

func (r *lifeReader) move(n *schema.Node, life *protocol.Lifecycle) *protocol.Move {
	action := n.Get("action")
	if n.Kind != schema.Object || action == nil || r.diags.At(n.Pos) {
		return nil
	}
	out := &protocol.Move{Action: action.Text, When: n.Get("when").Str(), Position: n.Pos}
	var types []string
	found := false
	if r.b.out.Actions != nil {
		for _, a := range r.b.out.Actions.Actions {
			types = append(types, a.Type)
			if a.Type == action.Text {
				found, out.Channel = true, a.Channel
			}
		}
	}
	if !found {
		r.errorf(action, meant(action.Text, types, "write the type of one of the actions"), "there is no action %q", action.Text)
		return nil
	}
	var ok, same bool
	if out.From, out.Any, ok = r.list(n.Get("from"), life); !ok {
		return nil
	}
	if out.To, out.Brings, same = r.list(n.Get("to"), life); !same {
		return nil
	}
	if out.New() && out.Gone() {
		r.errorf(n, `write "from", "to" or both`, "%s leads from nowhere to nowhere", action.Text)
		return nil
	}
	return out
}

// list reads statuses; ok is false if one of them is none.
func (r *lifeReader) list(n *schema.Node, life *protocol.Lifecycle) (out []string, all, ok bool) {
	if n == nil {
		return nil, false, true
	}
	ok = true
	for _, item := range n.Items {
		switch {
		case item.Text == anything && len(n.Items) == 1:
			return nil, true, true
		case item.Text == anything:
			r.errorf(item, "write it alone", "an asterisk stands for all statuses, and there are others beside it")
			ok = false
		case !slices.Contains(life.Statuses, item.Text):
			r.errorf(item, meant(item.Text, life.Statuses, "there is "+strings.Join(life.Statuses, ", ")), "%s has no status %q", life.Type.Head().Name, item.Text)
			ok = false
		default:
			out = append(out, item.Text)
		}
	}
	return out, false, ok
}
