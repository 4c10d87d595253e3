// Package call sends requests of any protocol, as the client that its schemas and its profile describe.
package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// name is what required texts are that say who the client is.
const name = "ahpgen"

// Hello returns the parameters of the handshake: what the protocol requires, the versions that it has, and the members of more.
func Hello(p *protocol.Protocol, more map[string]any) map[string]any {
	h := p.Handshake
	params, _ := least(protocol.Ref{Type: h.Method.Params}, 0).(map[string]any)
	if params == nil {
		params = map[string]any{}
	}
	versions := []any{p.Spoken()}
	for _, v := range p.Supported {
		if v != p.Spoken() {
			versions = append(versions, v)
		}
	}
	switch {
	case h.Error != nil:
		params[h.Offer] = versions
	case h.Number:
		params[h.Offer], _ = strconv.Atoi(p.Spoken()) // a number by its order
	default:
		params[h.Offer] = p.Spoken()
	}
	maps.Copy(params, more)
	return params
}

// WithMetadata adds the metadata by which each request describes its sender, if the protocol has it.
func WithMetadata(p *protocol.Protocol, m *protocol.Method, params map[string]any) map[string]any {
	s, _ := m.Params.(*protocol.Struct)
	if p.Calls == nil || p.Calls.Metadata == "" || s == nil || s.Field(p.Calls.Metadata) == nil || params[p.Calls.Metadata] != nil {
		return params
	}
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	out[p.Calls.Metadata] = least(s.Field(p.Calls.Metadata).Type, 0)
	if p.HTTP != nil && len(p.HTTP.VersionAt) > 0 {
		at := out
		for _, step := range p.HTTP.VersionAt[:len(p.HTTP.VersionAt)-1] {
			if at, _ = at[step].(map[string]any); at == nil {
				return out
			}
		}
		at[p.HTTP.VersionAt[len(p.HTTP.VersionAt)-1]] = p.Spoken()
	}
	return out
}

// least returns a value with what a type requires and nothing else.
func least(e protocol.Expr, depth int) any {
	const deepest = 20
	if depth > deepest {
		return nil
	}
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return map[protocol.Scalar]any{protocol.String: name, protocol.Bool: false, protocol.Any: map[string]any{}, protocol.Null: nil}[e]
	case protocol.List:
		return []any{}
	case protocol.Map:
		return map[string]any{}
	case protocol.Ref:
		switch t := e.Type.(type) {
		case *protocol.Struct:
			return leastObject(t, depth)
		case *protocol.Enum:
			if len(t.Members) > 0 {
				return t.Members[0].Value.Plain()
			}
			return name
		case *protocol.Union:
			if len(t.Variants) > 0 {
				return least(t.Variants[0].Type, depth+1)
			}
		}
	}
	return 0
}

func leastObject(s *protocol.Struct, depth int) map[string]any {
	out := map[string]any{}
	for _, f := range s.Fields {
		switch {
		case !f.Required:
		case f.Const != nil:
			out[f.Name] = f.Const.Plain()
		case len(f.Values) > 0:
			out[f.Name] = f.Values[0].Plain()
		default:
			if out[f.Name] = least(f.Type, depth+1); out[f.Name] == nil && protocol.Underlying(f.Type) != protocol.Null {
				out[f.Name] = 0
			}
		}
	}
	for _, c := range s.Choices {
		if object, ok := least(protocol.Ref{Type: c.Type}, depth+1).(map[string]any); ok {
			maps.Copy(out, object)
		}
	}
	return out
}

// Watched is a transport whose messages are judged.
func Watched(t rpc.Transport, j *judge.Judge, print func(*judge.Message)) rpc.Transport {
	return &watched{rpc.Wrapped{Transport: t}, j, print, sync.Mutex{}}
}

type watched struct {
	rpc.Wrapped
	judge *judge.Judge
	print func(*judge.Message)
	mu    sync.Mutex
}

func (w *watched) note(from protocol.Side, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.print(w.judge.Message(1, time.Now(), from, slices.Clone(data)))
}

// Read implements [rpc.Transport]. What is no JSON at all, such as a line for a person, is judged and passed over: if it were answered,
// a program that says such a thing of each answer would go on for ever.
func (w *watched) Read(limit int64) ([]byte, error) {
	for {
		data, err := w.Transport.Read(limit)
		if err != nil {
			return data, err
		}
		w.note(protocol.FromHost, data)
		if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			return data, nil
		}
	}
}

// Write implements [rpc.Transport].
func (w *watched) Write(ctx context.Context, data []byte) error {
	w.note(protocol.FromClient, data)
	return w.Transport.Write(ctx, data)
}

// Handler receives what a host sends. It handles no requests.
type Handler struct {
	Table  *spec.Table
	Notice func(method string, params json.RawMessage)
	// Shown is closed when the answer is printed: notifications that follow the answer wait for that. Those before it must
	// not, for the answer waits for their handlers.
	Shown <-chan struct{}

	asked    atomic.Value // the id of the request
	come     int64        // notifications that were read
	before   int64        // those of them that came before the answer, once that is read
	answered atomic.Bool
	handled  atomic.Int64
}

// Asked says which id the request has.
func (h *Handler) Asked(id string) { h.asked.Store(id) }

// DecodeRPC implements [rpc.Handler]. It is called in the order in which messages come, by one goroutine.
func (h *Handler) DecodeRPC(data []byte) (rpc.Message, error) {
	m, err := rpc.Decode(data, h.Table)
	switch {
	case err != nil:
	case m.Kind == rpc.Notification:
		h.come++
	case (m.Kind == rpc.Result || m.Kind == rpc.Failure) && h.asked.Load() == string(m.ID) && !h.answered.Load():
		h.before = h.come
		h.answered.Store(true)
	}
	return m, err
}

// ServeRPC implements [rpc.Handler].
func (h *Handler) ServeRPC(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	if m.Kind == rpc.Notification {
		if n := h.handled.Add(1); h.answered.Load() && n > h.before {
			<-h.Shown
		}
		h.Notice(m.Method, m.Params)
		return nil, nil
	}
	return nil, &rpc.Error{Code: int64(rpc.MethodNotFound), Message: fmt.Sprintf("%s is not handled by ahpgen call", wire.Excerpt(m.Method))}
}
