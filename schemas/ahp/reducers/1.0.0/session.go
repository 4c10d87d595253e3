//go:build ahpgen_reducers

// Reducers of the session channel that cannot be stated as data: the order of chats, directories that change their
// places, requests for input, and customizations, which are a tree of two levels.

package ahp

import (
	"encoding/json"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire/state"
)

// sessionChatsReordered puts the chats into another order.
//
// It does nothing unless the order names every chat of the session once and no other, nor when it is what it was.
func (r *Reducer) sessionChatsReordered(s *SessionState, a *SessionChatsReorderedAction) *SessionState {
	if len(a.Chats) != len(s.Chats) {
		return s
	}
	at := make(map[URI]int, len(s.Chats))
	for i, chat := range s.Chats {
		at[chat.Resource] = i
	}
	chats := make([]ChatSummary, 0, len(s.Chats))
	changed := false
	for i, chat := range a.Chats {
		from, ok := at[chat]
		if !ok {
			return s
		}
		delete(at, chat)
		chats = append(chats, s.Chats[from])
		changed = changed || from != i
	}
	if !changed {
		return s
	}
	next := *s
	next.Chats = chats
	return &next
}

// sessionWorkingDirectoryReplaced puts a directory in the place of another. Where it is listed before that place
// already, it stays there; it is listed only once afterwards.
//
// It does nothing when the session does not have the other one.
func (r *Reducer) sessionWorkingDirectoryReplaced(s *SessionState, a *SessionWorkingDirectoryReplacedAction) *SessionState {
	i := slices.Index(s.WorkingDirectories, a.Directory)
	if i < 0 {
		return s
	}
	list := withoutItem(s.WorkingDirectories, i)
	if !slices.Contains(list[:i], a.Replacement) {
		rest := slices.DeleteFunc(slices.Clone(list[i:]), func(u URI) bool { return u == a.Replacement })
		list = slices.Concat(list[:i], []URI{a.Replacement}, rest)
	}
	if slices.Equal(list, s.WorkingDirectories) {
		return s
	}
	next := *s
	next.WorkingDirectories = list
	return &next
}

// sessionInputNeededSet adds a request, or puts it in the place of the first with its id.
func (r *Reducer) sessionInputNeededSet(s *SessionState, a *SessionInputNeededSetAction) *SessionState {
	next := *s
	i := -1
	if id, ok := inputRequestID(a.Request); ok {
		i = slices.IndexFunc(s.InputNeeded, func(request SessionInputRequest) bool { return inputRequestHasID(request, id) })
	}
	if i < 0 {
		next.InputNeeded = withAppended(s.InputNeeded, a.Request)
	} else {
		next.InputNeeded = withItem(s.InputNeeded, i, a.Request)
	}
	next.Status = inputNeededStatus(s.Status, next.InputNeeded)
	return &next
}

// sessionInputNeededRemoved drops the first request with the id, of whatever kind. Once there are none the list is absent.
//
// It does nothing when no request has the id.
func (r *Reducer) sessionInputNeededRemoved(s *SessionState, a *SessionInputNeededRemovedAction) *SessionState {
	i := slices.IndexFunc(s.InputNeeded, func(request SessionInputRequest) bool {
		return inputRequestHasID(request, a.ID)
	})
	if i < 0 {
		return s
	}
	next := *s
	next.InputNeeded = absentIfEmpty(withoutItem(s.InputNeeded, i))
	next.Status = inputNeededStatus(s.Status, next.InputNeeded)
	return &next
}

// inputNeededStatus is the status of a session with these requests. It waits for the user unless all of them only wait
// for a client to run a tool. Otherwise only the bit that asks for the user is cleared: whether the session is still
// at work is not for requests to say.
func inputNeededStatus(status SessionStatus, requests []SessionInputRequest) SessionStatus {
	for _, request := range requests {
		if _, ok := request.(*SessionToolClientExecutionRequest); !ok {
			return withActivity(status, SessionStatusInputNeeded)
		}
	}
	return status.Without(SessionStatusInputNeeded &^ SessionStatusInProgress)
}

// inputRequestID returns the id of the request, also where its kind is unknown, if it has one.
func inputRequestID(request SessionInputRequest) (id string, ok bool) {
	if request == nil {
		return "", false
	}
	if unknown, is := request.(*UnknownSessionInputRequest); is {
		var got *string
		if json.Unmarshal(rawMember(unknown.Raw, "id"), &got) != nil || got == nil {
			return "", false
		}
		return *got, true
	}
	return request.GetID(), true
}

// inputRequestHasID reports whether the request has the id, also where its kind is unknown.
func inputRequestHasID(request SessionInputRequest, id string) bool {
	if unknown, ok := request.(*UnknownSessionInputRequest); ok {
		return rawHasID(unknown.Raw, id)
	}
	return request != nil && request.GetID() == id
}

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

// sessionMCPServerBackgroundRequested has nobody wait for an MCP server that is starting. See [changeMCPServer] for
// which server.
//
// It does nothing unless somebody waits for it.
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
