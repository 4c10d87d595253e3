// Handles: types with ids that requests repeat, and what routes updates to them.

package golang

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Handle is a type with ids, and a method for each request and notification that repeats them.
type Handle struct {
	Name   string `go:"identifier"`
	New    string `go:"identifier"` // name of its constructor, or of that of Router
	Open   string `go:"identifier"` // name of the function that makes one, or of that method of Router; "" for none
	Router string `go:"identifier"` // type that routes updates to handles, or "" without updates
	Party  *Party
	IDs    []*Field // of parameters
	Opens  *Call
	From   []HandleID // where the ids are when one is made
	Only   bool       // the result of Opens has nothing but ids
	Calls  []*HandleCall
	// Updates is the notification, and UpdateID its id.
	Updates  *Call
	UpdateID *Field
	Of       *protocol.Handle
}

// HandleID is an id of a new handle.
type HandleID struct {
	ID, Of *Field // field of the handle, and of the result or the parameters
	Result bool
}

// HandleCall is a method of a handle.
type HandleCall struct {
	*Call
	Own    string `go:"identifier"` // name of the method
	IDs    []*Field
	Bare   bool // the parameters have nothing but ids
	Turn   bool
	Handle *Handle // that it makes, or nil
}

// Routes reports whether updates are routed to handles.
func (p *Package) Routes() bool {
	return slices.ContainsFunc(p.Handles, func(h *Handle) bool { return h.Router != "" })
}

// handles builds all of them.
func (b *builder) handles() {
	if b.out.RPC == nil || !b.out.Parts[PartHelpers] {
		return
	}
	for _, in := range b.in.Handles {
		party := b.out.RPC.Sides[0]
		if in.Of == protocol.FromHost {
			party = b.out.RPC.Sides[1]
		}
		if b.out.Parts.Side(party) {
			b.out.Handles = append(b.out.Handles, b.handle(in, party))
		}
	}
	for _, h := range b.out.Handles {
		for _, c := range h.Calls {
			c.Handle = b.makes(h, c)
		}
	}
}

// makes returns the handle that a method of another one makes, or nil.
func (b *builder) makes(h *Handle, c *HandleCall) *Handle {
	return each.First(b.out.Handles, func(o *Handle) bool {
		return o.Router == "" && o.Party == h.Party && o.Opens != nil && o.Opens.Method == c.Method
	})
}

func (b *builder) handle(in *protocol.Handle, party *Party) *Handle {
	out := &Handle{Of: in, Party: party, Name: b.derive(b.namer.exported(in.Name), "handle "+in.Name, in.Pos)}
	call := func(calls []*Call, m *protocol.Method) *Call {
		method := b.method(m)
		return calls[slices.IndexFunc(calls, func(c *Call) bool { return c.Method == method })]
	}
	own := map[string]bool{}
	for i, m := range in.Methods {
		c := &HandleCall{Call: call(party.Sends, m), Turn: slices.Contains(in.Turns, m)}
		c.IDs = fieldsOf(c.Params, in.IDs)
		c.Bare = b.onlyHas(c.Params, in.IDs)
		if i == 0 {
			out.IDs = c.IDs
			for _, f := range c.IDs {
				own[f.Name] = true
			}
		}
		out.Calls = append(out.Calls, c)
	}
	if in.Updates != nil {
		out.Updates = call(party.Receives, in.Updates)
		out.UpdateID = fieldsOf(out.Updates.Params, in.IDs)[0]
		out.Router = b.derive(out.Name+"s", "what routes updates to each "+out.Name, in.Pos)
		own["Updates"], own["Follow"] = true, true
	}
	for _, c := range out.Calls {
		c.Own = free(b.shortened(c, out.Name), "RPC", own)
		own[c.Own] = true
	}
	out.New = b.derive("New"+out.Name, "what makes a handle", in.Pos)
	if out.Router != "" {
		out.New = b.derive("New"+out.Router, "what makes it", in.Pos)
	}
	if in.Opens != nil {
		b.opens(out, in, call(party.Sends, in.Opens))
	}
	return out
}

// opens builds how a handle is made.
func (b *builder) opens(out *Handle, in *protocol.Handle, by *Call) {
	out.Opens, out.Open = by, "Open"
	if out.Router == "" {
		out.Open = b.derive("Open"+out.Name, "what makes a handle", in.Pos)
	}
	for i, id := range in.IDs {
		f := HandleID{ID: out.IDs[i], Result: true}
		if f.Of = objectOf(by.Result).Field(id); f.Of == nil {
			f.Of, f.Result = objectOf(by.Params).Field(id), false
		}
		out.From = append(out.From, f)
	}
	out.Only = b.onlyHas(by.Result, in.IDs)
}

// shortened returns the name of a method without that of the handle, if the first word of the method is its last: Prompt
// of a Session for session/prompt.
func (b *builder) shortened(c *HandleCall, handle string) string {
	first, rest, ok := strings.Cut(c.Wire, "/")
	word := b.namer.exported(first)
	short, has := strings.CutPrefix(c.Name, word)
	if ok && rest != "" && has && short != "" && strings.HasSuffix(handle, word) {
		return short
	}
	return c.Name
}

// onlyHas reports whether an object has no members but some, and metadata.
func (b *builder) onlyHas(t Type, members []string) bool {
	return !slices.ContainsFunc(objectOf(t).Fields, func(f *Field) bool {
		return !slices.Contains(members, f.Wire) && !(b.hasMeta() && f.Wire == b.in.Extensions.Meta)
	})
}

// fieldsOf returns the fields for members.
func fieldsOf(t Type, members []string) (out []*Field) {
	for _, m := range members {
		out = append(out, objectOf(t).Field(m))
	}
	return out
}

func objectOf(t Type) *Struct { return Underlying(t).(StructType).Struct }
