// Limits: keywords that restrict values without giving them another type in Go.

package schema

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// IsLimit reports whether a keyword restricts values without giving them another type.
func IsLimit(keyword string) bool {
	return slices.Contains(limits, keyword) || slices.Contains(validating, keyword)
}

// limit keeps a keyword that only validates. The first one of each name is reported, since the Go types do not hold it;
// then and else are reported with if.
func (p *schemaParser) limit(s *Schema, m Member) {
	s.Limits = append(s.Limits, m)
	if p.noted[m.Key] || (m.Key == "then" || m.Key == "else") && s.Node.Get("if") != nil {
		return
	}
	p.noted[m.Key] = true
	p.Warnf(m.KeyPos, "unchecked-keyword",
		p.opts.hint("list it under ignoreKeywords in the profile if that is all right", "if that is all right, list it under ignoreKeywords in a profile"),
		"keyword %q restricts values without giving them another type; Go takes all of them", m.Key)
}

// onlyRequires reports whether each alternative of a choice, and each of those in it, only names members that have to be there.
func (p *schemaParser) onlyRequires(list *Node) bool {
	return everyItem(list, func(n *Node) bool {
		return n.Kind == Object && len(n.Members) > 0 && !slices.ContainsFunc(n.Members, func(m Member) bool {
			switch m.Key {
			case "required", "not", "title", "description", "$comment":
				return false
			case "oneOf", "anyOf", "allOf":
				return !p.onlyRequires(m.Value)
			}
			return true
		})
	})
}

// onlyLimits reports whether the alternatives of a choice only limit values of the type that stands beside it: strings,
// numbers or booleans.
func onlyLimits(s, list *Node) bool {
	of := s.Get("type").Str()
	return of != "" && of != "object" && of != "array" && everyItem(list, func(n *Node) bool {
		return n.Kind == Object && !slices.ContainsFunc(n.Members, func(m Member) bool {
			switch m.Key {
			case "type":
				return m.Value.Str() != of
			case "format", "title", "description", "$comment":
				return false
			}
			return !slices.Contains(limits, m.Key)
		})
	})
}

// everyItem reports whether something holds for each item of a list that has some.
func everyItem(list *Node, holds func(*Node) bool) bool {
	return list.Kind == Array && len(list.Items) > 0 && !slices.ContainsFunc(list.Items, func(n *Node) bool { return !holds(n) })
}

// anything is the schema of values about which nothing is said.
var anything = &Node{Kind: Bool, Bool: true}

// tuple returns the schema of all items of a list whose positions have schemas of their own: theirs if they are equal,
// otherwise any value. Items behind them may be anything, unless the schema says otherwise.
func (p *schemaParser) tuple(s *Schema, m Member, rest *Node) *Schema {
	if !p.want(m, Array) {
		return nil
	}
	all := slices.Clone(m.Value.Items)
	most := math.MaxInt
	if n := s.Node.Get("maxItems"); n != nil && n.Kind == Number {
		if limit, err := strconv.Atoi(n.Text); err == nil {
			most = limit
		}
	}
	switch {
	case rest != nil && (rest.Kind != Bool || rest.Bool):
		all = append(all, rest)
	case rest == nil && most > len(all):
		all = append(all, anything)
	}
	return p.common(m, all)
}

// patterns sets the schema of undeclared members, which patterns of their names decide. Names that match none may have any
// value, unless the schema says otherwise.
func (p *schemaParser) patterns(s *Schema, m Member) {
	if !p.want(m, Object) {
		return
	}
	s.Limits = append(s.Limits, m)
	all := each.Map(m.Value.Members, func(pattern Member) *Node { return pattern.Value })
	every := slices.ContainsFunc(m.Value.Members, func(pattern Member) bool { return matchesAll(pattern.Key) })
	switch rest := s.Node.Get("additionalProperties"); {
	case rest != nil && (rest.Kind != Bool || rest.Bool):
		all = append(all, rest)
	case rest == nil && !every:
		all = append(all, anything)
	}
	s.Additional = p.common(m, all)
}

// someNames are of all kinds that matter to patterns, except for the empty one.
var someNames = []string{"a", "Z", "7", " ", "-", "_", ".", "/", "$", "ä", "日", strings.Repeat("a-B_7.", 50)}

// matchesAll reports whether a pattern matches every name, such as .* or .{1,} does.
func matchesAll(pattern string) bool {
	expr, err := regexp.Compile(pattern)
	return err == nil && !slices.ContainsFunc(someNames, func(name string) bool { return !expr.MatchString(name) })
}

// common returns the schema that all are, or any value.
func (p *schemaParser) common(m Member, all []*Node) *Schema {
	var first *Schema
	for _, n := range all {
		parsed := p.schema(n) // also to find what is wrong in it
		if first == nil {
			first = parsed
		}
	}
	if first == nil || slices.ContainsFunc(all, func(n *Node) bool { return !sameMeaning(n, all[0]) }) {
		return p.schema(&Node{Kind: Bool, Bool: true, Pos: m.Value.Pos})
	}
	return first
}

// IsBeyondInt64 reports whether integers need a uint64, by their format, or since they begin with 0 or more and go up to more than an
// int64 holds. What is next to the greatest int64 is meant to be that one: it may have been a float64 on its way.
func (s *Schema) IsBeyondInt64() bool {
	limit := func(keyword string) float64 {
		if n := s.Limit(keyword); n != nil && n.Kind == Number {
			if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
				return f
			}
		}
		return -1
	}
	return s.Format == "uint64" || limit("minimum") >= 0 && limit("maximum") > 1<<63
}
