package analyze_test

import (
	"slices"
	"testing"
)

func TestProtocolAsAWhole(t *testing.T) {
	const keyword = `"x-protocol": {"name": "mine", "title": "My Protocol", "version": "0.3.0", "supported": ["0.3.0", "0.2.0"]}`
	runAll(t, []facts{
		{name: "of the profile", defs: []string{`"A": {}`}, profile: `"versions": {"supported": ["0.9.0"]}`, want: []string{`protocol test "Test" version "" supported [0.9.0]`}},
		{name: "of x-protocol", root: keyword, defs: []string{`"A": {}`}, want: []string{`protocol mine "My Protocol" version "0.3.0" supported [0.3.0 0.2.0]`}},
		{
			name: "the profile comes before x-protocol, except for the version", root: keyword, defs: []string{`"A": {}`}, profile: `"versions": {"supported": ["0.9.0"]}`,
			want: []string{`protocol test "Test" version "0.3.0" supported [0.3.0]`},
		},
		{name: "the version of the user comes before both", root: keyword, defs: []string{`"A": {}`}, version: "0.4.0", want: []string{`protocol mine "My Protocol" version "0.4.0" supported [0.4.0 0.3.0 0.2.0]`}},
		{
			name: "a version recognised by a definition that an overlay removes", defs: []string{`"A": {}`, `"B": {}`},
			profile: `"versions": {"recognise": [{"version": "0.7.0", "definitions": ["B"]}]}, "overlay": [{"definition": "B", "why": "w", "drop": true, "versions": "0.7.0"}]`,
			want:    []string{`protocol test "Test" version "0.7.0" supported [0.7.0]`, "alias A = any"},
		},
		{
			name: "an overlay reaches what another one added", defs: []string{`"A": {"$ref": "#/$defs/B"}`},
			profile: `"overlay": [{"definition": "B", "why": "w", "define": {"type": "string"}}, {"definition": "B", "why": "w", "at": "/type", "patch": "boolean"}]`,
			want:    []string{"alias A = B", "alias B = boolean"},
		},
		{
			name: "an overlay that changes nothing", defs: []string{`"A": {"type": "string"}`},
			profile: `"overlay": [{"definition": "A", "why": "w", "at": "/type", "patch": "string"}]`,
			said:    []string{"p.json:1:47: the profile's overlay of A/type matches nothing in these schemas"},
		},
	})
}

// Two channels with an action each way, and one action that no channel claims.
var actionDefs = []string{
	object("Chat", `"id": {"type": "string"}`), object("Root", `"n": {"type": "integer"}`),
	object("Say", `"type": {"const": "chat/say"}`), object("Hear", `"type": {"const": "chat/hear"}`), object("Grow", `"type": {"const": "root/grow"}`),
	union("Action", []string{"Say", "Hear", "Grow"}),
}

