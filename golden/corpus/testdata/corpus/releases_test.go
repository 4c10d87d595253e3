// Tests of the packages of all releases on the fixtures of each. The corpus test copies this file into a module with the
// packages and a table of what they do, and runs it there.
package corpus

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// value is anything generated.
type value interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// marshalled is a value that encoding/json encodes.
type marshalled struct{ of any }

func (m marshalled) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(m.of)
	return append(dst, text...), err
}

// release is the package of a release.
type release struct {
	version  string
	decoders map[string]func([]byte) (value, error)
	reduce   func(state, action value, now time.Time) value
}

// borrowed says which fixtures a release gets of which the corpus has none: those of channels that are alike in both.
var borrowed = map[string]string{"0.5.0": "0.4.0", "0.5.1": "0.4.0"}

var states = map[string]string{
	"root": "RootState", "session": "SessionState", "chat": "ChatState", "terminal": "TerminalState",
	"changeset": "ChangesetState", "resourceWatch": "ResourceWatchState", "annotations": "AnnotationsState",
}

type reduction struct {
	Reducer           string
	Initial, Expected json.RawMessage
	Actions           []json.RawMessage
}

// withoutFixtures are versions that the corpus has no fixtures of, nor of one like it.
var withoutFixtures = map[string]bool{"1.0.0": true}

// TestCases runs what fixtures do not show: each case says for which versions it holds.
func TestCases(t *testing.T) {
	data, err := os.ReadFile("cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Shows    string
		Versions []string
		reduction
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, c := range cases {
		for _, version := range c.Versions {
			i := slices.IndexFunc(releases, func(r release) bool { return r.version == version })
			if i < 0 {
				t.Fatalf("%s: there is no %s", c.Shows, version)
			}
			ran[version]++
			t.Run(version+" "+c.Shows, func(t *testing.T) { releases[i].follows(t, c.reduction) })
		}
	}
	for _, r := range releases {
		t.Logf("%s ran: %d cases", r.version, ran[r.version])
		if ran[r.version] == 0 {
			t.Errorf("there are no cases for %s", r.version)
		}
	}
}

func TestReductions(t *testing.T) {
	for _, r := range releases {
		if withoutFixtures[r.version] {
			continue
		}
		t.Run(r.version, func(t *testing.T) {
			from, lent := borrowed[r.version]
			if !lent {
				from = r.version
			}
			steps, ran, types := 0, 0, map[string]bool{}
			all := fixtures[reduction](t, from, "reducers")
			for _, name := range slices.Sorted(maps.Keys(all)) {
				f := all[name]
				if lent && f.Reducer == "session" {
					continue
				}
				ran++
				t.Run(name, func(t *testing.T) {
					steps += len(f.Actions)
					for _, action := range f.Actions {
						types[typeOf(t, action)] = true
					}
					r.follows(t, f)
				})
			}
			t.Logf("%s ran: %d reductions of the fixtures for %s, in %d steps, with %d types of actions", r.version, ran, from, steps, len(types))
			if ran < 30 {
				t.Error("there are few of them")
			}
		})
	}
}

// follows checks that states and actions come out as they went in, and that the actions lead to the state expected.
func (r release) follows(t *testing.T, f reduction) {
	t.Helper()
	state := r.through(t, states[f.Reducer], f.Initial)
	r.through(t, states[f.Reducer], f.Expected)
	before := encoded(t, state)
	now := time.UnixMilli(9999)
	next := state
	for _, data := range f.Actions {
		action := r.through(t, "StateAction", data)
		text := encoded(t, next)
		after := r.reduce(next, action, now)
		if now := encoded(t, next); !bytes.Equal(text, now) {
			t.Errorf("%s changes the state that it is given\nfrom %s\nto %s", data, text, now)
		}
		next = after
	}
	if got := encoded(t, next); !reflect.DeepEqual(plain(t, got), plain(t, f.Expected)) {
		t.Errorf("got %s\nwant %s", got, f.Expected)
	}
	if !bytes.Equal(before, encoded(t, state)) {
		t.Error("the first state has changed")
	}
}

// through decodes a value, and wants it to come out as it went in.
func (r release) through(t *testing.T, name string, data []byte) value {
	t.Helper()
	decode := r.decoders[name]
	if decode == nil {
		t.Fatalf("%s has no %s", r.version, name)
	}
	v, err := decode(data)
	if err != nil {
		t.Fatalf("decode %s: %v\n%s", name, err, data)
	}
	if got := encoded(t, v); !reflect.DeepEqual(plain(t, got), plain(t, data)) {
		t.Errorf("%s comes out otherwise\ngot %s\nwant %s", name, got, data)
	}
	return v
}

type roundTrip struct {
	Type              string
	Input             json.RawMessage
	AcceptableOutputs []json.RawMessage
}

func TestRoundTrips(t *testing.T) {
	for _, r := range releases {
		if borrowed[r.version] != "" || withoutFixtures[r.version] {
			continue // nothing says which of them are alike
		}
		t.Run(r.version, func(t *testing.T) {
			all := fixtures[roundTrip](t, r.version, "round-trips")
			for _, name := range slices.Sorted(maps.Keys(all)) {
				f := all[name]
				decode := r.decoders[f.Type]
				if decode == nil {
					t.Errorf("%s: there is no %s", name, f.Type)
					continue
				}
				v, err := decode(f.Input)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				got := encoded(t, v)
				if !slices.ContainsFunc(f.AcceptableOutputs, func(want json.RawMessage) bool {
					return reflect.DeepEqual(parsed(t, want), parsed(t, got))
				}) {
					t.Errorf("%s: got %s\nwant %s", name, got, f.AcceptableOutputs)
				}
			}
			t.Logf("%s ran: %d round trips", r.version, len(all))
		})
	}
}

func fixtures[F any](t *testing.T, release, dir string) map[string]F {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("CORPUS"), release, "fixtures", dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures of %s in %s: %v", release, dir, err)
	}
	out := map[string]F{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f F
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(file, err)
		}
		out[filepath.Base(file)] = f
	}
	return out
}

func typeOf(t *testing.T, action []byte) string {
	var a struct{ Type string }
	if err := json.Unmarshal(action, &a); err != nil {
		t.Fatal(err)
	}
	return a.Type
}

func encoded(t *testing.T, v value) []byte {
	t.Helper()
	out, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parsed(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return byValue(v)
}

// byValue returns a value in which equal numbers are equal however they are written.
func byValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, m := range v {
			v[k] = byValue(m)
		}
	case []any:
		for i := range v {
			v[i] = byValue(v[i])
		}
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			return "number " + r.RatString()
		}
	}
	return v
}

// plain reads a value without the members that are null: in fixtures these stand for members that are not there.
func plain(t *testing.T, data []byte) any {
	v := parsed(t, data)
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if member == nil {
					delete(v, name)
				}
				strip(member)
			}
		case []any:
			for _, item := range v {
				strip(item)
			}
		}
	}
	strip(v)
	return v
}
