// Words of the sides: text that is written about a client and a host, in the words of a protocol that calls them
// otherwise.

package protocol

import (
	"regexp"
	"strings"
)

// aboutSides finds the words for the two sides, with an article that stands right before one.
var aboutSides = regexp.MustCompile(`\b(?:[Aa]n? )?(?:[Cc]lient|[Hh]ost)s?\b`)

// In returns a text about clients and hosts in the words of the protocol. What is part of a name, or quoted, stays, but
// texts should be given before names of the protocol are put in.
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

// inName reports whether a word is part of a name, as that of a package or a path, or a quotation of its own.
func inName(text string, from, to int) bool {
	const around = "\"`/_-#=.["
	before := from > 0 && strings.IndexByte(around, text[from-1]) >= 0
	after := to < len(text) && strings.IndexByte("\"`/_-=]", text[to]) >= 0
	selected := to+1 < len(text) && text[to] == '.' && text[to+1] != ' ' && text[to+1] != '\n' && text[to+1] != '<'
	return before || after || selected
}

// say puts a word for a side, as "client", "Hosts" or "a host", in the words of the protocol.
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

// plural is a word for several.
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
