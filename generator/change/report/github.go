// GitHub: the report as annotations for a workflow.

package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxAnnotations is the number of annotations per level that GitHub shows for a step.
const maxAnnotations = 10

// note is the content of an annotation.
type note struct {
	title string
	pos   diag.Pos // zero if it is not about a file in the repository
	lines []string
	about int // number of subjects
}

// github writes workflow annotations, at most as many per level as are shown: errors for breaking changes, warnings
// for required Go changes.
func (d *Diff) github(w io.Writer, as protocol.Side) error {
	parts := d.bySection(as)
	var b strings.Builder
	var warnings []note
	errors := d.notes(parts[breaksSection], as)
	if d.Left != nil {
		// Within a repository, the places to change matter more than what breaks on the wire.
		broken := errors
		errors = nil
		for _, p := range d.Left.parts() {
			for _, item := range p.items {
				n := note{title: p.heading, lines: []string{oneLine(item.Message)}, about: 1}
				n.place(d, item.Pos)
				if p.quiet {
					warnings = append(warnings, n)
				} else {
					errors = append(errors, n)
				}
			}
		}
		warnings = append(warnings, broken...)
	} else {
		warnings = append(d.notes(parts[goSection], as), d.notes(parts[unequalSection], as)...)
	}
	for _, n := range limited(errors) {
		b.WriteString(n.command("error"))
	}
	for _, n := range limited(warnings) {
		b.WriteString(n.command("warning"))
	}
	notice := d.Summary(as)
	if d.Left != nil && len(d.Left.Settings) > 0 {
		notice += "\n" + strings.Join(d.Left.Settings, "\n")
	}
	fmt.Fprintf(&b, "::notice title=%s::%s\n", property("ahpgen"), message(notice))
	return emit(w, b.String())
}

// place attaches a note to a position, or names the position in the text if it cannot be attached.
func (n *note) place(d *Diff, pos diag.Pos) {
	if at, ok := d.Paths.attached(pos); ok {
		n.pos = at
	} else if !pos.IsZero() {
		n.lines = append(n.lines, plain(d.Paths.shown(pos).String()))
	}
}

// notes returns an annotation for each cause. If there are too many, causes with the same rule and reasons are
// grouped, largest groups first.
func (d *Diff) notes(list []cause, as protocol.Side) []note {
	groups := slices.Collect(slices.Chunk(list, 1))
	if len(list) > maxAnnotations {
		groups = grouped(list, func(c cause) string { return string(c.Change.Rule) + " " + c.statement(d.Sides, as) })
	}
	var out []note
	for _, group := range groups {
		first := group[0]
		n := note{title: string(first.Change.Rule)}
		if len(group) > 1 {
			n.title = fmt.Sprintf("%s: %d of them", n.title, len(group))
		}
		statement := first.statement(d.Sides, as)
		if statement != "" && len(group) > 1 {
			n.lines = append(n.lines, statement)
		}
		for _, c := range group {
			line := c.title()
			if text := c.todo(); text != "" && len(c.alike) == 0 {
				line += "; Go: " + text
			}
			n.lines = append(n.lines, line)
			n.about++
			if statement != "" && len(group) == 1 {
				n.lines = append(n.lines, statement)
			}
			if len(c.alike) > 0 {
				for _, p := range c.places() {
					n.lines = append(n.lines, "- "+joinClauses(plain(p.Subject), p.todo()))
				}
			}
		}
		n.pos = d.attachedTo(group)
		if n.pos.IsZero() && !first.Pos().IsZero() {
			n.lines = append(n.lines, plain(d.Paths.shown(first.Pos()).String()))
		}
		out = append(out, n)
	}
	if len(list) > maxAnnotations {
		slices.SortStableFunc(out, func(a, b note) int { return b.about - a.about })
	}
	return out
}

// attachedTo returns the first position of a group in the repository, or else the corresponding new file.
func (d *Diff) attachedTo(group []cause) diag.Pos {
	var named string
	for _, c := range group {
		for _, f := range c.all() {
			for _, pos := range []diag.Pos{f.New, f.Old} {
				if at, ok := d.Paths.attached(pos); ok {
					return at
				}
				if named == "" && !pos.IsZero() {
					named = path.Base(pos.File)
				}
			}
		}
	}
	for _, f := range d.Findings {
		if at, ok := d.Paths.attached(f.New); ok && path.Base(at.File) == named {
			return diag.Pos{File: at.File, Line: 1}
		}
	}
	return diag.Pos{}
}

// limited replaces the excess notes by a summary.
func limited(notes []note) []note {
	if len(notes) <= maxAnnotations {
		return notes
	}
	rest := note{title: "and more"}
	for _, n := range notes[maxAnnotations-1:] {
		rest.about += n.about
		where := ""
		if !n.pos.IsZero() {
			where = plain(n.pos.String()) + ": "
		}
		rest.lines = append(rest.lines, where+n.title+": "+n.lines[0])
	}
	rest.title = fmt.Sprintf("%d more", rest.about)
	return append(slices.Clip(notes[:maxAnnotations-1]), rest)
}

// maxNoteLines is the maximum number of lines in a note.
const maxNoteLines = 30

// command formats a note as a workflow command.
func (n note) command(level string) string {
	var at []string
	if !n.pos.IsZero() {
		at = append(at, "file="+property(visible.Line(n.pos.File)), fmt.Sprintf("line=%d", max(n.pos.Line, 1)))
		if n.pos.Col > 0 {
			at = append(at, fmt.Sprintf("col=%d", n.pos.Col))
		}
	}
	at = append(at, "title="+property(n.title))
	lines := n.lines
	if len(lines) > maxNoteLines {
		lines = append(slices.Clip(lines[:maxNoteLines]), fmt.Sprintf("and %d more", len(lines)-maxNoteLines))
	}
	return fmt.Sprintf("::%s %s::%s\n", level, strings.Join(at, ","), message(strings.Join(lines, "\n")))
}

// message escapes the text of a workflow command.
func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// property escapes a parameter of a workflow command.
func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
