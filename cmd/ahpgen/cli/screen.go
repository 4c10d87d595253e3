// The screen: colours and progress on a terminal.

package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// screen holds the outputs of a run. Text is escaped before it arrives here, so all escape sequences are its own.
type screen struct {
	out, err *painter
	progress *progress // nil without a terminal
}

// newScreen determines the capabilities of the outputs.
func newScreen(stdout, stderr io.Writer) *screen {
	s := &screen{out: &painter{to: stdout}, err: &painter{to: stderr}}
	if !isTerminal(stderr) {
		return s
	}
	if os.Getenv("TERM") != "dumb" {
		s.progress = &progress{to: stderr}
		s.err.before = s.progress.giveWay
		if isTerminal(stdout) {
			s.out.before = s.progress.giveWay
		}
	}
	if coloured(os.Getenv) {
		s.err.style = messageStyle
	}
	return s
}

// coloured reports whether a terminal should use colours.
func coloured(env func(string) string) bool { return env("NO_COLOR") == "" && env("TERM") != "dumb" }

// painter writes complete lines in a style.
type painter struct {
	to     io.Writer
	before func() (after func())    // called before every write, or nil
	style  func(line string) string // formats a line without its end, or nil
	held   []byte                   // an incomplete line, if there is a style
}

// Write writes lines. An incomplete line is held until completed or flushed.
func (p *painter) Write(data []byte) (int, error) {
	text := data
	if p.style != nil {
		text = append(p.held, data...)
		end := bytes.LastIndexByte(text, '\n') + 1
		p.held = append([]byte(nil), text[end:]...)
		text = p.paint(text[:end])
	}
	if len(text) == 0 {
		return len(data), nil
	}
	if p.before != nil {
		defer p.before()()
	}
	if _, err := p.to.Write(text); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Flush writes an incomplete line.
func (p *painter) Flush() error {
	if len(p.held) == 0 {
		return nil
	}
	_, err := p.to.Write(p.paint(p.held))
	p.held = nil
	return err
}

func (p *painter) paint(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		body, ended := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, p.style(string(body))...)
		if ended {
			out = append(out, '\n')
		}
	}
	return out
}

// Styles of text.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

func styled(style, text string) string {
	if text == "" {
		return ""
	}
	return style + text + plain
}

var position = regexp.MustCompile(`^\S[^:]*:\d+(:\d+)?: `)

// messageStyle shows positions in bold, warnings in yellow and hints in faint text.
func messageStyle(line string) string {
	if rest, ok := strings.CutPrefix(line, "    hint: "); ok {
		return styled(dim, "    hint: ") + rest
	}
	if rest, ok := strings.CutPrefix(line, "ahpgen: "); ok {
		return styled(bold, "ahpgen: ") + rest
	}
	for _, word := range []string{"    type: ", "      or: "} {
		if rest, ok := strings.CutPrefix(line, word); ok {
			return styled(dim, word) + styled(bold, rest)
		}
	}
	at := position.FindString(line)
	rest := line[len(at):]
	if text, ok := strings.CutPrefix(rest, "warning: "); ok {
		return styled(bold, at) + styled(yellow, "warning: ") + text
	}
	return styled(bold, at) + rest
}

// diffStyle colours a line of a unified diff.
func diffStyle(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return styled(bold, line)
	case strings.HasPrefix(line, "+"):
		return styled(green, line)
	case strings.HasPrefix(line, "-"):
		return styled(red, line)
	case strings.HasPrefix(line, "@@"):
		return styled(cyan, line)
	}
	return line
}

// printDiff prints a unified diff, coloured on terminals.
func (a *app) printDiff(text string) {
	if a.terminal && a.screen != nil && coloured(os.Getenv) {
		a.screen.out.style = diffStyle
		defer func() { a.screen.out.style = nil }()
	}
	fmt.Fprint(a.stdout, text)
}

// progress is a status line that disappears when something else is printed.
type progress struct {
	to    io.Writer
	mu    sync.Mutex
	shown bool
}

// patience is the delay before progress is shown.
const patience = time.Second

// working sets the current task and stage, shown after a delay. The returned function ends it.
func (a *app) working(what string) (done func()) {
	if a.quiet || a.screen == nil || a.screen.progress == nil {
		return func() {}
	}
	ticks := time.NewTicker(patience)
	var stage atomic.Value
	stage.Store(what)
	a.diags.OnStage(func(what string) { stage.Store(what) })
	ended, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 1; ; n++ {
			select {
			case <-ticks.C:
				a.screen.progress.draw(stage.Load().(string), n)
			case <-stop:
				return
			}
		}
	}()
	return func() {
		a.diags.OnStage(nil)
		ticks.Stop()
		close(stop)
		<-ended
		a.screen.progress.giveWay()()
	}
}

// draw redraws the line.
func (p *progress) draw(what string, seconds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = true
	fmt.Fprintf(p.to, "\r\x1b[K%s… %d s", what, seconds) // a closed terminal is ignored
}

// giveWay hides the line until the returned function is called.
func (p *progress) giveWay() (after func()) {
	p.mu.Lock()
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.shown = false
	}
	return p.mu.Unlock
}
