// Package version implements protocol versions, their order, and ranges.
package version

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Order is the syntax and order of a protocol's versions. It must be stated: 2025-11-25 is a date in one protocol and
// a pre-release of 2025 in another.
type Order string

// The orders. The zero value is Numbers.
const (
	Numbers  Order = "numbers"  // up to three numbers, optionally with a pre-release: 0.7.0, 0.8.0-dev
	Dates    Order = "dates"    // calendar dates: 2025-11-25
	Integers Order = "integers" // integers: 3
)

// Version is a protocol version. In numeric order, a pre-release suffix such as -dev is ignored in comparisons.
type Version struct {
	order Order
	text  string
	parts [3]int
}

// Parse parses a version in the given order.
func (o Order) Parse(text string) (Version, error) {
	v := Version{order: o.settled(), text: text}
	date, err := time.Parse(time.DateOnly, text)
	switch {
	case v.order == Dates && err != nil:
		return v, fmt.Errorf("version %q is not a date", text)
	case v.order == Dates:
		v.parts = [3]int{date.Year(), int(date.Month()), date.Day()}
		return v, nil
	case v.order == Integers && !isInteger(text):
		return v, fmt.Errorf("version %q is not a whole number", text)
	case err == nil:
		return v, fmt.Errorf("version %q is a date, and cannot be compared with versions that are numbers", text)
	}
	return v, v.readNumbers()
}

// settled returns the order, or the default.
func (o Order) settled() Order { return cmp.Or(o, Numbers) }

func isInteger(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// readNumbers reads a version such as 0.7.0, 1.0 or 0.8.0-dev.
func (v *Version) readNumbers() error {
	core, suffix, _ := strings.Cut(v.text, "-")
	if strings.ContainsFunc(suffix, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '-')
	}) {
		return fmt.Errorf("version %q has a suffix of more than letters, digits, dots and dashes", v.text)
	}
	fields := strings.Split(core, ".")
	if len(fields) > len(v.parts) {
		return fmt.Errorf("version %q has more than three numbers", v.text)
	}
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("version %q holds a number that is too large", v.text)
		case err != nil || n < 0 || f[0] == '+':
			return fmt.Errorf("version %q is not made of numbers and dots", v.text)
		}
		v.parts[i] = n
	}
	return nil
}

// Hint describes the expected syntax of a version.
func (o Order) Hint(text string) string {
	if _, err := time.Parse(time.DateOnly, text); err == nil && o.settled() == Numbers {
		return `state "order": "dates" beside the versions`
	}
	return "versions look like " + o.example()
}

// RangeHint describes the expected syntax of a range.
func (o Order) RangeHint() string {
	next := map[Order]string{Numbers: "0.7.0", Dates: "2026-07-28", Integers: "4"}[o.settled()]
	first := map[Order]string{Numbers: "0.5.0"}[o.settled()]
	return fmt.Sprintf(`ranges look like ">=%s <%s"`, cmp.Or(first, o.example()), next)
}

func (o Order) example() string {
	return map[Order]string{Numbers: "0.7.0", Dates: "2025-11-25", Integers: "3"}[o.settled()]
}

// Check rejects text that is not a version in any order.
func Check(text string) error {
	_, err := Numbers.Parse(text)
	if _, dated := Dates.Parse(text); dated == nil {
		return nil
	}
	return err // integers are also numbers
}

// String returns the version as it was written.
func (v Version) String() string { return v.text }

// IsZero reports whether the version is unknown.
func (v Version) IsZero() bool { return v.text == "" }

// Numbered reports whether the version consists of numbers of decreasing significance.
func (v Version) Numbered() bool { return v.order == Numbers }

// Compare orders versions of one protocol.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.parts[0], w.parts[0]), cmp.Compare(v.parts[1], w.parts[1]), cmp.Compare(v.parts[2], w.parts[2]))
}

// Precedes reports whether v is a pre-release of w, as 0.8.0-dev is of 0.8.0.
func (v Version) Precedes(w Version) bool {
	return v.Numbered() && v.Compare(w) == 0 && strings.Contains(v.text, "-") && !strings.Contains(w.text, "-")
}

// Differ returns the first component in which two versions differ: 0 major, 1 minor, 2 patch, 3 none.
func (v Version) Differ(w Version) int {
	i := 0
	for i < len(v.parts) && v.parts[i] == w.parts[i] {
		i++
	}
	return i
}

// Raised returns the next version that differs in the given component.
func (v Version) Raised(place int) string {
	var next [3]int
	copy(next[:], v.parts[:place+1])
	next[place]++
	return fmt.Sprintf("%d.%d.%d", next[0], next[1], next[2])
}

// Range is a conjunction of comparisons. The empty range contains every version.
type Range struct{ bounds []bound }

type bound struct {
	op      string
	version Version
}

// ParseRange reads comparisons separated by spaces, such as ">=0.5.0 <0.7.0" or "0.4.0".
func (o Order) ParseRange(text string) (Range, error) {
	var r Range
	for _, field := range strings.Fields(text) {
		number := strings.TrimLeft(field, "<>=")
		op := strings.TrimSuffix(field, number)
		if comparisons[op] == nil {
			return r, fmt.Errorf("%q is not a comparison of versions", field)
		}
		v, err := o.Parse(number)
		if err != nil {
			return r, err
		}
		r.bounds = append(r.bounds, bound{op, v})
	}
	return r, nil
}

// comparisons are what a version may be to another, as Compare orders them.
var comparisons = map[string]func(order int) bool{
	"":   func(order int) bool { return order == 0 },
	"=":  func(order int) bool { return order == 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// Holds reports whether the range contains the version. Every range contains the unknown version.
func (r Range) Holds(v Version) bool {
	return v.IsZero() || !slices.ContainsFunc(r.bounds, func(b bound) bool { return !comparisons[b.op](v.Compare(b.version)) })
}

// Opens reports whether the range starts at the release that v precedes.
func (r Range) Opens(v Version) bool {
	return slices.ContainsFunc(r.bounds, func(b bound) bool { return b.op == ">=" && v.Precedes(b.version) })
}

// NewestFirst returns versions from the newest to the oldest, each once. Those that cannot be ordered stay where they are.
func (o Order) NewestFirst(versions []string) []string {
	var out []string
	for _, text := range versions {
		out = each.With(out, text)
	}
	slices.SortStableFunc(out, func(a, b string) int { return o.Compare(b, a) })
	return out
}

// Compare compares two versions as cmp.Compare does. Those that cannot be ordered count as equal.
func (o Order) Compare(a, b string) int {
	v, err := o.Parse(a)
	w, err2 := o.Parse(b)
	if err != nil || err2 != nil {
		return 0
	}
	return v.Compare(w)
}
