// Unions: alternatives.

package types

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// branch is an alternative of a union under construction.
type branch struct {
	written *schema.Schema
	target  *schema.Schema // resolved
	token   string
	name    string // of an inline type, "" for that of the token
}

// branches returns the alternatives of a choice. Each type in a list of types is one.
func (b *builder) branches(u *protocol.Union, s *schema.Schema) []branch {
	list := shape.Known(s.Choices())
	if list == nil {
		for _, t := range s.Types {
			c := *s
			c.Types, c.Description, c.Memo, c.Node = []string{t}, "", nil, part(s)
			list = append(list, &c)
		}
	}
	if !shape.IsPrimitiveChoice(s) {
		list = shape.WithoutNull(list)
	}
	own := list
	list = b.apart(b.flat(list, map[*schema.Schema]bool{s: true}))
	var out []branch
	refs := map[*schema.Definition]*schema.Schema{}
	for i, written := range list {
		target := written.Follow()
		if ref, ok := written.Reference(); ok && ref.Target != nil {
			if first := refs[ref.Target]; first != nil {
				if slices.Contains(own, written) && slices.Contains(own, first) {
					b.Warnf(written.Pos, "duplicate-alternative", fmt.Sprintf("it stands first at %s; keep one of the two", first.Pos), "%s lists %s twice", u.Name, ref.Target.Name)
				}
				continue
			}
			refs[ref.Target] = written
		}
		if target == nil {
			b.Bad[u] = true
			continue // a dangling reference is reported elsewhere
		}
		if target.Any || target.Never {
			b.Undecided(u.Name, written.Pos, "open-branch", b.Hint("remove the entry, or say what it holds; an overlay can do it", "remove the entry, or say what it holds"),
				"%s: alternative %d says nothing about its values, so everything would match it", u.Name, i+1)
			b.Bad[u] = true
			continue
		}
		token := b.shapes.Token(target)
		if token == "" {
			b.Undecided(u.Name, written.Pos, "unclear-branch", "give each alternative one type", "%s: alternative %d has no single JSON type", u.Name, i+1)
			b.Bad[u] = true
			continue
		}
		out = append(out, branch{written: written, target: target, token: token})
	}
	return out
}

// flat takes the place of alternatives that are choices between values of several JSON types: a decoder sees the
// type of a value, and not which choice lists it. Each choice is taken once, however many list it.
func (b *builder) flat(list []*schema.Schema, seen map[*schema.Schema]bool) []*schema.Schema {
	var out []*schema.Schema
	for _, written := range list {
		target := written.Follow()
		switch {
		case target == nil || target.Choices() == nil || shape.IsObject(target) || b.isOne(target):
			out = append(out, written)
		case !seen[target]:
			seen[target] = true
			inner := shape.Known(target.Choices())
			if !shape.IsPrimitiveChoice(target) {
				inner = shape.WithoutNull(inner)
			}
			out = append(out, b.flat(inner, seen)...)
		}
	}
	return out
}

// isOne reports whether a choice is one alternative of another choice: an enum, or a union of objects.
func (b *builder) isOne(s *schema.Schema) bool {
	_, enum := shape.IsEnum(s)
	return enum || b.shapes.Token(s) == "object"
}

// apart splits alternatives that are lists of types.
func (b *builder) apart(list []*schema.Schema) []*schema.Schema {
	var out []*schema.Schema
	for _, s := range list {
		if !shape.IsTypeList(s) {
			out = append(out, s)
			continue
		}
		for _, t := range s.Types {
			c := *s
			c.Types, c.Memo, c.Node = []string{t}, nil, part(s)
			out = append(out, &c)
		}
	}
	return out
}

// part returns a node for what is only a part of a schema, so that it is not taken for the whole.
func part(of *schema.Schema) *schema.Node {
	n := *of.Node
	return &n
}

// objectsBeside collects several objects beside other kinds into a nested union.
func (b *builder) objectsBeside(s *schema.Schema, objects []branch) branch {
	inner := &schema.Schema{Pos: s.Pos, Doc: s.Doc, Node: part(s), Discriminator: s.Discriminator}
	inner.AnyOf = append(each.Map(objects, func(o branch) *schema.Schema { return o.written }),
		each.Where(s.Choices(), func(alternative *schema.Schema) bool { return alternative.Unknown })...)
	return branch{written: inner, target: inner, token: "object"}
}

// constantsBeside collects several constants of a kind beside other kinds into an enum, with what else is of that kind if an
// enum can have it.
func constantsBeside(s *schema.Schema, list []branch, token string) []branch {
	ofToken := func(br branch) bool { return br.token == token }
	inner := &schema.Schema{Pos: s.Pos, Doc: s.Doc, Node: part(s)}
	for _, br := range list {
		if ofToken(br) {
			inner.AnyOf = append(inner.AnyOf, br.written)
		}
	}
	if _, ok := shape.IsEnum(inner); len(inner.AnyOf) < 2 || !ok {
		return list
	}
	at := slices.IndexFunc(list, ofToken)
	rest := slices.DeleteFunc(slices.Clone(list), ofToken)
	return slices.Insert(rest, at, branch{inner, inner, token, "value"})
}

