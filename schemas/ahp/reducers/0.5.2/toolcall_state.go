//go:build ahpgen_reducers

package ahp

import "encoding/json"

// keptOf returns what a call in this state can take along, with the extra data that an action brought,
// if it did. A call that has come to an end has no next state, nor has one in a state that is not known:
// of those it is nothing.
//
//ahpgen:others ToolCallCompletedState ToolCallCancelledState
func keptOf(state ToolCallState, newer map[string]json.RawMessage) keptToolCall {
	var call keptToolCall
	switch s := state.(type) {
	case *ToolCallStreamingState:
		call = keptToolCall{
			s.ToolCallID, s.ToolName, s.DisplayName, s.Intention, s.Contributor, s.Meta,
			s.InvocationMessage, nil, "", nil, nil,
		}
	case *ToolCallPendingConfirmationState:
		call = keptToolCall{
			s.ToolCallID, s.ToolName, s.DisplayName, s.Intention, s.Contributor, s.Meta,
			s.InvocationMessage, s.ToolInput, "", nil, nil,
		}
	case *ToolCallRunningState:
		call = keptToolCall{
			s.ToolCallID, s.ToolName, s.DisplayName, s.Intention, s.Contributor, s.Meta,
			s.InvocationMessage, s.ToolInput, s.Confirmed, s.SelectedOption, s.Content,
		}
	case *ToolCallPendingResultConfirmationState:
		call = keptToolCall{
			s.ToolCallID, s.ToolName, s.DisplayName, s.Intention, s.Contributor, s.Meta,
			s.InvocationMessage, s.ToolInput, s.Confirmed, s.SelectedOption, s.Content,
		}
	default: // nothing goes along
	}
	call.meta = newerMeta(newer, call.meta)
	return call
}
