//go:build !unix

// What signals are elsewhere.

package tap

import "os"

// passed are the signals that a child is sent as well.
var passed = []os.Signal{os.Interrupt}

// broken are the signals for writing to a closed pipe.
var broken []os.Signal

// exitCode returns the exit code of a process.
func exitCode(s *os.ProcessState) int { return s.ExitCode() }
