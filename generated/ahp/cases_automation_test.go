// Cases of automations and their runs, and of the channels of which only something small is new.

package ahp_test

// automation is an entry of the catalogue that was changed at a time.
func automation(id, modified string) string {
	return `{"resource":"` + id + `","definition":{"title":"T","message":{"text":"hi","origin":{"kind":"automation"}},` +
		`"session":{},"enabled":true,"triggers":[]},"runs":[],"operations":[],"createdAt":"c","modifiedAt":"` + modified + `"}`
}

func entries(automations ...string) string { return `"entries":[` + join(automations...) + `]` }

func sessions(uris ...string) string {
	if len(uris) == 0 {
		return `"sessions":[]`
	}
	return list("sessions", uris...)
}

const pendingRun = `"resource":"r","automation":"a","origin":{"kind":"manual"},"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[]`

var automationCases = []family{
	{"automation", "automation", `"entries":[]`, []reduced{
		{"the first", "", `{"type":"automation/set","automation":` + automation("a", "1") + `}`, entries(automation("a", "1"))},
		{"one more", entries(automation("a", "1")), `{"type":"automation/set","automation":` + automation("b", "1") + `}`, entries(automation("a", "1"), automation("b", "1"))},
		{"changed, in its place", entries(automation("a", "1"), automation("b", "1")), `{"type":"automation/set","automation":` + automation("a", "2") + `}`, entries(automation("a", "2"), automation("b", "1"))},
		{"removed: the list stays", entries(automation("a", "1")), `{"type":"automation/removed","resource":"a"}`, entries()},
		{"removed that was not there", entries(automation("a", "1")), `{"type":"automation/removed","resource":"b"}`, same},
		{"asked for: the host answers with another action", "", `{"type":"automation/createRequested","resource":"a","definition":{"title":"T","message":{"text":"hi","origin":{"kind":"automation"}},"session":{},"enabled":true,"triggers":[]}}`, same},
		{"asked to change: likewise", entries(automation("a", "1")), `{"type":"automation/updateRequested","resource":"a","changes":{"enabled":false}}`, same},
	}},
	{"run", "automationRun", pendingRun, []reduced{
		{"gets on", "", `{"type":"automationRun/lifecycleChanged","lifecycle":{"status":"running","createdAt":"c","startedAt":"s"}}`, `"lifecycle":{"status":"running","createdAt":"c","startedAt":"s"}`},
		{"gets into a state that nobody knows", "", `{"type":"automationRun/lifecycleChanged","lifecycle":{"status":"paused","since":1}}`, `"lifecycle":{"status":"paused","since":1}`},
		{"a session more", sessions("x"), `{"type":"automationRun/sessionSet","session":"y"}`, sessions("x", "y")},
		{"a session that it has", sessions("x"), `{"type":"automationRun/sessionSet","session":"x"}`, same},
		{"the primary session gone", sessions("x", "y") + `,"primarySession":"x"`, `{"type":"automationRun/sessionRemoved","session":"x"}`, sessions("y")},
		{"another session gone", sessions("x", "y") + `,"primarySession":"x"`, `{"type":"automationRun/sessionRemoved","session":"y"}`, sessions("x") + `,"primarySession":"x"`},
		{"a session gone that it has not, though it is the primary one", sessions() + `,"primarySession":"x"`, `{"type":"automationRun/sessionRemoved","session":"x"}`, same},
		{"a primary session, be it one of its own or not", "", `{"type":"automationRun/primarySessionChanged","primarySession":"x"}`, `"primarySession":"x"`},
		{"no primary session", `"primarySession":"x"`, `{"type":"automationRun/primarySessionChanged"}`, sessions()},
		{"asked to stop", "", `{"type":"automationRun/cancelRequested"}`, same},
	}},
}

const (
	canvas     = `"instanceId":"i","extensionId":"e","canvasId":"k"`
	annotation = `"id":"a","resource":"r","resolved":false,"entries":[]`
	broken     = `"error":{"errorType":"e","message":"m"}`
)

var otherCases = []family{
	{"terminal", "terminal", terminalDefaults[1 : len(terminalDefaults)-1], []reduced{
		{"has ended", "", `{"type":"terminal/exited","exitCode":3}`, `"lifecycle":{"status":"exited","exitCode":3}`},
		{"has ended nobody knows how", "", `{"type":"terminal/exited"}`, `"lifecycle":{"status":"exited"}`},
	}},
	{"canvas", "canvas", canvas, []reduced{
		{"as a whole", `"title":"T","url":"u","extensionName":"N"`, `{"type":"canvas/stateChanged","canvas":{"instanceId":"j","extensionId":"f","canvasId":"l","status":"s"}}`, `"instanceId":"j","extensionId":"f","canvasId":"l","status":"s"`},
	}},
	{"changeset", "changeset", `"status":"ready","files":[]`, []reduced{
		{"other files; an error stays", `"status":"error",` + broken + `,"operations":[]`, `{"type":"changeset/contentChanged","files":[{"id":"f","edit":{}}]}`, `"status":"error",` + broken + `,"operations":[],"files":[{"id":"f","edit":{}}]`},
		{"other operations", `"operations":[]`, `{"type":"changeset/contentChanged","files":[],"operations":[{"id":"o","label":"O","scopes":[],"status":"idle"}]}`, `"operations":[{"id":"o","label":"O","scopes":[],"status":"idle"}]`},
		{"computed again: no error any more", `"status":"error",` + broken, `{"type":"changeset/statusChanged","status":"recomputing"}`, `"status":"recomputing"`},
	}},
	{"annotation", "annotations", "", []reduced{
		{
			"of another origin", `"annotations":[{"origin":{"session":"s"},` + annotation + `}]`, `{"type":"annotations/updated","annotationId":"a","origin":{"session":"s","turnId":"t"}}`,
			`"annotations":[{"origin":{"session":"s","turnId":"t"},` + annotation + `}]`,
		},
		{"of the same origin", `"annotations":[{"origin":{"session":"s"},` + annotation + `}]`, `{"type":"annotations/updated","annotationId":"a","resource":"q"}`, `"annotations":[{"origin":{"session":"s"},"id":"a","resource":"q","resolved":false,"entries":[]}]`},
	}},
}
