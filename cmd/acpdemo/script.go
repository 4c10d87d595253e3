// The script, in place of a model. Each known prompt plays a turn.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// maxCount is the maximum number of updates of a prompt.
const maxCount = 100_000

// commands returns the prompts the script knows.
func commands() *acp.AvailableCommandsUpdate {
	return &acp.AvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{
		{Name: "count", Description: "Count, one update for each number", Input: &acp.UnstructuredCommandInput{Hint: "how far"}},
		{Name: "wait", Description: "Wait until you cancel"},
		{Name: "extension", Description: "Call a method of the client that the protocol does not define"},
	}}
}

// play plays one turn.
func (t *turn) play(prompt string) error {
	command, argument, _ := strings.Cut(prompt, " ")
	switch command {
	case "/count":
		return t.count(argument)
	case "/wait":
		return t.wait()
	case "/extension":
		return t.extension()
	}
	return t.note(prompt)
}

func (t *turn) count(argument string) error {
	n, err := strconv.Atoi(strings.TrimSpace(argument))
	if err != nil || n < 0 || n > maxCount {
		return t.say(fmt.Sprintf("I count to %d at most.", maxCount))
	}
	for i := range n {
		if err := t.say(strconv.Itoa(i+1) + " "); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) wait() error {
	if err := t.say("I am waiting."); err != nil {
		return err
	}
	<-t.ctx.Done()
	return context.Cause(t.ctx)
}

// extension calls an extension method. A client that does not know it answers so, and the turn continues.
func (t *turn) extension() error {
	if err := t.agent.client.NotifyExtension(t.ctx, "_acpdemo/hint", []byte(`{"hint":"may be ignored"}`)); err != nil {
		return err
	}
	answer, err := t.agent.client.CallExtension(t.ctx, "_acpdemo/weather", []byte(`{}`))
	switch {
	case errors.Is(err, rpc.MethodNotFound):
		return t.say("You do not know that method.")
	case err != nil:
		return err
	}
	return t.say("You say: " + string(answer))
}

// notes returns the path of the notes in the session's folder.
const notes = "notes.md"

var notePlan = []string{"Read the notes", "Add a line to them"}

// note appends to the notes, with the user's permission.
func (t *turn) note(text string) error {
	if !t.agent.client.Supports(acp.MethodFSReadTextFile) || !t.agent.client.Supports(acp.MethodFSWriteTextFile) {
		return t.say("I would note that down, but you do not offer your files.")
	}
	path := filepath.Join(t.session.cwd, notes)
	thought := &acp.SessionUpdateAgentThoughtChunk{Content: &acp.TextContent{Text: "That is worth a note."}}
	if err := errors.Join(t.tell(thought), t.say("I will ", "note that down."), t.plan(0, notePlan...)); err != nil {
		return err
	}
	before, exists, err := t.read(path)
	if err != nil {
		return err
	}
	if err := t.plan(1, notePlan...); err != nil {
		return err
	}
	after := before + "- " + strings.Join(strings.Fields(text), " ") + "\n"
	diff := &acp.Diff{Path: path, NewText: after}
	if exists {
		diff.OldText = &before
	}
	done, err := t.write(path, diff)
	switch {
	case err != nil:
		return err
	case !done:
		return t.say("Then I leave the notes ", "as they are.")
	}
	return errors.Join(t.plan(2, notePlan...), t.say("It is in ", notes+"."))
}

// read reads a file through the client.
func (t *turn) read(path string) (text string, exists bool, err error) {
	id, err := t.call("Read "+notes, acp.ToolKindRead, path)
	if err != nil {
		return "", false, err
	}
	r, err := t.agent.client.FSReadTextFile(t.ctx, &acp.ReadTextFileRequest{SessionID: t.session.id, Path: path})
	switch {
	case errors.Is(err, acp.ErrorCodeResourceNotFound):
		return "", false, t.progress(id, acp.ToolCallStatusCompleted, textOf("There are none yet."))
	case err != nil:
		return "", false, errors.Join(err, t.progress(id, acp.ToolCallStatusFailed))
	}
	return r.Content, true, t.progress(id, acp.ToolCallStatusCompleted, textOf(r.Content))
}

// write writes a file through the client, with the user's permission.
func (t *turn) write(path string, diff *acp.Diff) (done bool, err error) {
	id, err := t.call("Edit "+notes, acp.ToolKindEdit, path)
	if err != nil {
		return false, err
	}
	allowed, err := t.ask(id, diff)
	if err != nil {
		return false, err
	}
	if !allowed {
		return false, t.progress(id, acp.ToolCallStatusFailed, textOf("You did not agree."))
	}
	if err := t.progress(id, acp.ToolCallStatusInProgress); err != nil {
		return false, err
	}
	p := &acp.WriteTextFileRequest{SessionID: t.session.id, Path: path, Content: diff.NewText}
	if _, err := t.agent.client.FSWriteTextFile(t.ctx, p); err != nil {
		return false, errors.Join(err, t.progress(id, acp.ToolCallStatusFailed))
	}
	return true, t.progress(id, acp.ToolCallStatusCompleted, diff)
}

func textOf(text string) *acp.Content { return &acp.Content{Content: &acp.TextContent{Text: text}} }
