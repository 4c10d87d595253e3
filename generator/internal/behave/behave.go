// Package behave compares rules of actions by what they do: it applies both to random states and actions that either
// version accepts.
package behave

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Result is what a comparison has shown.
type Result struct {
	Runs  int             // on how many states both rules have done the same; 0 if they could not be compared
	Proof *Counterexample // where they differ, or nil
}

// Counterexample is a state and an action that two rules lead to different states.
type Counterexample struct {
	State  json.RawMessage `json:"state"`
	Action json.RawMessage `json:"action"`
	Old    json.RawMessage `json:"old"` // the state afterwards by the old rule
	New    json.RawMessage `json:"new"`

	OldPart, NewPart string `json:"-"` // the members in which these differ
}

const (
	runs    = 200
	enough  = 10 // runs in which a rule has to change something
	proofs  = 5  // counterexamples of which the smallest is taken
	maxFull = 0.5
)

// Compare compares the rules of an action in two versions. The same rules always have the same result.
func Compare(old, new *protocol.Action) Result {
	if !has(old) || !has(new) {
		return Result{}
	}
	digest := fnv.New64a()
	digest.Write([]byte(old.Type))
	c := &comparison{old: old, new: new}
	for i := range c.makers {
		c.makers[i].rand = rand.New(rand.NewPCG(digest.Sum64(), 1)) //nolint:gosec // the same states each time
	}
	var best *trial
	same, changed, differs := 0, 0, 0
	unknown := false
	for i := range runs {
		t, made, known := c.trial(i)
		unknown = unknown || made && !known
		switch {
		case !made || !known:
		case !c.differs(t):
			if same++; !reflect.DeepEqual(t.was, t.state) {
				changed++
			}
		default:
			if best == nil || t.size() < best.size() {
				best = &t
			}
			differs++
		}
		if differs == proofs {
			break
		}
	}
	switch {
	case best != nil:
		return Result{Proof: c.shrunk(*best).counterexample()}
	case unknown || changed < enough:
		return Result{}
	}
	return Result{Runs: same}
}

// has reports whether there is a rule that can be applied.
func has(a *protocol.Action) bool {
	return (a.Stated || a.Apply != nil) && a.Struct != nil && a.Channel != nil && a.Channel.State != nil
}

type comparison struct {
	old, new *protocol.Action
	makers   [2]maker // of what the old version has first, and the new: the other way round states are the same
}

// trial is the results of two rules for a state.
type trial struct{ state, action, was, is map[string]any }

// trial makes a state and an action, and applies both rules. It reports whether there are any that both versions accept,
// and whether the results are known.
func (c *comparison) trial(i int) (t trial, made, known bool) {
	m, one, other := &c.makers[i%2], c.old, c.new
	if i%2 == 1 {
		one, other = other, one
	}
	m.full = maxFull * float64(i/2) / (runs / 2) // small ones first
	state, ok := m.object(one.Channel.State, other.Channel.State, 0)
	action, isOne := m.action(one.Struct, other.Struct)
	if !ok || !isOne {
		return trial{}, false, false
	}
	tag(action, c.old)
	t, known = c.try(state, action)
	return t, true, known
}

// try applies both rules to copies.
func (c *comparison) try(state, action map[string]any) (trial, bool) {
	t := trial{state: state, action: action}
	var ok, isKnown bool
	t.was, ok = apply(c.old, state, action)
	t.is, isKnown = apply(c.new, state, action)
	return t, ok && isKnown
}

func apply(a *protocol.Action, state, action map[string]any) (map[string]any, bool) {
	return Apply(a, clone(state).(map[string]any), clone(action).(map[string]any))
}

// Apply applies the rule of an action to a state, both as decoded JSON with integers as int64, and both its own to change.
// It reports whether the result is known.
func Apply(a *protocol.Action, state, action map[string]any) (map[string]any, bool) {
	switch {
	case !has(a):
		return nil, false
	case !a.Stated:
		return a.Apply(state, action)
	}
	r := &reducer{action: action}
	r.apply(a.Effects, state)
	return state, !r.lost
}

// differs reports whether the rules lead to different states, apart from what may be absent in one version and the other
// does not have: that is a change of its own.
func (c *comparison) differs(t trial) bool {
	was, is := maps.Clone(t.was), maps.Clone(t.is)
	old, new := c.old.Channel.State, c.new.Channel.State
	for _, pair := range [][2]*protocol.Struct{{old, new}, {new, old}} {
		for _, f := range pair[0].Fields {
			if !f.Required && pair[1].Field(f.Name) == nil {
				delete(was, f.Name)
				delete(is, f.Name)
			}
		}
	}
	return !reflect.DeepEqual(was, is)
}

// shrunk leaves out what a counterexample can do without.
func (c *comparison) shrunk(t trial) trial {
	without := func(object map[string]any, old, new *protocol.Struct, retry func(map[string]any) (trial, bool)) {
		for _, s := range []*protocol.Struct{old, new} {
			for _, f := range s.Fields {
				if _, there := object[f.Name]; !there || required(old, f.Name) || required(new, f.Name) {
					continue
				}
				smaller := maps.Clone(object)
				delete(smaller, f.Name)
				if next, ok := retry(smaller); ok && c.differs(next) {
					t, object = next, smaller
				}
			}
		}
	}
	without(t.state, c.old.Channel.State, c.new.Channel.State, func(s map[string]any) (trial, bool) { return c.try(s, t.action) })
	without(t.action, c.old.Struct, c.new.Struct, func(a map[string]any) (trial, bool) { return c.try(t.state, a) })
	for _, object := range []map[string]any{t.state, t.action} {
		shorten(object, func([]any) {}, func() bool {
			next, ok := c.try(t.state, t.action)
			if ok = ok && c.differs(next); ok {
				t = next
			}
			return ok
		})
	}
	return t
}

// shorten leaves items out of all lists in a value, one at a time, and puts back those that it cannot do without. A list in its
// place is set by put.
func shorten(v any, put func([]any), does func() bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			shorten(v[name], func(list []any) { v[name] = list }, does)
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- {
			fewer := slices.Delete(slices.Clone(v), i, i+1)
			put(fewer)
			if does() {
				v = fewer
			} else {
				put(v)
			}
		}
		for i := range v {
			shorten(v[i], func(list []any) { v[i] = list }, does)
		}
	}
}

func required(s *protocol.Struct, name string) bool {
	f := s.Field(name)
	return f != nil && f.Required
}

func (t *trial) size() int { return len(text(t.state)) + len(text(t.action)) }

func (t trial) counterexample() *Counterexample {
	out := &Counterexample{State: text(t.state), Action: text(t.action), Old: text(t.was), New: text(t.is)}
	was, is := maps.Clone(t.was), maps.Clone(t.is)
	for name, v := range t.was {
		if other, ok := t.is[name]; ok && reflect.DeepEqual(v, other) {
			delete(was, name)
			delete(is, name)
		}
	}
	out.OldPart, out.NewPart = string(text(was)), string(text(is))
	return out
}

// Clone returns a deep copy of a state.
func Clone(state map[string]any) map[string]any { return clone(state).(map[string]any) }

// text returns JSON with sorted members.
func text(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // all values are JSON
	}
	return data
}

// clone returns a copy that shares nothing with the value.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = clone(item)
		}
		return out
	case []any:
		return append([]any{}, each.Map(v, clone)...)
	}
	return v
}
