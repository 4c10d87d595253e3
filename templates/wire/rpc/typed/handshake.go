// Handshakes: agreeing on a version.

package typed

import (
	"context"
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Negotiate chooses a version as [spec.Order.ChooseVersion] does, but returns the error to answer with: that of refuse if no
// version fits, or invalid params, with a path, if all are malformed.
func Negotiate(o spec.Order, offered, supported []string, member string, refuse func(reason string) (*rpc.Error, error)) (string, error) {
	version, err := o.ChooseIn(member, offered, supported)
	if errors.Is(err, spec.ErrNoCommonVersion) {
		refusal, err := refuse(err.Error())
		if err != nil {
			return "", err
		}
		return "", refusal
	}
	if malformed := (spec.MalformedOffer{}); errors.As(err, &malformed) {
		return "", invalidParams(malformed.Error())
	}
	return version, err
}

// CheckResult wraps a handshake handler to verify that it answers an offered version.
func CheckResult[P, R any](f func(context.Context, *P) (*R, error), check func(*P, *R) error) func(context.Context, *P) (*R, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p *P) (*R, error) {
		r, err := f(ctx, p)
		if err != nil || r == nil {
			return r, err
		}
		if err := check(p, r); err != nil {
			return nil, wire.Within("result", err)
		}
		return r, nil
	}
}