func TestChannelsAndActions(t *testing.T) {
	const channels = `"channels": [{"name": "chat", "uri": "chat:/{id}", "prefix": "chat/", "state": "Chat", "doc": "D."}, {"name": "root", "prefix": "root/", "state": "Root"}, {"name": "log"}]`
	const rules = `{"type": "chat/say", "since": "0.1.0", "client": true}, {"type": "chat/hear", "since": "0.2.0"}`
	said := func(action string, since, column string) string {
		return "s.schema.json:" + column + `: warning: nothing says who may dispatch "` + action + `" and since when: taken as host only, since ` + since
	}
	runAll(t, []facts{
		{
			name: "of the profile", defs: actionDefs,
			profile: channels + `, "actions": {"union": "Action", "client": "ClientAction", "rules": [` + rules + `, {"type": "root/grow", "since": "0.3.0", "client": true}]}`,
			want: []string{
				`channel chat of Chat uri "chat:/{id}" prefix "chat/" doc "D."`, `channel root of Root uri "" prefix "root/" doc ""`, `channel log uri "" prefix "" doc ""`,
				`action chat/say Say channel chat since "0.1.0" client`, `action chat/hear Hear channel chat since "0.2.0"`,
				`action root/grow Grow channel root since "0.3.0" client`,
				"scope chat.action", "scope root.action", "scope ClientAction of clients",
			},
		},
		{
			name: "unions of their own", defs: append([]string{object("Shrink", `"type": {"const": "root/shrink"}`)}, append(slices.Clone(actionDefs[:5]), union("Action", []string{"Say", "Hear", "Grow", "Shrink"}))...),
			profile: channels + `, "actions": {"union": "Action", "client": "ClientAction", "rules": [` + rules + `,
				{"type": "root/grow", "since": "0.3.0", "client": true}, {"type": "root/shrink", "since": "0.3.0"}]}`,
			want: []string{
				"union Action tagged tag Action.type: type chat/say → Say, chat/hear → Hear, root/grow → Grow, root/shrink → Shrink",
				"union chat.action tagged tag Action.type in Action: type chat/say → Say, chat/hear → Hear",
				"union root.action tagged tag Action.type in Action: type root/grow → Grow, root/shrink → Shrink",
				"union ClientAction tagged tag Action.type in Action: type chat/say → Say, root/grow → Grow",
			},
		},
		{
			name: "the union of clients stays closed where the others are open", defs: actionDefs,
			profile: channels + `, "unions": {"open": true}, "actions": {"union": "Action", "client": "ClientAction", "rules": [` + rules + `, {"type": "root/grow", "since": "0.3.0"}]}`,
			want: []string{
				"union Action tagged open tag Action.type: type chat/say → Say, chat/hear → Hear, root/grow → Grow",
				"union chat.action tagged open tag Action.type in Action: type chat/say → Say, chat/hear → Hear",
				"union root.action tagged open tag Action.type in Action: type root/grow → Grow",
				"union ClientAction tagged tag Action.type in chat.action: type chat/say → Say",
			},
		},
		{
			name: "an action without a rule is for hosts only", defs: actionDefs, version: "0.5.0",
			profile: channels + `, "actions": {"union": "Action", "client": "ClientAction", "rules": [` + rules + `]}`,
			want: []string{
				`action chat/say Say channel chat since "0.1.0" client`, `action chat/hear Hear channel chat since "0.2.0"`, `action root/grow Grow channel root since "0.5.0"`,
			},
			said: []string{said("root/grow", "0.5.0", "6:1")},
		},
		{
			name: "of an unknown version", defs: actionDefs,
			profile: channels + `, "actions": {"union": "Action", "rules": [` + rules + `]}`,
			want: []string{
				`action chat/say Say channel chat since "0.1.0" client`, `action chat/hear Hear channel chat since "0.2.0"`, `action root/grow Grow channel root since ""`,
				"scope chat.action", "scope root.action",
			},
			said: []string{said("root/grow", "an unknown version", "6:1")},
		},
		{
			name: "an action without a channel", defs: actionDefs,
			profile: `"channels": [{"name": "chat", "prefix": "chat/"}], "actions": {"union": "Action", "rules": [` + rules + `, {"type": "root/grow", "since": "0.3.0"}]}`,
			want: []string{
				`action chat/say Say channel chat since "0.1.0" client`, `action chat/hear Hear channel chat since "0.2.0"`, `action root/grow Grow channel none since "0.3.0"`,
				"scope chat.action",
			},
			said: []string{`s.schema.json:6:1: warning: no channel claims the action "root/grow"`},
		},
		{
			name: "nobody names the actions of clients", defs: actionDefs,
			profile: channels + `, "actions": {"union": "Action", "client": "ClientAction", "rules": [{"type": "chat/say", "since": "0.1.0"}, {"type": "chat/hear", "since": "0.2.0"}, {"type": "root/grow", "since": "0.3.0"}]}`,
			want:    []string{"scope chat.action", "scope root.action"},
		},
		{
			name: "a union of the schemas that lists the actions of a channel is theirs", defs: append([]string{union("ChatAction", []string{"Hear", "Say"})}, actionDefs...),
			profile: channels + `, "unions": {"open": true}, "actions": {"union": "Action", "rules": [` + rules + `, {"type": "root/grow", "since": "0.3.0"}]}`,
			want: []string{
				"union ChatAction tagged open tag Action.type in Action: type chat/hear → Hear, chat/say → Say",
				"union Action tagged open tag Action.type: type chat/say → Say, chat/hear → Hear, root/grow → Grow",
				"union root.action tagged open tag Action.type in Action: type root/grow → Grow",
				"scope ChatAction", "scope root.action",
			},
		},
		{
			name: "actions that share a type", defs: []string{
				object("On", `"type": {"const": "chat/set"}, "to": {"const": "on"}`), object("Off", `"type": {"const": "chat/set"}, "to": {"const": "off"}`),
				object("Say", `"type": {"const": "root/say"}`), union("Action", []string{"On", "Off", "Say"}),
			},
			profile: `"channels": [{"name": "chat", "prefix": "chat/"}, {"name": "root", "prefix": "root/"}],
				"actions": {"union": "Action", "client": "C", "rules": [{"type": "chat/set", "since": "1.0", "client": true}, {"type": "root/say", "since": "1.0"}]}`,
			want: []string{
				"union Action tagged tag Action.type: type chat/set → (to on → On, off → Off), root/say → Say",
				"union chat.action tagged tag Action.type in Action: type chat/set → (to on → On, off → Off)",
				"union root.action tagged tag Action.type in Action: type root/say → Say",
				"union C tagged tag Action.type in Action: type chat/set → (to on → On, off → Off)",
				`action chat/set On channel chat since "1.0" client`, `action chat/set Off channel chat since "1.0" client`, `action root/say Say channel root since "1.0"`,
				"scope chat.action", "scope root.action", "scope C of clients",
			},
		},
		{
			name: "a channel whose state is not there", defs: actionDefs, profile: `"channels": [{"name": "chat", "state": "Chatt"}]`,
			said: []string{"p.json:1:48: the profile's channel chat matches nothing in these schemas, which define no Chatt"},
		},
		{
			name: "a channel whose state is not there in this version", defs: actionDefs, version: "0.4.0",
			profile: `"channels": [{"name": "chat", "state": "Chatt", "versions": ">=0.5.0"}, {"name": "log"}]`,
			want:    []string{`channel log uri "" prefix "" doc ""`},
		},
		{
			name: "a union of actions that is not there", defs: actionDefs, profile: `"actions": {"union": "Actions"}`,
			said: []string{"p.json:1:56: the schemas define no union Actions"},
		},
		{
			name: "a rule for an action that is not there", defs: actionDefs,
			profile: channels + `, "actions": {"union": "Action", "rules": [` + rules + `, {"type": "root/grow"}, {"type": "root/shrink"}]}`,
			said:    []string{"p.json:1:369: the profile's action root/shrink matches nothing in these schemas"},
		},
	})
}

