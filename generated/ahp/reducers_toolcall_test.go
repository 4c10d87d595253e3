// What reducers make of tool calls: which action is for which state, and what is kept on the way.

package ahp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// A call in each of its states.
const (
	base      = `"toolCallId":"c","toolName":"grep","displayName":"Search"`
	asked     = base + `,"invocationMessage":"I","toolInput":"in"`
	allowed   = asked + `,"confirmed":"setting","selectedOption":` + yes
	yes       = `{"id":"y","label":"Yes","kind":"approve"}`
	no        = `{"id":"n","label":"No","kind":"deny"}`
	output1   = `"content":[{"type":"text","text":"one"}]`
	output2   = `"content":[{"type":"text","text":"two"}]`
	byServer  = `"contributor":{"kind":"mcp","customizationId":"m"}`
	byClient  = `"contributor":{"kind":"client","clientId":"k"}`
	auth      = `"auth":{"reason":"required","resource":{"resource":"https://example.com"}}`
	streaming = `{"status":"streaming",` + base + `}`
	pending   = `{"status":"pending-confirmation",` + asked + `}`
	running   = `{"status":"running",` + allowed + `,` + output1 + `}`
	served    = `{"status":"running",` + allowed + `,` + byServer + `,` + output1 + `}`
	stopped   = `{"status":"auth-required",` + allowed + `,` + byServer + `,` + auth + `,` + output1 + `}`
	review    = `{"status":"pending-result-confirmation",` + allowed + `,"success":true,"pastTenseMessage":"P",` + output2 + `}`
	completed = `{"status":"completed",` + allowed + `,"success":true,"pastTenseMessage":"P",` + output2 + `}`
	denied    = `{"status":"cancelled",` + asked + `,"reason":"denied"}`
	paused    = `{"status":"paused",` + base + `,"until":5}`
)

// callAction is an action for the call c of turn t1.
func callAction(name, members string) string {
	return `{"type":"chat/toolCall` + name + `","turnId":"t1","toolCallId":"c"` + members + `}`
}

// TestToolCallStates tries every action on every state.
func TestToolCallStates(t *testing.T) {
	states := map[string]string{
		"streaming": streaming, "pending-confirmation": pending, "running": running, "running for a server": served,
		"auth-required": stopped, "pending-result-confirmation": review, "completed": completed, "cancelled": denied,
		"paused": paused,
	}
	waits := map[string]bool{"pending-confirmation": true, "auth-required": true, "pending-result-confirmation": true}
	result := func(success string) string {
		return `,"result":{"success":` + success + `,"pastTenseMessage":"P"}`
	}
	type to map[string]string // from one state to another; all others stay as they are
	for _, c := range []struct {
		name, action string
		to           to
	}{
		{"delta", callAction("Delta", `,"content":"x"`), to{"streaming": "streaming"}},
		{"empty delta", callAction("Delta", ``), nil},
		{"ready", callAction("Ready", `,"invocationMessage":"I"`), to{
			"streaming": "pending-confirmation", "pending-confirmation": "pending-confirmation",
			"running": "pending-confirmation", "running for a server": "pending-confirmation",
		}},
		{"ready and confirmed", callAction("Ready", `,"invocationMessage":"I","confirmed":"setting"`), to{
			"streaming": "running", "pending-confirmation": "running", "running": "running", "running for a server": "running",
		}},
		{"approved", callAction("Confirmed", `,"approved":true,"confirmed":"user-action"`), to{"pending-confirmation": "running"}},
		{"denied", callAction("Confirmed", `,"approved":false,"reason":"denied"`), to{"pending-confirmation": "cancelled"}},
		{"content", callAction("ContentChanged", `,"content":[]`), to{"running": "running", "running for a server": "running"}},
		{"auth required", callAction("AuthRequired", `,`+auth), to{"running for a server": "auth-required"}},
		{"auth resolved", callAction("AuthResolved", ``), to{"auth-required": "running"}},
		{"done well", callAction("Complete", result("true")), to{
			"pending-confirmation": "completed", "running": "completed", "running for a server": "completed",
		}},
		{"failed", callAction("Complete", result("false")), to{
			"pending-confirmation": "completed", "running": "completed", "running for a server": "completed", "auth-required": "completed",
		}},
		{"failed, to be reviewed", callAction("Complete", result("false")+`,"requiresResultConfirmation":true`), to{
			"pending-confirmation": "pending-result-confirmation", "running": "pending-result-confirmation",
			"running for a server": "pending-result-confirmation", "auth-required": "completed",
		}},
		{"result approved", callAction("ResultConfirmed", `,"approved":true`), to{"pending-result-confirmation": "completed"}},
		{"result denied", callAction("ResultConfirmed", `,"approved":false`), to{"pending-result-confirmation": "cancelled"}},
	} {
		for from, state := range states {
			t.Run(c.name+"/"+from, func(t *testing.T) {
				before := map[bool]string{false: status(atWork), true: status(needsInput)}[waits[from]]
				s, err := ahp.Decode[ahp.ChatState](filled(t, chatDefaults, object(before, turn(call(state)))))
				require.NoError(t, err)
				action, err := ahp.DecodeStateAction([]byte(c.action))
				require.NoError(t, err)

				next := new(ahp.Reducer).Chat(s, action.(ahp.ChatAction))

				want, changes := c.to[from]
				if !changes {
					require.Same(t, s, next, "made %s", encode(t, next))
					return
				}
				got := next.ActiveTurn.ResponseParts[0].(*ahp.ToolCallResponsePart).ToolCall
				require.Equal(t, ahp.ToolCallStatus(want), got.ToolCallStatus())
				require.Equal(t, waits[want], next.Status.Has(ahp.SessionStatusInputNeeded))
			})
		}
	}
}

