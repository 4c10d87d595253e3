// Methods: parameters and results that stand in a member of a message, which need not have a type.

package types

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Payload is the parameters or the result of a method, at a path such as ThreadsResponse.body.
type Payload struct {
	Type     protocol.Type // nil if it is a type of the definition's, named by the path
	Nullable bool          // may be null
	Null     bool          // is always null
}

// methodPayloads declares types for parameters and results that have none: members of messages that become no types, and
// members that are lists, texts and the like.
func (b *builder) methodPayloads() {
	for _, m := range b.Facts.Methods {
		b.payloadAt(m.Params, m.ParamsAt)
		b.payloadAt(m.Result, m.ResultAt)
	}
}

func (b *builder) payloadAt(path string, s *schema.Schema) {
	if _, ok := b.Payloads[path]; ok || path == "" || b.Set.Lookup(path) != nil {
		return
	}
	owner, _, _ := strings.Cut(path, ".")
	def := b.Set.Lookup(owner)
	if s == nil {
		s = b.memberAt(path)
	}
	if s == nil {
		return // reported with the method
	}
	p := Payload{Nullable: shape.AllowsNull(s.Follow()), Null: shape.IsNull(s)}
	ref, isRef := s.Reference()
	kind := b.shapes.Of(b.shapes.Core(s))
	emitted := def != nil && b.types[def] != nil && b.shapes.Of(def.Schema) == shape.Struct
	switch {
	case p.Null:
	case isRef && ref.Target != nil:
		p.Type = b.types[ref.Target]
	case emitted && !b.isRaw(path) && (kind == shape.Struct || kind == shape.Enum || kind == shape.Choice):
	default:
		p.Type = b.declareType(path, s.Pos, s, defined)
	}
	b.Payloads[path] = p
}

// memberAt returns the schema of a member by its path, such as Definition.member, or nil.
func (b *builder) memberAt(path string) *schema.Schema {
	name, rest, ok := strings.Cut(path, ".")
	def := b.Set.Lookup(name)
	if !ok || def == nil || def.Schema == nil {
		return nil
	}
	s := def.Schema
	for _, member := range strings.Split(rest, ".") {
		var found *schema.Schema
		for _, m := range b.members(s.Follow()) {
			if m.Name == member {
				found = m.Schema
			}
		}
		if found == nil {
			return nil
		}
		s = found
	}
	return s
}
