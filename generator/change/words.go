// Words: the words in names. An addition and a removal with similar words may be a rename.

package change

import (
	"slices"
	"strings"
	"unicode"
)

// words returns the words of a name: lower case, singular, sorted.
func words(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, singular(strings.ToLower(string(word))))
		}
		word = nil
	}
	last := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			last = r
			continue
		case unicode.IsUpper(r) && !unicode.IsUpper(last):
			end()
		}
		word = append(word, r)
		last = r
	}
	end()
	slices.Sort(out)
	return out
}

// singular strips plural endings. It need only be consistent.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "ss"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// Alike reports whether two names share a word.
func Alike(a, b string) bool {
	other := words(b)
	return slices.ContainsFunc(words(a), func(w string) bool { return slices.Contains(other, w) })
}
