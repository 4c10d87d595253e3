// Cases for every action that is new since 0.7.0 or does something else than there: a state, an action and what becomes
// of the state. They are written from what the protocol says of its actions, not from what the reducers do.

package ahp_test

import (
	"slices"
	"testing"
)

var families = slices.Concat(sessionCases, chatCases, automationCases, otherCases)

// family is cases of one channel. Their states all have the rest, too.
type family struct {
	about, channel, rest string
	cases                []reduced
}

// cases reads the tables. A case that wants nothing to change wants the state that it begins with.
func cases(tb testing.TB) []fixture {
	tb.Helper()
	var all []fixture
	for _, f := range families {
		members := func(some string) jsonObject { return plain(tb, filled(tb, object(f.rest), object(some))) }
		for _, c := range f.cases {
			state := members(c.state)
			want := state
			if c.want != same {
				want = members(c.want)
			}
			all = append(all, fixture{
				name: f.about + ": " + c.name, channel: f.channel, initial: state, expected: want,
				actions: []jsonObject{plain(tb, []byte(c.action))},
			})
		}
	}
	return all
}

// TestCasesCoverEveryRuleOfTheVersion wants a case in which something happens for every rule that other versions lack, so
// that neither the reference nor the reducers go untried.
func TestCasesCoverEveryRuleOfTheVersion(t *testing.T) {
	changes, seen := map[string]bool{}, map[string]bool{}
	for _, f := range cases(t) {
		for _, a := range f.actions {
			seen[text(a, "type")] = true
			if len(differences(f.initial, f.expected)) > 0 {
				changes[text(a, "type")] = true
			}
		}
	}
	for action := range versionRules {
		if !seen[action] {
			t.Errorf("no case for %s", action)
		}
		if !changes[action] && !slices.Contains(withoutEffect, action) {
			t.Errorf("no case in which %s changes something", action)
		}
	}
}
