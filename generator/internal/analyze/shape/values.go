// Values: the constants of a schema, through choices and references.

package shape

import (
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// answer is a memoized boolean.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// memo holds memoized properties of a schema. Shared choices can be reached in exponentially many ways.
type memo struct {
	null answer // allows null

	token    string // what values begin with
	hasToken bool   // it is known

	enum   answer         // consists of constants
	open   bool           // allows other values of the same kind
	first  *schema.Schema // schema of the first constant
	height int            // nesting depth of choices
}

func memoOf(s *schema.Schema) *memo {
	m, ok := s.Memo.(*memo)
	if !ok {
		m = &memo{}
		s.Memo = m
	}
	return m
}

// maxChoices is the maximum nesting depth of choices of constants.
const maxChoices = 8

// IsEnum reports whether a schema consists of constants, and returns the schema of the first.
func IsEnum(s *schema.Schema) (first *schema.Schema, ok bool) {
	m := enumMemo(s)
	if m == nil || m.enum != yes || m.height > maxChoices {
		return nil, false
	}
	return m.first, true
}

// enumMemo returns the enum properties of a schema, or nil for a dangling reference.
func enumMemo(s *schema.Schema) *memo {
	if s = s.Follow(); s == nil {
		return nil
	}
	m := memoOf(s)
	if m.enum != unknown {
		return m
	}
	m.enum = no // also for a cyclic choice
	if s.Const != nil || s.Enum != nil {
		if !IsNull(s) {
			m.enum, m.first = yes, s
		}
		return m
	}
	branches := s.Choices()
	if branches == nil || s.Object {
		return m
	}
	var found memo
	others := schema.Null // kind of a plain value
	for _, branch := range WithoutNull(branches) {
		if kind, ok := plainKind(branch); ok {
			if others != schema.Null && others != kind {
				return m // neither is what the enum has beside its constants
			}
			found.open, others = true, kind // a plain string beside constants makes the enum open
			continue
		}
		inner := enumMemo(branch)
		if inner == nil || inner.enum != yes {
			return m
		}
		if found.first == nil {
			found.first = inner.first
		} else if a, b := FirstValue(found.first), FirstValue(inner.first); a != nil && b != nil && a.Kind != b.Kind {
			return m // a choice between values of several kinds
		}
		found.open = found.open || inner.open
		found.height = max(found.height, inner.height)
	}
	if found.first != nil && (others == schema.Null || FirstValue(found.first).Kind == others) {
		m.enum, m.open, m.first, m.height = yes, found.open, found.first, found.height+1
	}
	return m
}

// plainKind returns the kind of a schema that allows any string, or any integer of 64 bits with a sign.
func plainKind(s *schema.Schema) (kind schema.Kind, ok bool) {
	target := s.Follow()
	if target == nil || target.Enum != nil || target.Const != nil {
		return schema.Null, false
	}
	switch types := target.OtherTypes(); {
	case len(types) != 1:
	case types[0] == "string" && target.Format == "":
		return schema.String, true
	case types[0] == "integer" && target.Extension("x-bitset") == nil && !target.IsBeyondInt64():
		return schema.Number, true
	}
	return schema.Null, false
}

// EnumValues returns the constants that a schema consists of, those of each schema once, and whether any
// other value of the same kind is let in as well.
func EnumValues(s *schema.Schema) (values []*schema.Schema, open, ok bool) {
	if _, ok := IsEnum(s); !ok {
		return nil, false, false
	}
	hasConstants := func(s *schema.Schema) bool { return s.Const != nil || s.Enum != nil }
	all := graph.Reach([]*schema.Schema{s.Follow()}, func(s *schema.Schema) (inner []*schema.Schema) {
		for _, branch := range WithoutNull(s.Choices()) {
			if _, plain := plainKind(branch); !plain && !hasConstants(s) {
				inner = append(inner, branch.Follow())
			}
		}
		return inner
	})
	values = each.Where(all, hasConstants)
	return values, enumMemo(s).open, true
}

// FirstValue returns the first constant of a schema, nil if it has none.
func FirstValue(s *schema.Schema) *schema.Node {
	switch {
	case s == nil:
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	return nil
}

// Constant returns the only value an inline schema allows, nil if it allows more.
func Constant(s *schema.Schema) *schema.Node {
	switch {
	case s.Ref != nil:
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.Enum) == 1:
		return s.Enum[0]
	}
	return nil
}

// Bases returns the schemas that an object takes in.
func Bases(s *schema.Schema) []*schema.Schema {
	if s.Ref == nil {
		return s.AllOf
	}
	return append([]*schema.Schema{{Pos: s.Ref.Pos, Ref: s.Ref}}, s.AllOf...)
}

// LastNamed returns the definition that references lead to, nil for a schema that is none.
func LastNamed(s *schema.Schema) *schema.Definition {
	var def *schema.Definition
	for range MaxAliases {
		ref, ok := s.Reference()
		if !ok || ref.Target == nil {
			break
		}
		def = ref.Target
		s = def.Schema
	}
	return def
}
