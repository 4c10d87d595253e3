// Calls: cancellation, progress and batches, checked against the methods.

package behaviour

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) calls() {
	c := b.Facts.Calls
	if c == nil {
		return
	}
	out := &protocol.Calls{Pos: c.Pos}
	part := func(stated bool, what string, read func(*builder)) {
		if stated {
			before := *out
			b.fitting(c, "bad-calls", "statement about "+what, read, func() { *out = before })
		}
	}
	part(c.Cancel != nil, "cancelling", func(b *builder) { b.cancel(c, out) })
	part(c.Progress != nil, "progress", func(b *builder) { b.progress(c, out) })
	for _, e := range c.Ends {
		part(true, "what ends requests", func(b *builder) { b.ending(e, out) })
	}
	part(c.Ping != nil, "signs of life", func(b *builder) { b.ping(c.Ping, out) })
	part(c.Metadata != nil, "metadata", func(b *builder) { b.metadata(c.Metadata, out) })
	out.NotIDs = each.Map(c.IDs, func(id facts.IDRule) string { return id.Not })
	slices.Sort(out.NotIDs)
	if out.NotIDs = slices.Compact(out.NotIDs); out.NotIDs != nil || out.Metadata != "" || out.Cancel != nil || out.Progress != nil || out.Ends != nil || out.Ping != nil {
		b.out.Calls = out
	}
}

func (b *builder) cancel(c *facts.Calls, out *protocol.Calls) {
	out.Cancel, out.CancelID = b.notificationWith("cancel", c.Cancel.Method, c.Cancel.ID), c.Cancel.ID
	out.CancelError, out.Unanswered, out.NotHandshake = c.Cancel.Error, c.Cancel.Unanswered, c.Cancel.NotHandshake
}

func (b *builder) progress(c *facts.Calls, out *protocol.Calls) {
	out.Progress, out.Token = b.notificationWith("progress", c.Progress.Method, c.Progress.Token), c.Progress.Token
	out.RequestPath, out.Rising = strings.Split(c.Progress.Request, "."), c.Progress.Rising
	if out.Progress != nil && out.Rising != "" {
		b.notificationWith("progress: rising", c.Progress.Method, out.Rising)
	}
	out.Takes = each.Where(b.out.Methods, func(m *protocol.Method) bool {
		return !m.Notification && phase.ObjectOf(m.Params) != nil && phase.ObjectOf(m.Params).Field(out.RequestPath[0]) != nil
	})
	if out.Progress != nil && len(out.Takes) == 0 {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member that the parameters of some request have",
			"calls: progress: no request has a member %q", out.RequestPath[0])
	}
}

// ending settles a notification that cancels requests by a member that both have.
func (b *builder) ending(in facts.Ending, out *protocol.Calls) {
	m := b.notificationWith("ends", in.Method, in.Member)
	if m == nil {
		return
	}
	r := b.called("ends", "request", in.Request)
	if r == nil {
		return
	}
	pos := b.Facts.Calls.Pos
	if s := phase.ObjectOf(r.Params); s == nil || s.Field(in.Member) == nil {
		b.Errorf(pos, "bad-calls", "name a member that both have", "calls: ends: the parameters of %s have no member %q", in.Request, in.Member)
		return
	}
	if m.From != r.From && m.From != protocol.FromBoth && r.From != protocol.FromBoth {
		b.Errorf(pos, "bad-calls", "name a notification of the side that sends the request", "calls: ends: %s and %s are sent by different sides", in.Method, in.Request)
		return
	}
	if in.Result != nil && !b.example("ends: result", r.Result, in.Result) {
		return
	}
	out.Ends = append(out.Ends, &protocol.Ending{Method: m, Request: r, Member: in.Member, Result: string(in.Result)})
}

// metadata settles the parameter in which requests describe their sender: an object, of one type for each side.
func (b *builder) metadata(in *facts.Metadata, out *protocol.Calls) {
	had := map[protocol.Side]*protocol.Struct{}
	for _, m := range b.out.Methods {
		s := phase.ObjectOf(m.Params)
		if m.Notification || s == nil || s.Field(in.Member) == nil {
			continue
		}
		t := phase.StructOf(s.Field(in.Member).Type)
		if t == nil {
			b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member that is an object", "calls: metadata: %q of the parameters of %s is no object", in.Member, m.Name)
			return
		}
		if other := had[m.From]; other != nil && other != t {
			b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member that has one type", "calls: metadata: %q of the parameters of %s has another type than that of other requests", in.Member, m.Name)
			return
		}
		had[m.From], out.Metadata = t, in.Member
	}
	if out.Metadata == "" {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member of the parameters of requests", "calls: metadata: no request has a parameter %q", in.Member)
	}
}

// ping settles the request that asks for a sign of life.
func (b *builder) ping(in *facts.Ping, out *protocol.Calls) {
	m := b.called("ping", "request", in.Method)
	if m == nil {
		return
	}
	given := in.Params
	if given == nil {
		given = json.RawMessage("{}")
	}
	if m.Params != nil && !b.example("ping: params", m.Params, given) {
		return
	}
	if m.Params == nil && in.Params != nil {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "leave params out", "calls: ping: %s takes no parameters", in.Method)
		return
	}
	out.Ping, out.PingParams = m, string(in.Params)
	if m.Params != nil {
		out.PingParams = string(given)
	}
}

