// Effects: stated effects of actions, checked against the types of their states.

package behaviour

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// effects reads the effects of all actions.
func (b *builder) effects() {
	if b.out.Actions == nil || b.of.Actions.Clashing {
		return // it is undecided which state an action changes
	}
	byType, byDefinition := map[string]*facts.Effects{}, map[string]*facts.Effects{}
	for _, e := range b.Facts.Effects {
		if e.Action == "" {
			byDefinition[e.Definition] = e
			continue
		}
		if first := byType[e.Action]; first != nil {
			b.Errorf(e.Pos, "duplicate-effects", fmt.Sprintf("the other entry stands at %s", first.Pos),
				"the effects of %q are stated twice", e.Action)
			continue
		}
		byType[e.Action] = e
	}
	for _, a := range b.out.Actions.Actions {
		b.Working(a.Pos)
		e := byType[a.Type]
		if statement := b.of.Actions.Stated.Of(a.Struct); e == nil && statement != nil {
			e = byDefinition[statement.Definition]
		}
		if e == nil {
			continue
		}
		b.Used.Add(e)
		if a.Channel == nil {
			continue // reported: the action has no channel
		}
		if a.Channel.State == nil {
			b.Errorf(e.Steps.Pos, "bad-effect", "describe the channel and its state, or take the effects away",
				"%q has effects, but its channel, %s, has no state", a.Type, a.Channel.Name)
			continue
		}
		if b.of.Types.Broken[a.Channel.State] || b.of.Types.Broken[a.Struct] {
			continue // reported if a member is dangling
		}
		b.readEffects(a, e)
	}
}

// readEffects reads the effects of one action. If they do not fit, the reducer is not generated.
func (b *builder) readEffects(a *protocol.Action, stated *facts.Effects) {
	b.fitting(stated, "bad-effect", "effects of "+a.Type, func(b *builder) {
		r := &effectReader{Work: b.Work, action: a.Struct}
		a.Stated, a.Effects = true, r.list(stated.Steps, a.Channel.State)
	}, func() { a.Stated, a.Effects = false, nil })
}

// effectReader reads the effects of one action. What cannot be read ends the effect that it is in: stop panics, and effect
// recovers.
type effectReader struct {
	*phase.Work
	action  *protocol.Struct
	stopped bool
}

// stop ends the effect that is being read.
func (r *effectReader) stop() {
	r.stopped = true
	panic("an effect is left out")
}

// refuse reports what is wrong with an effect, and ends it.
func (r *effectReader) refuse(n *schema.Node, hint, format string, args ...any) {
	r.errorf(n, hint, format, args...)
	r.stop()
}

func (r *effectReader) errorf(n *schema.Node, hint, format string, args ...any) {
	r.Errorf(n.Pos, "bad-effect", cmp.Or(hint, "correct the effect, or write this reducer by hand"), format, args...)
}

// verb describes a kind of effect: its members besides the verb and "when", and how they are read.
type verb struct {
	name   string
	beside []string
	read   func(*effectReader, statement) protocol.Operation
}

// statement is one stated effect.
type statement struct {
	n, at  *schema.Node // the effect and its target
	target protocol.Path
	on     *protocol.Struct
	when   []*protocol.Condition
}

// verbs are the kinds of effects.
func verbs() []verb {
	return []verb{
		{"set", []string{"from", "value"}, (*effectReader).set},
		{"clear", nil, (*effectReader).clear},
		{"flag", []string{"bits", "mask", "from"}, (*effectReader).flag},
		{"upsert", []string{"key", "from"}, (*effectReader).upsert},
		{"remove", []string{"key", "from", "every", "then"}, (*effectReader).remove},
		{"merge", []string{"from", "except", "replace"}, (*effectReader).merge},
		{"patch", []string{"key", "from", "variant", "every", "effects"}, (*effectReader).patch},
		{"append", []string{"from"}, (*effectReader).append},
		{"reorder", []string{"key", "from", "complete"}, (*effectReader).reorder},
		{"exchange", []string{"key", "from", "old"}, (*effectReader).exchange},
	}
}

