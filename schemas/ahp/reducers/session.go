//go:build ahpgen_reducers

// Reducers of the session channel that cannot be stated as data: those of customizations,
// which are a tree of two levels.

package ahp

import "slices"

// sessionCustomizationToggled switches the customization with the id on or off: the one at the top, of
// whatever type, or else the first such child of the first container that has one.
//
// It does nothing when no customization has the id.
func (r *Reducer) sessionCustomizationToggled(s *SessionState, a *SessionCustomizationToggledAction) *SessionState {
	if i := customizationIndex(s.Customizations, a.ID); i >= 0 {
		return withCustomization(s, i, customizationEnabled(s.Customizations[i], a.Enabled))
	}
	for i, container := range s.Customizations {
		children := childrenOf(container)
		if k := childIndex(children, a.ID); k >= 0 {
			children = withItem(children, k, childEnabled(children[k], a.Enabled))
			return withCustomization(s, i, withChildren(container, children))
		}
	}
	return s
}

// sessionCustomizationRemoved drops the customization with the id: the one at the top together with
// its children, or else the first such child of every container. Lists that become empty stay.
//
// It does nothing when no customization has the id.
func (r *Reducer) sessionCustomizationRemoved(s *SessionState, a *SessionCustomizationRemovedAction) *SessionState {
	if i := customizationIndex(s.Customizations, a.ID); i >= 0 {
		next := *s
		next.Customizations = withoutItem(s.Customizations, i)
		return &next
	}
	for i, container := range s.Customizations {
		children := childrenOf(container)
		if k := childIndex(children, a.ID); k >= 0 {
			s = withCustomization(s, i, withChildren(container, withoutItem(children, k)))
		}
	}
	return s
}

// sessionMCPServerStateChanged takes over how an MCP server is doing and the channel under which it can
// be reached, absent where it cannot be. See [setMCPServerState] for which server, and when nothing happens.
func (r *Reducer) sessionMCPServerStateChanged(s *SessionState, a *SessionMCPServerStateChangedAction) *SessionState {
	return setMCPServerState(s, a.ID, a.State, a.Channel)
}

// sessionMCPServerStartRequested shows an MCP server as starting, before the host has said more. See
// [setMCPServerState] for which server, and when nothing happens.
func (r *Reducer) sessionMCPServerStartRequested(s *SessionState, a *SessionMCPServerStartRequestedAction) *SessionState {
	return setMCPServerState(s, a.ID, &MCPServerStartingState{}, nil)
}

// sessionMCPServerStopRequested shows an MCP server as stopped, before the host has said more. See
// [setMCPServerState] for which server, and when nothing happens.
func (r *Reducer) sessionMCPServerStopRequested(s *SessionState, a *SessionMCPServerStopRequestedAction) *SessionState {
	return setMCPServerState(s, a.ID, &MCPServerStoppedState{}, nil)
}

// setMCPServerState sets state and channel of an MCP server. See [changeMCPServer] for which server, and when nothing
// happens.
func setMCPServerState(s *SessionState, id string, state MCPServerState, channel *URI) *SessionState {
	return changeMCPServer(s, id, func(server *MCPServerCustomization) *MCPServerCustomization {
		next := *server
		next.State, next.Channel = state, channel
		return &next
	})
}

// changeMCPServer changes the MCP server with the id: the one at the top, or else the first such child of every
// container. What change returns as it is stays.
//
// It does nothing when there is no such server, nor when the customization at the top that has the id
// is of another type: children are not searched then.
func changeMCPServer(s *SessionState, id string, change func(*MCPServerCustomization) *MCPServerCustomization) *SessionState {
	if i := customizationIndex(s.Customizations, id); i >= 0 {
		server, ok := s.Customizations[i].(*MCPServerCustomization)
		if !ok {
			return s
		}
		if changed := change(server); changed != server {
			return withCustomization(s, i, changed)
		}
		return s
	}
	for i, container := range s.Customizations {
		children := childrenOf(container)
		k := slices.IndexFunc(children, func(child ChildCustomization) bool {
			server, ok := child.(*MCPServerCustomization)
			return ok && server.ID == id
		})
		if k < 0 {
			continue
		}
		server := children[k].(*MCPServerCustomization)
		if changed := change(server); changed != server {
			children = withItem(children, k, ChildCustomization(changed))
			s = withCustomization(s, i, withChildren(container, children))
		}
	}
	return s
}
