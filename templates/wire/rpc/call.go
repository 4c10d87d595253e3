// Sending: shared by the typed methods of generated packages.

package rpc

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Link is a connection as used by one side, optionally at a negotiated version.
type Link struct {
	conn    Conn
	table   *Table
	version string // "" permits everything
	guard   Guard  // nil permits everything
}

// Guard checks what a link sends.
type Guard interface {
	// Allow returns an error if a message must not be sent.
	Allow(method string, params json.RawMessage) error
	// Answered is called with the result of a request.
	Answered(method string, result json.RawMessage)
}

// Introduced is implemented by a [Conn] that stores the peer's capabilities.
type Introduced interface {
	Introduce(said json.RawMessage)
	Introduction() json.RawMessage // nil before the exchange
}

// Versioned is implemented by a [Conn] that knows the negotiated version, which is "" before the handshake. Links on
// it refuse what the version lacks, as with [Link.AtVersion].
type Versioned interface {
	Version() string
}

// NewLink returns an unrestricted link.
func NewLink(conn Conn, t *Table) Link { return Link{conn: conn, table: t} }

// Guarded returns a link on the same connection with a guard.
func (l Link) Guarded(g Guard) Link {
	l.guard = g
	return l
}

// AtVersion returns a link on the same connection that refuses what a version lacks, with [ErrNotInVersion].
func (l Link) AtVersion(version string) (Link, error) {
	if _, err := l.table.Versions.parse(version); err != nil {
		return Link{}, err
	}
	l.version = version
	return l, nil
}

// Version returns the negotiated version, or "".
func (l Link) Version() string {
	if conn, ok := l.conn.(Versioned); ok && l.version == "" {
		return conn.Version()
	}
	return l.version
}

// method rejects methods that the negotiated version lacks.
func (l Link) method(method string) error {
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
	return fmt.Errorf("%s: %w %s", wire.Name(what), ErrNotInVersion, wire.Name(version))
}

func encodeParams(method string, p wire.Appender) (json.RawMessage, error) {
	if wire.IsNil(p) {
		return nil, fmt.Errorf("%s: params: %w", method, errNil)
	}
	raw, err := wire.AppendSent(nil, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, wire.Within("params", err))
	}
	return raw, nil
}

// OrEmpty returns p, or empty parameters if it is nil.
func OrEmpty[P any](p *P) *P {
	if p == nil {
		return new(P)
	}
	return p
}

// Call sends a request with parameters and decodes its result. If only items of lists that are members of the result
// are invalid, it returns the result without them and an [*ItemsError] with the items. Items of nested lists are not
// dropped: the enclosing item or the whole result is refused.
func Call[M ~string, R any](ctx context.Context, l Link, method M, p wire.Appender, read func(*wire.Decoder) R) (R, error) {
	var none R
	raw, err := callRaw(ctx, l, string(method), p)
	if err != nil {
		return none, err
	}
	return decodeResult(string(method), raw, read)
}

// CallNull is Call for a null result. Other results, as from newer peers, are accepted.
func CallNull[M ~string](ctx context.Context, l Link, method M, p wire.Appender) error {
	_, err := callRaw(ctx, l, string(method), p)
	return err
}

func callRaw(ctx context.Context, l Link, method string, p wire.Appender) (json.RawMessage, error) {
	if err := l.method(method); err != nil {
		return nil, err
	}
	params, err := encodeParams(method, p)
	if err != nil {
		return nil, err
	}
	return l.send(ctx, method, params)
}

// CallBare is Call for a method without parameters.
func CallBare[M ~string, R any](ctx context.Context, l Link, method M, read func(*wire.Decoder) R) (R, error) {
	var none R
	if err := l.method(string(method)); err != nil {
		return none, err
	}
	raw, err := l.send(ctx, string(method), nil)
	if err != nil {
		return none, err
	}
	return decodeResult(string(method), raw, read)
}

// CallBareNull is Call for a method without parameters and with a null result.
func CallBareNull[M ~string](ctx context.Context, l Link, method M) error {
	if err := l.method(string(method)); err != nil {
		return err
	}
	_, err := l.send(ctx, string(method), nil)
	return err
}

// Notify sends a notification.
func Notify[M ~string](ctx context.Context, l Link, method M, p wire.Appender) error {
	if err := l.method(string(method)); err != nil {
		return err
	}
	params, err := encodeParams(string(method), p)
	if err != nil {
		return err
	}
	return l.notify(ctx, string(method), params)
}

// NotifyBare is Notify for a method without parameters.
func NotifyBare[M ~string](ctx context.Context, l Link, method M) error {
	if err := l.method(string(method)); err != nil {
		return err
	}
	return l.notify(ctx, string(method), nil)
}

// send makes a call unless its context has ended.
func (l Link) send(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := ContextError(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	if l.guard != nil {
		if err := l.guard.Allow(method, params); err != nil {
			return nil, err
		}
	}
	ctx, params = l.withToken(ctx, method, params)
	raw, err := l.conn.Call(cancelling(ctx, l.table), method, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	if l.guard != nil {
		l.guard.Answered(method, raw)
	}
	return raw, nil
}

func (l Link) notify(ctx context.Context, method string, params json.RawMessage) error {
	if err := ContextError(ctx); err != nil {
		return fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	if l.guard != nil {
		if err := l.guard.Allow(method, params); err != nil {
			return err
		}
	}
	if err := l.conn.Notify(ctx, method, params); err != nil {
		return fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	return nil
}

// ReadRaw decodes results of arbitrary JSON.
func ReadRaw(d *wire.Decoder) json.RawMessage { return d.Slice() }

func decodeResult[R any](method string, raw json.RawMessage, read func(*wire.Decoder) R) (R, error) {
	var none R
	if string(raw) == "null" { // some peers send null for an empty object
		d := wire.NewDecoder(emptyObject)
		if v := read(wire.NoEscape(&d)); d.Finish() == nil {
			return v, nil
		}
	}
	d := wire.NewDecoder(raw)
	d.DropItems(maxBadItems)
	v := read(wire.NoEscape(&d))
	there, err := finishResult(method, &d)
	if !there {
		return none, err
	}
	return v, err
}
