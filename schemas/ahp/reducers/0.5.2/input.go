//go:build ahpgen_reducers

// Reducers for requests for input. Those that are open stand beside the turns of the chat, whether or not one is open.

package ahp

import (
	"maps"
	"slices"
)

// chatInputRequested adds a request, or puts it in the place of the first with its id, whose answers it keeps unless it
// brings its own. The chat then needs input and is unread.
func (r *Reducer) chatInputRequested(s *ChatState, a *ChatInputRequestedAction) *ChatState {
	next := *s
	request := a.Request
	if i := openInputRequest(s, request.ID); i >= 0 {
		if request.Answers == nil {
			request.Answers = s.InputRequests[i].Answers
		}
		next.InputRequests = withItem(s.InputRequests, i, request)
	} else {
		next.InputRequests = withAppended(s.InputRequests, request)
	}
	next.Status = withActivity(s.Status, chatActivity(&next)).Without(SessionStatusIsRead)
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return &next
}

// chatInputAnswerChanged sets the answer to one question of an open request, or takes it back where the
// action brings none. The answers are absent when none is left.
//
// It does nothing when no open request has the id.
func (r *Reducer) chatInputAnswerChanged(s *ChatState, a *ChatInputAnswerChangedAction) *ChatState {
	i := openInputRequest(s, a.RequestID)
	if i < 0 {
		return s
	}
	request := s.InputRequests[i]
	answers := map[string]ChatInputAnswer{}
	maps.Copy(answers, request.Answers)
	if a.Answer == nil {
		delete(answers, a.QuestionID)
	} else {
		answers[a.QuestionID] = a.Answer
	}
	request.Answers = answersOrAbsent(answers)
	next := *s
	next.InputRequests = withItem(s.InputRequests, i, request)
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return &next
}

// chatInputCompleted closes every request with the id, with what became of the first. See [withSettledRequest]. Whether
// the chat was read does not change.
//
// It does nothing when no open request has the id.
func (r *Reducer) chatInputCompleted(s *ChatState, a *ChatInputCompletedAction) *ChatState {
	i := openInputRequest(s, a.RequestID)
	if i < 0 {
		return s
	}
	next := *withSettledRequest(s, s.InputRequests[i], a)
	next.InputRequests = absentIfEmpty(slices.DeleteFunc(slices.Clone(s.InputRequests), hasRequestID(a.RequestID)))
	next.Status = withActivity(s.Status, chatActivity(&next))
	next.ModifiedAt = r.modifiedMeanwhile(s)
	return &next
}

// withSettledRequest returns a copy of the chat whose open turn, if there is one, ends in the request, with the answers
// that the action brings over those given before, and with what became of it.
func withSettledRequest(s *ChatState, request ChatInputRequest, a *ChatInputCompletedAction) *ChatState {
	if s.ActiveTurn == nil {
		return s
	}
	answers := map[string]ChatInputAnswer{}
	maps.Copy(answers, request.Answers)
	maps.Copy(answers, a.Answers)
	request.Answers = answersOrAbsent(answers)
	part := &InputRequestResponsePart{Request: request, Response: a.Response}
	return withParts(s, withAppended(s.ActiveTurn.ResponseParts, ResponsePart(part)))
}

// openInputRequest returns the index of the first open request with the id, or -1.
func openInputRequest(s *ChatState, id string) int {
	return slices.IndexFunc(s.InputRequests, hasRequestID(id))
}

func hasRequestID(id string) func(ChatInputRequest) bool {
	return func(request ChatInputRequest) bool { return request.ID == id }
}
