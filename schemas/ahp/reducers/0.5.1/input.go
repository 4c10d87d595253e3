//go:build ahpgen_reducers

package ahp

// withSettledRequest returns the chat unchanged: the outcome of a request is reported, and not stored.
//
//ahpgen:others Response
func withSettledRequest(s *ChatState, _ ChatInputRequest, _ *ChatInputCompletedAction) *ChatState {
	return s
}
