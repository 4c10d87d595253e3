//go:build ahpgen_reducers

package ahp

// chatResponsePart appends a part to the open turn. What went wrong is not said in this way: see [Reducer.chatError].
//
// It does nothing when the turn is not the open one.
func (r *Reducer) chatResponsePart(s *ChatState, a *ChatResponsePartAction) *ChatState {
	turn, ok := activeTurn(s, a.TurnID)
	if _, failure := a.Part.(*ErrorResponsePart); !ok || failure {
		return s
	}
	return withParts(s, withAppended(turn.ResponseParts, a.Part))
}

// chatError ends the open turn as failed, which its last part tells; the chat shows that until the next turn.
// See [Reducer.endTurn].
func (r *Reducer) chatError(s *ChatState, a *ChatErrorAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateError, func(turn *Turn) {
		turn.ResponseParts = append(turn.ResponseParts, &a.Part)
	})
}

// chatTurnResume opens the last turn again, with all that it holds. The chat is unread again. A turn of which it is
// not known when it began counts from when the chat last changed, and that does not change now.
//
// It does nothing while a turn is open, nor when the last turn is another, or has not failed in a way that lets it go on.
func (r *Reducer) chatTurnResume(s *ChatState, a *ChatTurnResumeAction) *ChatState {
	last := len(s.Turns) - 1
	if s.ActiveTurn != nil || last < 0 || s.Turns[last].ID != a.TurnID || !isResumable(s.Turns[last]) {
		return s
	}
	turn := s.Turns[last]
	started := s.ModifiedAt
	if turn.StartedAt != nil {
		started = *turn.StartedAt
	}
	next := *s
	next.Turns = withoutItem(s.Turns, last)
	next.ActiveTurn = &ActiveTurn{
		ID:            turn.ID,
		StartedAt:     started,
		Message:       turn.Message,
		ResponseParts: turn.ResponseParts,
		Usage:         turn.Usage,
	}
	next.Status = withActivity(s.Status, chatActivity(&next)).Without(SessionStatusIsRead)
	return &next
}

// isResumable reports whether the turn has failed, and its last part says that it can go on.
func isResumable(turn Turn) bool {
	last := len(turn.ResponseParts) - 1
	if turn.State != TurnStateError || last < 0 {
		return false
	}
	failure, ok := turn.ResponseParts[last].(*ErrorResponsePart)
	return ok && failure.Resumable != nil && *failure.Resumable
}
