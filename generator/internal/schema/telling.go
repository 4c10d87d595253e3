// Telling: names of alternatives by what tells them apart.

package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Alternative is what an alternative of a union may be named after.
type Alternative struct {
	Constants []Constant // of its members, those to name it after first
	Required  []string   // members, in order
	Declared  []string   // members, required ones among them
	Of        string     // the only definition that it takes in, or ""
}

// Constant is a member with a single value.
type Constant struct{ Member, Text string }

// ConstantOf returns the constant that a value is of a member, or false if it is no name. A value that is no text says little
// without the member.
func ConstantOf(member string, value *Node) (Constant, bool) {
	text := ""
	switch {
	case value == nil || value.Kind == Object || value.Kind == Array || value.Kind == Null:
		return Constant{}, false
	case value.Kind == String && value.Text != "":
		text = value.Text
	case value.Kind == String:
		text = member + "-empty"
	default:
		text = member + "-" + value.Compact()
	}
	return Constant{member, text}, utf8.RuneCountInString(text) <= maxTelling
}

// maxTelling bounds the length of texts that alternatives are named after.
const maxTelling = 40

// maxAlternatives bounds the alternatives that are compared with each other.
const maxAlternatives = 1000

// Telling names alternatives: each by the constants that tell it from the others; if these do not, also by the first member that only
// it requires, or else declares, or by the definition that it takes in. Others are what further alternatives are. What nothing tells
// apart is named "". Adding an alternative changes only the names of those that share something with it.
func Telling(list, others []Alternative) []string {
	out := make([]string, len(list))
	if len(list)+len(others) > maxAlternatives {
		return out
	}
	count := map[string]int{}
	for i, a := range list {
		rest := slices.Concat(list[:i], list[i+1:], others)
		out[i] = a.toldFrom(rest)
		count[out[i]]++
	}
	for i, name := range out {
		if count[name] > 1 {
			out[i] = ""
		}
	}
	return out
}

// toldFrom returns the name of an alternative among others.
func (a Alternative) toldFrom(rest []Alternative) string {
	var parts []string
	alike := func(same func(Alternative) bool) (left []Alternative, some bool) {
		for _, o := range rest {
			if same(o) {
				left = append(left, o)
			}
		}
		return left, len(left) < len(rest)
	}
	for _, c := range a.Constants {
		if left, some := alike(func(o Alternative) bool { return slices.Contains(o.Constants, c) }); some {
			parts, rest = append(parts, c.Text), left
		}
	}
	if len(rest) > 0 {
		member := ownOf(a.Required, rest, func(o Alternative) []string { return o.Required })
		if member == "" {
			member = ownOf(a.Declared, rest, func(o Alternative) []string { return o.Declared })
		}
		switch {
		case member != "":
			parts = append(parts, "with-"+member)
		case a.Of != "" && !slices.ContainsFunc(rest, func(o Alternative) bool { return o.Of == a.Of }):
			parts = append(parts, a.Of)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "-"), ".", "-")
}

// ownOf returns the first name that none of the others has.
func ownOf(names []string, others []Alternative, has func(Alternative) []string) string {
	i := slices.IndexFunc(names, func(name string) bool {
		return !slices.ContainsFunc(others, func(o Alternative) bool { return slices.Contains(has(o), name) })
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// telling names alternatives as they are written, before references are resolved and repairs made.
func (s *Set) telling(list []*Node) []string {
	of := make([]Alternative, len(list))
	for i, n := range list {
		s.describe(n, &of[i], 0)
		declared := of[i].Declared
		slices.SortStableFunc(of[i].Required, func(x, y string) int { return slices.Index(declared, x) - slices.Index(declared, y) })
	}
	return Telling(of, nil)
}

// maxParts bounds how deep parts of an alternative are within each other.
const maxParts = 20

// describe adds what a schema says to what an alternative is.
func (s *Set) describe(n *Node, a *Alternative, depth int) {
	if depth > maxParts {
		return
	}
	if ref := n.Get("$ref").Str(); ref != "" {
		name := ref[strings.LastIndexAny(ref, "/#")+1:]
		if a.Of = name; len(s.copies(name)) > 0 {
			s.describe(s.copies(name)[0].Node, a, depth+1)
			a.Of = name
		}
	}
	for _, part := range n.Get("allOf").List() {
		s.describe(part, a, depth+1)
	}
	if properties := n.Get("properties"); properties != nil {
		for _, p := range properties.Members {
			a.Declared = append(a.Declared, p.Key)
			value := p.Value.Get("const")
			if list := p.Value.Get("enum").List(); value == nil && len(list) == 1 {
				value = list[0]
			}
			if c, ok := ConstantOf(p.Key, value); ok {
				a.Constants = append(a.Constants, c)
			}
		}
	}
	for _, name := range n.Get("required").List() {
		a.Required = append(a.Required, name.Str())
	}
}
