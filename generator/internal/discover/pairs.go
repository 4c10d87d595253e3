// Pairs: parameters of requests and their results, which are called alike.

package discover

import (
	"maps"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// pairs finds parameters of requests by the results that are called alike, where nothing else tells what is a message.
func (f *found) pairs() bool {
	answered := map[string]bool{}
	for _, def := range f.set.Definitions() {
		if word := lastWord(def.Name); endsWith(word, answerEndings) {
			answered[stemOf(def.Name)] = true
		}
	}
	lone, taken := 0, map[string]bool{}
	for _, ending := range requestEndings { // what is called a request comes before parameters of the same name
		for _, def := range f.set.Definitions() {
			stem := stemOf(def.Name)
			switch {
			case def.Schema == nil || taken[stem] || !endsWith(lastWord(def.Name), []string{ending}):
			case def.Node.Get("x-method") != nil: // it states what it is
				f.messages = nil
				return false
			case answered[stem]:
				taken[stem] = true
				f.messages = append(f.messages, &message{name: stem, kind: request, def: def})
			default:
				lone++
			}
		}
	}
	f.bare(taken)
	if len(f.messages) < 2 || lone > len(f.messages) {
		f.messages = nil
	}
	const most = 4 // of messages, events included, that there are to a request
	if f.teller = tellerOf(f.messages); f.teller != "" {
		if f.whole, f.messages = f.messages, nil; f.toldBy(f.teller) > most*len(f.whole) {
			f.whole = nil // any objects, some of which are called alike
		}
	}
	f.payloads = len(f.messages) > 0
	return f.payloads
}

// tellerOf returns the member that is a constant of most definitions, not the same of all, or "". Then they are no parameters, but whole
// messages, which are told apart by it.
func tellerOf(messages []*message) string {
	type member struct {
		count int
		texts map[string]bool
	}
	members := map[string]*member{}
	for _, m := range messages {
		for name, text := range constantsOf(m.def.Schema) {
			if members[name] == nil {
				members[name] = &member{texts: map[string]bool{}}
			}
			members[name].count++
			members[name].texts[text] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if m := members[name]; len(m.texts) > 1 && 2*m.count > len(messages) {
			return name
		}
	}
	return ""
}

// toldBy counts the definitions of which a member is a constant.
func (f *found) toldBy(member string) (n int) {
	for _, def := range f.set.Definitions() {
		if def.Schema != nil && constantsOf(def.Schema)[member] != "" {
			n++
		}
	}
	return n
}

// constantsOf returns the members of a schema that have just one text, with those that it takes in.
func constantsOf(s *schema.Schema) map[string]string {
	out := map[string]string{}
	for _, s := range withBases(s) {
		for _, p := range owns(s) {
			if text := p.OnlyText(); text != "" && out[p.Name] == "" {
				out[p.Name] = text
			}
		}
	}
	return out
}

// bareEndings are the answerEndings that mean an answer to what is called like it without them: an output or a confirmation may be a thing.
var bareEndings = []string{"response", "result", "reply", "answer"}

// bare adds objects that are called like an answer without its last word. Neither of the two is a part of something else: then they
// would be data, such as a test and its result.
func (f *found) bare(taken map[string]bool) {
	parts := f.parts()
	for _, answer := range f.set.Definitions() {
		name := stemOf(answer.Name)
		def := f.set.Lookup(name)
		if def == nil || def == answer || taken[name] || !endsWith(lastWord(answer.Name), bareEndings) {
			continue
		}
		alone := func(def *schema.Definition) bool {
			return def.Schema != nil && def.Schema.Object && !parts[def] && def.Node.Get("x-method") == nil
		}
		if alone(def) && alone(answer) {
			taken[name] = true
			f.messages = append(f.messages, &message{name: name, kind: request, def: def})
		}
	}
}

// parts returns the definitions that others refer to, other than as alternatives.
func (f *found) parts() map[*schema.Definition]bool {
	out := map[*schema.Definition]bool{}
	for _, def := range f.set.Definitions() {
		if def.Schema == nil || def.Schema.Choices() != nil {
			continue
		}
		def.Schema.References(func(ref *schema.Reference) { out[ref.Target] = true })
	}
	return out
}

// isBare reports whether the name of parameters is nothing but that of their method.
func (f *found) isBare(m *message) bool { return f.payloads && m.def.Name == m.name }
