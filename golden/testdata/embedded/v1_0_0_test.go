// Tests of the reducers of AHP 1.0.0 that follow other rules than those of 0.7.0, or are new.

package embedded

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	wire "embedded/v1_0_0"
	codec "embedded/wire"
)

type pointer[S any] interface {
	*S
	codec.Decodable
}

// reduce applies an action to a state, both as JSON.
func reduce[S any, P pointer[S], A wire.StateAction](t *testing.T, by func(*wire.Reducer, P, A) P, state, action string) string {
	t.Helper()
	s, err := wire.Decode[S, P]([]byte(state))
	if err != nil {
		t.Fatalf("%s: %v", state, err)
	}
	decoded, err := wire.DecodeStateAction([]byte(action))
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	a, ok := decoded.(A)
	if !ok {
		t.Fatalf("%s is %T", action, decoded)
	}
	r := &wire.Reducer{Now: func() time.Time { return time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC) }}
	before := encode(t, s)
	next := by(r, s, a)
	if after := encode(t, s); after != before {
		t.Errorf("%s changed the state that it was applied to:\n%s\n%s", action, before, after)
	}
	return encode(t, next)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func same(t *testing.T, what, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if x, y := encode(t, a), encode(t, b); !bytes.Equal([]byte(x), []byte(y)) {
		t.Errorf("%s\nwant %s\ngot  %s", what, x, y)
	}
}

// each runs cases of state, action and what becomes of the state, "" for nothing. All states have the rest too. %% stands where the state has members
// that do not matter.
func each[S any, P pointer[S], A wire.StateAction](t *testing.T, by func(*wire.Reducer, P, A) P, rest string, cases [][3]string) {
	t.Helper()
	for _, c := range cases {
		full := func(members string) string {
			if rest == "" {
				return "{" + members + "}"
			}
			return "{" + members + "," + rest + "}"
		}
		want := c[2]
		if want == "" {
			want = c[0]
		}
		same(t, c[0]+" "+c[1], full(want), reduce(t, by, full(c[0]), c[1]))
	}
}

const (
	chatA = `{"resource":"a","title":"A","status":1,"modifiedAt":"t"}`
	chatB = `{"resource":"b","title":"B","status":1,"modifiedAt":"t"}`
	chatC = `{"resource":"c","title":"C","status":1,"modifiedAt":"t"}`
)

func TestSession(t *testing.T) {
	each(t, (*wire.Reducer).Session, `"provider":"p","title":"T","lifecycle":"ready","activeClients":[],"status":1`, [][3]string{
		{`"chats":[` + chatA + `,` + chatB + `,` + chatC + `],"defaultChat":"a"`, `{"type":"session/chatsReordered","chats":["c","a","b"]}`, `"chats":[` + chatC + `,` + chatA + `,` + chatB + `],"defaultChat":"a"`},
		{`"chats":[` + chatA + `,` + chatB + `]`, `{"type":"session/chatsReordered","chats":["b"]}`, ""},
		{`"chats":[` + chatA + `,` + chatB + `]`, `{"type":"session/chatsReordered","chats":["b","b"]}`, ""},
		{`"chats":[` + chatA + `,` + chatB + `]`, `{"type":"session/chatsReordered","chats":["b","c"]}`, ""},
		{`"chats":[` + chatA + `,` + chatB + `]`, `{"type":"session/chatsReordered","chats":["a","b"]}`, ""},

		{`"chats":[]`, `{"type":"session/workingDirectoryReplaced","directory":"a","replacement":"b"}`, ""},
		{`"chats":[],"workingDirectories":["x","a","y"]`, `{"type":"session/workingDirectoryReplaced","directory":"a","replacement":"b"}`, `"chats":[],"workingDirectories":["x","b","y"]`},
		{`"chats":[],"workingDirectories":["x","b","a","y"]`, `{"type":"session/workingDirectoryReplaced","directory":"a","replacement":"b"}`, `"chats":[],"workingDirectories":["x","b","y"]`},
		{`"chats":[],"workingDirectories":["a","x","b","y"]`, `{"type":"session/workingDirectoryReplaced","directory":"a","replacement":"b"}`, `"chats":[],"workingDirectories":["b","x","y"]`},
		{`"chats":[],"workingDirectories":["a","x"]`, `{"type":"session/workingDirectoryReplaced","directory":"a","replacement":"a"}`, ""},
		{`"chats":[],"workingDirectories":["x"]`, `{"type":"session/workingDirectoryReplaced","directory":"a","replacement":"b"}`, ""},

		{`"chats":[` + chatA + `]`, `{"type":"session/chatUpdated","chat":"a","changes":{"movable":true,"changes":{"files":2}}}`, `"chats":[{"resource":"a","title":"A","status":1,"modifiedAt":"t","movable":true,"changes":{"files":2}}]`},
		{`"chats":[]`, `{"type":"session/customizationToggled","id":"x","enablement":[]}`, ""},
	})
	each(t, (*wire.Reducer).Session, `"provider":"p","title":"T","activeClients":[],"chats":[],"status":1`, [][3]string{
		{`"lifecycle":"creating"`, `{"type":"session/creationFailed","error":{"errorType":"e","message":"m"}}`, `"lifecycle":"failed","creationError":{"errorType":"e","message":"m"}`},
	})
}

