// Calls: many at once, cancelled ones, requests of the program itself, and large messages.

package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func (r *run) calls() []Scenario {
	out := []Scenario{
		{"calls/pipelined", "requests that are sent without waiting are all answered, once each", nil, func(s *stage) { pipelined(s, 50) }},
		{"calls/different", "different requests at once are answered as they are one by one", nil, different},
	}
	c := r.Protocol.Calls
	if c == nil {
		return out
	}
	if c.Cancel != nil {
		out = append(out, r.each("cancel", "a request that is cancelled is answered once at most, and others go on", cancel, nil)...)
		out = append(out,
			Scenario{"calls/cancel-unknown", "a cancelled request that there is not is ignored", c.Cancel, func(s *stage) {
				t := s.warm()
				t.subject = c.Cancel.Name + " of a request that there is not"
				t.cancel(`"conform-none"`)
				t.fence(t.subject)
			}},
			Scenario{"calls/cancel-late", "a request that is cancelled after its answer is not answered again", c.Cancel, func(s *stage) {
				t := s.warm()
				id := t.probe()
				a := t.await(id)
				t.subject = c.Cancel.Name + " after the answer"
				t.mustBeAnswered(&a)
				t.cancel(id)
				t.fence(t.subject)
			}})
	}
	for _, e := range c.Ends {
		out = append(out, Scenario{"cancel/by/" + e.Method.Name, e.Method.Name + " ends a request", e.Request, func(s *stage) { endsBy(s, e) }})
	}
	return out
}

func pipelined(s *stage, n int) {
	t := s.warm()
	t.subject = fmt.Sprintf("%d requests at once", n)
	var ids []string
	for range n {
		ids = append(ids, t.probe())
	}
	missing := 0
	for _, id := range ids {
		switch {
		case missing > 0: // the others are there by now, or will never be
			if len(t.answers[id]) == 0 {
				missing++
			}
		case !t.wait(id):
			missing++
		}
	}
	switch {
	case t.closed:
		s.wrong(Lost, t.subject, "the connection has ended")
	case missing > 0:
		t.lost = true
		s.wrong(NotAnswered, t.subject, "%d of them have no answer", missing)
	default:
		t.fence(t.subject)
	}
}

// wait waits for the answer to a request, and reports whether there is one.
func (t *talk) wait(id string) bool {
	a := t.await(id)
	return a.here
}

// withResult returns the requests that have had a result.
func (r *run) withResult() []*protocol.Method {
	return slices.DeleteFunc(slices.Clone(r.Protocol.Methods), func(m *protocol.Method) bool {
		return r.plans[m] == nil || !r.plans[m].outcome.ok || fits(r.Without, m.Name)
	})
}

// working returns the same, and ends the scenario if there are none.
func (s *stage) working() []*protocol.Method {
	all := s.withResult()
	if len(all) == 0 {
		s.skip("no request has had a result: play the scenarios of methods as well")
	}
	return all
}

// different sends what has had a result once more, all at once.
func different(s *stage) {
	t := s.warm()
	t.subject = "different requests at once"
	type sent struct {
		method *protocol.Method
		id     string
	}
	var all []sent
	for _, m := range s.working() {
		t.ready(m, s.plans[m])
		all = append(all, sent{m, ""})
	}
	for i := range all {
		all[i].id = t.begin(all[i].method.Name, t.make(all[i].method, s.plans[all[i].method]))
	}
	for _, of := range all {
		s.about = of.method
		a := t.await(of.id)
		t.subject = of.method.Name + " beside others"
		t.mustBeAnswered(&a)
	}
	s.about = nil
	t.fence("different requests at once")
}

// cancel cancels a request by its id, as JSON.
func (t *talk) cancel(id string) {
	c := t.Protocol.Calls
	how := t.planOf(c.Cancel)
	params := with(t.make(c.Cancel, how), c.CancelID, json.RawMessage(id))
	t.notify(c.Cancel.Name, params)
}

func cancel(s *stage, m *protocol.Method) {
	t, how := s.served(m)
	t.subject = m.Name + ", cancelled"
	id := t.begin(m.Name, t.make(m, how))
	t.cancel(id)
	t.fence(t.subject)
	list := t.answers[id]
	if len(list) == 0 {
		if s.Protocol.Calls.CancelError != 0 { // where there is such an error, the request is answered
			a := t.await(id)
			if !a.here {
				s.wrong(NotCancelled, t.subject, "there is no answer in %v", t.Patience)
				return
			}
			list = []answer{a}
		} else {
			return
		}
	}
	want := s.Protocol.Calls.CancelError // without one, cancelled requests need no answer, and may have any
	if a := &list[0]; !a.ok() && a.Error.Code == codeInternal && how.outcome.code != codeInternal && want != 0 {
		s.wrong(Internal, t.subject, "want error %d, got %s", want, a.shown())
	}
	delete(t.answers, id)
}

