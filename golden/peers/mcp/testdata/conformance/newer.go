// The server of versions in which each request stands for itself, and the answer may ask for input.

package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"ours/newer"
	"ours/wire/rpc"
)

// server is what all requests share.
type server struct {
	key []byte // of the state that travels

	mu        sync.Mutex // guards listeners
	listeners map[chan string]*newer.SubscriptionFilter
}

func newServer() *server {
	return &server{key: []byte(rand.Text()), listeners: map[chan string]*newer.SubscriptionFilter{}}
}

// What every result begins with.
const (
	complete = `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"ours","version":"1"}},`
	cached   = complete + `"ttlMs":1000,"cacheScope":"private",`
)

func (s *server) handlers() *newer.ServerHandlers {
	return &newer.ServerHandlers{
		ServerDiscover: func(context.Context, *newer.RequestParams) (*newer.DiscoverResult, error) {
			return decode(newer.Decode[newer.DiscoverResult], cached+`"supportedVersions":["2026-07-28"],"serverInfo":{"name":"ours","version":"1"},
				"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{},"completions":{},"logging":{}}}`), nil
		},
		CompletionComplete: func(context.Context, *newer.CompleteRequestParams) (*newer.CompleteResult, error) {
			return decode(newer.Decode[newer.CompleteResult], complete+completions+`}`), nil
		},
		ResourcesList: func(context.Context, *newer.PaginatedRequestParams) (*newer.ListResourcesResult, error) {
			return decode(newer.Decode[newer.ListResourcesResult], cached+listResources+`}`), nil
		},
		ResourcesTemplatesList: func(context.Context, *newer.PaginatedRequestParams) (*newer.ListResourceTemplatesResult, error) {
			return decode(newer.Decode[newer.ListResourceTemplatesResult], cached+listTemplates+`}`), nil
		},
		ResourcesRead: func(_ context.Context, p *newer.ReadResourceRequestParams) (newer.ReadResourceOutcome, error) {
			contents, ok := resource(p.URI)
			if !ok {
				return nil, &rpc.Error{Code: int64(rpc.InvalidParams), Message: "Resource not found", Data: json.RawMessage(`{"uri":` + quote(p.URI) + `}`)}
			}
			return decode(newer.Decode[newer.ReadResourceResult], cached+contents+`}`), nil
		},
		PromptsList: func(context.Context, *newer.PaginatedRequestParams) (*newer.ListPromptsResult, error) {
			return decode(newer.Decode[newer.ListPromptsResult], cached+listPrompts+`,{"name":"test_input_required_result_prompt","description":"Asks for context"}]}`), nil
		},
		PromptsGet: getPrompt,
		ToolsList: func(context.Context, *newer.PaginatedRequestParams) (*newer.ListToolsResult, error) {
			names := append(commonTools[:len(commonTools):len(commonTools)], "test_headers", "test_missing_capability", "test_streaming_elicitation", "test_logging_tool",
				"test_trigger_tool_change", "test_trigger_prompt_change")
			for _, name := range []string{"elicitation", "sampling", "list_roots", "request_state", "multiple_inputs", "multi_round", "tampered_state", "capabilities"} {
				names = append(names, "test_input_required_result_"+name)
			}
			return decode(newer.Decode[newer.ListToolsResult], cached+listTools(names...)+`}`), nil
		},
		ToolsCall:           s.call,
		SubscriptionsListen: s.listen,
	}
}

// What input is asked for.
const (
	askName     = `"user_name":{"method":"elicitation/create","params":{"message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`
	askConfirm  = `"confirm":{"method":"elicitation/create","params":{"message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}`
	askCapital  = `"capital_question":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}}`
	askGreeting = `"greeting":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Generate a greeting"}}],"maxTokens":50}}`
	askRoots    = `"client_roots":{"method":"roots/list","params":{}}`
	askStep     = `"step%d":{"method":"elicitation/create","params":{"message":%q,"requestedSchema":{"type":"object","properties":{%q:{"type":"string"}},"required":[%[3]q]}}}`
	askContext  = `"user_context":{"method":"elicitation/create","params":{"message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}}`
)

func required(requests, state string) *newer.InputRequiredResult {
	if state != "" {
		state = `,"requestState":` + quote(state)
	}
	return decode(newer.Decode[newer.InputRequiredResult], `{"resultType":"input_required","inputRequests":{`+requests+`}`+state+`}`)
}

func getPrompt(_ context.Context, p *newer.GetPromptRequestParams) (newer.GetPromptOutcome, error) {
	if p.Name == "test_input_required_result_prompt" {
		if answers(p.InputResponses, "user_context") {
			return decode(newer.Decode[newer.GetPromptResult], complete+`"messages":[]}`), nil
		}
		return required(askContext, ""), nil
	}
	messages, ok := prompt(p.Name, p.Arguments)
	if !ok {
		return nil, rpc.InvalidParams
	}
	return decode(newer.Decode[newer.GetPromptResult], complete+messages+`}`), nil
}

// answers reports whether all input that was asked for is there.
func answers(given newer.InputResponses, names ...string) bool {
	for _, name := range names {
		if given[name] == nil {
			return false
		}
	}
	return true
}

