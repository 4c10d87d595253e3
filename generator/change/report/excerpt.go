// Excerpts: the difference between two texts, and lines wrapped for a terminal.

package report

import (
	"strings"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// excerpt describes the old and new value. Of long texts only the difference is shown.
func excerpt(from, to string) string {
	switch {
	case from == "" || to == "":
		return visible.Name(from + to)
	case len(from)+len(to) <= 60:
		return visible.Name(from) + " → " + visible.Name(to)
	}
	sep := " "
	if strings.Contains(from, " | ") || strings.Contains(to, " | ") {
		sep = " | "
	}
	a, b := strings.Split(from, sep), strings.Split(to, sep)
	head, tail := common(a, b)
	cut := func(list []string) string {
		text := strings.Join(list[head:len(list)-tail], sep)
		switch {
		case text == "" && (head > 0 || tail > 0):
			return "…"
		case head > 0 && tail > 0:
			text = "…" + sep + text + sep + "…"
		case head > 0:
			text = "…" + sep + text
		case tail > 0:
			text += sep + "…"
		}
		return visible.Name(text)
	}
	return cut(a) + " → " + cut(b)
}

// common returns how many parts two texts have in common at the beginning, and behind these at the end.
func common(a, b []string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// columns is the assumed terminal width.
const columns = 120

// fold wraps a line at word boundaries with an indent.
func fold(line, indent string) string {
	if utf8.RuneCountInString(line) <= columns {
		return line + "\n"
	}
	var b strings.Builder
	rest := strings.TrimLeft(line, " ")
	lead := line[:len(line)-len(rest)]
	width := 0
	for i, word := range strings.Split(rest, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			b.WriteString(lead + word)
			width = len(lead) + n
		case width+1+n > columns:
			b.WriteString("\n" + indent + word)
			width = len(indent) + n
		default:
			b.WriteString(" " + word)
			width += 1 + n
		}
	}
	return b.String() + "\n"
}
