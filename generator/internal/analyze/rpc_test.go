package analyze_test

import "testing"

func TestDispatchedActions(t *testing.T) {
	const rules = `"rules": [{"type": "chat/say", "since": "0.1.0", "client": true}, {"type": "chat/hear", "since": "0.2.0"}, {"type": "root/grow", "since": "0.3.0", "client": true}]`
	actions := func(more string) string {
		return `"channels": [{"name": "all", "prefix": "c"}, {"name": "root", "prefix": "root/"}], "unions": {"open": true}, "actions": {"union": "Action", ` + more + rules + `}`
	}
	send := func(keyword string) []string {
		return append([]string{`"Send": {"type": "object", "properties": {"n": {"type": "integer"}, "action": {` + keyword + `"$ref": "#/$defs/Action"}, "other": {"$ref": "#/$defs/Action"}}}`}, actionDefs[2:]...)
	}
	want := []string{
		"struct Send: n? integer, action? ClientAction, other? Action",
		"struct Say: type=chat/say", "struct Hear: type=chat/hear", "struct Grow: type=root/grow",
		"union Action tagged open tag Action.type: type chat/say → Say, chat/hear → Hear, root/grow → Grow",
		"union all.action tagged open tag Action.type in Action: type chat/say → Say, chat/hear → Hear",
		"union root.action tagged open tag Action.type in Action: type root/grow → Grow",
		"union ClientAction tagged open tag Action.type in Action: type chat/say → Say, root/grow → Grow",
	}
	const client = `"client": "ClientAction", `
	runAll(t, []facts{
		{name: "stated by the profile", defs: send(""), profile: actions(client + `"dispatched": [{"at": "Send.action"}], `), want: want},
		{name: "stated by x-dispatched", defs: send(`"x-dispatched": true, `), profile: actions(client), want: want},
		{name: "stated by both", defs: send(`"x-dispatched": true, `), profile: actions(client + `"dispatched": [{"at": "Send.action"}], `), want: want},
		{
			name: "stated for other versions", defs: send(""), version: "0.5.0", profile: actions(client + `"dispatched": [{"at": "Send.gone", "versions": "<0.5.0"}], `),
			want: []string{"struct Send: n? integer, action? Action, other? Action", "struct Say: type=chat/say", "struct Hear: type=chat/hear", "struct Grow: type=root/grow"},
		},
		{
			name: "a member that is not there", defs: send(""), profile: actions(client + `"dispatched": [{"at": "Send.more"}], `),
			said: []string{"p.json:1:216: the profile's dispatched action Send.more matches nothing in these schemas"},
		},
		{
			name: "a member that holds no action", defs: send(""), profile: actions(client + `"dispatched": [{"at": "Send.n"}], `),
			said: []string{"s.schema.json:2:43: Send.n is to hold an action that a client dispatches, but it holds something else"},
		},
		{
			name: "a member of a base", profile: actions(client),
			defs: append([]string{`"Base": {"x-abstract": true, "type": "object", "properties": {"action": {"x-dispatched": true, "$ref": "#/$defs/Action"}}}`, `"Send": {"allOf": [{"$ref": "#/$defs/Base"}], "properties": {}}`}, actionDefs[2:]...),
			want: []string{"struct Send: action? ClientAction", "struct Say: type=chat/say", "struct Hear: type=chat/hear", "struct Grow: type=root/grow"},
		},
		{
			name: "a member of an object inside", profile: actions(client),
			defs: append([]string{`"Send": {"type": "object", "properties": {"in": {"type": "object", "properties": {"a": {"x-dispatched": true, "$ref": "#/$defs/Action"}}}}}`}, actionDefs[2:]...),
			want: []string{"struct Send: in? Send.in", "struct Send.in: a? ClientAction", "struct Say: type=chat/say", "struct Hear: type=chat/hear", "struct Grow: type=root/grow"},
		},
		{
			name: "without actions", defs: []string{`"Send": {"type": "object", "properties": {"a": {"x-dispatched": true, "type": "string"}}}`},
			said: []string{"s.schema.json:2:65: Send.a is to hold an action that a client dispatches, but there are no actions"},
		},
		{
			name: "nobody says which those are", defs: send(""), profile: actions(`"dispatched": [{"at": "Send.action"}], `),
			said: []string{"p.json:1:190: Send.action is to hold an action that a client dispatches, but nothing says which those are"},
		},
	})
}

