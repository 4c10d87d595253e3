// The TypeScript SDK, installed anew into a temporary folder.

package acp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// sdk is the newest release; what it exports by default speaks version 1 of the protocol.
const sdk = "@agentclientprotocol/sdk@2.4.0"

// sockets are WebSockets for it.
const sockets = "ws@8.18.3"

// installation is a folder with the SDK and our scripts, and why it cannot be had here.
type installation struct{ folder, missing string }

var installed = sync.OnceValues(func() (installation, error) {
	i := installation{folder: filepath.Join(scratch, "typescript")}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			i.missing = err.Error()
			return i, nil
		}
	}
	if out, err := exec.Command("npm", "view", sdk, "version").CombinedOutput(); err != nil {
		i.missing = fmt.Sprintf("the registry of npm cannot be reached: %v\n%s", err, out)
		return i, nil
	}
	if err := os.CopyFS(i.folder, os.DirFS("testdata")); err != nil {
		return i, err
	}
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefix", i.folder, sdk, sockets)
	if out, err := install.CombinedOutput(); err != nil {
		return i, fmt.Errorf("%w\n%s", err, out)
	}
	return i, nil
})

func typescript(t *testing.T) (folder string) {
	t.Helper()
	i, err := installed()
	require.NoError(t, err)
	if i.missing != "" {
		t.Skip(i.missing)
	}
	return i.folder
}

func TestTheTypeScriptSDKWithOurAgent(t *testing.T) {
	clientScenarios(t, typescript(t), demoCommand(t)...)
}

// clientScenarios runs all that the client does, with an agent that is a command or a URL.
func clientScenarios(t *testing.T, installed string, agent ...string) {
	for _, name := range []string{"order", "allow", "reject", "cancelPermission", "cancelTurn", "extensions", "load"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.md"), []byte("- Buy bread\n"), 0o600))
			out, err := exec.Command("node", append([]string{filepath.Join(installed, "client.mjs"), name, folder}, agent...)...).CombinedOutput()
			require.NoError(t, err, string(out))
			require.Equal(t, "done\n", string(out))
		})
	}
}
