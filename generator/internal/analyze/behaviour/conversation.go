// Conversation: the handshake, dispatched actions, pass-through channels and extensions.

package behaviour

import (
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/tables"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// conversation reads the facts that depend on methods and error codes.
func (b *builder) conversation() {
	if b.out.Actions == nil && b.Facts.Actions == nil {
		for _, place := range tables.AllDispatchers(b.Facts, b.of.Types) {
			b.Errorf(place.Pos, "bad-dispatched", "mark the union of all actions with x-actions",
				b.Say("%s is to hold an action that a client dispatches, but there are no actions"), place.At)
		}
	}
	b.passThrough()
	readFact(b, b.Facts.Extensions, "bad-extensions", "statement about extensions", (*builder).extensions)
	b.onWire()
	readFact(b, b.Facts.Handshake, "bad-handshake", "handshake", (*builder).handshake)
	b.calls()
	readFact(b, b.Facts.Batches, "bad-batches", "statement about batches", (*builder).batches)
	b.envelope()
	readFact(b, b.Facts.HTTP, "bad-http", "statement about HTTP", (*builder).http)
	for _, h := range b.Facts.Handles {
		readFact(b, h, "bad-handle", "handle", (*builder).handle)
	}
	b.repeatedHandles()
	for _, c := range b.Facts.Constructors {
		readFact(b, c, "bad-constructor", "constructor", (*builder).constructor)
	}
}

// onWire sets the negotiated versions if they differ from schema versions.
func (b *builder) onWire() {
	v := b.Facts.Versions
	if v.Wire == nil {
		return
	}
	out := &protocol.Wire{Order: string(v.Wire.Order), Version: v.OnWire(v.At), Since: map[string]string{}}
	if out.Version == "" {
		b.Errorf(v.WirePos, "bad-version", "add an entry whose schemas fit it, or one without schemas at the end", "nothing says what peers agree on who speak %s", v.At)
	}
	note := func(since string) {
		if at, err := v.Order.Parse(since); err == nil {
			out.Since[since] = v.OnWire(at)
		}
	}
	for _, a := range b.out.AllActions() {
		note(a.Since)
	}
	for _, m := range b.out.Methods {
		note(m.Since)
	}
	if b.out.Extensions != nil {
		note(b.out.Extensions.Since)
	}
	b.out.Wire = out
}

func (b *builder) passThrough() {
	for _, c := range b.out.Channels {
		if start, _, _ := strings.Cut(c.URI, "<"); c.PassThrough != "" && start == "" {
			b.Errorf(c.Pos, "bad-pass-through", `give it a uri whose beginning is fixed, such as "mcp://<id>"`,
				"nothing tells the URIs of the pass-through channel %s from others", c.Name)
		}
	}
}

func (b *builder) extensions(e *facts.Extensions) {
	pos := e.Pos
	b.out.Extensions = &protocol.Extensions{Meta: e.Meta, Pos: pos}
	if since, err := b.Facts.Versions.Order.Parse(e.Since); e.Since == "" || b.Facts.Versions.At.IsZero() || err == nil && since.Compare(b.Facts.Versions.At) <= 0 {
		b.out.Extensions.Prefix, b.out.Extensions.Since, b.out.Extensions.Values = e.Prefix, e.Since, e.Values
		b.extensionNames(e.Prefix)
	}
	if e.Meta == "" {
		return
	}
	for s := range protocol.Each[*protocol.Struct](b.out.Types) {
		if s.Field(e.Meta) == nil {
			continue
		}
		if m, ok := protocol.Underlying(s.Field(e.Meta).Type).(protocol.Map); ok && protocol.Underlying(m.Elem) == protocol.Any {
			return
		}
	}
	b.Errorf(pos, "unused-entry", "name a member whose own members may hold anything", "no object has a member %q that is open to any data", e.Meta)
}

// extensionNames rejects protocol names with the extension prefix.
func (b *builder) extensionNames(prefix string) {
	check := func(what, name string, pos diag.Pos) {
		if prefix != "" && strings.HasPrefix(name, prefix) {
			b.Errorf(pos, "extension-name", "rename it, or state another prefix for extensions",
				"%s %q has a name that the protocol leaves to extensions", what, name)
		}
	}
	for _, m := range b.out.Methods {
		check("method", m.Name, m.Pos)
	}
	for _, c := range b.out.Channels {
		check("a channel with the URI", c.URI, c.Pos)
	}
	for _, a := range b.out.AllActions() {
		check("action", a.Type, a.Pos)
	}
}

// handshake reads how peers agree on a version.
func (b *builder) handshake(h *facts.Handshake) {
	pos := h.Pos
	fail := func(hint, format string, args ...any) {
		b.Errorf(pos, "bad-handshake", hint, "handshake: "+format, args...)
	}
	out := &protocol.Handshake{
		Method: b.out.Method(h.Method), Offer: h.Offer, Answer: h.Answer, Error: b.out.Error(h.Error), Supported: h.Supported, Pos: pos,
	}
	switch {
	case out.Method == nil || out.Method.Notification || out.Method.From != protocol.FromClient:
		fail(b.Say("name a request that clients send"), b.Say("there is no request %q of clients"), h.Method)
		return
	case h.Supported == "":
		b.offer(out, fail)
		return
	case out.Error == nil:
		fail("name an error code that the schemas list", "there is no error code %d", h.Error)
		return
	}
	if list, ok := memberOf(out.Method.Params, h.Offer).(protocol.List); !ok || !isText(list.Elem) {
		fail("name a required list of strings", "%q is no such member of the parameters of %s", h.Offer, h.Method)
	}
	if !isText(memberOf(out.Method.Result, h.Answer)) {
		fail("name a required string", "%q is no such member of the result of %s", h.Answer, h.Method)
	}
	if list, ok := memberOf(out.Error.Data, h.Supported).(protocol.List); (!ok || !isText(list.Elem)) && !b.of.CodesSaid {
		fail("name a required list of strings", "%q is no such member of the data of error %s", h.Supported, out.Error.Name)
	}
	for _, v := range b.out.Supported {
		if core, _, _ := strings.Cut(v, "-"); version.Order(b.out.SpokenOrder()) == version.Numbers && strings.Count(core, ".") != 2 {
			fail("write versions as MAJOR.MINOR.PATCH", "version %q cannot be compared with others", v)
		}
	}
	b.out.Handshake = out
}

// offer reads a handshake in which the client offers a single version.
func (b *builder) offer(h *protocol.Handshake, fail func(hint, format string, args ...any)) {
	offer, answer := memberOf(h.Method.Params, h.Offer), memberOf(h.Method.Result, h.Answer)
	bits := 0
	if number, ok := offer.(protocol.Scalar); ok && answer == offer {
		var signed bool
		if bits, signed = number.Bits(); signed {
			bits--
		}
	}
	h.Number = bits > 0
	if !h.Number && (!isText(offer) || !isText(answer)) {
		fail("name required members that are strings, or whole numbers of one type", "%q of the parameters of %s and %q of its result are not both a version", h.Offer, h.Method.Name, h.Answer)
		return
	}
	if len(b.out.Supported) == 0 {
		fail("say which version the schemas are", "nothing says which versions can be spoken")
	}
	for _, v := range b.out.Supported {
		if _, err := strconv.ParseUint(v, 10, bits); h.Number && err != nil {
			fail("write versions as whole numbers", "version %q is no whole number, as %q is", v, h.Offer)
		}
	}
	h.Error = nil
	b.out.Handshake = h
}

// memberOf returns the type of a required member, or nil.
func memberOf(t protocol.Type, name string) protocol.Expr {
	s := phase.ObjectOf(t)
	if s == nil {
		return nil
	}
	f := s.Field(name)
	if f == nil || !f.Required || f.Nullable || f.Const != nil {
		return nil
	}
	return protocol.Underlying(f.Type)
}

// isText reports whether an expression is a plain string.
func isText(e protocol.Expr) bool { return e != nil && protocol.Underlying(e) == protocol.String }
