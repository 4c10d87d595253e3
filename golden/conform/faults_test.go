// Faults: each is planted in a demo, one at a time, and found.

package conform

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/conform"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// fault is a fault with what finds it.
type fault struct {
	name, of string
	only     []string // the scenarios that find it, and those that prepare them
	rule     string
	hooks    func() hooks
}

// answers returns hooks that change the answers to a method, "" for all.
func answers(method string, change func(c *planted, m, request object)) func() hooks {
	return func() hooks {
		return hooks{said: func(c *planted, m, request object) {
			if m["method"] == nil && request["method"] != nil && (method == "" || request["method"] == method) {
				change(c, m, request)
				return
			}
			c.tell(m)
		}}
	}
}

// takes returns hooks that see the messages of the client.
func takes(told func(c *planted, text string, m object) bool) func() hooks {
	return func() hooks { return hooks{told: told} }
}

// member returns a member of the parameters or of another object.
func member(m object, path ...string) any {
	var v any = m
	for _, name := range path {
		inner, _ := v.(object)
		v = inner[name]
	}
	return v
}

// isError reports whether an answer is an error with a code.
func isError(m object, code string) bool {
	raw, _ := member(m, "error", "code").(json.RawMessage)
	return string(raw) == code
}

// envelopes returns hooks that change the actions that come.
func envelopes(change func(c *planted, m, params object)) func() hooks {
	return func() hooks {
		return hooks{said: func(c *planted, m, _ object) {
			if params, ok := m["params"].(object); ok && m["method"] == "action" {
				change(c, m, params)
				return
			}
			c.tell(m)
		}}
	}
}

// replays returns hooks that change the list of actions that a client gets when it is back.
func replays(change func([]any) []any) func() hooks {
	return answers("reconnect", func(c *planted, m, _ object) {
		if list, ok := member(m, "result", "actions").([]any); ok {
			m["result"].(object)["actions"] = change(list)
		}
		c.tell(m)
	})
}

