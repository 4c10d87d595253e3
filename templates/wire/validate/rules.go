// Rules: one function for each keyword.

package validate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// integer are the types of integers.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Minimum requires a number to be at least the bound.
func Minimum[N cmp.Ordered](c *Checker, v, bound N) {
	if v >= bound {
		return
	}
	c.Fail(fmt.Sprintf("minimum %v", bound), fmt.Sprint(v))
}

// ExclusiveMinimum requires a number to be greater than the bound.
func ExclusiveMinimum[N cmp.Ordered](c *Checker, v, bound N) {
	if v > bound {
		return
	}
	c.Fail(fmt.Sprintf("exclusiveMinimum %v", bound), fmt.Sprint(v))
}

// Maximum requires a number to be at most the bound.
func Maximum[N cmp.Ordered](c *Checker, v, bound N) {
	if v <= bound {
		return
	}
	c.Fail(fmt.Sprintf("maximum %v", bound), fmt.Sprint(v))
}

// ExclusiveMaximum requires a number to be less than the bound.
func ExclusiveMaximum[N cmp.Ordered](c *Checker, v, bound N) {
	if v < bound {
		return
	}
	c.Fail(fmt.Sprintf("exclusiveMaximum %v", bound), fmt.Sprint(v))
}

// MultipleOf requires an integer to be a multiple.
func MultipleOf[N integer](c *Checker, v, of N) {
	if v%of != 0 {
		c.Fail(fmt.Sprintf("multipleOf %v", of), fmt.Sprint(v))
	}
}

// MultipleOfFloat requires a number to be a multiple of a decimal fraction such as 0.1.
func MultipleOfFloat(c *Checker, v float64, of string) {
	number, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	unit, _ := new(big.Rat).SetString(of)
	if !ok || unit == nil || !number.Quo(number, unit).IsInt() {
		c.Fail("multipleOf "+of, strconv.FormatFloat(v, 'g', -1, 64))
	}
}

// Float returns a number as a float. What is none is 0, which encoding reports.
func Float(n json.Number) float64 {
	f, _ := n.Float64() // infinite if it is too large
	return f
}

// MinLength requires a text to have at least so many code points.
func (c *Checker) MinLength(s string, n int) {
	if len(s) < n || utf8.RuneCountInString(s) < n {
		c.Fail("minLength "+strconv.Itoa(n), wire.Excerpt(s))
	}
}

// MaxLength requires a text to have at most so many code points.
func (c *Checker) MaxLength(s string, n int) {
	if len(s) > n && utf8.RuneCountInString(s) > n {
		c.Fail("maxLength "+strconv.Itoa(n), wire.Excerpt(s))
	}
}

// Regexp is a regular expression that is compiled when it is first needed.
type Regexp struct {
	text string
	get  func() *regexp.Regexp
}

// NewRegexp returns a regular expression, which must be valid.
func NewRegexp(text string) *Regexp {
	return &Regexp{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Pattern requires a text to match somewhere.
func (c *Checker) Pattern(s string, r *Regexp) {
	if !r.get().MatchString(s) {
		c.Fail("pattern "+r.text, wire.Excerpt(s))
	}
}

// MinItems requires a list to have at least so many items.
func (c *Checker) MinItems(got, n int) {
	if got < n {
		c.Fail("minItems "+strconv.Itoa(n), strconv.Itoa(got))
	}
}

// MaxItems requires a list to have at most so many items.
func (c *Checker) MaxItems(got, n int) {
	if got > n {
		c.Fail("maxItems "+strconv.Itoa(n), strconv.Itoa(got))
	}
}

// MinProperties requires a map to have at least so many members.
func (c *Checker) MinProperties(got, n int) {
	if got < n {
		c.Fail("minProperties "+strconv.Itoa(n), strconv.Itoa(got))
	}
}

// MaxProperties requires a map to have at most so many members.
func (c *Checker) MaxProperties(got, n int) {
	if got > n {
		c.Fail("maxProperties "+strconv.Itoa(n), strconv.Itoa(got))
	}
}

// Members returns the number of members of an object as it is encoded. One that cannot be encoded has none.
func Members(v wire.Appender) int {
	data, err := v.AppendJSON(nil)
	if err != nil {
		return 0
	}
	n := 0
	d := wire.NewDecoder(data)
	for k := d.Object(); k != nil; k = d.NextKey() {
		d.Skip()
		n++
	}
	return n
}

// UniqueItems requires that no two items are equal, as JSON. What cannot be encoded equals nothing.
func UniqueItems[T any](c *Checker, list []T) {
	seen := make(map[string]int, len(list))
	for i := range list {
		text, err := json.Marshal(list[i])
		if err != nil {
			continue
		}
		if first, ok := seen[string(text)]; ok {
			c.Fail("uniqueItems", fmt.Sprintf("%s at %d and %d", wire.Excerpt(string(text)), first, i))
			return
		}
		seen[string(text)] = i
	}
}

// Enum requires a value of a closed enum to be one of the listed ones.
func Enum[V interface{ IsKnown() bool }](c *Checker, v V) {
	if !v.IsKnown() {
		c.Fail("enum", wire.Excerpt(fmt.Sprint(v)))
	}
}

// OneOf requires a tag to be one of several, which stand behind the character that separates them.
func (c *Checker) OneOf(tag, tags string) {
	if !wire.IsListed(tag, tags) {
		c.Fail("enum", wire.Excerpt(tag))
	}
}

// Required requires that something is there.
func (c *Checker) Required(there bool) {
	if !there {
		c.Fail("required", "")
	}
}
