// The names in the table for those who come from the SDK.

package acp

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesOfBothPackagesExist looks up every name in the table of MOVING.md.
func TestNamesOfBothPackagesExist(t *testing.T) {
	packages := map[string]string{
		"coder": "github.com/coder/acp-go-sdk",
		"acp":   "github.com/ahpgen/ahpgen/generated/acp",
		"rpc":   "github.com/ahpgen/ahpgen/generated/wire/rpc",
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "generated", "acp", "MOVING.md"))
	require.NoError(t, err)
	checked := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, m := range regexp.MustCompile(`\b(coder|acp|rpc)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`).FindAllStringSubmatch(line, -1) {
			if checked[m[0]] {
				continue
			}
			checked[m[0]] = true
			out, err := exec.Command("go", "doc", packages[m[1]]+"."+m[2]).CombinedOutput()
			require.NoError(t, err, "%s: %s", m[0], out)
		}
	}
	require.Greater(t, len(checked), 60)
}