func TestToolCallsKeepWhatTheirNextStateHas(t *testing.T) {
	const (
		described = `,"intention":"why","_meta":{"a":1}`
		question  = `"confirmationTitle":"T","riskAssessment":{"status":"loading","kind":"judge"},"edits":{"items":[]},"editable":true,"options":[` + yes + `,` + no + `]`
		result    = `"success":false,"pastTenseMessage":"P","structuredContent":{"k":1},"error":{"message":"E","code":"x"}`
	)
	one := func(status, state string) string { return object(status, turn(call(state))) }
	chat(t, []reduced{
		{"the first input of a call", one(status(atWork), streaming), callAction("Delta", `,"content":"{","invocationMessage":"I","_meta":{"a":1}`),
			one(status(atWork), `{"status":"streaming",`+base+`,"partialInput":"{","invocationMessage":"I","_meta":{"a":1}}`)},
		{"more input", one(status(atWork), `{"status":"streaming",`+base+`,"partialInput":"{","invocationMessage":"I","_meta":{"a":1}}`), callAction("Delta", `,"content":"}"`),
			one(status(atWork), `{"status":"streaming",`+base+`,"partialInput":"{}","invocationMessage":"I","_meta":{"a":1}}`)},

		{"ready: what was streamed goes", one(status(atWork), `{"status":"streaming",`+base+described+`,"partialInput":"{","invocationMessage":"old"}`), callAction("Ready", `,"invocationMessage":"I"`),
			one(status(needsInput), `{"status":"pending-confirmation",`+base+described+`,"invocationMessage":"I"}`)},
		{"ready with everything", one(status(atWork), streaming), callAction("Ready", described+`,"invocationMessage":"I","toolInput":{"uri":"file:///i"},`+question),
			one(status(needsInput), `{"status":"pending-confirmation",`+base+described+`,"invocationMessage":"I","toolInput":{"uri":"file:///i"},`+question+`}`)},
		{"ready again: the question keeps what is not said anew", one(status(needsInput), `{"status":"pending-confirmation",`+asked+described+`,`+question+`}`), callAction("Ready", `,"invocationMessage":"J"`),
			one(status(needsInput), `{"status":"pending-confirmation",`+base+described+`,"toolInput":"in","invocationMessage":"J",`+question+`}`)},
		{"ready again: no options are options", one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+question+`}`), callAction("Ready", `,"invocationMessage":"I","intention":"new","_meta":{},"toolInput":"new","confirmationTitle":"U","editable":false,"options":[]`),
			one(status(needsInput), `{"status":"pending-confirmation",`+base+`,"intention":"new","_meta":{},"toolInput":"new","invocationMessage":"I",`+strings.NewReplacer(`"T"`, `"U"`, `true`, `false`, yes+`,`+no, ``).Replace(question)+`}`)},
		{"ready again while running: the question is a new one", one(status(atWork), running), callAction("Ready", `,"invocationMessage":"I"`), one(status(needsInput), pending)},
		{"ready and confirmed while running: choice and output go", one(status(atWork), running), callAction("Ready", `,"invocationMessage":"J","confirmed":"not-needed"`),
			one(status(atWork), `{"status":"running",`+base+`,"toolInput":"in","invocationMessage":"J","confirmed":"not-needed"}`)},

		{"a server named late brought the tool", one(status(atWork), streaming), callAction("Ready", `,"invocationMessage":"I",`+byServer),
			one(status(needsInput), `{"status":"pending-confirmation",`+base+`,"invocationMessage":"I",`+byServer+`}`)},
		{"a server takes the place of another", one(status(atWork), strings.Replace(served, `"m"`, `"other"`, 1)), callAction("Ready", `,"invocationMessage":"I",`+byServer),
			one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+byServer+`}`)},
		{"a client named late did not", one(status(atWork), streaming), callAction("Ready", `,"invocationMessage":"I",`+byClient),
			one(status(needsInput), `{"status":"pending-confirmation",`+base+`,"invocationMessage":"I"}`)},
		{"nor does it take the place of a server", one(status(atWork), served), callAction("Ready", `,"invocationMessage":"I",`+byClient),
			one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+byServer+`}`)},
		{"a server does not take the place of a client", one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+byClient+`}`), callAction("Ready", `,"invocationMessage":"I",`+byServer),
			one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+byClient+`}`)},

		{"approved with an option, edited", one(status(needsInput), `{"status":"pending-confirmation",`+asked+described+`,`+question+`}`), callAction("Confirmed", `,"approved":true,"confirmed":"user-action","selectedOptionId":"y","editedToolInput":"edited","_meta":{"b":2}`),
			one(status(atWork), `{"status":"running",`+base+`,"intention":"why","_meta":{"b":2},"invocationMessage":"I","toolInput":"edited","confirmed":"user-action","selectedOption":`+yes+`}`)},
		{"approved with an option that there is not", one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+question+`}`), callAction("Confirmed", `,"approved":true,"confirmed":"user-action","selectedOptionId":"x"`),
			one(status(atWork), `{"status":"running",`+asked+`,"confirmed":"user-action"}`)},
		{"input that is elsewhere cannot be edited", one(status(needsInput), `{"status":"pending-confirmation",`+base+`,"invocationMessage":"I","toolInput":{"uri":"file:///i"}}`), callAction("Confirmed", `,"approved":true,"confirmed":"user-action","editedToolInput":"edited"`),
			one(status(atWork), `{"status":"running",`+base+`,"invocationMessage":"I","toolInput":{"uri":"file:///i"},"confirmed":"user-action"}`)},
		{"nor can input that is not there", one(status(needsInput), `{"status":"pending-confirmation",`+base+`,"invocationMessage":"I"}`), callAction("Confirmed", `,"approved":true,"confirmed":"user-action","editedToolInput":"edited"`),
			one(status(atWork), `{"status":"running",`+base+`,"invocationMessage":"I","confirmed":"user-action"}`)},
		{"denied", one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+question+`}`), callAction("Confirmed", `,"approved":false,"reason":"skipped","reasonMessage":"R","userSuggestion":{"text":"S","origin":{"kind":"user"}},"selectedOptionId":"n"`),
			one(status(atWork), `{"status":"cancelled",`+asked+`,"reason":"skipped","reasonMessage":"R","userSuggestion":{"text":"S","origin":{"kind":"user"}},"selectedOption":`+no+`}`)},

		{"content while running; the status is not worked out anew", one(status(atWork, read), running), callAction("ContentChanged", `,"content":[],"_meta":{"a":1}`),
			one(status(atWork, read), `{"status":"running",`+allowed+`,"content":[],"_meta":{"a":1}}`)},
		{"stopped for signing in", one(status(atWork), served), callAction("AuthRequired", `,"_meta":{"a":1},`+auth), one(status(needsInput), strings.Replace(stopped, `{`, `{"_meta":{"a":1},`, 1))},
		{"signed in", one(status(needsInput), stopped), callAction("AuthResolved", ``), one(status(atWork), served)},

		{"done: the output so far goes", one(status(atWork), running), callAction("Complete", `,"result":{`+result+`}`),
			one(status(atWork), `{"status":"completed",`+allowed+`,`+result+`}`)},
		{"done with other output", one(status(atWork), running), callAction("Complete", `,"result":{`+result+`,`+output2+`}`),
			one(status(atWork), `{"status":"completed",`+allowed+`,`+result+`,`+output2+`}`)},
		{"done before it was confirmed", one(status(needsInput), `{"status":"pending-confirmation",`+asked+`,`+question+`}`), callAction("Complete", `,"result":{`+result+`}`),
			one(status(atWork), `{"status":"completed",`+asked+`,"confirmed":"not-needed",`+result+`}`)},
		{"failed while stopped: the output so far stays", one(status(needsInput), stopped), callAction("Complete", `,"result":{`+result+`}`),
			one(status(atWork), `{"status":"completed",`+allowed+`,`+byServer+`,`+output1+`,`+result+`}`)},
		{"failed while stopped with other output", one(status(needsInput), stopped), callAction("Complete", `,"result":{`+result+`,"content":[]}`),
			one(status(atWork), `{"status":"completed",`+allowed+`,`+byServer+`,"content":[],`+result+`}`)},
		{"to be reviewed", one(status(atWork), running), callAction("Complete", `,"requiresResultConfirmation":true,"result":{`+result+`,`+output2+`}`),
			one(status(needsInput), `{"status":"pending-result-confirmation",`+allowed+`,`+result+`,`+output2+`}`)},
		{"result approved", one(status(needsInput), `{"status":"pending-result-confirmation",`+allowed+`,`+result+`,`+output2+`}`), callAction("ResultConfirmed", `,"approved":true`),
			one(status(atWork), `{"status":"completed",`+allowed+`,`+result+`,`+output2+`}`)},
		{"result denied", one(status(needsInput), review), callAction("ResultConfirmed", `,"approved":false`),
			one(status(atWork), `{"status":"cancelled",`+asked+`,"reason":"result-denied","selectedOption":`+yes+`}`)},
	})
}

