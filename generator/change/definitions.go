// Definitions: which types of the two sides stand for each other, and which came or went.

package change

import (
	"cmp"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// definitions compares types by name, and then reports those that have no counterpart: neither
// one of their name nor one that stands where they stood.
func (c *comparer) definitions() {
	oldTags, newTags := derived(c.old), derived(c.new)
	byName := map[string]protocol.Type{}
	for _, t := range c.new.Types {
		byName[publicName(t)] = t
	}
	for _, o := range c.old.Types {
		if n, ok := byName[publicName(o)]; ok && !(oldTags[o] && newTags[n] && !declared(o, n)) {
			place := Place{OldType: o, NewType: n}
			c.expr(protocol.Ref{Type: o}, protocol.Ref{Type: n}, spot{publicName(o), o.Head().Pos, n.Head().Pos, place})
			c.compare(publicName(o), o, n)
			if kind(o) == alias || kind(n) == alias { // what they stand for is paired, not they
				c.pairedOld[o], c.pairedNew[n] = true, true
			}
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

// publicName is the stated name of a type, so that an inline shape and a definition of the same
// name are the same thing.
func publicName(t protocol.Type) string { return cmp.Or(t.Head().GoName, t.Head().Name) }

// derived lists the types that follow from others: the tags of unions, and the unions of one
// channel's actions. What changes in them is a change of the union or the action table already.
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

// declared reports whether both are unions that stand in the schemas.
func declared(old, new protocol.Type) bool {
	o, ok1 := old.(*protocol.Union)
	n, ok2 := new.(*protocol.Union)
	return ok1 && ok2 && o.Scope == protocol.Declared && n.Scope == protocol.Declared
}

// isOwn reports whether a type without a counterpart is a change of its own. Inline types are part of what they stand in.
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

// alias is the kind of what is another name for a type.
const alias = "alias"

// pair compares two types that stand for each other. Types of one name are compared under that
// name, once; others at the place where they meet.
func (c *comparer) pair(subject string, old, new protocol.Type) {
	c.pairedOld[old], c.pairedNew[new] = true, true
	if publicName(old) == publicName(new) {
		return
	}
	if !old.Head().Inline && !new.Head().Inline && !c.has(c.new, old) && !c.has(c.old, new) {
		c.add(TypeRenamed, publicName(old), publicName(new), spot{"types", old.Head().Pos, new.Head().Pos, Place{OldType: old, NewType: new}})
	}
	c.compare(subject, old, new)
}

// has reports whether a protocol has a type of the name of another.
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
	}
}

// standing is whether something is deprecated, and what to use then.
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
