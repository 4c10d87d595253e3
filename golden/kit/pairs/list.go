// Lists: what is lost on the way there and back is what the list names, and all that the list names is lost.

package pairs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// listed compares what happens with the list of a pair.
type listed struct {
	*Pair
	named   [2]map[site][]int // by direction: what the list names, as indexes of it
	seen    []bool
	wrong   map[string]int
	compare int                                // values that were compared
	steer   func(state, action map[string]any) // changes both so that something comes of the action
}

// List converts random messages, states and actions there and back in both directions. Each difference is named by the list at
// its place. In a thorough run each line of the list is seen at least once, but for those of which unseen says why not, by what
// they begin with. It returns how many values were compared.
func (p *Pair) List(steer func(state, action map[string]any), unseen map[string]string) int {
	p.Helper()
	l := &listed{Pair: p, seen: make([]bool, len(p.Losses)), wrong: map[string]int{}, steer: steer}
	for way := range verbs {
		l.named[way] = map[site][]int{}
	}
	for i, loss := range p.Losses {
		names := slices.Concat(loss.Members, loss.Alters)
		if loss.Func != "" {
			names = append(names, "*")
		}
		for _, at := range p.matches(loss.At) {
			for _, m := range names {
				s := site{at, m}
				l.named[loss.Direction][s] = append(l.named[loss.Direction][s], i)
			}
		}
	}
	for round := range rounds(8, 300) {
		for way := range verbs {
			l.payloads(way, uint64(round))
			l.states(way, uint64(round))
			l.actions(way, uint64(round))
		}
	}
	if *kit.Thorough {
		l.unseen(unseen)
	}
	return l.compare
}

