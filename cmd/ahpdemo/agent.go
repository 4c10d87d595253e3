// The agent: a script in place of a model. Each known prompt plays a turn.

package main

import (
	"context"
	"sync"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// The known prompts.
const (
	promptFiles = "Which files are here?"
	promptStory = "Tell me a story."
)

type agent struct {
	ctx     context.Context // cancelled when the host stops
	publish func(channel string, action ahp.StateAction)
	gone    chan struct{} // signals that a client has disconnected

	mu      sync.Mutex // guards the following fields
	asked   map[toolCall]chan<- bool
	working int
	quiet   chan struct{} // closed while no turn is active
}

// toolCall is a call waiting for permission.
type toolCall struct{ channel, turn, call string }

func newAgent(ctx context.Context, publish func(string, ahp.StateAction)) *agent {
	quiet := make(chan struct{})
	close(quiet)
	return &agent{ctx: ctx, publish: publish, gone: make(chan struct{}, 1), asked: map[toolCall]chan<- bool{}, quiet: quiet}
}

// observe is called for every accepted action of a client. It does not block.
func (a *agent) observe(channel string, action ahp.StateAction) {
	switch action := action.(type) {
	case *ahp.ChatTurnStartedAction:
		select {
		case <-a.gone: // drain earlier disconnects
		default:
		}
		a.work(1)
		go func() {
			defer a.work(-1)
			a.play(turn{a, channel, action.TurnID}, action.Message.Text)
		}()
	case *ahp.ChatToolCallApprovedAction:
		a.answered(toolCall{channel, action.TurnID, action.ToolCallID}, approved)
	case *ahp.ChatToolCallDeniedAction:
		a.answered(toolCall{channel, action.TurnID, action.ToolCallID}, denied)
	}
}

// left is called when a client disconnects.
func (a *agent) left() {
	select {
	case a.gone <- struct{}{}:
	default:
	}
}

// work adjusts the number of active turns, without those waiting for a user.
func (a *agent) work(change int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.working == 0 {
		a.quiet = make(chan struct{})
	}
	a.working += change
	if a.working == 0 {
		close(a.quiet)
	}
}

// rest waits until no turn is active.
func (a *agent) rest(ctx context.Context) {
	a.mu.Lock()
	quiet := a.quiet
	a.mu.Unlock()
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

// Answers to a permission request.
const (
	approved = true
	denied   = false
)

// answered delivers an answer if the call is waiting.
func (a *agent) answered(call toolCall, yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer, ok := a.asked[call]; ok {
		delete(a.asked, call)
		answer <- yes
	}
}

func (a *agent) play(t turn, prompt string) {
	switch prompt {
	case promptFiles:
		t.files()
	case promptStory:
		t.story()
	default:
		t.text("answer", "I only know my script.")
	}
	t.act(&ahp.ChatTurnCompleteAction{TurnID: t.id, Duration: 1200})
}

// turn is an answer being written.
type turn struct {
	agent   *agent
	channel string
	id      string
}

// files calls a tool that needs permission.
func (t turn) files() {
	t.text("look", "Let me ", "look.")
	t.act(&ahp.ChatToolCallStartAction{TurnID: t.id, ToolCallID: "call-1", ToolName: "list", DisplayName: "List files"})
	if !t.ask("call-1", "List the files of the folder") {
		t.text("answer", "Then I cannot tell.")
		return
	}
	t.act(&ahp.ChatToolCallCompleteAction{TurnID: t.id, ToolCallID: "call-1", Result: ahp.ToolCallResult{
		Success: true, PastTenseMessage: ahp.StringOrMarkdownString("Listed the files"),
		Content: []ahp.ToolResultContent{&ahp.ToolResultTextContent{Text: "go.mod\nmain.go"}},
	}})
	t.text("answer", "There are ", "go.mod ", "and main.go.")
}

// story continues while the client is disconnected, with background work beside the turn.
func (t turn) story() {
	t.text("story", "Once upon a time ")
	select {
	case <-t.agent.gone:
	case <-t.agent.ctx.Done():
	}
	t.act(&ahp.ChatBackgroundWorkSetAction{Work: &ahp.BackgroundShellWork{ID: "work-1", Label: "Draw a picture", StartedAt: theTimeText, Command: "draw"}})
	t.delta("story", "there was a wire ")
	t.delta("story", "that broke.")
	t.act(&ahp.ChatBackgroundWorkRemovedAction{ID: "work-1"})
}

// ask waits for permission. No answer means no.
func (t turn) ask(call, what string) bool {
	answer := make(chan bool, 1)
	t.agent.mu.Lock()
	t.agent.asked[toolCall{t.channel, t.id, call}] = answer
	t.agent.mu.Unlock()
	t.agent.work(-1) // a turn waiting for its user is inactive
	defer t.agent.work(1)
	t.act(&ahp.ChatToolCallReadyAction{TurnID: t.id, ToolCallID: call, InvocationMessage: ahp.StringOrMarkdownString(what)})
	select {
	case yes := <-answer:
		return yes
	case <-t.agent.ctx.Done():
		return false
	}
}

func (t turn) act(action ahp.StateAction) { t.agent.publish(t.channel, action) }

// text starts a part of the answer and streams its words.
func (t turn) text(part string, words ...string) {
	t.act(&ahp.ChatResponsePartAction{TurnID: t.id, Part: &ahp.MarkdownResponsePart{ID: part, Content: ""}})
	for _, word := range words {
		t.delta(part, word)
	}
}

func (t turn) delta(part, word string) {
	t.act(&ahp.ChatDeltaAction{TurnID: t.id, PartID: part, Content: word})
}