func TestToolCallStart(t *testing.T) {
	const members = `,"toolName":"grep","displayName":"Search","intention":"why","_meta":{"a":1},` + byClient
	const started = `{"status":"streaming",` + base + `,"intention":"why","_meta":{"a":1},` + byClient + `}`
	chat(t, []reduced{
		{"the status is not worked out anew", object(status(idle, read), turn(open("r"))), callAction("Start", members), object(status(idle, read), turn(open("r"), call(started)))},
		{"an id that is there already is there twice", object(status(atWork), turn(call(completed))), callAction("Start", members), object(status(atWork), turn(call(completed), call(started)))},
		{"no turn is open", object(status(idle)), callAction("Start", members), same},
	})
}

// Every call with the id is meant, in so far as its state allows.
func TestToolCallsWithOneID(t *testing.T) {
	other := strings.Replace(pending, `"c"`, `"other"`, 1)
	approved := `{"status":"running",` + asked + `,"confirmed":"user-action"}`
	canvas := `{"kind":"canvas","toolCall":` + pending + `}`
	chat(t, []reduced{
		{"approved", object(status(needsInput), turn(call(pending), canvas, call(other), call(completed), call(paused), call(pending))),
			callAction("Confirmed", `,"approved":true,"confirmed":"user-action"`),
			object(status(needsInput), turn(call(approved), canvas, call(other), call(completed), call(paused), call(approved)))},
		{"streamed", object(status(atWork), turn(call(streaming), call(streaming))), callAction("Delta", `,"content":"x"`),
			object(status(atWork), turn(call(`{"status":"streaming",`+base+`,"partialInput":"x"}`), call(`{"status":"streaming",`+base+`,"partialInput":"x"}`)))},
	})
}

