//go:build ahpgen_reducers

package ahp

import (
	"encoding/json"
	"slices"
)

// sessionInputNeededSet adds a request, or puts it in the place of the first with its id.
func (r *Reducer) sessionInputNeededSet(s *SessionState, a *SessionInputNeededSetAction) *SessionState {
	next := *s
	i := -1
	if id, ok := inputRequestID(a.Request); ok {
		i = slices.IndexFunc(s.InputNeeded, func(request SessionInputRequest) bool { return inputRequestHasID(request, id) })
	}
	if i < 0 {
		next.InputNeeded = withAppended(s.InputNeeded, a.Request)
	} else {
		next.InputNeeded = withItem(s.InputNeeded, i, a.Request)
	}
	next.Status = inputNeededStatus(s.Status, next.InputNeeded)
	return &next
}

// inputNeededStatus is the status of a session with these requests. It waits for the user unless all of them only wait
// for a client to run a tool. Otherwise only the bit that asks for the user is cleared: whether the session is still
// at work is not for requests to say.
func inputNeededStatus(status SessionStatus, requests []SessionInputRequest) SessionStatus {
	for _, request := range requests {
		if _, ok := request.(*SessionToolClientExecutionRequest); !ok {
			return withActivity(status, SessionStatusInputNeeded)
		}
	}
	return status.Without(SessionStatusInputNeeded &^ SessionStatusInProgress)
}

// inputRequestID returns the id of the request, also where its kind is unknown, if it has one.
func inputRequestID(request SessionInputRequest) (id string, ok bool) {
	if request == nil {
		return "", false
	}
	if unknown, is := request.(*UnknownSessionInputRequest); is {
		var got *string
		if json.Unmarshal(rawMember(unknown.Raw, "id"), &got) != nil || got == nil {
			return "", false
		}
		return *got, true
	}
	return request.GetID(), true
}