// list reads effects on an object. Invalid ones are reported and omitted.
func (r *effectReader) list(n *schema.Node, on *protocol.Struct) []*protocol.Effect {
	if r.At(n.Pos) {
		return nil
	}
	var out []*protocol.Effect
	for _, item := range n.Items {
		if e := r.effect(item, on); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// effect reads one effect. It returns nil on error.
func (r *effectReader) effect(n *schema.Node, on *protocol.Struct) (e *protocol.Effect) {
	if r.Reported(n) {
		return nil
	}
	defer func() {
		if r.stopped { // otherwise it is a crash, which is reported as such
			r.stopped, e = false, nil
			_ = recover()
		}
	}()
	v := r.verb(n)
	e = &protocol.Effect{When: r.conditions(n.Get("when"), on)}
	at := n.Get(v.name)
	e.Target = r.path(at, on)
	if len(e.Target) == 0 && v.name != "merge" {
		r.refuse(at, "name a member", "only merge works on the object as a whole")
	}
	e.Do = r.operation(v, statement{n, at, e.Target, on, e.When})
	return e
}

// verb determines the verb of an effect, which has one by the vocabulary, and rejects members of other verbs.
func (r *effectReader) verb(n *schema.Node) verb {
	all := verbs()
	found := all[slices.IndexFunc(all, func(v verb) bool { return n.Get(v.name) != nil })]
	ok := true
	for _, m := range n.Members {
		if m.Key != found.name && m.Key != "when" && !slices.Contains(found.beside, m.Key) {
			r.Errorf(m.KeyPos, "bad-effect", "take it away", "%s has no %q", found.name, m.Key)
			ok = false
		}
	}
	if !ok {
		r.stop()
	}
	return found
}

// operation reads an effect by its verb.
func (r *effectReader) operation(v verb, s statement) protocol.Operation {
	for _, f := range s.target {
		if f.Nullable {
			r.refuse(s.at, "write this reducer by hand", "%s may be null, which effects cannot tell from absent", f.Name)
		}
	}
	return v.read(r, s)
}

// path reads a dotted path, or "." for the object itself.
func (r *effectReader) path(n *schema.Node, on *protocol.Struct) protocol.Path {
	if n.Text == "." {
		return protocol.Path{}
	}
	var out protocol.Path
	s := on
	for _, name := range strings.Split(n.Text, ".") {
		if s == nil {
			r.refuse(n, "write the effect with patch, or by hand", "%s is no object, so %s cannot be inside it", out.Last().Name, name)
		}
		f := s.Field(name)
		if f == nil {
			r.refuse(n, phase.MemberHint(s), "%s has no member %q", s.Name, name)
		}
		if f.Const != nil {
			r.refuse(n, "", "%s of %s always is %q", name, s.Name, f.Const.String())
		}
		out = append(out, f)
		s = phase.StructOf(f.Type)
	}
	return out
}

// from reads the member "from": a path in the action through members that are always present.
func (r *effectReader) from(n *schema.Node) (protocol.Path, *schema.Node) {
	return r.actionPath(n, "from")
}

// actionPath reads the path in the action that a member of an effect or a condition states, and returns it with the member.
func (r *effectReader) actionPath(n *schema.Node, key string) (protocol.Path, *schema.Node) {
	at := n.Get(key)
	if at == nil {
		r.refuse(n, `add "`+key+`" with the name of a member of the action`, "nothing says which member of %s is meant", r.action.Name)
	}
	path := r.path(at, r.action)
	for i, f := range path {
		if f.Nullable || i < len(path)-1 && !f.Required {
			r.refuse(at, "write this reducer by hand", "%s may be null or missing on the way", f.Name)
		}
	}
	return path, at
}

// required rejects an optional action member where a value is needed.
func (r *effectReader) required(at *schema.Node, path protocol.Path) {
	if f := path.Last(); f != nil && !f.Required {
		r.refuse(at, "", "%s of %s may be missing", f.Name, r.action.Name)
	}
}
