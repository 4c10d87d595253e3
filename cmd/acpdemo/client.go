// The client: handling what the agent sends.

package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

type client struct {
	agent   *acp.AgentConn
	screen  *screen
	files   *files
	options options
	typed   <-chan string // lines typed by the user
	session acp.SessionID
	asked   sync.RWMutex // held for reading during a question of the agent

	mu        sync.Mutex                // guards what follows
	titles    map[acp.ToolCallID]string // titles of tool calls
	commands  []acp.AvailableCommand
	cancelled chan struct{} // closed when the turn is cancelled
}

func (c *client) handlers() *acp.ClientHandlers {
	return &acp.ClientHandlers{
		SessionUpdate:            c.update,
		SessionRequestPermission: c.permission,
		FSReadTextFile:           c.files.read,
		FSWriteTextFile:          c.files.write,
	}
}

// update prints an update. Unknown kinds are ignored.
func (c *client) update(_ context.Context, n *acp.SessionNotification) {
	switch u := n.Update.(type) {
	case *acp.SessionUpdateUserMessageChunk:
		c.screen.stream("user", block(u.Content))
	case *acp.SessionUpdateAgentMessageChunk:
		c.screen.stream("agent", block(u.Content))
	case *acp.SessionUpdateAgentThoughtChunk:
		c.screen.stream("thought", block(u.Content))
	case *acp.Plan:
		c.screen.plan(u)
	case *acp.ToolCall:
		c.toolCall(u)
	case *acp.SessionUpdateToolCallUpdate:
		c.toolCallUpdate(u)
	case *acp.AvailableCommandsUpdate:
		c.mu.Lock()
		c.commands = u.AvailableCommands // shown on request
		c.mu.Unlock()
	default:
		c.screen.say("agent", "sends %s", u.SessionUpdateKind())
	}
}

func (c *client) toolCall(u *acp.ToolCall) {
	c.named(u.ToolCallID, u.Title)
	status := acp.ToolCallStatusPending
	if u.Status != nil {
		status = *u.Status
	}
	c.screen.say("tool", "%s: %s", u.Title, status)
	c.screen.content(u.Content)
}

func (c *client) toolCallUpdate(u *acp.SessionUpdateToolCallUpdate) {
	title, _ := u.Title.Get()
	title = c.named(u.ToolCallID, title)
	if status, ok := u.Status.Get(); ok {
		c.screen.say("tool", "%s: %s", title, status)
	}
	content, _ := u.Content.Get()
	c.screen.content(content)
}

// named returns the current or last known title of a tool call.
func (c *client) named(id acp.ToolCallID, title string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if title == "" {
		if known, ok := c.titles[id]; ok {
			return known
		}
		return id
	}
	c.titles[id] = title
	return title
}

// permission answers whether a tool call may proceed.
func (c *client) permission(ctx context.Context, p *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	c.asked.RLock()
	defer c.asked.RUnlock()
	title, _ := p.ToolCall.Title.Get()
	c.screen.say("agent", "asks: %s?", c.named(p.ToolCall.ToolCallID, title))
	content, _ := p.ToolCall.Content.Get()
	c.screen.content(content)
	option, err := c.choose(ctx, p.Options)
	if err != nil {
		return nil, err
	}
	if option == nil {
		c.screen.say("client", "answers that the turn is cancelled")
		return &acp.RequestPermissionResponse{Outcome: &acp.RequestPermissionOutcomeCancelled{}}, nil
	}
	c.screen.say("client", "answers: %s", option.Name)
	return &acp.RequestPermissionResponse{Outcome: &acp.SelectedPermissionOutcome{OptionID: option.OptionID}}, nil
}

// choose returns the selected option, or nil for none.
func (c *client) choose(ctx context.Context, options []acp.PermissionOption) (*acp.PermissionOption, error) {
	c.mu.Lock()
	cancelled := c.cancelled
	c.mu.Unlock()
	select {
	case <-cancelled:
		return nil, nil
	default:
	}
	switch {
	case c.options.allow:
		return first(options, acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways), nil
	case c.options.reject: // if no option rejects, the outcome is cancelled
		return first(options, acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways), nil
	}
	rpc.Async(ctx) // a person takes time, and updates continue meanwhile
	for i, o := range options {
		c.screen.say("", "%d  %s", i+1, o.Name)
	}
	for {
		c.screen.prompt("number> ")
		select {
		case line, ok := <-c.typed:
			n, err := strconv.Atoi(strings.TrimSpace(line))
			switch {
			case !ok:
				return nil, nil
			case err == nil && n >= 1 && n <= len(options):
				return &options[n-1], nil
			}
		case <-cancelled:
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// first returns the first option of the most preferred kind, or nil.
func first(options []acp.PermissionOption, kinds ...acp.PermissionOptionKind) *acp.PermissionOption {
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return &options[i]
		}
	}
	return nil
}
