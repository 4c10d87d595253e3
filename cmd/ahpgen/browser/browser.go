// Package browser shows a page to whoever is at this machine.
package browser

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Command is what opens an address on a system: what a person has set for this, or what the system has.
func Command(system, chosen, address string) (name string, args []string) {
	if words := strings.Fields(chosen); len(words) > 0 {
		return words[0], append(words[1:], address)
	}
	switch system {
	case "darwin":
		return "open", []string{address}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	return "xdg-open", []string{address}
}

// Open opens an address, and does not wait for what comes of it. The environment variable BROWSER names another program
// than that of the system.
func Open(address string) error {
	name, args := Command(runtime.GOOS, os.Getenv("BROWSER"), address)
	cmd := exec.Command(name, args...) //nolint:gosec // the user's own choice, or the system's
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open a browser: %w", err)
	}
	return cmd.Process.Release()
}
