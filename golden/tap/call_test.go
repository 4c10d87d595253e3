// Calls and recordings that are played over HTTP.

package tap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// serve starts a server with sessions, which wants the headers that the profile states. It knows no prompts.
func serve(t *testing.T) *httptest.Server {
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
		case m.Method == "prompts/list":
			w.WriteHeader(http.StatusNotImplemented)
			return
		case r.Header.Get("MCP-Session-Id") != "s1" || r.Header.Get("MCP-Protocol-Version") != "2025-11-25":
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestCallsTravelOverHTTP(t *testing.T) {
	server := serve(t)
	out, code := kit.Ahpgen("call", "--schemas", "mcp", "--dial", server.URL, "tools/list")
	require.Zero(t, code, out)
	require.JSONEq(t, `{"tools":[]}`, out)
}

// TestHeadersAreSentToAddresses: with each request of HTTP, and with the one that opens a WebSocket.
func TestHeadersAreSentToAddresses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "headers.txt")
	kit.WriteFile(t, file, "Authorization: Bearer secret\n\n")
	server := serve(t)
	asked := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("X-Team") != "red":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Header.Get("Upgrade") == "":
			asked.ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusTeapot) // it has let the client in
		}
	})
	for _, test := range []struct{ address, with, want string }{
		{server.URL, "Authorization: Bearer secret", `"tools": []`},
		{server.URL, "@" + file, `"tools": []`},
		{server.URL, "Authorization: Bearer wrong", "HTTP status 401"},
		{"ws" + strings.TrimPrefix(server.URL, "http"), "@" + file, "418"},
		{"ws" + strings.TrimPrefix(server.URL, "http"), "Authorization: Bearer wrong", "401"},
	} {
		out, _ := kit.Ahpgen("call", "--schemas", "mcp", "--dial", test.address, "--header", test.with, "--header", "x-team: red", "tools/list")
		require.Contains(t, out, test.want, test)
	}
}

// TestRecordingsArePlayedOverHTTP: with the version that was spoken; a rejected request is reported at once.
func TestRecordingsArePlayedOverHTTP(t *testing.T) {
	server := serve(t)
	const talk = `→ {"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}
← {"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}
→ {"jsonrpc":"2.0","id":8,"method":"tools/list"}
← {"jsonrpc":"2.0","id":8,"result":{"tools":[]}}
`
	folder := t.TempDir()
	kit.WriteFile(t, filepath.Join(folder, "same.jsonl"), recorded(t, talk, "mcp", record.Lines))
	out, code := kit.InFolder(t, folder, "replay", "same.jsonl", "--dial", server.URL)
	require.Zero(t, code, out)
	require.Equal(t, "sent 2 messages, compared 2 messages: 0 differences\n", out)

	more := talk + `→ {"jsonrpc":"2.0","id":9,"method":"prompts/list"}
← {"jsonrpc":"2.0","id":9,"result":{"prompts":[]}}
`
	kit.WriteFile(t, filepath.Join(folder, "other.jsonl"), recorded(t, more, "mcp", record.Lines))
	out, code = kit.InFolder(t, folder, "replay", "other.jsonl", "--dial", server.URL, "--patience", "1m")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "message 6: the answer to request 9: missing: ")
	require.Contains(t, out, "501")
}

// TestLargeMessagesArePlayedWhole: those that are too large to be judged, which are recorded in parts.
func TestLargeMessagesArePlayedWhole(t *testing.T) {
	long := strings.Repeat("x", record.Limit)
	request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"` + long + `"}}}`
	answer := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if text, _ := bufio.NewReader(c).ReadString('\n'); text == request+"\n" {
				_, _ = io.WriteString(c, answer(long)+"\n")
			}
			_ = c.Close()
		}
	}()
	folder := t.TempDir()
	for text, want := range map[string]string{
		long:       "sent 1 message, compared 1 message: 0 differences\n",
		long + "y": "(8388608 bytes), and was ",
	} {
		kit.WriteFile(t, filepath.Join(folder, "large.jsonl"), recorded(t, "→ "+request+"\n← "+answer(text)+"\n", "mcp", record.Lines))
		out, _ := kit.InFolder(t, folder, "replay", "large.jsonl", "--dial", l.Addr().String())
		require.Contains(t, out, want)
	}
	kit.WriteFile(t, filepath.Join(folder, "torn.jsonl"), recorded(t, "→ "+request[:len(request)-1]+"\n", "mcp", record.Lines))
	out, code := kit.InFolder(t, folder, "replay", "torn.jsonl", "--dial", l.Addr().String())
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "message 1 is too large to be played, or the recording does not have all of it")
}
