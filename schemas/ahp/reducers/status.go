//go:build ahpgen_reducers

// The status of sessions and chats: one activity, told by the low bits, beside independent flags.

package ahp

import "slices"

// activityBits are the bits that tell the activity. All others are flags, known or not, that outlive
// any change of activity.
//
//ahpgen:holds SessionStatusIdle|SessionStatusError|SessionStatusInProgress|SessionStatusInputNeeded <= activityBits
//ahpgen:holds SessionStatusIsRead&activityBits == 0
const activityBits SessionStatus = 1<<5 - 1

// withActivity returns the status with another activity and the same flags.
func withActivity(status, activity SessionStatus) SessionStatus {
	return status.Without(activityBits).With(activity)
}

// chatActivity returns the activity of a chat that has not failed.
func chatActivity(s *ChatState) SessionStatus {
	switch {
	case waitsForUser(s):
		return SessionStatusInputNeeded
	case s.ActiveTurn != nil:
		return SessionStatusInProgress
	}
	return SessionStatusIdle
}

// waitsForUser reports whether the open turn cannot go on until the user has dealt with a part of it.
func waitsForUser(s *ChatState) bool {
	return s.ActiveTurn != nil && slices.ContainsFunc(s.ActiveTurn.ResponseParts, isForUser)
}

// isForUser reports whether it is the user's turn to deal with the part.
//
//ahpgen:others MarkdownResponsePart ResourceResponsePart ReasoningResponsePart SystemNotificationResponsePart ErrorResponsePart ToolCallStreamingState ToolCallRunningState ToolCallCompletedState ToolCallCancelledState
func isForUser(part ResponsePart) bool {
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

// refreshStatus returns the chat with the activity that it should have, s itself if that is its activity.
func refreshStatus(s *ChatState) *ChatState {
	status := withActivity(s.Status, chatActivity(s))
	if status == s.Status {
		return s
	}
	next := *s
	next.Status = status
	return &next
}
