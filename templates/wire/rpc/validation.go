// Validation: checking parameters and results against the constraints of their schemas.

package rpc

import "context"

// Validation says which parameters and results are validated. Types of packages that have the part "validate" can be.
type Validation uint8

// What is validated; both are written ValidateSent | ValidateReceived.
const (
	// ValidateSent fails calls and notifications with invalid parameters, of which nothing is sent, and answers with
	// -32603 instead of an invalid result.
	ValidateSent Validation = 1
	// ValidateReceived answers requests that have invalid parameters with -32602 and the violations, drops such
	// notifications, and fails calls that are answered with an invalid result.
	ValidateReceived Validation = 2
)

// Validating is a [Conn] on which parameters and results may be validated.
type Validating interface {
	Validation() Validation
}

// Validation implements [Validating].
func (p *Peer) Validation() Validation { return p.options.Validate }

// ValidationOf returns what is validated on the connection of a handler's context.
func ValidationOf(ctx context.Context) Validation {
	if t := turnOf(ctx); t != nil {
		return t.server.peer.options.Validate
	}
	return 0
}