// matches returns the definitions that a line of the list is about: one, or those that match wildcards.
func (p *Pair) matches(at string) []string {
	if !strings.Contains(at, "*") {
		return []string{at}
	}
	var out []string
	about := inside.Translation{At: at}
	for _, t := range slices.Concat(p.Newer.Types, p.Older.Types) {
		if name := t.Head().Name; about.IsAbout(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// unseen reports lines of the list that were not seen, and reasons for lines that were.
func (l *listed) unseen(reasons map[string]string) {
	l.Helper()
	used := map[string]bool{}
	for i, loss := range l.Losses {
		did := l.did[loss.Func]
		switch string(loss.Kind) {
		case "not sent", "restated": // not converted, or the same
			continue
		case "snapshot", "impossible":
			if l.seen[i] = did[string(loss.Kind)]; loss.Func == "" {
				continue // the other version lacks the message
			}
		case "otherwise":
			l.seen[i] = l.seen[i] || did["changed"]
		}
		if loss.What == "error code" {
			continue
		}
		reason := ""
		for begin := range reasons {
			if strings.HasPrefix(loss.String(), begin) {
				used[begin], reason = true, begin
			}
		}
		switch {
		case !l.seen[i] && reason == "":
			l.Errorf("nothing was seen of: %s", loss)
		case l.seen[i] && reason != "":
			l.Errorf("it was seen: %s, though %s", loss, reasons[reason])
		}
	}
	for begin := range reasons {
		if !used[begin] {
			l.Errorf("the list has nothing that begins with %q", begin)
		}
	}
}

// through compares a value with what became of it there and back.
func (l *listed) through(way int, m *maker, t protocol.Type, path string, value any, back json.RawMessage) {
	l.compare++
	var is any
	require.NoError(l.T, json.Unmarshal(back, &is), "%s", back)
	w := &walk{maker: m}
	w.met = func(sites []site) {
		for _, s := range sites {
			for _, i := range l.named[way][s] {
				l.seen[i] = l.seen[i] || l.Losses[i].Kind == "kept"
			}
		}
	}
	w.differs = func(sites []site, a, b any) {
		l.differs(way, sites, fmt.Sprintf("%s became %s", compact(a), compact(b)))
	}
	w.value(protocol.Ref{Type: t}, spot{path: path}, value, is)
}

// about returns the lines about a place: of it, or of all that is in a member around it.
func (l *listed) about(to int, s site) []int {
	out := slices.Clone(l.named[to][s])
	for i, r := range s.what {
		if r != '.' {
			continue
		}
		for _, j := range l.named[to][site{s.at, s.what[:i]}] {
			if slices.Contains(l.Losses[j].Members, s.what[:i]) {
				out = append(out, j)
			}
		}
	}
	return out
}

// differs notes that something is not the same. A line of the list has to say so.
func (l *listed) differs(way int, sites []site, what string) {
	found := false
	for to := range verbs {
		for _, s := range sites {
			for _, i := range l.about(to, s) {
				loss := l.Losses[i]
				if kind := string(loss.Kind); kind == "dropped" || kind == "lost" || kind == "otherwise" && (loss.Func == "" || s.what == "*") {
					found, l.seen[i] = true, true
				}
			}
		}
	}
	if found {
		return
	}
	at := fmt.Sprint(sites[:min(2, len(sites))])
	if l.wrong[at]++; l.wrong[at] == 1 {
		l.Errorf("%s %s: nothing in the list says that %s", verbs[way], sites, what)
	}
}

func (l *listed) payloads(way int, seed uint64) {
	for _, one := range l.Pair.payloads(way) {
		m := newMaker(seed)
		l.payload(way, m, one, m.of(protocol.Ref{Type: one.is}, "", 0))
	}
}

// payload converts parameters or a result there and back.
func (l *listed) payload(way int, m *maker, one payload, value any) {
	there, back := l.directions(way)
	out, err := one.convert(there, text(l.T, value))
	if errors.Is(err, translate.ErrImpossible) || errors.Is(err, translate.ErrNeedsState) {
		return
	}
	require.NoError(l.T, err, "%s: %s", one, text(l.T, value))
	if out == nil {
		l.gone(way, m, one.is, one.String(), value)
		return
	}
	again, err := one.convert(back, out)
	if errors.Is(err, translate.ErrImpossible) || errors.Is(err, translate.ErrNeedsState) {
		return
	}
	require.NoError(l.T, err, "%s: %s", one, out)
	if again == nil {
		l.gone(way, m, one.is, one.String(), value)
		return
	}
	l.through(way, m, one.is, one.String(), value, again)
}

// gone compares a value with nothing.
func (l *listed) gone(way int, m *maker, t protocol.Type, path string, value any) {
	w := &walk{maker: m, met: func([]site) {}, differs: func([]site, any, any) {}}
	sites := w.inside(protocol.Ref{Type: t}, spot{path: path}, value)
	l.differs(way, sites, fmt.Sprintf("%s is left out", compact(value)))
}

// snapshotOf returns a snapshot with a random state of a channel.
func (l *listed) snapshotOf(p *protocol.Protocol, m *maker, c *protocol.Channel) map[string]any {
	r := p.Replication.Snapshot
	out := m.object(r.Type, deepest)
	out[r.Channel.Name] = "x:/a"
	out[r.State.Name] = m.object(c.State, 1)
	return out
}

func (l *listed) states(way int, seed uint64) {
	from, into := l.sides(way)
	if from.Replication == nil || into.Replication == nil {
		return
	}
	there, back := l.directions(way)
	for i, c := range from.Channels {
		if c.State == nil {
			continue
		}
		m := newMaker(seed*31 + uint64(i))
		value := l.snapshotOf(from, m, c)
		out, err := there.State(text(l.T, value), &translate.Context{})
		require.NoError(l.T, err)
		if out == nil {
			l.gone(way, m, from.Replication.Snapshot.Type, "snapshot", value)
			continue
		}
		again, err := back.State(out, &translate.Context{})
		require.NoError(l.T, err, "%s", out)
		l.through(way, m, from.Replication.Snapshot.Type, "snapshot", value, again)
	}
}

func (l *listed) actions(way int, seed uint64) {
	from, into := l.sides(way)
	if from.Actions == nil || into.Actions == nil || from.Replication == nil {
		return
	}
	for i, a := range from.Actions.Actions {
		if a.Channel == nil || a.Channel.State == nil {
			continue
		}
		state := a.Channel.State
		if j := slices.IndexFunc(l.Newer.Channels, func(c *protocol.Channel) bool { return c.Name == a.Channel.Name }); j >= 0 {
			state = l.Newer.Channels[j].State
		}
		m := newMaker(seed*131 + uint64(i))
		action, known := m.object(a.Struct, 1), m.object(state, 1)
		for _, f := range a.Struct.Fields {
			if slices.ContainsFunc(f.Values, func(v protocol.Value) bool { return v.Str == a.Type }) { // an object of several actions
				action[f.Name] = a.Type
			}
		}
		if l.steer != nil {
			l.steer(known, action)
		}
		l.action(way, m, a, action, text(l.T, known))
		if a.Client {
			l.dispatch(way, m, action)
		}
	}
}

// action converts one there and back. If it does not come back as one, a line of the list is about the action as a whole.
func (l *listed) action(way int, m *maker, a *protocol.Action, action map[string]any, known json.RawMessage) {
	from, _ := l.sides(way)
	there, back := l.directions(way)
	c := func() *translate.Context {
		return &translate.Context{State: func(string) json.RawMessage { return known }, Now: func() time.Time { return time.UnixMilli(9999) }}
	}
	r := from.Replication.Envelope
	union := protocol.As[*protocol.Union](r.Action.Type)
	first := text(l.T, map[string]any{r.Channel.Name: "x:/a", r.Action.Name: action, r.Sequence.Name: 7})
	list := []json.RawMessage{first}
	for _, d := range []*translate.Direction{there, back} {
		out, err := d.Actions(list[0], c())
		if errors.Is(err, translate.ErrImpossible) || errors.Is(err, translate.ErrNeedsState) {
			return
		}
		require.NoError(l.T, err, "%s", list[0])
		if list = out; len(list) != 1 {
			l.gone(way, m, union, r.Action.Name, action)
			return
		}
	}
	var again map[string]json.RawMessage
	require.NoError(l.T, json.Unmarshal(list[0], &again))
	if !strings.Contains(string(again[r.Action.Name]), `"`+a.Type+`"`) { // another one took its place
		l.gone(way, m, union, r.Action.Name, action)
		return
	}
	l.through(way, m, union, r.Action.Name, action, again[r.Action.Name])
}

// dispatch converts an action as a client sends it.
func (l *listed) dispatch(way int, m *maker, action map[string]any) {
	from, _ := l.sides(way)
	r := from.Replication.Dispatch
	for _, one := range l.Pair.payloads(way) {
		if one.is == protocol.Type(r.Type) {
			value := m.object(r.Type, deepest)
			value[r.Action.Name] = action
			l.payload(way, m, one, value)
		}
	}
}
