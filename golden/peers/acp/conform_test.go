// Agents of others that ahpgen conform plays its scenarios to. What it finds is listed in testdata/conform, with reasons.

package acp

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sdkWithExamples is the newest release that has its examples.
const sdkWithExamples = "@agentclientprotocol/sdk@1.9.0"

// TestAgentsConform has the example agents of both SDKs, and an agent of ours on the newest one. Each finding was looked at by hand.
// Turns of the examples take seconds, so that they are played to in all scenarios with AHPGEN_STRESS=1 only.
func TestAgentsConform(t *testing.T) {
	tool := filepath.Join(scratch, "ahpgen.exe")
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", tool, "./cmd/ahpgen").CombinedOutput()
	require.NoError(t, err, string(out))
	quick := []string{"--skip", "asked", "--skip", "cancel", "--skip", "calls/different", "--skip", "*/session/prompt"}
	if os.Getenv("AHPGEN_STRESS") != "" {
		quick = nil
	}
	run := func(t *testing.T, name string, flags []string, program ...string) {
		t.Parallel()
		args := append([]string{"conform", "--schemas", "acp", "-q", "--expected", filepath.Join("testdata", "conform", name+".json")}, flags...)
		out, err := exec.Command(tool, append(append(args, "--"), program...)...).CombinedOutput()
		require.NoError(t, err, string(out))
		t.Log(string(out))
	}
	t.Run("github.com/coder/acp-go-sdk", func(t *testing.T) {
		agent := filepath.Join(scratch, "coder.exe")
		out, err := exec.Command("go", "build", "-o", agent, "github.com/coder/acp-go-sdk/example/agent").CombinedOutput()
		require.NoError(t, err, string(out))
		run(t, "coder", append(quick, "--patience", "10s"), agent)
	})
	t.Run("client of github.com/coder/acp-go-sdk", func(t *testing.T) {
		client := filepath.Join(scratch, "coder-client.exe")
		out, err := exec.Command("go", "build", "-o", client, "github.com/coder/acp-go-sdk/example/client").CombinedOutput()
		require.NoError(t, err, string(out))
		run(t, "coder-client", []string{"--as", "client", "--patience", "5s"}, client, "{server}")
	})
	t.Run(sdkWithExamples, func(t *testing.T) {
		typescript(t) // or skip
		folder := filepath.Join(scratch, "examples")
		out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefix", folder, sdkWithExamples).CombinedOutput()
		require.NoError(t, err, string(out))
		run(t, "typescript", append(quick, "--patience", "10s"), "node", filepath.Join(folder, "node_modules", "@agentclientprotocol", "sdk", "dist", "examples", "agent.js"))
	})
	t.Run(sdk, func(t *testing.T) {
		run(t, "newest", []string{"--patience", "5s"}, "node", filepath.Join(typescript(t), "agent.mjs"))
	})
}
