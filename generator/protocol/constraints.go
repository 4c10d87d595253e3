// Constraints: what schemas require of values beyond their type.

package protocol

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Constraints restrict values beyond their type. Each keyword applies to values of its JSON type. Nil means that there are
// none.
type Constraints struct {
	// Bounds of numbers, as JSON. "" means that there is none.
	Minimum, ExclusiveMinimum, Maximum, ExclusiveMaximum string
	MultipleOf                                           []string

	// Lengths of strings in code points, and numbers of items and of members. A minimum of 0 and a nil maximum are none.
	MinLength, MinItems, MinProperties int
	MaxLength, MaxItems, MaxProperties *int

	Patterns    []Pattern
	Format      string
	UniqueItems bool

	// Items are those of a list's items and of a map's values.
	Items *Constraints

	// Other are keywords that Go does not check. Only a comparison of versions regards them.
	Other []Limit
}

// Pattern is a regular expression that a string has to match somewhere, in the syntax of ECMAScript.
type Pattern struct {
	Text string
	Pos  diag.Pos
}

// OfItems returns the constraints of items or values.
func (c *Constraints) OfItems() *Constraints {
	if c == nil {
		return nil
	}
	return c.Items
}

// IsZero reports whether nothing is restricted that Go can check.
func (c *Constraints) IsZero() bool {
	return c == nil || c.Minimum == "" && c.ExclusiveMinimum == "" && c.Maximum == "" && c.ExclusiveMaximum == "" && c.MultipleOf == nil &&
		c.MinLength == 0 && c.MinItems == 0 && c.MinProperties == 0 && c.MaxLength == nil && c.MaxItems == nil && c.MaxProperties == nil &&
		c.Patterns == nil && c.Format == "" && !c.UniqueItems && c.Items.IsZero()
}

// And returns the constraints of both.
func (c *Constraints) And(o *Constraints) *Constraints {
	switch {
	case c.IsZero() && !c.hasOther():
		return o
	case o.IsZero() && !o.hasOther():
		return c
	}
	out := &Constraints{
		Minimum: tighter(c.Minimum, o.Minimum, 1), ExclusiveMinimum: tighter(c.ExclusiveMinimum, o.ExclusiveMinimum, 1),
		Maximum: tighter(c.Maximum, o.Maximum, -1), ExclusiveMaximum: tighter(c.ExclusiveMaximum, o.ExclusiveMaximum, -1),
		MinLength: max(c.MinLength, o.MinLength), MinItems: max(c.MinItems, o.MinItems), MinProperties: max(c.MinProperties, o.MinProperties),
		MaxLength: least(c.MaxLength, o.MaxLength), MaxItems: least(c.MaxItems, o.MaxItems), MaxProperties: least(c.MaxProperties, o.MaxProperties),
		Format: c.Format, UniqueItems: c.UniqueItems || o.UniqueItems, Items: c.Items.And(o.Items),
	}
	if out.Format == "" {
		out.Format = o.Format
	}
	for _, m := range slices.Concat(c.MultipleOf, o.MultipleOf) {
		out.MultipleOf = each.With(out.MultipleOf, m)
	}
	for _, p := range slices.Concat(c.Patterns, o.Patterns) {
		if !slices.ContainsFunc(out.Patterns, func(has Pattern) bool { return has.Text == p.Text }) {
			out.Patterns = append(out.Patterns, p)
		}
	}
	for _, l := range slices.Concat(c.Other, o.Other) {
		out.Other = each.With(out.Other, l)
	}
	return out
}

// Equal reports whether both restrict values in the same way, as far as Go can check it.
func (c *Constraints) Equal(o *Constraints) bool { return slices.Equal(c.checked(), o.checked()) }

// tighter returns the greater of two bounds if sign is 1, and the smaller one if it is -1. "" is no bound.
func tighter(a, b string, sign float64) string {
	x, notA := strconv.ParseFloat(a, 64)
	y, notB := strconv.ParseFloat(b, 64)
	if notA != nil || notB == nil && y*sign > x*sign {
		return b
	}
	return a
}

func least(a, b *int) *int {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}
