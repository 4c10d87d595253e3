//go:build !unix

// What signals are elsewhere.

package tap

import (
	"os"
	"os/exec"
)

// passed are the signals that a child is sent as well.
var passed = []os.Signal{os.Interrupt}

// broken are the signals for writing to a closed pipe.
var broken []os.Signal

// Interrupts returns the signals that end a command.
func Interrupts() []os.Signal { return []os.Signal{os.Interrupt} }

// apart does nothing: there are no process groups, and a terminal interrupts all its programs by itself.
func apart(*exec.Cmd) {}

// signalAll ends a program if it is to be killed.
func signalAll(cmd *exec.Cmd, s os.Signal) {
	if s == os.Kill {
		_ = cmd.Process.Kill()
	}
}

// exitCode returns the exit code of a process.
func exitCode(s *os.ProcessState) int { return s.ExitCode() }
