// Unions: what the alternatives are.

package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// jsonToken is the JSON token a value of the schema starts with, "" if that is not one token.
func (b *builder) jsonToken(s *schema.Schema) string {
	if s == nil {
		return ""
	}
	if token, ok := b.tokens[s]; ok {
		return token
	}
	token := b.findToken(s)
	b.tokens[s] = token
	return token
}

func (b *builder) findToken(s *schema.Schema) string {
	switch b.shapeOf(s) {
	case shapeStruct:
		return "object"
	case shapeEnum:
		first, _ := isEnum(s)
		if n := firstValue(first); n != nil && n.Kind == schema.Number || s.Extension("x-bitset") != nil {
			return "number"
		}
		return "string"
	case shapeChoice:
		token := ""
		for _, branch := range known(withoutNull(s.Choices())) {
			t := b.jsonToken(branch.Follow())
			if token != "" && t != token {
				return ""
			}
			token = t
		}
		return token
	}
	for _, t := range s.Types {
		switch t {
		case "null":
		case "integer":
			return "number"
		default:
			return t
		}
	}
	switch {
	case isNull(s):
		return "null"
	case s.Items != nil:
		return "array"
	case s.Additional != nil:
		return "object"
	}
	return ""
}

// firstValue is the first constant of a schema, nil if it has none.
func firstValue(s *schema.Schema) *schema.Node {
	switch {
	case s == nil:
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	return nil
}

// branch is one alternative on its way into a union.
type branch struct {
	written *schema.Schema
	target  *schema.Schema // references followed
	token   string
}

// branches returns the alternatives of a choice, a list of types counting as one each.
func (b *builder) branches(u *protocol.Union, s *schema.Schema) []branch {
	list := known(s.Choices())
	if list == nil {
		for _, t := range s.Types {
			c := *s
			c.Types, c.Description, c.Memo = []string{t}, "", nil
			list = append(list, &c)
		}
	}
	if !isPrimitiveChoice(s) {
		list = withoutNull(list)
	}
	list = b.apart(list)
	var out []branch
	refs := map[*schema.Definition]*schema.Schema{}
	for i, written := range list {
		target := written.Follow()
		if ref, ok := written.Reference(); ok && ref.Target != nil {
			if first := refs[ref.Target]; first != nil {
				b.diags.Errorf(written.Pos, "duplicate-alternative", fmt.Sprintf("it stands first at %s; keep one of the two", first.Pos), "%s lists %s twice", u.Name, ref.Target.Name)
				continue
			}
			refs[ref.Target] = written
		}
		if target == nil {
			b.bad[u] = true
			continue // a reference that leads nowhere is reported where it stands
		}
		if target.Any || target.Never {
			b.diags.Errorf(written.Pos, "open-branch", b.hint("remove the entry, or say what it holds; an overlay can do it", "remove the entry, or say what it holds"),
				"%s: alternative %d says nothing about its values, so everything would match it", u.Name, i+1)
			b.bad[u] = true
			continue
		}
		token := b.jsonToken(target)
		if token == "" {
			b.diags.Errorf(written.Pos, "unclear-branch", "give each alternative one type", "%s: alternative %d has no single JSON type", u.Name, i+1)
			b.bad[u] = true
			continue
		}
		out = append(out, branch{written, target, token})
	}
	return out
}

// apart takes alternatives that are lists of types for one alternative each.
func (b *builder) apart(list []*schema.Schema) []*schema.Schema {
	var out []*schema.Schema
	for _, s := range list {
		if _, ok := s.Reference(); ok || len(s.Types) < 2 || s.Choices() != nil || s.Enum != nil || isObject(s) {
			out = append(out, s)
			continue
		}
		for _, t := range s.Types {
			c := *s
			c.Types, c.Memo = []string{t}, nil
			out = append(out, &c)
		}
	}
	return out
}

// objectsBeside puts several objects that stand beside something else into a union of their own.
func (b *builder) objectsBeside(s *schema.Schema, objects []branch) branch {
	inner := &schema.Schema{Pos: s.Pos, Doc: s.Doc, Node: s.Node, Discriminator: s.Discriminator}
	for _, o := range objects {
		inner.AnyOf = append(inner.AnyOf, o.written)
	}
	for _, alternative := range s.Choices() {
		if alternative.Unknown {
			inner.AnyOf = append(inner.AnyOf, alternative)
		}
	}
	return branch{inner, inner, "object"}
}

func (b *builder) fillUnion(u *protocol.Union, s *schema.Schema) {
	b.unknown[u] = slices.ContainsFunc(s.Choices(), func(s *schema.Schema) bool { return s.Unknown })
	u.Anything = slices.ContainsFunc(s.Choices(), func(s *schema.Schema) bool { return s.Unknown && s.Any })
	list := b.branches(u, s)
	objects := slices.DeleteFunc(slices.Clone(list), func(br branch) bool { return br.token != "object" })
	if len(objects) == len(list) && len(list) > 0 {
		u.Kind = protocol.Tagged // settled by unions
		for i, name := range b.variantNames(u, s, list) {
			b.addVariant(u, list[i], name)
		}
		return
	}
	if len(list) == 0 {
		if len(s.Choices()) > 0 && !b.bad[u] {
			b.diags.Errorf(s.Pos, "only-null", "leave it out, or add an alternative that holds something", "%s: no alternative holds a value", u.Name)
		}
		b.bad[u] = true
	}
	u.Kind, u.Open = protocol.Token, u.Anything
	if len(objects) > 1 {
		at := slices.IndexFunc(list, func(br branch) bool { return br.token == "object" })
		list = slices.DeleteFunc(list, func(br branch) bool { return br.token == "object" })
		list = slices.Insert(list, at, b.objectsBeside(s, objects))
	}
	byToken := map[string]branch{}
	for _, br := range list {
		first, ok := byToken[br.token]
		if ok && b.joins(u, first, br) {
			continue
		}
		if ok {
			b.diags.Errorf(br.written.Pos, "ambiguous-union",
				fmt.Sprintf("the other stands at %s; give them one schema, or tell objects apart by a constant member", first.written.Pos),
				"%s: two alternatives are a JSON %s", u.Name, br.token)
			b.bad[u] = true
			continue
		}
		byToken[br.token] = br
		b.addVariant(u, br, br.token)
	}
}

// joins takes in an alternative of a JSON type that another one has already, if both can be had: numbers are one variant,
// and lists are told apart by what they hold.
func (b *builder) joins(u *protocol.Union, first, br branch) bool {
	_, enum := isEnum(br.target)
	_, firstEnum := isEnum(first.target)
	switch {
	case br.token == "number" && !enum && !firstEnum:
		for _, v := range u.Variants {
			if v.Name == "number" {
				v.Type = protocol.Number
			}
		}
		return true
	case br.token == "array" && b.holdsObjects(br) && b.holdsObjects(first):
		b.addVariant(u, br, br.written.Title)
		return true
	}
	return false
}

// holdsObjects reports whether an alternative is a list of objects.
func (b *builder) holdsObjects(br branch) bool {
	if br.target.Items == nil {
		return false
	}
	item := br.target.Items.Follow()
	return item != nil && b.shapeOf(item) == shapeStruct
}

// elements settles how lists among the variants of a union are told apart.
func (b *builder) elements(u *protocol.Union) {
	lists := u.Lists()
	if len(lists) < 2 {
		return
	}
	var items []*protocol.Struct
	for _, v := range lists {
		item := v.Item()
		if item == nil || slices.Contains(items, item) {
			b.diags.Errorf(v.Pos, "ambiguous-union", "give one of the lists items of its own", "%s: two alternatives are lists that hold the same", u.Name)
			return
		}
		items = append(items, item)
	}
	b.decisions = 0
	d, clash := b.dispatch(u, items, "")
	if d != nil && slices.ContainsFunc(d.Cases, func(c *protocol.Case) bool { return c.Next != nil }) {
		d, clash = nil, "one member does not do"
	}
	if d == nil {
		b.diags.Errorf(u.Pos, "ambiguous-union", "give the items of each a required member of their own", "%s: its lists cannot be told apart by their first item: %s", u.Name, clash)
		return
	}
	u.Elements = d
}

// addVariant appends one alternative; name is the last part of the path of an inline type.
func (b *builder) addVariant(u *protocol.Union, br branch, name string) {
	v := &protocol.Variant{Name: br.token, Title: br.written.Title, Pos: br.written.Pos}
	if isNull(br.target) {
		v.Type = protocol.Null
	} else {
		v.Type, _ = b.expr(br.written, cmp.Or(u.Beside, u.Name)+"."+name)
	}
	if u.Kind == protocol.Token && slices.Contains(br.target.Types, "number") {
		// Such a union stands for any configuration value: 2⁵³+1 has to survive as well as 0.5.
		v.Type = protocol.Number
	}
	u.Variants = append(u.Variants, v)
}

// variantNames names inline alternatives after the constant that tells them apart, and after their
// place if there is none.
func (b *builder) variantNames(u *protocol.Union, s *schema.Schema, list []branch) []string {
	names := make([]string, len(list))
	for i := range names {
		names[i] = fmt.Sprintf("variant%d", i+1)
	}
	want := s.Discriminator
	if rule := b.unionRule(u); rule != nil && rule.Discriminator != "" {
		want = rule.Discriminator
	}
	candidates := []string{want}
	if want == "" {
		candidates = slices.Clone(b.facts.Discriminators)
		seen := map[string]bool{}
		for _, br := range list[:min(2, len(list))] { // it has to be a member of each, but for one
			for _, p := range br.target.Properties {
				if !seen[p.Name] {
					seen[p.Name] = true
					candidates = append(candidates, p.Name)
				}
			}
		}
	}
	for i, br := range list {
		if br.written.Title != "" {
			names[i] = br.written.Title
		}
	}
	for _, c := range candidates {
		if found := b.namesBy(c, list, names); found != nil {
			return found
		}
	}
	return names
}

// namesBy are the constants that alternatives have in a member, nil if that does not tell them apart. The one that may be
// without it has another name.
func (b *builder) namesBy(member string, list []branch, others []string) []string {
	found := slices.Clone(others)
	seen := map[string]bool{}
	lacking := 0
	for i, br := range list {
		p := br.target.Property(member)
		if p == nil || b.facts.NullAbsent && isNull(p.Schema) {
			lacking++
			continue
		}
		n := constant(p.Schema)
		if n == nil || n.Kind != schema.String || seen[n.Text] {
			return nil
		}
		found[i] = n.Text
		seen[n.Text] = true
	}
	if lacking > 1 || lacking == 1 && (!b.facts.Untagged || len(seen) == 0) {
		return nil
	}
	return found
}

// unionRule joins the rules for a union, nil for none; what an earlier one says comes first.
func (b *builder) unionRule(u *protocol.Union) *facts.Union {
	var out *facts.Union
	for _, r := range b.rules.unions[u.Name] {
		b.used.Add(r)
		if out == nil {
			out = &facts.Union{}
		}
		out.Discriminator = cmp.Or(out.Discriminator, r.Discriminator)
		out.Tag = cmp.Or(out.Tag, r.Tag)
		out.Untagged = cmp.Or(out.Untagged, r.Untagged)
		if out.Decide == nil {
			out.Decide = r.Decide
		}
		if out.Otherwise == nil {
			out.Otherwise = r.Otherwise
		}
		if out.Open == nil {
			out.Open = r.Open
		}
	}
	return out
}