// Actions for tool calls name the turn. One for a turn that is over changes nothing, though a status
// that went wrong comes right; neither does one for a call that there is not.
func TestToolCallActionsThatComeTooLate(t *testing.T) {
	for _, c := range []struct {
		name, members string
		refresh       bool
	}{
		{"Start", `,"toolName":"grep","displayName":"Search"`, false},
		{"Delta", `,"content":"x"`, false},
		{"ContentChanged", `,"content":[]`, false},
		{"Ready", `,"invocationMessage":"I"`, true},
		{"Confirmed", `,"approved":true,"confirmed":"user-action"`, true},
		{"Confirmed", `,"approved":false,"reason":"denied"`, true},
		{"AuthRequired", `,` + auth, true},
		{"AuthResolved", ``, true},
		{"Complete", `,"result":{"success":true,"pastTenseMessage":"P"}`, true},
		{"ResultConfirmed", `,"approved":true`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			late := strings.Replace(callAction(c.name, c.members), `"t1"`, `"t0"`, 1)
			astray := strings.Replace(callAction(c.name, c.members), `"c"`, `"x"`, 1)
			done := object(status(idle))
			busy := object(status(atWork), turn(call(completed)))
			chat(t, []reduced{{"no turn is open", done, late, same}, {"another turn is open", busy, late, same}})
			if c.name != "Start" {
				chat(t, []reduced{{"no such call", busy, astray, same}})
			}
			if !c.refresh {
				return
			}
			chat(t, []reduced{
				{"no turn is open and the status is wrong", object(status(failed, read, archived, future)), late, object(status(idle, read, archived, future))},
				{"another turn is open and the status is wrong", object(status(idle, read, archived, future), turn()), late, object(status(atWork, read, archived, future), turn())},
				{"another call waits and the status is wrong", object(status(atWork), turn(call(pending))), astray, object(status(needsInput), turn(call(pending)))},
				{"a result waits and the status is wrong", object(status(atWork), turn(call(review))), astray, object(status(needsInput), turn(call(review)))},
				{"another call is stopped and the status is wrong", object(status(atWork), turn(call(stopped))), astray, object(status(needsInput), turn(call(stopped)))},
				{"input is asked for and the status is wrong", object(status(atWork), turn(open("r"))), astray, object(status(needsInput), turn(open("r")))},
			})
		})
	}
}
