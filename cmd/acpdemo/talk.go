// The client's part of the conversation, from handshake to end.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// options are the client's flags.
type options struct {
	root, load, auth string
	url              string // of a remote agent
	prompts          []string
	allow, reject    bool
}

// terminal is the user's terminal.
type terminal struct {
	in         io.Reader
	out        io.Writer
	errors     io.Writer
	interrupts <-chan os.Signal
}

// errInterrupted reports that the user interrupted again.
var errInterrupted = errors.New("interrupted")

// talk talks to an agent until the user's input ends, and closes the connection.
func talk(ctx context.Context, t rpc.Transport, o options, user terminal) (err error) {
	s := &screen{out: user.out}
	conn := rpc.NewPeer(t, &rpc.Options{CallTimeout: -1, OnBad: func(err error) { s.say("client", "has trouble: %v", err) }})
	defer func() { err = errors.Join(err, conn.Close()) }()
	folder, err := openFiles(o.root, s)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }() // a handle, nothing to lose
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &client{agent: acp.NewAgentConn(conn), screen: s, files: folder, options: o, typed: scan(ctx, user.in), titles: map[string]string{}}
	go func() { _ = conn.Serve(ctx, c.handlers()) }() // every call returns the cause
	if err := c.begin(ctx); err != nil {
		return err
	}
	if len(o.prompts) > 0 {
		for _, prompt := range o.prompts {
			s.say("user", "%s", prompt)
			if err := c.turn(ctx, prompt, user.interrupts); err != nil {
				return err
			}
		}
		return nil
	}
	return c.listen(ctx, user.interrupts)
}

// scan reads lines until the context or the input ends.
func scan(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// listen sends each line as a prompt.
func (c *client) listen(ctx context.Context, interrupts <-chan os.Signal) error {
	for {
		c.screen.prompt("> ")
		select {
		case line, ok := <-c.typed:
			if !ok {
				c.screen.prompt("\n")
				return nil
			}
			switch strings.TrimSpace(line) {
			case "":
				continue
			case "?":
				c.help()
				continue
			}
			if err := c.turn(ctx, line, interrupts); err != nil {
				return err
			}
		case <-interrupts:
			return errInterrupted
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// help lists the agent's commands.
func (c *client) help() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.commands) == 0 {
		c.screen.say("agent", "has told of no commands")
	}
	for _, command := range c.commands {
		c.screen.say("", "/%s  %s", command.Name, command.Description)
	}
}

// begin negotiates a version and opens a session.
func (c *client) begin(ctx context.Context) error {
	r, err := c.agent.Initialize(ctx, &acp.InitializeRequest{
		ProtocolVersion:    acp.NegotiateVersion(0), // the preferred version
		ClientInfo:         &acp.Implementation{Name: "acpdemo", Version: "1"},
		ClientCapabilities: &acp.ClientCapabilities{FS: &acp.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)}},
	})
	if err != nil {
		return err
	}
	name := "no name"
	if r.AgentInfo != nil {
		name = r.AgentInfo.Name + " " + r.AgentInfo.Version
	}
	c.screen.say("agent", "has %s, and speaks version %d", name, r.ProtocolVersion)
	if c.options.auth != "" {
		if _, err := c.agent.Authenticate(ctx, &acp.AuthenticateRequest{MethodID: c.options.auth}); err != nil {
			return err
		}
	}
	if err := c.open(ctx); err != nil {
		if errors.Is(err, acp.ErrorCodeAuthenticationRequired) {
			return fmt.Errorf("%w; name one of these with --auth: %s", err, methodsOf(r))
		}
		return err
	}
	return nil
}

// open opens a new session or resumes an old one.
func (c *client) open(ctx context.Context) error {
	if c.options.load != "" {
		c.session = c.options.load
		c.screen.say("client", "loads session %s", c.session)
		_, err := c.agent.SessionLoad(ctx, &acp.LoadSessionRequest{SessionID: c.session, CWD: c.files.path, MCPServers: []acp.MCPServer{}})
		return err
	}
	r, err := c.agent.SessionNew(ctx, &acp.NewSessionRequest{CWD: c.files.path, MCPServers: []acp.MCPServer{}})
	if err != nil {
		return err
	}
	c.session = r.SessionID
	c.screen.say("client", "has opened session %s", c.session)
	return nil
}

// methodsOf lists the authentication methods.
func methodsOf(r *acp.InitializeResponse) string {
	ids := make([]string, len(r.AuthMethods))
	for i, m := range r.AuthMethods {
		ids[i] = m.GetID()
	}
	return strings.Join(ids, ", ")
}

// turn sends a prompt and waits for the answer. The first interrupt cancels, the second gives up.
func (c *client) turn(ctx context.Context, text string, interrupts <-chan os.Signal) error {
	cancelled := make(chan struct{})
	c.mu.Lock()
	c.cancelled = cancelled
	c.mu.Unlock()
	type answer struct {
		r   *acp.PromptResponse
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		r, err := c.agent.SessionPrompt(ctx, &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{&acp.TextContent{Text: text}}})
		answered <- answer{r, err}
	}()
	for cancels := 0; ; {
		select {
		case a := <-answered:
			if a.err != nil {
				return a.err
			}
			c.screen.say("client", "has its answer: %s", a.r.StopReason)
			return nil
		case <-interrupts:
			if cancels++; cancels > 1 {
				return errInterrupted
			}
			c.screen.say("client", "cancels")
			close(cancelled)
			c.asked.Lock() // open questions end first, so that the agent receives both answers
			err := c.agent.SessionCancel(ctx, &acp.CancelNotification{SessionID: c.session})
			c.asked.Unlock()
			if err != nil {
				return err
			}
		}
	}
}
