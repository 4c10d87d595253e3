// Words: how definitions that belong together are called alike.

package discover

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// answerWords are what names of responses and results end with.
var answerWords = []string{"Response", "Result", "Reply", "Answer"}

// These are what names of parameters and results end with, in lower case, where nothing but names tells them.
var (
	requestEndings = []string{"request", "req", "call", "command", "input", "parameters", "params"}
	answerEndings  = []string{"response", "result", "reply", "answer", "resp", "res", "confirmation", "confirm", "conf", "output", "ack"}
)

// endsWith reports whether a last word is one of some, however it is written.
func endsWith(word string, words []string) bool {
	return slices.Contains(words, strings.ToLower(strings.TrimLeft(word, separators)))
}

// separators are what is between the words of names that are not in camel case.
const separators = "._-/:"

// lastWord returns the last word of a name with what separates it, if anything does, or "" if there is just one. The words of
// a name in camel case begin with capitals.
func lastWord(name string) string {
	i := strings.LastIndexFunc(name, func(r rune) bool { return unicode.IsUpper(r) || strings.ContainsRune(separators, r) })
	if i < 0 {
		return ""
	}
	if before := strings.TrimRight(name[:i], separators); before != "" {
		return name[len(before):]
	}
	return ""
}

// wordsOf returns the words of a name in lower case.
func wordsOf(name string) (out []string) {
	begins := true
	for _, r := range name {
		switch {
		case r == ' ' || strings.ContainsRune(separators, r):
			begins = true
			continue
		case begins || unicode.IsUpper(r):
			out = append(out, "")
		}
		begins = false
		out[len(out)-1] += string(unicode.ToLower(r))
	}
	return out
}

// stemOf returns a name without its last word.
func stemOf(name string) string { return strings.TrimSuffix(name, lastWord(name)) }

// setWords finds what the names of messages end with, and whether that tells each of them.
func (f *found) setWords() {
	words := map[string][]string{}
	f.regular = true
	for _, m := range f.messages {
		if m.def == nil {
			continue // what it is need not be told by a name
		}
		word := lastWord(m.called())
		if word == "" || f.isBare(m) {
			f.regular = false
		} else {
			words[m.kind] = each.With(words[m.kind], word)
		}
	}
	const most = 3 // more are no habit of naming
	f.requests, f.notifications = words[request], words[notification]
	both := func(word string) bool { return slices.Contains(f.notifications, word) }
	if len(f.requests) > most || len(f.notifications) > most || slices.ContainsFunc(f.requests, both) {
		f.regular = false
	}
}

// stems returns what the answer of a request may be called like.
func (f *found) stems(m *message) (out []string) {
	if f.payloads {
		return []string{m.name}
	}
	if m.def != nil {
		return []string{stemOf(m.def.Name)}
	}
	if m.alone.Title != "" {
		out = append(out, strings.TrimSuffix(m.alone.Title, "Request"))
	}
	if p := m.alone.Own("params"); p != nil {
		if def := p.Schema.Referent(); def != nil {
			out = append(out, stemOf(def.Name))
		}
	}
	return out
}

// setAnswers finds the definitions that answer requests, which are called alike. Of several endings, the one counts that has
// the result in a member, and then the one that most requests have.
func (f *found) setAnswers() {
	member := "result"
	if f.envelope != nil {
		member = f.envelope.Result.holder("$result")
	}
	type ending struct {
		word  string
		whole bool
		of    map[*message]answer
	}
	var endings []*ending
	note := func(m *message, word string, a answer) {
		i := slices.IndexFunc(endings, func(e *ending) bool { return e.word == word && e.whole == a.whole })
		if i < 0 {
			i = len(endings)
			endings = append(endings, &ending{word, a.whole, map[*message]answer{}})
		}
		endings[i].of[m] = a
	}
	alike := f.answersByStem()
	for _, m := range f.messages {
		if m.kind != request {
			continue
		}
		for _, stem := range f.stems(m) {
			for _, def := range alike[stem] {
				whole := def.Schema.Own(member) != nil || f.envelope.derives(def)
				if def != m.def && (whole || f.payloads || !f.choosesResponses(def, member)) {
					note(m, strings.TrimPrefix(def.Name, stem), answer{def, whole && !f.payloads})
				}
			}
		}
	}
	slices.SortStableFunc(endings, func(a, b *ending) int {
		if a.whole != b.whole {
			return map[bool]int{true: -1, false: 1}[a.whole]
		}
		return len(b.of) - len(a.of)
	})
	for _, e := range endings {
		used := false
		for m, a := range e.of {
			if _, ok := f.answers[m]; !ok {
				f.answers[m], used = a, true
			}
		}
		switch {
		case used && e.whole:
			f.responses = append(f.responses, e.word)
		case used:
			f.results = append(f.results, e.word)
		}
	}
}

// choosesResponses reports whether a definition is a choice between whole responses, such as one with a result and one with an error.
func (f *found) choosesResponses(def *schema.Definition, result string) bool {
	return slices.ContainsFunc(def.Schema.Choices(), func(choice *schema.Schema) bool {
		s := choice.Follow()
		return s == nil || member(s, result) != nil || member(s, "error") != nil || member(s, "jsonrpc") != nil
	})
}

// answersByStem returns the definitions that are named like answers, by what they may be named after: their names without
// the last word, or the last two.
func (f *found) answersByStem() map[string][]*schema.Definition {
	out := map[string][]*schema.Definition{}
	for _, def := range f.set.Definitions() {
		stem := stemOf(def.Name)
		word := lastWord(def.Name)
		if def.Schema == nil || !slices.Contains(answerWords, word) && !(f.payloads && endsWith(word, answerEndings)) {
			continue
		}
		out[stem] = append(out[stem], def)
		if shorter := stemOf(stem); shorter != stem {
			out[shorter] = append(out[shorter], def)
		}
	}
	return out
}
