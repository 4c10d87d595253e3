// Methods: each one as the schema has it, with parameters that it does not allow, and with what it does not have.

package conform

import (
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Codes of JSON-RPC.
const (
	codeParse    = int64(rpc.ParseError)
	codeInvalid  = int64(rpc.InvalidRequest)
	codeMissing  = int64(rpc.MethodNotFound)
	codeParams   = int64(rpc.InvalidParams)
	codeInternal = int64(rpc.InternalError)
)

// each returns a scenario for each request of the client that can be called at any time after the handshake.
func (r *run) each(group, text string, play func(*stage, *protocol.Method), fits func(*protocol.Method) bool) (out []Scenario) {
	for _, m := range r.Protocol.Methods {
		if m.Notification || m.From == r.Side || r.isSpecial(m) || fits != nil && !fits(m) {
			continue
		}
		out = append(out, Scenario{group + "/" + m.Name, text, m, func(s *stage) { play(s, m) }})
	}
	return out
}

// isSpecial reports whether a method opens or resumes a connection.
func (r *run) isSpecial(m *protocol.Method) bool {
	if h := r.Protocol.Handshake; h != nil && m == h.Method {
		return true
	}
	p := r.Protocol.Replication
	return p != nil && p.Session != nil && m == p.Session.Resume.Method
}

func (r *run) methods() []Scenario {
	return r.each("methods", "the request is answered as the schema says", func(s *stage, m *protocol.Method) {
		t := s.warm()
		gated := t.advertised(m)
		t.subject = m.Name
		_, a := t.settle(m)
		switch {
		case t.ended():
		case !a.here && t.closed:
			s.wrong(Lost, m.Name, "the connection has ended")
		case !a.here:
			t.lost = true
			s.wrong(NotAnswered, m.Name, "there is no answer in %v", t.Patience)
		case !a.ok():
			t.mayRefuse(m, &a, gated)
		}
		if !t.closed && !t.lost {
			t.fence(m.Name)
		}
	}, nil)
}

// mayRefuse judges an error for what the schema allows. The reason is the peer's own, but a request for a sign of life has no other answer
// than its result.
func (t *talk) mayRefuse(m *protocol.Method, a *answer, gated bool) {
	c, missing := t.Protocol.Calls, t.table.Envelope == nil && a.Error.Code == codeMissing
	switch {
	case c != nil && m == c.Ping && missing:
		t.wrong(NotServed, m.Name, "every peer gives this sign of life, and there is %s", a.shown())
	case c != nil && m == c.Ping:
		t.wrong(Refused, m.Name, "every peer gives this sign of life, and there is %s", a.shown())
	case missing && gated:
		t.wrong(NotServed, m.Name, "it was advertised, and there is %s", a.shown())
	case missing:
		t.note(NotServed, m.Name, "%s", a.shown())
	case a.Error.Code == codeInternal && t.table.Envelope == nil:
		t.note(Internal, m.Name, "%s", a.shown())
	}
}

// served prepares a method that is to be called with something unusual, and ends the scenario if there is none.
func (s *stage) served(m *protocol.Method) (*talk, *plan) {
	t := s.warm()
	t.advertised(m)
	how := s.plans[m]
	if how == nil {
		how, _ = t.settle(m)
	}
	switch o := how.outcome; {
	case !o.here:
		s.skip("not answered")
	case o.code == codeMissing:
		s.skip("not implemented")
	}
	t.ready(m, how)
	return t, how
}

// wrong is a value that a schema does not allow.
type wrong struct {
	text, schema, at string
	params           any
}

// wrongs returns parameters that a schema does not allow: without a member that is required, and with one of another type.
func (s *stage) wrongs(m *protocol.Method, params any) (out []wrong) {
	object, _ := params.(map[string]any)
	in, _ := m.Params.(*protocol.Struct)
	if object == nil || in == nil {
		return nil
	}
	add := func(text string, v any) bool {
		var found []judge.Finding
		if found = s.values.judge.Violations(in, v); len(found) > 0 {
			out = append(out, wrong{text, found[0].Schema, found[0].At, v})
		}
		return len(found) > 0
	}
	for _, f := range in.Fields {
		if !f.Required || f.Lenience.Value || f.Const != nil {
			continue
		}
		less := maps.Clone(object)
		delete(less, f.Name)
		add("no "+f.Name, less)
		for _, other := range []any{int64(7), "conform", true, []any{}, map[string]any{}} {
			if add(f.Name+" = "+string(raw(other)), with(object, f.Name, other)) {
				break
			}
		}
	}
	return out
}

// mustBeRefused wants an error for what a schema does not allow.
func (t *talk) mustBeRefused(a *answer, w *wrong) {
	f := Finding{Subject: t.subject, Schema: w.schema, At: w.at}
	switch {
	case t.ended():
		return
	case !a.here && t.closed:
		f.Rule, f.Text = Lost, "the connection has ended"
	case !a.here:
		t.lost = true
		f.Rule, f.Text = NotAnswered, "there is no answer in "+t.Patience.String()
	case a.ok():
		f.Rule, f.Text = NotRefused, "there is a result"
	case t.table.Envelope != nil:
		return
	case a.Error.Code == codeInternal:
		f.Rule, f.Text = Internal, a.shown()
	case a.Error.Code == codeParse, a.Error.Code == codeMissing:
		f.Rule, f.Text = WrongCode, "want error -32602, got "+a.shown()
	default:
		return
	}
	t.find(f)
}

func (r *run) params() []Scenario {
	return r.each("params", "parameters that the schema does not allow are refused", func(s *stage, m *protocol.Method) {
		t, how := s.served(m)
		for _, w := range s.wrongs(m, t.make(m, how)) {
			t.subject = m.Name + " with " + w.text
			a := t.callWith(m, w.params)
			t.mustBeRefused(&a, &w)
			t.fence(t.subject)
		}
	}, func(m *protocol.Method) bool { return m.Params != nil && len(r.required(m)) > 0 })
}

// required returns the members of the parameters that are required.
func (r *run) required(m *protocol.Method) (out []*protocol.Field) {
	s, _ := m.Params.(*protocol.Struct)
	if s == nil {
		return nil
	}
	for _, f := range s.Fields {
		if f.Required && !f.Lenience.Value && f.Const == nil {
			out = append(out, f)
		}
	}
	return out
}

func (r *run) members() []Scenario {
	return r.each("members", "a member that the schema does not have is ignored", func(s *stage, m *protocol.Method) {
		t, how := s.served(m)
		t.subject = m.Name + " with the member " + unknownMember
		ask := func(more bool) answer {
			params := t.make(m, how)
			if more {
				params = with(params, unknownMember, map[string]any{"a": []any{int64(1)}})
			}
			a := t.callWith(m, params)
			t.mustBeAnswered(&a)
			return a
		}
		first := ask(true)
		if first.outcome() == how.outcome {
			t.fence(t.subject)
			return
		}
		t.ready(m, how)
		if usual := ask(false); usual.outcome() != first.outcome() {
			t.ready(m, how)
			if again := ask(true); again.outcome() != usual.outcome() {
				s.wrong(Refused, t.subject, "without it there is %s, with it %s", usual.shown(), again.shown())
			}
		}
		t.fence(t.subject)
	}, func(m *protocol.Method) bool {
		in, _ := m.Params.(*protocol.Struct)
		return m.Params == nil || in != nil && in.Extra == nil
	})
}

// mustBeAnswered wants a result or an error.
func (t *talk) mustBeAnswered(a *answer) {
	switch {
	case a.here:
		return
	case t.ended():
	case t.closed:
		t.wrong(Lost, t.subject, "the connection has ended")
	default:
		t.lost = true
		t.wrong(NotAnswered, t.subject, "there is no answer in %v", t.Patience)
	}
	panic(over{})
}

// unknownValue is a value of an enum, or the tag of a variant, that no version has.
const unknownValue = "conform-unknown"

// unknownsIn returns the members of parameters that may have values of newer versions, with such values.
func (r *run) unknownsIn(m *protocol.Method) map[string]any {
	in, _ := m.Params.(*protocol.Struct)
	if in == nil {
		return nil
	}
	out := map[string]any{}
	for _, f := range in.Fields {
		e, list := protocol.Underlying(f.Type), false
		if l, ok := e.(protocol.List); ok {
			e, list = l.Elem, true
		}
		var v any
		if enum := protocol.As[*protocol.Enum](e); enum != nil && enum.Open && enum.Kind == protocol.String && f.Const == nil {
			v = unknownValue
		}
		if u := protocol.As[*protocol.Union](e); u != nil && u.Open && u.Kind == protocol.Tagged && u.Dispatch != nil && u.Dispatch.Kind == protocol.String {
			v = map[string]any{u.Dispatch.Member: unknownValue, "value": int64(1)}
		}
		if v == nil {
			continue
		}
		if list {
			v = []any{v}
		}
		out[f.Name] = v
	}
	return out
}

func (r *run) variants() []Scenario {
	return r.each("variants", "values and variants of newer versions are answered", func(s *stage, m *protocol.Method) {
		t, how := s.served(m)
		unknown := s.unknownsIn(m)
		for _, name := range slices.Sorted(maps.Keys(unknown)) {
			t.subject = m.Name + " with " + name + " = " + string(raw(unknown[name]))
			params := with(t.make(m, how), name, unknown[name])
			if len(t.judge.Violations(m.Params, inside.DecodeState(raw(params)))) > 0 {
				continue
			}
			a := t.callWith(m, params)
			t.mustBeAnswered(&a)
			if !a.ok() && a.Error.Code == codeInternal && t.table.Envelope == nil {
				s.wrong(Internal, t.subject, "%s", a.shown())
			}
			t.fence(t.subject)
		}
	}, func(m *protocol.Method) bool { return len(r.unknownsIn(m)) > 0 })
}

func (r *run) notifications() (out []Scenario) {
	for _, m := range r.Protocol.Methods {
		if !m.Notification || m.From == r.Side {
			continue
		}
		out = append(out, Scenario{"notifications/" + strings.TrimPrefix(m.Name, "notifications/"), "the notification is not answered, whatever its parameters, and requests still are", m, func(s *stage) {
			t := s.able() // it may tell of something that only such a client has
			t.advertised(m)
			how := s.planOf(m)
			t.ready(m, how)
			params := t.make(m, how)
			t.subject = m.Name
			t.notify(m.Name, params)
			t.fence(t.subject)
			for _, w := range s.wrongs(m, params) {
				t.subject = m.Name + " with " + w.text
				t.notify(m.Name, w.params)
				t.fence(t.subject)
			}
			t.subject = m.Name + " with the member " + unknownMember
			t.notify(m.Name, with(params, unknownMember, int64(1)))
			t.fence(t.subject)
		}})
	}
	return out
}

func (r *run) unknowns() []Scenario {
	out := []Scenario{
		{"unknown/request", "a method that there is not has error -32601", nil, func(s *stage) { unknownRequest(s, unknownMethod) }},
		{"unknown/notification", "a notification that there is not is ignored", nil, func(s *stage) { unknownNotification(s, unknownMethod) }},
	}
	if e := r.Protocol.Extensions; e != nil && e.Prefix != "" {
		name := e.Prefix + unknownMethod
		out = append(out,
			Scenario{"unknown/extension-request", "an extension that there is not has error -32601", nil, func(s *stage) { unknownRequest(s, name) }},
			Scenario{"unknown/extension-notification", "an extension that there is not is ignored", nil, func(s *stage) { unknownNotification(s, name) }})
	}
	for _, m := range r.Protocol.Methods {
		if !m.Notification && m.From == r.Side {
			out = append(out, Scenario{"unknown/own-request", "a request that the program itself sends is refused", m, func(s *stage) { unknownRequest(s, m.Name) }})
			break
		}
	}
	return out
}

func unknownRequest(s *stage, name string) {
	t := s.warm()
	t.subject = name
	a := t.ask(name, t.anything(map[string]any{"a": int64(1)}))
	t.mustBeAnswered(&a)
	switch {
	case a.ok():
		s.wrong(NotRefused, name, "there is a result")
	case t.table.Envelope == nil && a.Error.Code != codeMissing:
		s.wrong(WrongCode, name, "want error -32601, got %s", a.shown())
	}
	t.fence(name)
}

func unknownNotification(s *stage, name string) {
	t := s.warm()
	t.subject = name
	t.notify(name, t.anything(map[string]any{"a": int64(1)}))
	t.fence(name)
}
