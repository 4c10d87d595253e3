// Complaints: translates validator errors into diagnostics.

package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
)

// complaint is a violation of a schema.
type complaint struct {
	said    string   // the library's message
	keyword string   // the violated keyword
	at      *Node    // the invalid value
	keyPos  diag.Pos // position of the member that holds it
	path    []string // path of the value
	beside  string   // the member that requires another, if any
	rule    *Node    // value of the keyword; nil in schemas of the library
	schema  *Node    // the schema with the keyword; nil in schemas of the library
	members []string // members declared by the schema
}

// isOtherRegex reports whether a complaint is about regular expressions of ECMAScript that have what Go's do not, such as a look
// ahead. They are a value, the name of a member, or all names of members.
func (c complaint) isOtherRegex() bool {
	switch {
	case len(c.path) == 0:
		return false
	case strings.HasSuffix(c.said, "is not valid regex"): // names of members, in drafts before 07
		return !slices.ContainsFunc(c.at.Members, func(m Member) bool { return !isReadable(m.Key) })
	case c.keyword != "format" || !strings.HasSuffix(c.said, "'regex'"):
		return false
	case c.at.Kind == String:
		return isReadable(c.at.Text)
	}
	return isReadable(c.path[len(c.path)-1])
}

// isReadable reports whether Go can read a regular expression, or it has what only others can.
func isReadable(expression string) bool {
	_, err := syntax.Parse(expression, syntax.Perl)
	var wrong *syntax.Error
	return err == nil || errors.As(err, &wrong) && slices.Contains([]syntax.ErrorCode{syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatSize}, wrong.Code)
}

// explain returns diagnostics with position and remedy. A misspelt member is not also reported as missing.
func (c complaint) explain(all []complaint) []diag.Diagnostic {
	what := c.what()
	switch c.keyword {
	case "type":
		wanted, got, _ := strings.Cut(strings.TrimPrefix(c.said, "expected "), ", but got ")
		if got == "number" && wanted == "integer" {
			return one(c.at.Pos, "write an integer", "%s: %s is not an integer", what, clip(c.at))
		}
		return one(c.at.Pos, "write "+c.comment(articles(wanted)), "%s is %s, not %s", what, articles(got), articles(wanted))
	case "format":
		return one(c.at.Pos, "correct it", "%s: %s is no %s", what, clip(c.at), strings.Trim(c.said[strings.LastIndexByte(c.said, ' ')+1:], "'"))
	case "pattern":
		form := c.comment("text that matches " + strings.TrimPrefix(c.said, "does not match pattern "))
		kind, _, _ := strings.Cut(form, " such as ")
		return one(c.at.Pos, "write "+form, "%s: %s is not %s", what, clip(c.at), strings.TrimSuffix(kind, ","))
	case "enum", "const":
		return c.values(what)
	case "minLength", "minItems", "minProperties":
		if len(c.at.Items)+len(c.at.Members) > 0 {
			return one(c.at.Pos, c.bound(), "%s: %s is too short", what, clip(c.at))
		}
		return one(c.at.Pos, "put something into it, or leave it out", "%s is empty", what)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "maxItems", "maxLength":
		return one(c.at.Pos, c.bound(), "%s: %s is out of bounds", what, clip(c.at))
	case "uniqueItems":
		return c.repeated(what)
	case "additionalProperties", "unevaluatedProperties":
		if members := c.unwanted(); members != nil {
			return c.unknown(members, all)
		}
	case "required", "needs":
		return c.absent(what, all)
	case "oneOf", "anyOf":
		return c.choice(what)
	case "not":
		if cause := c.schema.Get("description"); cause != nil {
			return one(c.keyPos, c.comment("take it away"), "%s: %s", what, sentence(cause.Text))
		}
		return one(c.keyPos, "take it away", "%s is not allowed here", what)
	}
	if names := dependent.FindStringSubmatch(c.said); names != nil {
		return c.lacking(names[1], names[2])
	}
	return one(c.at.Pos, "write what its description asks for", "%s: %s", what, c.said)
}

// number matches numbers in the library's messages.
var number = regexp.MustCompile(`-?[0-9][0-9.eE+]*`)

// bound reports a value or size out of bounds.
func (c complaint) bound() string {
	most := "at least "
	if strings.Contains(strings.ToLower(c.keyword), "max") {
		most = "at most "
	}
	limit, _, _ := strings.Cut(c.said, " but") // followed by the actual value
	most += number.FindString(limit)
	switch {
	case strings.HasSuffix(c.keyword, "Items"):
		return "list " + most
	case strings.HasSuffix(c.keyword, "Length"):
		return "write " + most + " characters"
	}
	return "write " + most
}

