// Deferred answers: sessions in which everything comes on streams that GET opens, one for each scope.

package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// maxScopes limits the scopes of a session that have messages to be sent, open requests or a stream.
const maxScopes = 1024

var errScopes = errors.New("too many scopes in one session")

// scope returns the scope that a message belongs to by its parameters, or "".
func (d *Dialect) scope(m *rpc.Message) string {
	if d.Scope == "" || m.Params == nil {
		return ""
	}
	scope, _ := at(m.Params, d.ScopeAt)
	return scope
}

// scoped returns the scope of a message by its header, which has to be that of its parameters if they have one.
func (d *Dialect) scoped(h http.Header, m *rpc.Message) (string, *rpc.Error) {
	if d.Scope == "" || m.Kind != rpc.Request && m.Kind != rpc.Notification {
		return "", nil
	}
	if scope := d.scope(m); scope != "" {
		return scope, d.same(h, d.Scope, scope, true)
	}
	scope, _ := decodeValue(h.Get(d.Scope))
	return scope, nil
}

// divide prepares a session whose answers are deferred.
func (s *session) divide(d *Dialect) {
	if d.Deferred {
		s.dialect, s.scopes, s.unscoped, s.general.lasting = d, map[string]*stream{}, map[string]bool{}, true
	}
}

// scope returns the stream of a scope, or nil if there are too many. The caller must hold the lock.
func (s *session) scope(name string) *stream {
	if name == "" {
		return s.general
	}
	st := s.scopes[name]
	if st == nil && (len(s.scopes) < maxScopes || s.unused()) {
		s.last++
		st = newStream(s.last)
		st.lasting = true
		s.scopes[name] = st
		s.streams = append(s.streams, st)
	}
	return st
}

// unused drops the streams of scopes that nothing waits for, and reports whether there were any. The caller must hold the lock.
func (s *session) unused() bool {
	before := len(s.scopes)
	for name, st := range s.scopes {
		if !st.attached && st.open == 0 && st.unsent >= st.first+len(st.messages) {
			delete(s.scopes, name)
			s.forget(st)
		}
	}
	return len(s.scopes) < before
}

// asked returns the stream that a GET request asks for, or nil if there are too many.
func (s *session) asked(r *http.Request) *stream {
	name := ""
	if s.dialect.Scope != "" {
		name, _ = decodeValue(r.Header.Get(s.dialect.Scope))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scope(name)
}

// expectLater notes on which stream requests are to be answered.
func (s *session) expectLater(b *body) *rpc.Error {
	if len(b.requests) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.scope(b.scope)
	if st == nil {
		return &rpc.Error{Code: int64(rpc.InvalidRequest), Message: errScopes.Error()}
	}
	for _, id := range b.requests {
		if s.waiting[id] != nil {
			return &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "the id is that of another request, which is not answered"}
		}
	}
	for _, id := range b.requests {
		s.waiting[id] = st
		st.open++
		if b.scope != "" && slices.Contains(s.dialect.Unscoped, b.method) {
			s.unscoped[id] = true
		}
	}
	return nil
}

// expectNoMore takes that back, or [session.expect], for requests that were not handed on: they may be sent again.
func (s *session) expectNoMore(b *body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range b.requests {
		st := s.waiting[id]
		if st == nil {
			continue
		}
		st.open--
		delete(s.waiting, id)
		delete(s.unscoped, id)
		if st.open == 0 && !st.lasting {
			s.forget(st)
		}
	}
}

// elsewhere returns the stream for an answer, which is not the expected one if that is not read. The caller must hold the lock.
func (s *session) elsewhere(id string, st *stream) *stream {
	if st != nil && s.unscoped[id] && !st.attached {
		st.open--
		s.general.open++
		st = s.general
	}
	delete(s.unscoped, id)
	return st
}

// place sends the id of the last message before the first, for a stream that is cut before that. It is no event for browsers.
func (s *sink) place(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write([]byte("id: " + id + "\n\n"))
}
