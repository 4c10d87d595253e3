// The official conformance suite: our server and client of both eras, a package of each version side by side.

package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eras are the versions that the program of both eras speaks.
var eras = []string{"2025-11-25", "2026-07-28"}

// TestConformanceOfOurServer runs all scenarios of the suite for servers, in both eras, against one URL. Extensions are left
// out: the schemas do not have their messages.
func TestConformanceOfOurServer(t *testing.T) {
	suite := conformance(t)
	ours := buildEras(t, "conformance")
	url := start(t, ours, "server")
	for _, version := range eras {
		for _, scenario := range suite.scenarios(t, "Server scenarios", version) {
			t.Run(version+"/"+scenario, func(t *testing.T) {
				suite.run(t, "server", "--url", url, "--scenario", scenario, "--spec-version", version)
			})
		}
	}
}

// TestConformanceOfOurClient runs all scenarios of the suite for clients, in both eras: the client finds out which era each server
// is of. Those of authorization need a client of OAuth, which the package does not have.
func TestConformanceOfOurClient(t *testing.T) {
	suite := conformance(t)
	ours := buildEras(t, "conformance")
	for _, version := range eras {
		for _, scenario := range suite.scenarios(t, "Client scenarios", version) {
			if strings.HasPrefix(scenario, "auth/") {
				continue
			}
			t.Run(version+"/"+scenario, func(t *testing.T) {
				suite.run(t, "client", "--command", ours, "--scenario", scenario, "--spec-version", version)
			})
		}
	}
}

// suiteOf is the suite as a command.
type suiteOf struct{ node, script string }

func conformance(t *testing.T) suiteOf {
	node, modules := typescript(t)
	return suiteOf{node, filepath.Join(modules, "conformance", "dist", "index.js")}
}

// scenario is a line of the list of scenarios: a name and the versions that it is for.
var scenario = regexp.MustCompile(`(?m)^  - (\S+) \[(.*)\]$`)

// scenarios returns the names of those under a heading that are for a version.
func (s suiteOf) scenarios(t *testing.T, heading, version string) (out []string) {
	all, err := exec.CommandContext(limited(t), s.node, s.script, "list").Output()
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(all), heading)
	require.True(t, ok, "%s", all)
	list, _, _ = strings.Cut(list, "\n\n")
	for _, line := range scenario.FindAllStringSubmatch(list, -1) {
		if slices.Contains(strings.Split(line[2], ","), version) {
			out = append(out, line[1])
		}
	}
	require.NotEmpty(t, out, "%s", all)
	return out
}

// run runs a scenario, of which no check may fail or warn.
func (s suiteOf) run(t *testing.T, args ...string) {
	results := t.TempDir()
	said, err := exec.CommandContext(limited(t), s.node, append(append([]string{s.script}, args...), "--output-dir", results)...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	require.NoError(t, err)
	require.Len(t, files, 1, "%s", said)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var checks []struct{ ID, Status, ErrorMessage string }
	require.NoError(t, json.Unmarshal(data, &checks))
	passed := 0
	for _, c := range checks {
		require.NotContains(t, []string{"FAILURE", "WARNING"}, c.Status, "%s: %s", c.ID, c.ErrorMessage)
		if c.Status == "SUCCESS" {
			passed++
		}
	}
	require.Positive(t, passed)
}
