// Package diag holds diagnostics: what is wrong, where, and what to do about it.
// It knows nothing of schemas or Go; every stage reports through it.
package diag

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Pos is a place in an input file. Line and Col count from 1, Col in bytes;
// a zero Line means the file as a whole.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// String renders the position as file:line:col, leaving out what is unknown. It is one line, whatever
// the file is called.
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

// IsZero reports whether p says nothing.
func (p Pos) IsZero() bool { return p == Pos{} }

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Severity says whether a diagnostic stops the run.
type Severity int

// The severities, most severe first.
const (
	Error   Severity = iota // generation stops, nothing is written
	Warning                 // generation goes on; lint counts it as a finding
)

// String returns the word printed before a message, empty for errors.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one problem.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Code     string // stable identifier such as "dangling-ref", for scripts and tests
	Message  string // one line
	Hint     string // what to do, one or more lines; empty if there is nothing to add
	Unread   bool   // what stands there could not be read as what it is, so that nothing can be compared with it
}

// How much of a message and of a hint is kept: more than any person reads, and less than an input that
// means harm could fill a log with.
const (
	maxMessage = 4_000
	maxHint    = 8_000
)

// String renders the diagnostic as printed, without a final newline. What comes from input shows as
// what it is: a line break in it ends no line, and nothing in it is hidden.
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

// List collects diagnostics. The zero value is ready to use; it is not safe for concurrent use.
type List struct {
	items   []Diagnostic
	seen    map[Diagnostic]bool
	context string
	working Pos // see Working
	stage   func(string)
	phase   string
	at      map[Pos]bool
}

// OnStage has a function told what a run is doing, whenever that changes.
func (l *List) OnStage(told func(what string)) { l.stage = told }

// Phase says what a run is about to do in several stages, "" for nothing beyond these.
func (l *List) Phase(what string) {
	l.phase = what
	if what != "" && l.stage != nil {
		l.stage(what)
	}
}

// Stage says what a run is about to do.
func (l *List) Stage(what string) {
	if l.stage == nil {
		return
	}
	if l.phase != "" {
		what = l.phase + ": " + what
	}
	l.stage(what)
}

// SetContext notes in one line what the input was taken for; it is worth knowing if there are errors.
func (l *List) SetContext(line string) { l.context = line }

// Context is what SetContext noted last, "" for nothing.
func (l *List) Context() string { return l.context }

// Add appends diagnostics, each unless the same one is there already.
func (l *List) Add(list ...Diagnostic) {
	for _, d := range list {
		if l.seen[d] {
			continue
		}
		if l.seen == nil {
			l.seen, l.at = make(map[Diagnostic]bool), make(map[Pos]bool)
		}
		l.seen[d] = true
		l.at[d.Pos] = true
		l.items = append(l.items, d)
	}
}

// AddNew appends diagnostics, each unless something has been found at its position already.
func (l *List) AddNew(list ...Diagnostic) {
	for _, d := range list {
		if !l.at[d.Pos] {
			l.Add(d)
		}
	}
}

// Items are the diagnostics in the order in which they were added.
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

// shorten sees to it that no argument of a message takes up more than a person reads of it.
func shorten(args []any) {
	for i, arg := range args {
		switch arg.(type) {
		case string, error, fmt.Stringer:
			args[i] = argument{arg}
		}
	}
}

// maxArgument is how much of one argument a message shows.
const maxArgument = 1_000

// argument cuts what a value prints as, whatever the verb.
type argument struct{ value any }

func (a argument) Format(f fmt.State, verb rune) {
	text, ok := a.value.(string)
	if !ok {
		text = fmt.Sprint(a.value)
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), visible.Cut(text, maxArgument))
}

// Merge adds everything other holds.
func (l *List) Merge(other *List) {
	for _, d := range other.items {
		l.Add(d)
	}
}

// Sorted returns the diagnostics ordered by position, then severity, then text.
func (l *List) Sorted() []Diagnostic {
	out := slices.Clone(l.items)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
	return out
}

// At reports whether something was found at a position.
func (l *List) At(pos Pos) bool {
	return l.at[pos]
}

// Len is the number of diagnostics.
func (l *List) Len() int { return len(l.items) }

// HasErrors reports whether any diagnostic is an error.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.items, func(d Diagnostic) bool { return d.Severity == Error })
}

// Count returns how many diagnostics have the severity.
func (l *List) Count(s Severity) int {
	n := 0
	for _, d := range l.items {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Print writes the sorted diagnostics, one or more lines each.
func (l *List) Print(w io.Writer) error {
	for _, d := range l.Sorted() {
		if _, err := fmt.Fprintln(w, d.String()); err != nil {
			return err
		}
	}
	return nil
}
