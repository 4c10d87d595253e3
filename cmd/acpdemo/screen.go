// The client's output. It comes from the agent, so it is escaped.

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

// screen prints lines prefixed with the speaker. Streamed text continues the current line.
type screen struct {
	folder string // working directory; paths below it are shortened

	mu   sync.Mutex // guards what follows
	out  io.Writer
	open bool   // the current line is incomplete
	who  string // speaker of the current line
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

// prompt prompts the user for a line.
func (s *screen) prompt(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	_, _ = fmt.Fprint(s.out, text) // output errors are ignored
}

func (s *screen) print(who, text string) {
	if !s.open && text != "" {
		text = fmt.Sprintf("%-7s %s", who, text)
	} else if !s.open {
		text = who
	}
	s.open, s.who = true, who
	_, _ = fmt.Fprint(s.out, text) // output errors are ignored
}

func (s *screen) endLine() {
	if s.open {
		_, _ = fmt.Fprintln(s.out) // output errors are ignored
	}
	s.open, s.who = false, ""
}

// short returns a path as shown.
func (s *screen) short(path string) string {
	if name, err := filepath.Rel(s.folder, path); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	return path
}

// block describes a content block.
func block(content acp.ContentBlock) string {
	switch content := content.(type) {
	case *acp.TextContent:
		return content.Text
	case *acp.ResourceLink:
		return "<" + content.URI + ">"
	}
	return "(" + string(content.ContentBlockType()) + ")"
}

// content prints the content of a tool call.
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

// marks are the prefixes of plan entries by status.
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
