//go:build unix

// What signals are on Unix.

package tap

import (
	"os"
	"syscall"
)

// passed are the signals that a child is sent as well.
var passed = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// broken are the signals for writing to a closed pipe, which returns an error instead.
var broken = []os.Signal{syscall.SIGPIPE}

// exitCode returns the exit code of a process, that of a shell for one that a signal has ended.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		const signalled = 128
		return signalled + int(status.Signal())
	}
	return s.ExitCode()
}
