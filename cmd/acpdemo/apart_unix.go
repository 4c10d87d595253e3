//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart keeps an interrupt that the user types from the process: it is for the client, which tells the agent to cancel.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
