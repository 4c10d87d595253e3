// Crashes: a panic inside a stage, with the place in the input that was being worked on.

package diag

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Crash is a defect of ahpgen itself that some input brought to light. It is an error, so that no
// program that generates ends with a panic.
type Crash struct {
	Pos   Pos    // what was being worked on; zero if nothing says so
	Value any    // what was passed to panic
	Frame string // where in ahpgen it happened, such as analyze/unions.go:20
}

// Error says that this is not the input's fault, and what to report.
func (c *Crash) Error() string {
	where := ""
	if !c.Pos.IsZero() {
		where = c.Pos.String() + ": "
	}
	return fmt.Sprintf("%sinternal error in %s: %v; this is a defect of ahpgen, please report it together with the schema", where, c.Frame, c.Value)
}

// Working notes what is worked on from now on, for the message about a crash.
func (l *List) Working(pos Pos) { l.working = pos }

// Catch turns a panic into an error that names what was worked on. It is deferred:
// defer diags.Catch(&err).
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

// AsCrash finds a crash in an error, nil if there is none.
func AsCrash(err error) *Crash {
	var c *Crash
	if errors.As(err, &c) {
		return c
	}
	return nil
}

// NewCrash makes a crash of what was recovered. It is called in the deferred function that
// recovers. The innermost place stays.
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

// origin is the innermost function on the stack that panicked, the runtime's and this file's own
// left out.
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
				first = at // a library that was handed something it cannot bear
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