// absent reports missing members, or too few of a set.
func (c complaint) absent(what string, all []complaint) []diag.Diagnostic {
	if c.beside != "" && c.schema.Get("description") != nil {
		return c.misplaced(what)
	}
	if c.keyword == "required" {
		names := c.missing(all)
		if len(names) == 0 {
			return nil
		}
		return one(c.at.Pos, "add "+diag.Enumerate(names, "and"), "%s lacks %s", what, diag.Enumerate(names, "and"))
	}
	names := quotedNames(c.said)
	if c.misspelt(names, all) || c.takenFor(all) {
		return nil
	}
	return one(c.at.Pos, "add "+diag.Enumerate(names, "or"), "%s has none of %s", what, diag.Enumerate(names, "and"))
}

// choice reports a value that matches none, or several, of the alternatives.
func (c complaint) choice(what string) []diag.Diagnostic {
	var there []string
	for _, alternative := range c.rule.List() {
		for _, name := range alternative.Get("required").List() {
			if c.at.Get(name.Text) != nil {
				there = append(there, fmt.Sprintf("%q", name.Text))
			}
		}
	}
	if len(there) > 1 {
		return one(c.at.Pos, "keep one of them; what is left goes into an entry of its own", "%s has %s, of which one is allowed", what, diag.Enumerate(there, "and"))
	}
	return one(c.at.Pos, "write "+c.comment("one of the things that are allowed there"), "%s is nothing that is allowed there", what)
}

// one returns a single diagnostic.
func one(pos diag.Pos, hint, format string, args ...any) []diag.Diagnostic {
	return []diag.Diagnostic{{Pos: pos, Hint: hint, Message: fmt.Sprintf(format, args...)}}
}

// dependent matches the library's message about dependent members.
var dependent = regexp.MustCompile(`^property '(.*)' is required, if '(.*)' property exists$`)

// what names the invalid value.
func (c complaint) what() string {
	if len(c.path) == 0 {
		return "the file"
	}
	last := c.path[len(c.path)-1]
	if strings.Trim(last, "0123456789") == "" && len(c.path) > 1 {
		return fmt.Sprintf("item %s of %s", ordinal(last), c.path[len(c.path)-2])
	}
	return last
}

// ordinal returns "1st", "2nd" and so on.
func ordinal(index string) string {
	n := 0
	_, _ = fmt.Sscan(index, &n)
	return fmt.Sprint(n + 1)
}

// comment returns the schema's description of what is wanted.
func (c complaint) comment(otherwise string) string {
	if n := c.schema.Get("$comment"); n != nil {
		return n.Text
	}
	return otherwise
}

// values explains a value outside an enumeration.
func (c complaint) values(what string) []diag.Diagnostic {
	if c.keyword == "const" && c.schema.Get("description") != nil {
		return one(c.keyPos, "take it away", "%s %s", what, sentence(c.schema.Get("description").Text))
	}
	wanted := each.Map(c.rule.List(), (*Node).Compact)
	if c.rule != nil && c.keyword == "const" {
		wanted = append(wanted, c.rule.Compact())
	}
	if c.rule == nil {
		// The library's message: value must be one of "a", "b".
		if _, list, ok := strings.Cut(c.said, "value must be "); ok {
			wanted = strings.Split(strings.TrimPrefix(list, "one of "), ", ")
		}
	}
	hint := "write " + diag.Enumerate(wanted, "or")
	if near := similar.Nearest(c.at.Compact(), wanted); near != "" {
		hint = "did you mean " + near + "?"
	}
	return one(c.at.Pos, hint, "%s: %s is none of %s", what, clip(c.at), diag.Enumerate(wanted, "and"))
}

// misplaced explains a member that requires another.
func (c complaint) misplaced(what string) []diag.Diagnostic {
	is, where, _ := strings.Cut(sentence(c.schema.Get("description").Text), ": ")
	return one(c.posOf(c.beside), "take it away, or put it where it belongs: "+where, "%s is %s, and %s is none", c.beside, is, what)
}

// repeated explains a duplicate list item.
func (c complaint) repeated(what string) []diag.Diagnostic {
	for i, item := range c.at.Items {
		if first := slices.IndexFunc(c.at.Items, item.Equal); first < i {
			return one(item.Pos, fmt.Sprintf("it stands first at %s; keep one of the two", c.at.Items[first].Pos), "%s has %s twice", what, clip(item))
		}
	}
	return nil
}

