//go:build ahpgen_reducers

// Reducers for tool calls, which are parts of the open turn. Each action is for calls in certain states:
//
//	action            from                                          to
//	start                                                           streaming
//	delta             streaming                                     streaming
//	ready             streaming, pending-confirmation, running      pending-confirmation, running
//	approved          pending-confirmation                          running
//	denied            pending-confirmation                          cancelled
//	contentChanged    running                                       running
//	authRequired      running                                       auth-required
//	authResolved      auth-required                                 running
//	complete          pending-confirmation, running, auth-required  pending-result-confirmation, completed
//	resultConfirmed   pending-result-confirmation                   completed, cancelled
//
// The action is for every call of the turn that has the id. A call in any other state, known or not, is
// left alone. Where an action can change whether the chat waits for the user, the status is worked out
// anew even if no call was changed, so that a status that went wrong comes right.

package ahp

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire/state"
)

// chatToolCallStart appends a call to the open turn whose arguments are still to come.
//
// It does nothing when the turn is not the open one.
func (r *Reducer) chatToolCallStart(s *ChatState, a *ChatToolCallStartAction) *ChatState {
	turn, ok := activeTurn(s, a.TurnID)
	if !ok {
		return s
	}
	part := &ToolCallResponsePart{ToolCall: &ToolCallStreamingState{
		ToolCallID:  a.ToolCallID,
		ToolName:    a.ToolName,
		DisplayName: a.DisplayName,
		Intention:   a.Intention,
		Contributor: a.Contributor,
		Meta:        a.Meta,
	}}
	return withParts(s, withAppended(turn.ResponseParts, ResponsePart(part)))
}

// chatToolCallDelta appends to the arguments of a streaming call and takes over its line for people and
// its extra data, each only if the action brings it.
//
// It does nothing when no call with the id is streaming, or when the action brings nothing.
func (r *Reducer) chatToolCallDelta(s *ChatState, a *ChatToolCallDeltaAction) *ChatState {
	content := streamedContent(a)
	if content == nil && a.InvocationMessage == nil && a.Meta == nil {
		return s
	}
	return updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		old, ok := state.(*ToolCallStreamingState)
		if !ok {
			return state
		}
		next := *old
		if content != nil {
			input := *content
			if old.PartialInput != nil {
				input = r.appendText(*old.PartialInput, input)
			}
			next.PartialInput = &input
		}
		next.InvocationMessage = cmp.Or(a.InvocationMessage, old.InvocationMessage)
		next.Meta = newerMeta(a.Meta, old.Meta)
		return &next
	})
}

// streamedContent is what an action adds to the arguments, nil for nothing.
func streamedContent(a *ChatToolCallDeltaAction) *string { return a.Content }

// chatToolCallReady makes a call run whose confirmation comes with the action, and makes any other wait
// for the user's. It is for calls whose arguments were streamed, and also for calls that wait or run
// already: a host may ask again. What was streamed, confirmed, chosen or put out before is dropped; what
// the action leaves out of a question stays as in the question that was open.
//
// When no call with the id is streaming, waiting or running, only the status is worked out anew.
//
//ahpgen:others ToolCallAuthRequiredState ToolCallPendingResultConfirmationState ToolCallCompletedState ToolCallCancelledState
func (r *Reducer) chatToolCallReady(s *ChatState, a *ChatToolCallReadyAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		var question ToolCallPendingConfirmationState // the open one
		switch old := state.(type) {
		case *ToolCallStreamingState, *ToolCallRunningState:
		case *ToolCallPendingConfirmationState:
			question = *old
		default:
			return state
		}
		call := keptOf(state, a.Meta)
		call.contributor = refinedContributor(call.contributor, a.Contributor)
		call.intention = cmp.Or(a.Intention, call.intention)
		call.invocationMessage = a.InvocationMessage
		call.toolInput = cmp.Or(a.ToolInput, call.toolInput)
		if a.Confirmed != nil && *a.Confirmed != "" {
			call.confirmed, call.selectedOption, call.content = *a.Confirmed, nil, nil
			return call.running()
		}
		next := call.pendingConfirmation()
		next.ConfirmationTitle = cmp.Or(a.ConfirmationTitle, question.ConfirmationTitle)
		next.RiskAssessment = cmp.Or(a.RiskAssessment, question.RiskAssessment)
		next.Edits = cmp.Or(a.Edits, question.Edits)
		next.Editable = cmp.Or(a.Editable, question.Editable)
		next.Options = question.Options
		if a.Options != nil {
			next.Options = a.Options
		}
		return next
	}))
}

