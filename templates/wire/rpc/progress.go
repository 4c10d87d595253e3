// Progress: notifications about requests, identified by a token in the request.

package rpc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

type progressKey struct{}

// progressing is a progress callback, with its token once assigned.
type progressing struct {
	token string
	tell  func(params json.RawMessage)
}

// WithProgress returns a context for requests whose progress f is called with. F is called in message order, with the
// notification's parameters, until the context ends, even after the answer. It must not block on the peer.
func WithProgress(ctx context.Context, f func(params json.RawMessage)) context.Context {
	return context.WithValue(ctx, progressKey{}, &progressing{tell: f})
}

// PrepareCall returns the context and the parameters to send a request with. A [Peer] then notifies the other side if the
// context ends, as the table describes, and the parameters have a token if progress is wanted.
func PrepareCall(ctx context.Context, t *spec.Table, method string, params json.RawMessage) (context.Context, json.RawMessage) {
	ctx, params = withToken(ctx, t, method, params)
	return cancelling(ctx, t, method), params
}

// withToken adds a token to a request if progress is wanted.
func withToken(ctx context.Context, t *spec.Table, method string, params json.RawMessage) (context.Context, json.RawMessage) {
	wanted, ok := ctx.Value(progressKey{}).(*progressing)
	if !ok || t == nil || t.Progress == nil || !t.Progress.Takes(method) {
		return ctx, params
	}
	token := rand.Text()
	params, ok = withMember(params, t.Progress.Request, token)
	if !ok {
		return ctx, params // it already has a token
	}
	return context.WithValue(ctx, progressKey{}, &progressing{token, wanted.tell}), params
}

// withMember adds a string at a path of an object. It fails if something else is there.
func withMember(object json.RawMessage, path []string, value string) (_ json.RawMessage, ok bool) {
	members := map[string]json.RawMessage{}
	if len(object) > 0 && json.Unmarshal(object, &members) != nil {
		return object, false
	}
	if members == nil { // it was null, which is as good as absent
		members = map[string]json.RawMessage{}
	}
	there, has := members[path[0]]
	switch {
	case len(path) > 1:
		if there, ok = withMember(there, path[1:], value); !ok {
			return object, false
		}
	case has:
		return object, false
	default:
		there = wire.AppendString(nil, value)
	}
	members[path[0]] = there
	out, err := json.Marshal(members)
	return out, err == nil
}

// follow delivers progress until the context ends.
func (p *Peer) follow(ctx context.Context) {
	wanted, ok := ctx.Value(progressKey{}).(*progressing)
	if !ok || wanted.token == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.progress == nil {
		p.progress = map[string]func(json.RawMessage){}
	}
	p.progress[wanted.token] = wanted.tell
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.progress, wanted.token)
	})
}

// Progress calls the function passed to [WithProgress] if a notification is about the progress of the request that was sent
// with ctx, as from [PrepareCall], and reports whether it is. A panic of that function is logged. A [Peer] does so itself; it
// is for other connections.
func Progress(ctx context.Context, m *Message) bool {
	wanted, ok := ctx.Value(progressKey{}).(*progressing)
	if !ok || wanted.token == "" || wanted.token != m.Token {
		return false
	}
	if err := tellProgress(wanted.tell, m.Params); err != nil {
		log.Print("rpc: ", err)
	}
	return true
}

// told delivers a progress notification and reports whether there was a callback.
func (p *Peer) told(m *Message) bool {
	if m.Token == "" {
		return false
	}
	p.mu.Lock()
	tell := p.progress[m.Token]
	p.mu.Unlock()
	if tell == nil {
		return false
	}
	if err := tellProgress(tell, m.Params); err != nil {
		p.options.OnBad(err)
	}
	return true
}

// tellProgress calls a function passed to [WithProgress], whatever becomes of it.
func tellProgress(tell func(json.RawMessage), params json.RawMessage) error {
	return hooks.Apart("a function passed to WithProgress", func() { tell(params) })
}

// token returns the token in a progress notification, or "".
func tokenOf(t *spec.Table, m *Message) string {
	if t.Progress == nil || m.Kind != Notification || m.Method != t.Progress.Method {
		return ""
	}
	d := wire.NewDecoder(m.Params)
	token, _ := d.OnlyString(t.Progress.Token)
	return token
}
