// Package complaints reports misplaced, duplicate and contradictory keywords. Each is valid on its own, so that no other phase
// reports it.
package complaints

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Stated reports what is stated about types and actions and cannot be so.
func Stated(given phase.Given, known phase.Broken, p *protocol.Protocol, t *types.Types) phase.Notes {
	b := &builder{Work: phase.Begin(given, known), out: p, types: t}
	defer b.Mark()
	b.statedActions()
	b.statedTags()
	b.statedPartials()
	b.statedInstead()
	b.statedTimes()
	return b.Notes()
}

// builder goes through what is stated.
type builder struct {
	*phase.Work
	out     *protocol.Protocol
	types   *types.Types
	leftOut []string // action types in no union, already reported
}

// Keywords reports misplaced keywords, and those that a folder has twice.
func Keywords(given phase.Given, known phase.Broken) phase.Notes {
	b := &builder{Work: phase.Begin(given, known)}
	b.placedKeywords()
	return b.Notes()
}

func (b *builder) placedKeywords() {
	b.Add(b.Set.RepeatedRootKeywords()...)
	var actions *schema.Definition
	for _, def := range b.Set.Definitions() {
		if n := def.Schema.Extension("x-actions"); n != nil && def.Schema.Choices() != nil {
			if actions != nil {
				b.Unread(keywordPos(def.Schema, "x-actions"), "two-action-unions", fmt.Sprintf("take it away; the other stands at %s", keywordPos(actions.Schema, "x-actions")),
					"%s and %s are both said to be the union of all actions", actions.Name, def.Name)
			} else {
				actions = def
			}
		}
		for _, m := range def.Schema.Vendor {
			if k := schema.KeywordOf(m.Key); k.Stand == schema.OnMember {
				b.Errorf(m.KeyPos, "misplaced-keyword", "move it to the "+k.On, "%s is for members, and %s is a definition", m.Key, def.Name)
			}
		}
		b.inner(def.Name, def.Schema)
	}
}

// inner reports definition keywords within a definition.
func (b *builder) inner(name string, s *schema.Schema) {
	members := each.SetFunc(s.Properties, func(p schema.Property) *schema.Schema { return p.Schema })
	for _, child := range s.Inside() {
		for _, m := range child.Vendor {
			switch stand := schema.KeywordOf(m.Key).Stand; {
			case stand == schema.OnDefinition:
				b.Errorf(m.KeyPos, "misplaced-keyword", "take it away, or give the schema a definition of its own and refer to that",
					"%s is for definitions, and here is a schema inside %s", m.Key, name)
			case !members[child] && (stand == schema.OnNamed || stand == schema.OnMember):
				b.Errorf(m.KeyPos, "misplaced-keyword", "take it away; on a definition or a member it counts",
					"%s means nothing for an item or an alternative", m.Key)
			}
		}
		b.inner(name, child)
	}
}

// keywordPos returns the position of a keyword.
func keywordPos(s *schema.Schema, keyword string) diag.Pos {
	if m, ok := s.VendorMember(keyword); ok {
		return m.KeyPos
	}
	return s.Pos
}

