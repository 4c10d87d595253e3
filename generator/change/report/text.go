// Text: the report for a terminal.

package report

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// text writes a summary and then each place.
func (d *Diff) text(as protocol.Side) string {
	if d.Left != nil {
		return d.leftText(as)
	}
	var b strings.Builder
	if len(d.Findings) == 0 {
		b.WriteString("no differences")
		if d.Accepted > 0 {
			fmt.Fprintf(&b, " but %d accepted ones", d.Accepted)
		}
		b.WriteString("\n")
	} else {
		b.WriteString(d.Summary(as) + "\n")
	}
	for s, list := range d.bySection(as) {
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s (%d)\n", section(s).heading(d.Sides, as), len(list))
		if !section(s).harmless() {
			for _, c := range list {
				b.WriteString("\n" + d.pressing(c, as))
			}
			continue
		}
		for _, group := range byStatement(list, d.Sides, as) {
			if text := group[0].statement(d.Sides, as); text != "" {
				b.WriteString("\n" + fold("  "+text, "  "))
			} else {
				b.WriteString("\n")
			}
			for _, c := range group {
				b.WriteString(d.harmless(c))
			}
		}
	}
	return b.String()
}

// at returns the position prefix of a line.
func (d *Diff) at(c cause) string {
	if pos := c.Pos(); !pos.IsZero() {
		return plain(d.Paths.shown(pos).String()) + ": "
	}
	return ""
}

// pressing writes a cause in full.
func (d *Diff) pressing(c cause, as protocol.Side) string {
	var b strings.Builder
	b.WriteString(fold(fmt.Sprintf("%s%s [%s]", d.at(c), c.title(), c.Change.Rule), "    "))
	if text := c.statement(d.Sides, as); text != "" {
		b.WriteString(fold("    "+text, "        "))
	}
	if text := c.proof(); text != "" {
		b.WriteString(fold("    "+text, "        "))
	}
	if text := c.todo(); text != "" && len(c.alike) == 0 {
		b.WriteString(fold("    Go: "+text, "        "))
	}
	b.WriteString(d.places(c))
	return b.String()
}

// harmless writes a cause briefly.
func (d *Diff) harmless(c cause) string {
	line := d.at(c) + c.title()
	if len(c.alike) == 0 {
		line = joinClauses(line, c.todo())
	}
	return fold(fmt.Sprintf("%s [%s]", line, c.Change.Rule), "    ") + d.places(c)
}

// places formats the places of a cause that has several.
func (d *Diff) places(c cause) string {
	if len(c.alike) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range c.places() {
		b.WriteString(fold("    "+d.at(p)+joinClauses(plain(p.Subject), p.todo()), "        "))
	}
	return b.String()
}

// byStatement groups causes with the same statement.
func byStatement(list []cause, sides protocol.Sides, as protocol.Side) [][]cause {
	return grouped(list, func(c cause) string { return c.statement(sides, as) })
}

// grouped groups causes by key, in order of first appearance.
func grouped(list []cause, of func(cause) string) [][]cause {
	var out [][]cause
	index := map[string]int{}
	for _, c := range list {
		key := of(c)
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

// leftText writes the remaining work of a bump and a summary of the changes.
func (d *Diff) leftText(as protocol.Side) string {
	var b strings.Builder
	b.WriteString(d.Summary(as) + "\n")
	for _, p := range d.Left.parts() {
		if len(p.items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s (%d)\n\n", p.heading, len(p.items))
		for _, item := range p.items {
			b.WriteString(fold(d.Paths.shown(item.Pos).String()+": "+oneLine(item.Message), "    "))
		}
	}
	b.WriteString("\n" + fold("The protocol: "+d.counted(as)+".", "    "))
	for _, line := range d.Left.Settings {
		b.WriteString(fold(plain(line), "    "))
	}
	return b.String()
}
