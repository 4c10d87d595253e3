//go:build ahpgen_reducers

package ahp

// openedTurn is a turn as it begins.
func openedTurn(a *ChatTurnStartedAction) *ActiveTurn {
	return &ActiveTurn{
		ID:            a.TurnID,
		Message:       a.Message,
		ResponseParts: []ResponsePart{},
	}
}

// chatTurnComplete ends the open turn as done. See [Reducer.endTurn].
func (r *Reducer) chatTurnComplete(s *ChatState, a *ChatTurnCompleteAction) *ChatState {
	return r.endTurn(s, a.TurnID, 0, TurnStateComplete, nil)
}

// chatTurnCancelled ends the open turn as cut short. See [Reducer.endTurn].
func (r *Reducer) chatTurnCancelled(s *ChatState, a *ChatTurnCancelledAction) *ChatState {
	return r.endTurn(s, a.TurnID, 0, TurnStateCancelled, nil)
}

// chatError ends the open turn as failed; the chat shows that until the next turn. See [Reducer.endTurn].
func (r *Reducer) chatError(s *ChatState, a *ChatErrorAction) *ChatState {
	return r.endTurn(s, a.TurnID, 0, TurnStateError, func(turn *Turn) { turn.Error = &a.Error })
}

// closedTurn is an open turn as the history holds it, which does not say how long it took.
func closedTurn(open *ActiveTurn, _ int64, end TurnState) Turn {
	return Turn{
		ID:            open.ID,
		Message:       open.Message,
		ResponseParts: withToolCallsEnded(open.ResponseParts),
		Usage:         open.Usage,
		State:         end,
	}
}

// withoutOpenTurn returns a copy of the chat in which no turn is open, nor anything that waits for the user.
func withoutOpenTurn(s *ChatState) *ChatState {
	next := *s
	next.ActiveTurn = nil
	next.InputRequests = nil
	return &next
}
