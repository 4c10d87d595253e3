// Patterns: texts that match regular expressions.

package random

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// pattern returns a text that is likely to match. Repetitions are up to so many beyond the minimum. It ignores what looks
// at the text around, such as word boundaries.
func (d *Draw) pattern(text string, more int) string {
	r, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	d.expression(&b, r.Simplify(), more)
	return b.String()
}

func (d *Draw) expression(b *strings.Builder, r *syntax.Regexp, more int) {
	switch r.Op {
	case syntax.OpLiteral:
		b.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		b.WriteRune(d.oneOf(r.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(samples[d.below(36)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range r.Sub {
			d.expression(b, sub, more)
		}
	case syntax.OpAlternate:
		d.expression(b, r.Sub[d.below(len(r.Sub))], more)
	case syntax.OpStar:
		d.repeat(b, r.Sub[0], 0, more)
	case syntax.OpPlus:
		d.repeat(b, r.Sub[0], 1, more)
	case syntax.OpQuest:
		if d.below(2) == 1 {
			d.expression(b, r.Sub[0], more)
		}
	}
}

func (d *Draw) repeat(b *strings.Builder, r *syntax.Regexp, least, more int) {
	for n := least + d.below(more+1); n > 0; n-- {
		d.expression(b, r, more)
	}
}

// oneOf returns a code point of a class, which is a list of ranges; a printable one of ASCII if there is any.
func (d *Draw) oneOf(ranges []rune) rune {
	n := 0
	at := func(i int) rune {
		for j := 0; j+1 < len(ranges); j += 2 {
			low, high := max(ranges[j], ' '), min(ranges[j+1], '~')
			if size := int(high-low) + 1; size > 0 {
				if i < size {
					return low + rune(i) //nolint:gosec // less than size
				}
				i -= size
			}
		}
		return -1
	}
	for at(n) >= 0 {
		n++
	}
	if n > 0 {
		return at(d.below(n))
	}
	for j := 0; j+1 < len(ranges); j += 2 {
		if ranges[j] <= unicode.MaxRune && (ranges[j] < 0xd800 || ranges[j] > 0xdfff) {
			return ranges[j]
		}
	}
	return 'a'
}