// sign returns a state that only this server makes.
func (s *server) sign(state string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

// state returns the state that a client sends back, or "" if there is none.
func (s *server) state(p *newer.CallToolRequestParams) (string, error) {
	if p.RequestState == nil {
		return "", nil
	}
	state, _, _ := strings.Cut(*p.RequestState, ".")
	if !hmac.Equal([]byte(s.sign(state)), []byte(*p.RequestState)) {
		return "", &rpc.Error{Code: int64(rpc.InvalidParams), Message: "the state is not of this server"}
	}
	return state, nil
}

func (s *server) call(ctx context.Context, p *newer.CallToolRequestParams) (newer.CallToolOutcome, error) {
	result := func(text string) (newer.CallToolOutcome, error) {
		return decode(newer.Decode[newer.CallToolResult], complete+text[1:]), nil
	}
	if content, ok := contents[p.Name]; ok {
		return result(`{"content":` + content + `}`)
	}
	if input, ok := strings.CutPrefix(p.Name, "test_input_required_result_"); ok {
		return s.ask(input, p)
	}
	client := newer.NewClientConn(rpc.CallerOf(ctx))
	switch p.Name {
	case "test_error_handling":
		return result(said("This tool intentionally returns an error for testing") + `,"isError":true}`)
	case "test_tool_with_progress":
		for i := 0; p.Meta.ProgressToken != nil && i <= 100; i += 50 {
			total := 100.0
			if err := client.NotificationsProgress(ctx, &newer.ProgressNotificationParams{ProgressToken: p.Meta.ProgressToken, Progress: float64(i), Total: &total}); err != nil {
				return nil, err
			}
		}
	case "test_missing_capability":
		return nil, &rpc.Error{Code: -32021, Message: "This needs sampling", Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)}
	case "test_streaming_elicitation":
		return required(askName, ""), nil
	case "test_trigger_tool_change":
		s.tell("notifications/tools/list_changed")
	case "test_trigger_prompt_change":
		s.tell("notifications/prompts/list_changed")
	case "test_logging_tool", "test_headers", "json_schema_2020_12_tool":
	default:
		return nil, rpc.InvalidParams
	}
	return result(said("Done.") + `}`)
}

// ask has tools that need input.
func (s *server) ask(tool string, p *newer.CallToolRequestParams) (newer.CallToolOutcome, error) {
	state, err := s.state(p)
	if err != nil {
		return nil, err
	}
	given := p.InputResponses
	switch {
	case tool == "elicitation" && !answers(given, "user_name"):
		return required(askName, ""), nil
	case tool == "sampling" && !answers(given, "capital_question"):
		return required(askCapital, ""), nil
	case tool == "list_roots" && !answers(given, "client_roots"):
		return required(askRoots, ""), nil
	case (tool == "request_state" || tool == "tampered_state") && (state == "" || !answers(given, "confirm")):
		return required(askConfirm, s.sign("asked")), nil
	case tool == "multiple_inputs" && !answers(given, "user_name", "greeting", "client_roots"):
		return required(askName+","+askGreeting+","+askRoots, s.sign("asked")), nil
	case tool == "multi_round" && state == "":
		return required(fmt.Sprintf(askStep, 1, "Step 1: What is your name?", "name"), s.sign("first")), nil
	case tool == "multi_round" && state == "first":
		return required(fmt.Sprintf(askStep, 2, "Step 2: What is your favorite color?", "color"), s.sign("second")), nil
	case tool == "capabilities" && !answers(given, "capital_question"):
		var meta struct {
			Can struct{ Sampling, Elicitation *json.RawMessage } `json:"io.modelcontextprotocol/clientCapabilities"`
		}
		text, err := json.Marshal(&p.Meta)
		if err == nil {
			err = json.Unmarshal(text, &meta)
		}
		switch can := meta.Can; {
		case err != nil:
			return nil, err
		case can.Sampling != nil:
			return required(askCapital, ""), nil
		case can.Elicitation != nil:
			return required(askName, ""), nil
		}
	}
	return decode(newer.Decode[newer.CallToolResult], complete+(said("state-ok "+state) + `}`)[1:]), nil
}

// tell tells those who listen that a list has changed.
func (s *server) tell(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for to, wants := range s.listeners {
		tools, prompts := wants.ToolsListChanged, wants.PromptsListChanged
		if method == "notifications/tools/list_changed" && tools != nil && *tools || method == "notifications/prompts/list_changed" && prompts != nil && *prompts {
			select {
			case to <- method:
			default: // one is on its way
			}
		}
	}
}

// listen sends what a client wants to hear of until it goes.
func (s *server) listen(ctx context.Context, p *newer.SubscriptionsListenRequestParams) (*newer.SubscriptionsListenResult, error) {
	changes := make(chan string, 1)
	s.mu.Lock()
	s.listeners[changes] = &p.Notifications
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, changes)
	}()
	client, id := rpc.CallerOf(ctx), `"_meta":{"io.modelcontextprotocol/subscriptionId":`+string(rpc.RequestOf(ctx))+`}`
	filter, err := json.Marshal(&p.Notifications)
	if err != nil {
		return nil, err
	}
	if err := client.Notify(ctx, "notifications/subscriptions/acknowledged", json.RawMessage(`{`+id+`,"notifications":`+string(filter)+`}`)); err != nil {
		return nil, err
	}
	for {
		select {
		case method := <-changes:
			if err := client.Notify(ctx, method, json.RawMessage(`{`+id+`}`)); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