// withoutCounted leaves constants out that are numbers beside any number, if no enum has both. With fractions among them, what is
// beside them is any number, and not integers alone.
func withoutCounted(s *schema.Schema, list []branch) []branch {
	isConstant := func(br branch) bool {
		_, enum := shape.IsEnum(br.target)
		return enum && br.token == "number"
	}
	at := slices.IndexFunc(list, func(br branch) bool { return br.token == "number" && !isConstant(br) })
	if at < 0 {
		return list
	}
	var counted []*schema.Schema
	for _, br := range each.Where(list, isConstant) {
		values, _, _ := shape.EnumValues(br.target)
		counted = append(counted, values...)
	}
	list = slices.Clone(list)
	if slices.Contains(schema.TypesOf(constantsOf(counted)), "number") {
		number := &schema.Schema{Pos: s.Pos, Doc: s.Doc, Node: part(s), Types: []string{"number"}}
		list[at] = branch{written: number, target: number, token: "number"}
	}
	return slices.DeleteFunc(list, isConstant)
}

func (b *builder) fillUnion(u *protocol.Union, s *schema.Schema) {
	b.Unknown[u] = slices.ContainsFunc(s.Choices(), func(s *schema.Schema) bool { return s.Unknown })
	u.Anything = slices.ContainsFunc(s.Choices(), func(s *schema.Schema) bool { return s.Unknown && s.Any })
	list := b.branches(u, s)
	objects := slices.DeleteFunc(slices.Clone(list), func(br branch) bool { return br.token != "object" })
	if len(objects) == len(list) && len(list) > 0 {
		u.Kind = protocol.Tagged // determined by unions
		for i, name := range b.variantNames(u, s, list) {
			b.addVariant(u, list[i], name)
		}
		return
	}
	if len(list) == 0 {
		if len(s.Choices()) > 0 && !b.Bad[u] {
			b.Errorf(s.Pos, "only-null", "leave it out, or add an alternative that holds something", "%s: no alternative holds a value", u.Name)
		}
		b.Bad[u] = true
	}
	u.Kind, u.Open = protocol.Token, u.Anything
	if len(objects) > 1 {
		at := slices.IndexFunc(list, func(br branch) bool { return br.token == "object" })
		list = slices.DeleteFunc(list, func(br branch) bool { return br.token == "object" })
		list = slices.Insert(list, at, b.objectsBeside(s, objects))
	}
	list = withoutCounted(s, constantsBeside(s, constantsBeside(s, list, "string"), "number"))
	byToken := map[string]branch{}
	for _, br := range list {
		first, ok := byToken[br.token]
		if ok && b.joins(u, first, br) {
			continue
		}
		if ok {
			b.Undecided(u.Name, br.written.Pos, "ambiguous-union",
				fmt.Sprintf("the other stands at %s; give them one schema, or tell objects apart by a constant member", first.written.Pos),
				"%s: two alternatives are a JSON %s", u.Name, br.token)
			b.Bad[u] = true
			continue
		}
		byToken[br.token] = br
		b.addVariant(u, br, cmp.Or(br.name, br.token))
	}
}

// joins merges an alternative with one of the same JSON type, if possible: numbers are one variant, and lists are
// distinguished by item.
func (b *builder) joins(u *protocol.Union, first, br branch) bool {
	_, enum := shape.IsEnum(br.target)
	_, firstEnum := shape.IsEnum(first.target)
	switch {
	case br.token == "number" && !enum && !firstEnum:
		for _, v := range u.Variants {
			if v.Name == "number" {
				v.Type, v.Limits = protocol.Number, nil // a number of either kind will do
			}
		}
		return true
	case br.token == "string" && !enum && !firstEnum && br.target.Encoding == "" && first.target.Encoding == "":
		for _, v := range u.Variants {
			if v.Name == "string" {
				v.Type, v.Limits = protocol.String, nil // nothing says which it is meant to be
			}
		}
		return true
	case br.token == "boolean":
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
	return item != nil && b.shapes.Of(item) == shape.Struct
}

// addVariant adds an alternative; name is the last element of an inline type's path.
func (b *builder) addVariant(u *protocol.Union, br branch, name string) {
	v := &protocol.Variant{Name: br.token, Title: br.written.Title, Pos: br.written.Pos}
	if shape.IsNull(br.target) {
		v.Type = protocol.Null
	} else {
		v.Type, _ = b.expr(br.written, cmp.Or(u.Beside, u.Name)+"."+name)
	}
	v.Limits = b.limits(br.written, v.Type, &u.Header)
	if u.Kind == protocol.Token && slices.Contains(br.target.Types, "number") {
		// Such a union holds arbitrary configuration values: both 2⁵³+1 and 0.5 must survive.
		v.Type = protocol.Number
	}
	u.Variants = append(u.Variants, v)
}