// plain are faults of any program.
var plain = []fault{
	{"an answer is dropped", "acp", []string{"methods/session/new"}, "not-answered", answers("session/new", func(*planted, object, object) {})},
	{"answers come twice", "acp", []string{"methods/session/new"}, "answered-twice", answers("session/new", func(c *planted, m, _ object) { c.tell(m); c.tell(m) })},
	{"answers have another id", "acp", []string{"methods/session/new"}, "not-requested", answers("session/new", func(c *planted, m, _ object) { m["id"] = 5000; c.tell(m) })},
	{"ids become texts", "acp", []string{"methods/session/new"}, "not-requested", answers("session/new", func(c *planted, m, _ object) { m["id"] = text(m["id"]); c.tell(m) })},
	{"texts that are ids become numbers", "acp", []string{"ids"}, "not-answered", answers("", func(c *planted, m, _ object) {
		if m["id"] == "901" {
			m["id"] = 901
		}
		c.tell(m)
	})},
	{"large ids are rounded", "acp", []string{"ids"}, "not-requested", answers("", func(c *planted, m, _ object) {
		if text(m["id"]) == "9007199254740991" {
			m["id"] = json.RawMessage("9007199254740992")
		}
		c.tell(m)
	})},
	{"the id zero counts as none", "acp", []string{"ids"}, "not-answered", answers("", func(c *planted, m, _ object) {
		if text(m["id"]) != "0" {
			c.tell(m)
		}
	})},
	{"errors have no code", "acp", []string{"unknown"}, "bad-message", answers("", func(c *planted, m, _ object) {
		if e, ok := m["error"].(object); ok {
			delete(e, "code")
		}
		c.tell(m)
	})},
	{"answers have a result and an error", "acp", []string{"methods/session/new"}, "bad-message", answers("session/new", func(c *planted, m, _ object) {
		m["error"] = object{"code": 1, "message": "planted"}
		c.tell(m)
	})},
	{"messages are of JSON-RPC 1.0", "acp", []string{"methods/session/new"}, "bad-message", answers("session/new", func(c *planted, m, _ object) { m["jsonrpc"] = "1.0"; c.tell(m) })},
	{"a result lacks a member", "acp", []string{"methods/session/new"}, "bad-result", answers("session/new", func(c *planted, m, _ object) {
		if r, ok := m["result"].(object); ok {
			delete(r, "sessionId")
		}
		c.tell(m)
	})},
	{"a result has a number instead of a text", "acp", []string{"methods"}, "bad-result", answers("session/prompt", func(c *planted, m, _ object) {
		if r, ok := m["result"].(object); ok {
			r["stopReason"] = 5
		}
		c.tell(m)
	})},
	{"log lines are printed to standard output", "acp", []string{"methods/session/new"}, "not-json", answers("session/new", func(c *planted, m, _ object) { c.say("INFO: new session"); c.tell(m) })},
	{"unknown notifications are answered", "acp", []string{"unknown"}, "answered-notification", takes(func(c *planted, _ string, m object) bool {
		if m["method"] != nil && m["id"] == nil && strings.Contains(text(m["method"]), "conform") {
			c.tell(failure(nil, -32601))
		}
		return true
	})},
	{"an unknown method ends the program", "acp", []string{"unknown"}, "crashed", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "conform/unknown" {
			c.end()
		}
		return true
	})},
	{"an unknown method has another code", "acp", []string{"unknown"}, "wrong-code", answers("", func(c *planted, m, _ object) {
		if isError(m, "-32601") {
			m = failure(m["id"], -32600)
		}
		c.tell(m)
	})},
	{"an unknown method has a result", "acp", []string{"unknown"}, "not-refused", answers("", func(c *planted, m, _ object) {
		if isError(m, "-32601") {
			m = result(m["id"], object{})
		}
		c.tell(m)
	})},
	{"text that is not JSON ends the program", "acp", []string{"malformed"}, "crashed", takes(func(c *planted, text string, _ object) bool {
		if !json.Valid([]byte(text)) {
			c.end()
		}
		return true
	})},
	{"text that is not JSON is an internal error", "acp", []string{"malformed"}, "internal-error", takes(func(c *planted, text string, _ object) bool {
		if !json.Valid([]byte(text)) {
			c.tell(failure(nil, -32603))
			return false
		}
		return true
	})},
	{"requests of JSON-RPC 1.0 are served", "acp", []string{"malformed"}, "not-refused", takes(func(c *planted, _ string, m object) bool {
		if m["jsonrpc"] == "1.0" {
			c.tell(result(m["id"], object{}))
			return false
		}
		return true
	})},
	{"an answer to nothing is answered", "acp", []string{"malformed"}, "answered-notification", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == nil && m["result"] != nil {
			c.tell(failure(m["id"], -32600))
		}
		return true
	})},
	{"wrong parameters are an internal error", "acp", []string{"params"}, "internal-error", answers("", func(c *planted, m, _ object) {
		if isError(m, "-32602") {
			m = failure(m["id"], -32603)
		}
		c.tell(m)
	})},
	{"wrong parameters are accepted", "acp", []string{"params"}, "not-refused", answers("session/new", func(c *planted, m, _ object) {
		if isError(m, "-32602") {
			m = result(m["id"], object{"sessionId": "planted"})
		}
		c.tell(m)
	})},
	{"unknown members are refused", "acp", []string{"members"}, "refused", takes(func(c *planted, _ string, m object) bool {
		if member(m, "params", "conformUnknown") != nil && m["id"] != nil {
			c.tell(failure(m["id"], -32602))
			return false
		}
		return true
	})},
	{"unknown members of messages are refused", "acp", []string{"forms"}, "refused", takes(func(c *planted, _ string, m object) bool {
		if m["conformUnknown"] != nil {
			c.tell(failure(m["id"], -32600))
			return false
		}
		return true
	})},
	{"the version has to come first", "acp", []string{"forms"}, "refused", takes(func(c *planted, text string, m object) bool {
		if m["id"] != nil && strings.HasPrefix(text, `{"params"`) {
			c.tell(failure(m["id"], -32600))
			return false
		}
		return true
	})},
	{"unknown values are an internal error", "acp", []string{"variants"}, "internal-error", takes(func(c *planted, text string, m object) bool {
		if strings.Contains(text, "conform-unknown") {
			c.tell(failure(m["id"], -32603))
			return false
		}
		return true
	})},
}

// turn is how long a turn takes at least, so that it can be cancelled.
const turn = 50 * time.Millisecond

