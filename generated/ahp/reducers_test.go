// What reducers do where the fixtures of the protocol do not look. States and actions are JSON, as on
// the wire; members that a case is not about are filled in. The tests of tool calls and of
// customizations have files of their own.

package ahp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// same, as the wanted state, is the state itself: not a copy of it.
const same = ""

// reduced is a case: what an action makes of a state. The wanted state holds only what differs from the
// members that are filled in; one that must be absent is not in it.
type reduced struct {
	name, state, action, want string
}

// lastModified is when the chats that are filled in last changed, turnStart when the open turn began, and turnEnd when it
// ends that takes 70 ms. The clock says something else.
const (
	lastModified = "1970-01-01T00:00:02.000Z"
	turnStart    = "1970-01-01T00:00:05.000Z"
	turnEnd      = "1970-01-01T00:00:05.070Z"
)

// fixtureClock is the time at which the actions of the cases arrive.
func fixtureClock() time.Time { return time.UnixMilli(9999) }

// unmoved is when a chat last changed after an action that does not say when.
var unmoved = stamped("")

func TestInputNeededRemoved(t *testing.T) {
	const (
		chat    = `{"kind":"chatInput","id":"a","chat":"ahp-chat:/1","request":{"id":"r"}}`
		execute = `{"kind":"toolClientExecution","id":"b","chat":"ahp-chat:/1","turnId":"t1","clientId":"c","toolCall":` + running + `}`
		confirm = `{"kind":"toolConfirmation","id":"c","chat":"ahp-chat:/1","turnId":"t1","toolCall":` + pending + `}`
		signIn  = `{"kind":"toolAuthentication","id":"d","chat":"ahp-chat:/1","turnId":"t1","toolCall":` + stopped + `}`
		unknown = `{"kind":"hologram","id":"e","depth":[1,2]}`
		noID    = `{"kind":"hologram","depth":[1,2]}`
		all     = chat + "," + execute + "," + confirm + "," + signIn + "," + unknown
	)
	waiting := func(status string, requests ...string) string {
		return object(status, `"inputNeeded":[`+join(requests...)+`]`)
	}
	remove := func(id string) string { return `{"type":"session/inputNeededRemoved","id":"` + id + `"}` }
	session(t, []reduced{
		{"no list", object(status(needsInput)), remove("a"), same},
		{"no such id", waiting(status(needsInput), all), remove("x"), same},
		{"a kind without id has none, not an empty one", waiting(status(needsInput), noID), remove(""), same},
		{"answer to a chat", waiting(status(needsInput), all), remove("a"), waiting(status(needsInput), execute, confirm, signIn, unknown)},
		{"execution", waiting(status(needsInput), all), remove("b"), waiting(status(needsInput), chat, confirm, signIn, unknown)},
		{"confirmation", waiting(status(needsInput), all), remove("c"), waiting(status(needsInput), chat, execute, signIn, unknown)},
		{"signing in", waiting(status(needsInput), all), remove("d"), waiting(status(needsInput), chat, execute, confirm, unknown)},
		{"unknown kind", waiting(status(needsInput), all), remove("e"), waiting(status(needsInput), chat, execute, confirm, signIn)},
		{"only the first of two with the id", waiting(status(needsInput), chat, unknown, chat), remove("a"), waiting(status(needsInput), unknown, chat)},
		{"the last one takes the list and one bit with it", waiting(status(needsInput), chat), remove("a"), object(status(atWork))},
		{"the status comes right while one is left", waiting(status(idle), chat, unknown), remove("a"), waiting(status(needsInput), unknown)},
		{"other flags stay, bit 31 included", waiting(status(needsInput, read, archived, future), chat, unknown), remove("a"), waiting(status(needsInput, read, archived, future), unknown)},
		{"other flags stay with the last one too", waiting(status(needsInput, read, archived, future), chat), remove("a"), object(status(atWork, read, archived, future))},
	})
}

