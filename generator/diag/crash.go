// Crashes: panics inside a stage, reported with the position in the input.

package diag

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Crash is a bug in ahpgen triggered by some input. It is an error, so that callers need not recover from panics.
type Crash struct {
	Pos   Pos    // position being processed, or zero
	Value any    // the value passed to panic
	Frame string // the frame that panicked, such as analyze/unions.go:20
}

// Error explains that ahpgen is at fault, and what to report.
func (c *Crash) Error() string {
	where := ""
	if !c.Pos.IsZero() {
		where = c.Pos.String() + ": "
	}
	return fmt.Sprintf("%sinternal error in %s: %v; this is a defect of ahpgen, please report it together with the schema", where, c.Frame, c.Value)
}

// Working sets the position being processed, for use in crash reports.
func (l *List) Working(pos Pos) { l.working = pos }

// Catch converts a panic to an error with the position being processed. Use: defer diags.Catch(&err).
func (l *List) Catch(err *error) {
	if r := recover(); r != nil {
		*err = l.Crash(r)
	}
}

// Mark adds to a panic what was worked on. It is deferred by a stage with a list of its own.
func (l *List) Mark() {
	if r := recover(); r != nil {
		panic(l.Crash(r))
	}
}

// Crash makes a crash of what was recovered, with what was worked on.
func (l *List) Crash(recovered any) *Crash { return NewCrash(recovered, l.working) }

// AsCrash returns the crash in an error, or nil.
func AsCrash(err error) *Crash {
	var c *Crash
	if errors.As(err, &c) {
		return c
	}
	return nil
}

// NewCrash converts a recovered value. It must be called in the deferred function. The innermost position is kept.
func NewCrash(recovered any, pos Pos) *Crash {
	c, ok := recovered.(*Crash)
	if !ok {
		c = &Crash{Value: recovered, Frame: origin()}
	}
	if c.Pos.IsZero() {
		c.Pos = pos
	}
	return c
}

// origin returns the innermost frame outside the runtime and this file.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicked, first := false, ""
	for {
		f, more := frames.Next()
		name := path.Join(path.Base(path.Dir(f.File)), path.Base(f.File))
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case !panicked, strings.HasPrefix(f.Function, "runtime."):
		default:
			at := fmt.Sprintf("%s:%d", name, f.Line)
			if strings.Contains(f.Function, "/ahpgen/") {
				return at
			}
			if first == "" {
				first = at // a library that panicked on its input
			}
		}
		if !more {
			break
		}
	}
	if first == "" {
		return "an unknown place"
	}
	return first
}
