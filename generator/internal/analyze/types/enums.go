// Enums: constants, names and flags.

package types

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) value(n *schema.Node) (protocol.Value, bool) {
	if v := phase.ScalarValue(n); v != nil {
		return *v, true
	}
	b.Errorf(n.Pos, "unsupported-constant", "constants are strings, integers or booleans", "%s cannot be a constant", n.Compact())
	return protocol.Value{}, false
}

func (b *builder) fillEnum(e *protocol.Enum, s *schema.Schema) {
	if flags := s.Extension("x-bitset"); flags != nil {
		b.fillBitset(e, flags, b.parallel(s, "x-enum-descriptions", len(flags.Members)))
		return
	}
	schemas, open, _ := shape.EnumValues(s)
	shared := slices.ContainsFunc(s.Choices(), isShared)
	e.Open = open || b.Facts.OpenEnums
	e.Kind = -1
	seen := map[protocol.Value]bool{}
	for _, part := range schemas {
		nodes := part.Enum
		if part.Const != nil {
			nodes = []*schema.Node{part.Const}
		}
		if shared && !b.Repeat(part.Pos, len(nodes), "values", e.Name) {
			return
		}
		names := b.parallel(part, "x-enum-names", len(nodes))
		docs := b.parallel(part, "x-enum-descriptions", len(nodes))
		for i, n := range nodes {
			if n.Kind == schema.Null {
				continue // handled by allowsNull
			}
			v, ok := b.value(n)
			if !ok {
				continue
			}
			if e.Kind >= 0 && v.Kind != e.Kind || v.Kind == protocol.Bool {
				b.Errorf(n.Pos, "mixed-enum", "use values of one kind, all strings or all integers", "%s does not fit the other values of %s", n.Compact(), e.Name)
				continue
			}
			e.Kind = v.Kind
			if seen[v] {
				if first := slices.IndexFunc(nodes, n.Equal); first >= 0 && first < i {
					b.Errorf(n.Pos, "duplicate-value", fmt.Sprintf("it stands first at %s; keep one of the two", nodes[first].Pos), "%s lists %s twice", e.Name, n.Compact())
				}
				continue
			}
			seen[v] = true
			m := &protocol.EnumMember{Value: v, Pos: n.Pos}
			if part.Const != nil {
				m.Doc = part.Description
			}
			if v.Kind == protocol.Integer && part.Const != nil {
				m.Title = part.Title
			}
			if names != nil {
				m.Name = names[i].Str()
			}
			if docs != nil {
				m.Doc = docs[i].Str()
			}
			e.Members = append(e.Members, m)
		}
	}
	b.EnumRule(e)
}

// isShared reports whether a schema's text is stated elsewhere.
func isShared(s *schema.Schema) bool {
	_, ok := s.Reference()
	return ok
}

// parallel returns the items of a keyword with n items, one for each value, or nil.
func (b *builder) parallel(s *schema.Schema, keyword string, n int) []*schema.Node {
	list := s.Extension(keyword)
	if list == nil {
		return nil
	}
	if len(list.Items) != n {
		b.Unread(list.Pos, "bad-keyword", "list one item for each value, in the same order",
			"%s has %d items for %d values", keyword, len(list.Items), n)
		return nil
	}
	return list.Items
}

// fillBitset reads the flags of an integer.
func (b *builder) fillBitset(e *protocol.Enum, flags *schema.Node, docs []*schema.Node) {
	e.Kind, e.Bitset, e.Open = protocol.Integer, true, true
	for i, m := range flags.Members {
		v, ok := b.value(m.Value)
		if !ok || v.Kind != protocol.Integer {
			continue
		}
		if v.Int < 0 && b.At(m.Value.Pos) {
			continue
		}
		if v.Int < 0 {
			b.Errorf(m.Value.Pos, "bad-bitset", "flags are bits: 1, 2, 4 and so on", "flag %s of %s is negative", m.Key, e.Name)
			continue
		}
		if j := slices.IndexFunc(e.Members, func(o *protocol.EnumMember) bool { return o.Value == v }); j >= 0 {
			b.Errorf(m.KeyPos, "bad-bitset", fmt.Sprintf("give it a bit of its own, such as %d", freeBit(flags)), "%s and %s of %s are the same: %d", e.Members[j].Name, m.Key, e.Name, v.Int)
			continue
		}
		flag := &protocol.EnumMember{Name: m.Key, Value: v, Pos: m.KeyPos}
		if docs != nil {
			flag.Doc = docs[i].Str()
		}
		e.Members = append(e.Members, flag)
	}
	b.EnumRule(e)
}

// freeBit returns the lowest unused bit.
func freeBit(flags *schema.Node) int64 {
	var taken int64
	for _, m := range flags.Members {
		if v, err := strconv.ParseInt(m.Value.Text, 10, 64); err == nil && v > 0 {
			taken |= v
		}
	}
	return (taken + 1) &^ taken
}