func TestTurnStarted(t *testing.T) {
	start := func(members string) string {
		return `{"type":"chat/turnStarted","turnId":"t2","startedAt":"later","message":{"text":"Go","origin":{"kind":"user"}}` + members + `}`
	}
	started := `"activeTurn":{"id":"t2","startedAt":"later","message":{"text":"Go","origin":{"kind":"user"}},"responseParts":[]},` + stamped("later")
	const (
		q1 = `{"id":"q1","message":{"text":"one","origin":{"kind":"user"}}}`
		q2 = `{"id":"q2","message":{"text":"two","origin":{"kind":"user"}}}`
	)
	chat(t, []reduced{
		{"takes the place of an open turn", object(status(needsInput), turn(open("r"))), start(""), object(status(atWork), started)},
		{"unread and no longer failed; other flags stay", object(status(failed, read, archived, future)), start(""), object(status(atWork, archived, future), started)},
		{"leaves waiting messages alone", `{"steeringMessage":` + q1 + `,"queuedMessages":[` + q2 + `]}`, start(""), object(status(atWork) + `,"steeringMessage":` + q1 + `,"queuedMessages":[` + q2 + `],` + started)},
		{"takes a message out of the queue, however often it is there", `{"queuedMessages":[` + join(q1, q2, q1) + `]}`, start(`,"queuedMessageId":"q1"`), object(status(atWork) + `,"queuedMessages":[` + q2 + `],` + started)},
		{"an emptied queue is absent", `{"queuedMessages":[` + q1 + `]}`, start(`,"queuedMessageId":"q1"`), object(status(atWork), started)},
		{"and so is one that was empty", `{"queuedMessages":[]}`, start(`,"queuedMessageId":"q1"`), object(status(atWork), started)},
		{"unless no message was waiting", `{"queuedMessages":[]}`, start(""), object(status(atWork) + `,"queuedMessages":[],` + started)},
		{"takes the steering message", `{"steeringMessage":` + q1 + `}`, start(`,"queuedMessageId":"q1"`), object(status(atWork), started)},
		{"but no other", `{"steeringMessage":` + q1 + `}`, start(`,"queuedMessageId":"q2"`), object(status(atWork)+`,"steeringMessage":`+q1, started)},
	})
}

func TestTurnEnd(t *testing.T) {
	markdown := `{"kind":"markdown","id":"p","content":"x"}`
	failedTurn, failing := failure(markdown)
	end := func(how, turn string) string {
		return `{"type":"chat/` + how + `","turnId":"` + turn + `","duration":70,` + failing + `}`
	}
	ended := func(members string) string {
		return `"turns":[{"id":"t1","startedAt":"` + turnStart + `","duration":70,"message":{"text":"Hi","origin":{"kind":"user"}},` + members + `}],` + stamped(turnEnd)
	}
	history := func(state string, parts ...string) string {
		return ended(`"responseParts":[` + join(parts...) + `],` + state)
	}
	chat(t, []reduced{
		{"complete", object(status(atWork, read, archived), turn()), end("turnComplete", "t1"), object(status(idle, read, archived), history(`"state":"complete"`))},
		{"cancelled", object(status(atWork, read, archived), turn()), end("turnCancelled", "t1"), object(status(idle, read, archived), history(`"state":"cancelled"`))},
		{"failed", object(status(atWork, read, archived), turn(markdown)), end("error", "t1"), object(status(failed, read, archived), ended(failedTurn))},
		{"another turn failed", object(status(atWork), turn()), end("error", "t2"), same},
		{"another turn is open", object(status(atWork), turn()), end("turnComplete", "t2"), same},
		{"no turn is open", object(status(idle)), end("turnComplete", "t1"), same},
		{"what was asked stays open in the history", object(status(needsInput), turn(open("r"))), end("turnComplete", "t1"), object(status(idle), history(`"state":"complete"`, open("r")))},
		{"unknown parts stay", object(status(atWork), turn(`{"kind":"canvas","toolCall":{"status":"running"}}`)), end("turnComplete", "t1"), object(status(idle), history(`"state":"complete"`, `{"kind":"canvas","toolCall":{"status":"running"}}`))},
	})
}

