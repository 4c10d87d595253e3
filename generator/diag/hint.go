// Hint: an error of reading or writing together with what to do about it.

package diag

import "errors"

// HintError is an error with a hint, which goes on a line of its own where it is printed.
type HintError struct {
	Err  error
	Hint string
}

// Error implements error. It leaves the hint out.
func (e *HintError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the hint.
func (e *HintError) Unwrap() error { return e.Err }

// HintOf returns the hint that an error carries, "" for none.
func HintOf(err error) string {
	var e *HintError
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