func TestKeywordsOfActions(t *testing.T) {
	chat := `"Chat": {"type": "object", "properties": {}, "x-channel": {"name": "chat", "uri": "chat:/", "prefix": "chat/", "description": "D."}}`
	say := object("Say", `"type": {"const": "chat/say"}`, `"x-since": "0.1.0"`, `"x-client-dispatchable": true`)
	hear := object("Hear", `"type": {"const": "chat/hear"}`, `"x-since": "0.2.0"`, `"x-client-dispatchable": false`)
	action := union("Action", []string{"Say", "Hear"}, `"x-actions": {"client": "ClientAction"}`)
	runAll(t, []facts{
		{
			name: "x-channel, x-actions, x-client-dispatchable and x-since", defs: []string{chat, say, hear, action},
			want: []string{
				`channel chat of Chat uri "chat:/" prefix "chat/" doc "D."`,
				`action chat/say Say channel chat since "0.1.0" client`, `action chat/hear Hear channel chat since "0.2.0"`,
				"scope chat.action", "scope ClientAction of clients",
			},
		},
		{
			name: "x-channels stand at the root of the file", root: `"x-channels": [{"name": "log", "uri": "log:/"}]`, defs: []string{chat},
			want: []string{`channel chat of Chat uri "chat:/" prefix "chat/" doc "D."`, `channel log uri "log:/" prefix "" doc ""`},
		},
		{
			name: "the profile's rule comes first", defs: []string{chat, say, hear, action},
			profile: `"actions": {"union": "Action", "client": "Mine", "rules": [{"type": "chat/say", "since": "0.9.0"}, {"type": "chat/hear", "since": "0.9.0", "client": true}]}`,
			want: []string{
				`action chat/say Say channel chat since "0.9.0"`, `action chat/hear Hear channel chat since "0.9.0" client`, "scope chat.action", "scope Mine of clients",
			},
		},
		{
			name: "the statement of a union counts for each that shares the type", defs: []string{
				chat, object("On", `"type": {"const": "chat/set"}, "to": {"const": "on"}`), object("Off", `"type": {"const": "chat/set"}, "to": {"const": "off"}`),
				union("Set", []string{"On", "Off"}, `"x-since": "0.3.0"`, `"x-client-dispatchable": true`), say, union("Action", []string{"Set", "Say"}, `"x-actions": {}`),
			},
			want: []string{
				`action chat/set On channel chat since "0.3.0" client`, `action chat/set Off channel chat since "0.3.0" client`, `action chat/say Say channel chat since "0.1.0" client`,
				"scope chat.action",
			},
		},
		{
			name: "an action without x-since", defs: []string{chat, object("Say", `"type": {"const": "chat/say"}`), union("Action", []string{"Say", unknownVariant}, `"x-actions": {"client": "C"}`)},
			want: []string{`action chat/say Say channel chat since ""`, "scope chat.action"},
			said: []string{`s.schema.json:3:1: warning: nothing says who may dispatch "chat/say" and since when: taken as host only, since an unknown version`},
		},
	})
}

