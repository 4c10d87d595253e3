// Agents that are reached over HTTP and WebSocket.

package acp

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// serving starts an agent that prints its URL, and returns that for each way to reach it.
func serving(t *testing.T, command ...string) (urls []string) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	http := strings.TrimSpace(line)
	return []string{http, strings.Replace(http, "http:", "ws:", 1)}
}

func overEach(t *testing.T, urls []string, run func(t *testing.T, url string)) {
	for _, url := range urls {
		scheme, _, _ := strings.Cut(url, ":")
		t.Run(scheme, func(t *testing.T) { run(t, url) })
	}
}

func TestOurClientWithOurRemoteAgent(t *testing.T) {
	overEach(t, serving(t, demoCommand(t)[0], "serve", "--listen", "localhost:0"), func(t *testing.T, url string) {
		withAgents(t, []string{url})
	})
}

func TestOurClientWithTheRemoteTypeScriptSDK(t *testing.T) {
	overEach(t, serving(t, "node", filepath.Join(typescript(t), "agent.mjs"), "serve"), func(t *testing.T, url string) {
		withAgents(t, []string{url})
	})
}

func TestTheTypeScriptSDKWithOurRemoteAgent(t *testing.T) {
	folder := typescript(t)
	overEach(t, serving(t, demoCommand(t)[0], "serve", "--listen", "localhost:0"), func(t *testing.T, url string) {
		clientScenarios(t, folder, url)
	})
}
