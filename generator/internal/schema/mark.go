// Marks: recognising alternatives that stand for unknown variants.

package schema

import "slices"

// Mark describes such an alternative.
type Mark struct {
	Title    string   // required title, if any
	Keywords []string // required keywords
	Only     []string // allowed keywords, if any are given
}

// bears reports whether a schema matches.
func (m Mark) bears(n *Node) bool {
	if m.Title != "" && n.Get("title").Str() != m.Title {
		return false
	}
	if m.Only != nil && slices.ContainsFunc(n.Members, func(member Member) bool { return !slices.Contains(m.Only, member.Key) }) {
		return false
	}
	return !slices.ContainsFunc(m.Keywords, func(key string) bool { return n.Get(key) == nil })
}

// isUnknown reports whether an alternative stands for unknown variants, by keyword or mark.
func (p *schemaParser) isUnknown(n *Node) bool {
	stated := !p.set.isForeign("x-unknown") && n.Get("x-unknown").True()
	return stated || slices.ContainsFunc(p.opts.Unknown, func(m Mark) bool { return m.bears(n) })
}
