//go:build ahpgen_reducers

// Reducers of the session channel that cannot be stated as data: requests for input, and
// customizations, which are a tree of two levels.

package ahp

import "slices"

// sessionInputNeededRemoved drops the first request with the id, of whatever kind. Requests that are
// left keep the session waiting for input. Once there are none the list is absent and only the bit that
// asks for the user is cleared: whether the session is still at work is not for this action to say.
//
// It does nothing when no request has the id.
//
//ahpgen:versions <0.8.0
func (r *Reducer) sessionInputNeededRemoved(s *SessionState, a *SessionInputNeededRemovedAction) *SessionState {
	i := slices.IndexFunc(s.InputNeeded, func(request SessionInputRequest) bool {
		return inputRequestHasID(request, a.ID)
	})
	if i < 0 {
		return s
	}
	next := *s
	next.InputNeeded = absentIfEmpty(withoutItem(s.InputNeeded, i))
	if next.InputNeeded == nil {
		next.Status = s.Status.Without(SessionStatusInputNeeded &^ SessionStatusInProgress)
	} else {
		next.Status = withActivity(s.Status, SessionStatusInputNeeded)
	}
	return &next
}

// inputRequestHasID reports whether the request has the id, also where its kind is unknown.
func inputRequestHasID(request SessionInputRequest, id string) bool {
	if unknown, ok := request.(*UnknownSessionInputRequest); ok {
		return rawHasID(unknown.Raw, id)
	}
	return request != nil && request.GetID() == id
}

// sessionCustomizationToggled switches the customization with the id on or off: the one at the top, of
// whatever type, or else the first such child of the first container that has one.
//
// It does nothing when no customization has the id.
//
//ahpgen:versions >=0.5.0
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

// setMCPServerState sets state and channel of the MCP server with the id: the one at the top, or else
// the first such child of every container.
//
// It does nothing when there is no such server, nor when the customization at the top that has the id
// is of another type: children are not searched then.
func setMCPServerState(s *SessionState, id string, state MCPServerState, channel *URI) *SessionState {
	change := func(server *MCPServerCustomization) *MCPServerCustomization {
		next := *server
		next.State, next.Channel = state, channel
		return &next
	}
	if i := customizationIndex(s.Customizations, id); i >= 0 {
		server, ok := s.Customizations[i].(*MCPServerCustomization)
		if !ok {
			return s
		}
		return withCustomization(s, i, change(server))
	}
	for i, container := range s.Customizations {
		children := childrenOf(container)
		k := slices.IndexFunc(children, func(child ChildCustomization) bool {
			server, ok := child.(*MCPServerCustomization)
			return ok && server.ID == id
		})
		if k >= 0 {
			children = withItem(children, k, ChildCustomization(change(children[k].(*MCPServerCustomization))))
			s = withCustomization(s, i, withChildren(container, children))
		}
	}
	return s
}
