// Comments: converting descriptions to Go doc comments.

package golang

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

var (
	linkTag    = regexp.MustCompile(`\{@link(?:code|plain)?\s+([^}\s|]+)(?:\s*\|\s*|\s+)?([^}]*)\}`)
	brokenLink = regexp.MustCompile(`\{@link[^}]*\}`)
	codeFence  = regexp.MustCompile("^\\s*(?:```|~~~)[^`~]*$")
	blockTag   = regexp.MustCompile(`^\s*@(remarks|see|example|default|deprecated|category|since|throws|returns|format)\b\s*`)
	ticked     = regexp.MustCompile("`([A-Za-z][A-Za-z0-9]*)`")
)

// comment converts a description to lines of a doc comment. link returns the Go spelling of a name and whether it is
// declared in the package.
func comment(description string, link func(string) (string, bool)) []string {
	var out []string
	fenced := false
	description = brokenLink.ReplaceAllStringFunc(description, func(m string) string { return strings.Join(strings.Fields(m), " ") })
	for _, line := range strings.Split(description, "\n") {
		line = strings.TrimRightFunc(gotext.Clean(line), unicode.IsSpace)
		if codeFence.MatchString(line) {
			fenced = !fenced
			out = append(out, "")
			continue
		}
		if fenced {
			out = append(out, "\t"+line)
			continue
		}
		line = blockTag.ReplaceAllStringFunc(line, func(tag string) string {
			name := strings.Trim(strings.TrimSpace(tag), "@")
			if name == "remarks" {
				return ""
			}
			return strings.ToUpper(name[:1]) + name[1:] + ": "
		})
		out = append(out, Wrap(strings.TrimRight(links(line, link), " "))...)
	}
	return squeeze(out)
}

// maxWidth is the maximum line width of comments.
const maxWidth = 100

var listItem = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+`)

// Wrap wraps a comment line at word boundaries. Continuations of list items are indented.
func Wrap(line string) []string {
	if utf8.RuneCountInString(line) <= maxWidth {
		return []string{line}
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	first := line[:indent]
	if m := listItem.FindString(line); m != "" {
		first, indent = m, len(m)
	}
	var out []string
	current, empty := first, true
	for _, word := range strings.Fields(line[len(first):]) {
		switch {
		case empty:
			current += word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > maxWidth:
			out = append(out, current)
			current = strings.Repeat(" ", indent) + word
		default:
			current += " " + word
		}
		empty = false
	}
	return append(out, current)
}

// links converts references to Go doc links: [Type] or [Type.Field].
func links(line string, link func(string) (string, bool)) string {
	line = linkTag.ReplaceAllStringFunc(line, func(m string) string {
		parts := linkTag.FindStringSubmatch(m)
		name, text := parts[1], strings.TrimSpace(parts[2])
		if goName, ok := link(name); ok {
			return "[" + goName + "]"
		}
		if text != "" {
			return text
		}
		return "`" + strings.TrimSuffix(name, "()") + "`"
	})
	return ticked.ReplaceAllStringFunc(line, func(m string) string {
		// A type name in code quotes becomes a link; lower-case names are wire names.
		name := strings.Trim(m, "`")
		if goName, ok := link(name); ok && unicode.IsUpper(rune(name[0])) {
			return "[" + goName + "]"
		}
		return m
	})
}

// squeeze removes blank lines at both ends and doubled ones between.
func squeeze(lines []string) []string {
	var out []string
	for _, l := range lines {
		blank := strings.TrimSpace(l) == ""
		if blank && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		if blank {
			l = ""
		}
		out = append(out, l)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
