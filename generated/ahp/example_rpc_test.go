// Examples of the client's and the host's end of a connection, as godoc shows them.

package ahp_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/meta"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// A client can talk to the handlers of a host in the same program.
func ExampleHostConn() {
	handlers := &ahp.HostHandlers{
		Initialize: func(_ context.Context, p *ahp.InitializeParams) (*ahp.InitializeResult, error) {
			version, err := ahp.NegotiateVersion(p.ProtocolVersions)
			return &ahp.InitializeResult{ProtocolVersion: version, Snapshots: []ahp.Snapshot{}}, err
		},
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error { return ahp.ErrorCodeSessionNotFound },
		DispatchAction: func(_ context.Context, p *ahp.DispatchActionParams) { fmt.Println("got", p.Action.ActionType()) },
	}
	host := ahp.NewHostConn(rpc.Local(handlers))
	ctx := context.Background()

	opened, err := host.Initialize(ctx, &ahp.InitializeParams{ClientID: "me", ProtocolVersions: ahp.SupportedVersions()})
	fmt.Println(opened.ProtocolVersion, err)

	// A host-only action here would not compile.
	err = host.DispatchAction(ctx, &ahp.DispatchActionParams{Channel: "ahp-session:/1", Action: &ahp.SessionTitleChangedAction{Title: "Hello"}})
	fmt.Println(err)

	err = host.DisposeSession(ctx, &ahp.DisposeSessionParams{Channel: "ahp-session:/1"})
	fmt.Println(err, errors.Is(err, ahp.ErrorCodeSessionNotFound))

	_, err = host.ListSessions(ctx, &ahp.ListSessionsParams{})
	fmt.Println(err)
	// Output:
	// 1.0.0 <nil>
	// got session/titleChanged
	// <nil>
	// disposeSession: SessionNotFound (-32001) true
	// listSessions: method not found: "listSessions" (-32601)
}

// Who has a transport of their own hands whole messages to handlers, and sends what they answer.
func ExampleHostHandlers() {
	host := &ahp.HostHandlers{Ping: func(context.Context, *ahp.PingParams) error { return nil }}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"a","method":"ping","params":{"channel":"ahp-root://"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"createSession","params":{"channel":7}}`,
		`{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"ahp-session:/1"}}`,
		`{"jsonrpc":"2.0","id":3}`,
	} {
		message, err := host.DecodeRPC([]byte(line))
		var reply rpc.Message
		var bad *rpc.Error
		answer := errors.As(err, &bad)
		if answer {
			reply = rpc.Message{Kind: rpc.Failure, ID: []byte("null"), Error: bad}
		} else {
			reply, answer = rpc.Dispatch(context.Background(), host, &message)
		}
		if answer {
			out, err := reply.AppendJSON(nil)
			fmt.Println(string(out), err)
		}
	}
	// Output:
	// {"jsonrpc":"2.0","id":"a","result":null} <nil>
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: \"createSession\""}} <nil>
	// {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method: missing"}} <nil>
}

// A host sends to each client what the version agreed with it knows.
func ExampleClientConn_AtVersion() {
	client := &ahp.ClientHandlers{Action: func(_ context.Context, e *ahp.ActionEnvelope) { fmt.Println("sent", e.Action.ActionType()) }}
	host, err := ahp.NewClientConn(rpc.Local(client)).AtVersion("0.6.0")
	if err != nil {
		panic(err)
	}
	for _, action := range []ahp.StateAction{
		&ahp.ChatDeltaAction{TurnID: "turn-1", PartID: "part-1", Content: "Hello"},
		&ahp.ChatWorkingDirectorySetAction{Directory: "file:///work"},
	} {
		err := host.Action(context.Background(), &ahp.ActionEnvelope{Channel: "ahp-chat:/1", Action: action})
		if errors.Is(err, rpc.ErrNotInVersion) {
			info, _ := action.ActionType().Info()
			fmt.Println("kept", action.ActionType(), "since", info.Since)
		}
	}
	// Output:
	// sent chat/delta
	// kept chat/workingDirectorySet since 0.7.0
}

// Trace context and other data travel in metadata.
func Example_metadata() {
	data := meta.WithTrace(nil, meta.TraceContext{Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	data, err := meta.With(data, "example.com/retry", []byte(`2`))
	fmt.Println(len(data), err)
	_, err = meta.With(data, "baggage", []byte(`{}`))
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// baggage: want string: it is part of the trace context
}
