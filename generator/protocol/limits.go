// Limits: constraints as a list, one entry for each keyword.

package protocol

import (
	"slices"
	"strconv"
)

// Limit is a keyword with its value as text: that of a number, a text as it is, or JSON in which the order of members and what is
// only for readers do not count.
type Limit struct{ Keyword, Value string }

// Schema stands in the place of a keyword for all that is said of a value which is raw JSON, or of what is in a list or map of such.
const Schema = "schema"

// Limits returns all that is restricted, that of items and values under names such as items.minimum.
func (c *Constraints) Limits() []Limit { return c.list("", true) }

// checked is Limits without what Go does not check.
func (c *Constraints) checked() []Limit { return c.list("", false) }

func (c *Constraints) list(prefix string, other bool) (out []Limit) {
	if c == nil {
		return nil
	}
	add := func(keyword, value string) {
		if value != "" {
			out = append(out, Limit{prefix + keyword, value})
		}
	}
	count := func(keyword string, least int, most *int) {
		if least > 0 {
			add("min"+keyword, strconv.Itoa(least))
		}
		if most != nil {
			add("max"+keyword, strconv.Itoa(*most))
		}
	}
	add("minimum", c.Minimum)
	add("exclusiveMinimum", c.ExclusiveMinimum)
	add("maximum", c.Maximum)
	add("exclusiveMaximum", c.ExclusiveMaximum)
	for _, n := range c.MultipleOf {
		add("multipleOf", n)
	}
	count("Length", c.MinLength, c.MaxLength)
	for _, p := range c.Patterns {
		out = append(out, Limit{prefix + "pattern", p.Text})
	}
	add("format", c.Format)
	count("Items", c.MinItems, c.MaxItems)
	if c.UniqueItems {
		add("uniqueItems", "true")
	}
	count("Properties", c.MinProperties, c.MaxProperties)
	if other {
		for _, l := range c.Other {
			add(l.Keyword, l.Value)
		}
	}
	return slices.Concat(out, c.Items.list(prefix+"items.", other))
}

// hasOther reports whether something is restricted that Go does not check.
func (c *Constraints) hasOther() bool { return c != nil && (len(c.Other) > 0 || c.Items.hasOther()) }
