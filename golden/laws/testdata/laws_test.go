// The laws of translation, on random states and actions, and on fixtures. This runs beside a package that speaks older
// versions, and packages of these versions.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laws/ahp"
	"laws/wire/translate"
)

// peer is a package of an older version.
type peer struct {
	version string
	reduce  func(snapshot, action []byte) ([]byte, error)
}

func now() time.Time { return time.UnixMilli(9999) }

// reduce does what the package of the newest version does.
func reduce(snapshot, action []byte) ([]byte, error) {
	s, err := ahp.Decode[ahp.Snapshot](snapshot)
	if err != nil {
		return nil, err
	}
	a, err := ahp.DecodeStateAction(action)
	if err != nil {
		return nil, err
	}
	r := &ahp.Reducer{Now: now}
	s.State = r.Apply(s.State, a)
	return s.AppendJSON(nil)
}

// exception is what a law does not hold for.
type exception struct {
	Law, Versions, Action, Path, Why string // all but Why as patterns
	Where                            string // a pattern of what the state, or anything else about the case, has
	used                             int
}

type pair struct {
	t          *testing.T
	peer       peer
	v          *translate.Version
	newer      *schemas
	older      *schemas
	exceptions []*exception
	failed     map[string]int
	snapshots  map[string]int // actions that needed a snapshot
	ran        map[string]int
}

func TestLaws(t *testing.T) {
	cases, err := strconv.Atoi(os.Getenv("LAWS_CASES"))
	if err != nil {
		t.Fatal(err)
	}
	exceptions := exceptions(t)
	for _, peer := range peers {
		t.Run(peer.version, func(t *testing.T) {
			h := fnv.New64()
			h.Write([]byte(peer.version))
			p := &pair{
				t: t, peer: peer, exceptions: exceptions, failed: map[string]int{}, snapshots: map[string]int{}, ran: map[string]int{},
				newer: load("../schemas/newest", rand.New(rand.NewPCG(1, h.Sum64()))),
				older: load("../schemas/"+peer.version, rand.New(rand.NewPCG(2, h.Sum64()))),
			}
			p.older.counts = peer.version < "0.8.0"
			i := slices.IndexFunc(ahp.Older, func(v *translate.Version) bool { return v.Name == peer.version })
			p.v = ahp.Older[i]
			p.random(cases)
			p.fixtures()
			t.Logf("%s ran: %s; actions that need a snapshot: %s", peer.version, counts(p.ran), counts(p.snapshots))
		})
	}
	for _, e := range exceptions {
		if e.used == 0 && !strings.HasPrefix(e.Law, "host") { // which other tests need
			t.Logf("exception never used: %+v", *e)
			if cases >= 100_000 {
				t.Error("an exception that nothing needs")
			}
		}
	}
}

// exceptions reads what the laws do not hold for.
func exceptions(t *testing.T) (list []*exception) {
	data, err := os.ReadFile("../exceptions.json")
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func counts(m map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(out, ", ")
}

var channels = map[string]string{
	"RootState": "ahp-root://", "SessionState": "ahp-session:/a", "ChatState": "ahp-chat:/a", "TerminalState": "ahp-terminal:/a",
	"ChangesetState": "ahp-changeset:/a", "AnnotationsState": "ahp-session:/a/annotations", "ResourceWatchState": "ahp-resource-watch:/a",
}

// random tries the laws on made-up states and actions: all actions equally often.
func (p *pair) random(n int) {
	type choice struct{ state, action string }
	choices := func(s *schemas, client bool) (out []choice) {
		for _, state := range s.states {
			for _, action := range s.actions[s.prefix[state]] {
				if channels[state] != "" && (!client || s.client[action]) {
					out = append(out, choice{state, action})
				}
			}
		}
		return out
	}
	up, down, back := choices(p.newer, false), choices(p.older, true), choices(p.older, false)
	for i := range n {
		c := up[i%len(up)]
		state := p.newer.state(c.state)
		action := text(p.newer.action(c.action, state))
		p.lowers(snapshotOf(c.state, state), action)
		p.roundTrip(snapshotOf(c.state, state))
		c = down[i%len(down)]
		state = p.newer.state(c.state)
		action = text(p.older.action(c.action, state))
		p.dispatches(snapshotOf(c.state, state), action)
		c = back[i%len(back)]
		state = p.older.state(c.state)
		action = text(p.older.action(c.action, state))
		p.lifts(snapshotOf(c.state, state), action)
	}
}

func snapshotOf(kind string, state object) []byte {
	return text(object{"resource": channels[kind], "state": state, "fromSeq": json.Number("1")})
}

func text(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

func parsed(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("%v: %s", err, data))
	}
	return v
}

