// Package tables makes the tables of a protocol: channels, actions, methods, error codes and what peers must be able to take.
package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Methods are the tables of methods and error codes.
type Methods struct {
	Methods []*protocol.Method
	Errors  []*protocol.ErrorCode
	Said    bool // error codes have errors, already reported
}

// MakeMethods makes the tables of methods and error codes.
func MakeMethods(given phase.Given, known phase.Broken, p protocol.Protocol, t *types.Types) (Methods, phase.Notes) {
	b := &builder{Work: phase.Begin(given, known), out: &p, payloads: t.Payloads}
	defer b.Mark()
	b.methods()
	b.errorCodes()
	return Methods{p.Methods, p.Errors, b.codesSaid}, b.Notes()
}

// builder holds the tables in the making.
type builder struct {
	*phase.Work
	out       *protocol.Protocol
	codesSaid bool
	payloads  map[string]types.Payload
}

// methods reads the methods. One with unknown parameters is omitted and reported as an unused fact.
func (b *builder) methods() {
	for _, s := range b.Facts.Sent {
		if slices.ContainsFunc(b.Set.Names(), s.Means) {
			b.Used.Add(s)
		}
	}
	type message struct{ kind, name string }
	seen := map[message]diag.Pos{}
	for _, m := range b.Facts.Methods {
		if !b.received(m) {
			continue
		}
		pos, at := m.Pos, message{m.Kind, m.Name}
		if first, ok := seen[at]; ok && m.Source == facts.Schema {
			twice(b.Work, "method", m.Name, pos, first)
			continue
		} else if ok {
			b.Errorf(pos, "duplicate-method", fmt.Sprintf("the other stands at %s", first), "method %q is stated twice", m.Name)
			continue
		}
		seen[at] = pos
		if m.Source == facts.Schema {
			notYet(b.Work, m.Since, m.SincePos)
		}
		method := &protocol.Method{
			Name: m.Name, From: b.side(m.From), Notification: m.Kind == "notification", Stream: m.Stream, Since: m.Since, Doc: m.Doc, Pos: pos,
		}
		if m.Params != "" && !b.payloads[m.Params].Null {
			if method.Params = b.payload(m.Params); method.Params == nil {
				if m.Source == facts.Schema && strings.Contains(m.Params, ".") {
					b.Errorf(pos, "missing-params", "make it an object", "method %q: %s is no object that could have a type", m.Name, m.Params)
				}
				continue
			}
		}
		if m.Result != "" && !b.payloads[m.Result].Null {
			if method.Result = b.payload(m.Result); method.Result == nil {
				b.Used.Add(m)
				b.Mismatch(m, "missing-result", b.Set.DidYouMean(m.Result, "define it", "define it, or correct the method's result"), "method %q: the schemas define no %s", m.Name, m.Result)
				continue
			}
			if def := b.Set.Lookup(m.Result); def != nil {
				method.NullResult = shape.AllowsNull(def.Schema.Follow())
			} else {
				method.NullResult = b.payloads[m.Result].Nullable
			}
		}
		if method.Stream && method.Result == nil {
			b.Errorf(pos, "missing-result", "say what its results are, or that it has one result only", "method %q has several results, and nothing says what they are", m.Name)
		}
		b.Used.Add(m)
		b.out.Methods = append(b.out.Methods, method)
	}
}

// payload returns the type of parameters or of a result: that of a definition, or of a member of one.
func (b *builder) payload(path string) protocol.Type {
	if t := b.payloads[path].Type; t != nil {
		return t
	}
	return b.out.Lookup(path)
}

// side returns the side with a name.
func (b *builder) side(name string) protocol.Side {
	switch opens, serves := b.Facts.Sides.Names(); name {
	case opens:
		return protocol.FromClient
	case serves:
		return protocol.FromHost
	}
	return protocol.FromBoth
}

// namedTwice reports a second name for an error code, unless a schema lists it twice.
func (b *builder) namedTwice(c, first *facts.Code) {
	if !b.At(c.Pos) {
		b.Errorf(c.Pos, "duplicate-code", fmt.Sprintf("take one away, or correct its code; the other stands at %s", first.Pos), "the error code %d is named twice", c.Code)
	}
	b.codesSaid = true
}

// noErrorData reports unknown error data.
func (b *builder) noErrorData(c *facts.Code) {
	at := c.Origin
	if !c.DataPos.IsZero() {
		at.Pos = c.DataPos
	}
	b.Mismatch(&at, "missing-error-data", b.Set.DidYouMean(c.Data, "define it", "define it, or correct data"), "error %s: the schemas define no %s", c.Name, c.Data)
}

