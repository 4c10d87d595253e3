//go:build !linux && !darwin

// What other systems do.

package apply

// exchange is not supported: these systems cannot exchange two files in one step.
func exchange(a, b string) error { return errUnsupported }

// holdStill does nothing: the system does not tell who has a file open for writing.
func holdStill(string) (release func(), err error) { return func() {}, nil }
