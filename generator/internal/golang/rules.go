// Rules: the constraints that a Go type can violate.

package golang

import (
	"math"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Rule is a constraint of a value of a basic type, a list or a map.
type Rule struct {
	Name string `go:"identifier"` // the keyword, exported
	// Number is the bound as JSON. It is Integer if the value is one, and otherwise Float.
	Number  string `go:"text"`
	IsFloat bool
	Integer int64
	Float   float64
	Count   int    // bound of a length or number
	Text    string `go:"text"` // pattern or format
}

// Rules returns the constraints on a value of a type that is no alias, apart from what is in it. Those that every value
// satisfies are left out.
func Rules(t Type, c *protocol.Constraints) []Rule {
	if c.IsZero() {
		return nil
	}
	switch t := t.(type) {
	case Slice:
		out := counts("Items", c.MinItems, c.MaxItems)
		if c.UniqueItems {
			out = append(out, Rule{Name: "UniqueItems"})
		}
		return out
	case Map:
		return counts("Properties", c.MinProperties, c.MaxProperties)
	case Basic:
		switch t {
		case String:
			return textRules(c)
		case Bool, Raw, RawObject:
			return nil
		}
		return numberRules(t, c)
	}
	return nil
}

func counts(of string, least int, most *int) []Rule {
	var out []Rule
	if least > 0 {
		out = append(out, Rule{Name: "Min" + of, Count: least})
	}
	if most != nil {
		out = append(out, Rule{Name: "Max" + of, Count: *most})
	}
	return out
}

// formats are those whose texts can be checked with the standard library.
var formats = []string{"date-time", "date", "time", "uri", "uuid", "email", "ipv4", "ipv6", "hostname"}

func textRules(c *protocol.Constraints) []Rule {
	out := counts("Length", c.MinLength, c.MaxLength)
	for _, p := range c.Patterns {
		out = append(out, Rule{Name: "Pattern", Text: p.Text})
	}
	if slices.Contains(formats, c.Format) {
		out = append(out, Rule{Name: "Format", Text: c.Format})
	}
	return out
}

func numberRules(t Basic, c *protocol.Constraints) []Rule {
	var out []Rule
	for _, r := range []Rule{
		{Name: "Minimum", Number: c.Minimum}, {Name: "ExclusiveMinimum", Number: c.ExclusiveMinimum},
		{Name: "Maximum", Number: c.Maximum}, {Name: "ExclusiveMaximum", Number: c.ExclusiveMaximum},
	} {
		if r.Number != "" && r.forType(t) {
			out = append(out, r)
		}
	}
	for _, m := range c.MultipleOf {
		f, _ := strconv.ParseFloat(m, 64)
		r := Rule{Name: "MultipleOf", Number: m, IsFloat: true, Float: f}
		if t.isInteger() && f >= 1 && f < 1<<53 && f == math.Trunc(f) {
			if f == 1 {
				continue
			}
			if low, high := t.span(); f <= high && low <= -f || low == 0 && f <= high {
				r = Rule{Name: r.Name, Number: m, Integer: int64(f)}
			}
		}
		if f > 0 {
			out = append(out, r)
		}
	}
	return out
}

// forType writes a bound for a type, and reports whether its values may violate it.
func (r *Rule) forType(t Basic) bool {
	f, _ := strconv.ParseFloat(r.Number, 64)
	r.Float = f
	if !t.isInteger() {
		r.IsFloat = true
		return true
	}
	low, high := t.span()
	switch r.Name {
	case "Minimum":
		if f <= low {
			return false
		}
	case "ExclusiveMinimum":
		if f < low {
			return false
		}
	case "Maximum":
		if f >= high {
			return false
		}
	case "ExclusiveMaximum":
		if f > high {
			return false
		}
	}
	if exact, err := strconv.ParseInt(r.Number, 10, 64); err == nil && float64(exact) >= low && float64(exact) < high {
		r.Integer = exact
		return true
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 && f >= low && f <= high {
		r.Integer = int64(f)
		return true
	}
	r.IsFloat = true // a fraction, or beyond what the type holds
	return true
}

// bits returns the size of an integer type and whether it is signed. It returns 0 for other types.
func (b Basic) bits() (n int, signed bool) {
	if kind, ok := protocol.Integers[string(b)]; ok {
		return kind.Bits()
	}
	return 0, false
}

func (b Basic) isInteger() bool {
	n, _ := b.bits()
	return n > 0
}

// span returns the least and greatest values of an integer type.
func (b Basic) span() (low, high float64) {
	n, signed := b.bits()
	if signed {
		return -math.Ldexp(1, n-1), math.Ldexp(1, n-1) - 1
	}
	return 0, math.Ldexp(1, n) - 1
}

// Range returns the least and greatest values of an integer type, the latter at most that of int64.
func (b Basic) Range() (low, high int64) {
	least, greatest := b.span()
	if b == Int64 || b == Uint64 {
		high = math.MaxInt64
	} else {
		high = int64(greatest)
	}
	return int64(least), high
}
