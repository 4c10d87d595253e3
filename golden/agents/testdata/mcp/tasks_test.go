// Requests that are answered with a task, on the package of the version that has them.

package mcp

import (
	"context"
	"encoding/json"
	"net"
	"testing"

	"corpus/wire/rpc"
)

// working is the answer to a request with a task.
func working(id string) *CreateTaskResult {
	return &CreateTaskResult{Task: Task{TaskID: id, Status: TaskStatusWorking, CreatedAt: "2025-11-25T10:00:00Z", LastUpdatedAt: "2025-11-25T10:00:00Z"}}
}

func TestACallMayBecomeATask(t *testing.T) {
	a, b := net.Pipe()
	there, here := rpc.NewPeer(rpc.Stream(a), nil), rpc.NewPeer(rpc.Stream(b), nil)
	go func() {
		_ = there.Serve(t.Context(), &ServerHandlers{
			Initialize: func(_ context.Context, p *InitializeRequestParams) (*InitializeResult, error) {
				can := ServerCapabilities{Tools: &ServerCapabilitiesPromptsOrTools{}, Tasks: &ServerCapabilitiesTasks{Requests: &ServerCapabilitiesTasksRequests{
					Tools: &ServerCapabilitiesTasksRequestsTools{Call: map[string]json.RawMessage{}},
				}}}
				return &InitializeResult{ProtocolVersion: NegotiateVersion(p.ProtocolVersion), Capabilities: can}, nil
			},
			ToolsCall: func(_ context.Context, p *CallToolRequestParams) (CallToolOutcome, error) {
				if p.Task != nil {
					return working("1"), nil
				}
				return &CallToolResult{Content: []ContentBlock{&TextContent{Text: "done"}}}, nil
			},
		})
	}()
	go func() {
		_ = here.Serve(t.Context(), &ClientHandlers{
			SamplingCreateMessage: func(context.Context, *CreateMessageRequestParams) (CreateMessageOutcome, error) {
				return working("2"), nil
			},
			ElicitationCreate: func(_ context.Context, p ElicitRequestParams) (ElicitOutcome, error) {
				if form, ok := p.(*ElicitRequestFormParams); ok && form.Task != nil {
					return working("3"), nil
				}
				return &ElicitResult{Action: ElicitResultActionAccept, Content: map[string]ElicitResultContentValue{
					"ratio": ElicitResultContentValueNumber("1.5"), "size": ElicitResultContentValueNumber("1180591620717411303424"), "none": ElicitResultContentValueNull{},
				}}, nil
			},
		})
	}()
	server, client := NewServerConn(here), NewClientConn(there)
	_, err := server.Initialize(t.Context(), &InitializeRequestParams{ProtocolVersion: ProtocolVersion(), Capabilities: *must(t, Decode[ClientCapabilities],
		`{"sampling":{},"elicitation":{"form":{}},"tasks":{"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`)})
	ok(t, err)
	for _, c := range []struct {
		task *TaskMetadata
		want any
	}{{nil, "done"}, {&TaskMetadata{}, "1"}} {
		outcome, err := server.ToolsCall(t.Context(), &CallToolRequestParams{Name: "x", Task: c.task})
		ok(t, err)
		switch outcome := outcome.(type) {
		case *CallToolResult:
			if outcome.Content[0].(*TextContent).Text != c.want {
				t.Fatal(outcome)
			}
		case *CreateTaskResult:
			if outcome.Task.TaskID != c.want {
				t.Fatal(outcome)
			}
		}
	}
	message, err := client.SamplingCreateMessage(t.Context(), &CreateMessageRequestParams{Task: &TaskMetadata{}})
	ok(t, err)
	if task := message.(*CreateTaskResult); task.Task.TaskID != "2" || task.Task.TTL != nil {
		t.Fatal(task)
	}
	asked, err := client.ElicitationCreate(t.Context(), &ElicitRequestFormParams{Task: &TaskMetadata{}})
	ok(t, err)
	if task := asked.(*CreateTaskResult); task.Task.TaskID != "3" {
		t.Fatal(task)
	}
	asked, err = client.ElicitationCreate(t.Context(), &ElicitRequestFormParams{})
	ok(t, err)
	text, err := asked.AppendJSON(nil)
	if err != nil || !sameJSON(t, text, `{"action":"accept","content":{"ratio":1.5,"size":1180591620717411303424,"none":null}}`) {
		t.Fatal(string(text), err)
	}
}
