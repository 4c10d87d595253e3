// All that the tests of reducers know about one version: rules, channels, and what states of this one hold. Everything
// beside this file is about each version alike; the same tests run on the package of an older version with another of
// these files (TestOlderReducersFollowTheirRules in golden). Written from the rules of the protocol alone.

package ahp_test

import (
	"slices"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// protocolVersion is the one of the schemas that random values are made from.
const protocolVersion = "1.0.0"

// versionChannels are the channels that not every version has.
var versionChannels = []channel{
	newChannel("canvas", "CanvasState", ahp.Decode[ahp.CanvasState], (*ahp.Reducer).Canvas),
	newChannel("automation", "AutomationState", ahp.Decode[ahp.AutomationState], (*ahp.Reducer).Automation),
	newChannel("automationRun", "AutomationRunState", ahp.Decode[ahp.AutomationRunState], (*ahp.Reducer).AutomationRun),
}

// versionRules are the rules that not every version has, or has like this.
var versionRules = map[string]rule{
	"session/creationFailed": func(s, a jsonObject, _ string) jsonObject {
		return with(s, "lifecycle", "failed", "creationError", a["error"])
	},
	"session/chatsReordered":           reorderChats,
	"session/workingDirectoryReplaced": replaceDirectory,
	"session/customizationToggled":     onCustomization(decide),
	"session/mcpServerBackgroundRequested": func(s, a jsonObject, _ string) jsonObject {
		return onServer(s, a, func(server jsonObject) jsonObject {
			if state := inner(server, "state"); state["kind"] == "starting" && isTrue(state["blocking"]) {
				return with(server, "state", with(state, "blocking", false))
			}
			return server
		})
	},

	"chat/responsePart": func(s, a jsonObject, now string) jsonObject {
		if inner(a, "part")["kind"] == "error" {
			return s
		}
		return appendPart(s, a, now)
	},
	"chat/turnResume":            resumeTurn,
	"chat/backgroundWorkSet":     upsertRule("backgroundWork", "id", "work"),
	"chat/backgroundWorkRemoved": removeRule("backgroundWork", "id", "id"),
	"chat/movableChanged":        assign("movable", "movable"),
	"chat/changesetsChanged":     assign("changesets", "changesets"),
	"chat/canvasesChanged":       assign("canvases", "canvases"),
	"chat/isReadChanged":         setFlag(bitRead, "isRead"),
	"chat/isArchivedChanged":     setFlag(bitArchived, "isArchived"),

	"terminal/exited": func(s, a jsonObject, _ string) jsonObject {
		return with(s, "lifecycle", spread(jsonObject{"status": "exited"}, pick(a, "exitCode")))
	},
	"changeset/contentChanged": func(s, a jsonObject, _ string) jsonObject {
		return with(s, "files", a["files"], "operations", either(a["operations"], s["operations"]))
	},
	"annotations/updated": updateAnnotation("origin", "resource", "range", "resolved"),

	"canvas/stateChanged": func(_, a jsonObject, _ string) jsonObject { return inner(a, "canvas") },

	"automation/createRequested":          nothing,
	"automation/updateRequested":          nothing,
	"automation/set":                      upsertRule("entries", "resource", "automation"),
	"automation/removed":                  removeRule("entries", "resource", "resource"),
	"automationRun/lifecycleChanged":      assign("lifecycle", "lifecycle"),
	"automationRun/primarySessionChanged": assign("primarySession", "primarySession"),
	"automationRun/cancelRequested":       nothing,
	"automationRun/sessionSet": func(s, a jsonObject, _ string) jsonObject {
		if slices.Contains(elements(s, "sessions"), a["session"]) {
			return s
		}
		return with(s, "sessions", appended(elements(s, "sessions"), a["session"]))
	},
	"automationRun/sessionRemoved": func(s, a jsonObject, _ string) jsonObject {
		i := slices.Index(elements(s, "sessions"), a["session"])
		if i < 0 {
			return s
		}
		next := with(s, "sessions", removed(elements(s, "sessions"), i))
		if s["primarySession"] == a["session"] {
			return with(next, "primarySession", nil)
		}
		return next
	},
}

// modified is when a chat has last changed after an action by which that is at: no clock has a say.
func modified(at any, _ string) any { return at }

// withFailure is what becomes of an ended turn when an action says that it has failed.
func withFailure(turn, a jsonObject) jsonObject {
	return with(turn, "responseParts", appended(elements(turn, "responseParts"), a["part"]))
}

// waitsForPerson tells whether a request in the list of a session is one that only a person can answer.
func waitsForPerson(request jsonObject) bool { return request["kind"] != "toolClientExecution" }

// reorderChats takes an order of all chats, each once.
func reorderChats(s, a jsonObject, _ string) jsonObject {
	chats, order := elements(s, "chats"), elements(a, "chats")
	if len(order) != len(chats) || slices.Equal(order, resources(chats)) {
		return s
	}
	next := jsonList{}
	for i, chat := range order {
		from := find(chats, "resource", chat)
		if from < 0 || slices.Contains(order[:i], chat) {
			return s
		}
		next = append(next, chats[from])
	}
	return with(s, "chats", next)
}

func resources(l jsonList) jsonList {
	all := jsonList{}
	for _, v := range l {
		all = append(all, v.(jsonObject)["resource"])
	}
	return all
}

func replaceDirectory(s, a jsonObject, _ string) jsonObject {
	all := elements(s, "workingDirectories")
	target := slices.Index(all, a["directory"])
	if target < 0 {
		return s
	}
	earlier := slices.Contains(all[:target], a["replacement"])
	next := jsonList{}
	for i, v := range all {
		switch {
		case i == target && !earlier:
			next = append(next, a["replacement"])
		case i == target:
		case v == a["replacement"] && !earlier:
		default:
			next = append(next, v)
		}
	}
	if slices.Equal(all, next) {
		return s
	}
	return with(s, "workingDirectories", next)
}

// decide puts a customization under decisions on whether it is on. Kinds that keep none are just on or off.
func decide(c, a jsonObject) jsonObject {
	decisions := elements(a, "enablement")
	if in(c, "type", "plugin", serverType) {
		return with(c, "enablement", unlessEmpty(decisions))
	}
	return with(c, "enabled", len(decisions) == 0 || isTrue(decisions[0].(jsonObject)["enabled"]))
}

func resumeTurn(s, a jsonObject, _ string) jsonObject {
	turns := elements(s, "turns")
	last := len(turns) - 1
	if s["activeTurn"] != nil || last < 0 {
		return s
	}
	turn := turns[last].(jsonObject)
	parts := elements(turn, "responseParts")
	if turn["id"] != a["turnId"] || turn["state"] != "error" || len(parts) == 0 {
		return s
	}
	if end := parts[len(parts)-1].(jsonObject); end["kind"] != "error" || !isTrue(end["resumable"]) {
		return s
	}
	open := with(pick(turn, "id", "message", "responseParts", "usage"), "startedAt", either(turn["startedAt"], s["modifiedAt"]))
	return unread(refreshed(with(s, "turns", removed(turns, last), "activeTurn", open)))
}

// startPool is what random turns start at. Where a turn does not start at a time, no rule tells when it ends.
var startPool = []string{"2026-03-01T10:20:30.456Z", "1969-12-31T23:59:59Z", "2026-12-31T23:59:59.9999+05:30"}

// instead makes a random member where what its schema allows is not worthwhile, or not ruled; nil leaves it to the schema.
func (r *random) instead(name string) any {
	switch name {
	case "startedAt":
		return oneOf(r, startPool...)
	case "duration":
		return number(uint64(r.IntN(100_000_000)))
	}
	return nil
}

// aim has a random action find something to do more often.
func (r *random) aim(a, state jsonObject) {
	switch a["type"] {
	case "chat/turnResume":
		if turns := elements(state, "turns"); len(turns) > 0 {
			a["turnId"] = turns[len(turns)-1].(jsonObject)["id"]
		}
	case "chat/error":
		inner(a, "part")["resumable"] = r.chance(80)
	case "session/mcpServerStateChanged":
		if r.chance(50) {
			a["state"] = jsonObject{"kind": "starting", "blocking": true}
		}
	case "session/mcpServerBackgroundRequested":
		a["id"] = either(blockingServer(state), a["id"])
	case "session/chatsReordered":
		if order := resources(elements(state, "chats")); r.chance(85) {
			slices.Reverse(order)
			a["chats"] = order
		}
	}
}

// blockingServer is the id of a server that somebody waits for, nil if there is none.
func blockingServer(state jsonObject) any {
	var search func(l jsonList) any
	search = func(l jsonList) any {
		for _, v := range l {
			c := v.(jsonObject)
			if c["type"] == serverType && isTrue(inner(c, "state")["blocking"]) {
				return c["id"]
			}
			if id := search(elements(c, "children")); id != nil {
				return id
			}
		}
		return nil
	}
	return search(elements(state, "customizations"))
}

// What the tables of cases are filled up with, and how this version says things.

const terminalDefaults = `{"title":"T","content":[],"claim":{"kind":"client","clientId":"c"},"lifecycle":{"status":"running"}}`

// stamped is when a chat last changed by an action that says so, "" for one that does not.
func stamped(at string) string {
	if at == "" {
		at = lastModified
	}
	return `"modifiedAt":"` + at + `"`
}

// off is the member that says of a customization that it is off.
func off(typ string) string {
	if typ == "plugin" || typ == serverType {
		return `,"enablement":[{"kind":"session","enabled":false}]`
	}
	return `,"enabled":false`
}

// toggled is the action that switches a customization on.
func toggled(id string) string {
	return `{"type":"session/customizationToggled","id":"` + id + `","enablement":[{"kind":"session","enabled":true}]}`
}

// failure is what a turn that failed with an error has, and the action that says so.
func failure(parts ...string) (inTurn, inAction string) {
	const part = `{"kind":"error","error":{"errorType":"e","message":"m"},"resumable":true}`
	return `"responseParts":[` + join(append(parts, part)...) + `],"state":"error"`, `"part":` + part
}
