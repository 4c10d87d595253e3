// Text: the report as a person reads it at a terminal or in a log.

package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// text is for a person at a terminal or reading a log.
func (d *Diff) text(as protocol.Side) string {
	var b strings.Builder
	if len(d.Findings) == 0 {
		b.WriteString("no differences")
		if d.Accepted > 0 {
			fmt.Fprintf(&b, " but %d accepted ones", d.Accepted)
		}
		b.WriteString("\n")
	}
	for s := range sections {
		groups := d.groups(s, as)
		if len(groups) == 0 {
			continue
		}
		n := 0
		for _, g := range groups {
			n += len(g)
		}
		fmt.Fprintf(&b, "%s (%d)\n\n", s.heading(as), n)
		for _, g := range groups {
			textGroup(&b, g, as)
		}
	}
	if d.API != nil {
		title, lines := d.apiLines()
		fmt.Fprintf(&b, "%s\n", title)
		for _, line := range lines {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		b.WriteString("\n")
	}
	if len(d.Findings) > 0 {
		b.WriteString(d.Summary(as) + "\n")
	}
	return b.String()
}

func textGroup(b *strings.Builder, g group, as protocol.Side) {
	fmt.Fprintf(b, "  %s\n", g.title())
	if v := g.verdicts(as); v != "" {
		fmt.Fprintf(b, "      %s\n", v)
	}
	if len(g) == 1 {
		f := g[0]
		if text := goText(f); text != "" {
			fmt.Fprintf(b, "      %s\n", text)
		}
		if pos := f.Pos(); !pos.IsZero() {
			fmt.Fprintf(b, "      %s\n", plain(pos.String()))
		}
	} else {
		if !g[0].Rule.Advice {
			fmt.Fprintf(b, "      Go: %s\n", g[0].Go)
		}
		places(b, g)
	}
	b.WriteString("\n")
}

// places lists the places of a group, one line each.
func places(b *strings.Builder, g group) {
	t := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	for _, f := range g {
		line := "        " + place(f) + "\t" + plain(f.Pos().String())
		if f.Todo != "" {
			line += "\t" + plain(f.Todo)
		}
		fmt.Fprintln(t, line)
	}
	_ = t.Flush() // a string builder takes everything
}
