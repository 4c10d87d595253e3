// Unions: interfaces, their implementations, and decoding.

package golang

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// unionsAndMarkers determines which types implement which interfaces.
func (b *builder) unionsAndMarkers() {
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		if in, ok := t.(*protocol.Union); ok {
			b.union(in)
		}
	}
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		if in, ok := t.(*protocol.Union); ok && in.Open {
			b.unknown(in)
		}
	}
	b.markVariants()
	b.markUnknown()
	keeps := keepUnknown(b.out.Unions)
	for _, u := range b.out.Unions {
		b.Working(u.Pos)
		if u.Unknown != nil && u.Unknown.Owner == u {
			b.unknownTags(u.Unknown)
		}
		b.tagMethods(u, keeps[u])
	}
}

// markVariants makes each variant implement its unions and their parents.
func (b *builder) markVariants() {
	marked := map[*Struct]map[*Union]bool{}
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		in, ok := t.(*protocol.Union)
		if !ok {
			continue
		}
		u := b.UnionOf(in)
		for _, s := range u.Structs {
			if marked[s][u] {
				continue // likewise its parents
			}
			for _, m := range u.Family() {
				if !marked[s][m] {
					each.Put(marked, s, m, true)
					s.Markers = append(s.Markers, m)
				}
			}
		}
		for _, sc := range u.Scalars {
			sc.Markers = each.With(sc.Markers, u)
		}
	}
}

// markUnknown makes unknown variants of nested unions implement the outer union.
func (b *builder) markUnknown() {
	for _, u := range b.out.Unions {
		b.Working(u.Pos)
		for _, token := range u.Tokens {
			if token.Union != nil && token.Union.Unknown != nil {
				token.Union.Unknown.Markers = each.With(token.Union.Unknown.Markers, u)
			}
		}
	}
}

// keepUnknown returns the unions with an unknown variant, possibly of a nested union.
func keepUnknown(unions []*Union) map[*Union]bool {
	keeps := map[*Union]bool{}
	for _, u := range unions {
		if u.Unknown == nil {
			continue
		}
		for _, m := range u.Unknown.Markers {
			keeps[m] = true
		}
	}
	return keeps
}

// Family returns the union with all unions that contain it. Parents must be known.
func (u *Union) Family() []*Union {
	if u.family == nil {
		u.family = graph.Reach([]*Union{u}, func(u *Union) []*Union { return u.Parents })
	}
	return u.family
}

func (b *builder) union(in *protocol.Union) {
	u := b.UnionOf(in)
	u.Anything = in.Anything
	for _, p := range in.Parents {
		u.Parents = each.With(u.Parents, b.UnionOf(p))
	}
	if in.Tag != nil {
		u.Tag = b.EnumOf(in.Tag)
		u.Own = !slices.ContainsFunc(in.Parents, func(p *protocol.Union) bool { return p.Tag == in.Tag })
	}
	if in.Kind == protocol.Token {
		b.tokens(in, u)
		return
	}
	for _, s := range in.Leaves() {
		u.Structs = append(u.Structs, b.StructOf(s))
	}
	u.Cases = in.Dispatch
	b.label(u.Cases, "")
}

// label names the variants of a decision in error paths.
func (b *builder) label(d *protocol.Dispatch, above string) {
	for _, c := range d.Cases {
		label := above
		if label == "" && len(c.Values) > 0 && d.Kind == protocol.String {
			label = c.Values[0].Str
		}
		if c.Next != nil {
			b.label(c.Next, label)
		} else {
			s := b.StructOf(c.Struct)
			s.Label = cmp.Or(s.Label, label)
		}
	}
}

var tokenKinds = map[string]byte{"string": '"', "number": '0', "boolean": 't', "null": 'n', "array": '[', "object": '{'}

