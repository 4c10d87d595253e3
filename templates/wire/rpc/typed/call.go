// Calls: sending with typed parameters and results.

package typed

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func (l Link) encodeParams(method string, p wire.Appender) (json.RawMessage, error) {
	if wire.IsNil(p) {
		return nil, fmt.Errorf("%s: params: %w", method, errNil)
	}
	if l.fill != nil {
		p = l.fill(p)
	}
	if err := validate(p, l.validates(), rpc.ValidateSent); err != nil {
		return nil, fmt.Errorf("%s: params: %w", method, err)
	}
	raw, err := wire.AppendValid(nil, p)
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

// Copy returns what p points to, or empty parameters if it is nil.
func Copy[P any](p *P) P { return *OrEmpty(p) }

// Call sends a request with parameters and decodes its result. If only items of lists that are members of the result
// are invalid, it returns the result without them and an [*rpc.ItemsError] with the items. Items of nested lists are not
// dropped: the enclosing item or the whole result is refused.
func Call[M ~string, R any](ctx context.Context, l Link, method M, p wire.Appender, read func(*wire.Decoder) R) (R, error) {
	var none R
	raw, err := callRaw(ctx, l, string(method), p)
	if err != nil {
		return none, err
	}
	v, err := decodeResult(string(method), raw, read)
	return validResult(l, string(method), v, err)
}

// CallNoResult is Call for a null result. Other results, as from newer peers, are accepted.
func CallNoResult[M ~string](ctx context.Context, l Link, method M, p wire.Appender) error {
	_, err := callRaw(ctx, l, string(method), p)
	return err
}

func callRaw(ctx context.Context, l Link, method string, p wire.Appender) (json.RawMessage, error) {
	if err := l.checkMethod(method); err != nil {
		return nil, err
	}
	params, err := l.encodeParams(method, p)
	if err != nil {
		return nil, err
	}
	return l.send(ctx, method, params)
}

// CallNoParams is Call for a method without parameters.
func CallNoParams[M ~string, R any](ctx context.Context, l Link, method M, read func(*wire.Decoder) R) (R, error) {
	var none R
	if err := l.checkMethod(string(method)); err != nil {
		return none, err
	}
	raw, err := l.send(ctx, string(method), nil)
	if err != nil {
		return none, err
	}
	v, err := decodeResult(string(method), raw, read)
	return validResult(l, string(method), v, err)
}

// CallNoParamsNoResult is Call for a method without parameters and with a null result.
func CallNoParamsNoResult[M ~string](ctx context.Context, l Link, method M) error {
	if err := l.checkMethod(string(method)); err != nil {
		return err
	}
	_, err := l.send(ctx, string(method), nil)
	return err
}

// Notify sends a notification.
func Notify[M ~string](ctx context.Context, l Link, method M, p wire.Appender) error {
	if err := l.checkMethod(string(method)); err != nil {
		return err
	}
	if conn, ok := l.conn.(valueNotifier); ok && l.guard == nil && !wire.IsNil(p) && l.validates()&rpc.ValidateSent == 0 {
		return l.notifyValue(ctx, conn, string(method), p)
	}
	params, err := l.encodeParams(string(method), p)
	if err != nil {
		return err
	}
	return l.notify(ctx, string(method), params)
}

// notifyValue is notify for parameters that are not encoded yet.
func (l Link) notifyValue(ctx context.Context, conn valueNotifier, method string, p wire.Appender) error {
	err := l.usable(ctx, method)
	if err != nil {
		return err
	}
	if err = conn.NotifyValue(l.carrying(ctx, method), method, p); err != nil {
		return fmt.Errorf("%s: %w", wire.Name(method), err)
	}
	return nil
}

// valueNotifier is a connection that encodes parameters into the message, such as [rpc.Peer].
type valueNotifier interface {
	NotifyValue(ctx context.Context, method string, params wire.Appender) error
}

// NotifyNoParams is Notify for a method without parameters.
func NotifyNoParams[M ~string](ctx context.Context, l Link, method M) error {
	if err := l.checkMethod(string(method)); err != nil {
		return err
	}
	return l.notify(ctx, string(method), nil)
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