func TestCustomizations(t *testing.T) {
	const (
		at     = `"uri":"u","name":"n",`
		global = `[{"kind":"global","enabled":false}]`
		newer  = `[{"kind":"planet","enabled":false},{"kind":"global","enabled":true}]`
	)
	toggle := func(id, enablement string) string {
		return `{"type":"session/customizationToggled","id":"` + id + `","enablement":` + enablement + `}`
	}
	list := func(items string) string { return `"customizations":[` + items + `]` }
	plugin := func(more string) string { return `{"type":"plugin","id":"p",` + at + more[1:] + `}` }
	server := func(more string) string {
		return `{"type":"mcpServer","id":"s",` + at + `"state":{"kind":"ready"}` + more + `}`
	}
	starting := func(more string) string {
		return `{"type":"mcpServer","id":"s",` + at + `"channel":"mcp://1","state":{"kind":"starting"` + more + `}}`
	}
	directory := func(more string) string {
		return `{"type":"directory","id":"d",` + at + `"contents":"skill","writable":false` + more + `}`
	}
	each(t, (*wire.Reducer).Session, `"provider":"p","title":"T","lifecycle":"ready","activeClients":[],"chats":[],"status":1`, [][3]string{
		{list(plugin(`,"version":"1"`)), toggle("p", global), list(plugin(`,"version":"1","enablement":` + global))},
		{list(plugin(`,"version":"1","enablement":` + global)), toggle("p", `[]`), list(plugin(`,"version":"1"`))},
		{list(server("")), toggle("s", global), list(server(`,"enablement":` + global))},
		{list(directory(`,"enabled":true`)), toggle("d", global), list(directory(`,"enabled":false`))},
		{list(directory(`,"enabled":true`)), toggle("d", newer), list(directory(`,"enabled":false`))},
		{list(directory(`,"enabled":false`)), toggle("d", `[]`), list(directory(`,"enabled":true`))},
		{list(directory(`,"enabled":true,"children":[{"type":"skill","id":"k",` + at[:len(at)-1] + `}]`)), toggle("k", global), list(directory(`,"enabled":true,"children":[{"type":"skill","id":"k",` + at + `"enabled":false}]`))},
		{list(directory(`,"enabled":true,"children":[` + server("") + `]`)), toggle("s", global), list(directory(`,"enabled":true,"children":[` + server(`,"enablement":`+global) + `]`))},
		{list(`{"type":"newer","id":"w","x":1}`), toggle("w", global), list(`{"type":"newer","id":"w","x":1,"enabled":false}`)},
		{list(plugin(`,"version":"1"`)), toggle("q", global), ""},

		{list(starting(`,"blocking":true`)), `{"type":"session/mcpServerBackgroundRequested","id":"s"}`, list(starting(`,"blocking":false`))},
		{list(directory(`,"enabled":true,"children":[` + starting(`,"blocking":true`) + `]`)), `{"type":"session/mcpServerBackgroundRequested","id":"s"}`, list(directory(`,"enabled":true,"children":[` + starting(`,"blocking":false`) + `]`))},
		{list(starting("")), `{"type":"session/mcpServerBackgroundRequested","id":"s"}`, ""},
		{list(server("")), `{"type":"session/mcpServerBackgroundRequested","id":"s"}`, ""},
		{list(directory(`,"enabled":true`)), `{"type":"session/mcpServerBackgroundRequested","id":"d"}`, ""},
	})
}

