// Envelopes: messages that are derived from bases, which tell requests, responses and events apart by a constant.

package discover

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// envelope is what messages look like, as a profile states it.
type envelope struct {
	Request      form   `json:"request"`
	Result       form   `json:"result"`
	Error        form   `json:"error"`
	Notification form   `json:"notification,omitempty"`
	IDs          string `json:"ids,omitempty"`
	Framing      string `json:"framing,omitempty"`
}

// bare is JSON-RPC without its version.
var bare = &envelope{
	Request:      form{{"id", "$id"}, {"method", "$method"}, {"params", "$params?"}},
	Result:       form{{"id", "$id"}, {"result", "$result"}},
	Error:        form{{"id", "$id"}, {"error", form{{"code", "$code"}, {"message", "$message"}, {"data", "$data?"}}}},
	Notification: form{{"method", "$method"}, {"params", "$params?"}},
}

// kindOfMessage is a base of messages: it gives the member that tells kinds apart a constant.
type kindOfMessage struct {
	def     *schema.Definition
	base    *schema.Definition
	teller  string // the member that has the constant
	derived []*schema.Definition
	method  string // the member in which those that are derived have a constant of their own, or ""
	payload string // the member that most of them say more about, or ""
}

// enveloped finds messages whose bases share a base, of which one kind is answered by another that is called alike.
func (f *found) enveloped() bool {
	groups := map[*schema.Definition][]*kindOfMessage{}
	var order []*schema.Definition
	for _, k := range f.kinds() {
		if groups[k.base] == nil {
			order = append(order, k.base)
		}
		groups[k.base] = append(groups[k.base], k)
	}
	for _, base := range order {
		asks, answers := pairOf(groups[base])
		if asks == nil {
			continue
		}
		forms := formsOf(base, asks, answers, failureAmong(groups[base], asks, answers))
		if forms == nil {
			continue
		}
		f.take(asks, request)
		for _, k := range groups[base] {
			if k != asks && k != answers && k.method != "" && forms.Notification == nil {
				forms.Notification = k.form(base, "$sequence", "$params?")
				f.take(k, notification)
				if id := idOf(base, k.teller); id != nil && isText(id) {
					f.unfilled = id.Name
				}
			}
		}
		f.envelope = forms
		return true
	}
	return false
}

// take adds the messages of a kind.
func (f *found) take(k *kindOfMessage, kind string) {
	for _, def := range k.derived {
		if name := def.Schema.Own(k.method).OnlyText(); name != "" {
			f.messages = append(f.messages, &message{name: name, kind: kind, def: def})
		}
	}
}

// kinds returns the definitions that give a member of their base a constant, with those that are derived from them.
func (f *found) kinds() (out []*kindOfMessage) {
	derived := map[*schema.Definition][]*schema.Definition{}
	for _, def := range f.set.Definitions() {
		if def.Schema != nil {
			for _, base := range def.Schema.Bases() {
				derived[base] = append(derived[base], def)
			}
		}
	}
	for _, def := range f.set.Definitions() {
		if def.Schema == nil {
			continue
		}
		for _, base := range def.Schema.Bases() {
			for _, p := range owns(def.Schema) {
				if at := base.Schema.Own(p.Name); at != nil && p.OnlyText() != "" && at.OnlyText() == "" {
					k := &kindOfMessage{def: def, base: base, teller: p.Name, derived: derived[def]}
					k.look()
					out = append(out, k)
				}
			}
		}
	}
	return out
}

// look finds the members with the method and with what the message carries.
func (k *kindOfMessage) look() {
	most := 0
	for _, p := range owns(k.def.Schema) {
		if p.Name == k.teller {
			continue
		}
		constants, said := map[string]bool{}, 0
		for _, def := range k.derived {
			if again := def.Schema.Own(p.Name); again == nil {
				continue
			} else if text := again.OnlyText(); text != "" {
				constants[text] = true
			} else {
				said++
			}
		}
		switch {
		case len(constants) > 1 && k.method == "":
			k.method = p.Name
		case said > most:
			k.payload, most = p.Name, said
		}
	}
}

// pairOf returns the kind that is answered, and the one that answers it: most of its messages are called like those.
func pairOf(kinds []*kindOfMessage) (asks, answers *kindOfMessage) {
	most := 0
	for _, k := range kinds {
		if k.method == "" {
			continue
		}
		stems := each.SetFunc(k.derived, func(def *schema.Definition) string { return stemOf(def.Name) })
		for _, other := range kinds {
			alike := 0
			for _, def := range other.derived {
				if other.method == "" && stems[stemOf(def.Name)] {
					alike++
				}
			}
			if alike > most {
				asks, answers, most = k, other, alike
			}
		}
	}
	return asks, answers
}

// failureAmong returns the kind of answers to requests that have failed, or nil: it is called so.
func failureAmong(kinds []*kindOfMessage, asks, answers *kindOfMessage) *kindOfMessage {
	return each.First(kinds, func(k *kindOfMessage) bool {
		return k != asks && k != answers && (strings.Contains(k.def.Name, "Error") || strings.Contains(k.def.Name, "Fail"))
	})
}

