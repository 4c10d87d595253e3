//go:build unix

// What signals are on Unix.

package tap

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// passed are the signals that a child is sent as well.
var passed = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// broken are the signals for writing to a closed pipe, which returns an error instead.
var broken = []os.Signal{syscall.SIGPIPE}

// Interrupts returns the signals that end a command and the programs that it has started. One that is ignored from the start, as
// behind nohup, stays so.
func Interrupts() []os.Signal {
	out := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		out = append(out, syscall.SIGHUP)
	}
	return out
}

// apart has a program begin a process group, so that what it starts ends with it: a wrapper, such as npx, passes on no kill.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalAll sends a signal to a program and what it has started.
func signalAll(cmd *exec.Cmd, s os.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal)) // they may have ended
}

// exitCode returns the exit code of a process, that of a shell for one that a signal has ended.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		const signalled = 128
		return signalled + int(status.Signal())
	}
	return s.ExitCode()
}
