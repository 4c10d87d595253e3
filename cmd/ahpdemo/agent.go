// The agent: a script in the place of a model. Each prompt that it knows has a turn to play.

package main

import (
	"context"
	"sync"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// The prompts that the script knows.
const (
	promptFiles = "Which files are here?"
	promptStory = "Tell me a story."
)

type agent struct {
	ctx     context.Context // ends with the host
	publish func(channel string, action ahp.StateAction)
	gone    chan struct{} // a client has left

	mu      sync.Mutex // guards what follows
	asked   map[toolCall]chan<- bool
	working int
	quiet   chan struct{} // closed while nothing works
}

// toolCall is one that waits for a user's consent.
type toolCall struct{ channel, turn, call string }

func newAgent(ctx context.Context, publish func(string, ahp.StateAction)) *agent {
	quiet := make(chan struct{})
	close(quiet)
	return &agent{ctx: ctx, publish: publish, gone: make(chan struct{}, 1), asked: map[toolCall]chan<- bool{}, quiet: quiet}
}

// observe is told of every action of a client that the host has accepted. It never waits.
func (a *agent) observe(channel string, action ahp.StateAction) {
	switch action := action.(type) {
	case *ahp.ChatTurnStartedAction:
		select {
		case <-a.gone: // whoever left before has nothing to do with this turn
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

// left is told that a client has left.
func (a *agent) left() {
	select {
	case a.gone <- struct{}{}:
	default:
	}
}

// work counts the turns that are being played and do not wait for a user.
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

// rest waits until nothing works.
func (a *agent) rest(ctx context.Context) {
	a.mu.Lock()
	quiet := a.quiet
	a.mu.Unlock()
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

// What a user says of a call that was asked about.
const (
	approved = true
	denied   = false
)

// answered passes on what a user said, if that was asked.
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

// turn is an answer that is being written.
type turn struct {
	agent   *agent
	channel string
	id      string
}

// files calls a tool, for which it needs the user's consent.
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

// story goes on while nobody listens: the client leaves in the middle. Meanwhile something runs beside the turn.
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

// ask asks the user whether a tool may run. No answer is a no.
func (t turn) ask(call, what string) bool {
	answer := make(chan bool, 1)
	t.agent.mu.Lock()
	t.agent.asked[toolCall{t.channel, t.id, call}] = answer
	t.agent.mu.Unlock()
	t.agent.work(-1) // a turn that waits for its user rests
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

// text opens a part of the answer and streams its words.
func (t turn) text(part string, words ...string) {
	t.act(&ahp.ChatResponsePartAction{TurnID: t.id, Part: &ahp.MarkdownResponsePart{ID: part, Content: ""}})
	for _, word := range words {
		t.delta(part, word)
	}
}

func (t turn) delta(part, word string) {
	t.act(&ahp.ChatDeltaAction{TurnID: t.id, PartID: part, Content: word})
}
