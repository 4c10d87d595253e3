// Examples of what clients and agents do, as godoc shows them.

package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/generated/wire/gate"
	"github.com/ahpgen/ahpgen/generated/wire/meta"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// connect starts both ends of a connection. In its own process an agent serves rpc.Stdio, and its client rpc.Pipes.
func connect(client *acp.ClientHandlers, agent *acp.AgentHandlers) (*acp.AgentConn, *acp.ClientConn) {
	here, there := net.Pipe()
	ours, theirs := rpc.NewPeer(rpc.Stream(here), nil), rpc.NewPeer(rpc.Stream(there), nil)
	go func() { _ = ours.Serve(context.Background(), client) }()
	go func() { _ = theirs.Serve(context.Background(), agent) }()
	return acp.NewAgentConn(ours), acp.NewClientConn(theirs)
}

// An agent streams what it does. All of it has been handled when the prompt returns.
func ExampleClientConn_SessionUpdate() {
	client := &acp.ClientHandlers{SessionUpdate: func(_ context.Context, n *acp.SessionNotification) {
		if chunk, ok := n.Update.(*acp.SessionUpdateAgentMessageChunk); ok {
			fmt.Println(chunk.Content.(*acp.TextContent).Text)
		}
	}}
	agent := &acp.AgentHandlers{}
	toAgent, toClient := connect(client, agent)
	agent.SessionPrompt = func(ctx context.Context, p *acp.PromptRequest) (*acp.PromptResponse, error) {
		for _, text := range []string{"one", "two"} {
			update := &acp.SessionUpdateAgentMessageChunk{Content: &acp.TextContent{Text: text}}
			if err := toClient.SessionUpdate(ctx, &acp.SessionNotification{SessionID: p.SessionID, Update: update}); err != nil {
				return nil, err
			}
		}
		return &acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
	}
	turn, err := toAgent.SessionPrompt(context.Background(), &acp.PromptRequest{SessionID: "s1", Prompt: []acp.ContentBlock{}})
	fmt.Println(turn.StopReason, err)
	// Output:
	// one
	// two
	// end_turn <nil>
}

// Consent is a chosen option that was offered and allows it. An outcome of a newer client is none.
func ExampleRequestPermissionOutcome() {
	kinds := map[acp.PermissionOptionID]acp.PermissionOptionKind{
		"yes": acp.PermissionOptionKindAllowOnce, "no": acp.PermissionOptionKindRejectOnce, "later": "allow_tomorrow",
	}
	for _, text := range []string{
		`{"outcome":"selected","optionId":"yes"}`, `{"outcome":"selected","optionId":"no"}`, `{"outcome":"selected","optionId":"later"}`,
		`{"outcome":"selected","optionId":"other"}`, `{"outcome":"cancelled"}`, `{"outcome":"delegated","optionId":"yes"}`,
	} {
		outcome, err := acp.DecodeRequestPermissionOutcome([]byte(text))
		consent := false
		if chosen, ok := outcome.(*acp.SelectedPermissionOutcome); ok {
			kind := kinds[chosen.OptionID]
			consent = kind == acp.PermissionOptionKindAllowOnce || kind == acp.PermissionOptionKindAllowAlways
		}
		fmt.Println(outcome.RequestPermissionOutcomeKind(), consent, err)
	}
	// Output:
	// selected true <nil>
	// selected false <nil>
	// selected false <nil>
	// selected false <nil>
	// cancelled false <nil>
	// delegated false <nil>
}

// What the agent has not said that it can take is not sent.
func ExampleAgentConn_Supports() {
	yes := true
	agent := &acp.AgentHandlers{Initialize: func(_ context.Context, p *acp.InitializeRequest) (*acp.InitializeResponse, error) {
		return &acp.InitializeResponse{
			ProtocolVersion:   acp.NegotiateVersion(p.ProtocolVersion),
			AgentCapabilities: &acp.AgentCapabilities{LoadSession: &yes},
		}, nil
	}}
	client := acp.NewAgentConn(rpc.Local(agent))
	ctx := context.Background()
	_, err := client.Initialize(ctx, &acp.InitializeRequest{ProtocolVersion: 1})
	fmt.Println(client.Supports(acp.MethodSessionLoad), client.Supports(acp.MethodSessionList), err)
	_, err = client.SessionList(ctx, &acp.ListSessionsRequest{})
	fmt.Println(errors.Is(err, gate.ErrNotAdvertised), err)
	// Output:
	// true false <nil>
	// true session/list: agentCapabilities.sessionCapabilities.list is not advertised by the peer
}

// A call whose context ends is cancelled at the peer, too.
func ExampleAgentConn_SessionPrompt() {
	cancelled := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	agent := &acp.AgentHandlers{SessionPrompt: func(ctx context.Context, _ *acp.PromptRequest) (*acp.PromptResponse, error) {
		rpc.Async(ctx) // what comes meanwhile goes on
		cancel()
		<-ctx.Done()
		cancelled <- context.Cause(ctx)
		return nil, ctx.Err()
	}}
	client, _ := connect(&acp.ClientHandlers{}, agent)
	_, err := client.SessionPrompt(ctx, &acp.PromptRequest{SessionID: "s1", Prompt: []acp.ContentBlock{}})
	fmt.Println(errors.Is(err, context.Canceled), <-cancelled)
	// Output: true cancelled by the peer
}

// Methods that begin with an underscore are for everybody to define.
func ExampleAgentConn_CallExtension() {
	client := acp.NewAgentConn(rpc.Local(&acp.AgentHandlers{Extensions: map[string]rpc.ExtensionHandler{
		"_example.com/mood": func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"mood":"glad"}`), nil
		},
	}}))
	mood, err := client.CallExtension(context.Background(), "_example.com/mood", nil)
	fmt.Println(string(mood), err)
	_, err = client.CallExtension(context.Background(), "_example.com/age", nil)
	fmt.Println(errors.Is(err, acp.ErrorCodeMethodNotFound))
	// Output:
	// {"mood":"glad"} <nil>
	// true
}

// What is malformed is dropped where the protocol wants that, and a hook hears of it.
func ExampleToolCall() {
	wire.OnForgiven(func(err *wire.DecodeError) { fmt.Printf("dropped %s: %v\n", err.Dropped(), err) })
	defer wire.OnForgiven(nil)
	update, err := acp.DecodeSessionUpdate([]byte(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","locations":[{"path":7},{"path":"/tmp"}]}`))
	call := update.(*acp.ToolCall)
	fmt.Println(len(call.Locations), call.Locations[0].Path, err)
	// Output:
	// dropped {"path":7}: locations[0]: path: want string, got number
	// 1 /tmp <nil>
}

// An update of a newer agent, or of an extension, is kept as it came. Its metadata can be read.
func ExampleUnknownSessionUpdate() {
	text := `{"sessionUpdate":"_example.com/mood","_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","level":3}}`
	update, err := acp.DecodeSessionUpdate([]byte(text))
	unknown := update.(*acp.UnknownSessionUpdate)
	fmt.Println(unknown.SessionUpdate, unknown.IsExtension(), string(unknown.Raw) == text, err)
	fmt.Println(meta.TraceOf(unknown.GetMeta()).Traceparent)
	level, ok, err := meta.Get[int](unknown.GetMeta(), "level")
	fmt.Println(level, ok, err)
	// Output:
	// _example.com/mood true true <nil>
	// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
	// 3 true <nil>
}