func kindOf(action []byte) string {
	s, _ := parsed(action).(object)["type"].(string)
	return s
}

// contextOf is that of a host which has a state.
func contextOf(snapshot []byte) *translate.Context {
	s := parsed(snapshot).(object)
	return &translate.Context{Now: now, State: func(channel string) json.RawMessage {
		if channel == s["resource"] {
			return text(s["state"])
		}
		return nil
	}}
}

func envelope(snapshot, action []byte) []byte {
	s := parsed(snapshot).(object)
	return text(object{"channel": s["resource"], "action": json.RawMessage(action), "serverSeq": 7})
}

// actions converts an action in an envelope.
func actions(d *translate.Direction, snapshot, action []byte) ([][]byte, error) {
	list, err := d.Actions(envelope(snapshot, action), contextOf(snapshot))
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, e := range list {
		var env struct{ Action json.RawMessage }
		if err := json.Unmarshal(e, &env); err != nil {
			return nil, fmt.Errorf("%w: %s", err, e)
		}
		out = append(out, env.Action)
	}
	return out, nil
}

// fold applies actions. Without any, the snapshot still goes through the package.
func fold(f func(snapshot, action []byte) ([]byte, error), snapshot []byte, actions [][]byte) ([]byte, error) {
	snapshot, err := f(snapshot, []byte(`{"type":"nothing/atAll"}`))
	for _, a := range actions {
		if err != nil {
			return nil, err
		}
		snapshot, err = f(snapshot, a)
	}
	return snapshot, err
}

// without converts an action without any state, as when actions are replayed: whatever needs one says so.
func (p *pair) without(d *translate.Direction, snapshot, action []byte) {
	_, err := d.Actions(envelope(snapshot, action), &translate.Context{Now: now})
	if err != nil && !errors.Is(err, translate.ErrNeedsState) && !errors.Is(err, translate.ErrImpossible) {
		p.broken("without a state", kindOf(action), "", fmt.Sprintf("%v\n%s", err, action))
	}
}

// lowers: lower(reduceNew(s, a)) == reduceOld(lower(s), lower(a)).
func (p *pair) lowers(snapshot, action []byte) {
	const law = "lower"
	p.ran[law]++
	newer, err := fold(reduce, snapshot, [][]byte{action})
	if err != nil {
		p.t.Fatalf("made up wrongly: %v\n%s\n%s", err, snapshot, action)
	}
	p.without(&p.v.Lower, snapshot, action)
	list, err := actions(&p.v.Lower, snapshot, action)
	if errors.Is(err, translate.ErrNeedsState) || errors.Is(err, translate.ErrImpossible) {
		p.snapshots[kindOf(action)]++
		return
	}
	before, err2 := p.v.Lower.State(snapshot, &translate.Context{Now: now})
	want, err3 := p.v.Lower.State(newer, &translate.Context{Now: now})
	if err := errors.Join(err, err2, err3); err != nil {
		p.broken(law, kindOf(action), "", fmt.Sprintf("%v\n%s\n%s", err, snapshot, action))
		return
	}
	got, err := fold(p.peer.reduce, before, list)
	want2, err2 := fold(p.peer.reduce, want, nil)
	if err := errors.Join(err, err2); err != nil {
		p.broken(law, kindOf(action), "", fmt.Sprintf("%v\n%s\n%s\n%s", err, before, list, want))
		return
	}
	p.same(law, kindOf(action), got, want2, func() string {
		return fmt.Sprintf("state %s\naction %s\nlowered %s\nas %s", snapshot, action, before, list)
	})
}

