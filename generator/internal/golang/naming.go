// Names: the Go spelling of protocol names.

package golang

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/iancoleman/strcase"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// commonInitialisms are spelled in one case in all Go code.
var commonInitialisms = []string{
	"ACL", "API", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "QPS", "RAM", "RPC",
	"SLA", "SMTP", "SQL", "SSH", "TCP", "TLS", "TTL", "UDP", "UI", "UID", "UUID", "URI", "URL", "UTF8", "VM", "XML", "XMPP", "XSRF", "XSS",
}

// namer spells names. It is the only user of strcase.
type namer struct{ initialisms map[string]bool }

func newNamer(extra []string) *namer {
	n := &namer{map[string]bool{}}
	for _, word := range slices.Concat(commonInitialisms, extra) {
		n.initialisms[strings.ToUpper(word)] = true
	}
	return n
}

// words splits a name at case changes and non-alphanumerics.
func (n *namer) words(name string) []string {
	// Case alone does not show that a plural such as IDs is one word.
	name = plurals.ReplaceAllStringFunc(name, func(m string) string {
		parts := plurals.FindStringSubmatch(m)
		if !n.initialisms[parts[1]] {
			return m
		}
		return parts[1][:1] + strings.ToLower(parts[1][1:]) + "s" + parts[2]
	})
	clean := strings.Map(func(r rune) rune {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !visible.Hidden(r) {
			return r
		}
		return '_'
	}, name)
	list := strings.FieldsFunc(strcase.ToSnake(clean), func(r rune) bool { return r == '_' })
	for i := 1; i < len(list); i++ {
		if n.initialisms[strings.ToUpper(list[i-1]+list[i])] { // such as utf 8
			list[i-1] += list[i]
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

var plurals = regexp.MustCompile(`([A-Z]{2,})s($|[A-Z_0-9])`)

func (n *namer) word(w string) string {
	if upper := strings.ToUpper(w); n.initialisms[upper] {
		return upper
	}
	if singular, ok := strings.CutSuffix(w, "s"); ok && n.initialisms[strings.ToUpper(singular)] {
		return strings.ToUpper(singular) + "s"
	}
	r, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + w[size:]
}

// part spells a name in camel case, possibly not a valid identifier yet.
func (n *namer) part(name string) string {
	var b strings.Builder
	for _, w := range n.words(name) {
		b.WriteString(n.word(w))
	}
	if b.Len() > 0 {
		return b.String()
	}
	if name == "" {
		return "Empty"
	}
	for _, r := range name { // only symbols: spell them out
		fmt.Fprintf(&b, "U%04X", r)
	}
	return b.String()
}

// exported spells a name as an exported identifier. Dots separate path elements.
func (n *namer) exported(name string) string {
	var b strings.Builder
	for _, p := range strings.Split(name, ".") {
		b.WriteString(n.part(p))
	}
	return n.upper(b.String())
}

// upper makes an identifier exported.
func (n *namer) upper(name string) string {
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		return "X" + name
	}
	return name
}

// local spells a name as a parameter.
func (n *namer) local(name string) string {
	list := n.words(name)
	if len(list) == 0 {
		return "value"
	}
	out := strings.ToLower(list[0])
	for _, w := range list[1:] {
		out += n.word(w)
	}
	if r, _ := utf8.DecodeRuneInString(out); !unicode.IsLetter(r) {
		out = "x" + out
	}
	if token.IsKeyword(out) || types.Universe.Lookup(out) != nil {
		out += "Value" // avoids keywords and common names
	}
	return out
}
