// Payloads for tests and benchmarks: messages with the shapes of real traffic, at three sizes.

package ahp_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

func ptr[T any](v T) *T { return &v }

const (
	paragraph = "The handler now checks the *size* of the upload before it reads anything, so a request that is too large ends with " +
		"`413` instead of filling the disk.\n\n```go\nif r.ContentLength > limit {\n\thttp.Error(w, \"too large\", 413)\n}\n```\n"
	thought = "The test fails only when the clock runs backwards between two reads; the naïve fix would hide it — better to keep both times. "
	output  = "ok  \tgithub.com/example/upload\t0.214s\nok  \tgithub.com/example/upload/store\t1.032s\n--- PASS: TestLimit (0.00s)\n"
)

// deltaEnvelope is one streamed piece of text, about 150 bytes.
func deltaEnvelope() *ahp.ActionEnvelope {
	return &ahp.ActionEnvelope{
		Channel:   "ahp-chat:/5f0c2d1e",
		Action:    &ahp.ChatDeltaAction{TurnID: "turn-41", PartID: "part-7", Content: "checks the size of the upload "},
		ServerSeq: 184467,
	}
}

// toolResultEnvelope is a finished tool call, about 2 kB.
func toolResultEnvelope() *ahp.ActionEnvelope {
	return &ahp.ActionEnvelope{
		Channel: "ahp-chat:/5f0c2d1e",
		Action: &ahp.ChatToolCallCompleteAction{
			TurnID: "turn-41", ToolCallID: "call-9",
			Meta: map[string]json.RawMessage{"vendor.trace": json.RawMessage(`{"span":"00f067aa0ba902b7","depth":3}`)},
			Result: ahp.ToolCallResult{
				Success:          true,
				PastTenseMessage: &ahp.StringOrMarkdownObject{Markdown: "Ran `go test ./...` in **upload**"},
				Content:          toolResults(),
				StructuredContent: map[string]json.RawMessage{
					"passed": json.RawMessage(`37`), "packages": json.RawMessage(`["upload","upload/store"]`),
				},
			},
		},
		ServerSeq: 184468,
		Origin:    &ahp.ActionOrigin{ClientID: "client-a", ClientSeq: 12},
	}
}

