// Texts: of a length, a format or a pattern.

package random

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/templates/wire/validate"
)

// Text restricts texts. A negative maximum is none.
type Text struct {
	Min, Max int // lengths in code points
	Patterns []string
	Format   string
}

// samples are code points of texts: simple ones first, then those that JSON escapes or that take several bytes.
var samples = []rune("abcdefghijklmnopqrstuvwxyz0123456789 ABCXYZ_-./\"\\\n\t<&é€\u2028😀")

// String returns a text without restrictions.
func (d *Draw) String() string { return d.Text(Text{Max: -1}) }

// Text returns a text. If no text is found that satisfies several patterns, or a pattern and a length, it returns one that
// satisfies the first pattern.
func (d *Draw) Text(t Text) string {
	switch {
	case len(t.Patterns) > 0:
		return d.matching(t)
	case t.Format != "":
		v, _ := retry(d, func(d *Draw) string { return d.format(t.Format) }, func(s *string) bool { return t.has(*s) })
		return v
	}
	var b strings.Builder
	for n := d.count(t.Min, t.Max, maxLength); n > 0; n-- {
		b.WriteRune(samples[d.below(len(samples))])
	}
	return b.String()
}

// has reports whether a text has the length.
func (t Text) has(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= t.Min && (t.Max < 0 || n <= t.Max)
}

func (d *Draw) matching(t Text) string {
	var all []*regexp.Regexp
	for _, p := range t.Patterns {
		r, err := regexp.Compile(p)
		if err != nil {
			return ""
		}
		all = append(all, r)
	}
	extra := 0 // repetitions beyond the minimum: more of them in later attempts make texts longer
	v, _ := retry(d, func(d *Draw) string {
		extra++
		return d.pattern(t.Patterns[0], extra/2+extra*extra/50)
	}, func(s *string) bool {
		for _, r := range all {
			if !r.MatchString(*s) {
				return false
			}
		}
		return t.has(*s) && (t.Format == "" || validate.IsFormat(*s, t.Format))
	})
	return v
}

// letters returns n letters.
func (d *Draw) letters(n int) string {
	var b strings.Builder
	for ; n > 0; n-- {
		b.WriteByte("abcdefghijklmnopqrstuvwxyz"[d.below(26)])
	}
	return b.String()
}

// format returns a text of a format. For unknown formats it is a word.
func (d *Draw) format(name string) string {
	date := func() string { return fmt.Sprintf("%04d-%02d-%02d", 2000+d.below(100), 1+d.below(12), 1+d.below(28)) }
	clock := func() string {
		return fmt.Sprintf("%02d:%02d:%02d", d.below(24), d.below(60), d.below(60)) + Pick(d, "Z", ".5Z", "+01:00")
	}
	word := func() string { return "a" + d.letters(d.below(6)) }
	switch name {
	case "date-time":
		return date() + "T" + clock()
	case "date":
		return date()
	case "time":
		return clock()
	case "uri":
		return Pick(d, "file:///", "https://example.com/", "urn:a:") + word()
	case "uuid":
		high, low := d.next(), d.next()
		return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xffff, low>>48, low&(1<<48-1))
	case "email":
		return word() + "@example.com"
	case "ipv4":
		return fmt.Sprintf("127.%d.%d.%d", d.below(256), d.below(256), d.below(256))
	case "ipv6":
		return fmt.Sprintf("::%x", 1+d.below(0xffff))
	case "hostname":
		return word() + ".example"
	case "byte":
		return Pick(d, "", "YQ==", "YWJj")
	case "duration":
		return Pick(d, "PT1S", "P1D")
	case "json-pointer":
		return "/" + word()
	}
	return word()
}
