package analyze_test

import "testing"

// TestSentMessages: definitions of whole messages are methods if the profile says who sends them.
func TestSentMessages(t *testing.T) {
	const profile = `"sides": ["client", "server"], "messages": {
		"requests": ["Request"], "results": ["Result"], "responses": ["ResultResponse"], "notifications": ["Notification"], "empty": "Nothing",
		"sent": [{"definition": "FromClient", "from": "client"}, {"definition": "FromServer", "from": "server", "why": "It is its."}]}`
	def := func(name, method, rest string) string {
		return `"` + name + `": {"type": "object", "properties": {"method": {"const": "` + method + `"}` + rest + `}, "required": ["method"]}`
	}
	union := func(name string, refs ...string) string {
		list := ""
		for i, ref := range refs {
			if i > 0 {
				list += ", "
			}
			list += `{"$ref": "#/$defs/` + ref + `"}`
		}
		return `"` + name + `": {"anyOf": [` + list + `]}`
	}
	const object = `: {"type": "object", "properties": {"x": {"type": "string"}}}`
	params := `, "params"` + object
	runAll(t, []facts{
		{
			name: "a name that tells nothing", profile: profile, defs: []string{union("FromClient", "AskRequest"), def("AskRequest", "ask", ""), def("FromServer", "ping", "")},
			said: []string{`s.schema.json:4:1: FromServer is a message of "ping", and its name does not tell whether it is a request or a notification`},
		},
		{
			name: "parameters, results, and what both sides send", profile: profile,
			defs: []string{
				union("FromClient", "AskRequest", "PingRequest", "Calls"), union("Calls", "CallRequest", "TellNotification"), union("FromServer", "PingRequest", "TellNotification"),
				def("AskRequest", "ask", params), `"AskResult"` + object,
				def("PingRequest", "ping", ""), `"Nothing"` + object,
				def("CallRequest", "call", `, "params": {"$ref": "#/$defs/AskResult"}`),
				`"CallResultResponse": {"type": "object", "properties": {"result": {"anyOf": [{"$ref": "#/$defs/AskResult"}, {"type": "string"}]}}}`,
				def("TellNotification", "tell", ""),
			},
			want: []string{
				`method ask from client(AskRequest.params) AskResult since ""`, `method ping from both(none) Nothing since ""`,
				`method call from client(AskResult) CallResultResponse.result since ""`, `method tell from both notification(none) none since ""`,
			},
		},
		{
			name: "what is no message", profile: profile,
			defs: []string{
				`"FromClient": {"anyOf": [{"$ref": "#/$defs/AskRequest"}, {"type": "object", "properties": {"method": {"const": "x"}}, "required": ["method"]}]}`,
				`"AskRequest": {"type": "object", "properties": {"method": {"type": "string"}}, "required": ["method"]}`, union("FromServer", "TellNotification"), def("TellNotification", "tell", ""),
			},
			said: []string{
				`s.schema.json:3:1: AskRequest is to be a message that client sends, and it has no member "method" with a constant text`,
			},
		},
		{
			name: "two of one method", profile: profile,
			defs: []string{union("FromClient", "AskRequest"), union("FromServer", "AgainRequest"), def("AskRequest", "ask", params), def("AgainRequest", "ask", params)},
			said: []string{`s.schema.json:5:51: AgainRequest is another request "ask"`},
		},
		{
			name: "parameters that are no object", profile: profile,
			defs: []string{union("FromClient", "AskRequest"), union("FromServer", "AskRequest"), def("AskRequest", "ask", `, "params": {"type": "string"}`)},
			want: []string{`method ask from both(AskRequest.params) none since ""`},
		},
		{
			name: "a definition that there is not", profile: profile,
			defs: []string{union("FromClient", "AskRequest"), def("AskRequest", "ask", params)},
			said: []string{`p.json:3:60: the profile's messages of FromServer matches nothing in these schemas`},
		},
	})
}