// received reports whether the receiver of a method is stated.
func (b *builder) received(m *facts.Method) bool {
	if m.From != "" {
		return true
	}
	if b.Facts.Sides.Whole() && !b.Said(b.Set.Lookup(m.Params).Schema) {
		opens, serves := b.Facts.Sides.Names()
		b.Unread(m.Pos, "bad-keyword", fmt.Sprintf(`write "x-side": %q, %q or %q beside it`, serves, opens, facts.Both), "nothing says who receives the method %q", m.Name)
	}
	return false
}

// unnamed names an error code without a name. Codes are usually negative.
func unnamed(code int64) string {
	if code < 0 {
		return fmt.Sprintf("code %d", -code)
	}
	return fmt.Sprintf("code plus %d", code)
}

// errorCode is a code listed in a schema.
type errorCode struct {
	value     *schema.Node
	name, doc string // "" if not stated
}

// codesOf returns the codes in a definition: enum values, or constants among alternatives with optional titles.
func codesOf(s *schema.Schema) []*errorCode {
	out := each.Map(s.Enum, func(n *schema.Node) *errorCode { return &errorCode{value: n} })
	for _, choice := range s.Choices() {
		if choice.Const != nil {
			out = append(out, &errorCode{choice.Const, choice.Title, choice.Description})
		}
		for _, n := range choice.Enum {
			out = append(out, &errorCode{value: n})
		}
	}
	return out
}

// errorCodes merges the codes in schemas with stated names.
func (b *builder) errorCodes() {
	listed, order := b.listedCodes()
	named := map[int64]*facts.Code{}
	for _, stated := range b.Facts.Codes {
		c, data := stated, protocol.Type(nil)
		if c.Definition != "" {
			var ok bool
			if c, data, ok = b.failure(stated); !ok {
				continue
			}
		}
		if first := named[c.Code]; first != nil {
			b.Used.Add(stated)
			b.namedTwice(c, first)
			continue
		}
		if len(b.Facts.ErrorEnums) > 0 && listed[c.Code] == nil && c.Definition == "" {
			continue // reported as an unused fact
		}
		named[c.Code] = c
		b.Used.Add(stated)
		delete(listed, c.Code)
		e := &protocol.ErrorCode{Name: c.Name, Code: c.Code, Doc: c.Doc, Data: data, Pos: c.Pos}
		if c.Data != "" {
			if e.Data = b.out.Lookup(c.Data); e.Data == nil {
				b.noErrorData(c)
			}
		}
		b.out.Errors = append(b.out.Errors, e)
	}
	for _, code := range order {
		n := listed[code]
		if n == nil {
			continue
		}
		if n.name != "" {
			b.out.Errors = append(b.out.Errors, &protocol.ErrorCode{Name: n.name, Code: code, Doc: n.doc, Pos: n.value.Pos})
			continue
		}
		if !b.codesSaid {
			b.Warnf(n.value.Pos, "unnamed-error", b.Hint("name it under errors.codes in the profile", "name all codes of the enum with x-enum-names"), "error code %d has no name", code)
		}
		b.out.Errors = append(b.out.Errors, &protocol.ErrorCode{Name: unnamed(code), Code: code, Pos: n.value.Pos})
	}
}

// listedCodes returns the codes in error enums, in order.
func (b *builder) listedCodes() (map[int64]*errorCode, []int64) {
	listed := map[int64]*errorCode{}
	var order []int64
	for _, enum := range b.Facts.ErrorEnums {
		def := b.Set.Lookup(enum.At)
		if def == nil {
			continue
		}
		if b.Said(def.Schema) {
			b.codesSaid = true
		}
		for _, n := range codesOf(def.Schema) {
			code, err := strconv.ParseInt(n.value.Text, 10, 64)
			if err != nil {
				b.Errorf(n.value.Pos, "bad-error-code", "write an integer such as -32001", "error code %s is not an integer", n.value.Compact())
				continue
			}
			if first := listed[code]; first != nil {
				b.Errorf(n.value.Pos, "duplicate-code", fmt.Sprintf("give it a code of its own; the other stands at %s", first.value.Pos), "the error code %d is listed twice", code)
				continue
			}
			order = append(order, code)
			listed[code] = n
		}
	}
	return listed, order
}
