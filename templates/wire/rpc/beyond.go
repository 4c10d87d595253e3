// Methods outside the table: extensions, and other protocols on channels.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ExtensionHandler handles a method outside the protocol. It gets the full name and the raw parameters, which are nil
// if absent. A nil result is null; results of notifications are discarded.
type ExtensionHandler func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// PassThroughHandler handles a method of another protocol. It gets the channel and the raw parameters. A nil result
// is null; results of notifications are discarded.
type PassThroughHandler func(ctx context.Context, channel, method string, params json.RawMessage) (json.RawMessage, error)

// PassThrough identifies channels that carry another protocol.
type PassThrough struct {
	Member string // parameter with the channel's URI
	Start  string // prefix of such URIs
}

// ServeOther handles methods outside the receiver's table.
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

// Extended returns the version that reserved a name for extensions, and whether it is reserved.
func (t *Table) Extended(name string) (since string, ok bool) {
	return t.ExtensionSince, t.isExtension(name)
}

func (t *Table) isExtension(name string) bool {
	return t.Extension != "" && strings.HasPrefix(name, t.Extension)
}

// channel returns the channel in parameters if it carries another protocol.
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

// CallExtension sends an extension request.
func (l Link) CallExtension(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := l.checkExtension(method); err != nil {
		return nil, err
	}
	return l.send(ctx, method, params)
}

// NotifyExtension sends an extension notification.
func (l Link) NotifyExtension(ctx context.Context, method string, params json.RawMessage) error {
	if err := l.checkExtension(method); err != nil {
		return err
	}
	return l.notify(ctx, method, params)
}

// checkExtension rejects names that are not reserved for extensions in the negotiated version.
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

// checkPassThrough rejects methods of this protocol, and parameters without a channel.
func (l Link) checkPassThrough(method string, params json.RawMessage) error {
	if _, own := l.table.Since(method); own {
		return errors.New(wire.Excerpt(method) + " is a method of the protocol itself")
	}
	if _, ok := l.table.channel(params); !ok {
		return errors.New(wire.Excerpt(method) + ": the params name no channel for methods of another protocol")
	}
	return nil
}
