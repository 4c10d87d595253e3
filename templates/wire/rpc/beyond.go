// Methods beyond the table: extensions, and those of other protocols on channels of their own.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ExtensionHandler handles a method that the protocol does not define. It gets the full name and the
// parameters as they came, nil where there are none. A nil result is null; that of a notification goes
// nowhere.
type ExtensionHandler func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// PassThroughHandler handles a method of another protocol. It gets the channel that the parameters
// name, and the parameters as they came. A nil result is null; that of a notification goes nowhere.
type PassThroughHandler func(ctx context.Context, channel, method string, params json.RawMessage) (json.RawMessage, error)

// PassThrough says how to tell a channel that carries methods of another protocol.
type PassThrough struct {
	Member string // of the parameters: the URI of the channel
	Start  string // what such URIs begin with
}

// ServeOther handles what the protocol does not define for the receiver.
func (h *Hooks) ServeOther(ctx context.Context, m *Message, t *Table) (json.RawMessage, error) {
	if t.isExtension(m.Method) {
		f := h.Extensions[m.Method]
		if f == nil {
			return nil, notFound(m.Method)
		}
		r, err := f(ctx, m.Method, m.Params)
		return replyRaw(ctx, r, err)
	}
	channel, ok := t.channel(m.Params)
	if !ok || h.PassThrough == nil {
		return nil, notFound(m.Method)
	}
	r, err := h.PassThrough(ctx, channel, m.Method, m.Params)
	return replyRaw(ctx, r, err)
}

// Extended returns the version from which on a name is set aside for extensions, and whether it is.
func (t *Table) Extended(name string) (since string, ok bool) {
	return t.ExtensionSince, t.isExtension(name)
}

func (t *Table) isExtension(name string) bool {
	return t.Extension != "" && strings.HasPrefix(name, t.Extension)
}

// channel returns the channel that parameters name, if it is one that carries methods of another
// protocol.
func (t *Table) channel(params json.RawMessage) (string, bool) {
	for _, p := range t.PassThroughs {
		d := wire.NewDecoder(params)
		if d.Kind() != '{' {
			return "", false
		}
		uri, ok := d.OnlyString(p.Member)
		if ok && strings.HasPrefix(uri, p.Start) {
			return uri, true
		}
	}
	return "", false
}

// CallExtension sends a request that the protocol does not define.
func (l Link) CallExtension(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := l.checkExtension(method); err != nil {
		return nil, err
	}
	return l.send(ctx, method, params)
}

// NotifyExtension sends a notification that the protocol does not define.
func (l Link) NotifyExtension(ctx context.Context, method string, params json.RawMessage) error {
	if err := l.checkExtension(method); err != nil {
		return err
	}
	return l.notify(ctx, method, params)
}

// checkExtension refuses to send under a name that does not belong to extensions, or not yet in the agreed
// version.
func (l Link) checkExtension(method string) error {
	if !l.table.isExtension(method) {
		return errors.New(wire.Excerpt(method) + ": the names of extensions begin with " + wire.Excerpt(l.table.Extension))
	}
	return l.Check(method, l.table.ExtensionSince, true)
}

// PassThrough sends a request of another protocol.
func (l Link) PassThrough(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := l.checkPassThrough(method, params); err != nil {
		return nil, err
	}
	return l.send(ctx, method, params)
}

// NotifyPassThrough sends a notification of another protocol.
func (l Link) NotifyPassThrough(ctx context.Context, method string, params json.RawMessage) error {
	if err := l.checkPassThrough(method, params); err != nil {
		return err
	}
	return l.notify(ctx, method, params)
}

// checkPassThrough refuses to pass on what the peer may take for a method of this protocol, or could
// not tell where to.
func (l Link) checkPassThrough(method string, params json.RawMessage) error {
	if _, own := l.table.Since(method); own {
		return errors.New(wire.Excerpt(method) + " is a method of the protocol itself")
	}
	if _, ok := l.table.channel(params); !ok {
		return errors.New(wire.Excerpt(method) + ": the params name no channel for methods of another protocol")
	}
	return nil
}
