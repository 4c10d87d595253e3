// Package usage defines errors for incorrect invocations and configurations, with remedies.
package usage

import "errors"

// ErrFindings reports that diagnostics contain errors and nothing was produced.
var ErrFindings = errors.New("the input has errors")

// Error is an incorrect invocation or configuration.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// FlagError is an error that changing or omitting flags resolves.
type FlagError struct {
	Message     string
	Flag, Value string   // "" if omitting flags suffices; a flag without a value is boolean
	Without     []string // flags to omit
	Lines       []string // complete alternative command lines
}

func (e *FlagError) Error() string { return e.Message }

// Unwrap marks it as a usage error.
func (e *FlagError) Unwrap() error { return &Error{e.Message} }
