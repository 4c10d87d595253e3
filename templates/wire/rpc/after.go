// Answers that are sent later, and what is done after an answer.

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
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

// AfterReply has f called when the answer to the request that a handler has the context of is on its way: what f sends
// arrives behind the answer. The messages behind the request wait for f, as they wait for the handler; [Async] in f, with
// its context, lets them go on. That context lives as long as the connection, and is no handler's any more that the peer
// could cancel. What the handler returns may be an error: f is called nevertheless.
//
// Several are called in their order. Of a request in a batch, the answer is on its way when all of the batch are, and the
// messages behind the one that was answered last are those that wait. It reports whether f will be called: not where the context is no request's, or where
// the request is answered.
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

// guarded calls f and recovers panics.
func (s *server) guarded(ctx context.Context, f func(context.Context)) {
	defer func() {
		if value := recover(); value != nil {
			s.peer.options.OnBad(fmt.Errorf("a function passed to AfterReply panicked: %v", value))
		}
	}()
	f(ctx)
}
