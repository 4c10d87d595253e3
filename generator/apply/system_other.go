//go:build !linux && !darwin

// What other systems do: they have no exchange, and no name that is only taken if it is free.

package apply

import "syscall"

// errNotFolder says that a folder of a path is a file.
var errNotFolder = syscall.ENOTDIR

func swapAtOnce(a, b string) error { return errUnsupported }

func moveAtOnce(from, to string) error { return errUnsupported }

// holdStill does nothing: nobody says who has a file open for writing.
func holdStill(string) (release func(), err error) { return func() {}, nil }
