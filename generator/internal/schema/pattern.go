// Patterns: names and places with wildcards.

package schema

import "strings"

// Wild reports whether text matches a pattern in which * matches any text.
func Wild(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, last)
}

// IsPattern reports whether a name or place has wildcards.
func IsPattern(text string) bool { return strings.Contains(text, "*") }

// Matches reports whether a place matches a pattern. An asterisk stands for any text in the name of a type, which may be
// inside another one, and after that for any text without a dot.
func Matches(pattern, place string) bool {
	for IsPattern(pattern) {
		dot := strings.LastIndexByte(pattern, '.')
		if dot < 0 {
			return Wild(pattern, place)
		}
		last := strings.LastIndexByte(place, '.')
		if last < 0 || !Wild(pattern[dot+1:], place[last+1:]) {
			return false
		}
		pattern, place = pattern[:dot], place[:last]
	}
	return pattern == place
}
