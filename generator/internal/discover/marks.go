// Marks: vendor keywords that state the method of a message and its receiver.

package discover

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// marks are the keywords of schemas that state methods in their own way.
type marks struct {
	method, side string
	both         []string // what the keyword for the side has besides the sides
	count        int      // of methods
}

// marked finds a keyword that has the same text on requests and their results, and one beside it that has few texts.
func (f *found) marked() bool {
	texts, order := map[string]map[*schema.Definition]string{}, []string(nil)
	for _, def := range f.set.Definitions() {
		for _, m := range def.Node.Members {
			if strings.HasPrefix(m.Key, "x-") && m.Value.Str() != "" {
				if texts[m.Key] == nil {
					texts[m.Key] = map[*schema.Definition]string{}
					order = append(order, m.Key)
				}
				texts[m.Key][def] = m.Value.Text
			}
		}
	}
	for _, method := range order {
		if schema.KeywordOf(method).Stand != 0 && f.set.Protocol() != "" || !f.pairedBy(texts[method]) {
			continue
		}
		for _, side := range order {
			if side != method && f.sidesBy(texts[side], texts[method]) {
				f.marks.method, f.marks.side = method, side
				return true
			}
		}
	}
	return false
}

// pairedBy takes the words that messages end with from definitions that have texts, and reports whether some have the same: a
// request and its result.
func (f *found) pairedBy(texts map[*schema.Definition]string) bool {
	of := map[string][]string{} // words by method
	var methods []string
	for _, def := range f.set.Definitions() {
		if text := texts[def]; text != "" {
			if of[text] == nil {
				methods = append(methods, text)
			}
			of[text] = append(of[text], lastWord(def.Name))
		}
	}
	var requests, results, notifications []string
	add := func(list *[]string, word string) {
		if word != "" && !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
	}
	for _, method := range methods {
		for _, word := range of[method] {
			switch {
			case slices.Contains(answerWords, word):
				add(&results, word)
			case len(of[method]) == 2:
				add(&requests, word)
			}
		}
	}
	for _, method := range methods {
		for _, word := range of[method] { // a request and a notification may share a method
			if len(of[method]) != 2 && !slices.Contains(requests, word) && !slices.Contains(results, word) {
				add(&notifications, word)
			}
		}
	}
	if len(requests) != 1 || len(results) == 0 || slices.Contains(notifications, requests[0]) {
		return false
	}
	f.requests, f.results, f.notifications, f.marks.count = requests, results, notifications, len(methods)
	return true
}

// sidesBy takes the sides from the texts that a keyword has beside the methods, and reports whether they are sides: nearly all have
// one, and two of them most.
func (f *found) sidesBy(texts, methods map[*schema.Definition]string) bool {
	counts, there := map[string]int{}, 0
	for def := range methods {
		if text := texts[def]; text != "" {
			counts[text]++
			there++
		}
	}
	names := byCount(counts)
	const most = 4
	if there < len(methods) || len(names) < 2 || len(names) > most || !sideForm.MatchString(names[0]) || !sideForm.MatchString(names[1]) {
		return false
	}
	f.marks.both = names[2:]
	f.sides = [2]string{names[1], names[0]} // most are received by the side that was called
	if names[0] == "client" {
		f.sides = [2]string{names[0], names[1]}
	}
	f.told, f.phrase = true, "the keyword for the side"
	return true
}