func TestMethods(t *testing.T) {
	params, result := object("P", `"a": {}`), object("R", `"a": {}`)
	runAll(t, []facts{
		{
			name: "of the profile", defs: []string{params, result},
			profile: `"methods": [{"name": "do", "from": "client", "kind": "request", "params": "P", "result": "R", "since": "0.1.0"},
				{"name": "ping", "from": "both", "kind": "request"}, {"name": "note", "from": "host", "kind": "notification", "params": "P"}]`,
			want: []string{
				`method do from client(P) R since "0.1.0"`, `method ping from both(none) none since ""`, `method note from host notification(P) none since ""`,
			},
		},
		{
			name: "that came or went in other versions", defs: []string{params}, version: "0.5.0",
			profile: `"methods": [{"name": "old", "from": "client", "kind": "request", "until": "0.5.0"}, {"name": "new", "from": "client", "kind": "request", "since": "0.6.0"},
				{"name": "now", "from": "client", "kind": "request", "since": "0.5.0", "until": "0.6.0"}]`,
			want: []string{`method now from client(none) none since "0.5.0"`},
		},
		{
			name: "whose parameters are missing", defs: []string{result},
			profile: `"methods": [{"name": "do", "from": "client", "kind": "request", "params": "P"}]`,
			said:    []string{"p.json:1:47: the profile's method do matches nothing in these schemas, which define no P"},
		},
		{
			name: "whose parameters are missing, limited to versions", defs: []string{result}, version: "0.5.0",
			profile: `"methods": [{"name": "do", "from": "client", "kind": "request", "params": "P", "since": "0.5.0"}, {"name": "ping", "from": "both", "kind": "request"}]`,
			want:    []string{`method ping from both(none) none since ""`},
			said:    []string{"p.json:1:47: warning: the profile's method do matches nothing in these schemas"},
		},
		{
			name: "whose result is missing", defs: []string{params},
			profile: `"methods": [{"name": "do", "from": "client", "kind": "request", "params": "P", "result": "R"}]`,
			said:    []string{`p.json:1:47: method "do": the schemas define no R`},
		},
		{
			name: "stated twice", defs: []string{params},
			profile: `"methods": [{"name": "do", "from": "client", "kind": "request"}, {"name": "do", "from": "host", "kind": "request"}]`,
			said:    []string{`p.json:1:100: method "do" is stated twice`},
		},
		{
			name: "x-method, x-side, x-result and x-since", defs: []string{
				object("P", `"a": {}`, `"description": "Does."`, `"x-method": "do"`, `"x-side": "host"`, `"x-result": "R"`, `"x-since": "0.1.0"`), result,
				object("Q", `"a": {}`, `"x-method": "ask"`, `"x-side": "client"`, `"x-result": null`), object("S", `"a": {}`, `"x-method": "both"`, `"x-side": "both"`),
			},
			want: []string{`method do from client(P) R since "0.1.0"`, `method ask from host(Q) none since ""`, `method both from both(S) none since ""`},
		},
		{
			name: "x-notification", defs: []string{
				object("P", `"a": {}`, `"x-method": "n"`, `"x-side": "client"`, `"x-notification": true`), object("Q", `"a": {}`, `"x-method": "m"`, `"x-side": "client"`, `"x-notification": false`),
			},
			want: []string{`method n from host notification(P) none since ""`, `method m from host(Q) none since ""`},
		},
		{
			name: "x-method without x-side", defs: []string{object("P", `"a": {}`, `"x-method": "do"`)},
			said: []string{"s.schema.json:2:19: nothing says who receives the method \"do\""},
		},
		{
			name: "x-method with another x-side", defs: []string{object("P", `"a": {}`, `"x-side": "server"`, `"x-method": "do"`)},
			said: []string{`s.schema.json:2:17: x-side: "server" is none of "host", "client" and "both"`},
		},
		{
			name: "x-result that is missing", defs: []string{object("P", `"a": {}`, `"x-method": "do"`, `"x-side": "host"`, `"x-result": "R"`)},
			said: []string{`s.schema.json:2:19: method "do": the schemas define no R`},
		},
	})
}

