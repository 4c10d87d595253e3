// Constraints: keywords that restrict values beyond their type.

package types

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// constraints returns what a schema requires of values beyond their type, apart from what the definition that it refers to
// requires.
func constraints(s *schema.Schema) *protocol.Constraints {
	return constraintsWithin(s, schema.MaxDepth)
}

func constraintsWithin(s *schema.Schema, depth int) *protocol.Constraints {
	if s == nil || depth == 0 {
		return nil
	}
	out := ownConstraints(s)
	for _, part := range s.AllOf {
		out = out.And(constraintsWithin(part, depth-1))
	}
	if rest := shape.WithoutNull(s.Choices()); len(rest) == 1 && !shape.IsObject(s) {
		out = out.And(constraintsWithin(rest[0], depth-1))
	}
	if shape.IsObject(s) {
		return out
	}
	elem := s.Items
	if elem == nil {
		elem = s.Additional
	}
	if inner := constraintsWithin(elem, depth-1); inner != nil {
		out = out.And(&protocol.Constraints{Items: inner})
	}
	return out
}

// allConstraints is constraints with those of the definitions that a schema refers to.
func allConstraints(s *schema.Schema) *protocol.Constraints {
	out := constraints(s)
	for range shape.MaxAliases {
		ref, ok := s.Reference()
		if !ok || ref.Target == nil || ref.Target.Schema == nil {
			break
		}
		s = ref.Target.Schema
		out = out.And(constraints(s))
	}
	return out
}

// ownConstraints reads the keywords of a schema itself.
func ownConstraints(s *schema.Schema) *protocol.Constraints {
	other := otherLimits(s)
	if s.Format == "" && s.Limits == nil && other == nil {
		return nil
	}
	out := &protocol.Constraints{Other: other}
	if s.Types == nil || slices.Contains(s.Types, "string") {
		out.Format = s.Format
	}
	limit := func(keyword string) (last *schema.Node) { // parts that say nothing else have some as well
		for _, m := range s.Limits {
			if m.Key == keyword {
				last = m.Value
			}
		}
		return last
	}
	out.Minimum, out.ExclusiveMinimum = number(limit("minimum")), number(limit("exclusiveMinimum"))
	out.Maximum, out.ExclusiveMaximum = number(limit("maximum")), number(limit("exclusiveMaximum"))
	out.MinLength, out.MaxLength = least(limit("minLength")), most(limit("maxLength"))
	out.MinItems, out.MaxItems = least(limit("minItems")), most(limit("maxItems"))
	out.MinProperties, out.MaxProperties = least(limit("minProperties")), most(limit("maxProperties"))
	out.UniqueItems = limit("uniqueItems").True()
	if n := number(limit("multipleOf")); n != "" {
		out.MultipleOf = []string{n}
	}
	if pattern := limit("pattern"); pattern != nil && pattern.Kind == schema.String {
		out.Patterns = []protocol.Pattern{{Text: pattern.Text, Pos: pattern.Pos}}
	}
	if s.Limit("exclusiveMinimum").True() { // draft-04
		out.Minimum, out.ExclusiveMinimum = "", out.Minimum
	}
	if s.Limit("exclusiveMaximum").True() {
		out.Maximum, out.ExclusiveMaximum = "", out.Maximum
	}
	if out.IsZero() && out.Other == nil {
		return nil
	}
	return out
}

// number returns a number that Go can hold, or "".
func number(n *schema.Node) string {
	if n == nil || n.Kind != schema.Number {
		return ""
	}
	if _, err := strconv.ParseFloat(n.Text, 64); err != nil {
		return ""
	}
	return n.Text
}

// most returns a maximum, which may be written as 2.0. It is nil if nothing can be more.
func most(n *schema.Node) *int {
	f, err := strconv.ParseFloat(number(n), 64)
	if err != nil || f < 0 || f > 1<<31-1 {
		return nil
	}
	i := int(f)
	return &i
}

// least returns a minimum. One that nothing reaches is a very high one.
func least(n *schema.Node) int {
	f, err := strconv.ParseFloat(number(n), 64)
	if err != nil || f < 0 {
		return 0
	}
	return int(min(f, 1<<31-1))
}

// membersLimits returns how many members an object and its bases want, and what Go does not check of it.
func membersLimits(s *schema.Schema, seen map[*schema.Schema]bool) *protocol.Constraints {
	if s == nil || seen[s] {
		return nil
	}
	seen[s] = true
	var out *protocol.Constraints
	if own := ownConstraints(s); own != nil && (own.MinProperties > 0 || own.MaxProperties != nil || own.Other != nil) {
		out = &protocol.Constraints{MinProperties: own.MinProperties, MaxProperties: own.MaxProperties, Other: own.Other}
	}
	for _, base := range shape.Bases(s) {
		out = out.And(membersLimits(base.Follow(), seen))
	}
	return out
}
