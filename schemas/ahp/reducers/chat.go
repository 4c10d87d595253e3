//go:build ahpgen_reducers

// Reducers of the chat channel: what they share, and the messages that wait for their turn. Turns, tool
// calls and input requests have files of their own.

package ahp

import "slices"

// chatPendingMessageSet sets the steering message, or puts a message into the queue: in place of the
// one with its id, or else at the end.
//
// It does nothing for a kind of message that it does not know.
func (r *Reducer) chatPendingMessageSet(s *ChatState, a *ChatPendingMessageSetAction) *ChatState {
	next := *s
	message := PendingMessage{ID: a.ID, Message: a.Message}
	switch a.Kind {
	case PendingMessageKindSteering:
		next.SteeringMessage = &message
	case PendingMessageKindQueued:
		if i := slices.IndexFunc(s.QueuedMessages, hasMessageID(a.ID)); i >= 0 {
			next.QueuedMessages = withItem(s.QueuedMessages, i, message)
		} else {
			next.QueuedMessages = withAppended(s.QueuedMessages, message)
		}
	default:
		return s
	}
	return &next
}

func hasMessageID(id string) func(PendingMessage) bool {
	return func(m PendingMessage) bool { return m.ID == id }
}

func isSteering(s *ChatState, id string) bool {
	return s.SteeringMessage != nil && s.SteeringMessage.ID == id
}

// withoutMessage returns a copy of a queue without the messages that have the id, nil if none is left.
func withoutMessage(queue []PendingMessage, id string) []PendingMessage {
	return absentIfEmpty(slices.DeleteFunc(slices.Clone(queue), hasMessageID(id)))
}

// activeTurn returns the open turn if it has the id. Actions that come too late name another.
func activeTurn(s *ChatState, id string) (turn *ActiveTurn, ok bool) {
	if s.ActiveTurn == nil || s.ActiveTurn.ID != id {
		return nil, false
	}
	return s.ActiveTurn, true
}

// withParts returns a copy of the chat whose open turn has other parts.
func withParts(s *ChatState, parts []ResponsePart) *ChatState {
	turn := *s.ActiveTurn
	turn.ResponseParts = parts
	next := *s
	next.ActiveTurn = &turn
	return &next
}
