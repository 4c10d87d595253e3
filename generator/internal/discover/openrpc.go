// OpenRPC: methods that a document lists by their names.

package discover

import (
	"fmt"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// described takes the methods of documents of OpenRPC, and reports whether there are any.
func (f *found) described() bool {
	seen, names, codes := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	for _, doc := range f.set.Docs {
		for _, call := range doc.Calls {
			if seen[call.Name] {
				continue
			}
			seen[call.Name] = true
			m := methodText{Name: call.Name, From: f.sides[0], Kind: notification, Params: call.Params, Result: call.Result}
			if call.Answered {
				m.Kind = request
			}
			f.calls = append(f.calls, m)
			if call.ByPosition && call.Params != "" {
				f.byPosition = append(f.byPosition, call.Name)
			}
			for _, e := range call.Errors {
				text := e.Get("message").Str()
				code, err := strconv.ParseInt(numberOf(e.Get("code")), 10, 64)
				if err == nil && text != "" && !names[text] && !codes[code] && !standard.MatchString(e.Get("code").Text) {
					names[text], codes[code] = true, true
					f.errors = append(f.errors, codeText{code, text})
				}
			}
		}
	}
	return len(f.calls) > 0
}

// numberOf returns the text of a number, or "".
func numberOf(n *schema.Node) string {
	if n == nil || n.Kind != schema.Number {
		return ""
	}
	return n.Text
}

// saysCalls returns what was found in documents of OpenRPC.
func (f *found) saysCalls() []string {
	requests := len(each.Where(f.calls, func(m methodText) bool { return m.Kind == request }))
	return []string{fmt.Sprintf("%s and %s of OpenRPC", some(requests, "request"), some(len(f.calls)-requests, "notification"))}
}

// pointsOfCalls is about what documents of OpenRPC do not say.
func (f *found) pointsOfCalls(add func(line, format string, args ...any)) {
	add(fmt.Sprintf(`"sides": [%q, %q]`, f.sides[0], f.sides[1]), "Nothing says what the sides are called; the first one opens the connection, and sends all that the document lists")
	if others := len(f.calls) - len(f.byPosition); others > 0 {
		add("", "Parameters are sent by name, in an object; a peer that takes them by position alone, in a list, refuses that, and \"paramStructure\" in the document should say so")
	}
	if len(f.byPosition) > 0 {
		add("", "The parameters of %s are a list; if they are of several types, it is raw JSON", list(f.byPosition))
	}
}
