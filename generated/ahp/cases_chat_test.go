// Cases of chats: when they last changed, turns that fail and go on, work in the background, and what hosts tell of them.

package ahp_test

const (
	hi        = `"message":{"text":"hi","origin":{"kind":"user"}}`
	resumable = `{"kind":"error","error":{"errorType":"e","message":"m"},"resumable":true}`
	final     = `{"kind":"error","error":{"errorType":"e","message":"m"}}`
	words     = `{"kind":"markdown","id":"p","content":"x"}`
	question  = `{"kind":"inputRequest","request":{"id":"q"}}`
	works     = `{"kind":"toolCall","toolCall":{"status":"running","toolCallId":"k","toolName":"n","displayName":"N","invocationMessage":"m","confirmed":"not-needed"}}`
	skips     = `{"kind":"toolCall","toolCall":{"status":"cancelled","toolCallId":"k","toolName":"n","displayName":"N","invocationMessage":"m","reason":"skipped"}}`

	calm  = `"resource":"c","title":"T","status":1,"turns":[],` + older
	older = `"modifiedAt":"2026-01-01T00:00:00.000Z"`

	shell    = `{"kind":"shell","id":"w","label":"l","startedAt":"s","command":"c"}`
	reshell  = `{"kind":"shell","id":"w","label":"other","startedAt":"s","command":"c","terminal":"x:/t"}`
	subagent = `{"kind":"subagent","id":"x","label":"l","startedAt":"s","chat":"c"}`
	newWork  = `{"kind":"newer","id":"w"}`
)

// openTurn is the open turn t, which began at a time.
func openTurn(startedAt string, parts ...string) string {
	return `"activeTurn":{"id":"t","startedAt":"` + startedAt + `",` + hi + `,"responseParts":[` + join(parts...) + `]}`
}

// past is a turn of the history that began at a time, ended in a state and took so many milliseconds.
func past(id, state, startedAt, duration string, parts ...string) string {
	return `{"id":"` + id + `","startedAt":"` + startedAt + `","duration":` + duration + `,` + hi + `,"responseParts":[` + join(parts...) + `],"state":"` + state + `"}`
}

func turnList(turns ...string) string { return `"turns":[` + join(turns...) + `]` }

func changedAt(at string) string { return `"modifiedAt":"` + at + `"` }

func completes(duration string) string {
	return `{"type":"chat/turnComplete","turnId":"t","duration":` + duration + `}`
}

func fails(turn, part string) string {
	return `{"type":"chat/error","turnId":"` + turn + `","duration":5,"part":` + part + `}`
}

const (
	morning  = "2026-10-02T08:00:00.100Z"
	after5ms = "2026-10-02T08:00:00.105Z"
	resume   = `{"type":"chat/turnResume","turnId":"t"}`
	startsAt = `{"type":"chat/turnStarted","turnId":"t","startedAt":"` + morning + `",` + hi + `}`
)

