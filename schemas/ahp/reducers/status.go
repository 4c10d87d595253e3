//go:build ahpgen_reducers

// The status of sessions and chats: one activity, told by the low bits, beside independent flags.

package ahp

// activityBits are the bits that tell the activity. All others are flags, known or not, that outlive
// any change of activity.
const activityBits SessionStatus = 1<<5 - 1

// withActivity returns the status with another activity and the same flags.
func withActivity(status, activity SessionStatus) SessionStatus {
	return status.Without(activityBits).With(activity)
}

// turnActivity returns the activity of a chat whose open turn is this one, nil if there is none.
//
//ahpgen:versions >=0.6.0
func turnActivity(turn *ActiveTurn) SessionStatus {
	if turn == nil {
		return SessionStatusIdle
	}
	for _, part := range turn.ResponseParts {
		if waitsForUser(part) {
			return SessionStatusInputNeeded
		}
	}
	return SessionStatusInProgress
}

// waitsForUser reports whether the turn cannot go on until the user has dealt with the part.
func waitsForUser(part ResponsePart) bool {
	switch part := part.(type) {
	case *InputRequestResponsePart:
		return part.Response == nil
	case *ToolCallResponsePart:
		switch part.ToolCall.(type) {
		case *ToolCallPendingConfirmationState, *ToolCallPendingResultConfirmationState, *ToolCallAuthRequiredState:
			return true
		default:
			return false
		}
	default:
		return false
	}
}

// refreshStatus returns the chat with the activity of its open turn, s itself if that is its activity.
func refreshStatus(s *ChatState) *ChatState {
	status := withActivity(s.Status, turnActivity(s.ActiveTurn))
	if status == s.Status {
		return s
	}
	next := *s
	next.Status = status
	return &next
}
