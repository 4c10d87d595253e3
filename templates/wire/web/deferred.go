// Clients of servers that defer their answers to the streams that GET opens.

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// scopes is what a client knows of the streams of a session. The transport's lock guards it.
type scopes struct {
	heard   map[string]chan struct{} // scopes whose streams are read; closed when they are open
	pending map[string][]string      // scopes on whose streams requests may be answered, by id
	asked   map[string]string        // scopes of requests of the server that are not answered, by id
}

// defers reports whether the answers to requests come on other streams from now on.
func (t *Transport) defers() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dialect.Deferred && t.opened
}

// expect notes a request that is about to be sent, and asks for the stream of its scope.
func (t *Transport) expect(ctx context.Context, m *rpc.Message) {
	if !t.dialect.Deferred {
		return
	}
	scopes := []string{t.dialect.scope(m)}
	open := t.attend(scopes[0])
	if m.Kind != rpc.Request {
		return
	}
	if scopes[0] != "" && slices.Contains(t.dialect.Unscoped, m.Method) {
		scopes = append(scopes, "")
		select { // so that the server sends everything on one stream
		case <-open:
		case <-ctx.Done():
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.scopes.pending == nil {
		t.scopes.pending = map[string][]string{}
	}
	t.scopes.pending[string(m.ID)] = scopes
}

// attend reads the stream of a scope, unless that is done already. The channel is closed when the stream is open or has failed.
func (t *Transport) attend(scope string) (open <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.scopes.heard[scope]; c != nil || scope == "" {
		return c
	}
	if t.scopes.heard == nil {
		t.scopes.heard = map[string]chan struct{}{}
	}
	c := make(chan struct{})
	t.scopes.heard[scope] = c
	opened := sync.OnceFunc(func() { close(c) })
	go func() {
		defer opened()
		err := t.hear(t.ctx, scope, opened)
		t.mu.Lock()
		delete(t.scopes.heard, scope) // the next message asks again
		t.mu.Unlock()
		if err != nil && !errors.Is(err, ErrSessionEnded) && t.ctx.Err() == nil {
			t.lose(scope, err)
			t.options.OnError(fmt.Errorf("nothing more is heard of %q: %w", scope, err))
		}
	}()
	return c
}

// note takes account of a message that has come on the stream of a scope.
func (t *Transport) note(m *rpc.Message, scope string) {
	if !t.dialect.Deferred {
		return
	}
	t.mu.Lock()
	switch m.Kind {
	case rpc.Request:
		if scope != "" {
			if t.scopes.asked == nil {
				t.scopes.asked = map[string]string{}
			}
			t.scopes.asked[string(m.ID)] = scope
		}
	case rpc.Result, rpc.Failure:
		delete(t.scopes.pending, string(m.ID))
	}
	t.mu.Unlock()
	if m.Kind == rpc.Result && t.dialect.Scope != "" {
		if learned, ok := at(m.Result, t.dialect.ScopeAt); ok {
			t.attend(learned)
		}
	}
}

// returns sets the scope of an answer, which is that of its request.
func (t *Transport) returns(h http.Header, m *rpc.Message) {
	if m.Method != "" || m.Kind == rpc.Batch {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if scope, ok := t.scopes.asked[string(m.ID)]; ok {
		h.Set(t.dialect.Scope, encodeValue(scope))
	}
}

// returned forgets a request of the server that is answered.
func (t *Transport) returned(m *rpc.Message) {
	if m.Method != "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.scopes.asked, string(m.ID))
}

// unsent handles a message that was not sent, or refused. A request fails alone. Anything else that was not sent ends the
// connection, since the other side must not miss it.
func (t *Transport) unsent(ctx context.Context, m *rpc.Message, err error) error {
	var refused *StatusError
	switch {
	case m.Kind == rpc.Request && ctx.Err() == nil:
		t.forget(m.ID, err)
		return nil
	case errors.As(err, &refused):
		t.options.OnError(err)
		return nil
	}
	return err
}

// forget ends a request without an answer.
func (t *Transport) forget(id json.RawMessage, err error) {
	t.mu.Lock()
	_, pending := t.scopes.pending[string(id)]
	delete(t.scopes.pending, string(id))
	t.mu.Unlock()
	if pending {
		t.fail(id, err)
	}
}

// lose ends the requests whose answers may have been lost with a stream.
func (t *Transport) lose(scope string, err error) {
	t.mu.Lock()
	var lost []string
	for id, on := range t.scopes.pending {
		if slices.Contains(on, scope) {
			lost = append(lost, id)
		}
	}
	t.mu.Unlock()
	slices.Sort(lost)
	for _, id := range lost {
		t.forget(json.RawMessage(id), fmt.Errorf("answer: %w", err))
	}
}