var chatCases = []family{
	{"when a chat last changed", "chat", calm, []reduced{
		{"a turn begins: then, as written", "", startsAt, `"status":8,` + openTurn(morning) + `,` + changedAt(morning)},
		{"a turn ends: its begin and what it took", `"status":8,` + openTurn(morning), completes("5"), turnList(past("t", "complete", morning, "5")) + `,` + changedAt(after5ms)},
		{"a turn is cancelled: likewise", `"status":8,` + openTurn(morning), `{"type":"chat/turnCancelled","turnId":"t","duration":5}`, turnList(past("t", "cancelled", morning, "5")) + `,` + changedAt(after5ms)},
		{"a duration below zero takes no time", `"status":8,` + openTurn(morning), completes("-5"), turnList(past("t", "complete", morning, "0")) + `,` + changedAt(morning)},
		{"in UTC, over the end of a year", `"status":8,` + openTurn("2026-12-31T23:59:59+01:00"), completes("3600001"), turnList(past("t", "complete", "2026-12-31T23:59:59+01:00", "3600001")) + `,` + changedAt("2026-12-31T23:59:59.001Z")},
		{"what is finer than a millisecond goes", `"status":8,` + openTurn("2026-10-02T08:00:00.1009Z"), completes("5"), turnList(past("t", "complete", "2026-10-02T08:00:00.1009Z", "5")) + `,` + changedAt(after5ms)},
		{"a turn that began nobody knows when", `"status":8,` + openTurn("early"), completes("5"), turnList(past("t", "complete", "early", "5"))},
		{"another turn ends", `"status":8,` + openTurn(morning), `{"type":"chat/turnComplete","turnId":"u","duration":5}`, same},
		{"a question does not count", `"status":8,` + openTurn(morning), `{"type":"chat/inputRequested","request":{"id":"q"}}`, `"status":24,` + openTurn(morning, question)},
		{"nor an answer", `"status":24,` + openTurn(morning, question), `{"type":"chat/inputAnswerChanged","requestId":"q","questionId":"a","answer":{"state":"skipped"}}`, `"status":24,` + openTurn(morning, `{"kind":"inputRequest","request":{"id":"q","answers":{"a":{"state":"skipped"}}}}`)},
		{"nor that it is answered", `"status":24,` + openTurn(morning, question), `{"type":"chat/inputCompleted","requestId":"q","response":"accept"}`, `"status":8,` + openTurn(morning, `{"kind":"inputRequest","request":{"id":"q"},"response":"accept"}`)},
		{"nor that turns are forgotten", `"status":8,` + openTurn(morning), `{"type":"chat/truncated"}`, `"status":1`},
	}},
	{"failure", "chat", calm, []reduced{
		{
			"is the last part of the turn; calls that run are skipped", `"status":40,` + openTurn(morning, words, works), fails("t", resumable),
			`"status":34,` + changedAt(after5ms) + `,` + turnList(past("t", "error", morning, "5", words, skips, resumable)),
		},
		{"of another turn", `"status":40,` + openTurn(morning, words), fails("u", resumable), same},
		{"comes in no other way", `"status":8,` + openTurn(morning, words), `{"type":"chat/responsePart","turnId":"t","part":` + resumable + `}`, same},
		{"unlike other parts", `"status":8,` + openTurn(morning), `{"type":"chat/responsePart","turnId":"t","part":` + words + `}`, `"status":8,` + openTurn(morning, words)},
		{"unlike parts that nobody knows", `"status":8,` + openTurn(morning), `{"type":"chat/responsePart","turnId":"t","part":{"kind":"newer"}}`, `"status":8,` + openTurn(morning, `{"kind":"newer"}`)},
	}},
	{"turn resumed", "chat", calm, []reduced{
		{
			"with all that it holds; the chat is unread and has not changed", `"status":98,` + turnList(past("s", "complete", morning, "5", words), past("t", "error", morning, "5", words, resumable)), resume,
			`"status":72,` + turnList(past("s", "complete", morning, "5", words)) + `,` + openTurn(morning, words, resumable),
		},
		{"with a question that was left", `"status":2,` + turnList(past("t", "error", morning, "5", question, resumable)), resume, `"status":24,` + openTurn(morning, question, resumable)},
		{
			"without a begin: as of when the chat last changed", `"status":2,"turns":[{"id":"t",` + hi + `,"responseParts":[` + resumable + `],"usage":{"inputTokens":3},"state":"error"}]`, resume,
			`"status":8,"activeTurn":{"id":"t","startedAt":"2026-01-01T00:00:00.000Z",` + hi + `,"responseParts":[` + resumable + `],"usage":{"inputTokens":3}}`,
		},
		{"that failed for good", `"status":2,` + turnList(past("t", "error", morning, "5", final)), resume, same},
		{"with something behind the failure", `"status":2,` + turnList(past("t", "error", morning, "5", resumable, words)), resume, same},
		{"without parts", `"status":2,` + turnList(past("t", "error", morning, "5")), resume, same},
		{"that did not fail", `"status":1,` + turnList(past("t", "complete", morning, "5", resumable)), resume, same},
		{"that is not the last", `"status":1,` + turnList(past("t", "error", morning, "5", resumable), past("u", "complete", morning, "5")), resume, same},
		{"while one is open", `"status":8,` + turnList(past("t", "error", morning, "5", resumable)) + `,"activeTurn":{"id":"u","startedAt":"b",` + hi + `,"responseParts":[]}`, resume, same},
		{"of an empty history", "", resume, same},
	}},
	{"work in the background", "chat", calm, []reduced{
		{"the first", "", `{"type":"chat/backgroundWorkSet","work":` + shell + `}`, `"backgroundWork":[` + shell + `]`},
		{"one more", `"backgroundWork":[` + subagent + `]`, `{"type":"chat/backgroundWorkSet","work":` + shell + `}`, `"backgroundWork":[` + join(subagent, shell) + `]`},
		{"told anew", `"backgroundWork":[` + join(shell, subagent) + `]`, `{"type":"chat/backgroundWorkSet","work":` + reshell + `}`, `"backgroundWork":[` + join(reshell, subagent) + `]`},
		{"in place of a kind that nobody knows", `"backgroundWork":[` + join(newWork, subagent) + `]`, `{"type":"chat/backgroundWorkSet","work":` + shell + `}`, `"backgroundWork":[` + join(shell, subagent) + `]`},
		{"done: the list stays", `"backgroundWork":[` + shell + `]`, `{"type":"chat/backgroundWorkRemoved","id":"w"}`, `"backgroundWork":[]`},
		{"done, of a kind that nobody knows", `"backgroundWork":[` + join(newWork, subagent) + `]`, `{"type":"chat/backgroundWorkRemoved","id":"w"}`, `"backgroundWork":[` + subagent + `]`},
		{"done that was not there", `"backgroundWork":[]`, `{"type":"chat/backgroundWorkRemoved","id":"w"}`, same},
		{"done where there is none", "", `{"type":"chat/backgroundWorkRemoved","id":"w"}`, same},
	}},
	{"what a chat tells", "chat", calm, []reduced{
		{"it can be moved", "", `{"type":"chat/movableChanged","movable":true}`, `"movable":true`},
		{"it cannot be moved", `"movable":true`, `{"type":"chat/movableChanged","movable":false}`, `"movable":false`},
		{"other canvases", `"canvases":[{"resource":"r"}]`, `{"type":"chat/canvasesChanged","canvases":[{"resource":"s"}]}`, `"canvases":[{"resource":"s"}]`},
		{"no canvases any more", `"canvases":[{"resource":"r"}]`, `{"type":"chat/canvasesChanged"}`, `"status":1`},
		{"an empty list of changesets", "", `{"type":"chat/changesetsChanged","changesets":[]}`, `"changesets":[]`},
		{"no changesets any more", `"changesets":[]`, `{"type":"chat/changesetsChanged"}`, `"status":1`},
		{"it is read", `"status":8`, `{"type":"chat/isReadChanged","isRead":true}`, `"status":40`},
		{"it is unread", `"status":104`, `{"type":"chat/isReadChanged","isRead":false}`, `"status":72`},
		{"it is archived", `"status":24`, `{"type":"chat/isArchivedChanged","isArchived":true}`, `"status":88`},
		{"it is in use", `"status":72`, `{"type":"chat/isArchivedChanged","isArchived":false}`, `"status":8`},
	}},
}
