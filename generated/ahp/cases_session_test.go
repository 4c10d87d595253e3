// Cases of sessions: the order of chats, directories, what customizations are under, and MCP servers.

package ahp_test

import "strings"

const (
	chatA = `{"resource":"x:/a","title":"A","status":1,"modifiedAt":"t"}`
	chatB = `{"resource":"x:/b","title":"B","status":1,"modifiedAt":"t"}`
	chatC = `{"resource":"x:/c","title":"C","status":1,"modifiedAt":"t"}`

	noChats  = `"provider":"p","title":"T","lifecycle":"ready","activeClients":[],"status":1,"chats":[]`
	creating = `"provider":"p","title":"T","lifecycle":"creating","activeClients":[],"status":1,"chats":[]`
)

func chatList(chats ...string) string { return `"chats":[` + join(chats...) + `]` }

func directories(uris ...string) string { return list("workingDirectories", uris...) }

// list is a member that is a list of texts.
func list(name string, items ...string) string {
	return `"` + name + `":["` + strings.Join(items, `","`) + `"]`
}

func chatsReordered(chats ...string) string {
	return object(`"type":"session/chatsReordered"`, list("chats", chats...))
}

func directoryReplaced(directory, replacement string) string {
	return `{"type":"session/workingDirectoryReplaced","directory":"` + directory + `","replacement":"` + replacement + `"}`
}

func decided(id, decisions string) string {
	return `{"type":"session/customizationToggled","id":"` + id + `","enablement":` + decisions + `}`
}

// The decisions that the cases are about: the first one counts, whatever its kind.
const (
	everywhere = `[{"kind":"global","enabled":false}]`
	twice      = `[{"kind":"session","enabled":true},{"kind":"global","enabled":false}]`
	somewhere  = `[{"kind":"workspace","uri":"x:/w","enabled":false},{"kind":"global","enabled":true}]`
	newKind    = `[{"kind":"planet","enabled":false},{"kind":"global","enabled":true}]`
)

// Customizations without and with more members.

func pluginWith(members string) string {
	return `"customizations":[` + customized("plugin", "p", members) + `]`
}

func serverWith(members string) string {
	return customized("mcpServer", "s", members)
}

func customized(typ, id, members string) string {
	return `{"type":"` + typ + `","id":"` + id + `","uri":"x:/` + id + `","name":"N"` + members + `}`
}

func directoryWith(enabled string, children ...string) string {
	return `"customizations":[` + customized("directory", "d", `,"contents":"skill","writable":false,"enabled":`+enabled+`,"children":[`+join(children...)+`]`) + `]`
}

const (
	ready    = `,"state":{"kind":"ready"}`
	blocking = `,"channel":"mcp://s","state":{"kind":"starting","blocking":true}`
	released = `,"channel":"mcp://s","state":{"kind":"starting","blocking":false}`
)

const (
	runsTool = `{"kind":"toolClientExecution","id":"r","chat":"c","turnId":"t","clientId":"x","toolCall":{"status":"running","toolCallId":"k","toolName":"n","displayName":"N","invocationMessage":"m","confirmed":"not-needed"}}`
	asks     = `{"kind":"chatInput","id":"a","chat":"c","request":{"id":"q"}}`
	asksAsR  = `{"kind":"chatInput","id":"r","chat":"c","request":{"id":"q"}}`
	newNeed  = `{"kind":"newer","id":"u"}`
)

func needs(request string) string {
	return `{"type":"session/inputNeededSet","request":` + request + `}`
}

func needed(requests ...string) string { return `"inputNeeded":[` + join(requests...) + `]` }

const background = `{"type":"session/mcpServerBackgroundRequested","id":"s"}`

