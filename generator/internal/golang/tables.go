// Tables: what the protocol lists.

package golang

import (
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) tables() {
	channels := map[*protocol.Channel]string{}
	for _, c := range b.in.Channels {
		name := b.derive("Channel"+b.namer.part(c.Name), "channel "+c.Name, c.Pos)
		channels[c] = name
		b.out.Channels = append(b.out.Channels, &Channel{
			Const: name, Name: c.Name, URI: c.URI, Prefix: c.Prefix, Doc: b.comment(c.Doc),
		})
	}
	if set := b.in.Actions; set != nil {
		b.out.Actions = &Actions{Union: b.UnionOf(set.Union)}
		for _, a := range set.Actions {
			value := protocol.Value{Kind: protocol.String, Str: a.Type}
			b.out.Actions.Rows = append(b.out.Actions.Rows, Action{
				Const: b.constant(b.EnumOf(set.Union.Tag), value), Struct: b.StructOf(a.Struct), Channel: channels[a.Channel], Client: a.Client, Since: b.in.OnWire(a.Since),
			})
		}
	}
	for _, m := range b.in.Methods {
		method := &Method{
			Name: b.methodName(m), Wire: m.Name, From: m.From, Sender: b.in.Sides.Name(m.From), Notification: m.Notification, Since: b.in.OnWire(m.Since), Doc: b.comment(m.Doc),
		}
		if m.Params != nil {
			method.Params = b.typ(protocol.Ref{Type: m.Params})
		}
		if m.Result != nil {
			method.Result = b.typ(protocol.Ref{Type: m.Result})
			method.NullResult = m.NullResult && !HasNull(method.Result)
		}
		for _, t := range []protocol.Type{m.Params, m.Result} {
			b.refuseAlone(protocol.Ref{Type: t}, "it is all that a message of "+m.Name+" holds")
		}
		method.Stream = m.Stream
		if b.in.Envelope == nil && isScalar(method.Params) {
			b.Errorf(m.Pos, "no-object", "make them an object, or describe the messages of the protocol under envelope in the profile", "method %s: the parameters are no object and no list, which JSON-RPC 2.0 wants", m.Name)
		}
		b.out.Methods = append(b.out.Methods, method)
	}
	for _, e := range b.in.Errors {
		name := b.derive("ErrorCode"+b.namer.part(e.Name), "error "+e.Name, e.Pos)
		code := &ErrorCode{Const: name, Name: e.Name, Code: e.Code, Doc: b.comment(e.Doc)}
		if e.Data != nil {
			code.Data = b.typ(protocol.Ref{Type: e.Data})
		}
		b.refuseAlone(protocol.Ref{Type: e.Data}, "it is all that the error "+e.Name+" holds")
		b.wantsMembers("error "+e.Name, e.Pos, code.Data)
		b.out.Errors = append(b.out.Errors, code)
	}
}

// IsRaw reports whether a type is arbitrary JSON.
func IsRaw(t Type) bool { return t != nil && Underlying(t) == Raw }

// isScalar reports whether values of a type are neither objects nor lists.
func isScalar(t Type) bool {
	switch t := Underlying(t).(type) {
	case Basic:
		return t != Raw && t != RawObject
	case EnumType:
		return true
	}
	return false
}

// IsPayload reports whether a type is encoded and decoded by functions of its own, as structs and unions are.
func IsPayload(t Type) bool {
	switch Underlying(t).(type) {
	case StructType, UnionType:
		return true
	}
	return false
}

// ByPointer reports whether a result that may be null is a pointer, since its type has no nil.
func (m *Method) ByPointer() bool { return m.NullResult && !IsPayload(m.Result) }

// wantsMembers rejects data of errors without a decoder.
func (b *builder) wantsMembers(what string, pos diag.Pos, t Type) {
	if t == nil || IsPayload(t) {
		return
	}
	wrong := "its types must be objects or unions"
	if a, ok := t.(AliasType); ok {
		wrong = a.Name + " has no members of its own"
	}
	b.Errorf(pos, "no-object", "make it an object or a union in the schema", "%s: %s", what, wrong)
}
