// Sent: schemas that define whole messages with the method as a constant, and a union of the messages each side
// sends.

package keyword

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Members of a JSON-RPC message.
const (
	memberMethod = "method"
	memberParams = "params"
	memberResult = "result"
)

// Sent reads the methods of the messages a side sends.
func Sent(set *schema.Set, stated *facts.Facts) (*facts.Facts, []diag.Diagnostic) {
	s := &sent{
		foreign: foreign{reader: reader{sides: stated.Sides, out: &facts.Facts{}}, set: set, words: stated.Messages, methods: map[message]*facts.Method{}},
		seen:    map[statement]bool{},
	}
	for _, of := range stated.Sent {
		if def := set.Lookup(of.Definition); def != nil && def.Schema != nil {
			s.messages(def, of)
		}
	}
	return s.out, s.Items()
}

type sent struct {
	foreign
	seen map[statement]bool
}

// statement returns the message union of one side.
type statement struct {
	def  *schema.Definition
	from string
}

// messages reads a message or a union of messages.
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
			s.Errorf(choice.Pos, "unknown-message", "give it a definition of its own", "%s lists messages, and this one has no name", def.Name)
			continue
		}
		if ref.Target.Schema != nil {
			s.messages(ref.Target, of)
		}
	}
}

// whole reads one message definition.
func (s *sent) whole(def *schema.Definition, of *facts.Sent) {
	name := def.Schema.Property(memberMethod)
	if name == nil || name.Schema.Const.Str() == "" {
		s.Errorf(def.Pos, "unknown-message", `correct it, or what is listed under messages.sent in the profile`,
			"%s is to be a message that %s sends, and it has no member %q with a constant text", def.Name, of.From, memberMethod)
		return
	}
	kind := s.kind(def.Name)
	if kind != "request" && kind != "notification" {
		s.Errorf(def.Pos, "unknown-message", "say with what such names end, under messages in the profile",
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
		s.Errorf(m.Pos, "duplicate-method", "take one of the two away; the other stands at "+first.Pos.String(), "%s is another %s %q", def.Name, kind, m.Name)
	case first.From != m.From:
		first.From = facts.Both
	}
}

// typeOf returns the name of a member's type, or "".
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

// result returns the name of a request's result, or "" for null: the result of its response, the definition named
// after the request, or the one for empty results.
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
