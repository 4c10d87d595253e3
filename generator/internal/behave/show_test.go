package behave_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func TestAnExampleShowsWhatItChanges(t *testing.T) {
	note := &protocol.Struct{Fields: []*protocol.Field{{Name: "id", Required: true, Type: protocol.String}, {Name: "text", Required: true, Type: protocol.String}}}
	note.Name = "Note"
	state := &protocol.Struct{Fields: []*protocol.Field{
		{Name: "title", Required: true, Type: protocol.String}, {Name: "notes", Required: true, Type: protocol.List{Elem: protocol.Ref{Type: note}}},
	}}
	action := &protocol.Struct{Fields: []*protocol.Field{{Name: "title", Required: true, Type: protocol.String}}}
	rule := &protocol.Action{
		Type: "board/titleChanged", Struct: action, Channel: &protocol.Channel{Name: "board", State: state},
		Apply: func(state, action map[string]any) (map[string]any, bool) {
			state["title"] = action["title"]
			return state, true
		},
	}
	parts := behave.Show(rule, json.RawMessage(`{"type": "board/titleChanged", "title": "Plans"}`))
	require.Equal(t, []behave.Part{{Path: "title", Before: `"earlier"`, After: `"Plans"`}}, parts)

	rule.Apply = func(state, action map[string]any) (map[string]any, bool) {
		state["notes"] = append(state["notes"].([]any), map[string]any{"id": action["title"], "text": ""})
		return state, true
	}
	parts = behave.Show(rule, json.RawMessage(`{"type": "board/titleChanged", "title": "Plans"}`))
	require.Len(t, parts, 1)
	require.Regexp(t, `^notes\[\d\]$`, parts[0].Path)
	require.Empty(t, parts[0].Before)
	require.JSONEq(t, `{"id": "Plans", "text": ""}`, parts[0].After)

	rule.Apply = func(state, _ map[string]any) (map[string]any, bool) { return state, true }
	require.Empty(t, behave.Show(rule, json.RawMessage(`{"title": "Plans"}`)), "nothing changes")
	rule.Apply = func(map[string]any, map[string]any) (map[string]any, bool) { return nil, false }
	require.Empty(t, behave.Show(rule, json.RawMessage(`{"title": "Plans"}`)), "nothing is known")
}
