package profile_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFits holds that marks alone do not make schemas those of a profile.
func TestFits(t *testing.T) {
	const text = `"versions": {"recognise": [{"version": "2.0", "definitions": ["Mark"]}, {"version": "1.0", "definitions": ["Old"]}]},
		"methods": [
			{"name": "ask", "from": "client", "kind": "request", "params": "Ask", "result": "Answer"},
			{"name": "later", "from": "client", "kind": "request", "params": "Later", "result": "Answer", "since": "2.0"}
		],
		"actions": {"union": "Act"}`
	for _, c := range []struct {
		name    string
		defs    []string
		version string // "" if they do not fit
	}{
		{"all of them", []string{"Mark", "Ask", "Later", "Answer", "Act"}, "2.0"},
		{"all but one", []string{"Mark", "Ask", "Answer", "Act"}, "2.0"},
		{"what the older version has", []string{"Old", "Ask", "Answer", "Act"}, "1.0"},
		{"the mark alone", []string{"Mark", "Note"}, ""},
		{"half of them", []string{"Mark", "Ask", "Answer"}, ""},
		{"no mark", []string{"Ask", "Later", "Answer", "Act"}, ""},
		{"nothing", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, text)
			fits := p.Fits(func(name string) bool { return slices.Contains(c.defs, name) })
			require.Equal(t, c.version != "", fits != nil)
			if fits != nil {
				require.Equal(t, c.version, fits.Version.String())
			}
		})
	}
}
