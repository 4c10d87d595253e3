// Words: what a text is likely to say, by the last word of its member's name. Only how an example reads depends on it.

package example

import (
	"strings"
	"unicode"
)

// endings are the words of everyday names that say what a text looks like.
var endings = map[string]string{
	"uri": "file:///project/main.go", "url": "https://example.com/", "href": "https://example.com/", "path": "/project/main.go",
	"directory": "file:///project", "cwd": "file:///project", "at": "2026-01-31T12:00:00Z", "timestamp": "2026-01-31T12:00:00Z",
	"time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "version": "1.0.0", "email": "someone@example.com", "name": "example",
	"title": "An example", "message": "A few words.", "description": "What it is about.", "content": "A few words.", "text": "A few words.",
	"label": "Example", "reason": "A reason.", "data": "aGVsbG8=", "etag": "5f0c2d1e", "color": "#336699", "command": "go test ./...",
	"timezone": "Europe/Zurich", "zone": "Europe/Zurich",
}

// text is a value for a member that is a string.
func text(name string) string {
	words := split(name)
	if len(words) == 0 {
		return "text"
	}
	last := words[len(words)-1]
	switch {
	case last == "id" && len(words) > 1:
		return words[len(words)-2] + "-1"
	case last == "id":
		return "id-1"
	case endings[last] != "":
		return endings[last]
	}
	return last
}

// telling reports whether the name of a member says what a text looks like.
func telling(name string) bool {
	words := split(name)
	return len(words) > 0 && (words[len(words)-1] == "id" || endings[words[len(words)-1]] != "")
}

// split takes a name apart at capitals and at what is no letter, and has the words in lower case.
func split(name string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
		}
		word.Reset()
	}
	upper := false
	for _, r := range name {
		if !unicode.IsLetter(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && !upper {
			end()
		}
		upper = unicode.IsUpper(r)
		word.WriteRune(r)
	}
	end()
	return out
}
