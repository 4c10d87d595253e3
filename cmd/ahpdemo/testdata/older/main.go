// Older is a client whose package was generated for an older version. It asks for two turns, consents to a tool, loses
// its connection in the second turn, and renames the session. For a number on its input it waits for that action, and
// prints its states.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"example.com/older/ahp"
	"example.com/older/ahp/wire/conn"
	"example.com/older/ahp/wire/rpc"
	"example.com/older/ahp/wire/state"
	"example.com/older/ahp/wire/ws"
)

const session, chat = "ahp-session:/demo", "ahp-chat:/demo"

type client struct {
	*ahp.Conn
	mu      sync.Mutex
	socket  rpc.Transport
	changed chan struct{}
}

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string) error {
	c := &client{changed: make(chan struct{}, 1)}
	version := ahp.ProtocolVersion()
	var err error
	c.Conn, err = ahp.Connect(ctx, func(ctx context.Context) (rpc.Transport, error) {
		socket, err := ws.Dial(ctx, url, nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.socket = socket
		return socket, err
	}, &ahp.ConnOptions{
		ClientID: "older " + version,
		Received: func(*ahp.ActionEnvelope, state.Outcome) { c.wake() },
		Keep:     conn.Options{Status: func(conn.Status) { c.wake() }},
	})
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, string) error{c.follow, c.askForFiles, c.askForStory, c.rename, c.report} {
		if err := step(ctx, version); err != nil {
			return err
		}
	}
	return c.Close()
}

func (c *client) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// until waits for a condition on the state.
func (c *client) until(met func() bool) error {
	for !met() {
		select {
		case <-c.changed:
		case <-c.Done():
			return c.Status().Err
		}
	}
	return nil
}

func (c *client) follow(ctx context.Context, _ string) error {
	if err := c.Subscribe(ctx, session); err != nil {
		return err
	}
	return c.Subscribe(ctx, chat)
}

// ask asks for a turn. What such an action has differs from version to version, so that it is written as JSON.
func (c *client) ask(ctx context.Context, turn, text string) error {
	action := map[string]any{
		"type": "chat/turnStarted", "turnId": turn,
		"message": map[string]any{"text": text, "origin": map[string]string{"kind": "user"}},
	}
	if ahp.ProtocolVersion() != "0.5.2" {
		action["startedAt"] = "2026-03-01T10:20:30.456Z"
	}
	data, err := json.Marshal(action)
	if err != nil {
		return err
	}
	decoded, err := ahp.DecodeStateAction(data)
	if err != nil {
		return err
	}
	return c.Dispatch(ctx, chat, decoded.(ahp.ClientAction))
}

func (c *client) askForFiles(ctx context.Context, version string) error {
	turn := "files " + version
	if err := c.ask(ctx, turn, "Which files are here?"); err != nil {
		return err
	}
	var call *ahp.ToolCallPendingConfirmationState
	if err := c.until(func() bool { call = c.waiting(); return call != nil }); err != nil {
		return err
	}
	yes := &ahp.ChatToolCallApprovedAction{TurnID: turn, ToolCallID: call.ToolCallID, Confirmed: ahp.ToolCallConfirmationReasonUserAction}
	if err := c.Dispatch(ctx, chat, yes); err != nil {
		return err
	}
	return c.until(func() bool { return c.state().ActiveTurn == nil })
}

func (c *client) state() *ahp.ChatState {
	view, _ := c.Store.Chat(chat)
	return view.Optimistic
}

// waiting returns the call that waits for consent, or nil.
func (c *client) waiting() *ahp.ToolCallPendingConfirmationState {
	turn := c.state().ActiveTurn
	if turn == nil {
		return nil
	}
	for _, part := range turn.ResponseParts {
		if part, ok := part.(*ahp.ToolCallResponsePart); ok {
			if call, ok := part.ToolCall.(*ahp.ToolCallPendingConfirmationState); ok {
				return call
			}
		}
	}
	return nil
}

func (c *client) askForStory(ctx context.Context, version string) error {
	if err := c.ask(ctx, "story "+version, "Tell me a story."); err != nil {
		return err
	}
	if err := c.until(func() bool { turn := c.state().ActiveTurn; return turn != nil && len(turn.ResponseParts) > 0 }); err != nil {
		return err
	}
	c.mu.Lock()
	socket := c.socket
	c.mu.Unlock()
	if err := socket.Close(""); err != nil {
		return err
	}
	return c.until(func() bool { return c.Status().State == conn.Ready && c.state().ActiveTurn == nil })
}

func (c *client) rename(ctx context.Context, version string) error {
	return c.Dispatch(ctx, session, &ahp.SessionTitleChangedAction{Title: "Named by " + version})
}

// report prints the states after an action.
func (c *client) report(context.Context, string) error {
	fmt.Println("done")
	var number int64
	if _, err := fmt.Scan(&number); err != nil {
		return err
	}
	if err := c.until(func() bool { return c.Store.LastSeen() >= number }); err != nil {
		return err
	}
	out := map[string]any{}
	for _, uri := range c.Store.Subscriptions() {
		view, _ := c.Store.View(uri)
		out[uri] = view.Confirmed
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
