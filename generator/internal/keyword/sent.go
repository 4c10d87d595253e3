// Sent: schemas that define whole messages with the method as a constant, or the parameters and results of methods,
// and which side sends them.

package keyword

import (
	"errors"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// jsonRPC are the forms of JSON-RPC 2.0, as far as they tell where methods, parameters and results stand.
var jsonRPC = spec.MustEnvelope(spec.Forms{
	Request:      `{"id": "$id", "method": "$method", "params": "$params?"}`,
	Result:       `{"id": "$id", "result": "$result"}`,
	Failure:      `{"id": "$id", "error": {"code": "$code"}}`,
	Notification: `{"method": "$method", "params": "$params?"}`,
})

// Sent reads the methods of the messages a side sends.
func Sent(set *schema.Set, stated *facts.Facts) (*facts.Facts, []diag.Diagnostic) {
	s := &sent{
		foreign:  foreign{reader: reader{sides: stated.Sides, out: &facts.Facts{}}, set: set, words: stated.Messages, methods: map[message]*facts.Method{}},
		envelope: jsonRPC, seen: map[statement]bool{}, inline: map[*schema.Schema]bool{}, stated: map[string]*facts.Method{}, named: map[*facts.Method]bool{},
	}
	for _, m := range stated.Methods {
		s.stated[m.Name] = m
	}
	if e := stated.Envelope; e != nil && !s.describe(e) {
		return s.out, s.Items()
	}
	for _, patterns := range []bool{false, true} {
		for _, of := range stated.Sent {
			if schema.IsPattern(of.Definition) == patterns {
				s.statement(of)
			}
		}
	}
	if slices.ContainsFunc(stated.Sent, func(of *facts.Sent) bool { return schema.IsPattern(of.Definition) }) {
		slices.SortStableFunc(s.out.Methods, func(a, b *facts.Method) int { return a.Pos.Compare(b.Pos) })
	}
	s.streams()
	s.outcomes(stated.Outcomes)
	if s.words.Types != nil && !*s.words.Types {
		s.withoutMessages()
	}
	return s.out, s.Items()
}

type sent struct {
	foreign
	envelope *spec.Envelope
	seen     map[statement]bool
	messages []*schema.Definition     // whole messages, requests with their responses
	inline   map[*schema.Schema]bool  // choices with messages that have no name
	stated   map[string]*facts.Method // methods that a profile states by themselves
	named    map[*facts.Method]bool   // methods of messages that an entry names, which comes before wildcards
}

// statement returns the message union of one side.
type statement struct {
	schema *schema.Schema
	from   string
}

// describe takes the forms of messages, and reports whether they are right.
func (s *sent) describe(e *facts.Envelope) bool {
	envelope, err := spec.NewEnvelope(e.Forms())
	if err == nil {
		s.envelope = envelope
		return true
	}
	kind, at := err.Error(), e.Pos
	if form := (*spec.FormError)(nil); errors.As(err, &form) {
		if form.Kind == "failure" {
			form.Kind = "error"
		}
		kind = form.Error()
		if written := e.Written.Get(form.Kind); written != nil {
			at = written.Pos
		}
	}
	s.Errorf(at, "bad-envelope", `write it like {"id": "$id", "method": "$method", "params": "$params?"}`, "envelope: %s", kind)
	return false
}

// statement reads the messages in a definition, or in all that fit a pattern.
func (s *sent) statement(of *facts.Sent) {
	if !schema.IsPattern(of.Definition) {
		if def := s.set.Lookup(of.Definition); def != nil && def.Schema != nil {
			s.read(def.Schema, def.Name, def, of)
		}
		return
	}
	for _, def := range s.set.Definitions() {
		if def.Schema != nil && of.Means(def.Name) {
			s.read(def.Schema, def.Name, def, of)
		}
	}
}

// read reads a message or a union of messages. Def is nil for one without a name.
func (s *sent) read(of *schema.Schema, name string, def *schema.Definition, by *facts.Sent) {
	if s.seen[statement{of, by.From}] || slices.Contains(by.Except, name) && def != nil {
		return
	}
	s.seen[statement{of, by.From}] = true
	choices := of.Choices()
	if choices == nil {
		if ref, ok := of.Reference(); ok && ref.Target != nil && ref.Target.Schema != nil {
			s.read(ref.Target.Schema, ref.Target.Name, ref.Target, by)
			return
		}
		s.whole(of, name, def, by)
		return
	}
	for _, choice := range choices {
		if ref, ok := choice.Reference(); !ok {
			s.inline[of] = true
			s.whole(choice, name, nil, by)
		} else if ref.Target != nil && ref.Target.Schema != nil {
			s.read(ref.Target.Schema, ref.Target.Name, ref.Target, by)
		}
	}
}

// whole reads one message. A message without a name has the name of the union that it is an alternative of.
func (s *sent) whole(of *schema.Schema, name string, def *schema.Definition, by *facts.Sent) {
	if s.words.Payloads && def != nil {
		s.payload(def, by)
		return
	}
	m := &facts.Method{From: by.From, Doc: of.OwnDescription()}
	at := of.Pos
	if def != nil {
		at = def.Pos
	}
	for _, form := range []string{"request", "notification"} {
		f := s.envelope.Form(form)
		if f == nil {
			continue
		}
		path, _ := f.Path(spec.HoleMethod)
		if p := of.Own(path...); p.OnlyText() != "" {
			m.Origin, m.Name = from(p.Pos), p.OnlyText()
			if def == nil { // an unnamed message is identified by its required members
				m.Kind = form
				if id, _ := f.Path(spec.HoleID); form == "notification" || of.Own(id...) != nil {
					break
				}
				m.Kind = ""
				continue
			}
			break
		}
	}
	if m.Name == "" {
		if strings.Contains(by.Definition, "*") { // such as the base of all messages
			return
		}
		s.Errorf(at, "unknown-message", `correct it, or what is listed under messages.sent in the profile`,
			"%s is to be a message that %s sends, and it has no member %q with a constant text", name, by.From, s.memberOf("request", spec.HoleMethod))
		return
	}
	if def != nil {
		m.Kind = s.kind(def.Name)
		s.messages = append(s.messages, def)
	}
	if m.Kind != "request" && m.Kind != "notification" {
		s.Errorf(at, "unknown-message", "say with what such names end, under messages in the profile",
			"%s is a message of %q, and its name does not tell whether it is a request or a notification", name, m.Name)
		return
	}
	owner := name
	if def == nil {
		owner += "." + m.Name
	}
	m.Params, m.ParamsAt = s.member(of, owner, m.Kind, spec.HoleParams)
	if m.Kind == "request" {
		s.result(m, of, def)
	}
	s.add(m, owner, by)
}

// payload reads the parameters of a method, whose name is that of the definition.
func (s *sent) payload(def *schema.Definition, by *facts.Sent) {
	m := &facts.Method{Origin: from(def.Pos), From: by.From, Kind: s.kind(def.Name), Params: def.Name, Doc: def.Schema.OwnDescription()}
	words := s.words.Requests
	if m.Kind == "notification" {
		words = s.words.Notifications
	}
	if m.Name = stem(def.Name, words); m.Kind == "" || m.Kind == "result" {
		if !strings.Contains(by.Definition, "*") {
			s.Errorf(def.Pos, "unknown-message", "say with what such names end, under messages in the profile",
				"%s is to be what %s sends, and its name does not tell whether it is of a request or a notification", def.Name, by.From)
		}
		return
	}
	if m.Kind == "request" {
		s.result(m, nil, def)
	}
	s.add(m, def.Name, by)
}

// add adds a method, which may be one of both sides.
func (s *sent) add(m *facts.Method, definition string, by *facts.Sent) {
	at := message{m.Kind, m.Name}
	first := s.methods[at]
	pattern := schema.IsPattern(by.Definition)
	switch {
	case first == nil:
		s.methods[at], s.named[m] = m, !pattern
		s.out.Methods = append(s.out.Methods, m)
	case first.Params != m.Params || first.Result != m.Result:
		s.Errorf(m.Pos, "duplicate-method", "take one of the two away; the other stands at "+first.Pos.String(), "%s is another %s %q", definition, m.Kind, m.Name)
	case first.From != m.From && (!pattern || !s.named[first]):
		first.From = facts.Both
	}
}

// memberOf returns the member that holds what a placeholder stands for.
func (s *sent) memberOf(form string, hole spec.Hole) string {
	path, _ := s.envelope.Form(form).Path(hole)
	return strings.Join(path, ".")
}

// member returns the name of the type of what a placeholder of a message stands for, and its schema if it has no name of its
// own. A member that is always null counts as none.
func (s *sent) member(of *schema.Schema, owner, form string, hole spec.Hole) (string, *schema.Schema) {
	f := s.envelope.Form(form)
	if f == nil {
		return "", nil
	}
	path, ok := f.Path(hole)
	p := of.Own(path...)
	if !ok || p == nil || len(p.Schema.Types) == 1 && p.Schema.Types[0] == "null" {
		return "", nil
	}
	if ref, ok := p.Schema.Reference(); ok && ref.Target != nil {
		return ref.Target.Name, nil
	}
	return owner + "." + strings.Join(path, "."), p.Schema
}

// result finds the result of a request: the member of its response, the definition named after the request or after its
// parameters, or the one for empty results. Without any, the result is null.
func (s *sent) result(m *facts.Method, of *schema.Schema, def *schema.Definition) {
	var stems []string
	if def != nil {
		stems = append(stems, stem(def.Name, s.words.Requests))
	} else if of != nil && of.Title != "" {
		stems = append(stems, stem(of.Title, s.words.Requests))
	}
	if def == nil || s.words.Payloads {
		params := m.Params
		if m.ParamsAt != nil && m.ParamsAt.Referent() != nil {
			params = m.ParamsAt.Referent().Name
		}
		stems = append(stems, stem(params, s.words.Requests))
	}
	for _, stem := range stems {
		for _, word := range s.words.Responses {
			response := s.set.Lookup(stem + word)
			if response == nil || response.Schema == nil || response == def {
				continue
			}
			s.messages = append(s.messages, response)
			m.Result, m.ResultAt = s.member(response.Schema, response.Name, "result", spec.HoleResult)
			return
		}
		for _, word := range s.words.Results {
			if s.set.Has(stem + word) {
				m.Result = stem + word
				return
			}
		}
	}
	if s.set.Has(s.words.Empty) {
		m.Result = s.words.Empty
	} else if s.stated[m.Name] == nil && s.words.Empty == "" && len(s.words.Responses)+len(s.words.Results) > 0 {
		s.Warnf(m.Pos, "no-result", "state the method with its result under methods in the profile, or without one if the answer is null",
			"nothing says what %q is answered with, which is taken for null", m.Name)
	}
}

// streams marks the requests that have several results.
func (s *sent) streams() {
	for _, name := range s.words.Streams {
		m, stated := s.methods[message{"request", name}], s.stated[name]
		switch {
		case stated != nil && !stated.Stream:
			s.Errorf(stated.Pos, "unknown-message", `add "stream": true here, or take it out of messages.streams`, "%q is listed among the requests with several results, and stated without", name)
		case m != nil:
			m.Stream = true
		case stated == nil && len(s.out.Methods) > 0:
			s.Errorf(s.out.Methods[0].Pos, "unknown-message", "correct it under messages.streams in the profile", "there is no request %q, which is to have several results", name)
		}
	}
}

// outcomes gives requests the unions of their several results.
func (s *sent) outcomes(all []*facts.Outcome) {
	for _, o := range all {
		m := s.methods[message{"request", o.Method}]
		if m == nil {
			s.Errorf(o.Pos, "unknown-message", "correct it under messages.outcomes in the profile", "there is no request %q, which is to have one of several results", o.Method)
			continue
		}
		m.Result, m.ResultAt = o.Name, nil
	}
}

// withoutMessages omits the messages, what they are derived from, all else that is derived from that, and choices with
// such definitions.
func (s *sent) withoutMessages() {
	gone := graph.Reached(s.messages, takenIn)
	bases := map[*schema.Definition]bool{}
	for _, def := range s.messages {
		for _, base := range def.Schema.Bases() {
			for up := range graph.Reached([]*schema.Definition{base}, takenIn) {
				bases[up] = true
			}
		}
	}
	for again := true; again; {
		again = false
		for _, def := range s.set.Definitions() {
			if !gone[def] && (slices.ContainsFunc(def.Schema.Bases(), func(b *schema.Definition) bool { return bases[b] }) || s.chooses(def, gone)) {
				gone[def], again = true, true
			}
		}
	}
	for _, def := range s.set.Definitions() {
		if gone[def] {
			s.out.Omissions = append(s.out.Omissions, &facts.Omission{Origin: from(def.Pos), Definition: def.Name})
		}
	}
}

// chooses reports whether a definition is a choice with messages among its alternatives.
func (s *sent) chooses(def *schema.Definition, gone map[*schema.Definition]bool) bool {
	return s.inline[def.Schema] || slices.ContainsFunc(def.Schema.Choices(), func(c *schema.Schema) bool {
		ref, ok := c.Reference()
		return ok && gone[ref.Target]
	})
}

// stem returns a name without the longest of the words that it ends with.
func stem(name string, words []string) string {
	longest := ""
	for _, word := range words {
		if strings.HasSuffix(name, word) && len(word) > len(longest) {
			longest = word
		}
	}
	return strings.TrimSuffix(name, longest)
}

// takenIn returns the definitions that a definition takes in.
func takenIn(def *schema.Definition) []*schema.Definition { return def.Schema.Bases() }
