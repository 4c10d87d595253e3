package generator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/templates/wire"
)

// compiled applies actions by the reducers of package ahp.
func compiled[S wire.Appender, A ahp.StateAction](t *testing.T, decode func([]byte) (S, error), reduce func(*ahp.Reducer, S, A) S) func(state, action map[string]any) (map[string]any, bool) {
	return func(state, action map[string]any) (map[string]any, bool) {
		before, err := json.Marshal(state)
		require.NoError(t, err)
		what, err := json.Marshal(action)
		require.NoError(t, err)
		s, err := decode(before)
		require.NoError(t, err, "%s", before)
		a, err := ahp.DecodeStateAction(what)
		require.NoError(t, err, "%s", what)
		after, err := reduce(&ahp.Reducer{}, s, a.(A)).AppendJSON(nil)
		require.NoError(t, err)
		dec := json.NewDecoder(strings.NewReader(string(after)))
		dec.UseNumber()
		var out map[string]any
		require.NoError(t, dec.Decode(&out))
		return integers(t, out).(map[string]any), true
	}
}

func integers(t *testing.T, v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		require.NoError(t, err)
		return n
	case []any:
		for i := range v {
			v[i] = integers(t, v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = integers(t, v[name])
		}
	}
	return v
}

// TestRulesAreAppliedAsTheyCompile: stated effects and finished reducers do to random states what the emitted package does.
func TestRulesAreAppliedAsTheyCompile(t *testing.T) {
	flags.SkipUnlessAll(t)
	side, err := embeddedSide("ahp@1.0.0")
	require.NoError(t, err)
	by := map[string]func(state, action map[string]any) (map[string]any, bool){
		"root":       compiled(t, ahp.Decode[ahp.RootState], (*ahp.Reducer).Root),
		"session":    compiled(t, ahp.Decode[ahp.SessionState], (*ahp.Reducer).Session),
		"chat":       compiled(t, ahp.Decode[ahp.ChatState], (*ahp.Reducer).Chat),
		"terminal":   compiled(t, ahp.Decode[ahp.TerminalState], (*ahp.Reducer).Terminal),
		"changeset":  compiled(t, ahp.Decode[ahp.ChangesetState], (*ahp.Reducer).Changeset),
		"automation": compiled(t, ahp.Decode[ahp.AutomationState], (*ahp.Reducer).Automation),
	}
	stated, finished := 0, 0
	for _, a := range side.Protocol.AllActions() {
		prefix, _, _ := strings.Cut(a.Type, "/")
		if by[prefix] == nil {
			continue
		}
		other := *a
		other.Stated, other.Apply = false, by[prefix]
		got := behave.Compare(a, &other)
		require.Nil(t, got.Proof, "%s: %+v", a.Type, got.Proof)
		switch {
		case got.Runs == 0:
		case a.Stated:
			stated++
		default:
			finished++
		}
	}
	t.Log(stated, finished)
	require.Greater(t, stated, 40)
	require.Greater(t, finished, 5)
}

// TestRulesThatWereEffectsDoSomethingElse: three rules of AHP 0.7.0 are stated and those of 1.0.0 written in Go.
func TestRulesThatWereEffectsDoSomethingElse(t *testing.T) {
	old, err := embeddedSide("ahp@0.7.0")
	require.NoError(t, err)
	now, err := embeddedSide("ahp@1.0.0")
	require.NoError(t, err)
	found := map[string]change.Change{}
	for _, c := range change.Compare(old.Protocol, now.Protocol) {
		found[c.Subject] = c
	}
	for action, parts := range map[string][2]string{
		"session/inputNeededSet": {`{"status":`, `{"status":`},
		"chat/responsePart":      {`"kind":"error"`, `"responseParts":[`},
		"terminal/exited":        {`"running"`, `"exited"`},
	} {
		c := found["action "+action]
		require.Equal(t, change.RuleChanged, c.Rule, action)
		require.False(t, c.Uncompared(), action)
		require.NotNil(t, c.Proof, action)
		require.Contains(t, c.Proof.OldPart, parts[0])
		require.Contains(t, c.Proof.NewPart, parts[1])
	}
	require.Contains(t, string(found["action session/inputNeededSet"].Proof.Action), `"kind":"toolClientExecution"`, "it is what no longer counts")

	// The finished reducer of an action, and effects that say the same.
	var exited *protocol.Action
	for _, a := range now.Protocol.AllActions() {
		if a.Type == "terminal/exited" {
			exited = a
		}
	}
	same := *exited
	lifecycle := exited.Channel.State.Field("lifecycle")
	state := lifecycle.Type.(protocol.Ref).Type.(*protocol.Union).Leaves()[1]
	require.True(t, state.Field("status").Const != nil && state.Field("status").Const.Str == "exited", state.Name)
	same.Stated, same.Finished, same.Apply = false, "in other words", func(s, a map[string]any) (map[string]any, bool) {
		s["lifecycle"] = map[string]any{"status": "exited"}
		if code, ok := a["exitCode"]; ok {
			s["lifecycle"].(map[string]any)["exitCode"] = code
		}
		return s, true
	}
	require.Equal(t, behave.Result{Runs: 200}, behave.Compare(exited, &same))
}
