// Package diag implements diagnostics: a problem, its position and its remedy. All stages report through it.
package diag

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Pos is a position in an input file. Line and Col count from 1, Col in bytes. A zero Line means the whole file.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// String returns file:line:col on one line, omitting unknown parts.
func (p Pos) String() string {
	file := visible.Line(p.File)
	switch {
	case p.Line == 0:
		return file
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", file, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
}

// IsZero reports whether the position is unknown.
func (p Pos) IsZero() bool { return p == Pos{} }

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Severity states whether a diagnostic stops the run.
type Severity int

// The severities, most severe first.
const (
	Error   Severity = iota // stops generation; nothing is written
	Warning                 // generation continues; a finding for lint
)

// String returns the prefix of a message, which is empty for errors.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is a problem.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Code     string // stable identifier for scripts, such as "dangling-ref"
	Message  string // one line
	Hint     string // remedy in one or more lines, or ""
	Unread   bool   // what stands there could not be read as what it is, so that nothing can be compared with it
}

// Limits on the length of messages and hints, against log flooding by hostile input.
const (
	maxMessage = 4_000
	maxHint    = 8_000
)

// String returns the diagnostic as printed, without a final newline. Control and hidden characters are escaped.
func (d Diagnostic) String() string {
	var b strings.Builder
	if !d.Pos.IsZero() {
		b.WriteString(d.Pos.String() + ": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(visible.Line(visible.Cut(d.Message, maxMessage)))
	if d.Hint != "" {
		b.WriteString("\n    hint: " + strings.ReplaceAll(visible.Lines(visible.Cut(d.Hint, maxHint)), "\n", "\n          "))
	}
	return b.String()
}

// List collects diagnostics. The zero value is ready to use. It is not safe for concurrent use.
type List struct {
	items   []Diagnostic
	seen    map[Diagnostic]bool
	context string
	working Pos // see Working
	stage   func(string)
	phase   string
	at      Places
}

// OnStage sets a callback that is called when the current stage changes.
func (l *List) OnStage(told func(what string)) { l.stage = told }

// Phase names the current phase, which consists of several stages, or "".
func (l *List) Phase(what string) {
	l.phase = what
	if what != "" && l.stage != nil {
		l.stage(what)
	}
}

// Stage names the current stage.
func (l *List) Stage(what string) {
	if l.stage == nil {
		return
	}
	if l.phase != "" {
		what = l.phase + ": " + what
	}
	l.stage(what)
}

// SetContext sets a line that explains how the input was interpreted, printed with errors.
func (l *List) SetContext(line string) { l.context = line }

// Context returns the line set by SetContext.
func (l *List) Context() string { return l.context }

// Add appends diagnostics, each unless the same one is there already.
func (l *List) Add(list ...Diagnostic) {
	for _, d := range list {
		if l.seen[d] {
			continue
		}
		if l.seen == nil {
			l.seen, l.at = make(map[Diagnostic]bool), Places{}
		}
		l.seen[d] = true
		l.at.Note(d)
		l.items = append(l.items, d)
	}
}

// AddNew appends diagnostics, each unless something has been found at its position already.
func (l *List) AddNew(list ...Diagnostic) {
	for _, d := range list {
		if _, found := l.at[d.Pos]; !found {
			l.Add(d)
		}
	}
}

// Items returns the diagnostics in the order in which they were added.
func (l *List) Items() []Diagnostic { return l.items }

// Unread adds an error about something that could not be read as what it is.
func (l *List) Unread(pos Pos, code, hint, format string, args ...any) {
	d := Errorf(pos, code, hint, format, args...)
	d.Unread = true
	l.Add(d)
}

// Errorf makes an error with a hint; hint may be empty.
func Errorf(pos Pos, code, hint, format string, args ...any) Diagnostic {
	shorten(args)
	return Diagnostic{Pos: pos, Severity: Error, Code: code, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

// Warnf makes a warning with a hint; hint may be empty.
func Warnf(pos Pos, code, hint, format string, args ...any) Diagnostic {
	shorten(args)
	return Diagnostic{Pos: pos, Severity: Warning, Code: code, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

// Errorf adds an error with a hint; hint may be empty.
func (l *List) Errorf(pos Pos, code, hint, format string, args ...any) {
	l.Add(Errorf(pos, code, hint, format, args...))
}

// Warnf adds a warning with a hint; hint may be empty.
func (l *List) Warnf(pos Pos, code, hint, format string, args ...any) {
	l.Add(Warnf(pos, code, hint, format, args...))
}

// shorten truncates the arguments of a message.
func shorten(args []any) {
	for i, arg := range args {
		switch arg.(type) {
		case string, error, fmt.Stringer:
			args[i] = argument{arg}
		}
	}
}

// maxArgument is the maximum length of an argument.
const maxArgument = 1_000

// argument formats a truncated value, whatever the verb.
type argument struct{ value any }

func (a argument) Format(f fmt.State, verb rune) {
	text, ok := a.value.(string)
	if !ok {
		text = fmt.Sprint(a.value)
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), visible.Cut(text, maxArgument))
}

// Sorted returns the diagnostics by position, severity and text.
func (l *List) Sorted() []Diagnostic {
	out := slices.Clone(l.items)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
	return out
}

// At reports whether there is an error at a position.
func (l *List) At(pos Pos) bool {
	return l.at[pos]
}

// Places are the positions of diagnostics. The value is whether one of them is an error.
type Places map[Pos]bool

// Note adds the position of a diagnostic.
func (p Places) Note(d Diagnostic) { p[d.Pos] = p[d.Pos] || d.Severity == Error }

// PlacesOf returns the positions of diagnostics.
func PlacesOf(list []Diagnostic) Places {
	out := Places{}
	for _, d := range list {
		out.Note(d)
	}
	return out
}

// Places returns the positions of the diagnostics.
func (l *List) Places() Places { return PlacesOf(l.items) }

// Len returns the number of diagnostics.
func (l *List) Len() int { return len(l.items) }

// HasErrors reports whether there are errors.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.items, func(d Diagnostic) bool { return d.Severity == Error })
}

// Count returns the number of diagnostics of a severity.
func (l *List) Count(s Severity) int {
	n := 0
	for _, d := range l.items {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Print writes the sorted diagnostics.
func (l *List) Print(w io.Writer) error {
	for _, d := range l.Sorted() {
		if _, err := fmt.Fprintln(w, d.String()); err != nil {
			return err
		}
	}
	return nil
}
