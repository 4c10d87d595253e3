// Beside: standard error that a program which was started writes to as well.

package cli

import (
	"io"
	"sync"
)

// beside is standard error beside a program. What is written to it begins a line.
type beside struct {
	mu   sync.Mutex
	to   io.Writer
	open bool // the program has not ended its last line
}

// Write implements [io.Writer].
func (b *beside) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open && len(data) > 0 {
		if _, err := io.WriteString(b.to, "\n"); err != nil {
			return 0, err
		}
		b.open = false
	}
	return b.to.Write(data)
}

// theirs is the standard error of the program.
type theirs struct{ *beside }

// Write implements [io.Writer].
func (t theirs) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.to.Write(data)
	if n > 0 {
		t.open = data[n-1] != '\n'
	}
	return n, err
}

// programErr returns the standard error of a program to start. From then on, what this process writes to its own begins a line.
func (a *app) programErr() io.Writer {
	if a.rawErr == io.Discard {
		return io.Discard
	}
	own, ok := a.rawErr.(*beside)
	if !ok {
		own = &beside{to: a.rawErr}
		a.rawErr, a.screen.err.to = own, own
	}
	return theirs{own}
}
