package lock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/lock"
)

// TestOptionsAreThoseThatSaySomething: what is as if it were not stated is no option.
func TestOptionsAreThoseThatSaySomething(t *testing.T) {
	type inside struct {
		Omit bool     `json:"omit"`
		Own  []string `json:"own"`
	}
	config := struct {
		Package  string            `json:"package"`
		Runtime  string            `json:"runtime"`
		Logs     []string          `json:"logs"`
		Reducers inside            `json:"reducers"`
		Names    map[string]string `json:"names"`
	}{Package: "p", Logs: []string{"bolt"}, Reducers: inside{Own: []string{"a", "b"}}, Names: map[string]string{"Note.id": "ID"}}
	require.Equal(t, map[string]any{
		"package": "p", "logs": []any{"bolt"}, "reducersOwn": []any{"a", "b"}, "names.Note.id": "ID",
	}, lock.Options(config))
}

// TestDriftIsOneLineForOneThing, the same in whatever order things were noted.
func TestDriftIsOneLineForOneThing(t *testing.T) {
	before := &lock.Lock{Version: "1.0.0", Options: map[string]any{"package": "p"}, Inputs: map[string]string{"a": "1", "b": "1", "c": "1"},
		Names: map[string]map[string]string{"Note": {"": "Note", "id": "ID"}, "Gone": {"": "Gone"}}}
	now := &lock.Lock{Version: "1.1.0", Options: map[string]any{"package": "p", "logs": []string{"bolt"}}, Inputs: map[string]string{"b": "2", "c": "1", "d": "1"},
		Names: map[string]map[string]string{"Note": {"": "Memo", "id": "ID"}}}
	require.Equal(t, []string{
		"version: 1.0.0 when generated, 1.1.0 now", `option logs: none when generated, ["bolt"] now`,
		"input a is gone", "input b has changed", "input d is new", "Go name of Note: Note when generated, Memo now",
	}, before.Drift(now))
	require.Empty(t, now.Drift(now))
}
