package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/profile"
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
			has := func(name string) bool { return slices.Contains(c.defs, name) }
			fits := p.Fits(has, func(string) bool { return false })
			require.Equal(t, c.version != "", fits != nil)
			marks, err := profile.ReadMarks([]byte("{" + text + "}"))
			require.NoError(t, err)
			require.Equal(t, slices.Contains(c.defs, "Mark") || slices.Contains(c.defs, "Old"), marks.On(has))
			if fits != nil {
				require.Equal(t, c.version, fits.Version.String())
			}
		})
	}
}

// TestFitsByMessages: the unions of messages are definitions that a profile names.
func TestFitsByMessages(t *testing.T) {
	p := read(t, `"versions": {"recognise": [{"version": "2.0", "definitions": ["Mark"]}]},
		"messages": {"sent": [{"definition": "Asks", "from": "client"}, {"definition": "Tells", "from": "host", "versions": "<2.0"}]}`)
	for defs, fits := range map[string]bool{"Mark Asks": true, "Mark Tells": false, "Asks": false} {
		has := func(name string) bool { return slices.Contains(strings.Fields(defs), name) }
		require.Equal(t, fits, p.Fits(has, func(string) bool { return false }) != nil, defs)
	}
}

// TestFitsByKeywords: a profile that names no definitions fits schemas with most of its vendor keywords.
func TestFitsByKeywords(t *testing.T) {
	p := read(t, `"versions": {"recognise": [{"version": "2", "definitions": ["Mark"]}]}, "keywords": {"x-a": "method", "x-b": "side", "x-c": "envelope", "x-d": "envelope"}`)
	for _, c := range []struct {
		keywords []string
		mark     string
		fits     bool
	}{
		{[]string{"x-a", "x-b", "x-c"}, "Mark", true},
		{[]string{"x-a", "x-b"}, "Mark", false},
		{[]string{"x-a", "x-b", "x-c", "x-d"}, "Other", false},
	} {
		fits := p.Fits(func(name string) bool { return name == c.mark }, func(name string) bool { return slices.Contains(c.keywords, name) })
		require.Equal(t, c.fits, fits != nil, "%v", c)
	}
}
