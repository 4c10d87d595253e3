// Package browser opens pages in the user's browser.
package browser

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Command returns the command that opens an address on an operating system.
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

// Open opens an address without waiting. The environment variable BROWSER overrides the system's default.
func Open(address string) error {
	name, args := Command(runtime.GOOS, os.Getenv("BROWSER"), address)
	cmd := exec.Command(name, args...) //nolint:gosec // the user's choice or the system's default
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open a browser: %w", err)
	}
	return cmd.Process.Release()
}