func TestErrorCodes(t *testing.T) {
	codes := `"Codes": {"type": "integer", "enum": [-32001, -32002]}`
	data := object("D", `"a": {}`)
	runAll(t, []facts{
		{
			name: "named by the profile", defs: []string{codes, data},
			profile: `"errors": {"enums": ["Codes"], "codes": [{"code": -32001, "name": "NotFound", "data": "D"}, {"code": -32002, "name": "Denied"}]}`,
			want:    []string{"struct D: a any", "error -32001 NotFound data D", "error -32002 Denied data none"},
		},
		{
			name: "without a list in the schemas", defs: []string{data}, profile: `"errors": {"codes": [{"code": -7, "name": "Seven"}]}`,
			want: []string{"error -7 Seven data none"},
		},
		{
			name: "without a name", defs: []string{codes}, profile: `"errors": {"enums": ["Codes"], "codes": [{"code": -32002, "name": "Denied"}]}`,
			want: []string{"error -32002 Denied data none", "error -32001 code 32001 data none"},
			said: []string{"s.schema.json:2:39: warning: error code -32001 has no name"},
		},
		{
			name: "that the schemas do not list", defs: []string{codes},
			profile: `"errors": {"enums": ["Codes"], "codes": [{"code": -32001, "name": "A"}, {"code": -32002, "name": "B"}, {"code": -1, "name": "C"}]}`,
			said:    []string{"p.json:1:138: the profile's error code -1 matches nothing in these schemas"},
		},
		{
			name: "whose data is missing", defs: []string{data}, profile: `"errors": {"codes": [{"code": -7, "name": "Seven", "data": "E"}]}`,
			said: []string{"p.json:1:56: error Seven: the schemas define no E"},
		},
		{
			name: "a list that is not there", defs: []string{data}, profile: `"errors": {"enums": ["Codes"]}`,
			said: []string{"p.json:1:56: the schemas define no Codes"},
		},
		{
			name: "that are no integers", defs: []string{`"Codes": {"enum": [-1, "x"]}`}, profile: `"errors": {"enums": ["Codes"], "codes": [{"code": -1, "name": "A"}]}`,
			said: []string{`s.schema.json:2:24: error code "x" is not an integer`},
		},
		{
			name: "x-error-codes with x-enum-names and x-error-data", defs: []string{
				`"Codes": {"x-error-codes": true, "enum": [-1, -2], "x-enum-names": ["NotFound", "Denied"], "x-error-data": {"-2": "D"}}`, data,
			},
			want: []string{"struct D: a any", "error -1 NotFound data none", "error -2 Denied data D"},
		},
		{
			name: "x-error-codes without x-enum-names", defs: []string{`"Codes": {"x-error-codes": true, "enum": [-1]}`, data},
			want: []string{"struct D: a any", "error -1 code 1 data none"},
			said: []string{"s.schema.json:2:43: warning: error code -1 has no name"},
		},
		{
			name: "x-error-data that is missing", defs: []string{`"Codes": {"x-error-codes": true, "enum": [-1], "x-enum-names": ["NotFound"], "x-error-data": {"-1": "E"}}`},
			said: []string{"s.schema.json:2:101: error NotFound: the schemas define no E"},
		},
		{
			name: "the profile's name comes before x-enum-names", defs: []string{`"Codes": {"x-error-codes": true, "enum": [-1], "x-enum-names": ["NotFound"]}`},
			profile: `"errors": {"codes": [{"code": -1, "name": "Missing"}]}`,
			want:    []string{"error -1 Missing data none"},
		},
		{
			name: "x-error-codes that is false", defs: []string{`"Codes": {"x-error-codes": false, "enum": [-1]}`},
			want: []string{"enum Codes integer: -1"},
		},
	})
}

// TestErrorCodesWithTitles: constants among alternatives are codes as well, and their titles are names.
func TestErrorCodesWithTitles(t *testing.T) {
	const profile = `"errors": {"enums": ["Codes"], "codes": [{"code": -3, "name": "Stated"}]}`
	codes := func(list string) []string { return []string{`"Codes": {"anyOf": [` + list + `]}`} }
	runAll(t, []facts{
		{
			name: "titles", profile: profile,
			defs: codes(`{"const": -1, "type": "integer", "title": "Not found", "description": "It is gone."}, {"const": -3, "title": "Other"}, {"type": "integer", "title": "Any"}`),
			want: []string{"error -3 Stated data none", "error -1 Not found data none"},
		},
		{
			name: "no integer", profile: profile, defs: codes(`{"const": "x", "title": "X"}, {"const": -3}`),
			said: []string{`s.schema.json:2:31: error code "x" is not an integer`},
		},
	})
}