var sessionCases = []family{
	{"chats", "session", noChats, []reduced{
		{"reordered; the default chat stays", chatList(chatA, chatB, chatC) + `,"defaultChat":"x:/a"`, chatsReordered("x:/c", "x:/a", "x:/b"), chatList(chatC, chatA, chatB) + `,"defaultChat":"x:/a"`},
		{"an order that lacks one", chatList(chatA, chatB), chatsReordered("x:/b"), same},
		{"an order that has one twice", chatList(chatA, chatB), chatsReordered("x:/b", "x:/b"), same},
		{"an order that has an unknown one", chatList(chatA, chatB), chatsReordered("x:/b", "x:/c"), same},
		{"an order that has all and one more", chatList(chatA, chatB), chatsReordered("x:/b", "x:/a", "x:/c"), same},
		{"the order that they have", chatList(chatA, chatB), chatsReordered("x:/a", "x:/b"), same},
		{
			"updated with totals and whether it can be moved", chatList(chatA, chatB),
			`{"type":"session/chatUpdated","chat":"x:/a","changes":{"resource":"x:/other","movable":true,"changes":{"files":2}}}`,
			chatList(`{"resource":"x:/a","title":"A","status":1,"modifiedAt":"t","movable":true,"changes":{"files":2}}`, chatB),
		},
	}},
	{"directory replaced", "session", noChats, []reduced{
		{"no list", "", directoryReplaced("a", "b"), same},
		{"not in the list", directories("x"), directoryReplaced("a", "b"), same},
		{"in its place", directories("x", "a", "y"), directoryReplaced("a", "b"), directories("x", "b", "y")},
		{"by one that stands earlier, which stays", directories("x", "b", "a", "y"), directoryReplaced("a", "b"), directories("x", "b", "y")},
		{"by one that stands later, which moves", directories("a", "x", "b", "y"), directoryReplaced("a", "b"), directories("b", "x", "y")},
		{"by one that stands later more than once", directories("a", "b", "x", "b"), directoryReplaced("a", "b"), directories("b", "x")},
		{"by itself", directories("a", "x"), directoryReplaced("a", "a"), same},
	}},
	{"session that could not be created", "session", creating, []reduced{
		{"failed", "", `{"type":"session/creationFailed","error":{"errorType":"e","message":"m"}}`, `"lifecycle":"failed","creationError":{"errorType":"e","message":"m"}`},
	}},
	{"customization under other decisions", "session", noChats, []reduced{
		{"plugin", pluginWith(`,"version":"1"`), decided("p", everywhere), pluginWith(`,"version":"1","enablement":` + everywhere)},
		{"plugin that had some", pluginWith(`,"enablement":` + everywhere), decided("p", twice), pluginWith(`,"enablement":` + twice)},
		{"plugin, without any", pluginWith(`,"version":"1","enablement":` + everywhere), decided("p", `[]`), pluginWith(`,"version":"1"`)},
		{"plugin, of a kind that nobody knows", pluginWith(""), decided("p", newKind), pluginWith(`,"enablement":` + newKind)},
		{"server", `"customizations":[` + serverWith(ready) + `]`, decided("s", somewhere), `"customizations":[` + serverWith(ready+`,"enablement":`+somewhere) + `]`},
		{"directory: the first counts", directoryWith("false"), decided("d", twice), directoryWith("true")},
		{"directory: off in its workspace", directoryWith("true"), decided("d", somewhere), directoryWith("false")},
		{"directory: off by a kind that nobody knows", directoryWith("true"), decided("d", newKind), directoryWith("false")},
		{"directory, without any: on", directoryWith("false"), decided("d", `[]`), directoryWith("true")},
		{"child", directoryWith("true", customized("skill", "k", "")), decided("k", everywhere), directoryWith("true", customized("skill", "k", `,"enabled":false`))},
		{"child, without any: on", directoryWith("true", customized("hook", "k", `,"enabled":false`)), decided("k", `[]`), directoryWith("true", customized("hook", "k", `,"enabled":true`))},
		{"child that is a server", directoryWith("true", serverWith(ready)), decided("s", everywhere), directoryWith("true", serverWith(ready+`,"enablement":`+everywhere))},
		{"of a type that nobody knows", `"customizations":[{"type":"newer","id":"w","x":1}]`, decided("w", everywhere), `"customizations":[{"type":"newer","id":"w","x":1,"enabled":false}]`},
		{"no such id", pluginWith(""), decided("q", everywhere), same},
		{"no customizations", "", decided("q", everywhere), same},
	}},
	{"server that starts", "session", noChats, []reduced{
		{"nobody waits for it any more", `"customizations":[` + serverWith(blocking) + `]`, background, `"customizations":[` + serverWith(released) + `]`},
		{"as a child", directoryWith("true", serverWith(blocking)), background, directoryWith("true", serverWith(released))},
		{"nobody did", `"customizations":[` + serverWith(released) + `]`, background, same},
		{"it does not say", `"customizations":[` + serverWith(`,"state":{"kind":"starting"}`) + `]`, background, same},
		{"it runs already", `"customizations":[` + serverWith(ready) + `]`, background, same},
		{"no such server", directoryWith("true"), background, same},
		{"what has the id is no server", `"customizations":[` + customized("plugin", "s", "") + `]`, background, same},
	}},
	{"request for input", "session", noChats, []reduced{
		{"a tool that a client runs keeps no person waiting", `"status":40`, needs(runsTool), `"status":40,` + needed(runsTool)},
		{"a question does", `"status":40`, needs(asks), `"status":56,` + needed(asks)},
		{"a kind that nobody knows does", `"status":33`, needs(newNeed), `"status":56,` + needed(newNeed)},
		{"beside a question", `"status":24,` + needed(asks), needs(runsTool), `"status":24,` + needed(asks, runsTool)},
		{"in place of a question", `"status":24,` + needed(asksAsR), needs(runsTool), `"status":8,` + needed(runsTool)},
		{"the last question goes", `"status":24,` + needed(asks, runsTool), `{"type":"session/inputNeededRemoved","id":"a"}`, `"status":8,` + needed(runsTool)},
	}},
}
