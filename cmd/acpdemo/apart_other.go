//go:build !unix

package main

import "os/exec"

// apart does nothing here: an interrupt typed by the user reaches the process as well.
func apart(*exec.Cmd) {}