func (b *builder) tokens(in *protocol.Union, u *Union) {
	for _, v := range in.Variants {
		token := &Token{Kind: tokenKinds[v.Name], Word: v.Name}
		typ := b.typ(v.Type)
		switch Underlying(typ).(type) {
		case StructType, UnionType: // an alias of such a type is not another variant
			typ = Underlying(typ)
		}
		switch t := typ.(type) {
		case StructType:
			token.Struct = t.Struct
			u.Structs = append(u.Structs, t.Struct)
		case UnionType:
			// The branch is a union; its variants belong to both.
			token.Union = t.Union
			inner, ok := protocol.Underlying(v.Type).(protocol.Ref).Type.(*protocol.Union)
			if ok {
				for _, s := range inner.Leaves() {
					u.Structs = append(u.Structs, b.StructOf(s))
				}
			}
		default:
			b.refuseAlone(v.Type, "it is an alternative of the union "+in.Name)
			name := u.Name + b.namer.part(map[string]string{"boolean": "bool", "array": "list", "object": "map"}[v.Name])
			if v.Name == "string" || v.Name == "number" || v.Name == "null" {
				name = u.Name + b.namer.part(v.Name)
			}
			if v.Name == "array" && in.Elements != nil {
				b.list(in, u, v, t)
				continue
			}
			name = b.derive(name, fmt.Sprintf("the %s variant of %s", v.Name, in.Name), v.Pos)
			token.Scalar = &Scalar{Name: name, Type: t, Limits: v.Limits}
			if v.Type == protocol.Null {
				token.Scalar.Type = nil
			}
			token.Scalar.Doc = []string{fmt.Sprintf("%s is %s that is a JSON %s.", name, gotext.A(u.Name), v.Name)}
			u.Scalars = append(u.Scalars, token.Scalar)
		}
		u.Tokens = append(u.Tokens, token)
	}
}

// list adds a list variant.
func (b *builder) list(in *protocol.Union, u *Union, v *protocol.Variant, t Type) {
	i := slices.IndexFunc(u.Tokens, func(t *Token) bool { return t.Kind == '[' })
	if i < 0 {
		i = len(u.Tokens)
		u.Tokens = append(u.Tokens, &Token{Kind: '[', Word: v.Name, Items: in.Elements})
		b.label(in.Elements, "")
	}
	token := u.Tokens[i]
	name := u.Name + b.namer.part(cmp.Or(v.Title, fmt.Sprintf("list%d", len(token.Lists)+1)))
	name = b.derive(name, fmt.Sprintf("the list variant %q of %s", v.Title, in.Name), v.Pos)
	s := &Scalar{Name: name, Type: t, Limits: v.Limits, Doc: []string{fmt.Sprintf("%s is %s that is a list.", name, gotext.A(u.Name))}}
	if len(token.Lists) == 0 {
		s.Doc = []string{fmt.Sprintf("%s is %s that is a list. An empty list is one.", name, gotext.A(u.Name))}
	}
	token.Lists = append(token.Lists, List{s, b.StructOf(v.Item())})
	u.Scalars = append(u.Scalars, s)
}

// decoders names the decoders of unions. Unions derived from actions have none: receivers decode any action and use a
// type assertion.
func (b *builder) decoders() {
	for _, t := range b.types {
		if in, ok := t.(*protocol.Union); ok && in.Scope == protocol.Declared {
			u := b.UnionOf(in)
			u.Decode, u.Read = b.derive("Decode"+b.names[t], "the decoder of "+in.Name, in.Pos), true
		}
	}
	for _, s := range b.out.Structs {
		for _, f := range s.Fields {
			reads(f.Type)
		}
		reads(s.Extra)
		for _, c := range s.Choices {
			c.Union.Read = true
		}
	}
	for _, u := range b.out.Unions {
		for _, token := range u.Tokens {
			if token.Scalar != nil {
				reads(token.Scalar.Type)
			}
			if token.Union != nil {
				token.Union.Read = true
			}
		}
	}
}

// reads marks types that are decoded.
func reads(t Type) {
	if u, ok := Innermost(t).(UnionType); ok {
		u.Read = true
	}
}

// Whole returns the union that a derived one can be decoded as, with the same discriminator, or nil.
func (u *Union) Whole() *Union {
	if u.Decode != "" || u.Cases == nil || u.Tag == nil {
		return nil
	}
	for _, p := range u.Parents {
		if p.Decode != "" && p.Cases != nil && p.Cases.Member == u.Cases.Member && p.Tag == u.Tag && p.Unknown == u.Unknown {
			return p
		}
	}
	return nil
}