// roundTrip: lifting and lowering again changes nothing. Package translations tests that the list names what is lost.
func (p *pair) roundTrip(snapshot []byte) {
	const law = "round trip"
	p.ran[law]++
	lowered, err := p.v.Lower.State(snapshot, &translate.Context{Now: now})
	lifted, err2 := p.v.Lift.State(lowered, &translate.Context{Now: now})
	if err := errors.Join(err, err2); err != nil {
		p.broken(law, "", "", fmt.Sprintf("%v\n%s", err, snapshot))
		return
	}
	again, err := p.v.Lower.State(lifted, &translate.Context{Now: now})
	_, err2 = fold(reduce, lifted, nil)
	if err := errors.Join(err, err2); err != nil {
		p.broken(law, "", "", fmt.Sprintf("%v\n%s\n%s", err, lowered, lifted))
		return
	}
	p.same(law, "", again, lowered, func() string { return fmt.Sprintf("state %s\nlifted %s", snapshot, lifted) })
}

// dispatches: lower(reduceNew(s, lift(a))) == reduceOld(lower(s), a), lower(lift(a)) == a, and what the older version does not
// have stays.
func (p *pair) dispatches(snapshot, action []byte) {
	const law = "dispatch"
	p.ran[law]++
	kind := kindOf(action)
	p.without(&p.v.Lift, snapshot, action)
	lifted, err := actions(&p.v.Lift, snapshot, action)
	before, err2 := p.v.Lower.State(snapshot, &translate.Context{Now: now})
	if err := errors.Join(err, err2); err != nil {
		p.broken(law, kind, "", fmt.Sprintf("%v\n%s\n%s", err, snapshot, action))
		return
	}
	newer, err := fold(reduce, snapshot, lifted)
	if err != nil {
		p.broken(law, kind, "", fmt.Sprintf("%v\n%s\n%s", err, action, lifted))
		return
	}
	want, err := p.v.Lower.State(newer, &translate.Context{Now: now})
	got, err2 := fold(p.peer.reduce, before, [][]byte{action})
	want2, err3 := fold(p.peer.reduce, want, nil)
	if err := errors.Join(err, err2, err3); err != nil {
		p.broken(law, kind, "", fmt.Sprintf("%v\n%s\n%s\n%s", err, before, action, want))
		return
	}
	about := func() string {
		return fmt.Sprintf("state %s\naction %s\nlifted %s\nlowered %s", snapshot, action, lifted, before)
	}
	p.same(law, kind, got, want2, about)
	var echo [][]byte
	current := snapshot
	for _, a := range lifted {
		list, err := actions(&p.v.Lower, current, a)
		if err != nil {
			p.broken("echo", kind, "", fmt.Sprintf("%v\n%s", err, about()))
			return
		}
		echo = append(echo, list...)
		current, _ = fold(reduce, current, [][]byte{a})
	}
	if len(echo) == 0 {
		p.broken("echo", kind, "", "there is none\n"+about())
	} else {
		p.same("echo", kind, echo[len(echo)-1], action, about)
	}
	p.survives(kind, snapshot, newer, about)
}

// lifts: reduceNew(lift(s), lift(a)) == lift(reduceOld(s, a)).
func (p *pair) lifts(snapshot, action []byte) {
	const law = "lift"
	p.ran[law]++
	kind := kindOf(action)
	older, err := fold(p.peer.reduce, snapshot, [][]byte{action})
	if err != nil {
		p.t.Fatalf("made up wrongly: %v\n%s\n%s", err, snapshot, action)
	}
	before, err := p.v.Lift.State(snapshot, &translate.Context{Now: now})
	if err != nil {
		p.broken(law, kind, "", fmt.Sprintf("%v\n%s", err, snapshot))
		return
	}
	list, err := actions(&p.v.Lift, before, action)
	if errors.Is(err, translate.ErrNeedsState) || errors.Is(err, translate.ErrImpossible) {
		p.snapshots["lifted "+kind]++
		return
	}
	want, err2 := p.v.Lift.State(older, &translate.Context{Now: now})
	if err := errors.Join(err, err2); err != nil {
		p.broken(law, kind, "", fmt.Sprintf("%v\n%s\n%s", err, snapshot, action))
		return
	}
	got, err := fold(reduce, before, list)
	want2, err2 := fold(reduce, want, nil)
	if err := errors.Join(err, err2); err != nil {
		p.broken(law, kind, "", fmt.Sprintf("%v\n%s\n%s\n%s", err, before, list, want))
		return
	}
	p.same(law, kind, got, want2, func() string {
		return fmt.Sprintf("state %s\naction %s\nlifted %s\nas %s", snapshot, action, before, list)
	})
}

