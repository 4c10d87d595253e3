//go:build ahpgen_reducers

package ahp

// forgetOlderTurns does nothing: the history is always there as a whole.
func forgetOlderTurns(*ChatState) {}
