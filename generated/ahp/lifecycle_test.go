// Lifecycles: what the schemas state about values with a status, held against what the reducers do.

package ahp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// statusesOf finds the values of a definition in a state, with their statuses, by what tells them apart. It is not ok
// if two cannot be told apart.
type statusesOf func(state jsonObject) (statuses map[string]string, ok bool)

// lived says where the values of each definition with a lifecycle are found: on which channel, and how.
var lived = map[string]struct {
	channel string
	find    statusesOf
}{
	"ToolCallState": {"chat", func(state jsonObject) (map[string]string, bool) {
		out, ok := map[string]string{}, true
		for id, turn := range turnsOf(state, &ok) {
			for i, part := range elements(turn, "responseParts") {
				if call := inner(part.(jsonObject), "toolCall"); call != nil {
					out[fmt.Sprintf("%s/%d", id, i)] = text(call, "status")
				}
			}
		}
		return out, ok
	}},
	"Turn": {"chat", func(state jsonObject) (map[string]string, bool) {
		out, ok := map[string]string{}, true
		for id, turn := range turnsOf(state, &ok) {
			if text(turn, "state") != "" { // the open turn has none
				out[id] = text(turn, "state")
			}
		}
		return out, ok
	}},
	"SessionState": {"session", func(state jsonObject) (map[string]string, bool) {
		return map[string]string{"": text(state, "lifecycle")}, true
	}},
	"McpServerState": {"session", func(state jsonObject) (map[string]string, bool) {
		out, ok := map[string]string{}, true
		for _, entry := range elements(state, "customizations") {
			servers(entry.(jsonObject), out, &ok)
		}
		return out, ok
	}},
	"TerminalLifecycleState": {"terminal", lifecycleMember},
	"AutomationRunLifecycle": {"automationRun", lifecycleMember},
}

func lifecycleMember(state jsonObject) (map[string]string, bool) {
	return map[string]string{"": text(inner(state, "lifecycle"), "status")}, true
}

// turnsOf lists the turns of a chat by id, the open one among them.
func turnsOf(state jsonObject, ok *bool) map[string]jsonObject {
	out := map[string]jsonObject{}
	list := elements(state, "turns")
	if open := inner(state, "activeTurn"); open != nil {
		list = appended(list, open)
	}
	for _, turn := range list {
		id := text(turn.(jsonObject), "id")
		*ok = *ok && out[id] == nil
		out[id] = turn.(jsonObject)
	}
	return out
}

// servers finds the MCP servers in a customization.
func servers(entry jsonObject, out map[string]string, ok *bool) {
	if id := text(entry, "id"); text(entry, "type") == "mcpServer" {
		*ok = *ok && out[id] == ""
		out[id] = text(inner(entry, "state"), "kind")
	}
	for _, child := range elements(entry, "children") {
		servers(child.(jsonObject), out, ok)
	}
}

// leads is a stated move, with what has been seen of it.
type leads struct {
	action   string
	from, to []string // "" is a value that is not there, "*" any status
	seen     map[string]bool
}

// lifecycleOf reads what a definition states.
func lifecycleOf(t *testing.T, definition string) (moves []*leads) {
	t.Helper()
	all, err := definitions()
	require.NoError(t, err)
	list := func(move jsonObject, member string) (out []string) {
		for _, status := range elements(move, member) {
			out = append(out, status.(string))
		}
		if out == nil {
			out = []string{""}
		}
		return out
	}
	for _, move := range elements(inner(inner(all, definition), "x-lifecycle"), "moves") {
		m := move.(jsonObject)
		moves = append(moves, &leads{text(m, "action"), list(m, "from"), list(m, "to"), map[string]bool{}})
	}
	return moves
}

// take notes that an action has led from one status to another, and reports whether that is stated.
func take(moves []*leads, action, from, to string) (stated bool) {
	fits := func(list []string, status string) bool {
		return slices.Contains(list, status) || status != "" && slices.Contains(list, "*")
	}
	for _, m := range moves {
		if m.action == action && fits(m.from, from) && fits(m.to, to) {
			m.seen["from "+from], m.seen["to "+to], m.seen["from *"], m.seen["to *"] = true, true, true, true
			stated = true
		}
	}
	return stated
}

// TestReducersFollowTheStatedLifecycles runs random sequences: no status changes but as it is stated, and everything that
// is stated happens.
func TestReducersFollowTheStatedLifecycles(t *testing.T) {
	all, err := definitions()
	require.NoError(t, err)
	for definition, schema := range all {
		if inner(schema.(jsonObject), "x-lifecycle") == nil {
			continue
		}
		t.Run(definition, func(t *testing.T) {
			where, known := lived[definition]
			require.True(t, known, "this test has to know where such values are")
			moves := lifecycleOf(t, definition)
			require.NotEmpty(t, moves)
			const fewest, most, steps = 60, 3000, 30
			for seed := uint64(0); seed < fewest || len(unseen(moves)) > 0; seed++ {
				require.Less(t, seed, uint64(most), "this never happens: %q", unseen(moves))
				live(t, rand.NewPCG(*firstSeed+seed, 1), channelOf(t, where.channel), steps, where.find, func(action, from, to string) {
					require.True(t, take(moves, action, from, to) || !isNamed(moves, from), "%s leads from %q to %q", action, from, to)
				})
			}
		})
	}
}

// live runs a random sequence and tells which actions led values from one status to another.
func live(t *testing.T, source rand.Source, c channel, steps int, find statusesOf, tell func(action, from, to string)) {
	t.Helper()
	r := newRandom(t, source)
	p := newPair(t, c, r.state(c))
	before, whole := find(p.plain)
	for range steps {
		a := r.action(c, p.plain)
		next, panicked := p.reduce(a)
		require.Empty(t, panicked)
		if next == p.state {
			continue
		}
		p.state, p.plain = next, plain(t, encode(t, next))
		p.clock.tick()
		after, still := find(p.plain)
		if whole && still { // ids that occur twice say nothing
			kind := text(plain(t, encode(t, a)), "type")
			for key := range keysOf(before, after) {
				if from, to := before[key], after[key]; from != to {
					tell(kind, from, to)
				}
			}
		}
		before, whole = after, still
	}
}

// isNamed reports whether some move names a status, or stands for all. What becomes of a status of a newer version cannot
// be stated otherwise.
func isNamed(moves []*leads, status string) bool {
	return status == "" || slices.ContainsFunc(moves, func(m *leads) bool {
		return slices.Contains(m.from, status) || slices.Contains(m.to, status)
	})
}

// unseen lists what is stated and has not happened yet.
func unseen(moves []*leads) (out []string) {
	for _, m := range moves {
		for _, from := range m.from {
			if !m.seen["from "+from] && !slices.Equal(m.to, []string{from}) { // which would be no change
				out = append(out, m.action+" from "+from)
			}
		}
		for _, to := range m.to {
			if !m.seen["to "+to] {
				out = append(out, m.action+" to "+to)
			}
		}
	}
	return out
}

func keysOf(maps ...map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, m := range maps {
		for key := range m {
			out[key] = true
		}
	}
	return out
}