// called returns the request or notification of a name. Anything else is reported.
func (b *builder) called(what, kind, name string) *protocol.Method {
	m := b.out.Method(name)
	switch {
	case m == nil && b.Facts.Calls.Source != facts.Schema:
		b.Warnf(b.Facts.Calls.Pos, "unused-entry", "name a "+kind+" of the protocol, unless it came in with a later version", "calls: %s: there is no %s %q", what, kind, name)
		return nil
	case m == nil || m.Kind() != kind:
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a "+kind+" of the protocol", "calls: %s: there is no %s %q", what, kind, name)
		return nil
	}
	return m
}

// example reports whether a value that is stated is an object of a type, as far as its members go. If not, that is reported.
func (b *builder) example(what string, t protocol.Type, value json.RawMessage) bool {
	refuse := func(hint, format string, args ...any) bool {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", hint, "calls: "+what+": "+format, args...)
		return false
	}
	var members map[string]json.RawMessage
	s := phase.ObjectOf(t)
	if s == nil || json.Unmarshal(value, &members) != nil {
		return refuse("give an object, where one is wanted", "it is not what the schema wants")
	}
	for _, f := range s.Fields {
		got, ok := members[f.Name]
		delete(members, f.Name)
		if !ok && f.Required {
			return refuse("give all members that are required", "%q is missing", f.Name)
		}
		if ok && !mayBe(f, got) {
			return refuse("give a value that the member may have", "%q cannot be %s", f.Name, got)
		}
	}
	if len(members) > 0 {
		return refuse("name members that it has", "it has no member %q", slices.Min(slices.Collect(maps.Keys(members))))
	}
	return true
}

// mayBe reports whether a member may have a value: of constants and enums one of theirs, of other texts a text.
func mayBe(f *protocol.Field, raw json.RawMessage) bool {
	var text string
	isText := json.Unmarshal(raw, &text) == nil && string(raw) != "null"
	if f.Const != nil {
		return f.Const.Kind != protocol.String || isText && text == f.Const.Str
	}
	ref, ok := f.Type.(protocol.Ref)
	if !ok {
		return f.Type != protocol.String || isText
	}
	enum, ok := ref.Type.(*protocol.Enum)
	if !ok || enum.Kind != protocol.String {
		return true
	}
	return isText && (enum.Open || slices.ContainsFunc(enum.Members, func(m *protocol.EnumMember) bool { return m.Value.Str == text }))
}

// batches determines what may be batched.
func (b *builder) batches(in *facts.Batches) {
	out := &protocol.Batches{Pos: in.Pos}
	for _, name := range in.Alone {
		m := each.First(b.out.Methods, func(m *protocol.Method) bool { return m.Name == name && !m.Notification })
		if m == nil {
			b.Errorf(in.Pos, "bad-batches", "name a request of the protocol, or take it away", "batches: alone: there is no request %q", name)
			continue
		}
		out.Alone = append(out.Alone, m)
	}
	b.out.Batches = out
}

// envelope takes over what messages look like. Their forms are known to be right.
func (b *builder) envelope() {
	in := b.Facts.Envelope
	if in == nil {
		return
	}
	out := &protocol.Envelope{
		Request: string(in.Request), Result: string(in.Result), Error: string(in.Error), Notification: string(in.Notification),
		TextIDs: in.IDs == "texts", Headers: in.Framing == "headers", Pos: in.Pos,
	}
	for _, name := range slices.Sorted(maps.Keys(in.Codes)) {
		out.Codes = append(out.Codes, protocol.NamedCode{Name: name, Code: in.Codes[name]})
	}
	b.namedCodes(in.Origin.Pos, out.Codes)
	const remedy = "take one of the two away"
	if b.out.Batches != nil {
		b.Errorf(in.Pos, "bad-envelope", remedy, "only the messages of JSON-RPC 2.0 may come in batches")
	}
	if r := b.Facts.Replication; r != nil && r.Statement.Get("session") != nil {
		b.Errorf(in.Pos, "bad-envelope", remedy, "only the messages of JSON-RPC 2.0 can be of a session")
	}
	for _, m := range b.out.Methods {
		if m.Notification && out.Notification == "" {
			b.Errorf(in.Pos, "bad-envelope", `give notifications a form, such as {"method": "$method", "params": "$params?"}`, "%s is a notification, and the envelope has none", m.Name)
			break
		}
	}
	b.out.Envelope = out
}

// internalError is the code of errors that have no other.
const internalError = -32603

// namedCodes reports codes with several texts, and the lack of a text for errors whose codes have none.
func (b *builder) namedCodes(pos diag.Pos, codes []protocol.NamedCode) {
	texts := map[int64]string{}
	for _, c := range codes {
		if other, twice := texts[c.Code]; twice {
			b.Errorf(pos, "bad-envelope", "keep the one that is to be sent; an error with another text has it in its field Name", "envelope: codes: %q and %q are both %d", other, c.Name, c.Code)
			continue
		}
		texts[c.Code] = c.Name
	}
	if len(codes) > 0 && texts[internalError] == "" {
		b.Errorf(pos, "bad-envelope", `add one, such as "InternalError": -32603`, "envelope: codes: there is no text for -32603, the code of errors that have no other")
	}
}

// notificationWith returns the notification of a name with a given parameter, or reports an error.
func (b *builder) notificationWith(what, name, member string) *protocol.Method {
	m := b.called(what, "notification", name)
	if m == nil {
		return nil
	}
	if s := phase.ObjectOf(m.Params); s == nil || s.Field(member) == nil {
		b.Errorf(b.Facts.Calls.Pos, "bad-calls", "name a member that they have", "calls: %s: the parameters of %s have no member %q", what, name, member)
		return nil
	}
	return m
}
