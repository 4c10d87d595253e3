// Definitions: which types correspond, and which were added or removed.

package change

import (
	"cmp"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// definitions compares types by name, then reports types without a counterpart of the same name or in the same place.
func (c *comparer) definitions() {
	oldTags, newTags := derived(c.old), derived(c.new)
	byName := map[string]protocol.Type{}
	for _, t := range c.new.Types {
		byName[publicName(t)] = t
	}
	for _, o := range c.old.Types {
		if n, ok := byName[publicName(o)]; ok && !(oldTags[o] && newTags[n] && !declared(o, n)) && !(c.placed[o] && c.placed[n]) {
			place := Place{OldType: o, NewType: n}
			c.expr(protocol.Ref{Type: o}, protocol.Ref{Type: n}, spot{publicName(o), o.Head().Pos, n.Head().Pos, place})
			c.compare(publicName(o), o, n)
			c.pairedOld[o], c.pairedNew[n] = true, true // also if they are of two kinds, which is a change of its own
		}
	}
	for _, o := range c.old.Types {
		if !c.pairedOld[o] && isOwn(o, oldTags) {
			c.add(TypeRemoved, kind(o), "", spot{publicName(o), o.Head().Pos, diag.Pos{}, Place{OldType: o}})
		}
	}
	for _, n := range c.new.Types {
		if !c.pairedNew[n] && isOwn(n, newTags) {
			c.add(TypeAdded, "", kind(n), spot{publicName(n), diag.Pos{}, n.Head().Pos, Place{NewType: n}})
		}
	}
}

// publicName returns the stated name of a type, so that an inline shape can match a definition of that name.
func publicName(t protocol.Type) string { return cmp.Or(t.Head().GoName, t.Head().Name) }

// derived returns types implied by others: tag enums and per-channel action unions. Their changes are already
// reported for the union or the action table.
func derived(p *protocol.Protocol) map[protocol.Type]bool {
	out := map[protocol.Type]bool{}
	for u := range protocol.Each[*protocol.Union](p.Types) {
		if u.Tag != nil {
			out[u.Tag] = true
		}
	}
	if p.Actions == nil {
		return out
	}
	for _, u := range p.Actions.Channels {
		out[u] = true
	}
	if p.Actions.Client != nil {
		out[p.Actions.Client] = true
	}
	return out
}

// declared reports whether both types are unions declared in the schemas.
func declared(old, new protocol.Type) bool {
	o, ok1 := old.(*protocol.Union)
	n, ok2 := new.(*protocol.Union)
	return ok1 && ok2 && o.Scope == protocol.Declared && n.Scope == protocol.Declared
}

// isOwn reports whether a type without a counterpart is reported separately. Inline types are part of their parent.
func isOwn(t protocol.Type, derived map[protocol.Type]bool) bool {
	return !t.Head().Inline && !derived[t]
}

func kind(t protocol.Type) string {
	switch t.(type) {
	case *protocol.Struct:
		return "object"
	case *protocol.Union:
		return "union"
	case *protocol.Enum:
		return "enum"
	}
	return alias
}

// alias is the kind of type aliases.
const alias = "alias"

// pair compares two corresponding types: under their name, once, if they share it, or else at the place where they
// meet.
func (c *comparer) pair(old, new protocol.Type, at spot) {
	c.pairedOld[old], c.pairedNew[new] = true, true
	if publicName(old) == publicName(new) {
		if c.placed[old] && c.placed[new] { // which are not compared by their names
			c.compare(publicName(old), old, new)
		}
		return
	}
	// What is written in place and gets a definition, or the other way round, is the same on the wire, but not in Go.
	switch {
	case old.Head().Inline && new.Head().Inline:
	case c.has(c.new, old) || c.has(c.old, new): // one has not taken the place of the other everywhere
		c.add(TypeRestated, publicName(old), publicName(new), at)
	case !c.done[[2]protocol.Type{old, new}]:
		c.add(TypeRenamed, publicName(old), publicName(new), spot{"types", old.Head().Pos, new.Head().Pos, Place{OldType: old, NewType: new}})
	}
	c.compare(at.subject, old, new)
}

// has reports whether a protocol declares a type with the name of another.
func (c *comparer) has(p *protocol.Protocol, t protocol.Type) bool {
	if c.names[p] == nil {
		c.names[p] = map[string]bool{}
		for _, known := range p.Types {
			c.names[p][publicName(known)] = true
		}
	}
	return c.names[p][publicName(t)]
}

func (c *comparer) compare(subject string, old, new protocol.Type) {
	key := [2]protocol.Type{old, new}
	if c.done[key] {
		return
	}
	c.done[key] = true
	place := Place{OldType: old, NewType: new}
	was, is := old.Head(), new.Head()
	c.deprecation(standing{was.Deprecated, was.Instead}, standing{is.Deprecated, is.Instead}, spot{subject, was.Pos, is.Pos, place})
	switch o := old.(type) {
	case *protocol.Struct:
		if n, ok := new.(*protocol.Struct); ok {
			c.structs(subject, o, n, place)
		}
	case *protocol.Union:
		if n, ok := new.(*protocol.Union); ok {
			c.unions(subject, o, n, place)
		}
	case *protocol.Enum:
		if n, ok := new.(*protocol.Enum); ok {
			c.enums(subject, o, n, place)
		}
	case *protocol.Alias:
		if n, ok := new.(*protocol.Alias); ok {
			c.limits(valued{o.Target, o.Limits}, valued{n.Target, n.Limits}, spot{subject, was.Pos, is.Pos, place})
		}
	}
}

// standing describes whether something is deprecated, and its replacement.
type standing struct {
	deprecated bool
	instead    *protocol.Instead
}

func (s standing) text() string {
	if s.instead == nil {
		return ""
	}
	return s.instead.String() + " instead"
}

func (c *comparer) deprecation(old, new standing, at spot) {
	switch {
	case new.deprecated && !old.deprecated:
		c.add(Deprecated, "", new.text(), at)
	case old.deprecated && !new.deprecated:
		c.add(DeprecationTaken, old.text(), "", at)
	}
}