func TestPassThroughChannels(t *testing.T) {
	runAll(t, []facts{
		{
			name: "of the profile", defs: []string{`"A": {}`}, profile: `"channels": [{"name": "mcp", "uri": "mcp://<id>", "passThrough": "channel"}, {"name": "log"}]`,
			want: []string{"pass-through mcp by channel"},
		},
		{
			name: "of x-channels", root: `"x-channels": [{"name": "mcp", "uri": "mcp://<id>", "passThrough": "to"}]`, defs: []string{`"A": {}`},
			want: []string{"pass-through mcp by to"},
		},
		{
			name: "URIs that nothing tells from others", defs: []string{`"A": {}`}, profile: `"channels": [{"name": "mcp", "passThrough": "channel"}, {"name": "m", "uri": "<id>", "passThrough": "channel"}]`,
			said: []string{
				"p.json:1:48: nothing tells the URIs of the pass-through channel mcp from others",
				"p.json:1:91: nothing tells the URIs of the pass-through channel m from others",
			},
		},
	})
}

func TestExtensions(t *testing.T) {
	defs := []string{object("P", `"_meta": {"type": "object"}, "tag": {"type": "string"}`)}
	runAll(t, []facts{
		{name: "of the profile", defs: defs, profile: `"extensions": {"prefix": "_", "meta": "_meta"}`, want: []string{`extensions prefix "_" meta "_meta"`}},
		{name: "of x-extensions", defs: defs, root: `"x-extensions": {"prefix": "x/"}`, want: []string{`extensions prefix "x/" meta ""`}},
		{
			name: "the profile comes first", defs: defs, root: `"x-extensions": {"prefix": "x/"}`, profile: `"extensions": {"meta": "_meta"}`,
			want: []string{`extensions prefix "" meta "_meta"`},
		},
		{
			name: "a method with the name of an extension", defs: defs,
			profile: `"extensions": {"prefix": "_"}, "methods": [{"name": "_do", "from": "client", "kind": "request"}, {"name": "do_", "from": "client", "kind": "request"}]`,
			said:    []string{`p.json:1:78: method "_do" has a name that the protocol leaves to extensions`},
		},
		{
			name: "metadata that no object has", defs: defs, profile: `"extensions": {"meta": "meta"}`,
			said: []string{`p.json:1:49: no object has a member "meta" that is open to any data`},
		},
		{
			name: "metadata that is not open", defs: defs, root: `"x-extensions": {"meta": "tag"}`,
			said: []string{`s.schema.json:1:18: no object has a member "tag" that is open to any data`},
		},
	})
}

func TestHandshake(t *testing.T) {
	defs := []string{
		object("Open", `"offer": {"type": "array", "items": {"type": "string"}}, "one": {"type": "string"}`),
		object("Opened", `"version": {"$ref": "#/$defs/V"}, "n": {"type": "integer"}`), `"V": {"type": "string"}`,
		object("None", `"mine": {"type": "array", "items": {"$ref": "#/$defs/V"}}`),
	}
	const tables = `"methods": [{"name": "open", "from": "client", "kind": "request", "params": "Open", "result": "Opened"}, {"name": "note", "from": "client", "kind": "notification"},
		{"name": "ask", "from": "host", "kind": "request"}], "errors": {"codes": [{"code": -5, "name": "NoVersion", "data": "None"}, {"code": -6, "name": "Other"}]}, `
	shake := func(method, offer, answer, code, supported string) string {
		return tables + "\n" + `"handshake": {"method": "` + method + `", "offer": "` + offer + `", "answer": "` + answer + `", "error": ` + code + `, "supported": "` + supported + `"}`
	}
	said := func(text string) []string { return []string{"p.json:3:14: handshake: " + text} }
	runAll(t, []facts{
		{name: "of the profile", defs: defs, profile: shake("open", "offer", "version", "-5", "mine"), want: []string{"handshake open: offer, version; NoVersion: mine"}},
		{
			name: "of x-handshake", defs: defs, profile: tables[:len(tables)-2],
			root: `"x-handshake": {"method": "open", "offer": "offer", "answer": "version", "error": -5, "supported": "mine"}`,
			want: []string{"handshake open: offer, version; NoVersion: mine"},
		},
		{name: "a method that is not there", defs: defs, profile: shake("start", "offer", "version", "-5", "mine"), said: said(`there is no request "start" of clients`)},
		{name: "a notification", defs: defs, profile: shake("note", "offer", "version", "-5", "mine"), said: said(`there is no request "note" of clients`)},
		{name: "a request of the host", defs: defs, profile: shake("ask", "offer", "version", "-5", "mine"), said: said(`there is no request "ask" of clients`)},
		{name: "an error that is not there", defs: defs, profile: shake("open", "offer", "version", "-7", "mine"), said: said("there is no error code -7")},
		{
			name: "members of other types", defs: defs, profile: shake("open", "one", "n", "-6", "mine"),
			said: append(append(said(`"mine" is no such member of the data of error Other`), said(`"n" is no such member of the result of open`)...), said(`"one" is no such member of the parameters of open`)...),
		},
		{
			name: "versions that cannot be compared", defs: defs, profile: `"versions": {"supported": ["1.0.0-dev", "0.9"]}, ` + shake("open", "offer", "version", "-5", "mine"),
			said: said(`version "0.9" cannot be compared with others`),
		},
	})
}

