// Client: scenarios in which the program is the client, and what is played is the side that serves.

package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// result returns the least that answers a request, and fits it.
func (t *talk) result(m *rpc.Message, method *protocol.Method) any {
	if method == nil {
		return nil
	}
	if method.Result == nil {
		return map[string]any{}
	}
	result := t.values.of(method.Result)
	object, _ := result.(map[string]any)
	params, _ := inside.DecodeState(m.Params).(map[string]any)
	if h := t.Protocol.Handshake; h != nil && method == h.Method && object != nil {
		maps.Copy(object, t.Hello)
		if t.Hello[h.Answer] == nil {
			object[h.Answer] = t.choice(params[h.Offer])
		}
	}
	if p := t.Protocol.Replication; p != nil && p.Session != nil && method == p.Session.Subscribe.Method && object != nil {
		uri, _ := params[p.Session.Subscribe.Channel.Name].(string)
		t.snapshot(object, uri)
	}
	return result
}

// choice returns the first offered version that is known, or else the first one.
func (t *talk) choice(offer any) any {
	list, many := offer.([]any)
	if !many {
		return offer
	}
	for _, v := range list {
		if slices.Contains(t.known(), fmt.Sprint(v)) {
			return v
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return t.Protocol.Spoken()
}

// snapshot makes the answer to a subscription one about its channel.
func (t *talk) snapshot(result map[string]any, uri string) {
	p := t.Protocol.Replication
	for _, c := range t.Protocol.Channels {
		if c.State == nil || !slices.Contains(judge.KindsOf(t.Protocol, uri), c) {
			continue
		}
		result[p.Session.Subscribe.Snapshot.Name] = map[string]any{
			p.Snapshot.Channel.Name: uri, p.Snapshot.State.Name: t.values.of(c.State), p.Snapshot.Sequence.Name: int64(0),
		}
		return
	}
	delete(result, p.Session.Subscribe.Snapshot.Name)
}

// clients returns the scenarios for a client.
func (r *run) clients() []Scenario {
	out := []Scenario{{"client/serves", "the client opens the connection, and what it sends is as the schema says", nil, func(s *stage) {
		t := s.dial()
		t.serve(nil)
		s.run.usual = t.sent()
		if len(s.run.usual) == 0 {
			s.run.refused = "see client/serves"
			s.wrong(NotContinued, "", "the client sends nothing")
		} else {
			s.note(NotContinued, "", "it sends %s", strings.Join(s.run.usual, ", "))
		}
	}}}
	if r.Protocol.Handshake != nil {
		out = append(out,
			Scenario{"client/other-version", "a client that is answered with a version that it has not offered goes away", r.Protocol.Handshake.Method, otherVersion},
			Scenario{"client/refused", "a client whose handshake is refused goes away", r.Protocol.Handshake.Method, refusedHello})
	}
	out = append(out, r.answered()...)
	out = append(out, r.interrupted()...)
	out = append(out, r.called()...)
	return append(out, Scenario{"client/left", "a client whose peer leaves does not crash", nil, func(s *stage) {
		t := s.dial()
		t.serve(t.leave)
	}})
}

// serve answers the client until it disconnects or sends nothing more, and then closes the connection.
func (t *talk) serve(opened func()) {
	if t.refused != "" {
		t.skip("the client sends nothing: %s", t.refused)
	}
	if opened != nil {
		t.opened = opened
	}
	short := t.Patience / 20
	for t.take(time.After(t.idle(short))) {
	}
	if t.link.EndInput != nil && !t.closed {
		t.leave()
		for t.take(time.After(short)) {
		}
	}
	if t.link.Ended == nil {
		return
	}
	if exit, over := t.link.Ended(short); over {
		t.crashed(exit)
	}
}

// idle is how long to wait for the next message: not for long if all that is usual has come.
func (t *talk) idle(short time.Duration) time.Duration {
	const some = 3
	sent := t.sent()
	switch {
	case len(sent) == 0, t.goesOn && slices.ContainsFunc(t.usual, func(m string) bool { return !slices.Contains(sent, m) }):
		return t.Patience
	case t.usual == nil:
		return t.Patience / some
	}
	return short
}

// leave ends what is sent, or the connection.
func (t *talk) leave() {
	if t.link.EndInput == nil {
		t.link.Cut()
		return
	}
	_ = t.link.EndInput()
}

// sent returns the methods that the client has sent, each once.
func (t *talk) sent() (out []string) {
	for _, m := range t.heard {
		if !slices.Contains(out, m.Method) {
			out = append(out, m.Method)
		}
	}
	return out
}

// mustContinue wants a client to send what it sends if nothing is unusual.
func (t *talk) mustContinue() {
	sent := t.sent()
	for _, method := range t.usual {
		if !slices.Contains(sent, method) {
			t.wrong(NotContinued, t.subject, "the client does not send %s any more", method)
			return
		}
	}
}

// mustStop wants a client to send nothing but another handshake.
func (t *talk) mustStop() {
	for _, m := range t.heard {
		if method := t.method(m.Method, t.Side); m.Kind == rpc.Request && method != t.Protocol.Handshake.Method && (method == nil || !t.anytime(method)) {
			t.wrong(NotRefused, t.subject, "the client goes on with %s", m.Method)
			return
		}
	}
}

func otherVersion(s *stage) {
	h := s.Protocol.Handshake
	t := s.dial()
	t.subject = "version " + s.unknownVersion()
	t.respond = func(m *rpc.Message, result any) (any, *rpc.Error) {
		if object, ok := result.(map[string]any); ok && m.Method == h.Method.Name {
			object[h.Answer] = s.written(s.unknownVersion())
		}
		return result, nil
	}
	t.serve(nil)
	t.mustStop()
}

func refusedHello(s *stage) {
	h := s.Protocol.Handshake
	e := rpc.Error{Code: codeParams, Message: "conform refuses"}
	if h.Error != nil {
		e.Code = h.Error.Code
		if h.Error.Data != nil {
			e.Data = raw(s.values.of(h.Error.Data))
		}
	}
	t := s.dial()
	t.subject = "a handshake that is refused"
	t.respond = func(m *rpc.Message, result any) (any, *rpc.Error) {
		if m.Method == h.Method.Name {
			return nil, &e
		}
		return result, nil
	}
	t.serve(nil)
	t.mustStop()
}

// answered returns scenarios with unusual answers.
func (r *run) answered() []Scenario {
	isHello := func(m *rpc.Message) bool { h := r.Protocol.Handshake; return h != nil && m.Method == h.Method.Name }
	unusual := func(name, text string, goesOn bool, respond func(*rpc.Message, any) (any, *rpc.Error), replies func(*talk, []byte) []byte) Scenario {
		return Scenario{"client/answers/" + name, text, nil, func(s *stage) {
			t := s.dial()
			t.subject = "answers: " + name
			t.goesOn, t.respond = goesOn, respond
			if replies != nil {
				t.replies = func(data []byte) []byte { return replies(t, data) }
			}
			if t.serve(nil); goesOn {
				t.mustContinue()
			}
		}}
	}
	return []Scenario{
		unusual("unknown-member", "members that the schema does not have are ignored", true, func(_ *rpc.Message, result any) (any, *rpc.Error) {
			if object, ok := result.(map[string]any); ok {
				result = with(object, unknownMember, map[string]any{"a": []any{int64(1)}})
			}
			return result, nil
		}, nil),
		unusual("order", "the order of members does not matter, and neither does white space", true, nil, func(_ *talk, data []byte) []byte {
			var m map[string]json.RawMessage
			if json.Unmarshal(data, &m) != nil {
				return data
			}
			var parts []string
			for _, name := range slices.Backward(slices.Sorted(maps.Keys(m))) {
				parts = append(parts, string(raw(name))+" : "+string(m[name]))
			}
			return []byte(" { " + strings.Join(parts, " , ") + " } ")
		}),
		unusual("twice", "a second answer is ignored", true, nil, func(t *talk, data []byte) []byte { t.send(data); return data }),
		unusual("error", "a client whose requests are refused does not crash", false, func(m *rpc.Message, result any) (any, *rpc.Error) {
			if isHello(m) {
				return result, nil
			}
			return nil, &rpc.Error{Code: codeInternal, Message: "conform refuses"}
		}, nil),
		unusual("wrong-result", "a client whose answers are not what the schema allows does not crash", false, func(m *rpc.Message, result any) (any, *rpc.Error) {
			if isHello(m) {
				return result, nil
			}
			return []any{int64(7)}, nil
		}, nil),
	}
}

// interrupted returns scenarios in which something unusual comes after the first answer.
func (r *run) interrupted() (out []Scenario) {
	between := func(name, text string, send func(*talk)) {
		out = append(out, Scenario{"client/" + name, text, nil, func(s *stage) {
			t := s.dial()
			t.subject, t.goesOn = name, true
			t.serve(func() { send(t) })
			t.mustContinue()
			for id, list := range t.answers {
				if _, ours := t.asked[id]; !ours && len(list) > 0 && (id != "null" || !t.nameless) {
					s.wrong(Answered, name, "there is an answer with the id %s: %s", id, list[0].shown())
				}
			}
		}})
	}
	between("unknown/notification", "a notification that there is not is ignored", func(t *talk) { t.notify(unknownMethod, map[string]any{"a": int64(1)}) })
	out = append(out, Scenario{"client/unknown/request", "a method that there is not has error -32601", nil, func(s *stage) {
		t := s.dial()
		t.subject, t.goesOn = unknownMethod, true
		var id string
		t.serve(func() { id = t.begin(unknownMethod, map[string]any{"a": int64(1)}) })
		a := t.late(id)
		switch {
		case !a.here:
			s.wrong(NotAnswered, t.subject, "there is no answer")
		case a.ok():
			s.wrong(NotRefused, t.subject, "there is a result")
		case t.table.Envelope == nil && a.Error.Code != codeMissing:
			s.wrong(WrongCode, t.subject, "want error -32601, got %s", a.shown())
		}
		t.mustContinue()
	}})
	if r.Protocol.Envelope == nil {
		for _, b := range notMessages {
			if b.name == "bad-text" || strings.Contains(b.data, "METHOD") {
				continue // what a transport refuses, and what a server has methods for
			}
			between("malformed/"+b.name, "the client goes on after "+b.about(), func(t *talk) {
				if t.nameless = b.codes != nil; t.nameless {
					t.asked["900"] += 0
				}
				t.send([]byte(b.data))
			})
		}
	}
	between("large", "the client goes on after a notification of a megabyte that it does not know", func(t *talk) {
		t.notify(unknownMethod, map[string]any{"a": strings.Repeat("x", 1<<20)})
	})
	return out
}

// about says what is sent.
func (b *bad) about() string {
	for _, verb := range []string{" has ", " is "} {
		if what, _, ok := strings.Cut(b.text, verb); ok {
			return what
		}
	}
	return b.text
}

// late returns the answer to a request that may have come.
func (t *talk) late(id string) answer {
	if list := t.answers[id]; len(list) > 0 {
		return list[0]
	}
	return answer{}
}

// called returns scenarios for what the side that serves may send.
func (r *run) called() (out []Scenario) {
	for _, m := range r.Protocol.Methods {
		if m.From == r.Side {
			continue
		}
		group := "client/methods/"
		text := "the request is answered as the schema says, and wrong parameters are refused"
		play := clientRequest
		if m.Notification {
			group, text, play = "client/notifications/", "the client goes on after the notification, be its parameters right or wrong", clientNotification
		}
		out = append(out, Scenario{group + m.Name, text, m, func(s *stage) { play(s, m) }})
	}
	return out
}

// clientNotification sends a notification, right and wrong.
func clientNotification(s *stage, m *protocol.Method) {
	t := s.dial()
	t.subject, t.goesOn = m.Name, true
	gone := false
	t.respond = t.declaring(m)
	t.serve(func() {
		if supports, _ := t.judge.Supports(t.conn, m, s.Side.Peer()); !supports {
			gone = true
			return
		}
		params := t.make(m, &plan{})
		t.notify(m.Name, params)
		for _, w := range s.wrongs(m, params) {
			t.notify(m.Name, w.params)
		}
	})
	if gone {
		s.skip("not advertised")
	}
	t.mustContinue()
}

// declaring returns what adds to the answer in which the sides introduce themselves the capabilities that a method needs of its sender.
func (t *talk) declaring(method *protocol.Method) func(*rpc.Message, any) (any, *rpc.Error) {
	k := t.Protocol.Capabilities
	return func(m *rpc.Message, result any) (any, *rpc.Error) {
		if k == nil || m.Method != k.Introduction.Name {
			return result, nil
		}
		for _, g := range k.Gates {
			if g.Own && g.Method == method && g.From == t.Side.Peer() {
				advertise(result, protocol.Ref{Type: k.Introduction.Result}, strings.Split(g.Needs, "."))
			}
		}
		return result, nil
	}
}

// clientRequest sends a request, right and wrong.
func clientRequest(s *stage, m *protocol.Method) {
	t := s.dial()
	t.subject = m.Name
	var right string
	wrongs := map[string]wrong{}
	gone, gated := false, false
	t.serve(func() {
		var supports bool
		if supports, gated = t.judge.Supports(t.conn, m, s.Side.Peer()); !supports {
			gone = true
			return
		}
		params := t.make(m, &plan{})
		right = t.begin(m.Name, params)
		for _, w := range s.wrongs(m, params) {
			wrongs[t.begin(m.Name, w.params)] = w
		}
	})
	if gone {
		s.skip("not advertised")
	}
	a := t.late(right)
	missing := a.here && !a.ok() && a.Error.Code == codeMissing
	switch {
	case right == "" || !a.here && t.closed:
		s.skip("the client has gone away before")
	case !a.here:
		s.note(NotAnswered, m.Name, "there is no answer, as if a user were asked")
		return
	case !a.ok():
		t.mayRefuse(m, &a, gated)
	}
	for _, id := range slices.Sorted(maps.Keys(wrongs)) {
		if a, w := t.late(id), wrongs[id]; a.here && !missing {
			t.subject = m.Name + " with " + w.text
			t.mustBeRefused(&a, &w)
		}
	}
}
