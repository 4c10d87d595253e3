// Profile: what was found, as a profile states it.

package discover

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// profileText is a profile, with its members in reading order.
type profileText struct {
	Comment  []string          `json:"$comment,omitempty"`
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Files    []string          `json:"files,omitempty"`
	Ignored  []string          `json:"ignoreKeywords,omitempty"`
	Keywords map[string]string `json:"keywords,omitempty"`
	Naming   *namingText       `json:"naming,omitempty"`
	Sides    []string          `json:"sides,omitempty"`
	Envelope *envelope         `json:"envelope,omitempty"`
	Messages *messagesText     `json:"messages,omitempty"`
	Methods  []methodText      `json:"methods,omitempty"`
	Objects  objectsText       `json:"objects"`
	Unions   unionsText        `json:"unions"`
	Enums    enumsText         `json:"enums"`
	Raw      []placeText       `json:"raw,omitempty"`
	Omit     []omissionText    `json:"omit,omitempty"`
	Errors   *errorsText       `json:"errors,omitempty"`
	Overlay  []repairText      `json:"overlay,omitempty"`
}

type namingText struct {
	Names []nameText `json:"names"`
}

type nameText struct {
	At   string `json:"at"`
	Name string `json:"name"`
}

type messagesText struct {
	Requests      []string   `json:"requests,omitempty"`
	Results       []string   `json:"results,omitempty"`
	Responses     []string   `json:"responses,omitempty"`
	Notifications []string   `json:"notifications,omitempty"`
	Both          []string   `json:"both,omitempty"`
	Payloads      bool       `json:"payloads,omitempty"`
	Types         *bool      `json:"types,omitempty"`
	Sent          []sentText `json:"sent,omitempty"`
}

type sentText struct {
	Definition string `json:"definition"`
	From       string `json:"from"`
}

type methodText struct {
	Name   string `json:"name"`
	From   string `json:"from"`
	Kind   string `json:"kind"`
	Params string `json:"params,omitempty"`
	Result string `json:"result,omitempty"`
}

type objectsText struct {
	Undeclared string `json:"undeclared"`
}

type unionsText struct {
	Open      bool   `json:"open"`
	Undecided string `json:"undecided,omitempty"`
}

type enumsText struct {
	Open  bool       `json:"open"`
	Rules []enumText `json:"rules,omitempty"`
}

type enumText struct {
	Enum  string            `json:"enum"`
	Names map[string]string `json:"names"`
}

type placeText struct {
	At string `json:"at"`
}

type omissionText struct {
	Definition string `json:"definition"`
}

type errorsText struct {
	Codes []codeText `json:"codes"`
}

type codeText struct {
	Code int64  `json:"code"`
	Name string `json:"name"`
}

type repairText struct {
	Definition string         `json:"definition"`
	At         string         `json:"at,omitempty"`
	File       string         `json:"file,omitempty"`
	Rename     string         `json:"rename,omitempty"`
	Patch      map[string]any `json:"patch,omitempty"`
	Why        string         `json:"why"`
}

// profile returns what was found as a profile. Newer peers may have further variants and values.
func (f *found) profile(name, title string) *profileText {
	out := &profileText{Name: name, Title: title, Objects: objectsText{"keep"}, Unions: unionsText{Open: true}, Enums: enumsText{Open: true}}
	if m := f.marks; m.method != "" {
		out.Keywords, out.Sides = map[string]string{m.method: "method", m.side: "side"}, f.sides[:]
		out.Messages = &messagesText{Requests: f.requests, Results: f.results, Notifications: f.notifications, Both: m.both}
	}
	if len(f.calls) > 0 {
		out.Sides, out.Methods = f.sides[:], f.calls
		if len(f.errors) > 0 {
			out.Errors = &errorsText{f.errors}
		}
	}
	if len(f.messages) == 0 {
		return out
	}
	out.Sides, out.Envelope = f.sides[:], f.envelope
	if f.regular {
		out.Messages = &messagesText{
			Requests: f.requests, Results: f.results, Responses: f.responses, Notifications: f.notifications, Payloads: f.payloads, Sent: f.sent(),
		}
		if f.hasInline() {
			inline := []string{"Request", "Params"}
			out.Messages.Requests = append(each.Without(f.requests, inline), inline...)
		}
		out.Messages.Types, out.Omit = f.omissions()
	}
	for _, m := range f.messages {
		if _, ok := f.answers[m]; !f.regular || m.kind == request && !ok {
			out.Methods = append(out.Methods, f.method(m))
		}
	}
	if codes := f.codes(); len(codes) > 0 {
		out.Errors = &errorsText{codes}
	}
	return out
}

// hasInline reports whether messages stand in unions.
func (f *found) hasInline() bool {
	return slices.ContainsFunc(f.messages, func(m *message) bool { return m.def == nil })
}

// sent returns which side sends which definitions: unions that are named after sides, or all definitions with an ending.
func (f *found) sent() (out []sentText) {
	listed := map[*message]bool{}
	for _, l := range f.lists {
		out = append(out, sentText{Definition: l.def.Name, From: l.side})
		for _, m := range l.of {
			listed[m] = true
		}
	}
	unions := map[string]bool{}
	for _, m := range f.messages {
		if !listed[m] && m.def == nil && !unions[m.in.Name] {
			unions[m.in.Name] = true
			out = append(out, sentText{Definition: m.in.Name, From: m.from})
		}
	}
	for _, word := range slices.Concat(f.requests, f.notifications) {
		by := map[string][]string{}
		for _, m := range f.messages {
			if m.def != nil && !listed[m] && lastWord(m.def.Name) == word {
				by[m.from] = append(by[m.from], m.def.Name)
			}
		}
		most, other := f.sides[0], f.sides[1]
		if len(by[other]) > len(by[most]) {
			most, other = other, most
		}
		if len(by[most]) == 0 {
			continue
		}
		out = append(out, sentText{Definition: "*" + word, From: most})
		for _, name := range by[other] { // comes before the asterisk
			out = append(out, sentText{Definition: name, From: other})
		}
		for _, name := range by[both] {
			out = append(out, sentText{Definition: name, From: most}, sentText{Definition: name, From: other})
		}
	}
	return out
}

