// Draw: decisions that lead to a value.

package random

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Draw draws the parts of one value.
type Draw struct {
	src   Source
	left  int    // numbers before the rest of the value is minimal
	depth int    // of objects
	loose int    // depth of an object that may have optional members even if the rest is minimal
	salt  uint64 // makes a further attempt another one, even with a source of zeros
}

// Limits of values, which keep random ones small. Required members may exceed them.
const (
	maxNumbers = 4000
	maxDepth   = 4
	maxNested  = 200 // of types that have no finite value
	maxItems   = 3   // beyond the minimum
	maxLength  = 12  // beyond the minimum
	attempts   = 100
)

// New returns a draw from a source.
func New(src Source) *Draw { return &Draw{src: src, left: maxNumbers} }

func (d *Draw) next() uint64 {
	if d.left <= 0 {
		return d.salt
	}
	d.left--
	return d.src.Uint64() + d.salt
}

// below returns a number less than n, 0 without drawing if there is no choice.
func (d *Draw) below(n int) int {
	if n <= 1 {
		return 0
	}
	return int(d.next() % uint64(n)) //nolint:gosec // less than n
}

// isTight reports whether the rest of a value is minimal.
func (d *Draw) isTight() bool { return d.depth > maxDepth || d.left <= 0 }

// Enter begins an object, and reports whether there may be one more.
func (d *Draw) Enter() bool {
	d.depth++
	return d.depth < maxNested
}

// Leave ends an object.
func (d *Draw) Leave() { d.depth-- }

// Maybe reports whether something optional is there.
func (d *Draw) Maybe() bool { return (!d.isTight() || d.depth == d.loose) && d.next()%2 == 1 }

// Bool returns a boolean.
func (d *Draw) Bool() bool { return d.next()%2 == 1 }

// Variant returns the number of a variant out of n. The first has to be one that ends.
func (d *Draw) Variant(n int) int {
	if d.isTight() {
		return 0
	}
	return d.below(n)
}

// count returns a number of items or members. A negative maximum is none.
func (d *Draw) count(least, most, more int) int {
	if most < 0 || most > least+more {
		most = least + more
	}
	if d.isTight() || most <= least {
		return least
	}
	return least + d.below(most-least+1)
}

// Pick returns one of several values.
func Pick[T any](d *Draw, values ...T) T { return values[d.below(len(values))] }

// Ptr returns a pointer to a value.
func Ptr[T any](v T) *T { return &v }

// Nullable returns a member that is absent, null or a value.
func Nullable[T any](d *Draw, value func(*Draw) T) wire.Nullable[T] {
	if !d.Maybe() {
		return wire.Nullable[T]{}
	}
	if d.Bool() {
		return wire.Of(value(d))
	}
	return wire.Null[T]()
}

// Until draws values until one is valid. It returns the last one if none of 100 is.
func Until[T any](d *Draw, value func(*Draw) T, valid func(*T) error) T {
	loose := d.loose
	defer func() { d.loose = loose }()
	v, _ := retry(d, value, func(v *T) bool {
		d.loose = d.depth + 1 // from the second attempt on
		return valid(v) == nil
	})
	return v
}

// Converted draws texts until decode takes one. It returns the zero value if it takes none of 100.
func Converted[T any](d *Draw, text func(*Draw) string, decode func(string) (T, error)) T {
	var v T
	retry(d, text, func(s *string) bool {
		got, err := decode(*s)
		if err == nil {
			v = got
		}
		return err == nil
	})
	return v
}

// retry draws values until one will do, and reports whether it does.
func retry[T any](d *Draw, value func(*Draw) T, will func(*T) bool) (v T, ok bool) {
	salt := d.salt
	defer func() { d.salt = salt }()
	for i := uint64(0); i < attempts; i++ {
		d.salt = salt + i
		if v = value(d); will(&v) {
			return v, true
		}
	}
	return v, false
}

// List returns a list. A negative maximum is none. Items that are to be unique are so as JSON; there are fewer if 100
// attempts find no other.
func List[T any](d *Draw, least, most int, unique bool, item func(*Draw) T) []T {
	n := d.count(least, most, maxItems)
	list := make([]T, 0, min(n, 1<<10))
	seen := map[string]bool{}
	for len(list) < n {
		if !unique {
			list = append(list, item(d))
			continue
		}
		var text []byte
		v, ok := retry(d, item, func(v *T) bool {
			text, _ = json.Marshal(v)
			return !seen[string(text)]
		})
		if !ok {
			break
		}
		seen[string(text)] = true
		list = append(list, v)
	}
	return list
}

// Map returns a map, without some names.
func Map[T any](d *Draw, least, most int, value func(*Draw) T, without ...string) map[string]T {
	n := d.count(least, most, maxItems)
	m := map[string]T{}
	taken := map[string]bool{}
	for _, name := range without {
		taken[name] = true
	}
	for len(m) < n {
		name, ok := retry(d, func(d *Draw) string { return "k" + d.letters(d.below(4)) }, func(name *string) bool { return !taken[*name] })
		if !ok {
			break
		}
		taken[name] = true
		m[name] = value(d)
	}
	return m
}

// JSON returns any value but null.
func (d *Draw) JSON() json.RawMessage {
	switch d.Variant(5) {
	case 1:
		return json.RawMessage("true")
	case 2:
		return encoded(d.letters(d.below(5)))
	case 3:
		return d.Object()
	case 4:
		return json.RawMessage("[]")
	}
	return encoded(d.below(100))
}

// Object returns an object with any members.
func (d *Draw) Object() json.RawMessage {
	d.depth++
	defer d.Leave()
	return encoded(Map(d, 0, -1, (*Draw).JSON))
}

func encoded(v any) json.RawMessage {
	data, _ := json.Marshal(v) // of what can be encoded
	return data
}
