// Checker: where a check is, and what it has found.

package validate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Checker collects violations. Generated code tells it where it is.
type Checker struct {
	path       []step
	violations []Violation
	unreported int
}

// step is a member, or an item if it has no name.
type step struct {
	name  string
	index int
	key   bool
}

// Run returns what a check finds, an [*Error], or nil.
func Run(check func(*Checker)) error {
	var c Checker
	check(&c)
	if len(c.violations) == 0 {
		return nil
	}
	return &Error{c.violations, c.unreported}
}

// Member enters a member.
func (c *Checker) Member(name string) { c.path = append(c.path, step{name: name}) }

// Item enters an item of a list.
func (c *Checker) Item(i int) { c.path = append(c.path, step{index: i}) }

// Key enters a value of a map.
func (c *Checker) Key(key string) { c.path = append(c.path, step{name: key, key: true}) }

// Leave leaves what was entered last.
func (c *Checker) Leave() { c.path = c.path[:len(c.path)-1] }

// Fail records a violation at the current place.
func (c *Checker) Fail(rule, got string) {
	if len(c.violations) == maxViolations {
		c.unreported++
		return
	}
	c.violations = append(c.violations, Violation{Path: c.at(), Rule: rule, Got: got})
}

// at returns the path of the current place.
func (c *Checker) at() string {
	var b strings.Builder
	for _, s := range c.path {
		switch {
		case s.name == "" && !s.key:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case isPlain(s.name):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		default:
			b.WriteString("[" + wire.Excerpt(s.name) + "]")
		}
	}
	return b.String()
}

// isPlain reports whether a name needs no quotes in a path.
func isPlain(name string) bool {
	return name != "" && len(name) < 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Keys returns the keys of a map in order.
func Keys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
