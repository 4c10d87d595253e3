// Usage: what entry points return as errors: mistakes in how ahpgen was called, and what is wrong with the input.

package generator

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/usage"
)

// ErrFindings says that diagnostics hold what is wrong; nothing was produced. What is returned is a *FindingsError.
var ErrFindings = usage.ErrFindings

// UsageError is an error of invocation or configuration.
type UsageError = usage.Error

// FlagError is an error that changing or omitting flags resolves.
type FlagError = usage.FlagError

// FindingsError is returned where the input has errors. It carries everything that was found, warnings included.
type FindingsError struct{ found []diag.Diagnostic }

// Diagnostics returns what was found, sorted by position.
func (e *FindingsError) Diagnostics() []diag.Diagnostic { return e.found }

// Error returns the first error, and how many diagnostics there are beside it.
func (e *FindingsError) Error() string {
	for _, d := range e.found {
		if d.Severity != diag.Error {
			continue
		}
		first, _, _ := strings.Cut(d.String(), "\n")
		if n := len(e.found) - 1; n > 0 {
			first += fmt.Sprintf(" (and %d more)", n)
		}
		return first
	}
	return ErrFindings.Error()
}

// Unwrap returns ErrFindings.
func (e *FindingsError) Unwrap() error { return ErrFindings }

// finish is deferred by entry points: it makes an error of a panic, and has one about findings carry them.
func finish(diags *diag.List, err *error) {
	if r := recover(); r != nil {
		*err = diags.Crash(r)
	}
	var carries *FindingsError
	if errors.Is(*err, ErrFindings) && !errors.As(*err, &carries) {
		*err = &FindingsError{diags.Sorted()}
	}
}