func TestInputNeeded(t *testing.T) {
	const (
		run     = `{"kind":"toolClientExecution","id":"r","chat":"c","turnId":"t","clientId":"x","toolCall":{"status":"running","toolCallId":"k","toolName":"n","displayName":"N","invocationMessage":"m","confirmed":"not-needed"}}`
		ask     = `{"kind":"chatInput","id":"a","chat":"c","request":{"id":"q"}}`
		unknown = `{"kind":"newer","id":"u"}`
		asRun   = `{"kind":"chatInput","id":"r","chat":"c","request":{"id":"q"}}`
	)
	set := func(request string) string { return `{"type":"session/inputNeededSet","request":` + request + `}` }
	removed := func(id string) string { return `{"type":"session/inputNeededRemoved","id":"` + id + `"}` }
	each(t, (*wire.Reducer).Session, `"provider":"p","title":"T","lifecycle":"ready","activeClients":[],"chats":[]`, [][3]string{
		{`"status":40`, set(run), `"status":40,"inputNeeded":[` + run + `]`},
		{`"status":40`, set(ask), `"status":56,"inputNeeded":[` + ask + `]`},
		{`"status":33`, set(unknown), `"status":56,"inputNeeded":[` + unknown + `]`},
		{`"status":24,"inputNeeded":[` + ask + `]`, set(run), `"status":24,"inputNeeded":[` + ask + `,` + run + `]`},
		{`"status":24,"inputNeeded":[` + asRun + `]`, set(run), `"status":8,"inputNeeded":[` + run + `]`},
		{`"status":24,"inputNeeded":[` + ask + `,` + run + `]`, removed("a"), `"status":8,"inputNeeded":[` + run + `]`},
		{`"status":24,"inputNeeded":[` + ask + `,` + unknown + `]`, removed("a"), `"status":24,"inputNeeded":[` + unknown + `]`},
		{`"status":24,"inputNeeded":[` + unknown + `]`, removed("u"), `"status":8`},
		{`"status":24,"inputNeeded":[` + ask + `]`, removed("z"), ""},
	})
}

