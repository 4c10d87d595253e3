//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart puts the process into its own process group, so that an interrupt typed by the user only reaches the client,
// which cancels the turn.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
