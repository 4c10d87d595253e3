// Foreign: vendor keywords of other authors, as explained by a profile.

package keyword

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Foreign reads facts from foreign keywords, except in omitted definitions.
func Foreign(set *schema.Set, stated *facts.Facts, leftOut func(*schema.Definition) bool) (*facts.Facts, []diag.Diagnostic) {
	f := &foreign{reader: reader{sides: stated.Sides, out: &facts.Facts{}}, set: set, words: stated.Messages, methods: map[message]*facts.Method{}}
	f.envelopes()
	gone := each.SetFunc(f.out.Omissions, func(o *facts.Omission) string { return o.Definition })
	for _, def := range set.Definitions() {
		if leftOut(def) || gone[def.Name] {
			continue
		}
		if m, ok := def.Schema.Means(schema.MeansMethod); ok {
			f.message(def, m)
		}
	}
	f.results()
	return f.out, f.Items()
}

type foreign struct {
	reader
	set     *schema.Set
	words   facts.Messages
	methods map[message]*facts.Method
	answers []answer
}

// message identifies a method by name and kind.
type message struct{ kind, method string }

// answer is a result definition, which may precede its request.
type answer struct {
	def    *schema.Definition
	method schema.Member
	from   string
}

// message reads a definition that names its method.
func (f *foreign) message(def *schema.Definition, name schema.Member) {
	if !f.isText(name) {
		return
	}
	sender, ok := f.sender(def, name)
	if !ok {
		return
	}
	switch kind := f.kind(def.Name); kind {
	case "":
		f.Errorf(name.KeyPos, "unknown-message", "say with what such names end, under messages in the profile",
			"%s is a message of %q, and its name does not tell whether it is a request, a result or a notification", def.Name, name.Value.Text)
	case "result":
		f.answers = append(f.answers, answer{def, name, sender})
	default:
		at := message{kind, name.Value.Text}
		if first := f.methods[at]; first != nil {
			f.Errorf(name.KeyPos, "duplicate-method", "take one of the two away; the other stands at "+first.Pos.String(), "%s and %s are both the %s %q", first.Params, def.Name, kind, at.method)
			return
		}
		f.methods[at] = &facts.Method{Origin: from(name.KeyPos), Name: at.method, From: sender, Kind: kind, Params: def.Name, Doc: def.Schema.Description}
		f.out.Methods = append(f.out.Methods, f.methods[at])
	}
}

// isText reports whether a keyword's value is a string, and records an error otherwise.
func (f *foreign) isText(m schema.Member) bool {
	if m.Value.Str() != "" {
		return true
	}
	f.Unread(m.Value.Pos, "bad-keyword", "write a text", "%s must be a text that is not empty, not %s", m.Key, m.Value.Compact())
	return false
}

// sender derives the sender of a method from its stated receiver.
func (f *foreign) sender(def *schema.Definition, name schema.Member) (string, bool) {
	side, ok := def.Schema.Means(schema.MeansSide)
	if !ok {
		f.Unread(name.KeyPos, "bad-keyword", "add the keyword that has the meaning side in the profile", "nothing says who receives the method %q", name.Value.Text)
		return "", false
	}
	if !f.isText(side) {
		return "", false
	}
	if slices.Contains(f.words.Both, side.Value.Text) {
		return facts.Both, true
	}
	peer := f.sides.Peer(side.Value.Text)
	if peer == "" {
		opens, serves := f.sides.Names()
		f.Warnf(side.Value.Pos, "unknown-side", "correct it, or list it under messages.both in the profile, or name the sides there",
			"%s is neither %s nor %s: the message is taken for one of both", side.Value.Compact(), opens, serves)
		return facts.Both, true
	}
	return peer, true
}

// kind returns what a definition is, by the longest matching suffix of its name, or "".
func (f *foreign) kind(name string) (kind string) {
	longest := 0
	for _, of := range []struct {
		kind  string
		words []string
	}{{"request", f.words.Requests}, {"result", f.words.Results}, {"notification", f.words.Notifications}} {
		for _, word := range of.words {
			if strings.HasSuffix(name, word) && len(word) > longest {
				kind, longest = of.kind, len(word)
			}
		}
	}
	return kind
}

// results assigns results to requests.
func (f *foreign) results() {
	for _, a := range f.answers {
		request := f.methods[message{"request", a.method.Value.Text}]
		switch {
		case request == nil:
			f.Warnf(a.method.KeyPos, "lone-result", "add the request, or take it away", "%s is the result of %q, and there is no request of that name", a.def.Name, a.method.Value.Text)
		case request.Result != "":
			f.Errorf(a.method.KeyPos, "duplicate-method", "take one of the two away", "%s and %s are both the result of %q", request.Result, a.def.Name, request.Name)
		case request.From != a.from:
			f.Errorf(a.method.KeyPos, "sides-differ", "correct one of the two", "%s and %s are of the same method, %q, and say that different sides receive it", request.Params, a.def.Name, request.Name)
		default:
			request.Result = a.def.Name
		}
	}
}

// envelopes omits message envelopes: marked definitions, definitions that refer to them, and definitions reachable
// only from them.
func (f *foreign) envelopes() {
	refersTo := map[*schema.Definition][]*schema.Definition{}
	referredBy := map[*schema.Definition][]*schema.Definition{}
	var marked []*schema.Definition
	for _, def := range f.set.Definitions() {
		def.Schema.References(func(r *schema.Reference) {
			if r.Target != nil {
				refersTo[def], referredBy[r.Target] = append(refersTo[def], r.Target), append(referredBy[r.Target], def)
			}
		})
		if m, ok := def.Schema.Means(schema.MeansEnvelope); ok && m.Value.True() {
			marked = append(marked, def)
		}
	}
	if marked == nil {
		return
	}
	envelopes := graph.Reached(marked, func(def *schema.Definition) []*schema.Definition { return referredBy[def] })
	inside := graph.Reached(marked, func(def *schema.Definition) []*schema.Definition {
		return slices.DeleteFunc(slices.Clone(refersTo[def]), func(to *schema.Definition) bool {
			_, message := to.Schema.Means(schema.MeansMethod)
			return message
		})
	})
	others := each.Where(f.set.Definitions(), func(def *schema.Definition) bool { return !envelopes[def] && !inside[def] })
	kept := graph.Reached(others, func(def *schema.Definition) []*schema.Definition { return refersTo[def] })
	for _, def := range f.set.Definitions() {
		if (envelopes[def] || inside[def]) && !kept[def] {
			f.out.Omissions = append(f.out.Omissions, &facts.Omission{Origin: from(def.Pos), Definition: def.Name})
		}
	}
}
