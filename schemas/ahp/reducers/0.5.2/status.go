//go:build ahpgen_reducers

package ahp

import "slices"

// waitsForUser reports whether the chat cannot go on until the user has dealt with something: a request for input,
// whether or not a turn is open, or a part of the open turn.
func waitsForUser(s *ChatState) bool {
	return len(s.InputRequests) > 0 || s.ActiveTurn != nil && slices.ContainsFunc(s.ActiveTurn.ResponseParts, isForUser)
}

// isForUser reports whether it is the user's turn to deal with the part.
//
//ahpgen:others ToolCallStreamingState ToolCallRunningState ToolCallCompletedState ToolCallCancelledState
func isForUser(part ResponsePart) bool {
	call, ok := part.(*ToolCallResponsePart)
	if !ok {
		return false
	}
	switch call.ToolCall.(type) {
	case *ToolCallPendingConfirmationState, *ToolCallPendingResultConfirmationState:
		return true
	default:
		return false
	}
}
