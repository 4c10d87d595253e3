// A turn: from a prompt to its answer.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

type turn struct {
	agent   *agent
	session *session
	ctx     context.Context
	cancel  context.CancelCauseFunc
	calls   int // number of tool calls
}

// stop allows the next turn.
func (t *turn) stop() {
	t.cancel(nil)
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.turn = nil
}

// end stores the conversation.
func (t *turn) end() error {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.agent.keep.save(t.session.id, t.session.told)
}

// remember adds an update to the conversation.
func (t *turn) remember(update acp.SessionUpdate) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.told = append(t.session.told, update)
}

// hear records a prompt and returns its text, which is not echoed to the client.
func (t *turn) hear(prompt []acp.ContentBlock) string {
	var text strings.Builder
	for _, block := range prompt {
		t.remember(&acp.SessionUpdateUserMessageChunk{Content: block})
		switch block := block.(type) {
		case *acp.TextContent:
			text.WriteString(block.Text)
		case *acp.ResourceLink: // the other kind that every agent must accept
			text.WriteString(block.URI)
		}
	}
	return strings.TrimSpace(text.String())
}

// tell sends an update unless the turn has ended.
func (t *turn) tell(update acp.SessionUpdate) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	t.remember(update)
	return t.agent.client.SessionUpdate(t.ctx, &acp.SessionNotification{SessionID: t.session.id, Update: update})
}

// say streams words.
func (t *turn) say(words ...string) error {
	for _, word := range words {
		if err := t.tell(&acp.SessionUpdateAgentMessageChunk{Content: &acp.TextContent{Text: word}}); err != nil {
			return err
		}
	}
	return nil
}

// plan sends a plan with some entries completed and the next in progress.
func (t *turn) plan(done int, entries ...string) error {
	plan := &acp.Plan{Entries: make([]acp.PlanEntry, len(entries))}
	for i, content := range entries {
		status := acp.PlanEntryStatusPending
		switch {
		case i < done:
			status = acp.PlanEntryStatusCompleted
		case i == done:
			status = acp.PlanEntryStatusInProgress
		}
		plan.Entries[i] = acp.PlanEntry{Content: content, Priority: acp.PlanEntryPriorityMedium, Status: status}
	}
	return t.tell(plan)
}

// call announces a tool call.
func (t *turn) call(title string, kind acp.ToolKind, path string) (acp.ToolCallID, error) {
	t.calls++
	id := fmt.Sprintf("call-%d", t.calls)
	return id, t.tell(&acp.ToolCall{
		ToolCallID: id, Title: title, Kind: &kind, Status: new(acp.ToolCallStatusPending),
		Locations: []acp.ToolCallLocation{{Path: path}},
	})
}

// progress updates a tool call. Its content replaces the earlier content.
func (t *turn) progress(id acp.ToolCallID, status acp.ToolCallStatus, content ...acp.ToolCallContent) error {
	update := &acp.SessionUpdateToolCallUpdate{ToolCallID: id, Status: wire.Of(status)}
	if len(content) > 0 {
		update.Content = wire.Of(content)
	}
	return t.tell(update)
}

// Permission options.
const (
	optionAllow  = "allow"
	optionAlways = "always"
	optionReject = "reject"
)

// ask asks for permission. Only a known allowing option counts as consent.
func (t *turn) ask(id acp.ToolCallID, content ...acp.ToolCallContent) (bool, error) {
	t.session.mu.Lock()
	trusted := t.session.trust
	t.session.mu.Unlock()
	if trusted {
		return true, nil
	}
	r, err := t.agent.client.SessionRequestPermission(t.ctx, &acp.RequestPermissionRequest{
		SessionID: t.session.id,
		ToolCall:  acp.ToolCallUpdate{ToolCallID: id, Content: wire.Of(content)},
		Options: []acp.PermissionOption{
			{OptionID: optionAllow, Name: "Allow", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionID: optionAlways, Name: "Always allow", Kind: acp.PermissionOptionKindAllowAlways},
			{OptionID: optionReject, Name: "Reject", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	if err != nil {
		return false, err
	}
	switch outcome := r.Outcome.(type) {
	case *acp.RequestPermissionOutcomeCancelled:
		return false, errTurnCancelled
	case *acp.SelectedPermissionOutcome:
		if outcome.OptionID == optionAlways {
			t.session.mu.Lock()
			t.session.trust = true
			t.session.mu.Unlock()
		}
		return outcome.OptionID == optionAllow || outcome.OptionID == optionAlways, nil
	}
	return false, nil
}