func TestChat(t *testing.T) {
	const (
		message = `"message":{"text":"hi","origin":{"kind":"user"}}`
		failure = `{"kind":"error","error":{"errorType":"e","message":"m"},"resumable":true}`
		final   = `{"kind":"error","error":{"errorType":"e","message":"m"}}`
		text    = `{"kind":"markdown","id":"p","content":"x"}`
		asked   = `{"kind":"inputRequest","request":{"id":"q"}}`
		pending = `{"kind":"toolCall","toolCall":{"status":"running","toolCallId":"k","toolName":"n","displayName":"N","invocationMessage":"m","confirmed":"not-needed"}}`
		skipped = `{"kind":"toolCall","toolCall":{"status":"cancelled","toolCallId":"k","toolName":"n","displayName":"N","invocationMessage":"m","reason":"skipped"}}`
	)
	turn := func(id, state, parts string) string {
		return `{"id":"` + id + `","startedAt":"b","duration":5,` + message + `,"responseParts":[` + parts + `],"state":"` + state + `"}`
	}
	open := func(id, parts string) string {
		return `"activeTurn":{"id":"` + id + `","startedAt":"b",` + message + `,"responseParts":[` + parts + `]}`
	}
	const (
		old = `"modifiedAt":"old"`
		now = `"modifiedAt":"2026-10-02T08:00:00.000Z"`
	)
	resume := func(id string) string { return `{"type":"chat/turnResume","turnId":"` + id + `"}` }
	each(t, (*wire.Reducer).Chat, `"resource":"c","title":"T"`, [][3]string{
		{`"status":40,"turns":[],` + old + `,` + open("t", text+`,`+pending), `{"type":"chat/error","turnId":"t","duration":5,"part":` + failure + `}`, `"status":34,` + now + `,"turns":[` + turn("t", "error", text+`,`+skipped+`,`+failure) + `]`},
		{`"status":40,"turns":[],` + old + `,` + open("t", text), `{"type":"chat/error","turnId":"u","duration":5,"part":` + failure + `}`, ""},
		{`"status":40,"turns":[],` + old + `,` + open("t", text), `{"type":"chat/turnComplete","turnId":"t","duration":5}`, `"status":33,` + now + `,"turns":[` + turn("t", "complete", text) + `]`},

		{`"status":34,"turns":[` + turn("s", "complete", text) + `,` + turn("t", "error", text+`,`+failure) + `],` + old, resume("t"), `"status":8,"turns":[` + turn("s", "complete", text) + `],` + old + `,` + open("t", text+`,`+failure)},
		{`"status":2,"turns":[` + turn("t", "error", asked+`,`+failure) + `],` + old, resume("t"), `"status":24,"turns":[],` + old + `,` + open("t", asked+`,`+failure)},
		{`"status":2,"turns":[{"id":"t",` + message + `,"responseParts":[` + failure + `],"state":"error"}],` + old, resume("t"), `"status":8,"turns":[],` + old + `,"activeTurn":{"id":"t","startedAt":"old",` + message + `,"responseParts":[` + failure + `]}`},
		{`"status":2,"turns":[` + turn("t", "error", final) + `],` + old, resume("t"), ""},
		{`"status":2,"turns":[` + turn("t", "error", failure+`,`+text) + `],` + old, resume("t"), ""},
		{`"status":2,"turns":[` + turn("t", "complete", failure) + `],` + old, resume("t"), ""},
		{`"status":2,"turns":[` + turn("t", "error", failure) + `,` + turn("u", "complete", text) + `],` + old, resume("t"), ""},
		{`"status":8,"turns":[` + turn("t", "error", failure) + `],` + old + `,` + open("u", text), resume("t"), ""},
		{`"status":1,"turns":[],` + old, resume("t"), ""},

		{`"status":1,"turns":[],` + old, `{"type":"chat/backgroundWorkSet","work":{"kind":"shell","id":"w","label":"l","startedAt":"s","command":"c"}}`, `"status":1,"turns":[],` + old + `,"backgroundWork":[{"kind":"shell","id":"w","label":"l","startedAt":"s","command":"c"}]`},
		{`"status":1,"turns":[],` + old + `,"backgroundWork":[{"kind":"newer","id":"w"},{"kind":"subagent","id":"x","label":"l","startedAt":"s","chat":"c"}]`, `{"type":"chat/backgroundWorkSet","work":{"kind":"shell","id":"w","label":"l","startedAt":"s","command":"c"}}`, `"status":1,"turns":[],` + old + `,"backgroundWork":[{"kind":"shell","id":"w","label":"l","startedAt":"s","command":"c"},{"kind":"subagent","id":"x","label":"l","startedAt":"s","chat":"c"}]`},
		{`"status":1,"turns":[],` + old + `,"backgroundWork":[{"kind":"shell","id":"w","label":"l","startedAt":"s","command":"c"}]`, `{"type":"chat/backgroundWorkRemoved","id":"w"}`, `"status":1,"turns":[],` + old + `,"backgroundWork":[]`},
		{`"status":1,"turns":[],` + old + `,"backgroundWork":[]`, `{"type":"chat/backgroundWorkRemoved","id":"w"}`, ""},
		{`"status":1,"turns":[],` + old, `{"type":"chat/movableChanged","movable":true}`, `"status":1,"turns":[],` + old + `,"movable":true`},
		{`"status":1,"turns":[],` + old + `,"canvases":[{"resource":"r"}]`, `{"type":"chat/canvasesChanged"}`, `"status":1,"turns":[],` + old},
		{`"status":1,"turns":[],` + old, `{"type":"chat/changesetsChanged","changesets":[]}`, `"status":1,"turns":[],` + old + `,"changesets":[]`},
		{`"status":8,"turns":[],` + old, `{"type":"chat/isReadChanged","isRead":true}`, `"status":40,"turns":[],` + old},
		{`"status":72,"turns":[],` + old, `{"type":"chat/isArchivedChanged","isArchived":false}`, `"status":8,"turns":[],` + old},
	})
}

