package typed

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// TestTheVersionOfARequest has requests that state their version below _meta, as in MCP 2026-07-28.
func TestTheVersionOfARequest(t *testing.T) {
	table := &spec.Table{
		Known:  func(name []byte) (string, bool) { return "list", string(name) == "list" },
		Stated: &spec.Stating{At: []string{"_meta", "version"}, Supported: []string{"2", "3"}, Code: -32022, Accepted: "supported", Requested: "requested"},
	}
	for _, c := range []struct {
		name, method, params string
		kind                 rpc.Kind
		want                 string
	}{
		{"supported", "list", `{"x":[1,{"_meta":0}],"_meta":{"other":null,"version":"3"}}`, rpc.Request, ``},
		{"another", "list", `{"_meta":{"version":"1"}}`, rpc.Request, `-32022 unsupported version; supported are 2, 3 {"requested":"1","supported":["2","3"]}`},
		{"another, of an unknown method", "none", `{"_meta":{"version":"1"}}`, rpc.Request, `-32022 unsupported version; supported are 2, 3 {"requested":"1","supported":["2","3"]}`},
		{"supported, of an unknown method", "none", `{"_meta":{"version":"2"}}`, rpc.Request, ``},
		{"of a notification", "list", `{"_meta":{"version":"1"}}`, rpc.Notification, ``},
		{"none", "list", `{}`, rpc.Request, ``},
		{"none, of an unknown method", "initialize", `{"protocolVersion":"1"}`, rpc.Request, `-32601 method not found: "initialize"; supported versions are 2, 3 `},
		{"no text", "list", `{"_meta":{"version":1}}`, rpc.Request, ``},
		{"no object", "list", `{"_meta":[]}`, rpc.Request, ``},
		{"no parameters", "none", ``, rpc.Request, `-32601 method not found: "none"; supported versions are 2, 3 `},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckVersion(&rpc.Message{Kind: c.kind, Method: c.method, Params: json.RawMessage(c.params)}, table)
			got := ""
			var e *rpc.Error
			if errors.As(err, &e) {
				got = fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
