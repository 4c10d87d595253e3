// Handles: what has ids that requests repeat, checked against the methods.

package behaviour

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// repeatedHandles finds the methods that repeat the ids of each handle.
func (b *builder) repeatedHandles() {
	for _, h := range b.out.Handles {
		for _, m := range b.out.Methods {
			if b.repeats(h, m) && !slices.ContainsFunc(b.out.Handles, func(o *protocol.Handle) bool { return len(o.IDs) > len(h.IDs) && b.repeats(o, m) }) {
				h.Methods = append(h.Methods, m)
			}
		}
		b.sameIDs(h)
	}
}

// repeats reports whether the side of a handle sends a method with its ids.
func (b *builder) repeats(h *protocol.Handle, m *protocol.Method) bool {
	return m.From != h.Of.Peer() && !slices.ContainsFunc(h.IDs, func(id string) bool { return !isID(memberOf(m.Params, id)) })
}

// isID reports whether a member may be an id.
func isID(e protocol.Expr) bool { return e == protocol.String || e == protocol.Integer }

// sameIDs reports ids that are of one type in one place and of another in another: a handle has each of them once.
func (b *builder) sameIDs(h *protocol.Handle) {
	if len(h.Methods) == 0 { // others have more of the ids
		return
	}
	for _, id := range h.IDs {
		first := memberOf(h.Methods[0].Params, id)
		check := func(t protocol.Type, where string) {
			if other := memberOf(t, id); other != nil && other != first {
				b.Errorf(h.Pos, "bad-handle", "give it one type", "handle %s: %q is %s in %s, and %s in %s", h.Name, id, phase.Describe(first), h.Methods[0].Name, phase.Describe(other), where)
			}
		}
		for _, m := range h.Methods[1:] {
			check(m.Params, m.Name)
		}
		if h.Opens == nil {
			continue
		}
		if memberOf(h.Opens.Result, id) != nil {
			check(h.Opens.Result, "the result of "+h.Opens.Name)
		} else {
			check(h.Opens.Params, h.Opens.Name)
		}
	}
}

// handle reads one.
func (b *builder) handle(in *facts.Handle) {
	fail := func(hint, format string, args ...any) {
		b.Errorf(in.Pos, "bad-handle", hint, "handle %s: "+format, append([]any{in.Name}, args...)...)
	}
	out := &protocol.Handle{Name: in.Name, IDs: in.IDs, Pos: in.Pos}
	opens, serves := b.Facts.Sides.Names()
	switch in.Of {
	case opens:
		out.Of = protocol.FromClient
	case serves:
		out.Of = protocol.FromHost
	default:
		fail("name one of the two sides", "of: there is no side %q", in.Of)
		return
	}
	if !slices.ContainsFunc(b.out.Methods, func(m *protocol.Method) bool { return b.repeats(out, m) }) {
		fail("name required parameters that are texts or integers", "nothing that the %s sends has all of its ids", in.Of)
		return
	}
	if in.Opens != "" {
		out.Opens = b.opener(out, in.Opens, fail)
	}
	for _, name := range in.Turns {
		m := b.out.Method(name)
		if m == nil || m.Notification || m.Stream || m.Result == nil || !b.repeats(out, m) {
			fail("name a request with the ids and a result", "turns: there is no request %q that has them", name)
			continue
		}
		out.Turns = append(out.Turns, m)
	}
	if in.Updates != "" {
		out.Updates = b.out.Method(in.Updates)
		if m := out.Updates; m == nil || !m.Notification || m.From == out.Of || len(in.IDs) != 1 || !isText(memberOf(m.Params, in.IDs[0])) {
			fail("name one of the other side, and a single id that is a text", "updates: there is no notification %q that has its id", in.Updates)
		}
	}
	b.out.Handles = append(b.out.Handles, out)
}

// opener returns the request that makes a handle, whose parameters and result have the ids.
func (b *builder) opener(h *protocol.Handle, name string, fail func(hint, format string, args ...any)) *protocol.Method {
	m := b.out.Method(name)
	if m == nil || m.Notification || m.From == h.Of.Peer() || phase.ObjectOf(m.Params) == nil || phase.ObjectOf(m.Result) == nil {
		fail("name a request with parameters and a result", "opens: there is no request %q", name)
		return nil
	}
	for _, id := range h.IDs {
		if memberOf(m.Result, id) == nil && memberOf(m.Params, id) == nil {
			fail("name another request", "opens: neither the result of %s nor its parameters have %q", name, id)
		}
	}
	return m
}

// constructor finds the type of a constructor. Its value is checked once Go types are known.
func (b *builder) constructor(c *facts.Constructor) {
	out := &protocol.Constructor{Name: c.Name, Of: b.out.Lookup(c.Of), Doc: c.Description, Parameters: c.Parameters, Value: c.Value, Pos: c.Pos}
	switch out.Of.(type) {
	case *protocol.Struct, *protocol.Union:
		b.out.Constructors = append(b.out.Constructors, out)
	default:
		b.Errorf(c.Pos, "bad-constructor", "name an object or a union", "constructor %s: there is no type %q that could be made", c.Name, c.Of)
	}
}
