//go:build ahpgen_reducers

// Reducers for the turns of a chat: at most one is open, all others are history.

package ahp

import (
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire/state"
)

// chatTurnStarted opens a turn, in place of one that is still open. The chat is unread again. A message
// that waited, and has now become the turn, waits no longer: an emptied queue is absent.
func (r *Reducer) chatTurnStarted(s *ChatState, a *ChatTurnStartedAction) *ChatState {
	next := *s
	next.ActiveTurn = openedTurn(a)
	next.Status = withActivity(s.Status, chatActivity(&next)).Without(SessionStatusIsRead)
	next.ModifiedAt = r.modifiedAtStart(a)
	if a.QueuedMessageID != nil && *a.QueuedMessageID != "" {
		if isSteering(s, *a.QueuedMessageID) {
			next.SteeringMessage = nil
		}
		next.QueuedMessages = withoutMessage(s.QueuedMessages, *a.QueuedMessageID)
	}
	return &next
}

// openedTurn is a turn as it begins.
func openedTurn(a *ChatTurnStartedAction) *ActiveTurn {
	return &ActiveTurn{
		ID:            a.TurnID,
		StartedAt:     a.StartedAt,
		Message:       a.Message,
		ResponseParts: []ResponsePart{},
	}
}

// chatTurnComplete ends the open turn as done. See [Reducer.endTurn].
func (r *Reducer) chatTurnComplete(s *ChatState, a *ChatTurnCompleteAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateComplete, nil)
}

// chatTurnCancelled ends the open turn as cut short. See [Reducer.endTurn].
func (r *Reducer) chatTurnCancelled(s *ChatState, a *ChatTurnCancelledAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateCancelled, nil)
}

// chatError ends the open turn as failed; the chat shows that until the next turn. See [Reducer.endTurn].
func (r *Reducer) chatError(s *ChatState, a *ChatErrorAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateError, func(turn *Turn) { turn.Error = &a.Error })
}

// endTurn moves the open turn into the history, where failed, unless nil, notes what went wrong. Tool calls that have not
// come to an end are cancelled; parts that ask the user for something stay as they are. A duration below zero counts as
// zero, and whether the chat was read does not change.
//
// It does nothing when the turn is not the open one.
func (r *Reducer) endTurn(s *ChatState, id string, duration int64, end TurnState, failed func(*Turn)) *ChatState {
	open, ok := activeTurn(s, id)
	if !ok {
		return s
	}
	duration = max(0, duration)
	turn := closedTurn(open, duration, end)
	activity := SessionStatusIdle
	if failed != nil {
		failed(&turn)
		activity = SessionStatusError
	}
	next := withoutOpenTurn(s)
	next.Turns = withAppended(s.Turns, turn)
	next.Status = withActivity(s.Status, activity)
	next.ModifiedAt = r.modifiedAtEnd(s, duration)
	return next
}

// closedTurn is an open turn as the history holds it.
func closedTurn(open *ActiveTurn, duration int64, end TurnState) Turn {
	return Turn{
		ID:            open.ID,
		StartedAt:     state.Pointer(open.StartedAt),
		Duration:      state.Pointer(duration),
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
	return &next
}

// withToolCallsEnded returns a copy of the parts in which every tool call has come to an end.
func withToolCallsEnded(parts []ResponsePart) []ResponsePart {
	parts = slices.Clone(parts)
	for i, part := range parts {
		if call, ok := part.(*ToolCallResponsePart); ok {
			if ended := afterTurn(call.ToolCall); ended != call.ToolCall {
				next := *call
				next.ToolCall = ended
				parts[i] = &next
			}
		}
	}
	return parts
}

// chatTruncated forgets the history behind a turn, or all of it where the action names none; then there
// are no older turns to load either. The open turn is forgotten in any case.
//
// It does nothing when the turn is not in the history.
func (r *Reducer) chatTruncated(s *ChatState, a *ChatTruncatedAction) *ChatState {
	next := withoutOpenTurn(s)
	if a.TurnID == nil {
		next.Turns = []Turn{}
		forgetOlderTurns(next)
	} else {
		last := slices.IndexFunc(s.Turns, func(t Turn) bool { return t.ID == *a.TurnID })
		if last < 0 {
			return s
		}
		next.Turns = slices.Clone(s.Turns[:last+1])
	}
	next.Status = withActivity(s.Status, SessionStatusIdle)
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return next
}

// forgetOlderTurns notes that there is nothing before the history.
func forgetOlderTurns(s *ChatState) { s.TurnsNextCursor = nil }

// chatTurnsLoaded puts older turns before the history, except those that it holds already, and notes
// where still older ones begin, absent where there are none.
//
// It does nothing when it neither brings a turn nor moves that mark.
func (r *Reducer) chatTurnsLoaded(s *ChatState, a *ChatTurnsLoadedAction) *ChatState {
	held := make(map[string]bool, len(s.Turns))
	for _, turn := range s.Turns {
		held[turn.ID] = true
	}
	older := slices.DeleteFunc(slices.Clone(a.Turns), func(t Turn) bool { return held[t.ID] })
	if len(older) == 0 && sameText(s.TurnsNextCursor, a.TurnsNextCursor) {
		return s
	}
	next := *s
	next.Turns = append(older, s.Turns...)
	next.TurnsNextCursor = a.TurnsNextCursor
	return &next
}

// sameText reports whether both are absent, or both are there and equal.
func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
