// The actions of the client's user, step by step.

package main

import (
	"context"
	"fmt"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

const sessionURI = "ahp-session:/demo"

var chatURI = chatOf(sessionURI)

// play runs all steps.
func (c *client) play(ctx context.Context) error {
	for _, step := range []func(context.Context) error{c.begin, c.askForFiles, c.rename, c.automate, c.askForStory} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.id, err)
		}
	}
	err := c.Close()
	c.log.states(c.states())
	return err
}

// begin opens a session and subscribes to it and its chat.
func (c *client) begin(ctx context.Context) error {
	if err := c.subscribe(ctx, rootURI); err != nil {
		return err
	}
	if err := c.Host.CreateSession(ctx, &ahp.CreateSessionParams{Channel: sessionURI}); err != nil {
		return err
	}
	if err := c.until(ctx, func() bool { return c.added[sessionURI] }); err != nil {
		return err
	}
	if err := c.subscribe(ctx, sessionURI); err != nil {
		return err
	}
	return c.subscribe(ctx, chatURI)
}

// askForFiles plays a turn with a tool that needs permission.
func (c *client) askForFiles(ctx context.Context) error {
	if err := c.ask(ctx, "turn-1", promptFiles); err != nil {
		return err
	}
	var call *ahp.ToolCallPendingConfirmationState
	if err := c.until(ctx, func() bool { call = c.waitingCall(); return call != nil }); err != nil {
		return err
	}
	c.log.say("is asked: %s?", call.InvocationMessage)
	yes := &ahp.ChatToolCallApprovedAction{TurnID: "turn-1", ToolCallID: call.ToolCallID, Confirmed: ahp.ToolCallConfirmationReasonUserAction}
	if err := c.dispatch(ctx, chatURI, yes); err != nil {
		return err
	}
	return c.until(ctx, func() bool { return c.chat().ActiveTurn == nil })
}

// rename dispatches a title that the host rejects.
func (c *client) rename(ctx context.Context) error {
	for _, title := range []string{" ", "Files and tales"} {
		if err := c.dispatch(ctx, sessionURI, &ahp.SessionTitleChangedAction{Title: title}); err != nil {
			return err
		}
		if err := c.until(ctx, func() bool { return c.session().Pending == 0 }); err != nil {
			return err
		}
		c.log.say("shows the title %q", c.session().Optimistic.Title)
	}
	return nil
}

// askForStory loses the connection during an answer.
func (c *client) askForStory(ctx context.Context) error {
	if err := c.ask(ctx, "turn-2", promptStory); err != nil {
		return err
	}
	if err := c.until(ctx, c.hasHeardSome); err != nil {
		return err
	}
	c.mu.Lock()
	socket := c.socket
	c.mu.Unlock()
	if err := socket.Close(""); err != nil {
		return err
	}
	return c.until(ctx, func() bool { return c.Status().State == conn.Ready && c.chat().ActiveTurn == nil })
}

// ask starts a turn.
func (c *client) ask(ctx context.Context, id, prompt string) error {
	message := ahp.Message{Text: prompt, Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}}
	return c.dispatch(ctx, chatURI, &ahp.ChatTurnStartedAction{TurnID: id, StartedAt: theTimeText, Message: message})
}

func (c *client) session() state.View[*ahp.SessionState] {
	view, _ := c.Store.Session(sessionURI)
	return view
}

func (c *client) chat() *ahp.ChatState {
	view, _ := c.Store.Chat(chatURI)
	return view.Optimistic
}

// waitingCall returns the tool call waiting for permission, or nil.
func (c *client) waitingCall() *ahp.ToolCallPendingConfirmationState {
	if c.chat().ActiveTurn == nil {
		return nil
	}
	for _, part := range c.chat().ActiveTurn.ResponseParts {
		if call, ok := part.(*ahp.ToolCallResponsePart); ok {
			if waiting, ok := call.ToolCall.(*ahp.ToolCallPendingConfirmationState); ok {
				return waiting
			}
		}
	}
	return nil
}

// hasHeardSome reports whether part of the answer has arrived.
func (c *client) hasHeardSome() bool {
	if c.chat().ActiveTurn == nil {
		return false
	}
	for _, part := range c.chat().ActiveTurn.ResponseParts {
		if text, ok := part.(*ahp.MarkdownResponsePart); ok && text.Content != "" {
			return true
		}
	}
	return false
}
