//go:build ahpgen_reducers

// Reducers for the turns of a chat: at most one is open, all others are history.

package ahp

import (
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/state"
)

// chatTurnStarted opens a turn, in place of one that is still open. The chat is unread again, and has changed when
// the turn began. A message that waited, and has now become the turn, waits no longer: an emptied queue is absent.
func (r *Reducer) chatTurnStarted(s *ChatState, a *ChatTurnStartedAction) *ChatState {
	next := *s
	next.ActiveTurn = &ActiveTurn{
		ID:            a.TurnID,
		StartedAt:     a.StartedAt,
		Message:       a.Message,
		ResponseParts: []ResponsePart{},
	}
	next.Status = withActivity(s.Status, SessionStatusInProgress).Without(SessionStatusIsRead)
	next.ModifiedAt = a.StartedAt
	if a.QueuedMessageID != nil {
		if isSteering(s, *a.QueuedMessageID) {
			next.SteeringMessage = nil
		}
		next.QueuedMessages = withoutMessage(s.QueuedMessages, *a.QueuedMessageID)
	}
	return &next
}

// chatTurnComplete ends the open turn as done. See [Reducer.endTurn].
func (r *Reducer) chatTurnComplete(s *ChatState, a *ChatTurnCompleteAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateComplete, nil)
}

// chatTurnCancelled ends the open turn as cut short. See [Reducer.endTurn].
func (r *Reducer) chatTurnCancelled(s *ChatState, a *ChatTurnCancelledAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateCancelled, nil)
}

// chatError ends the open turn as failed, which its last part tells; the chat shows that until the next turn.
// See [Reducer.endTurn].
func (r *Reducer) chatError(s *ChatState, a *ChatErrorAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateError, &a.Part)
}

// endTurn moves the open turn into the history. Tool calls that have not come to an end are cancelled;
// requests for input that were not answered stay so. A duration below zero counts as zero, and whether
// the chat was read does not change. The chat has changed when the turn ended, where [endOf] can tell.
//
// It does nothing when the turn is not the open one.
func (r *Reducer) endTurn(s *ChatState, id string, duration int64, end TurnState, failure *ErrorResponsePart) *ChatState {
	turn, ok := activeTurn(s, id)
	if !ok {
		return s
	}
	parts := withToolCallsEnded(turn.ResponseParts)
	activity := SessionStatusIdle
	if failure != nil {
		parts = append(parts, failure)
		activity = SessionStatusError
	}
	next := *s
	next.ActiveTurn = nil
	next.Turns = withAppended(s.Turns, Turn{
		ID:            turn.ID,
		StartedAt:     state.Pointer(turn.StartedAt),
		Duration:      state.Pointer(max(0, duration)),
		Message:       turn.Message,
		ResponseParts: parts,
		Usage:         turn.Usage,
		State:         end,
	})
	next.Status = withActivity(s.Status, activity)
	if at, ok := endOf(turn.StartedAt, max(0, duration)); ok {
		next.ModifiedAt = at
	}
	return &next
}

// endOf returns when a turn ended that took so many milliseconds, as states hold it: in UTC, to the millisecond. It
// is not ok where the start is no RFC 3339 time, or the end lies beyond the year 9999, which that cannot write.
func endOf(startedAt string, duration int64) (at string, ok bool) {
	const last = 253402300799999 // 9999-12-31T23:59:59.999Z, in milliseconds
	start, err := time.Parse(time.RFC3339, startedAt)
	if err != nil || duration > last-start.UnixMilli() {
		return "", false
	}
	return time.UnixMilli(start.UnixMilli() + duration).UTC().Format("2006-01-02T15:04:05.000Z"), true
}

// withToolCallsEnded returns a copy of the parts in which every tool call has come to an end.
func withToolCallsEnded(parts []ResponsePart) []ResponsePart {
	parts = slices.Clone(parts)
	for i, part := range parts {
		if call, ok := part.(*ToolCallResponsePart); ok {
			if ended := afterTurn(call.ToolCall); ended != call.ToolCall {
				parts[i] = &ToolCallResponsePart{ToolCall: ended}
			}
		}
	}
	return parts
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
	next.Status = withActivity(s.Status, turnActivity(next.ActiveTurn)).Without(SessionStatusIsRead)
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

// chatTruncated forgets the history behind a turn, or all of it where the action names none; then there
// are no older turns to load either. The open turn is forgotten in any case. When the chat last changed stays.
//
// It does nothing when the turn is not in the history.
func (r *Reducer) chatTruncated(s *ChatState, a *ChatTruncatedAction) *ChatState {
	next := *s
	if a.TurnID == nil {
		next.Turns = []Turn{}
		next.TurnsNextCursor = nil
	} else {
		last := slices.IndexFunc(s.Turns, func(t Turn) bool { return t.ID == *a.TurnID })
		if last < 0 {
			return s
		}
		next.Turns = slices.Clone(s.Turns[:last+1])
	}
	next.ActiveTurn = nil
	next.Status = withActivity(s.Status, SessionStatusIdle)
	return &next
}

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
