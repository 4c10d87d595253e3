// The journal: one line for each event on either side.

package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// journal prints lines prefixed with the speaker.
type journal struct {
	who string
	mu  *sync.Mutex // shared by journals with the same output
	out io.Writer
}

func (j journal) say(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.out, "%-6s  %s\n", j.who, fmt.Sprintf(format, args...)) // output errors are ignored
}

// states prints the final states, which are equal on both sides.
func (j journal) states(states map[string][]byte) {
	for _, uri := range slices.Sorted(maps.Keys(states)) {
		sum := sha256.Sum256(states[uri])
		j.say("ends with %s: %d bytes, %x", uri, len(states[uri]), sum[:4])
	}
}

// describe summarises an action.
func describe(action ahp.StateAction) string {
	what := string(action.ActionType())
	switch a := action.(type) {
	case *ahp.ChatTurnStartedAction:
		return fmt.Sprintf("%s %q", what, a.Message.Text)
	case *ahp.ChatDeltaAction:
		return fmt.Sprintf("%s %q", what, a.Content)
	case *ahp.ChatToolCallStartAction:
		return fmt.Sprintf("%s %q", what, a.DisplayName)
	case *ahp.SessionTitleChangedAction:
		return fmt.Sprintf("%s %q", what, a.Title)
	case *ahp.AutomationCreateRequestedAction:
		return fmt.Sprintf("%s %q", what, a.Definition.Title)
	case *ahp.AutomationSetAction:
		return fmt.Sprintf("%s %q", what, a.Automation.Definition.Title)
	case *ahp.RootActiveSessionsChangedAction:
		return fmt.Sprintf("%s %d", what, a.ActiveSessions)
	}
	return what
}
