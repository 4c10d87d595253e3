// The tools of the demo: they keep notes, and show progress, cancelling and questions to the user.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// noteArguments are those of add_note.
type noteArguments struct {
	Title string   `json:"title" doc:"A line about the note." schema:"\"minLength\":1"`
	Text  string   `json:"text" doc:"The note itself."`
	Tags  []string `json:"tags,omitempty" doc:"Words to find it by." schema:"\"maxItems\":8"`
}

// waitArguments are those of wait.
type waitArguments struct {
	Steps int `json:"steps" doc:"How many steps to take." schema:"\"minimum\":1,\"maximum\":1000"`
	Pause int `json:"pause,omitempty" doc:"The time that a step takes, in milliseconds." schema:"\"minimum\":0,\"maximum\":60000"`
}

// nothing are the arguments of tools that have none.
type nothing struct{}

// newNotes returns a catalogue with the tools of the demo.
func newNotes(pageSize int) *catalogue {
	c := newCatalogue(pageSize)
	c.addTool(newTool("add_note", "Adds a note, which becomes a resource.", func(_ context.Context, _ caller, a noteArguments) (string, error) {
		text := a.Text
		if len(a.Tags) > 0 {
			text += "\n\n#" + strings.Join(a.Tags, " #")
		}
		return "Added " + c.addResource(a.Title, text).uri, nil
	}))
	wait := newTool("wait", "Takes some time, and reports progress.", func(ctx context.Context, from caller, a waitArguments) (string, error) {
		for done := range a.Steps {
			if err := from.Progress(ctx, float64(done+1), float64(a.Steps)); err != nil {
				return "", err
			}
			select {
			case <-ctx.Done():
				return "", context.Cause(ctx)
			case <-time.After(time.Duration(a.Pause) * time.Millisecond):
			}
		}
		return fmt.Sprintf("Took %d steps", a.Steps), nil
	})
	wait.slow = true
	c.addTool(wait)
	c.addTool(newTool("greet", "Asks the user for a name, and greets.", func(ctx context.Context, from caller, _ nothing) (string, error) {
		answers, err := from.Ask(ctx, form{name: "name", message: "What is your name?", fields: json.RawMessage(`{"name":{"type":"string"}}`)})
		if err != nil {
			return "", err
		}
		var name string
		if answer, ok := answers["name"]; ok {
			err = json.Unmarshal(answer, &name)
		}
		if name == "" {
			return "Hello", err
		}
		return "Hello, " + name, nil
	}))
	c.addTool(newTool("add_tool", "Adds a tool that tells the time.", func(context.Context, caller, nothing) (string, error) {
		c.addTool(newTool("tell_time", "Tells the time in UTC.", func(context.Context, caller, nothing) (string, error) {
			return time.Now().UTC().Format(time.RFC3339), nil
		}))
		return "Added tell_time", nil
	}))
	return c
}