// TestHandshakesAboutOneVersion: the client offers one version, and the host answers with that or another one.
func TestHandshakesAboutOneVersion(t *testing.T) {
	defs := func(offer, answer string) []string {
		return []string{
			`"OpenParams": {"type": "object", "properties": {"version": {` + offer + `}, "maybe": {"type": "string"}}, "required": ["version"]}`,
			`"OpenResult": {"type": "object", "properties": {"version": {` + answer + `}}, "required": ["version"]}`,
		}
	}
	stated := func(offer string) string {
		return `"handshake": {"method": "open", "offer": "` + offer + `", "answer": "version"}, "methods": [{"name": "open", "from": "client", "kind": "request", "params": "OpenParams", "result": "OpenResult"}]`
	}
	const number = `"type": "integer", "format": "uint16"`
	runAll(t, []facts{
		{name: "a number", defs: defs(number, number), profile: stated("version"), version: "2", want: []string{"handshake open: version, version; number"}},
		{name: "a text", defs: defs(`"type": "string"`, `"type": "string"`), profile: stated("version"), version: "2025", want: []string{"handshake open: version, version"}},
		{
			name: "two types", defs: defs(number, `"type": "string"`), profile: stated("version"), version: "2",
			said: []string{`p.json:1:48: handshake: "version" of the parameters of open and "version" of its result are not both a version`},
		},
		{
			name: "one that may be missing", defs: defs(number, number), profile: stated("maybe"), version: "2",
			said: []string{`p.json:1:48: handshake: "maybe" of the parameters of open and "version" of its result are not both a version`},
		},
		{
			name: "a version that is no number", defs: defs(number, number), profile: stated("version"), version: "2.1",
			said: []string{`p.json:1:48: handshake: version "2.1" is no whole number, as "version" is`},
		},
		{
			name: "of no version", defs: defs(number, number), profile: stated("version"),
			said: []string{`p.json:1:48: handshake: nothing says which versions can be spoken`},
		},
	})
}

// TestCancellingMayComeLater: a profile for many releases names the notification that cancels, and the early ones have none.
func TestCancellingMayComeLater(t *testing.T) {
	const cancel = `"calls": {"cancel": {"method": "stop", "id": "call"}}`
	runAll(t, []facts{
		{
			name: "a release without it", profile: cancel, defs: []string{`"Tell": {"type": "object", "x-method": "tell", "x-side": "client", "x-notification": true}`},
			want: []string{`method tell from host notification(Tell) none since ""`},
			said: []string{`p.json:1:44: warning: calls: cancel: there is no notification "stop"`},
		},
		{
			name: "a request of that name", profile: cancel, defs: []string{`"Stop": {"type": "object", "x-method": "stop", "x-side": "host"}`},
			said: []string{`p.json:1:44: calls: cancel: there is no notification "stop"`},
		},
	})
}
