//go:build ahpgen_reducers

// The states of a tool call, and what a call keeps when it goes from one to the next.

package ahp

import (
	"bytes"
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// keptToolCall is what a call can take along into its next state. Every state has a place for some of
// it; what has no place there is dropped.
type keptToolCall struct {
	id                string
	toolName          string
	displayName       string
	intention         *string
	contributor       ToolCallContributor
	meta              map[string]json.RawMessage
	invocationMessage StringOrMarkdown
	toolInput         keptInput
	confirmed         ToolCallConfirmationReason
	selectedOption    *ConfirmationOption
	content           []ToolResultContent
}

// keptInput is the arguments of a call.
type keptInput = ToolInput

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
	case *ToolCallAuthRequiredState:
		call = keptToolCall{
			s.ToolCallID, s.ToolName, s.DisplayName, s.Intention, &s.Contributor, s.Meta,
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

// newerMeta returns the extra data of a call after an action: all of the action's, or the older where
// the action brought none.
func newerMeta(newer, older map[string]json.RawMessage) map[string]json.RawMessage {
	if newer == nil {
		return older
	}
	return newer
}

// toolCallID returns the id of a call, none for one that can take nothing along: no action is for it.
func toolCallID(state ToolCallState) string { return keptOf(state, nil).id }

// withIntention notes in the state of a call what the call is for, and returns it.
//
//ahpgen:others ToolCallStreamingState ToolCallAuthRequiredState
func withIntention[S ToolCallState](state S, intention *string) S {
	switch state := ToolCallState(state).(type) {
	case *ToolCallPendingConfirmationState:
		state.Intention = intention
	case *ToolCallRunningState:
		state.Intention = intention
	case *ToolCallPendingResultConfirmationState:
		state.Intention = intention
	case *ToolCallCompletedState:
		state.Intention = intention
	case *ToolCallCancelledState:
		state.Intention = intention
	default: // no other state is made with it
	}
	return state
}

// pendingConfirmation is the call waiting for the user, without the details of the question.
func (c keptToolCall) pendingConfirmation() *ToolCallPendingConfirmationState {
	return withIntention(&ToolCallPendingConfirmationState{
		ToolCallID:        c.id,
		ToolName:          c.toolName,
		DisplayName:       c.displayName,
		Contributor:       c.contributor,
		Meta:              c.meta,
		InvocationMessage: c.invocationMessage,
		ToolInput:         c.toolInput,
	}, c.intention)
}

// running is the call at work.
func (c keptToolCall) running() *ToolCallRunningState {
	return withIntention(&ToolCallRunningState{
		ToolCallID:        c.id,
		ToolName:          c.toolName,
		DisplayName:       c.displayName,
		Contributor:       c.contributor,
		Meta:              c.meta,
		InvocationMessage: c.invocationMessage,
		ToolInput:         c.toolInput,
		Confirmed:         c.confirmed,
		SelectedOption:    c.selectedOption,
		Content:           c.content,
	}, c.intention)
}

// authRequired is the call stopped until the user has signed in to the server.
func (c keptToolCall) authRequired(server ToolCallMCPContributor, auth MCPAuthRequirement) *ToolCallAuthRequiredState {
	return &ToolCallAuthRequiredState{
		ToolCallID:        c.id,
		ToolName:          c.toolName,
		DisplayName:       c.displayName,
		Intention:         c.intention,
		Contributor:       server,
		Meta:              c.meta,
		InvocationMessage: c.invocationMessage,
		ToolInput:         c.toolInput,
		Confirmed:         c.confirmed,
		SelectedOption:    c.selectedOption,
		Auth:              auth,
		Content:           c.content,
	}
}

// pendingResultConfirmation is the call done, with its result before the user.
func (c keptToolCall) pendingResultConfirmation(result ToolCallResult) *ToolCallPendingResultConfirmationState {
	return withIntention(&ToolCallPendingResultConfirmationState{
		ToolCallID:        c.id,
		ToolName:          c.toolName,
		DisplayName:       c.displayName,
		Contributor:       c.contributor,
		Meta:              c.meta,
		InvocationMessage: c.invocationMessage,
		ToolInput:         c.toolInput,
		Success:           result.Success,
		PastTenseMessage:  result.PastTenseMessage,
		Content:           result.Content,
		StructuredContent: result.StructuredContent,
		Error:             result.Error,
		Confirmed:         c.confirmed,
		SelectedOption:    c.selectedOption,
	}, c.intention)
}

// completed is the call done, well or not.
func (c keptToolCall) completed(result ToolCallResult) *ToolCallCompletedState {
	return withIntention(&ToolCallCompletedState{
		ToolCallID:        c.id,
		ToolName:          c.toolName,
		DisplayName:       c.displayName,
		Contributor:       c.contributor,
		Meta:              c.meta,
		InvocationMessage: c.invocationMessage,
		ToolInput:         c.toolInput,
		Success:           result.Success,
		PastTenseMessage:  result.PastTenseMessage,
		Content:           result.Content,
		StructuredContent: result.StructuredContent,
		Error:             result.Error,
		Confirmed:         c.confirmed,
		SelectedOption:    c.selectedOption,
	}, c.intention)
}

// cancelled is the call given up, without what the user may have said about it.
func (c keptToolCall) cancelled(reason ToolCallCancellationReason) *ToolCallCancelledState {
	return withIntention(&ToolCallCancelledState{
		ToolCallID:        c.id,
		ToolName:          c.toolName,
		DisplayName:       c.displayName,
		Contributor:       c.contributor,
		Meta:              c.meta,
		InvocationMessage: c.invocationMessage,
		ToolInput:         c.toolInput,
		Reason:            reason,
		SelectedOption:    c.selectedOption,
	}, c.intention)
}

// afterTurn returns the state of a call once its turn is over: what has not come to an end is skipped.
//
//ahpgen:others ToolCallStreamingState ToolCallPendingConfirmationState ToolCallRunningState ToolCallAuthRequiredState ToolCallPendingResultConfirmationState
func afterTurn(state ToolCallState) ToolCallState {
	switch state := state.(type) {
	case *ToolCallCompletedState, *ToolCallCancelledState:
		return state
	case *UnknownToolCallState:
		return skippedUnknown(state)
	default: // it has not come to an end
	}
	call := keptOf(state, nil)
	call.selectedOption = nil
	if call.invocationMessage == nil {
		call.invocationMessage = StringOrMarkdownString("")
	}
	return call.cancelled(ToolCallCancellationReasonSkipped)
}

// skippedUnknown cancels a call in a state that is not known, with what every state says about a call.
// That the state may be an end of its own kind cannot be told from here; all peers of this version take
// it for none. What lacks something that every call has stays as it is.
func skippedUnknown(state *UnknownToolCallState) ToolCallState {
	var old map[string]json.RawMessage
	if json.Unmarshal(state.Raw, &old) != nil {
		return state
	}
	next := map[string]json.RawMessage{
		"status":            json.RawMessage(`"` + ToolCallStatusCancelled + `"`),
		"reason":            json.RawMessage(`"` + ToolCallCancellationReasonSkipped + `"`),
		"invocationMessage": json.RawMessage(`""`),
	}
	for _, name := range []string{
		"toolCallId", "toolName", "displayName", "intention", "contributor", "_meta", "invocationMessage", "toolInput",
	} {
		if value, ok := old[name]; ok && !bytes.Equal(value, []byte("null")) {
			next[name] = value
		}
	}
	data, err := codec.AppendAs(nil, next, func(m map[string]json.RawMessage, dst []byte, e *wire.Encoder) []byte {
		return codec.AppendRawMap(dst, e, "", m)
	})
	if err != nil {
		return state
	}
	cancelled, err := DecodeToolCallState(data)
	if err != nil {
		return state
	}
	return cancelled
}
