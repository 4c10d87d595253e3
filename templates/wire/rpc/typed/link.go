// Links: connections as generated packages use them.

package typed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Link is a connection as used by one side, optionally at a negotiated version.
type Link struct {
	conn    rpc.Conn
	table   *spec.Table
	version string                            // "" permits everything
	guard   Guard                             // nil permits everything
	fill    func(wire.Appender) wire.Appender // completes parameters, or nil
	traces  bool                              // what is sent carries trace context
	foreign bool                              // the connection's messages are not those of the protocol
}

// errForeign is why nothing can be sent over a connection for other messages.
var errForeign = errors.New("the connection's messages are not those of the protocol: make it with NewPeer of the generated package")

// Guard checks what a link sends.
type Guard interface {
	// Allow returns an error if a message must not be sent.
	Allow(method string, params json.RawMessage) error
	// Answered is called with the result of a request.
	Answered(method string, result json.RawMessage)
}

// NewLink returns an unrestricted link.
func NewLink(conn rpc.Conn, t *spec.Table) Link {
	speaker, ok := conn.(interface{ Speaks(e *spec.Envelope) bool })
	return Link{conn: conn, table: t, traces: rpc.Traces(conn), foreign: ok && !speaker.Speaks(t.Envelope)}
}

// usable returns an error if the context has ended, or the connection is for other messages.
func (l Link) usable(ctx context.Context, method string) error {
	err := rpc.ContextError(ctx)
	if l.foreign {
		err = errForeign
	}
	if err != nil {
		return fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	return nil
}

// Guarded returns a link on the same connection with a guard.
func (l Link) Guarded(g Guard) Link {
	l.guard = g
	return l
}

// Filled returns a link on the same connection that completes parameters with a function, which must not modify them.
func (l Link) Filled(fill func(params wire.Appender) wire.Appender) Link {
	l.fill = fill
	return l
}

// AtVersion returns a link on the same connection that refuses what a version lacks, with [rpc.ErrNotInVersion].
func (l Link) AtVersion(version string) (Link, error) {
	if err := l.table.Versions.Validate(version); err != nil {
		return Link{}, err
	}
	l.version = version
	return l, nil
}

// Version returns the negotiated version, or "".
func (l Link) Version() string {
	if conn, ok := l.conn.(rpc.Versioned); ok && l.version == "" {
		return conn.Version()
	}
	return l.version
}

// checkMethod rejects methods that the negotiated version lacks.
func (l Link) checkMethod(method string) error {
	if l.Version() == "" {
		return nil
	}
	since, known := l.table.Since(method)
	return l.Check(method, since, known)
}

// Check rejects names introduced after the negotiated version, or that are neither in the protocol nor reserved for
// extensions.
func (l Link) Check(what, since string, known bool) error {
	version := l.Version()
	if !known {
		since, known = l.table.Extended(what)
	}
	if version == "" || known && l.table.Versions.KnownIn(version, since) {
		return nil
	}
	return fmt.Errorf("%s: %w %s", wire.Name(what), rpc.ErrNotInVersion, wire.Name(version))
}

// send makes a call unless its context has ended.
func (l Link) send(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := l.usable(ctx, method); err != nil {
		return nil, err
	}
	if l.guard != nil {
		if err := l.guard.Allow(method, params); err != nil {
			return nil, err
		}
	}
	ctx, params = rpc.PrepareCall(l.carrying(ctx, method), l.table, method, params)
	raw, err := l.conn.Call(ctx, method, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	if l.guard != nil {
		l.guard.Answered(method, raw)
	}
	return raw, nil
}

// carrying returns the context to send a message with.
func (l Link) carrying(ctx context.Context, method string) context.Context {
	if !l.traces {
		return ctx
	}
	return rpc.CarryTrace(ctx, l.table, method)
}

func (l Link) notify(ctx context.Context, method string, params json.RawMessage) error {
	if err := l.usable(ctx, method); err != nil {
		return err
	}
	if l.guard != nil {
		if err := l.guard.Allow(method, params); err != nil {
			return err
		}
	}
	if err := l.conn.Notify(l.carrying(ctx, method), method, params); err != nil {
		return fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	return nil
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
	if _, reserved := l.table.Extended(method); !reserved {
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
	if _, ok := l.table.Channel(params); !ok {
		return errors.New(wire.Excerpt(method) + ": the params name no channel for methods of another protocol")
	}
	return nil
}
