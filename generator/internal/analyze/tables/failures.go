// Failures: error codes that are constants in definitions of errors, or of whole messages with one.

package tables

import (
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// failure reads a statement that names the definition of an error: its code, and the type of its data unless that is stated.
// It reports whether there is a code, and returns the data.
func (b *builder) failure(c *facts.Code) (out *facts.Code, data protocol.Type, ok bool) {
	def := b.Set.Lookup(c.Definition)
	if def == nil {
		return nil, nil, false // reported as an unused fact
	}
	b.Used.Add(c)
	object, _ := b.out.Lookup(c.Definition).(*protocol.Struct)
	if inner := field(object, "error"); inner != nil {
		object, _ = refersTo(inner.Type).(*protocol.Struct)
	}
	code := field(object, "code")
	if code == nil || code.Const == nil || code.Const.Kind != protocol.Integer {
		b.Errorf(c.Pos, "bad-error-code", "state its code and its data instead", "%s has no member code, or error.code, that is a constant integer", c.Definition)
		return nil, nil, false
	}
	read := *c
	read.Code = code.Const.Int
	if read.Doc == "" && def.Schema != nil {
		read.Doc = def.Schema.OwnDescription()
	}
	if member := field(object, "data"); member != nil && c.Data == "" {
		data = refersTo(member.Type)
	}
	return &read, data, true
}

func field(s *protocol.Struct, name string) *protocol.Field {
	if s == nil {
		return nil
	}
	return s.Field(name)
}

// refersTo returns the declared type of a value, or nil.
func refersTo(e protocol.Expr) protocol.Type {
	if ref, ok := e.(protocol.Ref); ok {
		return ref.Type
	}
	return nil
}
