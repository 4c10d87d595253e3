//go:build ahpgen_reducers

package ahp

// withSettledRequest returns the chat as it is: what became of a request is told, and not kept.
//
//ahpgen:others Response
func withSettledRequest(s *ChatState, _ ChatInputRequest, _ *ChatInputCompletedAction) *ChatState {
	return s
}
