package analyze_test

import "testing"

// TestForeignKeywords: what vendor keywords of other people mean is what the profile says, be they called like ones of
// the vocabulary.
func TestForeignKeywords(t *testing.T) {
	const profile = `"keywords": {"x-method": "method", "x-side": "side", "x-frame": "envelope"}, "ignoreKeywords": ["x-since"], "sides": ["client", "server"],
		"messages": {"requests": ["Request"], "results": ["Response", "RequestResult"], "notifications": ["Notification"], "both": ["anybody"]}`
	def := func(name, method, side string) string {
		return `"` + name + `": {"type": "object", "properties": {"x-method": {"type": "string"}}, "x-method": "` + method + `", "x-side": "` + side + `", "x-since": {}}`
	}
	runAll(t, []facts{
		{
			name: "messages of one method go together", profile: profile,
			defs: []string{def("AskResponse", "a/ask", "server"), def("AskRequest", "a/ask", "server"), def("TellNotification", "tell", "client"), def("PingRequest", "ping", "anybody")},
			want: []string{
				"struct AskResponse: x-method? string", "struct AskRequest: x-method? string", "struct TellNotification: x-method? string", "struct PingRequest: x-method? string",
				`method a/ask from client(AskRequest) AskResponse since ""`, `method tell from host notification(TellNotification) none since ""`, `method ping from both(PingRequest) none since ""`,
			},
		},
		{
			name: "a request and a notification of one name", profile: profile,
			defs: []string{def("AskRequest", "ask", "server"), def("AskNotification", "ask", "anybody"), def("AskResponse", "ask", "server")},
			want: []string{`method ask from client(AskRequest) AskResponse since ""`, `method ask from both notification(AskNotification) none since ""`},
		},
		{
			name: "the longest ending counts", profile: profile, defs: []string{def("AskRequest", "ask", "server"), def("AskRequestResult", "ask", "server")},
			want: []string{`method ask from client(AskRequest) AskRequestResult since ""`},
		},
		{
			name: "what messages travel in is no type", profile: profile,
			defs: []string{
				`"Root": {"anyOf": [{"$ref": "#/$defs/Frame"}, {"type": "string"}]}`,
				`"Frame": {"type": "object", "properties": {"id": {"$ref": "#/$defs/Id"}, "params": {"$ref": "#/$defs/AskRequest"}, "error": {"$ref": "#/$defs/Error"}, "shared": {"$ref": "#/$defs/Shared"}}, "x-frame": true}`,
				`"Id": {"type": "string"}`,
				`"Error": {"type": "object", "properties": {"why": {"$ref": "#/$defs/Why"}}}`,
				`"Why": {"type": "object", "properties": {"cause": {"$ref": "#/$defs/Error"}}}`,
				`"Shared": {"type": "object", "properties": {"x": {"type": "string"}}}`,
				`"AskRequest": {"type": "object", "properties": {"it": {"$ref": "#/$defs/Shared"}}, "x-method": "ask", "x-side": "server"}`,
				`"Alone": {"type": "object", "properties": {"y": {"type": "string"}}, "x-frame": false}`,
			},
			want: []string{"struct Shared: x? string", "struct AskRequest: it? Shared", "struct Alone: y? string"},
		},
		{
			name: "a name that tells nothing", profile: profile, defs: []string{def("Ask", "ask", "server")},
			said: []string{`s.schema.json:2:75: Ask is a message of "ask", and its name does not tell whether it is a request, a result or a notification`},
		},
		{
			name: "a side that there is not", profile: profile, defs: []string{def("AskRequest", "ask", "host")},
			want: []string{`struct AskRequest: x-method? string`, `method ask from both(AskRequest) none since ""`},
			said: []string{`s.schema.json:2:111: warning: "host" is neither client nor server: the message is taken for one of both`},
		},
		{
			name: "a keyword of a newer release", profile: profile,
			defs: []string{`"A": {"type": "object", "properties": {"a": {"type": "string", "x-new": 1}, "b": {"type": "string", "x-new": 2}}}`, `"B": {"type": "string", "x-frames": true}`},
			want: []string{"struct A: a? string, b? string"},
			said: []string{
				`s.schema.json:2:64: warning: keyword "x-new" is passed over, because nothing says what it means`,
				`s.schema.json:3:25: warning: keyword "x-frames" is passed over, because nothing says what it means`,
			},
		},
		{
			name: "a keyword that is spelled nearly like one of the vocabulary", profile: profile,
			defs: []string{`"A": {"type": "object", "x-chanel": "a"}`}, said: []string{`s.schema.json:2:25: unknown keyword "x-chanel"`},
		},
		{
			name: "no side", profile: profile, defs: []string{`"AskRequest": {"type": "object", "x-method": "ask"}`},
			said: []string{`s.schema.json:2:34: nothing says who receives the method "ask"`},
		},
		{
			name: "a result without a request", profile: profile, defs: []string{def("AskResponse", "ask", "server"), def("AskNotification", "ask", "server")},
			want: []string{"struct AskResponse: x-method? string", "struct AskNotification: x-method? string"},
			said: []string{`s.schema.json:2:83: warning: AskResponse is the result of "ask", and there is no request of that name`},
		},
		{
			name: "two requests of one name", profile: profile, defs: []string{def("AskRequest", "ask", "server"), def("AgainRequest", "ask", "server")},
			said: []string{`s.schema.json:3:84: AskRequest and AgainRequest are both the request "ask"`},
		},
		{
			name: "a result for the other side", profile: profile, defs: []string{def("AskRequest", "ask", "server"), def("AskResponse", "ask", "client")},
			said: []string{`s.schema.json:3:83: AskRequest and AskResponse are of the same method, "ask", and say that different sides receive it`},
		},
		{
			name: "a method that is no text", profile: profile, defs: []string{`"AskRequest": {"type": "object", "x-method": 1, "x-side": "server"}`},
			said: []string{`s.schema.json:2:46: x-method must be a text that is not empty, not 1`},
		},
	})
}
