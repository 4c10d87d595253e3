// Left: the work a bump leaves to the user.

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Left is the remaining work after a bump.
type Left struct {
	Changes   []diag.Diagnostic // places that must change
	Looks     []diag.Diagnostic // places that take no notice of what is new
	Skips     []diag.Diagnostic // those of them that left out other things before
	Stubs     []diag.Diagnostic // new stubs to implement
	Before    []diag.Diagnostic // findings that existed before the bump
	Unchecked string            // why the places to change could not be determined, or ""
	Settings  []string          // other changes to the configuration
}

// summary returns the counts as text.
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
	if len(l.Looks) > 0 {
		changes += ", " + count(l.Looks, "place to look at", "places to look at", "")
	}
	return changes + ", " + count(l.Stubs, "stub is new", "stubs are new", "no stub is new") +
		", " + count(l.Before, "place was open before", "places were open before", "nothing was open before")
}

// part is one category of remaining work.
type part struct {
	name, heading string
	items         []diag.Diagnostic
	quiet         bool // nothing fails there
}

// parts returns the remaining work by category, sorted by position.
func (l *Left) parts() []part {
	out := []part{
		{"changes", "Must change", l.Changes, false}, {"looks", "Look at: nothing here takes what is new", l.Looks, true}, {"stubs", "New stubs to write", l.Stubs, false},
		{"skips", "Leave out what is new, as other things before", l.Skips, true}, {"before", "Open before", l.Before, false},
	}
	for i := range out {
		out[i].items = slices.Clone(out[i].items)
		slices.SortStableFunc(out[i].items, func(a, b diag.Diagnostic) int { return a.Pos.Compare(b.Pos) })
	}
	return out
}

// oneLine joins the lines of a compiler message.
func oneLine(message string) string { return visible.Name(strings.ReplaceAll(message, "\n\t", "; ")) }
