//go:build ahpgen_reducers

// Reducers for tool calls, which are parts of the open turn. Each action is for calls in certain states:
//
//	action            from                           to
//	start                                            streaming
//	delta             streaming                      streaming
//	ready             streaming, running             pending-confirmation, running
//	approved          pending-confirmation           running
//	denied            pending-confirmation           cancelled
//	contentChanged    running                        running
//	complete          pending-confirmation, running  pending-result-confirmation, completed
//	resultConfirmed   pending-result-confirmation    completed, cancelled
//
// The action is for every call of the turn that has the id. A call in any other state, known or not, is
// left alone. Where an action can change whether the chat waits for the user, the status is worked out
// anew even if no call was changed, so that a status that went wrong comes right.

package ahp

// chatToolCallReady makes a call run whose confirmation comes with the action, and makes any other wait
// for the user's. It is for calls whose arguments were streamed, and for calls that run. Whatever was known of
// the call but who brought it and what it is for is dropped.
//
// When no call with the id is streaming or running, only the status is worked out anew.
//
//ahpgen:others ToolCallPendingConfirmationState ToolCallPendingResultConfirmationState ToolCallCompletedState ToolCallCancelledState
func (r *Reducer) chatToolCallReady(s *ChatState, a *ChatToolCallReadyAction) *ChatState {
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		switch state.(type) {
		case *ToolCallStreamingState, *ToolCallRunningState:
		default:
			return state
		}
		call := keptOf(state, a.Meta)
		call.invocationMessage = a.InvocationMessage
		call.toolInput = a.ToolInput
		if a.Confirmed != nil && *a.Confirmed != "" {
			call.confirmed, call.selectedOption, call.content = *a.Confirmed, nil, nil
			return call.running()
		}
		next := call.pendingConfirmation()
		next.ConfirmationTitle = a.ConfirmationTitle
		next.Edits = a.Edits
		next.Editable = a.Editable
		next.Options = a.Options
		return next
	}))
}

// chatToolCallComplete ends a call with its result, or puts the result before the user where the action
// says so. A call that still waited for its confirmation turns out to need none. Of a running call what
// it had put out is dropped unless the result repeats it.
//
// When no call with the id waits or runs, only the status is worked out anew.
//
//ahpgen:others ToolCallStreamingState ToolCallPendingResultConfirmationState ToolCallCompletedState ToolCallCancelledState
func (r *Reducer) chatToolCallComplete(s *ChatState, a *ChatToolCallCompleteAction) *ChatState {
	review := a.RequiresResultConfirmation != nil && *a.RequiresResultConfirmation
	return refreshStatus(updateToolCalls(s, a.TurnID, a.ToolCallID, func(state ToolCallState) ToolCallState {
		call := keptOf(state, a.Meta)
		switch state.(type) {
		case *ToolCallPendingConfirmationState:
			call.confirmed = ToolCallConfirmationReasonNotNeeded
		case *ToolCallRunningState:
		default:
			return state
		}
		if review {
			return call.pendingResultConfirmation(a.Result)
		}
		return call.completed(a.Result)
	}))
}
