//go:build ahpgen_reducers

// Reducers of the terminal channel that cannot be stated as data: output, which belongs to the command
// that runs, if the terminal tells commands apart.

package ahp

import "github.com/ahpgen/ahpgen/templates/wire/state"

// terminalData appends output to the last part of the content, if that takes output: a command that
// still runs, or text that belongs to no command. Otherwise it starts such a text.
//
// It does nothing when there is a part to append to but nothing to append.
func (r *Reducer) terminalData(s *TerminalState, a *TerminalDataAction) *TerminalState {
	next := *s
	if last := len(s.Content) - 1; last >= 0 {
		if part, ok := r.withOutput(s.Content[last], a.Data); ok {
			if a.Data == "" {
				return s
			}
			next.Content = withItem(s.Content, last, part)
			return &next
		}
	}
	next.Content = withAppended(s.Content, TerminalContentPart(&TerminalUnclassifiedPart{Value: a.Data}))
	return &next
}

// withOutput returns a copy of the part with more output, if it takes any.
func (r *Reducer) withOutput(part TerminalContentPart, data string) (grown TerminalContentPart, ok bool) {
	switch part := part.(type) {
	case *TerminalCommandPart:
		if part.IsComplete {
			return nil, false
		}
		next := *part
		next.Output = r.appendText(part.Output, data)
		return &next, true
	case *TerminalUnclassifiedPart:
		next := *part
		next.Value = r.appendText(part.Value, data)
		return &next, true
	default:
		return nil, false
	}
}

// terminalCommandExecuted appends a command that has put out nothing so far. A host that reports one
// can tell commands apart, whether or not it has said so before.
func (r *Reducer) terminalCommandExecuted(s *TerminalState, a *TerminalCommandExecutedAction) *TerminalState {
	next := *s
	next.Content = withAppended(s.Content, TerminalContentPart(&TerminalCommandPart{
		CommandID:   a.CommandID,
		CommandLine: a.CommandLine,
		Output:      "",
		Timestamp:   a.Timestamp,
		IsComplete:  false,
	}))
	next.SupportsCommandDetection = state.Pointer(true)
	return &next
}
