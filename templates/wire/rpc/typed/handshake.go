// Versions: handshakes that agree on one, and requests that state the one that they are of.

package typed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// CheckVersion refuses a request of a version that is not supported. One without a version is left to its decoder, unless its method
// is unknown: older clients may begin with such a request, and learn the versions from the error.
func CheckVersion(m *rpc.Message, t *spec.Table) error {
	if m.Kind != rpc.Request {
		return nil
	}
	supported := t.Stated.Supported
	version, ok := textAt(m.Params, t.Stated.At)
	switch {
	case !ok:
		if _, known := t.Known([]byte(m.Method)); known {
			return nil
		}
		return &rpc.Error{
			Code:    int64(rpc.MethodNotFound),
			Message: fmt.Sprintf("method not found: %q; supported versions are %s", m.Method, strings.Join(supported, ", ")),
		}
	case slices.Contains(supported, version):
		return nil
	}
	data, _ := json.Marshal(map[string]any{t.Stated.Accepted: supported, t.Stated.Requested: version}) // of texts
	return &rpc.Error{Code: t.Stated.Code, Message: "unsupported version; supported are " + strings.Join(supported, ", "), Data: data}
}

// textAt returns the text at a path of a JSON object.
func textAt(object json.RawMessage, path []string) (text string, ok bool) {
	d := wire.NewDecoder(object)
	for i, name := range path {
		if d.Kind() != '{' {
			return "", false
		}
		k := d.Object()
		for ; k != nil && string(k) != name; k = d.NextKey() {
			d.Skip()
		}
		if k == nil {
			return "", false
		}
		if i == len(path)-1 && d.Kind() == '"' {
			text = d.Str()
			return text, !d.Failed()
		}
	}
	return "", false
}
