// The server of versions with sessions, in which it asks its client.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ours/older"
	"ours/wire/rpc"
	"ours/wire/web"
)

// session is what a client has here.
type session struct {
	transport rpc.Transport
	client    *older.ClientConn
}

func serveSession(ctx context.Context, t rpc.Transport) error {
	peer := rpc.NewPeer(t, nil)
	s := &session{t, older.NewClientConn(peer)}
	empty := &older.EmptyResult{}
	return peer.Serve(ctx, &older.ServerHandlers{
		Initialize: func(_ context.Context, p *older.InitializeRequestParams) (*older.InitializeResult, error) {
			return decode(older.Decode[older.InitializeResult], `{"protocolVersion":`+quote(older.NegotiateVersion(p.ProtocolVersion))+`,"serverInfo":{"name":"ours","version":"1"},
				"capabilities":{"tools":{},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{}}}`), nil
		},
		NotificationsInitialized: func(context.Context, *older.NotificationParams) {},
		Ping:                     func(context.Context, *older.RequestParams) (*older.EmptyResult, error) { return empty, nil },
		LoggingSetLevel:          func(context.Context, *older.SetLevelRequestParams) (*older.EmptyResult, error) { return empty, nil },
		ResourcesSubscribe:       func(context.Context, *older.SubscribeRequestParams) (*older.EmptyResult, error) { return empty, nil },
		ResourcesUnsubscribe:     func(context.Context, *older.UnsubscribeRequestParams) (*older.EmptyResult, error) { return empty, nil },
		CompletionComplete: func(context.Context, *older.CompleteRequestParams) (*older.CompleteResult, error) {
			return decode(older.Decode[older.CompleteResult], `{`+completions+`}`), nil
		},
		ResourcesList: func(context.Context, *older.PaginatedRequestParams) (*older.ListResourcesResult, error) {
			return decode(older.Decode[older.ListResourcesResult], `{`+listResources+`}`), nil
		},
		ResourcesTemplatesList: func(context.Context, *older.PaginatedRequestParams) (*older.ListResourceTemplatesResult, error) {
			return decode(older.Decode[older.ListResourceTemplatesResult], `{`+listTemplates+`}`), nil
		},
		ResourcesRead: func(_ context.Context, p *older.ReadResourceRequestParams) (*older.ReadResourceResult, error) {
			contents, ok := resource(p.URI)
			if !ok {
				return nil, &rpc.Error{Code: -32002, Message: "Resource not found", Data: json.RawMessage(`{"uri":` + quote(p.URI) + `}`)}
			}
			return decode(older.Decode[older.ReadResourceResult], `{`+contents+`}`), nil
		},
		PromptsList: func(context.Context, *older.PaginatedRequestParams) (*older.ListPromptsResult, error) {
			return decode(older.Decode[older.ListPromptsResult], `{`+listPrompts+`]}`), nil
		},
		PromptsGet: func(_ context.Context, p *older.GetPromptRequestParams) (*older.GetPromptResult, error) {
			messages, ok := prompt(p.Name, p.Arguments)
			if !ok {
				return nil, rpc.InvalidParams
			}
			return decode(older.Decode[older.GetPromptResult], `{`+messages+`}`), nil
		},
		ToolsList: func(context.Context, *older.PaginatedRequestParams) (*older.ListToolsResult, error) {
			return decode(older.Decode[older.ListToolsResult], `{`+listTools(append(commonTools[:len(commonTools):len(commonTools)], "test_tool_with_logging",
				"test_sampling", "test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums", "test_reconnection")...)+`}`), nil
		},
		ToolsCall: s.call,
	})
}

// call calls a tool. Its errors are results, so that a model sees them.
func (s *session) call(ctx context.Context, p *older.CallToolRequestParams) (older.CallToolOutcome, error) {
	result, err := s.run(ctx, p)
	if err != nil {
		result = said(err.Error()) + `,"isError":true}`
	}
	return decode(older.Decode[older.CallToolResult], result), nil
}

func (s *session) run(ctx context.Context, p *older.CallToolRequestParams) (result string, err error) {
	if content, ok := contents[p.Name]; ok {
		return `{"content":` + content + `}`, nil
	}
	const pause = 50 * time.Millisecond
	switch p.Name {
	case "test_error_handling":
		return said("This tool intentionally returns an error for testing") + `,"isError":true}`, nil
	case "test_tool_with_logging":
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			err := s.client.NotificationsMessage(ctx, &older.LoggingMessageNotificationParams{Level: older.LoggingLevelInfo, Data: json.RawMessage(quote(text))})
			if err != nil {
				return "", err
			}
			time.Sleep(pause)
		}
	case "test_tool_with_progress":
		for i := 0; p.Meta != nil && p.Meta.ProgressToken != nil && i <= 100; i += 50 {
			total := 100.0
			if err := s.client.NotificationsProgress(ctx, &older.ProgressNotificationParams{ProgressToken: p.Meta.ProgressToken, Progress: float64(i), Total: &total}); err != nil {
				return "", err
			}
			time.Sleep(pause)
		}
	case "test_sampling":
		params := `{"messages":[{"role":"user","content":{"type":"text","text":` + quote(argument(p.Arguments, "prompt")) + `}}],"maxTokens":100}`
		got, err := s.client.SamplingCreateMessage(ctx, decode(older.Decode[older.CreateMessageRequestParams], params))
		if err != nil {
			return "", err
		}
		answer, err := json.Marshal(got)
		return said("LLM response: "+string(answer)) + `}`, err
	case "test_elicitation":
		return s.elicit(ctx, argument(p.Arguments, "message"), `{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]`)
	case "test_elicitation_sep1034_defaults":
		return s.elicit(ctx, "Please fill in", `{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`)
	case "test_elicitation_sep1330_enums":
		return s.elicit(ctx, "Please choose", `{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}}`)
	case "test_reconnection":
		web.EndStream(ctx, s.transport)
		time.Sleep(2 * pause)
	default:
		return "", rpc.InvalidParams
	}
	return said("Done.") + `}`, nil
}

// elicit asks the user.
func (s *session) elicit(ctx context.Context, message, properties string) (string, error) {
	params := `{"message":` + quote(message) + `,"requestedSchema":{"type":"object","properties":` + properties + `}}`
	got, err := s.client.ElicitationCreate(ctx, decode(older.DecodeElicitRequestParams, params))
	if err != nil {
		return "", err
	}
	result, ok := got.(*older.ElicitResult)
	if !ok {
		return "", fmt.Errorf("the answer is %T", got)
	}
	content, err := json.Marshal(result.Content)
	return said("Elicitation completed: action="+string(result.Action)+", content="+string(content)) + `}`, err
}
