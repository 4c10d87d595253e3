// States: faults of hosts.

package conform

import (
	"encoding/json"
	"slices"
	"sync/atomic"
)

// snapshots counts those that were changed.
var snapshots atomic.Int64

// states are faults of hosts.
var states = []fault{
	{"an unknown method ends the connection", "ahp", []string{"unknown"}, "connection-lost", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "conform/unknown" {
			c.end()
		}
		return true
	})},
	{"text that is not JSON ends the connection", "ahp", []string{"malformed"}, "connection-lost", takes(func(c *planted, text string, _ object) bool {
		if !json.Valid([]byte(text)) {
			c.end()
		}
		return true
	})},
	{"requests are served before the handshake", "ahp", []string{"handshake"}, "not-refused", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "initialize" {
			c.mu.Lock()
			c.faulty = true
			c.mu.Unlock()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.faulty && !c.ended {
			c.out <- text(result(m["id"], object{}))
		}
		return c.faulty
	})},
	{"a second handshake has a result", "ahp", []string{"handshake"}, "not-refused", answers("initialize", func(c *planted, m, _ object) {
		if m["error"] != nil {
			m = result(m["id"], object{"protocolVersion": "1.0.0", "serverSeq": 0, "snapshots": []any{}})
		}
		c.tell(m)
	})},
	{"an unknown version has another error", "ahp", []string{"handshake"}, "wrong-code", answers("initialize", func(c *planted, m, _ object) {
		if isError(m, "-32005") {
			m = failure(m["id"], -32602)
		}
		c.tell(m)
	})},
	{"an error has wrong data", "ahp", []string{"handshake"}, "bad-error", answers("initialize", func(c *planted, m, _ object) {
		if e, ok := m["error"].(object); ok && isError(m, "-32005") {
			e["data"] = object{"supportedVersions": "1.0.0"}
		}
		c.tell(m)
	})},
	{"a version is chosen that was not offered", "ahp", []string{"handshake"}, "bad-version", answers("initialize", func(c *planted, m, _ object) {
		if r, ok := m["result"].(object); ok {
			r["protocolVersion"] = "0.1.0"
		}
		c.tell(m)
	})},
	{"the newest of several versions is not known, so all are refused", "ahp", []string{"handshake"}, "refused", takes(func(c *planted, _ string, m object) bool {
		if list, _ := member(m, "params", "protocolVersions").([]any); len(list) > 1 && list[0] == "9999.0.0" {
			c.tell(object{"jsonrpc": "2.0", "id": m["id"], "error": object{"code": -32005, "message": "planted", "data": object{"supportedVersions": []any{"1.0.0"}}}})
			return false
		}
		return true
	})},
	{"what a client has missed has a gap", "ahp", nil, "not-replayed", replays(func(list []any) []any { return list[min(1, len(list)):] })},
	{"what a client has missed comes twice", "ahp", nil, "not-replayed", replays(func(list []any) []any { return append(list, list...) })},
	{"what a client has missed does not come", "ahp", nil, "not-replayed", replays(func([]any) []any { return []any{} })},
	{"what a client has missed comes backwards", "ahp", nil, "sequence-back", replays(func(list []any) []any {
		slices.Reverse(list)
		return list
	})},
	{"a client that is back gets nothing more", "ahp", nil, "not-replayed", func() hooks {
		back := false
		return hooks{said: func(c *planted, m, request object) {
			back = back || request["method"] == "reconnect"
			if !back || m["method"] != "action" {
				c.tell(m)
			}
		}}
	}},
	{"a client cannot come back", "ahp", nil, "refused", answers("reconnect", func(c *planted, m, _ object) { c.tell(failure(m["id"], -32001)) })},
	{"numbers of actions skip some", "ahp", nil, "other-state", envelopes(func(c *planted, m, params object) {
		c.mu.Lock()
		c.count++
		first := c.count == 1
		c.mu.Unlock()
		if raw, ok := params["serverSeq"].(json.RawMessage); ok && !first {
			params["serverSeq"] = json.RawMessage(string(raw) + "0")
		}
		c.tell(m)
	})},
	{"actions come twice", "ahp", nil, "sequence-back", envelopes(func(c *planted, m, _ object) { c.tell(m); c.tell(m) })},
	{"a snapshot is out of date", "ahp", nil, "other-state", answers("subscribe", func(c *planted, m, _ object) {
		if s, ok := member(m, "result", "snapshot", "state").(object); ok {
			s["activeSessions"] = snapshots.Add(1)
		}
		c.tell(m)
	})},
	{"clients may dispatch what hosts alone may", "ahp", nil, "not-refused", envelopes(func(c *planted, m, params object) {
		delete(params, "rejectionReason")
		c.tell(m)
	})},
	{"an action of no version is sent", "ahp", nil, "unknown-action", envelopes(func(c *planted, m, params object) {
		params["action"] = object{"type": "root/planted"}
		c.tell(m)
	})},
	{"unsubscribing has no effect", "ahp", nil, "not-subscribed", takes(func(_ *planted, _ string, m object) bool { return m["method"] != "unsubscribe" })},
	{"one can subscribe to what there is not", "ahp", []string{"methods", "replication/subscribe"}, "not-refused", answers("subscribe", func(c *planted, m, _ object) {
		if m["error"] != nil {
			m = result(m["id"], object{})
		}
		c.tell(m)
	})},
}
