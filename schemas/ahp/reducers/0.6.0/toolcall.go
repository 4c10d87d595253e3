//go:build ahpgen_reducers

package ahp

import "cmp"

// keptInput is the arguments of a call.
type keptInput = *string

// streamedContent is what an action adds to the arguments. There is always something, if only an empty text.
func streamedContent(a *ChatToolCallDeltaAction) *string { return &a.Content }

// editedInput returns the arguments of a call after the user has edited them, nil for not at all. What was edited takes
// the place of arguments, whether or not there were any.
func editedInput(old, edited *string) *string { return cmp.Or(edited, old) }

// chatToolCallReady makes a call run whose confirmation comes with the action, and makes any other wait
// for the user's. It is for calls whose arguments were streamed, and also for calls that wait or run
// already: a host may ask again. What was streamed, confirmed, chosen or put out before is dropped, and so are
// the arguments; what the action leaves out of a question stays as in the question that was open.
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
		call.invocationMessage = a.InvocationMessage
		call.toolInput = a.ToolInput
		if a.Confirmed != nil && *a.Confirmed != "" {
			call.confirmed, call.selectedOption, call.content = *a.Confirmed, nil, nil
			return call.running()
		}
		next := call.pendingConfirmation()
		next.ToolInput = cmp.Or(a.ToolInput, question.ToolInput)
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
