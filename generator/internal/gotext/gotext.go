// Package gotext escapes untrusted text for Go source: comments, literals and identifiers. The text cannot become
// code, a directive or a build constraint, and hidden characters do not survive.
package gotext

import (
	"go/build/constraint"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Comment returns one line of text as a line comment. A leading tab makes it a code line. Line breaks become spaces,
// and hidden characters are removed.
func Comment(line string) string {
	code := strings.HasPrefix(line, "\t")
	line = strings.TrimRightFunc(Clean(strings.TrimPrefix(line, "\t")), unicode.IsSpace)
	if looksLikeMachine(line) {
		line = "“" + strings.TrimSpace(line) + "”"
	}
	switch {
	case line == "":
		return "//"
	case code:
		return "//\t" + line
	}
	return "// " + line
}

// Comments is like Comment for several lines.
func Comments(lines []string) []string {
	return each.Map(lines, Comment)
}

// Clean replaces separators by spaces and removes other hidden characters.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, !visible.Hidden(r):
			return r
		case unicode.IsSpace(r) && r != '\u0085' && r != '\v' && r != '\f':
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
}

// looksLikeMachine reports whether tools would interpret a comment despite its leading space: a build constraint,
// which gofmt would move, a generated-code marker, or a malformed directive.
func looksLikeMachine(line string) bool {
	text := strings.TrimSpace(line)
	directive, isGo := strings.CutPrefix(text, "go:")
	return constraint.IsPlusBuild("//"+text) || strings.HasPrefix(text, "+build") ||
		isGo && directive != "" && 'a' <= directive[0] && directive[0] <= 'z' ||
		strings.HasPrefix(text, "Code generated ") && strings.HasSuffix(text, "DO NOT EDIT.")
}

// Literal returns text as a double-quoted Go string. Hidden characters are escaped.
func Literal(text string) string {
	quoted := strconv.Quote(text)
	if !strings.ContainsFunc(quoted, visible.Hidden) {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted { // hidden characters that strconv considers printable
		if !visible.Hidden(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// RawLiteral returns text as a Go string, in backquotes if it contains quotes and allows backquotes.
func RawLiteral(text string) string {
	fits := strings.ContainsRune(text, '"') && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r == '`' || r == utf8.RuneError || visible.Hidden(r)
	})
	if fits {
		return "`" + text + "`"
	}
	return Literal(text)
}

// Format is a text that stands for itself in a format of package fmt.
func Format(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// A is a link to a type with the article that goes before its name.
func A(name string) string {
	article := "a"
	if strings.ContainsRune("AEIO", rune(name[0])) || strings.HasPrefix(name, "Un") { // not a URI, nor a User
		article = "an"
	}
	return article + " [" + name + "]"
}

// IsIdentifier reports whether a text can be a Go identifier, all of which can be seen.
func IsIdentifier(text string) bool {
	return token.IsIdentifier(text) && text != "_" && !strings.ContainsFunc(text, visible.Hidden)
}

// IsExported reports whether a text is an exported Go identifier.
func IsExported(text string) bool { return IsIdentifier(text) && token.IsExported(text) }

// IsPackageName reports whether a text can stand in the package clause of emitted code.
func IsPackageName(text string) bool { return IsIdentifier(text) && text == strings.ToLower(text) }

// PackageName makes a package name of a text, "" if nothing is left of it that could be one.
func PackageName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
	if !IsPackageName(name) {
		return ""
	}
	return name
}
