// Points: what was found in words, and what is left for a person to say.

package discover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// says returns what was found.
func (w *writer) says() []string {
	f := w.found
	counts := map[string]int{}
	for _, m := range f.messages {
		counts[m.kind]++
	}
	switch {
	case len(f.calls) > 0:
		return f.saysCalls()
	case f.marks.method != "":
		return []string{fmt.Sprintf("%s, by the keyword %s", some(f.marks.count, "method"), f.marks.method), fmt.Sprintf("the sides %s and %s, by the keyword %s", f.sides[0], f.sides[1], f.marks.side)}
	case len(f.messages) == 0 && w.stated:
		return []string{"methods that the schemas state themselves"}
	case len(f.whole) > 0:
		return []string{fmt.Sprintf("%s with answers, which %q tells apart, and nothing that says which request an answer is for, so that the package has types only", some(len(f.whole), "whole message"), f.teller)}
	case len(f.messages) == 0:
		return []string{"no messages, so that the package has types only"}
	}
	out := []string{fmt.Sprintf("%s and %s", some(counts[request], "request"), some(counts[notification], "notification"))}
	switch {
	case f.payloads:
	case f.envelope == nil:
		out = append(out, "messages of JSON-RPC 2.0")
	case f.envelope == bare:
		out = append(out, "messages of JSON-RPC without its version")
	default:
		out = append(out, "messages such as "+jsontext.Line(f.envelope.Request))
	}
	if f.told {
		out = append(out, fmt.Sprintf("the sides %s and %s, by %s", f.sides[0], f.sides[1], f.phrase))
	}
	return out
}

