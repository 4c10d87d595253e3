// Extensions: handlers of methods outside the table, and of other protocols on channels.

package rpc

import (
	"context"
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// ExtensionHandler handles a method outside the protocol. It gets the full name and the raw parameters, which are nil
// if absent. A nil result is null; results of notifications are discarded.
type ExtensionHandler func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// PassThroughHandler handles a method of another protocol. It gets the channel and the raw parameters. A nil result
// is null; results of notifications are discarded.
type PassThroughHandler func(ctx context.Context, channel, method string, params json.RawMessage) (json.RawMessage, error)

// ServeOther handles methods outside the receiver's table.
func (h *Hooks) ServeOther(ctx context.Context, m *Message, t *spec.Table) (json.RawMessage, error) {
	if _, ok := t.Extended(m.Method); ok {
		f := h.Extensions[m.Method]
		if f == nil {
			return nil, m.NotFound()
		}
		r, err := f(ctx, m.Method, m.Params)
		return m.ReplyRaw(ctx, r, err)
	}
	channel, ok := t.Channel(m.Params)
	if !ok || h.PassThrough == nil {
		return nil, m.NotFound()
	}
	r, err := h.PassThrough(ctx, channel, m.Method, m.Params)
	return m.ReplyRaw(ctx, r, err)
}
