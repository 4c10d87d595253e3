// Progress: how far a request has got, told by the peer under a token that the request carries.

package rpc

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Progressing is how a protocol tells progress: by a notification with the token of the request.
type Progressing struct {
	Method  string                   // of the notification
	Token   string                   // the member of its parameters
	Request []string                 // path to the member of the parameters of a request
	Takes   func(method string) bool // whether a request has that member
}

type progressKey struct{}

// progressing is who wants to hear of progress, and under which token once the request has one.
type progressing struct {
	token string
	tell  func(params json.RawMessage)
}

// WithProgress has f told of the progress of requests that are made with the context, where the protocol has
// them say how far they have got. F is called in the order of messages until the context ends, also after the
// answer, and gets the parameters of the notification. It must not wait for the peer.
func WithProgress(ctx context.Context, f func(params json.RawMessage)) context.Context {
	return context.WithValue(ctx, progressKey{}, &progressing{tell: f})
}

// withToken gives a request a token of its own where somebody wants to hear of its progress.
func (l Link) withToken(ctx context.Context, method string, params json.RawMessage) (context.Context, json.RawMessage) {
	wanted, ok := ctx.Value(progressKey{}).(*progressing)
	if !ok || l.table == nil || l.table.Progress == nil || !l.table.Progress.Takes(method) {
		return ctx, params
	}
	token := rand.Text()
	params, ok = withMember(params, l.table.Progress.Request, token)
	if !ok {
		return ctx, params // it has a token already
	}
	return context.WithValue(ctx, progressKey{}, &progressing{token, wanted.tell}), params
}

// withMember adds a string to an object, at the end of a path through objects. It is not ok where there is
// something else already.
func withMember(object json.RawMessage, path []string, value string) (_ json.RawMessage, ok bool) {
	members := map[string]json.RawMessage{}
	if len(object) > 0 && json.Unmarshal(object, &members) != nil {
		return object, false
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

// follow tells of the progress of a request until its context ends.
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

// told passes a notification on to who wants to hear of the progress of a request, and reports whether
// somebody does.
func (p *Peer) told(m *Message) bool {
	if m.Token == "" {
		return false
	}
	p.mu.Lock()
	tell := p.progress[m.Token]
	p.mu.Unlock()
	if tell != nil {
		tell(m.Params)
	}
	return tell != nil
}

// token returns the token of the request whose progress a notification tells, "" where it does not.
func (t *Table) token(m *Message) string {
	if t.Progress == nil || m.Kind != Notification || m.Method != t.Progress.Method {
		return ""
	}
	d := wire.NewDecoder(m.Params)
	token, _ := d.OnlyString(t.Progress.Token)
	return token
}
