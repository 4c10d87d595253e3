//go:build ahpgen_reducers

// Reducers of the session channel that cannot be stated as data: those of customizations, which
// are a tree of two levels.

package ahp

import "github.com/ahpgen/ahpgen/templates/wire/state"

// sessionCustomizationToggled puts the customization with the id under other decisions on whether it is on: the one at
// the top, of whatever type, or else the first such child of the first container that has one.
//
// It does nothing when no customization has the id.
func (r *Reducer) sessionCustomizationToggled(s *SessionState, a *SessionCustomizationToggledAction) *SessionState {
	if i := customizationIndex(s.Customizations, a.ID); i >= 0 {
		return withCustomization(s, i, customizationEnabled(s.Customizations[i], a.Enablement))
	}
	for i, container := range s.Customizations {
		children := childrenOf(container)
		if k := childIndex(children, a.ID); k >= 0 {
			children = withItem(children, k, childEnabled(children[k], a.Enablement))
			return withCustomization(s, i, withChildren(container, children))
		}
	}
	return s
}

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
