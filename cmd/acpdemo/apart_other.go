//go:build !unix

package main

import "os/exec"

// apart does nothing here: an interrupt that the user types reaches the process as well.
func apart(*exec.Cmd) {}
