// Markdown: the report as tables for a review.

package report

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/visible"
)

// markdown is for a review.
func (d *Diff) markdown(as protocol.Side) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", Markdown(d.Name()))
	if len(d.Findings) == 0 {
		b.WriteString("No differences.\n")
	}
	for s := range sections {
		groups := d.groups(s, as)
		if len(groups) == 0 {
			continue
		}
		columns := []string{"client", "host"}
		if as != protocol.FromBoth {
			columns = []string{string(as)}
		}
		fmt.Fprintf(&b, "### %s\n\n| change | %s | Go | where |\n|---|%s---|---|\n", s.heading(as), strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		for _, g := range groups {
			for _, f := range g {
				row := []string{plain(f.Change.String())}
				for _, side := range columns {
					row = append(row, markdownVerdict(f, protocol.Side(side)))
				}
				row = append(row, strings.TrimPrefix(goText(f), "Go: "), f.Pos().String())
				for i := range row {
					row[i] = Markdown(row[i])
				}
				fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
			}
		}
		b.WriteString("\n")
	}
	if d.API != nil {
		title, lines := d.apiLines()
		fmt.Fprintf(&b, "### %s\n\n", Markdown(title))
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", Markdown(line))
		}
		b.WriteString("\n")
	}
	if len(d.Findings) > 0 {
		b.WriteString(Markdown(d.Summary(as)) + "\n")
	}
	return b.String()
}

func markdownVerdict(f verdict.Finding, side protocol.Side) string {
	if !f.Rule.OnWire() {
		return ""
	}
	return because(f.Side(side).String(), f.Why(side))
}

// Markdown keeps text from being taken for Markdown or HTML: what schemas say is only text.
func Markdown(text string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]",
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", "\\#", "@", "&#64;", "\n", " ", "\r", " ").Replace(visible.Lines(text))
}
