// Sent: whole messages, as some schemas define them: the method is a constant of the message, and a union lists what one
// side sends.

package keyword

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// The members of a message that JSON-RPC gives names.
const (
	memberMethod = "method"
	memberParams = "params"
	memberResult = "result"
)

// Sent reads the methods of the messages that a side is said to send.
func Sent(set *schema.Set, stated *facts.Facts, diags *diag.List) *facts.Facts {
	s := &sent{
		foreign: foreign{reader: reader{diags: diags, sides: stated.Sides, out: &facts.Facts{}}, set: set, words: stated.Messages, methods: map[message]*facts.Method{}},
		seen:    map[statement]bool{},
	}
	for _, of := range stated.Sent {
		if def := set.Lookup(of.Definition); def != nil && def.Schema != nil {
			s.messages(def, of)
		}
	}
	return s.out
}

type sent struct {
	foreign
	seen map[statement]bool
}

// statement is a definition as the messages of one side.
type statement struct {
	def  *schema.Definition
	from string
}

// messages reads a message, or those that a union lists.
func (s *sent) messages(def *schema.Definition, of *facts.Sent) {
	if s.seen[statement{def, of.From}] {
		return
	}
	s.seen[statement{def, of.From}] = true
	choices := def.Schema.Choices()
	if choices == nil {
		if ref, ok := def.Schema.Reference(); ok && ref.Target != nil && ref.Target.Schema != nil {
			s.messages(ref.Target, of)
			return
		}
		s.whole(def, of)
		return
	}
	for _, choice := range choices {
		ref, ok := choice.Reference()
		if !ok || ref.Target == nil {
			s.diags.Errorf(choice.Pos, "unknown-message", "give it a definition of its own", "%s lists messages, and this one has no name", def.Name)
			continue
		}
		if ref.Target.Schema != nil {
			s.messages(ref.Target, of)
		}
	}
}

// whole reads a definition of a message.
func (s *sent) whole(def *schema.Definition, of *facts.Sent) {
	name := def.Schema.Property(memberMethod)
	if name == nil || name.Schema.Const.Str() == "" {
		s.diags.Errorf(def.Pos, "unknown-message", `correct it, or what is listed under messages.sent in the profile`,
			"%s is to be a message that %s sends, and it has no member %q with a constant text", def.Name, of.From, memberMethod)
		return
	}
	kind := s.kind(def.Name)
	if kind != "request" && kind != "notification" {
		s.diags.Errorf(def.Pos, "unknown-message", "say with what such names end, under messages in the profile",
			"%s is a message of %q, and its name does not tell whether it is a request or a notification", def.Name, name.Schema.Const.Text)
		return
	}
	m := &facts.Method{Origin: from(name.Pos), Name: name.Schema.Const.Text, From: of.From, Kind: kind, Params: typeOf(def, memberParams), Doc: def.Schema.Description}
	if kind == "request" {
		m.Result = s.result(def.Name)
	}
	at := message{kind, m.Name}
	first := s.methods[at]
	switch {
	case first == nil:
		s.methods[at] = m
		s.out.Methods = append(s.out.Methods, m)
	case first.Params != m.Params || first.Result != m.Result:
		s.diags.Errorf(m.Pos, "duplicate-method", "take one of the two away; the other stands at "+first.Pos.String(), "%s is another %s %q", def.Name, kind, m.Name)
	case first.From != m.From:
		first.From = facts.Both
	}
}

// typeOf names the type of a member, "" if there is none.
func typeOf(def *schema.Definition, member string) string {
	p := def.Schema.Property(member)
	if p == nil {
		return ""
	}
	if ref, ok := p.Schema.Reference(); ok && ref.Target != nil {
		return ref.Target.Name
	}
	return def.Name + "." + member
}

// result names the result of a request, "" for null: that of its response, the definition that is called like the request,
// or the one for results without anything in them.
func (s *sent) result(request string) string {
	stem := request
	longest := 0
	for _, word := range s.words.Requests {
		if strings.HasSuffix(request, word) && len(word) > longest {
			stem, longest = strings.TrimSuffix(request, word), len(word)
		}
	}
	for _, word := range s.words.Responses {
		if def := s.set.Lookup(stem + word); def != nil && def.Schema != nil && def.Schema.Property(memberResult) != nil {
			return typeOf(def, memberResult)
		}
	}
	for _, word := range s.words.Results {
		if s.set.Has(stem + word) {
			return stem + word
		}
	}
	if s.set.Has(s.words.Empty) {
		return s.words.Empty
	}
	return ""
}