func TestTurnEndSkipsCallsThatHaveNotEnded(t *testing.T) {
	const skipped = `{"status":"cancelled","reason":"skipped",` + base
	for _, c := range []struct{ name, call, want string }{
		{"completed stays", completed, completed},
		{"cancelled stays", denied, denied},
		{"streaming", streaming, skipped + `,"invocationMessage":""}`},
		{"streaming, with a line for people", `{"status":"streaming",` + base + `,"invocationMessage":"I","partialInput":"{"}`, skipped + `,"invocationMessage":"I"}`},
		{"waiting", pending, skipped + `,"invocationMessage":"I","toolInput":"in"}`},
		{"running; the option that was picked goes", running, skipped + `,"invocationMessage":"I","toolInput":"in"}`},
		{"result to be reviewed", review, skipped + `,"invocationMessage":"I","toolInput":"in"}`},
		{"stopped", stopped, skipped + `,"invocationMessage":"I","toolInput":"in",` + byServer + `}`},
		{
			"unknown state: what every call has stays",
			`{"status":"paused",` + base + `,"intention":"why","contributor":{"kind":"satellite","orbit":3},"_meta":{"k":"<1>"},"invocationMessage":null,"toolInput":"in","until":5}`,
			skipped + `,"intention":"why","contributor":{"kind":"satellite","orbit":3},"_meta":{"k":"<1>"},"invocationMessage":"","toolInput":"in"}`,
		},
		{"unknown state without what every call has", `{"status":"paused","toolCallId":7}`, `{"status":"paused","toolCallId":7}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, err := ahp.Decode[ahp.ChatState](filled(t, chatDefaults, object(turn(call(c.call)))))
			require.NoError(t, err)
			next := new(ahp.Reducer).Chat(state, &ahp.ChatTurnCompleteAction{TurnID: "t1"})
			require.Nil(t, next.ActiveTurn)
			require.JSONEq(t, call(c.want), string(encode(t, next.Turns[0].ResponseParts[0])))
		})
	}
}

func TestTruncated(t *testing.T) {
	const all = `{"type":"chat/truncated"}`
	after := func(id string) string { return `{"type":"chat/truncated","turnId":"` + id + `"}` }
	chat(t, []reduced{
		{"all", object(status(failed, read, archived, future) + `,"turnsNextCursor":"x",` + turns("a", "b")), all, object(status(idle, read, archived, future) + `,"turns":[],` + unmoved)},
		{"all, with a turn open", object(status(needsInput), turns("a"), turn(open("r"))), all, object(status(idle) + `,"turns":[],` + unmoved)},
		{"behind the first turn with the id", object(status(idle) + `,"turnsNextCursor":"x",` + turns("a", "b", "a", "c")), after("a"), object(status(idle)+`,"turnsNextCursor":"x",`+turns("a"), unmoved)},
		{"behind the last turn there is the open one", object(status(atWork), turns("a", "b"), turn()), after("b"), object(status(idle), turns("a", "b"), unmoved)},
		{"unknown turn", object(status(atWork), turns("a"), turn()), after("t1"), same},
	})
}

func TestTurnsLoaded(t *testing.T) {
	load := func(members string) string { return `{"type":"chat/turnsLoaded",` + members + `}` }
	chat(t, []reduced{
		{"in front, duplicates of the page included", `{"turnsNextCursor":"x",` + turns("c") + `}`, load(turns("a", "b", "a", "c")), object(turns("a", "b", "a", "c"))},
		{"only the mark moves", `{"turnsNextCursor":"x",` + turns("a") + `}`, load(turns("a") + `,"turnsNextCursor":"y"`), `{"turnsNextCursor":"y",` + turns("a") + `}`},
		{"only the mark goes", `{"turnsNextCursor":"x",` + turns("a") + `}`, load(turns()), object(turns("a"))},
		{"nothing new", `{"turnsNextCursor":"x",` + turns("a") + `}`, load(turns("a") + `,"turnsNextCursor":"x"`), same},
		{"nothing at all", object(turns("a")), load(turns()), same},
	})
}

func TestPendingMessages(t *testing.T) {
	message := func(id, text string) string {
		return `{"id":"` + id + `","message":{"text":"` + text + `","origin":{"kind":"user"}}}`
	}
	set := func(kind, id, text string) string {
		return `{"type":"chat/pendingMessageSet","kind":"` + kind + `",` + message(id, text)[1:]
	}
	remove := func(kind, id string) string {
		return `{"type":"chat/pendingMessageRemoved","kind":"` + kind + `","id":"` + id + `"}`
	}
	order := func(ids string) string { return `{"type":"chat/queuedMessagesReordered","order":[` + ids + `]}` }
	queue := func(ids ...string) string {
		list := make([]string, len(ids))
		for i, id := range ids {
			list[i] = message(id, "text of "+id)
		}
		return `"queuedMessages":[` + join(list...) + `]`
	}
	chat(t, []reduced{
		{"steering takes the place of another", `{"steeringMessage":` + message("a", "A") + `}`, set("steering", "b", "B"), `{"steeringMessage":` + message("b", "B") + `}`},
		{"first of the queue", `{}`, set("queued", "a", "text of a"), object(queue("a"))},
		{"last of the queue", object(queue("a")), set("queued", "b", "text of b"), object(queue("a", "b"))},
		{"again in the queue", `{"queuedMessages":[` + join(message("a", "old"), message("b", "text of b")) + `]}`, set("queued", "a", "text of a"), object(queue("a", "b"))},
		{"of a kind that is not known", object(queue("a")), set("whispered", "b", "B"), same},

		{"steering removed", `{"steeringMessage":` + message("a", "A") + `,` + queue("a") + `}`, remove("steering", "a"), object(queue("a"))},
		{"another one steers", `{"steeringMessage":` + message("a", "A") + `}`, remove("steering", "b"), same},
		{"none steers", object(queue("a")), remove("steering", "a"), same},
		{"all with the id removed from the queue", `{"steeringMessage":` + message("a", "A") + `,` + queue("a", "b", "a") + `}`, remove("queued", "a"), `{"steeringMessage":` + message("a", "A") + `,` + queue("b") + `}`},
		{"an emptied queue is absent", object(queue("a")), remove("queued", "a"), `{}`},
		{"not in the queue", object(queue("a")), remove("queued", "b"), same},
		{"an empty queue stays when nothing is removed", object(queue()), remove("queued", "a"), same},
		{"removed as a kind that is not known", object(queue("a")), remove("whispered", "a"), same},

		{"reordered: listed ones, then the others", object(queue("a", "b", "c", "d")), order(`"d","x","b","d"`), object(queue("d", "b", "a", "c"))},
		{"messages with one id stay together and in order", object(queue("a", "b", "a")), order(`"a"`), object(queue("a", "a", "b"))},
		{"the others stay in order however many they are", object(queue(strings.Split("a b c d e f g h i j k l m n o p q r s t", " ")...)), order(`"t"`), object(queue(strings.Split("t a b c d e f g h i j k l m n o p q r s", " ")...))},
		{"in order already", object(queue("a", "b", "c")), order(`"a","b"`), same},
		{"an empty queue stays", object(queue()), order(`"a"`), same},
		{"no queue", `{}`, order(`"a"`), same},
	})
}

func TestInputRequests(t *testing.T) {
	answer := func(value string) string {
		return `{"state":"draft","value":{"kind":"text","value":"` + value + `"}}`
	}
	request := func(action string) string { return `{"type":"chat/inputRequested","request":{` + action + `}}` }
	change := func(id, question, answer string) string {
		return `{"type":"chat/inputAnswerChanged","requestId":"` + id + `","questionId":"` + question + `"` + answer + `}`
	}
	complete := func(id, answers string) string {
		return `{"type":"chat/inputCompleted","requestId":"` + id + `","response":"accept"` + answers + `}`
	}
	part := func(members string) string { return `{"kind":"inputRequest",` + members + `}` }
	var (
		closed   = part(`"request":{"id":"r"},"response":"accept"`)
		answered = part(`"request":{"id":"r","answers":{"q":` + answer("A") + `}}`)
	)
	chat(t, []reduced{
		{"asked: needs input and is unread", object(status(atWork, read, archived, future), turn()), request(`"id":"r"`), object(status(needsInput, archived, future), turn(open("r")), unmoved)},
		{"asked again: in its place, with its answers", object(status(needsInput), turn(answered, open("s"))), request(`"id":"r","message":"M"`), object(status(needsInput), turn(part(`"request":{"id":"r","message":"M","answers":{"q":`+answer("A")+`}}`), open("s")), unmoved)},
		{"asked again with other answers", object(status(needsInput), turn(answered)), request(`"id":"r","answers":{"p":` + answer("B") + `}`), object(status(needsInput), turn(part(`"request":{"id":"r","answers":{"p":`+answer("B")+`}}`)), unmoved)},
		{"asked again with no answers", object(status(needsInput), turn(answered)), request(`"id":"r","answers":{}`), object(status(needsInput), turn(part(`"request":{"id":"r","answers":{}}`)), unmoved)},
		{"asked again after a response: another part", object(status(atWork), turn(closed)), request(`"id":"r"`), object(status(needsInput), turn(closed, open("r")), unmoved)},
		{"two open ones: the first is replaced", object(status(needsInput), turn(open("r"), open("r"))), request(`"id":"r","message":"M"`), object(status(needsInput), turn(part(`"request":{"id":"r","message":"M"}`), open("r")), unmoved)},
		{"asked while no turn is open", object(status(idle)), request(`"id":"r"`), same},

		{"answered; the status is not worked out anew", object(status(idle, read), turn(open("r"))), change("r", "q", `,"answer":`+answer("A")), object(status(idle, read), turn(answered), unmoved)},
		{"answered otherwise", object(status(needsInput), turn(closed, part(`"request":{"id":"r","answers":{"q":`+answer("B")+`}}`))), change("r", "q", `,"answer":`+answer("A")), object(status(needsInput), turn(closed, answered), unmoved)},
		{"the last answer taken back", object(status(needsInput), turn(answered)), change("r", "q", ``), object(status(needsInput), turn(open("r")), unmoved)},
		{"an answer taken back that was not given", object(status(needsInput), turn(part(`"request":{"id":"r","answers":{}}`))), change("r", "q", ``), object(status(needsInput), turn(open("r")), unmoved)},
		{"answer to what is not asked", object(status(needsInput), turn(answered)), change("x", "q", ``), same},
		{"answer to what is closed", object(status(atWork), turn(closed)), change("r", "q", ``), same},
		{"answer while no turn is open", object(status(idle)), change("r", "q", ``), same},

		{"completed: at work, and as read as before", object(status(needsInput, read), turn(open("r"))), complete("r", ``), object(status(atWork, read), turn(closed), unmoved)},
		{"completed while another is open", object(status(needsInput), turn(open("r"), open("s"))), complete("r", ``), object(status(needsInput), turn(closed, open("s")), unmoved)},
		{"completed with more answers", object(status(needsInput), turn(part(`"request":{"id":"r","answers":{"p":`+answer("A")+`,"q":`+answer("B")+`}}`))), complete("r", `,"answers":{"q":`+answer("C")+`}`), object(status(atWork), turn(part(`"request":{"id":"r","answers":{"p":`+answer("A")+`,"q":`+answer("C")+`}},"response":"accept"`)), unmoved)},
		{"completed without any answers", object(status(needsInput), turn(part(`"request":{"id":"r","answers":{}}`))), complete("r", `,"answers":{}`), object(status(atWork), turn(closed), unmoved)},
		{"completed twice", object(status(atWork), turn(closed)), complete("r", ``), same},
		{"completed while no turn is open", object(status(idle)), complete("r", ``), same},
	})
}

func TestTerminalOutput(t *testing.T) {
	const (
		text    = `{"type":"unclassified","value":"T"}`
		grown   = `{"type":"unclassified","value":"T+"}`
		added   = `{"type":"unclassified","value":"+"}`
		busy    = `{"type":"command","commandId":"a","commandLine":"ls","output":"O","timestamp":5,"isComplete":false}`
		busier  = `{"type":"command","commandId":"a","commandLine":"ls","output":"O+","timestamp":5,"isComplete":false}`
		done    = `{"type":"command","commandId":"a","commandLine":"ls","output":"O","timestamp":5,"isComplete":true}`
		unknown = `{"type":"image","width":3}`
		started = `{"type":"command","commandId":"b","commandLine":"pwd","output":"","timestamp":6,"isComplete":false}`
	)
	content := func(parts ...string) string { return `{"content":[` + join(parts...) + `]}` }
	data := func(s string) string { return `{"type":"terminal/data","data":"` + s + `"}` }
	const run = `{"type":"terminal/commandExecuted","commandId":"b","commandLine":"pwd","timestamp":6}`
	terminal(t, []reduced{
		{"first output", content(), data("+"), content(added)},
		{"behind text", content(busy, text), data("+"), content(busy, grown)},
		{"behind a command at work", content(text, busy), data("+"), content(text, busier)},
		{"behind a command that is done", content(done), data("+"), content(done, added)},
		{"behind something unknown", content(unknown), data("+"), content(unknown, added)},
		{"nothing behind text", content(text), data(""), same},
		{"nothing behind a command at work", content(busy), data(""), same},
		{"nothing where there was nothing", content(), data(""), content(`{"type":"unclassified","value":""}`)},
		{"a command, which no other has to end for", content(busy), run, `{"supportsCommandDetection":true,"content":[` + join(busy, started) + `]}`},
		{"a command though detection was denied", `{"supportsCommandDetection":false,"content":[]}`, run, `{"supportsCommandDetection":true,"content":[` + started + `]}`},
	})
}

// A state may have several successors: an optimistic one beside the confirmed one, for example. None of
// them may write into what another shares with it.
func TestSuccessorsOfOneStateAreIndependent(t *testing.T) {
	state, err := ahp.Decode[ahp.ChatState](filled(t, chatDefaults, object(status(atWork), turn(`{"kind":"markdown","id":"a","content":"A"}`), turns("x"))))
	require.NoError(t, err)
	terminal, err := ahp.Decode[ahp.TerminalState](filled(t, terminalDefaults, `{"content":[{"type":"unclassified","value":"T"}]}`))
	require.NoError(t, err)
	r := &ahp.Reducer{Now: fixtureClock}
	for name, successor := range map[string]func(id string) wire.Appender{
		"part": func(id string) wire.Appender {
			return r.Chat(state, &ahp.ChatToolCallStartAction{TurnID: "t1", ToolCallID: id, ToolName: "n", DisplayName: "d"})
		},
		"request": func(id string) wire.Appender {
			return r.Chat(state, &ahp.ChatInputRequestedAction{Request: ahp.ChatInputRequest{ID: id}})
		},
		"queue": func(id string) wire.Appender {
			return r.Chat(state, &ahp.ChatPendingMessageSetAction{Kind: ahp.PendingMessageKindQueued, ID: id})
		},
		"history": func(id string) wire.Appender {
			next := r.Chat(state, &ahp.ChatTurnStartedAction{TurnID: id})
			return r.Chat(next, &ahp.ChatTurnCompleteAction{TurnID: id})
		},
		"page": func(id string) wire.Appender {
			return r.Chat(state, &ahp.ChatTurnsLoadedAction{Turns: []ahp.Turn{{ID: id}}})
		},
		"output": func(id string) wire.Appender { return r.Terminal(terminal, &ahp.TerminalDataAction{Data: id}) },
		"command": func(id string) wire.Appender {
			return r.Terminal(terminal, &ahp.TerminalCommandExecutedAction{CommandID: id})
		},
	} {
		one := successor("one")
		was := string(encode(t, one))
		two := string(encode(t, successor("two")))
		require.Equal(t, was, string(encode(t, one)), name)
		require.Contains(t, was, "one", name)
		require.Equal(t, strings.ReplaceAll(was, "one", "two"), two, name)
	}
}

func TestNegativeDurationsCountAsZero(t *testing.T) {
	state, err := ahp.Decode[ahp.ChatState](filled(t, chatDefaults, object(turn())))
	require.NoError(t, err)
	for duration, want := range map[int64]int64{-1 << 63: 0, -1: 0, 0: 0, 1<<63 - 1: 1<<63 - 1} {
		next := new(ahp.Reducer).Chat(state, &ahp.ChatTurnCompleteAction{TurnID: "t1", Duration: duration})
		require.Equal(t, want, *next.Turns[0].Duration)
	}
}

// What states are filled up with.
const (
	sessionDefaults = `{"provider":"p","title":"S","status":1,"lifecycle":"ready","activeClients":[],"chats":[]}`
	chatDefaults    = `{"resource":"ahp-chat:/1","title":"C","status":1,"modifiedAt":"` + lastModified + `","turns":[]}`
)

func session(t *testing.T, cases []reduced) {
	t.Helper()
	reduce(t, sessionDefaults, cases, ahp.Decode[ahp.SessionState], (*ahp.Reducer).Session)
}

func chat(t *testing.T, cases []reduced) {
	t.Helper()
	reduce(t, chatDefaults, cases, ahp.Decode[ahp.ChatState], (*ahp.Reducer).Chat)
}

func terminal(t *testing.T, cases []reduced) {
	t.Helper()
	reduce(t, terminalDefaults, cases, ahp.Decode[ahp.TerminalState], (*ahp.Reducer).Terminal)
}

// reduce runs cases. Whatever they want, no action may write to a state.
func reduce[S any, P interface {
	*S
	wire.Appender
}, A ahp.StateAction](t *testing.T, defaults string, cases []reduced, decode func([]byte) (P, error), apply func(*ahp.Reducer, P, A) P) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			state, err := decode(filled(t, defaults, c.state))
			require.NoError(t, err)
			action, err := ahp.DecodeStateAction([]byte(c.action))
			require.NoError(t, err)
			require.Implements(t, (*A)(nil), action)
			stateWas, actionWas := string(encode(t, state)), string(encode(t, action))

			next := apply(&ahp.Reducer{Now: fixtureClock}, state, action.(A))

			require.Equal(t, stateWas, string(encode(t, state)), "the state was written to")
			require.Equal(t, actionWas, string(encode(t, action)), "the action was written to")
			if c.want == same {
				require.Same(t, (*S)(state), (*S)(next), "made %s", encode(t, next))
				return
			}
			require.JSONEq(t, string(filled(t, defaults, c.want)), string(encode(t, next)))
		})
	}
}

// filled returns an object with the members of both; those of the second win.
func filled(t testing.TB, defaults, members string) []byte {
	t.Helper()
	all := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(defaults), &all))
	require.NoError(t, json.Unmarshal([]byte(members), &all), "%s", members)
	out, err := json.Marshal(all)
	require.NoError(t, err)
	return out
}

// The bits of a status: how things stand, and flags, one of which no version has given a meaning yet.
const (
	idle       = 1
	failed     = 2
	atWork     = 8
	needsInput = 24
	read       = 32
	archived   = 64
	future     = 1 << 31
)

// status is a status made of these bits, as a member of a session or chat.
func status(bits ...uint64) string {
	var all uint64
	for _, b := range bits {
		all |= b
	}
	return fmt.Sprintf(`"status":%d`, all)
}

// object is an object of members.
func object(members ...string) string { return "{" + join(members...) + "}" }

func join(items ...string) string { return strings.Join(items, ",") }

// turn is the open turn t1 with these parts, as a member of a chat.
func turn(parts ...string) string {
	return `"activeTurn":{"id":"t1","startedAt":"` + turnStart + `","message":{"text":"Hi","origin":{"kind":"user"}},"responseParts":[` + join(parts...) + `]}`
}

// turns is a history, as a member of a chat or an action.
func turns(ids ...string) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(`{"id":%q,"message":{"text":"Hi","origin":{"kind":"user"}},"responseParts":[],"state":"complete"}`, id)
	}
	return `"turns":[` + join(list...) + `]`
}

// open is the part for a request for input without a response.
func open(id string) string { return `{"kind":"inputRequest","request":{"id":"` + id + `"}}` }

// call is the part for a tool call in a state.
func call(state string) string { return `{"kind":"toolCall","toolCall":` + state + `}` }
