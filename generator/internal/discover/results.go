// Results: points about what answers requests.

package discover

import (
	"fmt"
	"slices"
)

// unanswered is about requests without a result.
func (f *found) unanswered(add func(line, format string, args ...any)) {
	for _, several := range []bool{false, true} {
		var names []string
		for _, m := range f.messages {
			if _, ok := f.answers[m]; m.kind == request && !ok && m.streams(false) == several {
				names = append(names, m.name)
			}
		}
		if len(names) > 0 {
			p := noResult(names, several)
			add(p.Line, "%s", p.Text)
		}
	}
}

// noResult is the point about requests without a result, of which there may be several.
func noResult(names []string, several bool) Point {
	line, also := `"result": "DEFINITION"`, ""
	if several {
		line, also = line+`, "stream": true`, ", and whether there are several"
	}
	are := map[bool]string{true: "is", false: "are"}[len(names) == 1]
	return Point{fmt.Sprintf("No result was found of %s, which %s taken for null; under \"methods\", add what there is%s", list(names), are, also), line}
}

// streams is about requests whose names suggest several results.
func (f *found) streams(add func(line, format string, args ...any)) {
	var names []string
	for _, m := range f.messages {
		if _, ok := f.answers[m]; ok && m.streams(true) {
			names = append(names, m.name)
		}
	}
	const most = 3 // where more are called so, a stream is a thing
	switch {
	case len(names) == 0 || len(names) > most:
	case f.regular:
		add(`"streams": [`+quoted(names)+"]", "The names of some requests suggest several results; under \"messages\", list those that have")
	default:
		add(`"stream": true`, "The names of %s suggest several results; under \"methods\", say so if there are", list(names))
	}
}

// streams reports whether the name of a request suggests several results.
func (m *message) streams(answered bool) bool {
	return m.kind == request && slices.ContainsFunc(wordsOf(m.name+" "+m.called()), func(word string) bool {
		switch word {
		case "stream", "streaming":
			return true
		case "subscribe", "resubscribe": // what is answered may well be followed by notifications
			return !answered
		}
		return false
	})
}
