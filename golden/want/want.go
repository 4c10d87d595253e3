// Package want compares what is printed or emitted with what is wanted, and shows the difference once: a changed word of a
// comment that many cases have is one cause.
package want

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// shown is how many lines of a difference are printed.
const shown = 60

// Causes are the differences that were reported. The zero value is ready for use.
type Causes struct {
	mutex    sync.Mutex
	reported map[string]string // the cases, by cause
}

// Case compares the texts of one case.
type Case struct {
	t      testing.TB
	causes *Causes
	as     string // the case that reported the same
}

// For starts a case.
func (c *Causes) For(t testing.TB) *Case { return &Case{t: t, causes: c} }

// Same fails the case with a unified difference if two texts differ, unless another case reported all of that.
func (c *Case) Same(name, want, got string) {
	c.t.Helper()
	if want == got {
		return
	}
	text := diff.Diff("want "+name, []byte(want), "got "+name, []byte(got))
	if as := c.causes.known(c.t.Name(), causesOf(text)); as != "" {
		c.as = as
		return
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) > shown {
		lines = append(lines[:shown:shown], []byte("…\n"))
	}
	c.t.Errorf("%s differs; -update rewrites it\n%s", name, bytes.Join(lines, nil))
}

// End skips a case that differs only as another does, which has failed.
func (c *Case) End() {
	c.t.Helper()
	if c.as != "" && !c.t.Failed() {
		c.t.Skipf("it differs only as %s does", c.as)
	}
}

// known returns a case that reported these causes, "" if some are new. They count as reported then.
func (c *Causes) known(name string, causes []string) string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.reported == nil {
		c.reported = map[string]string{}
	}
	as := name
	for _, cause := range causes {
		if other := c.reported[cause]; other == "" {
			c.reported[cause], as = name, ""
		} else if as != "" {
			as = other
		}
	}
	if as == name {
		return "" // the case itself reported it for another file, and failed
	}
	return as
}

// causesOf are the changes of a difference: of each run of lines, the words that went and came.
func causesOf(text []byte) []string {
	var out []string
	var gone, came []string
	flush := func() {
		if len(gone)+len(came) > 0 {
			out = append(out, cause(gone, came))
		}
		gone, came = nil, nil
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		switch {
		case i < 3: // the names of both
		case strings.HasPrefix(line, "-"):
			gone = append(gone, words(line[1:])...)
		case strings.HasPrefix(line, "+"):
			came = append(came, words(line[1:])...)
		default:
			flush()
		}
	}
	flush()
	return out
}

// words are those of a line, without the mark of a comment: a longer comment is broken elsewhere.
func words(line string) []string {
	return strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "//"))
}

// cause is what differs between two lists of words, without what both begin and end with.
func cause(gone, came []string) string {
	for len(gone) > 0 && len(came) > 0 && gone[0] == came[0] {
		gone, came = gone[1:], came[1:]
	}
	for len(gone) > 0 && len(came) > 0 && gone[len(gone)-1] == came[len(came)-1] {
		gone, came = gone[:len(gone)-1], came[:len(came)-1]
	}
	return strings.Join(gone, " ") + " → " + strings.Join(came, " ")
}
