// Markdown: the report as a pull request comment.

package report

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxMarkdown is the maximum length of a comment. GitHub's limit is 64 kB.
const maxMarkdown = 60_000

// unfolded is the number of places shown before the rest is folded.
const unfolded = 20

// comment is a text with a limited length.
type comment struct {
	strings.Builder
	dropped int // entries omitted for lack of space
}

// entry adds a line if it and the required closing lines fit.
func (c *comment) entry(line string) {
	const reserve = 1_000
	if c.dropped > 0 || c.Len()+len(line) > maxMarkdown-reserve {
		c.dropped++
		return
	}
	c.WriteString(line)
}

// folded adds entries in a collapsed section.
func (c *comment) folded(title string, entries []string) {
	if c.dropped > 0 {
		c.dropped += len(entries)
		return
	}
	c.WriteString("<details><summary>" + title + "</summary>\n\n")
	for _, e := range entries {
		c.entry(e)
	}
	c.WriteString("\n</details>\n\n")
}

// markdown writes required actions first and folds the rest.
func (d *Diff) markdown(as protocol.Side) string {
	b := &comment{}
	fmt.Fprintf(b, "## %s\n\n", Markdown(d.Summary(as)))
	if d.Left != nil {
		d.leftMarkdown(b)
		if d.Left.Unchecked != "" {
			b.entry("What no longer compiles is not known: " + Markdown(visible.Cut(d.Left.Unchecked, maxLine)) + "\n\n")
		}
		b.entry("The protocol: " + Markdown(d.counted(as)) + ".\n\n")
		for _, line := range d.Left.Settings {
			b.entry(Markdown(line) + "\n\n")
		}
	}
	if len(d.Findings) == 0 {
		b.WriteString("No differences.\n\n")
	}
	for s, list := range d.bySection(as) {
		if len(list) == 0 {
			continue
		}
		var entries []string
		for _, group := range byStatement(list, d.Sides, as) {
			if text := group[0].statement(d.Sides, as); text != "" {
				entries = append(entries, map[bool]string{true: "\n"}[len(entries) > 0]+Markdown(text)+"\n\n")
			}
			entries = append(entries, each.Map(group, d.markdownEntry)...)
		}
		b.folded(fmt.Sprintf("%s (%d)", Markdown(section(s).heading(d.Sides, as)), len(list)), entries)
	}
	if b.dropped > 0 {
		fmt.Fprintf(b, "%d more lines are left out here; the other forms of the report have them all.\n", b.dropped)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// markdownEntry formats a cause as a list item.
func (d *Diff) markdownEntry(c cause) string {
	line := "- "
	if pos := c.Pos(); !pos.IsZero() {
		line += code(d.Paths.fromRoot(pos)) + " "
	}
	line += "**" + Markdown(c.title()) + "** (" + string(c.Change.Rule) + ")"
	if text := c.proof(); text != "" {
		line += ": " + Markdown(text)
	}
	if len(c.alike) == 0 {
		if text := c.todo(); text != "" {
			line += "; Go: " + Markdown(text)
		}
		return line + "\n"
	}
	line += "\n"
	for _, p := range c.places() {
		line += "  - " + code(d.Paths.fromRoot(p.Pos())) + " " + Markdown(joinClauses(plain(p.Subject), p.todo())) + "\n"
	}
	return line
}

// leftMarkdown formats the remaining work as a task list.
func (d *Diff) leftMarkdown(b *comment) {
	for _, p := range d.Left.parts() {
		if len(p.items) == 0 {
			continue
		}
		fmt.Fprintf(b, "### %s\n\n", p.heading)
		var tasks []string
		for _, item := range p.items {
			tasks = append(tasks, fmt.Sprintf("- [ ] %s %s\n", code(d.Paths.fromRoot(item.Pos)), Markdown(oneLine(item.Message))))
		}
		for _, task := range tasks[:min(len(tasks), unfolded)] {
			b.entry(task)
		}
		b.WriteString("\n")
		if len(tasks) > unfolded {
			b.folded(fmt.Sprintf("%d more", len(tasks)-unfolded), tasks[unfolded:])
		}
	}
}

// code formats a position for Markdown.
func code(pos diag.Pos) string { return "`" + strings.ReplaceAll(plain(pos.String()), "`", "'") + "`" }

// Markdown keeps text from being taken for Markdown or HTML: what schemas say is only text.
func Markdown(text string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]",
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", "\\#", "@", "&#64;", "\n", " ", "\r", " ").Replace(visible.Lines(text))
}
