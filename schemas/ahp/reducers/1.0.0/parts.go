//go:build ahpgen_reducers

// Reducers for the parts of the open turn that cannot be stated as data.

package ahp

// chatResponsePart appends a part to the open turn.
//
// It does nothing when the turn is not the open one, nor for the part that tells of a failure: that comes with the end
// of the turn, see [Reducer.chatError].
func (r *Reducer) chatResponsePart(s *ChatState, a *ChatResponsePartAction) *ChatState {
	turn, ok := activeTurn(s, a.TurnID)
	if _, failure := a.Part.(*ErrorResponsePart); failure || !ok {
		return s
	}
	return withParts(s, withAppended(turn.ResponseParts, a.Part))
}