// survives wants what the older version does not have of a state to be as it was after an action of the older version.
func (p *pair) survives(kind string, snapshot, after []byte, about func() string) {
	whole, err := fold(reduce, snapshot, nil)
	lowered, err2 := p.v.Lower.State(whole, &translate.Context{Now: now})
	lifted, err3 := p.v.Lift.State(lowered, &translate.Context{Now: now})
	if err := errors.Join(err, err2, err3); err != nil {
		return
	}
	p.ran["survival"]++
	for _, at := range gone(parsed(whole), parsed(lifted), parsed(after), "") {
		p.broken("survival", kind, at, about()+"\nafter "+string(after))
	}
}

func (p *pair) same(law, action string, got, want []byte, about func() string) {
	for _, at := range differences(parsed(got), parsed(want), "") {
		p.broken(law, action, at, fmt.Sprintf("%s\ngot  %s\nwant %s", about(), got, want))
	}
}

// broken reports that a law does not hold, once for each action and path.
func (p *pair) broken(law, action, at, text string) {
	if p.excepted(law, action, at, text) {
		return
	}
	key := law + " " + action + " " + at
	if p.failed[key]++; p.failed[key] == 1 {
		if len(text) > 6000 {
			text = text[:6000]
		}
		p.t.Errorf("%s: %s at %s\n%s", law, action, at, text)
	}
}

// excepted reports whether a law need not hold.
func (p *pair) excepted(law, action, at, text string) bool {
	for _, e := range p.exceptions {
		if matches(e.Law, law) && matches(e.Versions, p.peer.version) && matches(e.Action, action) && matches(e.Path, at) &&
			(e.Where == "" || regexp.MustCompile(e.Where).MatchString(text)) {
			e.used++
			return true
		}
	}
	return false
}

func matches(pattern, text string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(text)
}

// fixtures runs the reductions that the older version has fixtures of, lifted through the newer reducers and lowered.
func (p *pair) fixtures() {
	const law = "fixtures"
	files, _ := filepath.Glob(filepath.Join(os.Getenv("CORPUS"), p.peer.version, "fixtures", "reducers", "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		var f struct {
			Reducer           string
			Initial, Expected json.RawMessage
			Actions           []json.RawMessage
		}
		if err := json.Unmarshal(data, &f); err != nil {
			p.t.Fatal(err)
		}
		p.ran[law]++
		kind := strings.ToUpper(f.Reducer[:1]) + f.Reducer[1:] + "State"
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		old := text(object{"resource": channels[kind], "state": f.Initial, "fromSeq": 1})
		snapshot, err := p.v.Lift.State(old, &translate.Context{Now: now})
		if err != nil {
			p.broken(law, name, "", fmt.Sprint(err))
			continue
		}
		for _, action := range f.Actions {
			list, err := actions(&p.v.Lift, snapshot, action)
			if err == nil {
				snapshot, err = fold(reduce, snapshot, list)
			}
			if err != nil {
				p.broken(law, name, "", fmt.Sprintf("%v\n%s\n%s", err, snapshot, action))
				break
			}
			p.ran["fixture steps"]++
		}
		got, err := p.v.Lower.State(snapshot, &translate.Context{Now: now})
		if err == nil {
			got, err = fold(p.peer.reduce, got, nil)
		}
		if err != nil {
			p.broken(law, name, "", fmt.Sprint(err))
			continue
		}
		want, _ := fold(p.peer.reduce, text(object{"resource": channels[kind], "state": f.Expected, "fromSeq": 1}), nil)
		p.same(law, name, got, want, func() string { return string(data) })
	}
}
