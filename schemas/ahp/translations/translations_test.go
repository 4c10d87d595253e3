// Tests of single functions. That they agree with the reducers of every version is tested in golden/laws.

package translations

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		name         string
		f            translate.Func
		in, known    string
		want, reason string
	}{
		{"an annotation's turn", lowerAnnotationOrigin, `{"id":"1","origin":{"session":"s","chat":"c","turnId":"t"}}`, ``, `{"id":"1","turnId":"t"}`, ""},
		{"an update of none", lowerAnnotationOrigin, `{"annotationId":"1"}`, ``, `{"annotationId":"1"}`, ""},
		{"an annotation that is known", liftAnnotationOrigin, `{"id":"1","turnId":"t"}`, `{"annotations":[{"id":"1","origin":{"session":"s","chat":"c","turnId":"t"}}]}`,
			`{"id":"1","origin":{"session":"s","chat":"c","turnId":"t"}}`, ""},
		{"an annotation of a session", liftAnnotationOrigin, `{"id":"1","turnId":""}`, ``, `{"id":"1","origin":{"session":"ahp-session:/a"}}`, ""},
		{"an error", lowerChatError, `{"part":{"kind":"error","error":{"message":"m"},"resumable":true}}`, ``, `{"error":{"message":"m"}}`, ""},
		{"an error's part", liftChatError, `{"error":{"message":"m"}}`, ``, `{"part":{"kind":"error","error":{"message":"m"}}}`, ""},
		{"a failed turn", lowerTurnError, `{"state":"error","responseParts":[{"kind":"error","error":1}]}`, ``, `{"state":"error","responseParts":[{"kind":"error","error":1}],"error":1}`, ""},
		{"a turn with an error", liftTurnError, `{"state":"error","responseParts":[],"error":1}`, ``, `{"state":"error","responseParts":[{"kind":"error","error":1}]}`, ""},
		{"an ended process", lowerTerminalLifecycle, `{"lifecycle":{"status":"exited","exitCode":1}}`, ``, `{"exitCode":1}`, ""},
		{"an exit code", liftTerminalLifecycle, `{"exitCode":1}`, ``, `{"lifecycle":{"status":"exited","exitCode":1}}`, ""},
		{"no exit code", liftTerminalLifecycle, `{}`, ``, `{"lifecycle":{"status":"running"}}`, ""},
		{"a claim that is known", liftTerminalClaim, `{"session":"s"}`, `{"claim":{"session":"s","chat":"c"}}`, `{"session":"s","chat":"c"}`, ""},
		{"a claim of another session", liftTerminalClaim, `{"session":"s"}`, `{"claim":{"session":"r","chat":"c"},"defaultChat":"d"}`, `{"session":"s","chat":"d"}`, ""},
		{"a copy of a session", liftSessionFork, `{"fork":{}}`, ``, ``, "cannot be said in the other version"},
		{"a call that waits", liftClientExecution, `{"toolCall":{"status":"streaming","displayName":"d"}}`, ``,
			`{"toolCall":{"status":"running","displayName":"d","confirmed":"not-needed","invocationMessage":"d"}}`, ""},
		{"a session that waits for clients", lowerSessionStatus, `{"status":40,"inputNeeded":[{"kind":"toolClientExecution"}]}`, ``,
			`{"status":56,"inputNeeded":[{"kind":"toolClientExecution"}]}`, ""},
		{"which is at work", liftSessionStatus, `{"status":56,"inputNeeded":[{"kind":"toolClientExecution"}]}`, ``,
			`{"status":40,"inputNeeded":[{"kind":"toolClientExecution"}]}`, ""},
		{"new content while something is wrong", lowerContentChanged, `{"files":[]}`, `{"error":1}`, `{"files":[],"error":1}`, ""},
		{"new content of an unknown state", lowerContentChanged, `{"files":[]}`, ``, ``, "the state of the channel is needed"},
		{"content with the same error", liftContentChanged, `{"error":1}`, `{"error":1,"status":"error"}`, `{}`, ""},
		{"times", lowerSessionTimes, `{"createdAt":"2026-01-02T03:04:05.678+01:00"}`, ``, `{"createdAt":1767319445678}`, ""},
		{"no time", lowerSessionTimes, `{"modifiedAt":"soon"}`, ``, ``, "a time of a session is not in RFC 3339"},
		{"milliseconds", liftSessionTimes, `{"modifiedAt":1767319445678}`, ``, `{"modifiedAt":"2026-01-02T02:04:05.678Z"}`, ""},
		{"values of several types", lowerChoices, `{"enum":["a",1,null,"b"]}`, ``, `{"enum":["a","b"]}`, ""},
		{"decisions", lowerEnablement, `{"enablement":[{"kind":"session","enabled":false}]}`, ``, `{"enabled":false}`, ""},
		{"decisions of other scopes", liftEnablement, `{"id":"1","enabled":false}`, `{"customizations":[{"id":"1","enablement":[{"kind":"global","enabled":true}]}]}`,
			`{"id":"1","enablement":[{"kind":"session","enabled":false},{"kind":"global","enabled":true}]}`, ""},
		{"the same decision", liftEnablement, `{"id":"1","enabled":true}`, `{"customizations":[{"id":"1","enablement":[{"kind":"global","enabled":true}]}]}`,
			`{"id":"1","enablement":[{"kind":"global","enabled":true}]}`, ""},
		{"parts of customizations", liftActiveClient, `{"clientId":"c","customizations":[{"id":"1"}]}`,
			`{"activeClients":[{"clientId":"c","customizations":[{"id":"1","childEnablement":{}}]}]}`, `{"clientId":"c","customizations":[{"id":"1","childEnablement":{}}]}`, ""},
		{"a resource", lowerAuthResource, `{"resource":{"resource":"r","required":true}}`, ``, `{"resource":"r"}`, ""},
		{"a resource's name", liftAuthResource, `{"resource":"r"}`, ``, `{"resource":{"resource":"r"}}`, ""},
		{"flags of a chat", lowerChatFlags, `{"status":104}`, ``, `{"status":8}`, ""},
		{"the first directory", lowerDirectories, `{"workingDirectories":["a","b"]}`, ``, `{"workingDirectory":"a"}`, ""},
		{"one directory", liftDirectories, `{"workingDirectory":"a"}`, ``, `{"workingDirectories":["a"]}`, ""},
		{"no directory any more", lowerDirectoriesChange, `{"workingDirectories":[]}`, ``, ``, "the state of the channel is needed"},
		{"another first directory", lowerDirectoryChanged, `{"type":"chat/workingDirectoryRemoved","directory":"a"}`, `{"workingDirectories":["a"]}`, ``, "the state of the channel is needed"},
		{"a delta without content", lowerToolDelta, `{}`, ``, `{"content":""}`, ""},
		{"input that stays", lowerToolReady, `{"turnId":"t","toolCallId":"c"}`, `{"activeTurn":{"id":"t","responseParts":[{"toolCall":{"toolCallId":"c","toolInput":"i"}}]}}`,
			`{"turnId":"t","toolCallId":"c","toolInput":"i"}`, ""},
		{"an edit of a reference", lowerToolApproved, `{"turnId":"t","toolCallId":"c","editedToolInput":"i"}`,
			`{"activeTurn":{"id":"t","responseParts":[{"toolCall":{"toolCallId":"c","toolInput":{}}}]}}`, `{"turnId":"t","toolCallId":"c"}`, ""},
		{"a copy of a chat", lowerChatSource, `{"source":{"kind":"fork","chat":"c"}}`, ``, `{"source":{"chat":"c"}}`, ""},
		{"a chat beside another", lowerChatSource, `{"source":{"kind":"sideChat"}}`, ``, ``, "cannot be said in the other version"},
		{"the result of a terminal", lowerTerminalResult, `{"type":"terminal","resource":"r","title":"t","result":{"exitCode":1}}`, ``, `{"type":"terminalComplete","resource":"r","exitCode":1}`, ""},
		{"a terminal that has ended", liftTerminalComplete, `{"type":"terminalComplete","exitCode":1}`, ``, `{"type":"terminal","resource":"","title":"","result":{"exitCode":1}}`, ""},
		{"a request that is open", lowerRequests, `{"status":24,"activeTurn":{"responseParts":[{"kind":"inputRequest","request":{"id":"r"}}]}}`, ``,
			`{"status":24,"activeTurn":{"responseParts":[{"kind":"inputRequest","request":{"id":"r"}}]},"inputRequests":[{"id":"r"}]}`, ""},
		{"a chat that waits for a client to sign in", lowerRequests, `{"status":56,"activeTurn":{"responseParts":[{"toolCall":{"status":"auth-required"}}]}}`, ``,
			`{"status":40,"activeTurn":{"responseParts":[{"toolCall":{"status":"auth-required"}}]}}`, ""},
		{"a request beside a turn", liftRequests, `{"modifiedAt":"m","activeTurn":{"responseParts":[]},"inputRequests":[{"id":"r"}]}`, ``,
			`{"modifiedAt":"m","activeTurn":{"responseParts":[{"kind":"inputRequest","request":{"id":"r"}}],"startedAt":"m"}}`, ""},
		{"the beginning of a turn", liftTurnStart, `{"turnId":"t"}`, ``, `{"turnId":"t","startedAt":"1970-01-01T00:00:00.000Z"}`, ""},
		{"the end of a turn", liftTurnEnd, `{"turnId":"t"}`, `{"activeTurn":{"id":"t","startedAt":"1969-12-31T23:59:59.000Z"}}`, `{"turnId":"t","duration":1000}`, ""},
		{"the end of an unknown turn", liftTurnEnd, `{"turnId":"t"}`, ``, `{"turnId":"t","duration":0}`, ""},
		{"a request that is settled", lowerRequestPart, `{"response":"accept"}`, ``, `{"response":"accept"}`, ""},
		{"output of an unknown call", lowerCallContent, `{"turnId":"t"}`, `{}`, `{"turnId":"t"}`, ""},
		{"a question about an unknown call", liftCallReady, `{"turnId":"t"}`, `{}`, `{"turnId":"t"}`, ""},
		{"a turn of an unknown chat that begins", lowerTurnStarted, `{}`, ``, ``, "the state of the channel is needed"},
		{"a request in an unknown chat", lowerRequested, `{}`, ``, ``, "the state of the channel is needed"},
		{"an answer in an unknown chat", lowerRequestCompleted, `{}`, ``, ``, "the state of the channel is needed"},
		{"a call that is stopped", lowerStoppedCall, `{"status":"auth-required","auth":{}}`, ``, `{"status":"running"}`, ""},
		{"a failure of a call that is stopped", lowerCallComplete, `{"turnId":"t","toolCallId":"c","result":{"success":false},"requiresResultConfirmation":true}`,
			`{"activeTurn":{"id":"t","responseParts":[{"toolCall":{"toolCallId":"c","status":"auth-required","content":[]}}]}}`,
			`{"turnId":"t","toolCallId":"c","result":{"success":false,"content":[]}}`, ""},
		{"a question asked again", lowerCallReady, `{"turnId":"t","toolCallId":"c"}`,
			`{"activeTurn":{"id":"t","responseParts":[{"toolCall":{"toolCallId":"c","status":"pending-confirmation","options":[]}}]}}`,
			`{"turnId":"t","toolCallId":"c","options":[]}`, ""},
		{"a part that changes what a chat waits for", lowerNewPart, `{"turnId":"t","part":{"kind":"inputRequest"}}`, `{"status":8,"activeTurn":{"id":"t","responseParts":[]}}`, ``,
			"the state of the channel is needed"},
		{"a turn of an unknown chat", lowerTurnResume, `{"turnId":"t"}`, ``, ``, "the state of the channel is needed"},
		{"an order of unknown chats", lowerChatsReordered, `{"chats":[]}`, ``, ``, "the state of the channel is needed"},
		{"a directory of an unknown session", lowerDirectoryReplaced, `{}`, ``, ``, "the state of the channel is needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := translate.Parse([]byte(c.in))
			require.NoError(t, err)
			known := &translate.Context{Channel: "ahp-session:/a/annotations", Now: func() time.Time { return time.UnixMilli(0) }}
			if c.known != "" {
				known.State = func(string) json.RawMessage { return json.RawMessage(c.known) }
			}
			err = c.f(o, known)
			if c.reason != "" {
				require.ErrorContains(t, err, c.reason)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, string(o.JSON()))
		})
	}
}

