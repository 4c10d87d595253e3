// Hint: I/O errors with a remedy.

package diag

import "errors"

// HintError is an error with a hint, printed on a separate line.
type HintError struct {
	Err  error
	Hint string
}

// Error returns the message without the hint.
func (e *HintError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the hint.
func (e *HintError) Unwrap() error { return e.Err }

// HintOf returns the hint of an error, or "".
func HintOf(err error) string {
	var e *HintError
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