// formsOf returns the forms of requests and their answers, or nil if nothing says which request an answer is for, or whether
// it failed. An answer has the number of the request in a member of its own, or in that for its own number.
func formsOf(base *schema.Definition, asks, answers, failure *kindOfMessage) *envelope {
	id := idOf(base, asks.teller)
	if id == nil {
		return nil
	}
	pairs, success, text := "", "", ""
	for _, p := range owns(answers.def.Schema) {
		need, own := requires(answers.def.Schema, p.Name), p.Name != asks.method && p.Name != answers.teller
		switch {
		case slices.Equal(p.Schema.Types, []string{"boolean"}) && need && success == "":
			success = p.Name
		case slices.Equal(p.Schema.Types, id.Schema.Types) && own && need && strings.HasSuffix(strings.ToLower(p.Name), strings.ToLower(id.Name)):
			pairs = p.Name
		case slices.Equal(p.Schema.Types, []string{"integer"}) && slices.Equal(id.Schema.Types, []string{"integer"}) && own && need && pairs == "":
			pairs = p.Name
		case slices.Equal(p.Schema.Types, []string{"string"}) && own && p.OnlyText() == "" && text == "":
			text = p.Name
		}
	}
	numbered := func(k *kindOfMessage) form {
		teller := formMember{k.teller, k.def.Schema.Own(k.teller).OnlyText()}
		switch {
		case pairs == "":
			return form{{id.Name, "$id"}, teller}
		case isText(id):
			return form{teller, {pairs, "$id"}}
		}
		return form{{id.Name, "$sequence"}, teller, {pairs, "$id"}}
	}
	out := &envelope{Request: asks.form(base, "$id", "$params?"), Result: numbered(answers)}
	if isText(id) {
		out.IDs = "texts"
	}
	switch {
	case success != "":
		out.Result, out.Error = append(out.Result, formMember{success, true}), append(numbered(answers), formMember{success, false})
	case failure != nil:
		out.Error = failure.failed(numbered(failure))
	default:
		return nil
	}
	if answers.def.Schema.Own(asks.method) != nil {
		out.Result = append(out.Result, formMember{asks.method, "$method"})
		if success != "" {
			out.Error = append(out.Error, formMember{asks.method, "$method"})
		}
	}
	if success != "" && text != "" {
		out.Error = append(out.Error, formMember{text, "$message?"})
	}
	if answers.payload != "" {
		out.Result = append(out.Result, formMember{answers.payload, "$result?"})
		if success != "" {
			out.Error = append(out.Error, formMember{answers.payload, "$data?"})
		}
	}
	return out
}

// failed adds to the form of a failure what it says: a code, a text and whatever else.
func (k *kindOfMessage) failed(out form) form {
	placed := map[string]bool{k.teller: true}
	for _, m := range out {
		placed[m.name] = true
	}
	add := func(placeholder string, fits func(s *schema.Schema) bool) {
		for _, p := range owns(k.def.Schema) {
			if !placed[p.Name] && fits(p.Schema) {
				if placed[p.Name] = true; !requires(k.def.Schema, p.Name) {
					placeholder += "?"
				}
				out = append(out, formMember{p.Name, placeholder})
				return
			}
		}
	}
	add("$code", func(s *schema.Schema) bool { return slices.Equal(s.Types, []string{"integer"}) })
	add("$message", func(s *schema.Schema) bool { return slices.Equal(s.Types, []string{"string"}) })
	add("$data", func(*schema.Schema) bool { return true })
	return out
}

// idOf returns the member of a base that numbers messages, or a text that is called an id, or nil.
func idOf(base *schema.Definition, teller string) *schema.Property {
	for _, p := range owns(base.Schema) {
		number := slices.Equal(p.Schema.Types, []string{"integer"}) || slices.Equal(p.Schema.Types, []string{"number"})
		text := slices.Equal(p.Schema.Types, []string{"string"}) && strings.HasSuffix(strings.ToLower(p.Name), "id")
		if p.Name != teller && (number || text) && requires(base.Schema, p.Name) {
			return &p
		}
	}
	return nil
}

// isText reports whether messages are numbered by texts, which only requests can have.
func isText(id *schema.Property) bool { return slices.Equal(id.Schema.Types, []string{"string"}) }

// form returns the form of the messages of a kind.
func (k *kindOfMessage) form(base *schema.Definition, number, payload string) form {
	var out form
	if id := idOf(base, k.teller); id != nil && (number == "$id" || !isText(id)) {
		out = append(out, formMember{id.Name, number})
	}
	out = append(out, formMember{k.teller, k.def.Schema.Own(k.teller).OnlyText()}, formMember{k.method, "$method"})
	if k.payload != "" {
		out = append(out, formMember{k.payload, payload})
	}
	return out
}
