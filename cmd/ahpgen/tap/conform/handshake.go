// Handshake: versions, what comes before it, and a second one.

package conform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// unknownVersions are versions that nothing speaks, by the order of versions.
var unknownVersions = map[string]string{"numbers": "9999.0.0", "dates": "9999-12-31", "integers": "9999"}

// unknownVersion returns a version that nothing speaks.
func (r *run) unknownVersion() string {
	return unknownVersions[cmp.Or(r.Protocol.SpokenOrder(), "numbers")]
}

// known returns the versions of the protocol, newest first.
func (r *run) known() []string {
	out := []string{r.Protocol.Spoken()}
	add := func(v string) {
		if v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, v := range r.Protocol.Supported {
		add(v)
	}
	for i := range r.Versions {
		if p := r.Versions[i].Get(); p != nil && p.Handshake != nil && p.Handshake.Method.Name == r.Protocol.Handshake.Method.Name {
			add(p.Spoken())
		}
	}
	return out
}

// written returns a version as messages have it.
func (r *run) written(version string) any {
	if n, err := strconv.ParseInt(version, 10, 64); err == nil && r.Protocol.Handshake.Number {
		return n
	}
	return version
}

// offer returns a handshake with these versions.
func (t *talk) offer(versions ...string) map[string]any {
	h, params := t.Protocol.Handshake, t.hello()
	var list []any
	for _, v := range versions {
		list = append(list, t.written(v))
	}
	if params[h.Offer] = list[0]; h.Error != nil {
		params[h.Offer] = list
	}
	return params
}

func (r *run) handshakes() []Scenario {
	h := r.Protocol.Handshake
	if h == nil {
		return nil
	}
	out := []Scenario{
		{"handshake/opens", "the handshake has a result, and requests are answered from then on", h.Method, opens},
		{"handshake/unknown-version", "a version that nothing speaks is not agreed on", h.Method, unknownVersion},
	}
	if h.Error != nil {
		out = append(out, Scenario{"handshake/several-versions", "of several versions, one that is known is chosen", h.Method, severalVersions})
	}
	for _, v := range r.known() {
		out = append(out, Scenario{"handshake/version/" + v, "version " + v + " alone is agreed on, or another one proposed or an error returned", h.Method, func(s *stage) { oneVersion(s, v) }})
	}
	return append(out,
		Scenario{"handshake/unknown-member", "members that the schema does not have are ignored", h.Method, unknownInHello},
		Scenario{"handshake/wrong-params", "parameters that the schema does not allow are refused, and the connection can be opened afterwards or ends", h.Method, wrongHello},
		Scenario{"handshake/request-before", "a request before the handshake has no result", h.Method, requestBefore},
		Scenario{"handshake/twice", "a second handshake has no result", h.Method, twice},
	)
}

func opens(s *stage) {
	t := s.dial()
	t.subject = s.Protocol.Handshake.Method.Name
	defer func() {
		if s.run.refused == "" && slices.ContainsFunc(s.findings, func(f Finding) bool {
			return f.Rule == NotAnswered || f.Rule == Refused || f.Rule == Lost || f.Rule == Crashed
		}) {
			s.run.refused = "see handshake/opens"
		}
	}()
	t.start()
	t.fence(t.subject)
}

func unknownVersion(s *stage) {
	h := s.Protocol.Handshake
	t := s.dial()
	v := s.unknownVersion()
	t.subject = "version " + v
	a := t.greet(t.offer(v))
	object, _ := a.result.(map[string]any)
	switch {
	case t.ended():
	case !a.here && t.closed: // to end the connection is an answer
		s.note(Lost, t.subject, "the connection has ended without an answer")
	case !a.here:
		s.wrong(NotAnswered, t.subject, "there is no answer in %v", t.Patience)
	case a.ok() && (fmt.Sprint(object[h.Answer]) == v || h.Error != nil):
		s.wrong(WrongVersion, t.subject, "it was agreed on %v", object[h.Answer])
	case !a.ok() && h.Error != nil && t.table.Envelope == nil && a.Error.Code != h.Error.Code:
		s.wrong(WrongCode, t.subject, "want error %d (%s), got %s", h.Error.Code, h.Error.Name, a.shown())
	}
}

func severalVersions(s *stage) {
	t := s.dial()
	v := s.unknownVersion()
	t.subject = "versions " + v + " and " + s.Protocol.Spoken()
	a := t.greet(t.offer(v, s.Protocol.Spoken()))
	t.mustBeOpen(&a)
}

// mustBeOpen wants a handshake to have a result.
func (t *talk) mustBeOpen(a *answer) {
	switch {
	case a.ok():
		t.fence(t.subject)
	case t.ended():
	case !a.here && t.closed:
		t.wrong(Lost, t.subject, "the connection has ended")
	case !a.here:
		t.wrong(NotAnswered, t.subject, "there is no answer in %v", t.Patience)
	default:
		t.wrong(Refused, t.subject, "%s", a.shown())
	}
}

func oneVersion(s *stage, v string) {
	h := s.Protocol.Handshake
	t := s.dial()
	t.subject = "version " + v
	a := t.greet(t.offer(v))
	object, _ := a.result.(map[string]any)
	switch answered := fmt.Sprint(object[h.Answer]); {
	case a.ok() && object[h.Answer] != nil && !slices.Contains(s.known(), answered):
		s.note(WrongVersion, t.subject, "%s is proposed, of which there are no schemas", answered)
	case a.ok():
		t.fence(t.subject)
	case !a.here && !t.closed:
		s.wrong(NotAnswered, t.subject, "there is no answer in %v", t.Patience)
	case t.ended():
	case a.here && h.Error != nil && t.table.Envelope == nil && a.Error.Code != h.Error.Code:
		s.wrong(WrongCode, t.subject, "want a result or error %d (%s), got %s", h.Error.Code, h.Error.Name, a.shown())
	}
}

// unknownMember is a member that no schema has.
const unknownMember = "conformUnknown"

func unknownInHello(s *stage) {
	t := s.dial()
	t.subject = s.Protocol.Handshake.Method.Name + " with the member " + unknownMember
	a := t.greet(with(t.hello(), unknownMember, map[string]any{"a": []any{int64(1)}}))
	t.mustBeOpen(&a)
}

func wrongHello(s *stage) {
	m := s.Protocol.Handshake.Method
	probe := s.dial()
	for _, w := range s.wrongs(m, probe.hello()) {
		t := s.dial()
		t.subject = m.Name + " with " + w.text
		a := t.ask(m.Name, w.params)
		if !a.here && t.closed && !t.ended() {
			continue // to end the connection is an answer
		}
		t.mustBeRefused(&a, &w)
	}
}

// requestBefore sends a request that needs the handshake.
func requestBefore(s *stage) {
	t := s.dial()
	for _, m := range s.Protocol.Methods {
		if m.Notification || m.From == s.Side || m == s.Protocol.Handshake.Method || s.anytime(m) || fits(s.Without, m.Name) || s.Params[m.Name] != nil {
			continue
		}
		how := s.planOf(m)
		if len(t.kindsIn(t.make(m, how))) > 0 {
			continue // it may be refused for another reason
		}
		t.subject = m.Name + " before the handshake"
		a := t.ask(m.Name, t.make(m, how))
		t.mustHaveNoResult(&a)
		return
	}
}

// mustHaveNoResult wants an error for what comes before the handshake, or for a second one, and reports whether it is another
// than the internal one. A result is a mistake where the handshake says who the client is; elsewhere nothing is missing.
func (t *talk) mustHaveNoResult(a *answer) (refused bool) {
	switch {
	case a.ok() && t.Protocol.Replication != nil && t.Protocol.Replication.Session != nil:
		t.wrong(NotRefused, t.subject, "there is a result")
	case a.ok():
		t.note(NotRefused, t.subject, "there is a result")
	case t.ended() || t.closed:
	case !a.here:
		t.wrong(NotAnswered, t.subject, "there is no answer in %v", t.Patience)
	case a.Error.Code == codeInternal && t.table.Envelope == nil:
		t.wrong(Internal, t.subject, "%s", a.shown())
	default:
		return true
	}
	return false
}

// anytime reports whether a method may come before the handshake, or instead of it.
func (r *run) anytime(m *protocol.Method) bool {
	if c := r.Protocol.Calls; c != nil && m == c.Ping {
		return true
	}
	if p := r.Protocol.Replication; p != nil && p.Session != nil {
		return m == p.Session.Resume.Method || slices.Contains(p.Session.Anytime, m)
	}
	return false
}

func twice(s *stage) {
	t := s.open()
	t.subject = "a second handshake"
	a := t.ask(s.Protocol.Handshake.Method.Name, maps.Clone(t.hello()))
	if t.mustHaveNoResult(&a) {
		t.fence(t.subject)
	}
}