// refinedContributor returns who brought the tool once the call is ready. A client that was named at the
// start executes the call and stays; one that is named only now would be too late for that and does not
// count.
func refinedContributor(old, late ToolCallContributor) ToolCallContributor {
	if late == nil || isClient(old) || isClient(late) {
		return old
	}
	return late
}

func isClient(c ToolCallContributor) bool {
	_, ok := c.(*ToolCallClientContributor)
	return ok
}

// chatToolCallApproved makes a call run that waits for the user, with the arguments as the user edited them.
// See [editedInput].
//
// When no call with the id waits for the user, only the status is worked out anew.
//
//ahpgen:action chat/toolCallConfirmed
func (r *Reducer) chatToolCallApproved(s *ChatState, a *ChatToolCallApprovedAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		old, ok := state.(*ToolCallPendingConfirmationState)
		if !ok {
			return state
		}
		call := keptOf(state, a.Meta)
		call.confirmed = a.Confirmed
		call.selectedOption = selectedOption(old.Options, a.SelectedOptionID)
		call.toolInput = editedInput(old.ToolInput, a.EditedToolInput)
		return call.running()
	}))
}

// editedInput returns the arguments of a call after the user has edited them, nil for not at all. What was edited takes
// the place of arguments that are text, and only of those.
func editedInput(old ToolInput, edited *string) ToolInput {
	if _, text := old.(ToolInputString); text && edited != nil {
		return ToolInputString(*edited)
	}
	return old
}

// chatToolCallDenied cancels a call that waits for the user, with what the user said about it.
//
// When no call with the id waits for the user, only the status is worked out anew.
//
//ahpgen:action chat/toolCallConfirmed
func (r *Reducer) chatToolCallDenied(s *ChatState, a *ChatToolCallDeniedAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		old, ok := state.(*ToolCallPendingConfirmationState)
		if !ok {
			return state
		}
		call := keptOf(state, a.Meta)
		call.selectedOption = selectedOption(old.Options, a.SelectedOptionID)
		next := call.cancelled(ToolCallCancellationReason(a.Reason))
		next.ReasonMessage = a.ReasonMessage
		next.UserSuggestion = a.UserSuggestion
		return next
	}))
}

// selectedOption returns the option that was picked, nil if none was or none has the id.
func selectedOption(options []ConfirmationOption, id *string) *ConfirmationOption {
	if id == nil || *id == "" {
		return nil
	}
	i := slices.IndexFunc(options, func(o ConfirmationOption) bool { return o.ID == *id })
	if i < 0 {
		return nil
	}
	return state.Pointer(options[i])
}

// chatToolCallContentChanged replaces what a running call has put out so far.
//
// It does nothing when no call with the id runs.
func (r *Reducer) chatToolCallContentChanged(s *ChatState, a *ChatToolCallContentChangedAction) *ChatState {
	return updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		old, ok := state.(*ToolCallRunningState)
		if !ok {
			return state
		}
		next := *old
		next.Content = a.Content
		next.Meta = newerMeta(a.Meta, old.Meta)
		return &next
	})
}