// conversations are faults in how requests follow each other.
var conversations = []fault{
	{"one of many requests is lost", "acp", []string{"calls"}, "not-answered", takes(func(c *planted, _ string, m object) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if m["id"] != nil {
			c.count++
		}
		return c.count%25 != 0
	})},
	{"what is cancelled is answered twice", "acp", []string{"methods", "cancel"}, "answered-twice", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "$/cancel_request" {
			c.tell(failure(member(m, "params", "requestId"), -32800))
		}
		return true
	})},
	{"a late cancellation is answered", "acp", []string{"calls"}, "answered-twice", takes(func(c *planted, _ string, m object) bool {
		if id := member(m, "params", "requestId"); m["method"] == "$/cancel_request" && id != nil {
			c.mu.Lock()
			_, open := c.asked[text(id)]
			c.mu.Unlock()
			if !open {
				c.tell(failure(id, -32800))
			}
		}
		return true
	})},
	{"a cancelled turn is never answered", "acp", []string{"methods", "cancel"}, "not-cancelled", answers("session/prompt", func(c *planted, m, request object) {
		time.Sleep(turn)
		c.mu.Lock()
		cancelled := c.noted == text(member(request, "params", "sessionId"))
		c.mu.Unlock()
		if !cancelled {
			c.tell(m)
		}
	})},
	{"a cancelled turn is an error", "acp", []string{"methods", "cancel/by"}, "not-cancelled", answers("session/prompt", func(c *planted, m, _ object) {
		time.Sleep(turn)
		c.mu.Lock()
		cancelled := c.noted != ""
		c.mu.Unlock()
		if cancelled {
			m = failure(m["id"], -32000)
		}
		c.tell(m)
	})},
	{"an unknown version is agreed on", "acp", []string{"handshake"}, "wrong-version", answers("initialize", func(c *planted, m, request object) {
		if r, ok := m["result"].(object); ok && member(request, "params", "protocolVersion") != nil {
			r["protocolVersion"] = member(request, "params", "protocolVersion")
		}
		c.tell(m)
	})},
	{"the handshake refuses unknown members", "acp", []string{"handshake"}, "refused", takes(func(c *planted, _ string, m object) bool {
		if m["method"] == "initialize" && member(m, "params", "conformUnknown") != nil {
			c.tell(failure(m["id"], -32602))
			return false
		}
		return true
	})},
	{"something is asked that the client cannot", "acp", []string{"methods"}, "not-advertised", answers("session/prompt", func(c *planted, m, request object) {
		c.tell(object{"jsonrpc": "2.0", "id": "planted", "method": "fs/read_text_file", "params": object{"sessionId": member(request, "params", "sessionId"), "path": "/planted"}})
		c.tell(m)
	})},
	{"two requests have the same id", "acp", []string{"methods"}, "id-in-use", answers("session/prompt", func(c *planted, m, request object) {
		for range 2 {
			c.tell(object{"jsonrpc": "2.0", "id": "planted", "method": "session/request_permission", "params": object{
				"sessionId": member(request, "params", "sessionId"), "toolCall": object{"toolCallId": "1"}, "options": []any{},
			}})
		}
		c.tell(m)
	})},
	{"an unknown notification is sent", "acp", []string{"methods"}, "unknown-method", answers("session/new", func(c *planted, m, _ object) {
		c.tell(m)
		c.tell(object{"jsonrpc": "2.0", "method": "session/planted", "params": object{}})
	})},
	{"a notification has wrong parameters", "acp", []string{"methods"}, "bad-params", answers("session/prompt", func(c *planted, m, request object) {
		c.tell(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": member(request, "params", "sessionId")}})
		c.tell(m)
	})},
	{"a notification is sent as a request", "acp", []string{"methods"}, "wrong-kind", answers("session/prompt", func(c *planted, m, request object) {
		c.tell(object{"jsonrpc": "2.0", "id": "planted", "method": "session/update", "params": object{
			"sessionId": member(request, "params", "sessionId"), "update": object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": ""}},
		}})
		c.tell(m)
	})},
	{"a method of the client is sent", "mcp", []string{"methods"}, "wrong-side", answers("tools/list", func(c *planted, m, _ object) {
		c.tell(object{"jsonrpc": "2.0", "id": "planted", "method": "tools/list"})
		c.tell(m)
	})},
	{"a notification is sent that was not declared", "mcp", []string{"methods"}, "not-declared", answers("tools/list", func(c *planted, m, _ object) {
		c.tell(object{"jsonrpc": "2.0", "method": "notifications/message", "params": object{"level": "info", "data": "planted"}})
		c.tell(m)
	})},
	{"a request has an id with a fraction", "acp", []string{"methods"}, "bad-id", answers("session/new", func(c *planted, m, _ object) {
		c.tell(object{"jsonrpc": "2.0", "id": json.RawMessage("1.5"), "method": "_planted"})
		c.tell(m)
	})},
	{"what is advertised is not served", "acp", []string{"methods"}, "not-served", answers("session/load", func(c *planted, m, _ object) { c.tell(failure(m["id"], -32601)) })},
	{"a sign of life is refused", "mcp", []string{"methods/ping"}, "not-served", answers("ping", func(c *planted, m, _ object) { c.tell(failure(m["id"], -32601)) })},
	{"a sign of life is refused by a host", "ahp", []string{"methods/ping"}, "not-served", answers("ping", func(c *planted, m, _ object) { c.tell(failure(m["id"], -32601)) })},
	{"a sign of life is an error", "mcp", []string{"methods/ping"}, "refused", answers("ping", func(c *planted, m, _ object) { c.tell(failure(m["id"], -32603)) })},
	{"a turn hangs if the client refuses what it is asked", "acp", []string{"methods", "asked"}, "not-answered", takes(func(_ *planted, _ string, m object) bool {
		return m["method"] != nil || m["error"] == nil
	})},
	{"nothing is answered after a turn", "acp", []string{"methods"}, "not-answered", takes(func(c *planted, _ string, m object) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := c.faulty
		c.faulty = c.faulty || m["method"] == "session/prompt"
		return !was
	})},
	{"a large message ends all answers", "acp", []string{"limits/large"}, "not-answered", takes(func(_ *planted, text string, _ object) bool { return len(text) < 1<<20 })},
	{"the program does not end with its input", "acp", []string{"ends"}, "not-ended", func() hooks {
		return hooks{link: func(l *tap.Link) { l.EndInput = func() error { return nil } }}
	}},
	{"the program panics when its client leaves", "acp", []string{"methods", "ends"}, "crashed", func() hooks {
		return hooks{link: func(l *tap.Link) {
			ended := l.Ended
			l.Ended = func(d time.Duration) (tap.Exit, bool) {
				e, ok := ended(d)
				e.Code = 2
				return e, ok
			}
		}}
	}},
}