func some(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// points returns what only a person can say, the most important first.
func (w *writer) points() (out []Point) {
	f := w.found
	add := func(line, format string, args ...any) { out = append(out, Point{fmt.Sprintf(format, args...), line}) }
	sides := fmt.Sprintf(`"sides": [%q, %q]`, f.sides[0], f.sides[1])
	switch {
	case len(f.calls) > 0:
		f.pointsOfCalls(add)
		w.loose(add)
		return append(out, w.leftover()...)
	case f.marks.method != "":
		either := ""
		if both := f.marks.both; len(both) > 0 {
			either = ", and " + list(each.Map(both, jsontext.Line)) + " to mean either side"
		}
		add(sides, "The keyword %s is taken to say who receives a message%s; the first side opens the connection", f.marks.side, either)
	case len(f.messages) == 0 && w.stated:
		return w.leftover()
	case len(f.whole) > 0:
		names := each.Map(f.whole, (*message).called)
		add(fmt.Sprintf(`"envelope": {"request": {"ID": "$id", %q: "$method", "PARAMS": "$params"}, "result": {"ID": "$id", "RESULT": "$result"}, "error": {"ID": "$id", "error": {"code": "$code", "message": "$message"}}}`, f.teller),
			"%s and what answers them are whole messages; if all of them number requests alike, write what they look like, and list who sends them under \"messages\"", list(names))
		w.loose(add)
		return append(out, w.leftover()...)
	case len(f.messages) == 0:
		add(`"methods": [{"name": "NAME", "from": "client", "kind": "request", "params": "DEFINITION", "result": "DEFINITION"}]`,
			"No messages were found in the schemas; if there are methods, state them")
		f.states(add)
		w.loose(add)
		return append(out, w.leftover()...)
	case f.told:
		add(sides, "Sides and directions are taken from %s; the first side opens the connection", f.phrase)
	default:
		add(sides, "Nothing says what the sides are called; the first one opens the connection")
		const says = "Nothing says who sends what, and requests are taken to be the %s's; "
		if f.regular {
			add(fmt.Sprintf(`{"definition": "DEFINITION", "from": %q}`, f.sides[1]), says+"what the %s sends, list under \"messages\", \"sent\"", f.sides[0], f.sides[1])
		} else {
			add(fmt.Sprintf(`"from": %q`, f.sides[1]), says+"what the %s sends has to say so under \"methods\"", f.sides[0], f.sides[1])
		}
	}
	if f.payloads {
		add(`"envelope": {"request": [2, "$id", "$method", "$params"], "result": [3, "$id", "$result"], "error": [4, "$id", "$code", "$message", "$data"], "ids": "texts", "codes": {"UNKNOWN": -32601, "INVALID": -32602, "FAILED": -32603}}`,
			"Nothing says what messages look like that carry parameters and results; those of JSON-RPC 2.0 are assumed. If they are others, write something like this, without \"ids\" and \"codes\" if those are numbers")
	}
	if f.envelope != nil {
		add(`"framing": "headers"`, "In a stream each message is taken for a line; if it has a header with its length (Content-Length), write under \"envelope\"")
	}
	if f.unfilled != "" {
		add("", "Notifications are sent without %q, because it is a text there and not a number; peers that require it refuse them", f.unfilled)
	}
	f.unanswered(add)
	f.streams(add)
	f.states(add)
	w.loose(add)
	return append(out, w.leftover()...)
}

// loose is about what is raw JSON, and what is passed over.
func (w *writer) loose(add func(line, format string, args ...any)) {
	if len(w.undecided) > 0 {
		add(fmt.Sprintf(`"rules": [{"union": %q, "decide": [{"variant": "DEFINITION", "has": ["MEMBER"]}, {"variant": "DEFINITION"}]}]`, w.undecided[0]),
			"%s raw JSON, because alternatives cannot be told apart; a rule under \"unions\" says what each has", are(w.undecided))
	}
	if len(w.apart) > 0 {
		first := w.apart[0]
		line := fmt.Sprintf(`"rules": [{"union": %q, "decide": [{"variant": %q, "has": ["MEMBER"]}, {"variant": "DEFINITION"}]}]`, first.Name, first.Apart[0])
		if len(first.Apart) == 1 && first.Kind == protocol.Shaped {
			line = fmt.Sprintf(`"rules": [{"union": %q, "otherwise": [%q]}]`, first.Name, first.Apart[0])
		}
		say := func(u *protocol.Union) string { return fmt.Sprintf("%s of %s", list(u.Apart), u.Name) }
		add(line, "What cannot be told from other alternatives is kept as JSON, like alternatives that are not known: %s; a rule under \"unions\" says what each has", several(each.Map(w.apart, say)))
	}
	if len(w.takenIn) > 0 {
		add("", "The members of all alternatives of %s are optional ones of the object that they are part of, because alternatives cannot be told apart, or repeat its members", list(w.takenIn))
	}
	var reasons []string
	places := map[string][]string{}
	for _, p := range w.out.Raw {
		why := cmp.Or(w.rawFor[p.At], "null is one of the values")
		if places[why] == nil {
			reasons = append(reasons, why)
		}
		places[why] = append(places[why], p.At)
	}
	for _, why := range reasons {
		add("", "%s raw JSON, because %s; take the entry away under \"raw\" once the schema says it otherwise", are(places[why]), why)
	}
	if len(w.elsewhere) > 0 {
		add("", "%s: any JSON; take the entry away under \"overlay\" once the file that it leads to is in the folder, with this $id", several(w.elsewhere))
	}
	if len(w.nowhere) > 0 {
		add("", "%s, and nothing is there: any JSON; take the entry away under \"overlay\" once there is, or correct the reference in it", several(w.nowhere))
	}
	if len(w.hopeless) > 0 {
		add("", "What has no type in Go is any JSON, or an object without its alternatives: %s; take the entries away under \"overlay\" once the schema says it otherwise", several(w.hopeless))
	}
	if len(w.dynamic) > 0 {
		add("", "%s any JSON, because what $dynamicRef or $recursiveRef leads to there depends on where it is used; an overlay can say what it is", are(w.dynamic))
	}
	if len(w.unchecked) > 0 {
		slices.Sort(w.unchecked)
		add("", "What these keywords say of values is not checked, not even by Validate, nor compared while they are under \"ignoreKeywords\": %s", list(w.unchecked))
	}
	if w.enums {
		add(`"enums": {"open": false}`, "Enums keep values that they do not list, since newer peers may have further ones; to refuse those, write")
	}
	for _, pos := range slices.SortedFunc(maps.Keys(w.groups), diag.Pos.Compare) {
		add("", "%s and are not read; definitions are under \"definitions\" or \"$defs\"", w.groups[pos])
	}
	if w.dialect != "" {
		add("", "The dialect %s is not known; schemas are read as draft 2020-12", w.dialect)
	}
	for _, text := range w.misspelt {
		add("", "%s; take it out of \"ignoreKeywords\", and repair the schema or state a repair under \"overlay\", if it is", text)
	}
}

// leftover is about what the profile does not settle.
func (w *writer) leftover() (out []Point) {
	var found []diag.Diagnostic
	var unanswered []string
	for _, d := range w.left {
		if name, ok := firstQuoted(d.Message); ok && d.Code == "no-result" {
			unanswered = append(unanswered, name)
		} else {
			found = append(found, d)
		}
	}
	if len(unanswered) > 0 {
		out = append(out, noResult(unanswered, false))
	}
	slices.SortStableFunc(found, func(a, b diag.Diagnostic) int { return a.Pos.Compare(b.Pos) })
	const most = 10
	for i, d := range found {
		if i == most {
			return append(out, Point{Text: fmt.Sprintf("ahpgen lint lists %d more", len(found)-most)})
		}
		text := d.Message
		if d.Pos.File != fileName { // there the points come before it
			text = d.Pos.String() + ": " + text
		}
		if d.Hint != "" {
			text += " (" + d.Hint + ")"
		}
		out = append(out, Point{Text: strings.ReplaceAll(text, "\n", " ")})
	}
	return out
}

// several joins texts, of which the first few stand for the others.
func several(texts []string) string {
	const most = 5
	if n := len(texts); n > most {
		return fmt.Sprintf("%s; and %d more", strings.Join(texts[:most], "; "), n-most)
	}
	return strings.Join(texts, "; ")
}

func quoted(names []string) string {
	return strings.Join(each.Map(names, jsontext.Line), ", ")
}

func are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return list(names) + " are"
}

// list joins names, of which the first few stand for the others.
func list(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) > 1 {
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return strings.Join(names, "")
}