// statedActions reports definitions stated to be actions that are not: those missing from the union, and those the
// statement does not fit.
func (b *builder) statedActions() {
	if b.HasErrors() && b.out.Actions == nil && b.Facts.Actions != nil {
		return // errors in actions are reported elsewhere
	}
	isAction := each.SetFunc(b.out.AllActions(), func(a *protocol.Action) *protocol.Struct { return a.Struct })
	var all *protocol.Union
	if b.out.Actions != nil {
		all = b.out.Actions.Union
	}
	bases := b.inherited()
	for _, def := range b.Set.Definitions() {
		if b.Omit[def] || bases[def] {
			continue
		}
		t := b.out.Lookup(def.Name)
		keywords := actionKeywords(def.Schema)
		switch t := t.(type) {
		case *protocol.Struct:
			if isAction[t] {
				continue
			}
			if typ, ok := b.actionType(t, all, keywords != nil); ok {
				b.leftOut = append(b.leftOut, typ)
				hint := fmt.Sprintf("add {\"$ref\": %q} to the alternatives of %s", b.Set.PathTo(def, b.Set.Lookup(all.Name)), all.Name)
				if tags := b.tagsLack(all, typ); tags != "" {
					hint += fmt.Sprintf(", and %q to %s", typ, tags)
				}
				say := b.Errorf
				if keywords == nil && b.Facts.Actions != nil && b.Facts.Actions.Source == facts.Embedded {
					say = b.Warnf // possibly omitted on purpose by another author
				}
				say(def.Pos, "left-out-action", hint, "%s has the type of an action, %q, and is no alternative of %s", def.Name, typ, all.Name)
				continue
			}
		case *protocol.Union:
			if slices.ContainsFunc(t.Leaves(), func(s *protocol.Struct) bool { return isAction[s] }) {
				continue
			}
		}
		if keywords == nil {
			continue
		}
		why := fmt.Sprintf("and %s is none", def.Name)
		if all == nil {
			why = "and no union is marked with x-actions"
		}
		b.Errorf(keywordPos(def.Schema, keywords[0]), "misplaced-keyword", "take "+strings.Join(keywords, " and ")+" away, or list "+def.Name+" among the actions",
			"%s is for actions, %s", keywords[0], why)
	}
}

// actionKeywords returns the keywords of a schema that only actions can have.
func actionKeywords(s *schema.Schema) []string {
	return each.Where([]string{"x-effects", "x-client-dispatchable", "x-since"}, func(k string) bool {
		return s.Extension(k) != nil && (k != "x-since" || s.Extension("x-method") == nil)
	})
}

// actionType returns the action type of a struct, and whether it looks like an action: it is stated to be one, or its
// type has a channel's prefix.
func (b *builder) actionType(s *protocol.Struct, all *protocol.Union, stated bool) (string, bool) {
	if all == nil || all.Dispatch == nil {
		return "", false
	}
	f := s.Field(all.Dispatch.Member)
	if f == nil || f.Const == nil || f.Const.Kind != protocol.String {
		return "", false
	}
	typ := f.Const.Str
	return typ, stated || slices.ContainsFunc(b.out.Channels, func(ch *protocol.Channel) bool {
		return ch.Prefix != "" && strings.HasPrefix(typ, ch.Prefix)
	})
}

// tagsLack returns the stated tag enum of a union if values are missing.
func (b *builder) tagsLack(u *protocol.Union, tag string) string {
	def := b.Set.Lookup(u.Name)
	if def == nil {
		return ""
	}
	e, ok := b.out.Lookup(def.Schema.Extension("x-tag").Str()).(*protocol.Enum)
	if !ok || slices.ContainsFunc(e.Members, func(m *protocol.EnumMember) bool { return m.Value.Str == tag }) {
		return ""
	}
	return e.Name
}

// inherited returns the definitions used as bases, which need not be on the wire.
func (b *builder) inherited() map[*schema.Definition]bool {
	out := map[*schema.Definition]bool{}
	for _, def := range b.Set.Definitions() {
		for _, base := range def.Schema.AllOf {
			if base.Ref != nil && base.Ref.Target != nil {
				out[base.Ref.Target] = true
			}
		}
	}
	return out
}

// statedTags checks enums named with x-tag against the tags of their unions, before missing values are added.
func (b *builder) statedTags() {
	uses := map[*protocol.Enum][]*protocol.Union{}
	var enums []*protocol.Enum
	for _, def := range b.Set.Definitions() {
		if def.Schema.Extension("x-tag").Str() == "" {
			continue
		}
		n := def.Schema.Extension("x-tag")
		e, ok := b.out.Lookup(n.Text).(*protocol.Enum)
		if !ok || e.Kind != protocol.String {
			hint := "name an enum of strings, or take x-tag away"
			cause := "which is no enum of strings"
			if b.Set.Lookup(n.Text) == nil {
				cause = "which no file defines"
				hint = b.Set.DidYouMean(n.Text, "define it as an enum of strings", hint)
			}
			b.Errorf(n.Pos, "unknown-tag", hint, "the tags of %s are to be %s, %s", def.Name, n.Text, cause)
			continue
		}
		u, ok := b.out.Lookup(def.Name).(*protocol.Union)
		if !ok || b.types.Bad[u] || u.Kind != protocol.Tagged || u.Dispatch == nil {
			continue
		}
		if uses[e] == nil {
			enums = append(enums, e)
		}
		uses[e] = append(uses[e], u)
	}
	for _, e := range enums {
		b.tagsOf(e, uses[e])
	}
}

