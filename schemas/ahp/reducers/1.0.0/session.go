//go:build ahpgen_reducers

// Reducers of the session channel that cannot be stated as data: those of customizations, which
// are a tree of two levels.

package ahp

import "github.com/ahpgen/ahpgen/templates/wire/state"

// sessionMCPServerBackgroundRequested stops waiting for an MCP server that is starting. See [changeMCPServer] for
// which server.
//
// It is a no-op unless the session waits for it.
func (r *Reducer) sessionMCPServerBackgroundRequested(s *SessionState, a *SessionMCPServerBackgroundRequestedAction) *SessionState {
	return changeMCPServer(s, a.ID, func(server *MCPServerCustomization) *MCPServerCustomization {
		starting, ok := server.State.(*MCPServerStartingState)
		if !ok || starting.Blocking == nil || !*starting.Blocking {
			return server
		}
		released := *starting
		released.Blocking = state.Pointer(false)
		next := *server
		next.State = &released
		return &next
	})
}
