// Answers that are sent later, and what is done after an answer.

package rpc

import (
	"context"
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
)

// DeferReply defers the answer to the request whose handler has this context: the handler's result is discarded, and
// answer must be called once, before or after the handler returns. The answer is sent at that point. The result is
// JSON; nil is null. DeferReply returns nil if the context does not belong to a request.
func DeferReply(ctx context.Context) (answer func(result json.RawMessage, err error)) {
	t := turnOf(ctx)
	if t == nil || !t.request || t.later.Swap(true) {
		return nil
	}
	return func(result json.RawMessage, err error) {
		if err == nil && result == nil {
			result = null()
		}
		t.finish(result, err)
	}
}

// AfterReply calls f once the answer to a request is on its way: what f sends arrives after the answer. The context is that
// of the request's handler. Messages behind the request wait for f, as they wait for the handler, unless f calls [Async] with
// its own context, which is cancelled when the connection closes, not when the request is. F is called even if the handler
// returns an error.
//
// Several functions are called in their order. For a request in a batch, f is called once the whole batch is on its way, and
// the messages behind the request that was answered last wait. AfterReply reports whether f will be called: not if the
// context belongs to no request, or the request is answered already.
func AfterReply(ctx context.Context, f func(ctx context.Context)) bool {
	if call, ok := ctx.Value(localKey{}).(*localCall); ok {
		return call.add(f)
	}
	t := turnOf(ctx)
	if t == nil || !t.request {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answered.Load() {
		return false
	}
	t.after = append(t.after, f)
	return true
}

// afterReply calls what waits for the answer.
func (t *turn) afterReply(last *turn) {
	t.mu.Lock()
	after := t.after
	t.after = nil
	t.mu.Unlock()
	if len(after) == 0 {
		return
	}
	ctx := context.WithValue(t.server.ctx, turnKey{}, last)
	for _, f := range after {
		t.server.guarded(ctx, f)
	}
}

// guarded calls f, whatever becomes of it.
func (s *server) guarded(ctx context.Context, f func(context.Context)) {
	if err := hooks.Apart("a function passed to AfterReply", func() { f(ctx) }); err != nil {
		s.peer.options.OnBad(err)
	}
}
