// Validation of parameters and results.

package typed

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// validate returns the violations of a value if it is validated and can be.
func validate(v any, on, direction rpc.Validation) error {
	if on&direction == 0 {
		return nil
	}
	if can, ok := v.(interface{ Validate() error }); ok && !wire.IsNil(v) {
		return can.Validate()
	}
	return nil
}

// validates returns what is validated on the connection.
func (l Link) validates() rpc.Validation {
	if conn, ok := l.conn.(rpc.Validating); ok {
		return conn.Validation()
	}
	return 0
}

// validResult returns the result of a call, or an error if it violates constraints.
func validResult[R any](l Link, method string, v R, err error) (R, error) {
	if invalid := validate(v, l.validates(), rpc.ValidateReceived); invalid != nil {
		var none R
		return none, fmt.Errorf("%s: result: %w", method, invalid)
	}
	return v, err
}

// validParams refuses received parameters that violate constraints.
func validParams[P any](ctx context.Context, p P) (P, error) {
	if err := validate(p, rpc.ValidationOf(ctx), rpc.ValidateReceived); err != nil {
		return p, invalidParams(err.Error())
	}
	return p, nil
}

// reply answers with a result, or with an error if it violates constraints.
func reply[R wire.Appender](ctx context.Context, m *rpc.Message, r R, err error) (json.RawMessage, error) {
	if err == nil {
		if err = validate(r, rpc.ValidationOf(ctx), rpc.ValidateSent); err != nil {
			err = fmt.Errorf("%s: result: %w", m.Method, err)
		}
	}
	return m.Reply(ctx, r, err)
}