func toolResults() []ahp.ToolResultContent {
	return []ahp.ToolResultContent{
		&ahp.ToolResultTextContent{Text: strings.Repeat(output, 6)},
		&ahp.ToolResultEmbeddedResourceContent{Data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", ContentType: "image/png"},
		&ahp.ToolResultResourceContent{URI: "file:///home/a/upload/limit.go", SizeHint: ptr[int64](2048)},
		&ahp.ToolResultFileEditContent{
			Before: &ahp.FileEditSide{URI: "file:///home/a/upload/limit.go", Content: ahp.ContentRef{URI: "ahp-content:/1"}},
			After:  &ahp.FileEditSide{URI: "file:///home/a/upload/limit.go", Content: ahp.ContentRef{URI: "ahp-content:/2"}},
			Diff:   &ahp.FileEditDiffStats{Added: ptr[int64](12), Removed: ptr[int64](3)},
		},
		&ahp.ToolResultTerminalContent{
			Resource: "ahp-terminal:/t1", Title: "go test", IsPTY: ptr(true),
			Result: &ahp.TerminalCommandResult{ExitCode: ptr[int64](0), Preview: ptr(output)},
		},
		&ahp.ToolResultSubagentContent{Resource: "ahp-chat:/sub", Title: "Review", AgentName: ptr("reviewer")},
		&ahp.UnknownToolResultContent{Type: "future/chart", Raw: json.RawMessage(`{"type":"future/chart","points":[1,2,3.5]}`)},
	}
}

// serverTools is fifty tools with the schemas of their arguments, about 23 kB.
func serverTools() *ahp.SessionServerToolsChangedAction {
	list := make([]ahp.ToolDefinition, 50)
	for i := range list {
		list[i] = ahp.ToolDefinition{
			Name: fmt.Sprintf("tool_%d", i), Title: ptr(fmt.Sprintf("Tool %d", i)),
			Description: ptr("Reads a file of the workspace and returns its lines, with their numbers."),
			InputSchema: &ahp.ToolDefinitionSchema{
				Properties: map[string]json.RawMessage{
					"path":   json.RawMessage(`{"type":"string","description":"Where the file is, from the root of the workspace."}`),
					"offset": json.RawMessage(`{"type":"integer","minimum":0}`),
					"limit":  json.RawMessage(`{"type":"integer","minimum":1,"maximum":2000,"description":"How many lines."}`),
					"mode":   json.RawMessage(`{"enum":["text","binary"]}`),
				},
				Required: []string{"path"},
			},
			Annotations: &ahp.ToolAnnotations{ReadOnlyHint: ptr(true)},
		}
	}
	return &ahp.SessionServerToolsChangedAction{Tools: list}
}

// rootConfig is a small free-form object, about 100 bytes.
func rootConfig() *ahp.RootConfigChangedAction {
	return &ahp.RootConfigChangedAction{Config: map[string]json.RawMessage{
		"model": json.RawMessage(`"large"`), "temperature": json.RawMessage(`0.2`), "tools": json.RawMessage(`["read","write"]`),
	}}
}

// snapshot is the state of a long chat, about 1 MB, with every kind of union that a chat can hold.
func snapshot() *ahp.Snapshot {
	const turns = 460
	chat := &ahp.ChatState{
		Resource: "ahp-chat:/5f0c2d1e", Title: "Limit uploads", Status: ahp.SessionStatusInProgress | ahp.SessionStatusIsRead,
		ModifiedAt: "2026-03-01T10:20:30.456Z", Origin: &ahp.ChatOriginFork{Chat: "ahp-chat:/main", TurnID: "turn-3"},
		WorkingDirectories: []ahp.URI{"file:///home/a/upload"},
		Turns:              make([]ahp.Turn, turns),
		ActiveTurn: &ahp.ActiveTurn{
			ID: "turn-460", StartedAt: "2026-03-01T10:20:30.456Z", Message: message(0), ResponseParts: activeParts(),
		},
	}
	for i := range chat.Turns {
		chat.Turns[i] = ahp.Turn{
			ID: fmt.Sprintf("turn-%d", i), StartedAt: ptr("2026-03-01T10:20:30.456Z"), Duration: ptr[int64](3417), Message: message(i),
			ResponseParts: turnParts(i), State: ahp.TurnStateComplete,
			Usage: &ahp.UsageInfo{InputTokens: ptr[int64](18231), OutputTokens: ptr[int64](911), Model: ptr("large"), CacheReadTokens: ptr[int64](16000)},
		}
	}
	return &ahp.Snapshot{Resource: "ahp-chat:/5f0c2d1e", State: chat, FromSeq: 184460}
}

func message(i int) ahp.Message {
	m := ahp.Message{Text: "Please limit the size of uploads, and tell the client why it was refused.", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}}
	switch i % 8 {
	case 0:
		m.Attachments = []ahp.MessageAttachment{
			&ahp.SimpleMessageAttachment{Label: "note", ModelRepresentation: ptr("keep it small")},
			&ahp.MessageEmbeddedResourceAttachment{Label: "shot", Data: "iVBORw0KGgo", ContentType: "image/png"},
			&ahp.MessageResourceAttachment{Label: "limit.go", URI: "file:///home/a/upload/limit.go", SizeHint: ptr[int64](2048)},
			&ahp.MessageAnnotationsAttachment{Label: "review", Resource: "ahp-session:/s/annotations", AnnotationIDs: []string{"a1", "a2"}},
			&ahp.MessageChatAttachment{Label: "before", Resource: "ahp-chat:/main", EndTurn: ptr("turn-2")},
		}
	case 3:
		m.Model = &ahp.ModelSelection{ID: "large", Config: map[string]ahp.JSONPrimitive{
			"temperature": ahp.JSONPrimitiveNumber("0.2"), "effort": ahp.JSONPrimitiveString("high"),
			"stream": ahp.JSONPrimitiveBool(true), "seed": ahp.JSONPrimitiveNull{},
		}}
	}
	return m
}

