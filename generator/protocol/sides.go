// Words of the sides: text about clients and hosts, rewritten with a protocol's own names.

package protocol

import (
	"regexp"
	"strings"
)

// aboutSides matches the words for the sides with a preceding article.
var aboutSides = regexp.MustCompile(`\b(?:[Aa]n? )?(?:[Cc]lient|[Hh]ost)s?\b`)

// In returns text about clients and hosts with the protocol's names. Names and quotations are preserved; text should
// be passed before protocol names are inserted.
func (s Sides) In(text string) string {
	if s.Name(FromClient) == string(FromClient) && s.Name(FromHost) == string(FromHost) {
		return text
	}
	var b strings.Builder
	at := 0
	for _, found := range aboutSides.FindAllStringIndex(text, -1) {
		if inName(text, found[0], found[1]) {
			continue
		}
		b.WriteString(text[at:found[0]])
		b.WriteString(s.say(text[found[0]:found[1]]))
		at = found[1]
	}
	return b.String() + text[at:]
}

// inName reports whether a word is part of a name, such as a package or path, or is quoted.
func inName(text string, from, to int) bool {
	const around = "\"`/_-#=.["
	before := from > 0 && strings.IndexByte(around, text[from-1]) >= 0
	after := to < len(text) && strings.IndexByte("\"`/_-=]", text[to]) >= 0
	selected := to+1 < len(text) && text[to] == '.' && text[to+1] != ' ' && text[to+1] != '\n' && text[to+1] != '<'
	return before || after || selected
}

// say translates a word such as "client", "Hosts" or "a host".
func (s Sides) say(word string) string {
	article, noun, found := strings.Cut(word, " ")
	if !found {
		article, noun = "", word
	}
	lower := strings.ToLower(noun)
	single := strings.TrimSuffix(lower, "s")
	said := s.Name(Side(single))
	switch {
	case article != "":
		said = A(said)
	case single != lower:
		said = plural(said)
	}
	if first := word[:1]; first != strings.ToLower(first) {
		said = strings.ToUpper(said[:1]) + said[1:]
	}
	return said
}

// plural returns the plural of a word.
func plural(word string) string {
	stem, y := strings.CutSuffix(word, "y")
	switch {
	case y && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "sh"):
		return word + "es"
	}
	return word + "s"
}
