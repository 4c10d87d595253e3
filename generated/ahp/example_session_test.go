// Examples of a connection that is kept and of a server, as godoc shows them.

package ahp_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

const terminalURI = "ahp-terminal:/1"

// newTerminal is a state to begin with.
func newTerminal(title string) *ahp.TerminalState {
	return &ahp.TerminalState{
		Title: title, Content: []ahp.TerminalContentPart{}, Lifecycle: &ahp.TerminalRunningLifecycleState{},
		Claim: &ahp.TerminalSessionClaim{Session: "ahp-session:/1", Chat: "ahp-chat:/1"},
	}
}

// over dials a server in the same program. It is called again when a connection is lost.
func over(s *ahp.Server) func(context.Context) (rpc.Transport, error) {
	return func(context.Context) (rpc.Transport, error) {
		here, there := net.Pipe()
		go func() { _ = s.Serve(context.Background(), rpc.Stream(there)) }()
		return rpc.Stream(here), nil
	}
}

// What a client does shows at once, and is confirmed when the host has answered.
func ExampleConnect() {
	host, _ := ahp.NewServer(nil)
	_ = host.OpenChannel(terminalURI, newTerminal("Draft"))

	ctx := context.Background()
	outcomes := make(chan state.Outcome, 1)
	client, err := ahp.Connect(ctx, over(host), &ahp.ConnOptions{
		Received: func(_ *ahp.ActionEnvelope, outcome state.Outcome) { outcomes <- outcome },
	})
	fmt.Println(client.Version(), err)

	fmt.Println(client.Subscribe(ctx, terminalURI))
	fmt.Println(client.Dispatch(ctx, terminalURI, &ahp.TerminalTitleChangedAction{Title: "Mine"}))
	view, _ := client.Store.Terminal(terminalURI)
	fmt.Println(view.Optimistic.Title)
	fmt.Println(<-outcomes)
	fmt.Println(client.Close(), host.Close())
	// Output:
	// 1.0.0 <nil>
	// <nil>
	// <nil>
	// Mine
	// confirmed
	// <nil> <nil>
}

// A host decides what clients may do, and acts itself.
func ExampleNewServer() {
	host, err := ahp.NewServer(&ahp.ServerOptions{
		Validate: func(_ *server.Client, _ string, _ ahp.SnapshotState, action ahp.StateAction) error {
			if title, ok := action.(*ahp.TerminalTitleChangedAction); ok && title.Title == "" {
				return errors.New("a title needs a word")
			}
			return nil
		},
	})
	fmt.Println(err, host.OpenChannel(terminalURI, newTerminal("Draft")))

	ctx := context.Background()
	told := make(chan string, 1)
	client, _ := ahp.Connect(ctx, over(host), &ahp.ConnOptions{
		Received: func(e *ahp.ActionEnvelope, outcome state.Outcome) {
			if outcome == state.Rejected {
				told <- *e.RejectionReason
				return
			}
			told <- string(e.Action.ActionType())
		},
	})
	_ = client.Subscribe(ctx, terminalURI)
	_ = client.Dispatch(ctx, terminalURI, &ahp.TerminalTitleChangedAction{})
	fmt.Println(<-told)
	_ = host.Publish(terminalURI, &ahp.TerminalExitedAction{})
	fmt.Println(<-told)
	now, _ := host.State(terminalURI)
	fmt.Println(now.(*ahp.TerminalState).Title)
	fmt.Println(client.Close(), host.Close())
	// Output:
	// <nil> <nil>
	// a title needs a word
	// terminal/exited
	// Draft
	// <nil> <nil>
}
