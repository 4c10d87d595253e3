// Examples of the package, in the order in which a program meets these things.

package ahp_test

import (
	"fmt"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// The params of an action notification are an envelope. A switch over the action names the types a
// program cares about; all others can be passed over, be they known or not.
func ExampleDecode() {
	params := []byte(`{
		"channel": "ahp-chat:/5f0c2d1e",
		"action": {"type": "chat/delta", "turnId": "t1", "partId": "p1", "content": "Hello"},
		"serverSeq": 7,
		"origin": {"clientId": "laptop", "clientSeq": 3}
	}`)
	env, err := ahp.Decode[ahp.ActionEnvelope](params)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("action", env.ServerSeq, "on", env.Channel)
	if env.Origin != nil {
		fmt.Println("dispatched by", env.Origin.ClientID)
	}
	switch a := env.Action.(type) {
	case *ahp.ChatDeltaAction:
		fmt.Printf("part %s of turn %s grows by %q\n", a.PartID, a.TurnID, a.Content)
	case *ahp.ChatTurnCompleteAction:
		fmt.Println("end of turn", a.TurnID)
	case *ahp.UnknownStateAction:
		fmt.Println("from a newer host:", a.Type)
	}
	// Output:
	// action 7 on ahp-chat:/5f0c2d1e
	// dispatched by laptop
	// part p1 of turn t1 grows by "Hello"
}

// What does not fit is an error that leads to the place.
func ExampleDecode_error() {
	for _, params := range []string{
		`{"channel": "ahp-chat:/1", "serverSeq": 7, "action": {"type": "chat/delta", "turnId": "t1", "partId": "p1"}}`,
		`{"channel": "ahp-chat:/1", "serverSeq": 7.5, "action": {"type": "session/ready"}}`,
	} {
		_, err := ahp.Decode[ahp.ActionEnvelope]([]byte(params))
		fmt.Println(err)
	}
	// Output:
	// action: chat/delta: content: missing
	// serverSeq: not an integer
}

// A union is an interface that only its variants implement, as pointers. The last case of a switch is
// the variant that holds whatever a newer version of the protocol may add.
func ExampleResponsePart() {
	describe := func(part ahp.ResponsePart) string {
		switch p := part.(type) {
		case *ahp.MarkdownResponsePart:
			return "text: " + p.Content
		case *ahp.ReasoningResponsePart:
			return "thoughts: " + p.Content
		case *ahp.ToolCallResponsePart:
			return "tool call, " + string(p.ToolCall.ToolCallStatus())
		case *ahp.ResourceResponsePart:
			return "content at " + p.URI
		case *ahp.SystemNotificationResponsePart:
			return "notice"
		case *ahp.InputRequestResponsePart:
			return "question to the user"
		case *ahp.UnknownResponsePart:
			return "unknown kind " + string(p.Kind)
		}
		return "nothing" // nil
	}
	for _, data := range []string{
		`{"kind": "reasoning", "id": "p1", "content": "The limit is too high."}`,
		`{"kind": "markdown", "id": "p2", "content": "I lowered the limit."}`,
		`{"kind": "toolCall", "toolCall": {"status": "streaming", "toolCallId": "c1", "toolName": "shell", "displayName": "Shell"}}`,
		`{"kind": "canvas", "cells": [[0, 1], [1, 0]]}`,
	} {
		part, err := ahp.DecodeResponsePart([]byte(data))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(describe(part))
	}
	// Output:
	// thoughts: The limit is too high.
	// text: I lowered the limit.
	// tool call, streaming
	// unknown kind canvas
}

// New functions take what an object requires; the rest are fields that may stay nil. The tag is no
// field: AppendJSON writes it.
func Example_literal() {
	action := &ahp.ChatTurnStartedAction{TurnID: "t1", StartedAt: "2026-03-01T10:20:30.456Z", Message: ahp.Message{
		Text:   "Please limit the size of uploads.",
		Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser},
		Model:  &ahp.ModelSelection{ID: "large"},
	}}
	fmt.Println(action.ActionType())

	buffer := make([]byte, 0, 1024) // can be used again for the next message
	buffer, err := action.AppendJSON(buffer)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(buffer))
	// Output:
	// chat/turnStarted
	// {"type":"chat/turnStarted","turnId":"t1","startedAt":"2026-03-01T10:20:30.456Z","message":{"text":"Please limit the size of uploads.","origin":{"kind":"user"},"model":{"id":"large"}}}
}

// Only actions that a client may dispatch are of type ClientAction, so that the compiler stops a
// client from sending one of the others.
func ExampleClientAction() {
	dispatch := func(chat ahp.URI, seq int64, action ahp.ClientAction) {
		params := ahp.DispatchActionParams{Channel: chat, ClientSeq: seq, Action: action}
		data, err := params.AppendJSON(nil)
		fmt.Println(string(data), err)
	}
	dispatch("ahp-chat:/5f0c2d1e", 4, &ahp.ChatTurnCancelledAction{TurnID: "t1", Duration: 3417})
	// Output:
	// {"channel":"ahp-chat:/5f0c2d1e","clientSeq":4,"action":{"type":"chat/turnCancelled","turnId":"t1","duration":3417}} <nil>
}

