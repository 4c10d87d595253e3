// Tests of clients and servers of MCP, on the packages for the schemas of the corpus.

package agents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// spoken are the versions of MCP with what their schemas call the parameters that the conversation needs. All but the last
// begin with a request that says what the two sides can.
var spoken = []struct {
	version                   string
	list, ping, roots, notify string
	outcome                   string // what a tool answers with, if that may be one of several
	batches, last             bool
	more                      []string // tests of this version alone
}{
	{version: "2024-11-05", list: "ListToolsRequestParams", ping: "PingRequestParams", roots: "ListRootsRequestParams", notify: "InitializedNotificationParams"},
	{version: "2025-03-26", list: "ListToolsRequestParams", ping: "PingRequestParams", roots: "ListRootsRequestParams", notify: "InitializedNotificationParams", batches: true},
	{version: "2025-06-18", list: "ListToolsRequestParams", ping: "PingRequestParams", roots: "ListRootsRequestParams", notify: "InitializedNotificationParams"},
	{version: "2025-11-25", list: "PaginatedRequestParams", ping: "RequestParams", roots: "RequestParams", notify: "NotificationParams", outcome: "CallToolOutcome", more: []string{"tasks_test.go"}},
	{version: "2026-07-28", last: true},
}

// TestMCPConversations generates each version and has clients and servers talk.
func TestMCPConversations(t *testing.T) {
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	for _, v := range spoken {
		schemas := filepath.Join(kit.Corpus(t), "mcp", v.version)
		out := filepath.Join(module, "mcp"+strings.ReplaceAll(v.version, "-", ""))
		kit.Generate(t, generator.Config{Schemas: schemas, Profile: "mcp", Out: out, Package: "mcp", Runtime: filepath.Join(module, "wire")})
		tests := "conversation_test.go"
		if v.last {
			tests = "stateless_test.go"
		} else {
			names := fmt.Sprintf("package mcp\n\nconst hasBatches = %v\n\ntype (\n\tlistParams = %s\n\tpingParams = %s\n\trootsParams = %s\n\tinitializedParams = %s\n\ttoolResult = %s\n)\n", v.batches, v.list, v.ping, v.roots, v.notify, cmp.Or(v.outcome, "*CallToolResult"))
			kit.WriteFile(t, filepath.Join(out, "names_test.go"), names)
		}
		for _, tests := range append([]string{tests}, v.more...) {
			text, err := os.ReadFile(filepath.Join("testdata", "mcp", tests))
			require.NoError(t, err)
			kit.WriteFile(t, filepath.Join(out, tests), string(text))
		}
	}
	kit.Emitted(t, module, "vet", "./...")
	t.Log(kit.TestEmitted(t, module, "./..."))
}
