// Calls over HTTP.

package tap

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestCallsTravelOverHTTP has a server with sessions, which wants the headers that the profile states.
func TestCallsTravelOverHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		result := `{"tools":[]}`
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case json.NewDecoder(r.Body).Decode(&m) != nil:
			w.WriteHeader(http.StatusBadRequest)
			return
		case m.Method == "initialize":
			w.Header().Set("MCP-Session-Id", "s1")
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case r.Header.Get("MCP-Session-Id") != "s1" || r.Header.Get("MCP-Protocol-Version") != "2025-11-25":
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	defer server.Close()
	out, code := kit.Ahpgen("call", "--schemas", "mcp", "--dial", server.URL, "tools/list")
	require.Zero(t, code, out)
	require.JSONEq(t, `{"tools":[]}`, out)
}