func TestOtherChannels(t *testing.T) {
	each(t, (*wire.Reducer).Terminal, `"title":"T","content":[],"claim":{"kind":"client","clientId":"c"}`, [][3]string{
		{`"lifecycle":{"status":"running"}`, `{"type":"terminal/exited","exitCode":3}`, `"lifecycle":{"status":"exited","exitCode":3}`},
		{`"lifecycle":{"status":"running"}`, `{"type":"terminal/exited"}`, `"lifecycle":{"status":"exited"}`},
	})
	each(t, (*wire.Reducer).Canvas, `"instanceId":"i","extensionId":"e","canvasId":"k"`, [][3]string{
		{`"title":"T","url":"u"`, `{"type":"canvas/stateChanged","canvas":{"instanceId":"i","extensionId":"e","canvasId":"k","status":"s"}}`, `"status":"s"`},
	})
	each(t, (*wire.Reducer).Changeset, `"files":[]`, [][3]string{
		{`"status":"error","error":{"errorType":"e","message":"m"},"operations":[]`, `{"type":"changeset/contentChanged","files":[]}`, ""},
	})
	each(t, (*wire.Reducer).Annotations, "", [][3]string{
		{`"annotations":[{"id":"a","origin":{"session":"s"},"resource":"r","resolved":false,"entries":[]}]`, `{"type":"annotations/updated","annotationId":"a","origin":{"session":"s","turnId":"t"}}`, `"annotations":[{"id":"a","origin":{"session":"s","turnId":"t"},"resource":"r","resolved":false,"entries":[]}]`},
	})
	const definition = `"definition":{"title":"T","message":{"text":"hi","origin":{"kind":"automation"}},"session":{},"enabled":true,"triggers":[]},"runs":[],"operations":[],"createdAt":"c"`
	entry := func(id, modified string) string {
		return `{"resource":"` + id + `",` + definition + `,"modifiedAt":"` + modified + `"}`
	}
	each(t, (*wire.Reducer).Automation, `"_meta":{}`, [][3]string{
		{`"entries":[` + entry("a", "1") + `,` + entry("b", "1") + `]`, `{"type":"automation/set","automation":` + entry("a", "2") + `}`, `"entries":[` + entry("a", "2") + `,` + entry("b", "1") + `]`},
		{`"entries":[]`, `{"type":"automation/set","automation":` + entry("a", "2") + `}`, `"entries":[` + entry("a", "2") + `]`},
		{`"entries":[` + entry("a", "1") + `]`, `{"type":"automation/removed","resource":"a"}`, `"entries":[]`},
		{`"entries":[` + entry("a", "1") + `]`, `{"type":"automation/removed","resource":"b"}`, ""},
		{`"entries":[` + entry("a", "1") + `]`, `{"type":"automation/updateRequested","resource":"a","changes":{"enabled":false}}`, ""},
	})
	each(t, (*wire.Reducer).AutomationRun, `"resource":"r","automation":"a","origin":{"kind":"manual"}`, [][3]string{
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[]`, `{"type":"automationRun/lifecycleChanged","lifecycle":{"status":"running","createdAt":"c","startedAt":"s"}}`, `"lifecycle":{"status":"running","createdAt":"c","startedAt":"s"},"sessions":[]`},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["x"]`, `{"type":"automationRun/sessionSet","session":"y"}`, `"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["x","y"]`},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["x"]`, `{"type":"automationRun/sessionSet","session":"x"}`, ""},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["x","y"],"primarySession":"x"`, `{"type":"automationRun/sessionRemoved","session":"x"}`, `"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["y"]`},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["x","y"],"primarySession":"x"`, `{"type":"automationRun/sessionRemoved","session":"y"}`, `"lifecycle":{"status":"pending","createdAt":"c"},"sessions":["x"],"primarySession":"x"`},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[],"primarySession":"x"`, `{"type":"automationRun/sessionRemoved","session":"x"}`, ""},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[]`, `{"type":"automationRun/primarySessionChanged","primarySession":"x"}`, `"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[],"primarySession":"x"`},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[],"primarySession":"x"`, `{"type":"automationRun/primarySessionChanged"}`, `"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[]`},
		{`"lifecycle":{"status":"pending","createdAt":"c"},"sessions":[]`, `{"type":"automationRun/cancelRequested"}`, ""},
	})
}
