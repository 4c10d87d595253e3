// Tracing: what follows requests from one process to the next.

package rpc

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Tracer is implemented by an [Observer] that measures requests and notifications where they are sent and handled, and carries
// the context of a trace between the two: in the metadata of the parameters, where the protocol has it. Its methods are called
// concurrently. A panic is recovered, as that of an observer.
type Tracer interface {
	Observer
	// TraceSent is called before a request or notification is sent, with the context of the caller. It returns the context to
	// go on with, the strings to put into the metadata, and a function that is called once with the outcome, or nil.
	TraceSent(ctx context.Context, e Event) (_ context.Context, metadata map[string]string, ended func(error))
	// TraceHandled is called before a request or notification is handled, with the context of the handler and the metadata of
	// the parameters, which is nil or any JSON, and must not be kept. It returns the context of the handler, and a function
	// that is called once with the error that is answered, or nil.
	TraceHandled(ctx context.Context, e Event, metadata json.RawMessage) (_ context.Context, ended func(error))
}

// Traces reports whether what is sent over the connection has an observer that is a [Tracer].
func (p *Peer) Traces() bool { return p.tracer() != nil }

// Traces reports whether what is sent over a connection has an observer that is a [Tracer].
func Traces(c Conn) bool {
	traced, ok := c.(interface{ Traces() bool })
	return ok && traced.Traces()
}

func (p *Peer) tracer() Tracer {
	if p.observing == nil {
		return nil
	}
	return p.observing.tracer
}

type metadataKey struct{}

// CarryTrace returns the context to send a message with: a [Peer] with a [Tracer] puts trace context into the parameters, if the
// table has a place for it.
func CarryTrace(ctx context.Context, t *spec.Table, method string) context.Context {
	if t == nil || t.Trace == nil || !t.Trace.Takes(method) {
		return ctx
	}
	return context.WithValue(ctx, metadataKey{}, t.Trace.Member)
}

// traceSent calls the tracer, and returns what to send instead of the parameters. Without a tracer ended is nil.
func (p *Peer) traceSent(ctx context.Context, m *Message) (out context.Context, ended func(error)) {
	to := p.tracer()
	if to == nil {
		return ctx, nil
	}
	out = ctx
	defer p.observing.recovered()
	e := Event{Type: EventSent, Time: time.Now(), Conn: p.observing.conn, Kind: m.Kind, Method: m.Method, Known: true, ID: m.ID}
	var metadata map[string]string
	hooks.Observe(func() { out, metadata, ended = to.TraceSent(ctx, e) }) //nolint:fatcontext // it is called once
	if member, _ := ctx.Value(metadataKey{}).(string); member != "" && len(metadata) > 0 {
		if m.Body != nil {
			_ = m.EncodeBody() // if it fails, so does encoding the message
		}
		if m.Body == nil {
			m.Params = withStrings(m.Params, member, metadata)
		}
	}
	return out, ended
}

// traceHandled calls the tracer, and sets the context of a handler.
func (t *turn) traceHandled(m *Message) {
	to := t.server.peer.tracer()
	if to == nil {
		return
	}
	o := t.server.peer.observing
	defer o.recovered()
	e := Event{Type: EventReceived, Time: began.Add(time.Duration(m.since)), Conn: o.conn, Kind: m.Kind, Method: m.Method, Known: m.known, ID: t.id}
	metadata := m.metadata()
	hooks.Observe(func() { t.Context, t.ended = to.TraceHandled(t.Context, e, metadata) })
}

// outcome tells a tracer what came of a message.
func (t *turn) outcome(err error) {
	if t.ended != nil {
		t.server.peer.observing.outcome(t.ended, err)
	}
}

func (o *observing) outcome(ended func(error), err error) {
	defer o.recovered()
	hooks.Observe(func() { ended(err) })
}

// recovered reports the panic of an observer. It must be deferred.
func (o *observing) recovered() {
	if value := recover(); value != nil {
		o.bad(&ObserverError{value})
	}
}

// metadata returns the member of the parameters that trace context is in, or nil.
func (m *Message) metadata() (found json.RawMessage) {
	if m.trace == nil || !m.trace.Takes(m.Method) {
		return nil
	}
	d := wire.NewDecoder(m.Params)
	if d.Kind() != '{' {
		return nil
	}
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) == m.trace.Member {
			found = d.Slice()
			continue
		}
		d.Skip()
	}
	return found
}

// withStrings returns an object with strings added to an object in one of its members. What is there already stays. What is no
// object is returned as it is.
func withStrings(object json.RawMessage, member string, values map[string]string) json.RawMessage {
	if len(object) == 0 {
		object = json.RawMessage("{}")
	}
	d := wire.NewDecoder(object)
	if d.Kind() != '{' {
		return object
	}
	empty := true
	for k := d.Object(); k != nil; k = d.NextKey() {
		empty = false
		if string(k) != member {
			d.Skip()
			continue
		}
		start := d.Offset()
		inner := d.Slice()
		if string(inner) == "null" {
			inner = json.RawMessage("{}")
		}
		added, ok := added(inner, values)
		if !ok {
			return object
		}
		out := append(append([]byte{}, object[:start]...), added...)
		return append(out, object[d.Offset():]...)
	}
	if d.Finish() != nil {
		return object
	}
	inner, _ := added(json.RawMessage("{}"), values)
	out := append(wire.AppendString([]byte{'{'}, member), ':')
	if out = append(out, inner...); !empty {
		out = append(out, ',')
	}
	start := 0
	for object[start] != '{' {
		start++
	}
	return append(out, object[start+1:]...)
}

// added returns an object with strings added that it does not have.
func added(object json.RawMessage, values map[string]string) (_ json.RawMessage, ok bool) {
	d := wire.NewDecoder(object)
	if d.Kind() != '{' {
		return nil, false
	}
	has, end := map[string]bool{}, 0
	for k := d.Object(); k != nil; k = d.NextKey() {
		has[string(k)] = true
		d.Skip()
		end = d.Offset()
	}
	if d.Finish() != nil {
		return nil, false
	}
	out := append([]byte{}, object[:end]...)
	if end == 0 {
		out = append(out, '{')
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if has[name] {
			continue
		}
		if out[len(out)-1] != '{' || end != 0 {
			out = append(out, ',')
		}
		out = append(wire.AppendString(out, name), ':')
		out = wire.AppendString(out, values[name])
	}
	return append(out, '}'), true
}
