// Finished reducers on fixtures of the release that a package was generated from.

package corpus

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"corpus/ahp"
)

var states = map[string]func([]byte) (ahp.SnapshotState, error){
	"root":          of(ahp.Decode[ahp.RootState]),
	"session":       of(ahp.Decode[ahp.SessionState]),
	"chat":          of(ahp.Decode[ahp.ChatState]),
	"terminal":      of(ahp.Decode[ahp.TerminalState]),
	"changeset":     of(ahp.Decode[ahp.ChangesetState]),
	"annotations":   of(ahp.Decode[ahp.AnnotationsState]),
	"resourceWatch": of(ahp.Decode[ahp.ResourceWatchState]),
}

func of[S ahp.SnapshotState](decode func([]byte) (S, error)) func([]byte) (ahp.SnapshotState, error) {
	return func(data []byte) (ahp.SnapshotState, error) { return decode(data) }
}

func TestFinishedReducersFollowTheFixtures(t *testing.T) {
	finished := map[string]bool{}
	for _, action := range strings.Fields(os.Getenv("FINISHED")) {
		finished[action] = true
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("FIXTURES"), "reducers", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	ran := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f struct {
			Reducer           string
			Initial, Expected json.RawMessage
			Actions           []json.RawMessage
		}
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		all := true
		for _, a := range f.Actions {
			all = all && finished[typeOf(t, a)]
		}
		if !all {
			continue
		}
		for _, a := range f.Actions {
			ran[typeOf(t, a)] = true
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			state, err := states[f.Reducer](withoutNulls(t, f.Initial))
			if err != nil {
				t.Fatal(err)
			}
			r := &ahp.Reducer{Now: func() time.Time { return time.UnixMilli(9999) }}
			for _, a := range f.Actions {
				action, err := ahp.DecodeStateAction(withoutNulls(t, a))
				if err != nil {
					t.Fatal(err)
				}
				state = r.Apply(state, action)
			}
			got, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			if want := parsed(t, f.Expected); !reflect.DeepEqual(parsed(t, got), want) {
				t.Errorf("got %s\nwant %s", got, f.Expected)
			}
		})
	}
	t.Logf("%d of %d types of actions ran", len(ran), len(finished))
	if len(ran) == 0 {
		t.Error("no fixture was for finished reducers alone")
	}
}

func typeOf(t *testing.T, action []byte) string {
	var a struct{ Type string }
	if err := json.Unmarshal(action, &a); err != nil {
		t.Fatal(err)
	}
	return a.Type
}

// parsed reads a value without the members that are null.
func parsed(t *testing.T, data []byte) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	strip(v)
	return v
}

// strip takes out the members that are null.
func strip(v any) {
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

func withoutNulls(t *testing.T, data []byte) []byte {
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	strip(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
