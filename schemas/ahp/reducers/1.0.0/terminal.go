//go:build ahpgen_reducers

// Reducers of the terminal channel that cannot be stated as data: output, which belongs to the command
// that runs, if the terminal tells commands apart, and the end of the process.

package ahp

// terminalExited notes that the process has ended, and how if that is known.
func (r *Reducer) terminalExited(s *TerminalState, a *TerminalExitedAction) *TerminalState {
	next := *s
	next.Lifecycle = &TerminalExitedLifecycleState{ExitCode: a.ExitCode}
	return &next
}
