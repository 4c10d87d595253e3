// The stated lifecycles against the reducers, whoever wrote these. Random sequences of actions show which statuses there
// were before and after each action: every change has to be stated, and everything stated has to happen.

package ahp_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// unlisted stands for every status that this version does not know.
const unlisted = "(unlisted)"

// So many sequences are tried on each channel: the least, and then as many as it takes to see all that is stated.
const leastSequences, mostSequences = 150, 5000

// passage is what an action did to the status of a value. It is "" before the value came, and after it went.
type passage struct{ action, from, to string }

func TestReducersFollowTheLifecycles(t *testing.T) {
	p := statedProtocol(t)
	require.NotEmpty(t, p.Lifecycles)
	for _, c := range channels {
		lives := slices.DeleteFunc(slices.Clone(p.Lifecycles), func(l *protocol.Lifecycle) bool { return l.Channel.Name != c.name })
		seen := map[*protocol.Lifecycle]map[passage]bool{}
		for _, l := range lives {
			seen[l] = map[passage]bool{}
		}
		isUnseen := func(l *protocol.Lifecycle) bool { return len(unseen(l, seen[l])) > 0 }
		for seed := range uint64(mostSequences) {
			if len(lives) == 0 || seed >= leastSequences && seed%10 == 0 && !slices.ContainsFunc(lives, isUnseen) {
				break
			}
			observe(t, p, rand.NewPCG(seed, 1), c, lives, func(l *protocol.Lifecycle, passed passage) {
				seen[l][passed] = true
				if !states(l, passed) {
					t.Fatalf("seed %d: the lifecycle of %s does not say that %q leads from %q to %q", seed, l.Type.Head().Name, passed.action, passed.from, passed.to)
				}
			})
		}
		for _, l := range lives {
			require.Empty(t, unseen(l, seen[l]), "%s: stated, and not among the %d passages that were seen", l.Type.Head().Name, len(seen[l]))
		}
	}
}

// observe tells what a random sequence of actions on a channel does to the values of its lifecycles.
func observe(t *testing.T, p *protocol.Protocol, source rand.Source, c channel, lives []*protocol.Lifecycle, note func(*protocol.Lifecycle, passage)) {
	t.Helper()
	r := newRandom(t, source)
	state := r.state(c)
	object := plain(t, encode(t, state))
	before := statusesIn(lives, object)
	for range stepsPerSequence {
		action := r.action(c, object)
		a := plain(t, encode(t, action))
		if r.meet(p, a, before) {
			action = newAction(t, a)
		}
		next := c.reduce(&ahp.Reducer{}, state, action)
		if next == state {
			continue
		}
		state, object = next, plain(t, encode(t, next))
		after := statusesIn(lives, object)
		for _, l := range lives {
			for _, passed := range passages(text(a, "type"), before[l], after[l]) {
				note(l, passed)
			}
		}
		before = after
	}
}

// meet gives values that an action puts in the place of others the keys of some that there are: otherwise few would meet.
// It reports whether there were any.
func (r *random) meet(p *protocol.Protocol, a jsonObject, there found) (met bool) {
	var lives []*protocol.Lifecycle
	for _, l := range p.Lifecycles {
		replaces := slices.ContainsFunc(l.Transitions, func(t *protocol.Transition) bool { return t.Action == a["type"] && t.As != "" })
		if replaces && len(l.Key) == 1 && len(there[l]) > 0 {
			lives = append(lives, l)
		}
	}
	if len(lives) == 0 {
		return false
	}
	visitor{lives, func(l *protocol.Lifecycle, o jsonObject, _ string) {
		if r.chance(50) {
			o[l.Key[0]], met = oneOf(r, slices.Sorted(maps.Keys(there[l]))...), true
		}
	}}.object(p.Actions.Union, a)
	return met
}

// statedProtocol is what the schemas say of this version.
func statedProtocol(t *testing.T) *protocol.Protocol {
	t.Helper()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: "ahp@" + protocolVersion, Out: t.TempDir()}, &diags)
	require.NoError(t, err)
	p, err := g.Analyze()
	require.NoError(t, err, "%v", diags.Sorted())
	return p
}

// passages pairs the values of a key before an action with those after it, in the order in which they stand. Where
// there are several, and then more or fewer, nobody can tell which is which.
func passages(action string, before, after map[string][]string) (out []passage) {
	for key := range before {
		was, is := before[key], after[key]
		if len(is) == 0 {
			for _, from := range was {
				out = append(out, passage{action, from, ""})
			}
			continue
		}
		for i := 0; i < len(was) && len(was) == len(is); i++ {
			if was[i] != is[i] {
				out = append(out, passage{action, was[i], is[i]})
			}
		}
	}
	for key, is := range after {
		for _, to := range is {
			if len(before[key]) == 0 {
				out = append(out, passage{action, "", to})
			}
		}
	}
	return out
}

// states reports whether a lifecycle says that a passage can happen.
func states(l *protocol.Lifecycle, p passage) bool {
	list := l.Transitions
	switch {
	case p.from == "":
		list = l.Begins
	case p.to == "":
		list = l.Ends
	}
	return slices.ContainsFunc(list, func(t *protocol.Transition) bool {
		from := p.from == "" || slices.Contains(t.From, p.from) || p.from == unlisted && t.Unknown
		to := p.to == "" || slices.Contains(t.To, p.to) || p.to == unlisted && t.As != ""
		return t.Action == p.action && from && to
	})
}

