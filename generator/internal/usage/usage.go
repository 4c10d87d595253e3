// Package usage holds mistakes in how ahpgen was called or configured, and what to say instead.
package usage

import "errors"

// ErrFindings says that diagnostics hold what is wrong; nothing was produced.
var ErrFindings = errors.New("the input has errors")

// Error is a mistake in how ahpgen was called or configured.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// FlagError is a mistake that another value of a flag mends, or leaving some out.
type FlagError struct {
	Message     string
	Flag, Value string   // "" if it is enough to leave flags out; a flag without a value is a switch
	Without     []string // flags to leave out
	Lines       []string // others to type instead, whole ones
}

func (e *FlagError) Error() string { return e.Message }

// Unwrap makes it a mistake in how ahpgen was called.
func (e *FlagError) Unwrap() error { return &Error{e.Message} }
