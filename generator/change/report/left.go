// Left: what a bump leaves for the user.

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Left is what the user has to do after a bump.
type Left struct {
	Changes   []diag.Diagnostic // places that must change
	Stubs     []diag.Diagnostic // new ones, to be written
	Before    []diag.Diagnostic // what was open before
	Unchecked string            // why it is not known what must change, "" if it is
	Settings  []string          // what else became of the configuration, one thing a line
}

// summary says how much there is of each.
func (l *Left) summary() string {
	count := func(list []diag.Diagnostic, one, many, none string) string {
		switch len(list) {
		case 0:
			return none
		case 1:
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", len(list), many)
	}
	changes := count(l.Changes, "place must change", "places must change", "nothing must change")
	if l.Unchecked != "" {
		changes = "what no longer compiles is not known"
		if n := len(l.Changes); n > 0 {
			changes = count(l.Changes, "place must change", "places must change", "") + ", and what no longer compiles is not known"
		}
	}
	return changes + ", " + count(l.Stubs, "stub is new", "stubs are new", "no stub is new") +
		", " + count(l.Before, "place was open before", "places were open before", "nothing was open before")
}

// part is one kind of what is left.
type part struct {
	name, heading string
	items         []diag.Diagnostic
}

// parts lists what is left by kind, each sorted by position.
func (l *Left) parts() []part {
	out := []part{{"changes", "Must change", l.Changes}, {"stubs", "New stubs to write", l.Stubs}, {"before", "Open before", l.Before}}
	for i := range out {
		out[i].items = slices.Clone(out[i].items)
		slices.SortStableFunc(out[i].items, func(a, b diag.Diagnostic) int { return a.Pos.Compare(b.Pos) })
	}
	return out
}

// oneLine joins the lines of a message of the compiler.
func oneLine(message string) string { return visible.Name(strings.ReplaceAll(message, "\n\t", "; ")) }