// endsBy ends a request by a notification.
func endsBy(s *stage, e *protocol.Ending) {
	t, how := s.served(e.Request)
	t.subject = e.Request.Name + ", ended by " + e.Method.Name
	params := t.make(e.Request, how)
	id := t.begin(e.Request.Name, params)
	object, _ := params.(map[string]any)
	end := with(t.make(e.Method, s.planOf(e.Method)), e.Member, object[e.Member])
	t.notify(e.Method.Name, end)
	a := t.await(id)
	switch {
	case !a.here && !t.closed:
		s.wrong(NotCancelled, t.subject, "there is no answer in %v", t.Patience)
		t.lost = true
		return
	case e.Result != "" && a.here && !a.ok() && how.outcome.ok:
		s.wrong(NotCancelled, t.subject, "want a result such as %s, got %s", e.Result, a.shown())
	}
	t.mustBeAnswered(&a)
	t.fence(t.subject)
}

// asked returns the scenarios in which requests of the program are answered otherwise than usual.
func (r *run) asked() []Scenario {
	if !slices.ContainsFunc(r.Protocol.Methods, func(m *protocol.Method) bool { return m.From != r.Side.Peer() && !m.Notification }) {
		return nil
	}
	refuse := func(*rpc.Message, any) (any, *rpc.Error) {
		return nil, &rpc.Error{Code: codeInternal, Message: "conform refuses"}
	}
	more := func(_ *rpc.Message, result any) (any, *rpc.Error) {
		return with(result, unknownMember, map[string]any{"a": int64(1)}), nil
	}
	missing := func(m *rpc.Message, _ any) (any, *rpc.Error) { return nil, m.NotFound() }
	return []Scenario{
		{"asked/answered", "what the program asks a client that can do everything is answered, and its requests are as the schema says", nil, asks},
		{"asked/refused", "a request during which the program asks something is answered if that is refused", nil, func(s *stage) { askedBack(s, refuse, nil, "refused") }},
		{"asked/not-found", "the same if the client does not know what is asked", nil, func(s *stage) { askedBack(s, missing, nil, "not found") }},
		{"asked/unknown-member", "the same if the answer has a member that the schema does not have", nil, func(s *stage) { askedBack(s, more, nil, "answered with the member "+unknownMember) }},
		{"asked/wrong-result", "the same if the answer is not what the schema allows", nil, func(s *stage) {
			askedBack(s, func(*rpc.Message, any) (any, *rpc.Error) { return []any{int64(7)}, nil }, nil, "answered wrongly")
		}},
		{"asked/twice", "the same if it is answered twice", nil, func(s *stage) {
			askedBack(s, nil, func(t *talk) { t.replies = func(data []byte) []byte { t.send(data); return data } }, "answered twice")
		}},
	}
}

// asks calls all that has had a result as a client that can do everything, and notes during which requests the program asks something.
func asks(s *stage) {
	for _, m := range s.working() {
		t, how := s.able(), s.plans[m]
		t.ready(m, how)
		s.about, t.subject, t.heard = m, m.Name+" of a client that can do everything", nil
		a := t.callWith(m, t.make(m, how))
		t.mustBeAnswered(&a)
		t.fence(t.subject)
		if slices.ContainsFunc(t.heard, func(m rpc.Message) bool { return m.Kind == rpc.Request }) {
			s.run.asking = append(s.run.asking, m)
		}
	}
	s.about = nil
}

// askedBack calls all that has had a result, and answers otherwise what the program asks meanwhile.
func askedBack(s *stage, respond func(*rpc.Message, any) (any, *rpc.Error), prepare func(*talk), what string) {
	some := false
	for _, m := range s.working() {
		if !slices.Contains(s.asking, m) {
			continue
		}
		t, how := s.able(), s.plans[m]
		t.ready(m, how)
		some, s.about = true, m
		if t.respond = respond; prepare != nil {
			prepare(t)
		}
		t.subject = m.Name + ", and what it asks is " + what
		a := t.callWith(m, t.make(m, how))
		t.mustBeAnswered(&a)
		t.fence(t.subject)
	}
	if s.about = nil; !some {
		s.skip("nothing was asked in asked/answered")
	}
}