func turnParts(i int) []ahp.ResponsePart {
	completed := &ahp.ToolCallCompletedState{
		ToolCallID: fmt.Sprintf("call-%d", i), ToolName: "shell", DisplayName: "Shell", Contributor: &ahp.ToolCallClientContributor{ClientID: "client-a"},
		InvocationMessage: ahp.StringOrMarkdownString("Running tests"), ToolInput: ahp.ToolInputString(`{"command":"go test ./..."}`), Success: true,
		PastTenseMessage: &ahp.StringOrMarkdownObject{Markdown: "Ran `go test`"}, Confirmed: ahp.ToolCallConfirmationReasonUserAction,
		Content: toolResults()[i%7 : i%7+1],
	}
	parts := []ahp.ResponsePart{
		&ahp.ReasoningResponsePart{ID: fmt.Sprintf("r-%d", i), Content: strings.Repeat(thought, 2)},
		&ahp.ToolCallResponsePart{ToolCall: completed},
		&ahp.MarkdownResponsePart{ID: fmt.Sprintf("m-%d", i), Content: strings.Repeat(paragraph, 3)},
	}
	switch i % 6 {
	case 1:
		parts = append(parts, &ahp.ResourceResponsePart{URI: "file:///home/a/upload/limit.go", ContentType: ptr("text/x-go")})
	case 2:
		parts = append(parts, &ahp.SystemNotificationResponsePart{Content: ahp.StringOrMarkdownString("The model was changed")})
	case 3:
		parts = append(parts, &ahp.ToolCallResponsePart{ToolCall: &ahp.ToolCallCancelledState{
			ToolCallID: "c", ToolName: "shell", DisplayName: "Shell", InvocationMessage: ahp.StringOrMarkdownString("Removing files"),
			ToolInput: &ahp.ContentRef{URI: "ahp-content:/7"}, Reason: ahp.ToolCallCancellationReasonDenied,
		}})
	case 4:
		parts = append(parts, inputRequest())
	case 5:
		parts = append(parts, &ahp.UnknownResponsePart{Kind: "future/canvas", Raw: json.RawMessage(`{"kind":"future/canvas","cells":[{"x":1,"y":2}]}`)})
	}
	return parts
}

func inputRequest() ahp.ResponsePart {
	options := []ahp.ChatInputOption{{ID: "a", Label: "One megabyte"}, {ID: "b", Label: "Ten megabytes", Recommended: ptr(true)}}
	return &ahp.InputRequestResponsePart{
		Request: ahp.ChatInputRequest{
			ID: "q", Message: ptr("How large may an upload be?"),
			Questions: []ahp.ChatInputQuestion{
				&ahp.ChatInputSingleSelectQuestion{ID: "1", Message: "Limit", Options: options},
				&ahp.ChatInputMultiSelectQuestion{ID: "2", Message: "Where", Options: options, Min: ptr[int64](1)},
				&ahp.ChatInputNumberQuestion{ID: "3", Message: "Retries", Kind: ahp.ChatInputQuestionKindInteger, Max: ptr(5.0)},
				&ahp.ChatInputBooleanQuestion{ID: "4", Message: "Log it?"},
				&ahp.ChatInputTextQuestion{ID: "5", Message: "Text of the answer"},
			},
			Answers: map[string]ahp.ChatInputAnswer{
				"1": &ahp.ChatInputAnswered{State: ahp.ChatInputAnswerStateSubmitted, Value: &ahp.ChatInputSelectedAnswerValue{Value: "b"}},
				"3": &ahp.ChatInputAnswered{State: ahp.ChatInputAnswerStateDraft, Value: &ahp.ChatInputNumberAnswerValue{Value: 2.5}},
				"5": &ahp.ChatInputSkipped{},
			},
		},
		Response: ptr(ahp.ChatInputResponseKindAccept),
	}
}

// activeParts holds a tool call in each state that an active turn can show.
func activeParts() []ahp.ResponsePart {
	said := ahp.StringOrMarkdownString("Running tests")
	calls := []ahp.ToolCallState{
		&ahp.ToolCallStreamingState{ToolCallID: "1", ToolName: "shell", DisplayName: "Shell", PartialInput: ptr(`{"comm`), InvocationMessage: said},
		&ahp.ToolCallPendingConfirmationState{
			ToolCallID: "2", ToolName: "shell", DisplayName: "Shell", InvocationMessage: said,
			RiskAssessment: &ahp.ToolCallRiskAssessmentCompleteState{
				Kind: ahp.ToolCallRiskAssessmentKindJudge, Reason: ahp.StringOrMarkdownString("Only reads"), Safety: 0.75,
			},
			Options: []ahp.ConfirmationOption{{ID: "y", Label: "Yes", Kind: ahp.ConfirmationOptionKindApprove}},
		},
		&ahp.ToolCallRunningState{
			ToolCallID: "3", ToolName: "shell", DisplayName: "Shell", InvocationMessage: said, Confirmed: ahp.ToolCallConfirmationReasonSetting,
			Contributor: &ahp.ToolCallMCPContributor{CustomizationID: "mcp-1"}, Content: toolResults(),
		},
		&ahp.UnknownToolCallState{Status: "future-state", Raw: json.RawMessage(`{"status":"future-state","toolCallId":"4"}`)},
	}
	var parts []ahp.ResponsePart
	for _, c := range calls {
		parts = append(parts, &ahp.ToolCallResponsePart{ToolCall: c})
	}
	return parts
}
