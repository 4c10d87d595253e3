//go:build ahpgen_reducers

// Reducers for requests for input, which are parts of the open turn. One is open until it has a
// response; only an open one can change.

package ahp

import "maps"

// chatInputRequested puts a request into the open turn: in place of the open one with its id, whose
// answers it keeps unless it brings its own, or else as a part at the end. The chat then needs input
// and is unread.
//
// It does nothing when no turn is open.
func (r *Reducer) chatInputRequested(s *ChatState, a *ChatInputRequestedAction) *ChatState {
	if s.ActiveTurn == nil {
		return s
	}
	part := &InputRequestResponsePart{Request: a.Request}
	parts := s.ActiveTurn.ResponseParts
	if i, open := openInputRequest(s, a.Request.ID); open != nil {
		if part.Request.Answers == nil {
			part.Request.Answers = open.Request.Answers
		}
		parts = withItem(parts, i, ResponsePart(part))
	} else {
		parts = withAppended(parts, ResponsePart(part))
	}
	next := withParts(s, parts)
	next.Status = withActivity(s.Status, SessionStatusInputNeeded).Without(SessionStatusIsRead)
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return next
}

// chatInputAnswerChanged sets the answer to one question of an open request, or takes it back where the
// action brings none. The answers are absent when none is left.
//
// It does nothing when no open request has the id.
func (r *Reducer) chatInputAnswerChanged(s *ChatState, a *ChatInputAnswerChangedAction) *ChatState {
	i, open := openInputRequest(s, a.RequestID)
	if open == nil {
		return s
	}
	answers := map[string]ChatInputAnswer{}
	maps.Copy(answers, open.Request.Answers)
	if a.Answer == nil {
		delete(answers, a.QuestionID)
	} else {
		answers[a.QuestionID] = a.Answer
	}
	part := *open
	part.Request.Answers = answersOrAbsent(answers)
	next := withParts(s, withItem(s.ActiveTurn.ResponseParts, i, ResponsePart(&part)))
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return next
}

// chatInputCompleted closes an open request with what became of it. Answers that the action brings go
// over those given before. Whether the chat was read does not change.
//
// It does nothing when no open request has the id.
func (r *Reducer) chatInputCompleted(s *ChatState, a *ChatInputCompletedAction) *ChatState {
	i, open := openInputRequest(s, a.RequestID)
	if open == nil {
		return s
	}
	answers := map[string]ChatInputAnswer{}
	maps.Copy(answers, open.Request.Answers)
	maps.Copy(answers, a.Answers)
	part := *open
	part.Request.Answers = answersOrAbsent(answers)
	part.Response = &a.Response
	next := withParts(s, withItem(s.ActiveTurn.ResponseParts, i, ResponsePart(&part)))
	next.Status = withActivity(s.Status, chatActivity(next))
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return next
}

// openInputRequest returns the first request with the id that has no response, and its index among the
// parts of the open turn; nil if there is none.
func openInputRequest(s *ChatState, id string) (int, *InputRequestResponsePart) {
	if s.ActiveTurn == nil {
		return 0, nil
	}
	for i, part := range s.ActiveTurn.ResponseParts {
		if request, ok := part.(*InputRequestResponsePart); ok && request.Response == nil && request.Request.ID == id {
			return i, request
		}
	}
	return 0, nil
}

// answersOrAbsent turns a map without answers into nil: a request without answers lacks the member.
func answersOrAbsent(answers map[string]ChatInputAnswer) map[string]ChatInputAnswer {
	if len(answers) == 0 {
		return nil
	}
	return answers
}