// tagsOf compares an enum with the tags of its unions.
func (b *builder) tagsOf(e *protocol.Enum, unions []*protocol.Union) {
	has := each.SetFunc(e.Members, func(m *protocol.EnumMember) string { return m.Value.Str })
	covered := map[string]bool{}
	for _, u := range unions {
		for _, c := range u.Dispatch.Cases {
			for _, v := range c.Values {
				covered[v.Str] = true
				if !has[v.Str] && !(u.Dispatch.Absent && v.Str == "") {
					has[v.Str] = true
					b.Errorf(e.Pos, "missing-tag", fmt.Sprintf("add %q to its values, or correct the variant of %s", v.Str, u.Name),
						"%s lacks %q, which a variant of %s has as its tag", e.Name, v.Str, u.Name)
				}
			}
		}
	}
	if slices.ContainsFunc(unions, func(u *protocol.Union) bool { return u.Open }) {
		for _, m := range e.Members {
			if !covered[m.Value.Str] && !slices.Contains(b.leftOut, m.Value.Str) {
				b.Errorf(m.Pos, "unused-tag", fmt.Sprintf("take it out, or list the variant that has it under %s", unions[0].Name),
					"no variant of %s has the tag %q, and a reader that knows it as a tag refuses what has it", unions[0].Name, m.Value.Str)
			}
		}
	}
}

// statedPartials reports invalid statements that an object is a partial of another.
func (b *builder) statedPartials() {
	for _, def := range b.Set.Definitions() {
		n := def.Schema.Extension("x-partial-of")
		if n.Str() == "" {
			continue
		}
		of, ok := b.out.Lookup(n.Text).(*protocol.Struct)
		st, isStruct := b.out.Lookup(def.Name).(*protocol.Struct)
		switch {
		case !isStruct:
			b.Errorf(keywordPos(def.Schema, "x-partial-of"), "bad-partial", "take it away, or make the definition an object", "x-partial-of is for objects, and %s is none", def.Name)
			continue
		case !ok:
			const hint = "name the definition of an object"
			b.Errorf(n.Pos, "bad-partial", b.Set.DidYouMean(n.Text, hint, hint), "%s repeats %s, and there is no such object", def.Name, n.Text)
			continue
		}
		for _, f := range st.Fields {
			to := of.Field(f.Name)
			switch {
			case f.Required:
				b.Errorf(b.requiredAt(def, f), "bad-partial", "take it out of required, or take x-partial-of away", "%s of %s is required, but %s carries changes: whatever does not change is left out", f.Name, st.Name, st.Name)
			case to == nil:
				b.Errorf(f.Pos, "bad-partial", fmt.Sprintf("take it away, or add it to %s", of.Name), "%s carries changes to %s, which has no member %q", st.Name, of.Name, f.Name)
			case !phase.SameType(to.Type, f.Type):
				b.Errorf(f.Pos, "bad-partial", "give both the same type", "%s of %s is %s, but %s of %s, which it changes, is %s", f.Name, st.Name, phase.Describe(f.Type), f.Name, of.Name, phase.Describe(to.Type))
			}
		}
	}
}

// requiredAt returns where a definition requires a member, directly or through a base.
func (b *builder) requiredAt(def *schema.Definition, f *protocol.Field) diag.Pos {
	for _, r := range def.Schema.Required {
		if r.Text == f.Name {
			return r.Pos
		}
	}
	return f.Pos
}
