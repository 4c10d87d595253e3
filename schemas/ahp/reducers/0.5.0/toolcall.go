//go:build ahpgen_reducers

package ahp

// chatToolCallStart appends a call to the open turn whose arguments are still to come.
//
// It does nothing when the turn is not the open one.
func (r *Reducer) chatToolCallStart(s *ChatState, a *ChatToolCallStartAction) *ChatState {
	turn, ok := activeTurn(s, a.TurnID)
	if !ok {
		return s
	}
	part := &ToolCallResponsePart{ToolCall: &ToolCallStreamingState{
		ToolCallID:  a.ToolCallID,
		ToolName:    a.ToolName,
		DisplayName: a.DisplayName,
		Contributor: a.Contributor,
		Meta:        a.Meta,
	}}
	return withParts(s, withAppended(turn.ResponseParts, ResponsePart(part)))
}
