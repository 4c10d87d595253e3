// Enums: constants, their names, and flags.

package analyze

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) value(n *schema.Node) (protocol.Value, bool) {
	if v := scalarValue(n); v != nil {
		return *v, true
	}
	b.diags.Errorf(n.Pos, "unsupported-constant", "constants are strings, integers or booleans", "%s cannot be a constant", n.Compact())
	return protocol.Value{}, false
}

func (b *builder) fillEnum(e *protocol.Enum, s *schema.Schema) {
	if flags := s.Extension("x-bitset"); flags != nil {
		b.fillBitset(e, flags, b.parallel(s, "x-enum-descriptions", len(flags.Members)))
		return
	}
	schemas, open, _ := enumValues(s)
	shared := slices.ContainsFunc(s.Choices(), isShared)
	e.Open = open || b.facts.OpenEnums
	e.Kind = -1
	seen := map[protocol.Value]bool{}
	for _, part := range schemas {
		nodes := part.Enum
		if part.Const != nil {
			nodes = []*schema.Node{part.Const}
		}
		if shared && !b.repeat(part.Pos, len(nodes), "values", e.Name) {
			return
		}
		names := b.parallel(part, "x-enum-names", len(nodes))
		docs := b.parallel(part, "x-enum-descriptions", len(nodes))
		for i, n := range nodes {
			if n.Kind == schema.Null {
				continue // said by allowsNull
			}
			v, ok := b.value(n)
			if !ok {
				continue
			}
			if e.Kind >= 0 && v.Kind != e.Kind || v.Kind == protocol.Bool {
				b.diags.Errorf(n.Pos, "mixed-enum", "use values of one kind, all strings or all integers", "%s does not fit the other values of %s", n.Compact(), e.Name)
				continue
			}
			e.Kind = v.Kind
			if seen[v] {
				if first := slices.IndexFunc(nodes, n.Equal); first >= 0 && first < i {
					b.diags.Errorf(n.Pos, "duplicate-value", fmt.Sprintf("it stands first at %s; keep one of the two", nodes[first].Pos), "%s lists %s twice", e.Name, n.Compact())
				}
				continue
			}
			seen[v] = true
			m := &protocol.EnumMember{Value: v, Pos: n.Pos}
			if part.Const != nil {
				m.Doc = part.Description
			}
			if v.Kind == protocol.Integer && part.Const != nil {
				m.Name = part.Title // a number has no name of its own
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
	b.enumRule(e)
}

// isShared reports whether what a schema says stands elsewhere.
func isShared(s *schema.Schema) bool {
	_, ok := s.Reference()
	return ok
}

// parallel returns the items of a keyword that says something about each of n values, nil if it
// is not there or does not fit.
func (b *builder) parallel(s *schema.Schema, keyword string, n int) []*schema.Node {
	list := s.Extension(keyword)
	if list == nil {
		return nil
	}
	if len(list.Items) != n {
		b.diags.Errorf(list.Pos, "bad-keyword", "list one item for each value, in the same order",
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
		if v.Int < 0 && b.diags.At(m.Value.Pos) {
			continue
		}
		if v.Int < 0 {
			b.diags.Errorf(m.Value.Pos, "bad-bitset", "flags are bits: 1, 2, 4 and so on", "flag %s of %s is negative", m.Key, e.Name)
			continue
		}
		if j := slices.IndexFunc(e.Members, func(o *protocol.EnumMember) bool { return o.Value == v }); j >= 0 {
			b.diags.Errorf(m.KeyPos, "bad-bitset", fmt.Sprintf("give it a bit of its own, such as %d", freeBit(flags)), "%s and %s of %s are the same: %d", e.Members[j].Name, m.Key, e.Name, v.Int)
			continue
		}
		flag := &protocol.EnumMember{Name: m.Key, Value: v, Pos: m.KeyPos}
		if docs != nil {
			flag.Doc = docs[i].Str()
		}
		e.Members = append(e.Members, flag)
	}
	b.enumRule(e)
}

// freeBit is the lowest that no flag has.
func freeBit(flags *schema.Node) int64 {
	var taken int64
	for _, m := range flags.Members {
		if v, err := strconv.ParseInt(m.Value.Text, 10, 64); err == nil && v > 0 {
			taken |= v
		}
	}
	return (taken + 1) &^ taken
}

// enumRule applies what the profile says about an enum.
func (b *builder) enumRule(e *protocol.Enum) {
	for _, rule := range b.rules.enums[e.Name] {
		b.used.Add(rule)
		if rule.Open != nil {
			e.Open = *rule.Open
		}
		if rule.Bitset && e.Kind != protocol.Integer {
			b.diags.Errorf(rule.Pos, "bad-bitset", "flags are integers", "%s is no enum of integers", e.Name)
		}
		for _, m := range e.Members {
			if rule.Bitset && m.Value.Int < 0 {
				b.diags.Errorf(m.Pos, "bad-bitset", "flags are bits: 1, 2, 4 and so on", "flag %d of %s is negative", m.Value.Int, e.Name)
			}
		}
		e.Bitset = e.Bitset || rule.Bitset
		members := map[string]int{}
		for j, m := range slices.Backward(e.Members) {
			members[m.Value.String()] = j
		}
		for value, name := range rule.Names {
			j, ok := members[value]
			if !ok {
				fit.Mismatch(rule, b.diags, "unused-entry", "correct the value, or limit the rule with versions",
					"enum %s has no value %s to name %s", e.Name, value, name)
				continue
			}
			e.Members[j].Name = name
		}
	}
}
