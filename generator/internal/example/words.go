// Words: plausible values of strings, chosen by the last word of the member's name.

package example

import (
	"strings"
	"unicode"
)

// endings maps common words in names to example values.
var endings = map[string]string{
	"uri": "file:///project/main.go", "url": "https://example.com/", "href": "https://example.com/", "path": "/project/main.go",
	"directory": "/project", "cwd": "/project", "at": "2026-01-31T12:00:00Z", "timestamp": "2026-01-31T12:00:00Z",
	"time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "version": "1.0.0", "email": "someone@example.com", "name": "example",
	"title": "An example", "message": "A few words.", "description": "What it is about.", "content": "A few words.", "text": "A few words.",
	"label": "Example", "reason": "A reason.", "data": "aGVsbG8=", "etag": "5f0c2d1e", "color": "#336699", "command": "go test ./...",
	"source": "/project/main.go", "destination": "/project/copy.go", "token": "a-token", "scope": "read",
	"timezone": "Europe/Zurich", "zone": "Europe/Zurich",
}

// text returns a value for a string member.
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

// isHandedOut reports whether a value is one that the peer has handed out before, so that no example would be accepted.
func isHandedOut(name string) bool {
	words := split(name)
	return len(words) > 0 && words[len(words)-1] == "cursor"
}

// telling reports whether an example value is known for the name of a member.
func telling(name string) bool {
	words := split(name)
	return len(words) > 0 && (words[len(words)-1] == "id" || endings[words[len(words)-1]] != "")
}

// split splits a name into lower-case words at capitals and non-letters.
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
