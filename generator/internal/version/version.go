// Package version holds versions of a protocol, their order, and ranges of them.
package version

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a protocol version: numbers separated by dots. A pre-release suffix such as -dev is
// accepted and counts as the version itself.
type Version struct {
	text  string
	parts [3]int
}

// Parse reads a version such as 0.7.0, 1.0 or 0.8.0-dev.
func Parse(text string) (Version, error) {
	v := Version{text: text}
	core, suffix, _ := strings.Cut(text, "-")
	if strings.ContainsFunc(suffix, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '-')
	}) {
		return v, fmt.Errorf("version %q has a suffix of more than letters, digits, dots and dashes", text)
	}
	fields := strings.Split(core, ".")
	if len(fields) > len(v.parts) {
		return v, fmt.Errorf("version %q has more than three numbers", text)
	}
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return v, fmt.Errorf("version %q holds a number that is too large", text)
		case err != nil || n < 0 || f[0] == '+':
			return v, fmt.Errorf("version %q is not made of numbers and dots", text)
		}
		v.parts[i] = n
	}
	return v, nil
}

// String returns the version as it was written.
func (v Version) String() string { return v.text }

// IsZero reports whether v is unknown.
func (v Version) IsZero() bool { return v.text == "" }

// Compare orders versions by their numbers.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.parts[0], w.parts[0]), cmp.Compare(v.parts[1], w.parts[1]), cmp.Compare(v.parts[2], w.parts[2]))
}

// Precedes reports whether v is a pre-release of w, as 0.8.0-dev is of 0.8.0.
func (v Version) Precedes(w Version) bool {
	return v.Compare(w) == 0 && strings.Contains(v.text, "-") && !strings.Contains(w.text, "-")
}

// Differ is the first number in which two versions differ: 0 major, 1 minor, 2 patch, 3 none.
func (v Version) Differ(w Version) int {
	i := 0
	for i < len(v.parts) && v.parts[i] == w.parts[i] {
		i++
	}
	return i
}

// Raised is the next version in which the number at a place is another one.
func (v Version) Raised(place int) string {
	var next [3]int
	copy(next[:], v.parts[:place+1])
	next[place]++
	return fmt.Sprintf("%d.%d.%d", next[0], next[1], next[2])
}

// Range is a set of versions: comparisons that all have to hold. The empty range holds every version.
type Range struct{ bounds []bound }

type bound struct {
	op      string
	version Version
}

// ParseRange reads comparisons separated by spaces, such as ">=0.5.0 <0.7.0" or "0.4.0".
func ParseRange(text string) (Range, error) {
	var r Range
	for _, field := range strings.Fields(text) {
		number := strings.TrimLeft(field, "<>=")
		op := strings.TrimSuffix(field, number)
		switch op {
		case "", "=", "<", "<=", ">", ">=":
		default:
			return r, fmt.Errorf("%q is not a comparison of versions", field)
		}
		v, err := Parse(number)
		if err != nil {
			return r, err
		}
		r.bounds = append(r.bounds, bound{op, v})
	}
	return r, nil
}

// Holds reports whether v is in the range. An unknown version is in every range.
func (r Range) Holds(v Version) bool {
	if v.IsZero() {
		return true
	}
	for _, b := range r.bounds {
		c := v.Compare(b.version)
		ok := c == 0
		switch b.op {
		case "<":
			ok = c < 0
		case "<=":
			ok = c <= 0
		case ">":
			ok = c > 0
		case ">=":
			ok = c >= 0
		}
		if !ok {
			return false
		}
	}
	return true
}

// Opens reports whether the range begins with the release that v is a pre-release of.
func (r Range) Opens(v Version) bool {
	return slices.ContainsFunc(r.bounds, func(b bound) bool { return b.op == ">=" && v.Precedes(b.version) })
}
