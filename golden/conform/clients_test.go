// Clients: faults of these.

package conform

import (
	"context"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
)

// instead returns hooks that change what the client gets.
func instead(change func(c *planted, text string) string) func() hooks {
	return takes(func(c *planted, text string, _ object) bool {
		_ = c.Transport.Write(context.Background(), []byte(change(c, text))) // it may have gone
		return false
	})
}

// sends returns hooks that change what the client sends.
func sends(change func(c *planted, m object)) func() hooks {
	return func() hooks {
		return hooks{said: func(c *planted, m, _ object) { change(c, m) }}
	}
}

// clients are faults of clients.
var clients = []fault{
	{"a client sends a request before the handshake", "client of acp", []string{"client/serves"}, "not-initialized", sends(func(c *planted, m object) {
		if m["method"] == "initialize" {
			c.tell(object{"jsonrpc": "2.0", "id": "planted", "method": "session/list", "params": object{}})
		}
		c.tell(m)
	})},
	{"a client lacks a parameter", "client of acp", []string{"client/serves"}, "bad-params", sends(func(c *planted, m object) {
		if p, ok := m["params"].(object); ok {
			delete(p, "cwd")
		}
		c.tell(m)
	})},
	{"a client uses what is not advertised", "client of acp", []string{"client/serves"}, "not-advertised", sends(func(c *planted, m object) {
		if m["method"] == "session/prompt" {
			c.tell(object{"jsonrpc": "2.0", "id": "planted", "method": "session/list", "params": object{}})
		}
		c.tell(m)
	})},
	{"a client uses an id twice", "client of acp", []string{"client/serves"}, "id-in-use", sends(func(c *planted, m object) {
		if m["method"] == "session/new" {
			c.tell(m)
		}
		c.tell(m)
	})},
	{"a client sends what the agent sends", "client of acp", []string{"client/serves"}, "wrong-side", sends(func(c *planted, m object) {
		if m["method"] == "session/new" {
			c.tell(object{"jsonrpc": "2.0", "method": "session/update", "params": object{}})
		}
		c.tell(m)
	})},
	{"a client does not answer unknown requests", "client of acp", []string{"client/serves", "client/unknown"}, "not-answered", takes(func(_ *planted, text string, m object) bool {
		return !strings.Contains(text, "conform/unknown") || m["id"] == nil
	})},
	{"a client answers unknown requests with another code", "client of acp", []string{"client/serves", "client/unknown"}, "wrong-code", sends(func(c *planted, m object) {
		if isError(m, "-32601") {
			m = failure(m["id"], -32603)
		}
		c.tell(m)
	})},
	{"a client answers notifications", "client of acp", []string{"client/serves", "client/unknown"}, "answered-notification", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "conform/unknown" && m["id"] == nil {
			c.tell(failure(nil, -32601))
		}
		return true
	})},
	{"a client ends when a notification is not known", "client of acp", []string{"client/serves", "client/unknown"}, "not-continued", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "conform/unknown" && m["id"] == nil {
			c.end()
		}
		return true
	})},
	{"a client ends when something is no JSON", "client of acp", []string{"client/serves", "client/malformed"}, "not-continued", takes(func(c *planted, text string, m object) bool {
		if len(m) == 0 && strings.HasPrefix(text, "{") {
			c.end()
		}
		return true
	})},
	{"a client refuses unknown members", "client of acp", []string{"client/serves", "client/answers"}, "not-continued", takes(func(_ *planted, text string, _ object) bool {
		return !strings.Contains(text, "conformUnknown")
	})},
	{"a client goes on with any version", "client of acp", []string{"client/serves", "client/other-version"}, "not-refused", instead(func(_ *planted, text string) string {
		return strings.Replace(text, `"protocolVersion":9999`, `"protocolVersion":1`, 1)
	})},
	{"a client goes on when it is refused", "client of acp", []string{"client/serves", "client/refused"}, "not-refused", instead(func(_ *planted, text string) string {
		if strings.Contains(text, "conform refuses") && strings.Contains(text, `"id":1,`) {
			return `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`
		}
		return text
	})},
	{"a client accepts wrong parameters", "client of acp", []string{"client/serves", "client/methods"}, "not-refused", sends(func(c *planted, m object) {
		if isError(m, "-32602") {
			m = result(m["id"], object{})
		}
		c.tell(m)
	})},
	{"a result of a client is wrong", "client of acp", []string{"client/serves", "client/methods"}, "bad-result", sends(func(c *planted, m object) {
		if r, ok := m["result"].(object); ok && m["method"] == nil {
			r["content"], r["outcome"] = 5, 5
		}
		c.tell(m)
	})},
	{"a client panics when its requests are refused", "client of acp", []string{"client/serves", "client/answers/error"}, "crashed", func() hooks {
		return hooks{link: func(l *tap.Link) {
			ended := l.Ended
			l.Ended = func(d time.Duration) (tap.Exit, bool) {
				e, _ := ended(d)
				e.Code = 2
				return e, true
			}
		}}
	}},
	{"a client ends when a megabyte comes", "client of ahp", []string{"client/serves", "client/large"}, "not-continued", takes(func(c *planted, text string, _ object) bool {
		if len(text) > 1<<20 {
			c.end()
		}
		return true
	})},
}
