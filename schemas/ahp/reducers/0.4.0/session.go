//go:build ahpgen_reducers

// Reducers of the session channel that cannot be stated as data: what says when the session was modified,
// and customizations, which are a tree of two levels.

package ahp

import (
	"encoding/json"
	"maps"
)

// sessionTitleChanged gives the session another title.
func (r *Reducer) sessionTitleChanged(s *SessionState, a *SessionTitleChangedAction) *SessionState {
	next := r.modified(s)
	next.Summary.Title = a.Title
	return next
}

// sessionModelChanged has the session use another model, with no more of a configuration than comes with it.
func (r *Reducer) sessionModelChanged(s *SessionState, a *SessionModelChangedAction) *SessionState {
	next := r.modified(s)
	next.Summary.Model = &a.Model
	return next
}

// sessionAgentChanged has the session use another agent, or none in particular.
func (r *Reducer) sessionAgentChanged(s *SessionState, a *SessionAgentChangedAction) *SessionState {
	next := r.modified(s)
	next.Summary.Agent = a.Agent
	return next
}

// sessionActiveClientChanged puts another client in the place of the active one, or none.
func (r *Reducer) sessionActiveClientChanged(s *SessionState, a *SessionActiveClientChangedAction) *SessionState {
	next := *s
	next.ActiveClient = a.ActiveClient
	return &next
}

// sessionConfigChanged sets entries of the configuration; where the action says so, they become the only ones.
//
// It does nothing when the session has no configuration.
func (r *Reducer) sessionConfigChanged(s *SessionState, a *SessionConfigChangedAction) *SessionState {
	if s.Config == nil {
		return s
	}
	values := map[string]json.RawMessage{}
	if a.Replace == nil || !*a.Replace {
		maps.Copy(values, s.Config.Values)
	}
	maps.Copy(values, a.Config)
	config := *s.Config
	config.Values = values
	next := r.modified(s)
	next.Config = &config
	return next
}

// modified returns a copy of the session that was modified now.
func (r *Reducer) modified(s *SessionState) *SessionState {
	next := *s
	next.Summary.ModifiedAt = r.now().UnixMilli()
	return &next
}
