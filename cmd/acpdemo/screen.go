// What the client shows. All of it comes from the agent, so nothing of it reaches the terminal as it is.

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// screen prints lines that begin with who says them. Text that comes in pieces goes on where it has stopped.
type screen struct {
	folder string // that of the session; paths below it are shown without it

	mu   sync.Mutex // guards what follows
	out  io.Writer
	open bool   // a line is not at its end
	who  string // that it began with
}

// say prints a line.
func (s *screen) say(who, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	s.print(who, inside.VisibleLine(fmt.Sprintf(format, args...)))
	s.endLine()
}

// stream prints a piece of text.
func (s *screen) stream(who, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, line := range strings.Split(text, "\n") {
		if i > 0 || s.who != who {
			s.endLine()
		}
		s.print(who, inside.VisibleLine(strings.ReplaceAll(line, "\t", "    ")))
	}
}

// prompt asks the user for a line.
func (s *screen) prompt(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	_, _ = fmt.Fprint(s.out, text) // nobody to tell
}

func (s *screen) print(who, text string) {
	if !s.open && text != "" {
		text = fmt.Sprintf("%-7s %s", who, text)
	} else if !s.open {
		text = who
	}
	s.open, s.who = true, who
	_, _ = fmt.Fprint(s.out, text) // nobody to tell
}

func (s *screen) endLine() {
	if s.open {
		_, _ = fmt.Fprintln(s.out) // nobody to tell
	}
	s.open, s.who = false, ""
}

// short is a path as it is shown.
func (s *screen) short(path string) string {
	if name, err := filepath.Rel(s.folder, path); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	return path
}

// block is what a content block says, in a few words if it is no text.
func block(content acp.ContentBlock) string {
	switch content := content.(type) {
	case *acp.TextContent:
		return content.Text
	case *acp.ResourceLink:
		return "<" + content.URI + ">"
	}
	return "(" + string(content.ContentBlockType()) + ")"
}

// content shows what a tool call has to show.
func (s *screen) content(list []acp.ToolCallContent) {
	for _, item := range list {
		switch item := item.(type) {
		case *acp.Content:
			s.stream("  |", strings.TrimSuffix(block(item.Content), "\n"))
		case *acp.Diff:
			before := ""
			if item.OldText != nil {
				before = *item.OldText
			}
			path := s.short(item.Path)
			s.stream("  |", strings.TrimSuffix(udiff.Unified(path, path, before, item.NewText), "\n"))
		default:
			s.say("  |", "(%s)", item.ToolCallContentType())
		}
	}
}

// marks are what the entries of a plan begin with.
var marks = map[acp.PlanEntryStatus]string{acp.PlanEntryStatusPending: "[ ]", acp.PlanEntryStatusInProgress: "[>]", acp.PlanEntryStatusCompleted: "[x]"}

func (s *screen) plan(p *acp.Plan) {
	entries := make([]string, len(p.Entries))
	for i, e := range p.Entries {
		mark, ok := marks[e.Status]
		if !ok {
			mark = "[" + string(e.Status) + "]"
		}
		entries[i] = mark + " " + e.Content
	}
	s.say("plan", "%s", strings.Join(entries, "  "))
}
