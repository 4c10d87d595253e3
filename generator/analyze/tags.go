// Tags: which unions contain others, and the types of their discriminators.

package analyze

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// parents finds the unions that contain others: a ToolCallConfirmation that holds two of the seven
// variants of a ToolCall is a ToolCall as well.
func (b *builder) parents() {
	var list []*protocol.Union
	leaves := map[*protocol.Union]map[*protocol.Struct]bool{}
	for _, t := range b.out.Types {
		b.diags.Working(t.Head().Pos)
		u, ok := t.(*protocol.Union)
		if !ok || u.Kind != protocol.Tagged || u.Dispatch == nil {
			continue
		}
		list = append(list, u)
		leaves[u] = map[*protocol.Struct]bool{}
		for _, s := range u.Leaves() {
			leaves[u][s] = true
		}
	}
	inside := func(u, v *protocol.Union) bool {
		whole := u.Scope != protocol.Declared && v == b.out.Actions.Union // the only channel, or all are dispatchable
		if u == v || len(leaves[u]) > len(leaves[v]) || len(leaves[u]) == len(leaves[v]) && !whole {
			return false
		}
		for s := range leaves[u] {
			if !leaves[v][s] {
				return false
			}
		}
		return true
	}
	parent := func(u, v *protocol.Union) bool {
		// What a client may dispatch says nothing about a kind of action that newer versions may
		// add to.
		passing := v.Scope == protocol.DispatchScope && (u.Open || u.Scope != protocol.Declared)
		return inside(u, v) && !passing
	}
	for _, u := range list {
		for _, v := range list {
			if !parent(u, v) {
				continue
			}
			nearest := !slices.ContainsFunc(list, func(w *protocol.Union) bool { return parent(u, w) && parent(w, v) })
			if nearest {
				u.Parents = append(u.Parents, v)
			}
		}
	}
}

// tags gives every union that is tagged by strings a type for its tags. Unions inside another use
// the other's; several unions may share one by name.
func (b *builder) tags() {
	made := map[string]*protocol.Enum{}
	var done func(u *protocol.Union)
	seen := map[*protocol.Union]bool{}
	done = func(u *protocol.Union) {
		if seen[u] || u.Kind != protocol.Tagged || u.Dispatch == nil || u.Dispatch.Kind != protocol.String {
			return
		}
		seen[u] = true
		rule, _ := b.unionRule(u)
		name := ""
		if rule != nil {
			name = rule.Tag
		}
		if name == "" {
			for _, p := range u.Parents {
				done(p)
				if p.Tag != nil && p.Dispatch.Member == u.Dispatch.Member {
					u.Tag = p.Tag
					u.Tag.Open = u.Tag.Open || u.Open
					b.useTag(u)
					return
				}
			}
			name = u.Name + "." + u.Dispatch.Member
		}
		tag := made[name]
		if tag == nil {
			tag = b.tagEnum(name, u)
			made[name] = tag
		}
		tag.Open = tag.Open || u.Open
		for _, c := range u.Dispatch.Cases {
			for _, v := range c.Values {
				if !slices.ContainsFunc(tag.Members, func(m *protocol.EnumMember) bool { return m.Value == v }) {
					tag.Members = append(tag.Members, &protocol.EnumMember{Value: v, Pos: u.Pos})
				}
			}
		}
		u.Tag = tag
		b.useTag(u)
	}
	for _, t := range slices.Clone(b.out.Types) {
		b.diags.Working(t.Head().Pos)
		if u, ok := t.(*protocol.Union); ok {
			done(u)
		}
	}
	for _, tag := range made {
		b.enumRule(tag)
	}
}

// tagEnum makes the type of a union's tags, or takes the definition of that name.
func (b *builder) tagEnum(name string, u *protocol.Union) *protocol.Enum {
	if e, ok := b.out.Lookup(name).(*protocol.Enum); ok && e.Kind == protocol.String {
		return e
	}
	e := &protocol.Enum{Kind: protocol.String, Header: protocol.Header{
		Name: name, Pos: u.Pos, Inline: true,
		Doc: fmt.Sprintf("The values of %q that tell the variants of {@link %s} apart.", u.Dispatch.Member, u.Name),
	}}
	i := slices.IndexFunc(b.out.Types, func(t protocol.Type) bool { return t == protocol.Type(u) })
	b.out.Types = slices.Insert(b.out.Types, i+1, protocol.Type(e))
	return e
}

// useTag types the discriminator of structs that own several of its values. The inline enum that
// stood there before is no longer needed.
func (b *builder) useTag(u *protocol.Union) {
	for _, c := range u.Dispatch.Cases {
		structs := []*protocol.Struct{c.Struct}
		if c.Next != nil {
			structs = dispatched(c.Next)
		}
		for _, s := range structs {
			b.typeTag(u, s.Field(u.Dispatch.Member), c.Values)
		}
	}
}

func (b *builder) typeTag(u *protocol.Union, f *protocol.Field, values []protocol.Value) {
	ref, ok := f.Type.(protocol.Ref)
	if f.Const != nil || !ok {
		return
	}
	if len(values) == 1 {
		f.Const = &values[0]
		f.Type = values[0].Kind
	} else {
		f.Values = values
		f.Type = protocol.Ref{Type: u.Tag}
	}
	if ref.Type.Head().Inline && ref.Type != protocol.Type(u.Tag) {
		b.replaced[ref.Type] = true
	}
}