// An action that this version does not know is kept as it came, white space and large numbers
// included, and is encoded again byte for byte.
func ExampleUnknownStateAction() {
	newer := `{ "type": "chat/applauded", "by": ["ann", "ben"], "at": 9007199254740993 }`
	action, err := ahp.DecodeStateAction([]byte(newer))
	if err != nil {
		fmt.Println(err)
		return
	}
	unknown, ok := action.(*ahp.UnknownStateAction)
	fmt.Println(ok, unknown.Type, unknown.Type.IsKnown())

	again, err := action.AppendJSON(nil)
	fmt.Println(string(again) == newer, err)
	// Output:
	// true chat/applauded false
	// true <nil>
}

// A status is a set of bits. Has tests for flags, With and Without change them, and bits that this
// version does not know stay as they are.
func ExampleSessionStatus_Has() {
	status := ahp.SessionStatusInputNeeded | ahp.SessionStatusIsRead | 1<<20
	fmt.Println("needs input:", status.Has(ahp.SessionStatusInputNeeded))
	fmt.Println("in progress:", status.Has(ahp.SessionStatusInProgress)) // needing input includes it
	fmt.Println("archived:", status.Has(ahp.SessionStatusIsArchived))

	status = status.With(ahp.SessionStatusIsArchived).Without(ahp.SessionStatusIsRead)
	fmt.Println("archived and unread:", status.Has(ahp.SessionStatusIsArchived) && !status.Has(ahp.SessionStatusIsRead))
	fmt.Println("bit 20:", status.Has(1<<20))
	// Output:
	// needs input: true
	// in progress: true
	// archived: false
	// archived and unread: true
	// bit 20: true
}

// The table has a row for each Go type. Two of them share the type chat/toolCallConfirmed: one
// approves a tool call, the other denies it.
func ExampleActions() {
	types, client := map[ahp.ActionType]bool{}, map[ahp.ActionType]bool{}
	for _, row := range ahp.Actions() {
		types[row.Type] = true
		if row.Client {
			client[row.Type] = true
		}
	}
	fmt.Println(len(ahp.Actions()), "rows,", len(types), "types of action,", len(client), "of them for clients")

	row, _ := ahp.ActionTypeSessionTitleChanged.Info()
	fmt.Println(row.Type, "is on channel", row.Channel, "since", row.Since)
	fmt.Printf("New makes a %T\n", row.New())
	// Output:
	// 107 rows, 106 types of action, 47 of them for clients
	// session/titleChanged is on channel session since 0.1.0
	// New makes a *ahp.SessionTitleChangedAction
}

// A server finds the decoder of the params by the name of the method.
func ExampleLookupMethod() {
	handle := func(method string, params []byte) {
		row, ok := ahp.LookupMethod(method)
		if !ok {
			fmt.Println(method, "is unknown: answer with", ahp.ErrorCodeMethodNotFound)
			return
		}
		v, err := row.DecodeParams(params)
		if err != nil {
			fmt.Println(method, "got bad params:", err)
			return
		}
		switch p := v.(type) {
		case *ahp.SubscribeParams:
			fmt.Println("subscribe to", p.Channel)
		case *ahp.UnsubscribeParams:
			fmt.Println("unsubscribe from", p.Channel)
		default:
			fmt.Println(method, "is not served here")
		}
	}
	handle("subscribe", []byte(`{"channel": "ahp-session:/1"}`))
	handle("subscribe", []byte(`{}`))
	handle("createTerminal", []byte(`{"channel": "ahp-terminal:/1", "claim": {"kind": "client", "clientId": "laptop"}}`))
	handle("applaud", []byte(`{}`))
	// Output:
	// subscribe to ahp-session:/1
	// subscribe got bad params: channel: missing
	// createTerminal is not served here
	// applaud is unknown: answer with MethodNotFound
}

// Errors that carry data have a decoder for it.
func ExampleErrorCode_Info() {
	code, data := ahp.ErrorCode(-32005), []byte(`{"supportedVersions": ["1.0.0", "^0.9.0"]}`)

	row, ok := code.Info()
	if !ok || row.DecodeData == nil {
		fmt.Println("nothing more is known about", code)
		return
	}
	v, err := row.DecodeData(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(row.Name)
	if d, ok := v.(*ahp.UnsupportedProtocolVersionErrorData); ok {
		fmt.Println("the host speaks", d.SupportedVersions)
	}
	// Output:
	// UnsupportedProtocolVersion
	// the host speaks [1.0.0 ^0.9.0]
}