// TestPlantedFaultsAreFound plays the scenarios that find a fault; with -thorough all.
func TestPlantedFaultsAreFound(t *testing.T) {
	kit.Wide(t)
	noteCancelled(plain, conversations)
	all := slices.Concat(plain, conversations, states, clients)
	require.GreaterOrEqual(t, len(all), 30)
	results := make([][]conform.Result, len(all))
	atOnce(len(all), func(i int) { results[i] = all[i].play(t) })
	for i, f := range all {
		t.Run(f.name, func(t *testing.T) {
			rules := map[string]bool{}
			for _, r := range results[i] {
				for _, f := range r.Findings {
					rules[f.Rule] = rules[f.Rule] || !f.Note
				}
			}
			require.True(t, rules[f.rule], "want a finding of %s, got\n%s", f.rule, strings.Join(found(results[i]), "\n"))
		})
	}
}

// play returns the results of the scenarios that find a fault.
func (f *fault) play(t *testing.T) []conform.Result {
	d := demos(t, f.of)
	connect := d.options.Connect
	d.options.Connect = func(ctx context.Context) (*tap.Link, error) {
		l, err := connect(ctx)
		if err != nil {
			return nil, err
		}
		return plant(l, f.hooks()), nil
	}
	d.options.Patience = time.Second
	switch d.options.Only = f.only; {
	case d.options.Side == protocol.FromClient && !*kit.Thorough:
	case *kit.Thorough:
		d.options.Only = nil
	case f.only == nil:
		d.options.Only = []string{"handshake/opens", "methods", "replication"}
	default:
		d.options.Only = append([]string{"handshake/opens"}, f.only...)
	}
	return d.play(t)
}

// noteCancelled makes hooks note which session was cancelled.
func noteCancelled(lists ...[]fault) {
	for _, list := range lists {
		for i := range list {
			if !strings.HasPrefix(list[i].name, "a cancelled turn") {
				continue
			}
			before := list[i].hooks
			list[i].hooks = func() hooks {
				h := before()
				h.told = func(c *planted, _ string, m object) bool {
					if m["method"] == "session/cancel" {
						c.mu.Lock()
						c.noted = text(member(m, "params", "sessionId"))
						c.mu.Unlock()
					}
					return true
				}
				return h
			}
		}
	}
}