func (r *run) limits() []Scenario {
	out := []Scenario{
		{"limits/large", "a message of a megabyte is answered, or the connection ends in good order", nil, func(s *stage) {
			limit(s, "a parameter of 1 MB", false, func(t *talk) []byte { return t.padded(`"` + strings.Repeat("x", 1<<20) + `"`) })
		}},
		{"limits/deep", "a message with 10,000 lists in each other is answered, or the connection ends in good order", nil, func(s *stage) {
			limit(s, "a parameter with 10,000 lists in each other", true, func(t *talk) []byte { return t.padded(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)) })
		}},
		{"limits/many-members", "a message with 10,000 members is answered, or the connection ends in good order", nil, func(s *stage) {
			limit(s, "a parameter with 10,000 members", false, func(t *talk) []byte {
				var b strings.Builder
				for i := range 10_000 {
					fmt.Fprintf(&b, `,"m%d":%d`, i, i)
				}
				return t.padded("{" + b.String()[1:] + "}")
			})
		}},
		{"limits/long-method", "a method with a name of 64 kB has an error, or the connection ends in good order", nil, func(s *stage) {
			limit(s, "a method with a name of 64 kB", false, func(t *talk) []byte {
				return t.encode(&rpc.Message{Kind: rpc.Request, Method: strings.Repeat("m", 64<<10)})
			})
		}},
		{"limits/pipelined", "a thousand requests at once are answered, once each", nil, func(s *stage) { pipelined(s, 1000) }},
	}
	return out
}

// padded returns a request with a member that the schema does not have. Its value may be more than our own encoder allows.
func (t *talk) padded(value string) []byte {
	const place = `"conform-place"`
	params := with(inside.DecodeState([]byte(t.probeParams())), unknownMember, json.RawMessage(place))
	data := t.encode(&rpc.Message{Kind: rpc.Request, Method: t.probeMethod(), Params: raw(params)})
	return bytes.Replace(data, []byte(place), []byte(value), 1)
}

// limit sends a message that is beyond what is usual.
func limit(s *stage, what string, nested bool, message func(*talk) []byte) {
	t := s.open()
	if t.link.Post != nil && nested {
		s.skip("the transport cannot send it")
	}
	t.subject, t.nameless = what, true
	a := t.await(t.request(message(t)), "null") // its id may not be read any more
	switch {
	case a.here:
		t.fence(what)
	case t.ended():
	case t.closed:
		s.note(Lost, what, "the connection has ended")
		if t.link.Ended == nil {
			s.open().fence("another connection after " + what)
		}
	default:
		s.wrong(NotAnswered, what, "there is no answer in %v", t.Patience)
	}
}

func (r *run) endings() []Scenario {
	return []Scenario{
		{"ends/input", "a program ends when its input ends", nil, endOfInput},
		{"ends/in-a-request", "a program goes on or ends in good order if the client leaves with a request open", nil, func(s *stage) {
			leave(s, "in the middle of a request", func(t *talk) {
				for _, m := range s.withResult() {
					t.ready(m, s.plans[m])
					t.begin(m.Name, t.make(m, s.plans[m]))
				}
				t.probe()
			})
		}},
		{"ends/in-a-message", "a program goes on or ends in good order if the client leaves in the middle of a message", nil, func(s *stage) {
			leave(s, "in the middle of a message", func(t *talk) {
				if t.link.Raw == nil {
					s.skip("the transport has whole messages")
				}
				_ = t.link.Raw([]byte(`{"jsonrpc":"2.0","id":1,"meth`)) // it may have ended
			})
		}},
		{"ends/before-the-handshake", "a program goes on or ends in good order if the client leaves at once", nil, func(s *stage) {
			if s.refused != "" {
				s.skip("the connection cannot be opened: %s", s.refused)
			}
			t := s.dial()
			t.left("before the handshake")
		}},
	}
}

func endOfInput(s *stage) {
	t := s.open()
	if t.link.Ended == nil {
		s.skip("it is no program that was started")
	}
	t.subject = "the end of its input"
	t.fence(t.subject)
	_ = t.link.EndInput()
	if exit, over := t.mustEnd(); over && exit.Code != 0 {
		s.note(Crashed, t.subject, "its exit code is %d", exit.Code)
	}
}

// mustEnd wants the program to end in good order, and returns how it has, if so.
func (t *talk) mustEnd() (exit tap.Exit, ok bool) {
	exit, over := t.link.Ended(t.Patience)
	if !over {
		t.wrong(NotEnded, t.subject, "it has not ended in %v", t.Patience)
		return exit, false
	}
	t.quiet()
	return exit, !t.crashed(exit)
}

func leave(s *stage, when string, do func(*talk)) {
	t := s.open()
	do(t)
	t.left(when)
}

// left ends the connection, and wants the program to end, or to serve others.
func (t *talk) left(when string) {
	t.subject = "a client that leaves " + when
	if t.link.Ended == nil {
		t.link.Cut()
		t.stage.open().fence("another client after one that has left " + when)
		return
	}
	_ = t.link.EndInput()
	t.mustEnd()
}
