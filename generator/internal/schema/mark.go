// Marks: how alternatives are recognised that stand for variants of newer versions.

package schema

import "slices"

// Mark recognises an alternative by how it is written.
type Mark struct {
	Title    string   // its title, if stated
	Keywords []string // keywords that it has
	Only     []string // keywords besides which it has none, if any are stated
}

// bears reports whether a schema is written so.
func (m Mark) bears(n *Node) bool {
	if m.Title != "" && n.Get("title").Str() != m.Title {
		return false
	}
	if m.Only != nil && slices.ContainsFunc(n.Members, func(member Member) bool { return !slices.Contains(m.Only, member.Key) }) {
		return false
	}
	return !slices.ContainsFunc(m.Keywords, func(key string) bool { return n.Get(key) == nil })
}

// isUnknown reports whether an alternative stands for the variants of newer versions, by keyword or by a mark.
func (p *schemaParser) isUnknown(n *Node) bool {
	stated := !p.set.isForeign("x-unknown") && n.Get("x-unknown").True()
	return stated || slices.ContainsFunc(p.opts.Unknown, func(m Mark) bool { return m.bears(n) })
}