// TestStoppedCall: what is said of a call that is stopped goes through the tables, such as input that an older peer cannot read.
func TestStoppedCall(t *testing.T) {
	o, err := translate.Parse([]byte(`{"type":"chat/toolCallAuthRequired","turnId":"t","toolCallId":"c","_meta":{}}`))
	require.NoError(t, err)
	sent := func(o *translate.Object, c *translate.Context) error {
		if !c.Resent() {
			return lowerCallStopped(o, c)
		}
		o.Take("toolInput")
		return nil
	}
	d := &translate.Direction{
		Types:    []translate.Type{{}, {Members: []translate.Member{{Name: "action", Type: 2}}, Channel: "channel"}, {Funcs: []translate.Func{sent}}},
		Envelope: 1, Action: "action", Sequence: "serverSeq", Origin: "origin",
	}
	known := `{"activeTurn":{"id":"t","responseParts":[{"toolCall":{"toolCallId":"c","status":"running","contributor":{"kind":"mcp"},"toolInput":{"uri":"u"},"confirmed":"setting"}}]}}`
	c := &translate.Context{State: func(string) json.RawMessage { return json.RawMessage(known) }}
	got, err := d.Actions([]byte(`{"channel":"ahp-chat:/a","serverSeq":3,"action":`+string(o.JSON())+`}`), c)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.JSONEq(t, `{"channel":"ahp-chat:/a","serverSeq":2,"action":{"type":"chat/toolCallReady","confirmed":"setting","turnId":"t","toolCallId":"c","_meta":{}}}`, string(got[0]))
	require.JSONEq(t, `{"channel":"ahp-chat:/a","serverSeq":3,"action":{"type":"chat/toolCallResultConfirmed","turnId":"","toolCallId":"","approved":true}}`, string(got[1]))
}

// TestReplacedDirectories: the replacement takes the place of the first of both.
func TestReplacedDirectories(t *testing.T) {
	for _, c := range [][4]string{
		{"a b c", "b", "x", "a x c"}, {"a b c", "c", "a", "a b"}, {"a b c", "a", "c", "c b"}, {"a b c", "x", "y", "a b c"}, {"a b c", "b", "b", "a b c"},
	} {
		require.Equal(t, strings.Fields(c[3]), translationReplaced(strings.Fields(c[0]), c[1], c[2]), c)
	}
}

// TestImpossible is what tells the peer why.
func TestImpossible(t *testing.T) {
	o, err := translate.Parse([]byte(`{"fork":{}}`))
	require.NoError(t, err)
	require.ErrorIs(t, liftSessionFork(o, &translate.Context{}), translate.ErrImpossible)
}
