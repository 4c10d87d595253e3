// Tags: nested unions, and the types of discriminators.

package dispatch

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Tags finds the unions that contain others, and returns the types of a protocol with those of tags behind their unions.
// Replaced are inline enums that these take the place of.
func Tags(given phase.Given, known phase.Broken, p *protocol.Protocol) (all []protocol.Type, replaced map[protocol.Type]bool, _ phase.Notes) {
	t := &tagger{
		Work: phase.Begin(given, known), in: p, names: phase.NamesOf(p.Types),
		made: map[string]*protocol.Enum{}, behind: map[*protocol.Union]*protocol.Enum{},
		has: map[*protocol.Enum]map[protocol.Value]bool{}, seen: map[*protocol.Union]bool{}, replaced: map[protocol.Type]bool{},
	}
	defer t.Mark()
	t.parents()
	return t.tags(), t.replaced, t.Notes()
}

// parents finds the unions that contain all variants of another.
func (t *tagger) parents() {
	var list []*protocol.Union
	leaves := map[*protocol.Union]map[*protocol.Struct]bool{}
	for u := range protocol.Each[*protocol.Union](t.in.Types) {
		t.Working(u.Pos)
		if u.Kind != protocol.Tagged || u.Dispatch == nil {
			continue
		}
		list = append(list, u)
		leaves[u] = each.Set(u.Leaves())
	}
	holding := map[*protocol.Struct][]*protocol.Union{} // in declaration order
	for _, u := range list {
		for s := range leaves[u] {
			holding[s] = append(holding[s], u)
		}
	}
	inside := func(u, v *protocol.Union) bool {
		whole := u.Scope != protocol.Declared && v == t.in.Actions.Union // the only channel, or all actions are dispatchable
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
	around := map[*protocol.Union]map[*protocol.Union]bool{} // the unions containing each union
	for _, u := range list {
		around[u] = map[*protocol.Union]bool{}
		for _, v := range fewest(leaves[u], holding) {
			// The union of dispatchable actions does not restrict what newer versions may add.
			passing := v.Scope == protocol.DispatchScope && (u.Open || u.Scope != protocol.Declared)
			if !passing && inside(u, v) {
				around[u][v] = true
			}
		}
	}
	for _, u := range list {
		for _, v := range fewest(leaves[u], holding) {
			if !around[u][v] {
				continue
			}
			nearest := true
			for w := range around[u] {
				nearest = nearest && !around[w][v]
			}
			if nearest {
				u.Parents = append(u.Parents, v)
			}
		}
	}
}

// fewest returns the unions of the struct that is in the fewest unions. All unions with every struct are among them.
func fewest(structs map[*protocol.Struct]bool, holding map[*protocol.Struct][]*protocol.Union) []*protocol.Union {
	var out []*protocol.Union
	for s := range structs {
		if list := holding[s]; out == nil || len(list) < len(out) {
			out = list
		}
	}
	return out
}

// tags assigns tag types to all unions tagged by strings. Nested unions share that of the outer one, and a name may
// be shared.
func (t *tagger) tags() (out []protocol.Type) {
	for u := range protocol.Each[*protocol.Union](t.in.Types) {
		t.Working(u.Pos)
		t.union(u)
	}
	for _, typ := range t.in.Types {
		out = append(out, typ)
		if u, ok := typ.(*protocol.Union); ok && t.behind[u] != nil {
			out = append(out, t.behind[u])
		}
	}
	for _, tag := range t.made {
		t.EnumRule(tag)
	}
	return out
}

// tagger assigns tag types to unions.
type tagger struct {
	*phase.Work
	in       *protocol.Protocol
	names    phase.Names
	made     map[string]*protocol.Enum          // by name
	behind   map[*protocol.Union]*protocol.Enum // new enums with the unions they follow
	has      map[*protocol.Enum]map[protocol.Value]bool
	seen     map[*protocol.Union]bool
	replaced map[protocol.Type]bool // inline enums replaced by a union's tag
}

// union assigns the tag type of a union after its parents.
func (t *tagger) union(u *protocol.Union) {
	if t.seen[u] || u.Kind != protocol.Tagged || u.Dispatch == nil || u.Dispatch.Kind != protocol.String {
		return
	}
	t.seen[u] = true
	name := ""
	if rule := t.UnionRule(u.Name); rule != nil {
		name = rule.Tag
	}
	stated := name != ""
	if !stated {
		if u.Tag = t.inherited(u); u.Tag != nil {
			t.useTag(u)
			return
		}
		name = tagName(u)
	}
	if t.made[name] == nil {
		tag, isNew := t.tagEnum(name, stated, u)
		if isNew {
			t.behind[u] = tag
		}
		t.made[name] = tag
	}
	u.Tag = t.made[name]
	t.addValues(u)
	t.useTag(u)
}

// inherited returns the tag type of an enclosing union with the same discriminator, or nil.
func (t *tagger) inherited(u *protocol.Union) *protocol.Enum {
	for _, p := range u.Parents {
		t.union(p)
		if p.Tag != nil && p.Dispatch.Member == u.Dispatch.Member {
			return p.Tag
		}
	}
	return nil
}

// addValues adds the tags of a union to its tag type.
func (t *tagger) addValues(u *protocol.Union) {
	has := t.has[u.Tag]
	if has == nil {
		has = each.SetFunc(u.Tag.Members, func(m *protocol.EnumMember) protocol.Value { return m.Value })
		t.has[u.Tag] = has
	}
	for _, c := range u.Dispatch.Cases {
		for _, v := range c.Values {
			if !has[v] && !(u.Dispatch.Absent && v.Str == "") {
				has[v] = true
				u.Tag.Members = append(u.Tag.Members, &protocol.EnumMember{Value: v, Pos: u.Pos})
			}
		}
	}
}

// tagName returns the path of a union's tag type, without repeating a word as in UpdateUpdate.
func tagName(u *protocol.Union) string {
	owner := cmp.Or(u.Beside, u.Name)
	if strings.HasSuffix(strings.ToLower(owner), strings.ToLower(u.Dispatch.Member)) {
		return owner + ".kind"
	}
	return owner + "." + u.Dispatch.Member
}

// saysTag reports whether a union names its tag type by keyword, in which case errors are reported elsewhere.
func (t *tagger) saysTag(u *protocol.Union, name string) bool {
	def := t.Set.Lookup(u.Name)
	return def != nil && def.Schema.Extension("x-tag").Str() == name
}

// tagEnum creates a tag type, or uses the definition of that name.
func (t *tagger) tagEnum(name string, stated bool, u *protocol.Union) (tag *protocol.Enum, isNew bool) {
	if e, ok := t.in.Lookup(name).(*protocol.Enum); ok && e.Kind == protocol.String {
		return e, false
	}
	if stated && !t.saysTag(u, name) {
		name = t.Stated(t.names, t.in.Lookup(name), name, fmt.Sprintf("the type of %q in %s", u.Dispatch.Member, u.Name), u.Pos)
	} else {
		name = t.names.Distinct(name)
	}
	former := ""
	if rest, ok := strings.CutPrefix(name, u.Name+"."); ok && u.Former != "" {
		former = u.Former + "." + rest
	}
	return &protocol.Enum{Kind: protocol.String, Header: protocol.Header{
		Name: name, Former: former, Pos: u.Pos, Inline: true,
		Doc: fmt.Sprintf("The values of %q that tell the variants of {@link %s} apart.", u.Dispatch.Member, u.Name),
	}}, true
}

// useTag sets the type of discriminators that remain fields, replacing inline enums.
func (t *tagger) useTag(u *protocol.Union) {
	u.Tag.Open = u.Tag.Open || u.Open || u.Dispatch.General() != nil
	for _, c := range u.Dispatch.Cases {
		for _, s := range c.Structs() {
			t.typeTag(u, s.Field(u.Dispatch.Member), c.Values)
		}
	}
}

// typeTag sets the type of one discriminator. A member shared by several unions keeps its first type.
func (t *tagger) typeTag(u *protocol.Union, f *protocol.Field, values []protocol.Value) {
	if f == nil || len(values) == 0 {
		return // the variant without it, or with any value
	}
	ref, ok := f.Type.(protocol.Ref)
	if f.Const != nil || f.Values != nil || !ok {
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
		t.replaced[ref.Type] = true
	}
}