// chatToolCallAuthRequired stops a running call until the user has signed in to the MCP server that
// brought the tool.
//
// When no call with the id runs, or no MCP server brought its tool, only the status is worked out anew.
func (r *Reducer) chatToolCallAuthRequired(s *ChatState, a *ChatToolCallAuthRequiredAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		old, ok := state.(*ToolCallRunningState)
		if !ok {
			return state
		}
		server, ok := old.Contributor.(*ToolCallMCPContributor)
		if !ok {
			return state
		}
		return keptOf(state, a.Meta).authRequired(*server, a.Auth)
	}))
}

// chatToolCallAuthResolved makes a call run again that was stopped for signing in.
//
// When no call with the id is stopped for that, only the status is worked out anew.
func (r *Reducer) chatToolCallAuthResolved(s *ChatState, a *ChatToolCallAuthResolvedAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		if _, ok := state.(*ToolCallAuthRequiredState); !ok {
			return state
		}
		return keptOf(state, a.Meta).running()
	}))
}

// chatToolCallComplete ends a call with its result, or puts the result before the user where the action
// says so. A call that still waited for its confirmation turns out to need none. Of a running call what
// it had put out is dropped unless the result repeats it. A call that was stopped for signing in can
// only fail, without a review, and keeps what it had put out unless the result has something else.
//
// When no call with the id waits, runs or is stopped, or when a stopped one is said to have succeeded,
// only the status is worked out anew.
//
//ahpgen:others ToolCallStreamingState ToolCallPendingResultConfirmationState ToolCallCompletedState ToolCallCancelledState
func (r *Reducer) chatToolCallComplete(s *ChatState, a *ChatToolCallCompleteAction) *ChatState {
	review := a.RequiresResultConfirmation != nil && *a.RequiresResultConfirmation
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		call, result := keptOf(state, a.Meta), a.Result
		switch state.(type) {
		case *ToolCallPendingConfirmationState:
			call.confirmed = ToolCallConfirmationReasonNotNeeded
		case *ToolCallRunningState:
		case *ToolCallAuthRequiredState:
			if result.Success {
				return state
			}
			if result.Content == nil {
				result.Content = call.content
			}
			return call.completed(result)
		default:
			return state
		}
		if review {
			return call.pendingResultConfirmation(result)
		}
		return call.completed(result)
	}))
}

// chatToolCallResultConfirmed ends a call whose result was before the user: with the result if it was
// approved, without it if not.
//
// When no call with the id has a result before the user, only the status is worked out anew.
func (r *Reducer) chatToolCallResultConfirmed(s *ChatState, a *ChatToolCallResultConfirmedAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		old, ok := state.(*ToolCallPendingResultConfirmationState)
		if !ok {
			return state
		}
		call := keptOf(state, a.Meta)
		if !a.Approved {
			return call.cancelled(ToolCallCancellationReasonResultDenied)
		}
		return call.completed(ToolCallResult{
			Success:           old.Success,
			PastTenseMessage:  old.PastTenseMessage,
			Content:           old.Content,
			StructuredContent: old.StructuredContent,
			Error:             old.Error,
		})
	}))
}

// updateToolCalls replaces the state of every call of the open turn that has the id by what change makes
// of it. It returns s itself when the turn is not the open one or change returns what it was given.
func updateToolCalls(s *ChatState, turnID, id string, change func(ToolCallState) ToolCallState) *ChatState {
	turn, ok := activeTurn(s, turnID)
	if !ok {
		return s
	}
	var parts []ResponsePart // a copy, once there is a change
	for i, part := range turn.ResponseParts {
		call, ok := part.(*ToolCallResponsePart)
		if !ok || toolCallID(call.ToolCall) != id {
			continue
		}
		state := change(call.ToolCall)
		if state == call.ToolCall {
			continue
		}
		if parts == nil {
			parts = slices.Clone(turn.ResponseParts)
		}
		next := *call
		next.ToolCall = state
		parts[i] = &next
	}
	if parts == nil {
		return s
	}
	return withParts(s, parts)
}