// method states a method by its types.
func (f *found) method(m *message) methodText {
	out := methodText{Name: m.name, From: m.from, Kind: m.kind}
	params, result := "params", "result"
	if f.envelope != nil {
		params, result = f.envelope.Request.holder("$params"), f.envelope.Result.holder("$result")
		if m.kind == notification {
			params = f.envelope.Notification.holder("$params")
		}
	}
	owner := m.called()
	if m.def == nil {
		owner = m.in.Name + "." + m.name
	}
	if out.Params = typeOf(owner, m.schema().Own(params)); f.payloads {
		out.Params = m.def.Name
	}
	if a, ok := f.answers[m]; ok && a.whole {
		out.Result = typeOf(a.def.Name, a.def.Schema.Own(result))
	} else if ok {
		out.Result = a.def.Name
	}
	return out
}

// typeOf returns the definition of a member, or the path to what has none.
func typeOf(owner string, p *schema.Property) string {
	if p == nil || slices.Equal(p.Schema.Types, []string{"null"}) {
		return ""
	}
	if ref, ok := p.Schema.Reference(); ok && ref.Target != nil {
		return ref.Target.Name
	}
	return owner + "." + p.Name
}

// standard are the error codes of JSON-RPC itself.
var standard = regexp.MustCompile(`^-32(700|60[0-3])$`)

// codes returns the error codes that definitions of errors have as constants.
func (f *found) codes() (out []codeText) {
	names, codes := map[string]bool{}, map[int64]bool{}
	for _, def := range f.set.Definitions() {
		if def.Schema == nil || def.Schema.Own("message") == nil {
			continue
		}
		code := def.Schema.Own("code")
		if code == nil || code.Schema.Const == nil || code.Schema.Const.Kind != schema.Number || standard.MatchString(code.Schema.Const.Text) {
			continue
		}
		value, err := strconv.ParseInt(code.Schema.Const.Text, 10, 64)
		name := cmp.Or(strings.TrimSuffix(def.Name, "Error"), def.Name)
		if err == nil && !names[name] && !codes[value] {
			names[name], codes[value] = true, true
			out = append(out, codeText{value, name})
		}
	}
	return out
}

// omissions returns that whole messages have no types, and which definitions are about messages besides. If something else
// refers to those, they stay.
func (f *found) omissions() (types *bool, out []omissionText) {
	if f.payloads || f.hasInline() {
		return nil, nil
	}
	gone := map[*schema.Definition]bool{}
	leave := func(def *schema.Definition) {
		for _, def := range append(def.Schema.Bases(), def) {
			gone[def] = true
		}
	}
	for _, m := range f.messages {
		leave(m.def)
		if a, ok := f.answers[m]; ok && a.whole {
			leave(a.def)
		}
	}
	f.spread(gone, false)
	others := f.spread(gone, true)
	for _, def := range f.set.Definitions() {
		if gone[def] || def.Schema == nil {
			continue
		}
		needed := false
		def.Schema.References(func(ref *schema.Reference) { needed = needed || gone[ref.Target] })
		if needed {
			return nil, nil
		}
	}
	return new(bool), f.shortened(others, gone)
}

// spread adds the definitions that are about messages to those that are, and returns them.
func (f *found) spread(gone map[*schema.Definition]bool, versioned bool) (added []*schema.Definition) {
	for again := true; again; {
		again = false
		for _, def := range f.set.Definitions() {
			if !gone[def] && def.Schema != nil && f.isAbout(def, gone, versioned) {
				gone[def], again = true, true
				added = append(added, def)
			}
		}
	}
	return added
}

// isAbout reports whether a definition is one of messages: it is derived from such definitions, chooses between them or, if that
// counts, has the version of JSON-RPC.
func (f *found) isAbout(def *schema.Definition, gone map[*schema.Definition]bool, versioned bool) bool {
	if versioned && f.envelope == nil && def.Schema.Own("jsonrpc") != nil || slices.ContainsFunc(def.Schema.Bases(), func(b *schema.Definition) bool { return gone[b] }) {
		return true
	}
	choices := def.Schema.Choices()
	return choices != nil && !slices.ContainsFunc(choices, func(c *schema.Schema) bool {
		ref, ok := c.Reference()
		return !ok || !gone[ref.Target]
	})
}

// shortened names definitions by their last word where all names that end with it are meant.
func (f *found) shortened(defs []*schema.Definition, gone map[*schema.Definition]bool) (out []omissionText) {
	mixed, times := map[string]bool{}, map[string]int{}
	for _, def := range defs {
		word := lastWord(def.Name)
		times[word]++
		mixed[word] = word == ""
	}
	for _, def := range f.set.Definitions() {
		for word := range mixed {
			mixed[word] = mixed[word] || !gone[def] && strings.HasSuffix(def.Name, word)
		}
	}
	seen := map[string]bool{}
	for _, def := range defs {
		name := def.Name
		if word := lastWord(name); !mixed[word] && times[word] > 1 {
			name = "*" + word
		}
		if !seen[name] {
			seen[name] = true
			out = append(out, omissionText{name})
		}
	}
	return out
}