// unseen lists what is stated of a lifecycle and did not happen: each way from a status to another. Where the action
// says to which, each status before it and each after it is enough, and one status of values that it brings.
func unseen(l *protocol.Lifecycle, seen map[passage]bool) (out []string) {
	want := func(t *protocol.Transition, from, to []string) {
		for p := range seen {
			if p.action == t.Action && p.from != p.to && slices.Contains(from, p.from) && slices.Contains(to, p.to) {
				return
			}
		}
		out = append(out, fmt.Sprintf("%s: %q → %q", t.Action, from, to))
	}
	none := []string{""}
	for _, t := range l.Begins {
		if t.As != "" {
			want(t, none, t.To)
			continue
		}
		each(t.To, func(to []string) { want(t, none, to) })
	}
	for _, t := range l.Transitions {
		if t.As != "" {
			each(t.From, func(from []string) { want(t, from, t.To) })
			each(t.To, func(to []string) { want(t, t.From, to) })
			continue
		}
		each(t.From, func(from []string) {
			each(t.To, func(to []string) {
				if from[0] != to[0] {
					want(t, from, to)
				}
			})
		})
	}
	for _, t := range l.Ends {
		each(t.From, func(from []string) { want(t, from, none) })
	}
	return out
}

// each calls a function with each of some names, as a list of one.
func each(names []string, f func([]string)) {
	for i := range names {
		f(names[i : i+1])
	}
}

// found holds the statuses of the values in a state, by lifecycle and key.
type found map[*protocol.Lifecycle]map[string][]string

// statusesIn looks for the values of lifecycles in the state of their channel.
func statusesIn(lives []*protocol.Lifecycle, state jsonObject) found {
	out := found{}
	note := func(l *protocol.Lifecycle, o jsonObject, status string) {
		key := keyOf(l, o)
		out[l][key] = append(out[l][key], status)
	}
	everywhere := visitor{visit: note}
	for _, l := range lives {
		out[l] = map[string][]string{}
		if l.In == nil {
			everywhere.lives = append(everywhere.lives, l)
			continue
		}
		visitor{[]*protocol.Lifecycle{l}, note}.value(l.In.Type, state[l.In.Name])
	}
	if len(everywhere.lives) > 0 {
		everywhere.object(lives[0].Channel.State, state)
	}
	return out
}

// visitor calls a function with each value that has one of some lifecycles, in the order in which they stand.
type visitor struct {
	lives []*protocol.Lifecycle
	visit func(l *protocol.Lifecycle, o jsonObject, status string)
}

// object goes through an object of a type.
func (v visitor) object(t protocol.Type, o jsonObject) {
	for _, l := range v.lives {
		if status, ok := statusOf(l, t, o); ok {
			v.visit(l, o, status)
		}
	}
	switch t := t.(type) {
	case *protocol.Struct:
		for _, field := range t.Fields {
			v.value(field.Type, o[field.Name])
		}
	case *protocol.Union:
		if s := variantOf(t, o); s != nil {
			v.object(s, o)
		}
	}
}

// value goes through a value of any type.
func (v visitor) value(e protocol.Expr, value any) {
	switch e := protocol.Underlying(e).(type) {
	case protocol.List:
		list, _ := value.(jsonList)
		for _, item := range list {
			v.value(e.Elem, item)
		}
	case protocol.Map:
		o, _ := value.(jsonObject)
		for _, key := range slices.Sorted(maps.Keys(o)) {
			v.value(e.Elem, o[key])
		}
	case protocol.Ref:
		if o, ok := value.(jsonObject); ok {
			v.object(e.Type, o)
		}
	}
}

// variantOf is the struct that an object of a union is, nil for one that is not known.
func variantOf(u *protocol.Union, o jsonObject) *protocol.Struct {
	if u.Dispatch == nil { // told apart by the token
		leaves := u.Leaves()
		if len(leaves) == 0 {
			return nil
		}
		return leaves[0]
	}
	for d := u.Dispatch; d != nil; {
		tag := fmt.Sprint(o[d.Member])
		i := slices.IndexFunc(d.Cases, func(c *protocol.Case) bool {
			_, marked := o[c.Marker]
			return marked || slices.ContainsFunc(c.Values, func(v protocol.Value) bool { return v.String() == tag })
		})
		if i < 0 {
			return nil
		}
		if d.Cases[i].Struct != nil {
			return d.Cases[i].Struct
		}
		d = d.Cases[i].Next
	}
	return nil
}

// statusOf is the status of an object of a type, if it is one with a lifecycle.
func statusOf(l *protocol.Lifecycle, t protocol.Type, o jsonObject) (string, bool) {
	for _, stage := range l.Stages {
		if t == protocol.Type(stage.Type) {
			return stage.Name, true
		}
	}
	if t != l.Type {
		return "", false
	}
	if l.Status == nil {
		return listed(l, o[t.(*protocol.Union).Dispatch.Member]), true
	}
	v, ok := o[l.Status.Name]
	if !ok {
		return l.Absent, true
	}
	if ref, _ := protocol.Underlying(l.Status.Type).(protocol.Ref); v != nil {
		if u, ok := ref.Type.(*protocol.Union); ok {
			v = v.(jsonObject)[u.Dispatch.Member]
		}
	}
	return listed(l, v), true
}

func listed(l *protocol.Lifecycle, status any) string {
	if name, ok := status.(string); ok && slices.Contains(l.States, name) {
		return name
	}
	return unlisted
}

// keyOf is what tells an object from others with the same lifecycle.
func keyOf(l *protocol.Lifecycle, o jsonObject) string {
	for i, name := range l.Key {
		if i == len(l.Key)-1 {
			return text(o, name)
		}
		o = inner(o, name)
	}
	return ""
}