// unwanted returns the disallowed members, which the library only names in its message.
func (c complaint) unwanted() []Member {
	if c.at.Kind != Object {
		return nil
	}
	known := each.Set(c.members)
	return each.Where(c.at.Members, func(m Member) bool { return !known[m.Key] })
}

// unknown explains unknown members.
func (c complaint) unknown(members []Member, all []complaint) []diag.Diagnostic {
	var out []diag.Diagnostic
	known := slices.DeleteFunc(slices.Clone(c.members), func(name string) bool { return name == "$schema" })
	for _, m := range members {
		hint := "take it away; the members are " + diag.Enumerate(known, "and")
		if wanted := c.wanted(all); len(members) == 1 && wanted != nil {
			hint = "write " + diag.Enumerate(wanted, "or") + " in its place"
		}
		if near := c.meant(m.Key, all); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		out = append(out, diag.Diagnostic{Pos: m.KeyPos, Hint: hint, Message: fmt.Sprintf("unknown member %q", m.Key)})
	}
	return out
}

// others returns the complaints about the same value by a keyword.
func (c complaint) others(all []complaint, keyword string) []complaint {
	return each.Where(all, func(other complaint) bool { return other.at == c.at && other.keyword == keyword })
}

// takenFor reports whether an unknown member probably stands for one of several required ones.
func (c complaint) takenFor(all []complaint) bool {
	return slices.ContainsFunc(c.others(all, "additionalProperties"), func(other complaint) bool { return len(other.unwanted()) == 1 })
}

// wanted returns the required members if the object has none of them, or nil.
func (c complaint) wanted(all []complaint) []string {
	if needs := c.others(all, "needs"); len(needs) > 0 {
		return quotedNames(needs[0].said)
	}
	return nil
}

// meant returns the member most similar to an unknown name, preferring missing required ones.
func (c complaint) meant(name string, all []complaint) string {
	var missing []string
	for _, other := range c.others(all, "required") {
		for _, name := range quotedNames(other.said) {
			missing = append(missing, strings.Trim(name, `"`))
		}
	}
	if near := similar.Nearest(name, missing); near != "" {
		return near
	}
	absent := slices.DeleteFunc(slices.Clone(c.members), func(p string) bool { return c.at.Get(p) != nil })
	return similar.Nearest(name, absent)
}

// misspelt reports whether one of the members is present under a similar name.
func (c complaint) misspelt(names []string, all []complaint) bool {
	for _, other := range c.others(all, "additionalProperties") {
		for _, m := range other.unwanted() {
			if slices.Contains(names, fmt.Sprintf("%q", other.meant(m.Key, all))) {
				return true
			}
		}
	}
	return false
}

// missing returns required members that are absent, even under a similar name.
func (c complaint) missing(all []complaint) []string {
	names := quotedNames(c.said)
	for _, other := range c.others(all, "additionalProperties") {
		for _, m := range other.unwanted() {
			near := other.meant(m.Key, all)
			names = slices.DeleteFunc(names, func(name string) bool { return strings.Trim(name, `"`) == near })
		}
	}
	return names
}

// lacking explains a missing dependent member.
func (c complaint) lacking(name, beside string) []diag.Diagnostic {
	for _, m := range c.at.Members {
		if !slices.Contains(c.members, m.Key) && similar.Nearest(m.Key, []string{name}) != "" {
			return nil // misspelt, which is reported with the keyword
		}
	}
	return one(c.posOf(beside), fmt.Sprintf("add %q beside it", name), "%s needs %s beside it", beside, name)
}

// posOf returns where a member of the value stands, or the value if it has none of that name.
func (c complaint) posOf(key string) diag.Pos {
	if m, ok := c.at.keyword(key); ok {
		return m.KeyPos
	}
	return c.at.Pos
}

// articles prefixes JSON types with articles.
func articles(types string) string {
	var out []string
	for _, name := range strings.Split(types, " or ") {
		word, ok := map[string]string{
			"string": "a string", "number": "a number", "integer": "an integer", "boolean": "true or false",
			"array": "a list", "object": "an object", "null": "null",
		}[name]
		if !ok {
			word = name
		}
		out = append(out, word)
	}
	return strings.Join(out, " or ")
}

// sentence returns a description for use within a line.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + strings.TrimSuffix(text[size:], ".")
}

// quotedNames returns the names quoted in a library message.
func quotedNames(said string) []string {
	return each.Map(quotedName.FindAllStringSubmatch(said, -1), func(quoted []string) string { return `"` + quoted[1] + `"` })
}

var quotedName = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'`)
