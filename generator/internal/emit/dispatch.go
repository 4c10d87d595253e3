// Dispatch: how a union decoder finds the variant.

package emit

import (
	"cmp"
	"slices"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// reader returns the name of the function that decodes a union.
func reader(u *golang.Union) string { return "read" + u.Name }

// returnStruct prints statements that decode a new struct and return it.
func returnStruct(g *Group, s *golang.Struct) {
	g.Id("v").Op(":=").New(Id(s.Name))
	g.Id("v").Dot("DecodeJSON").Call(Id("d"))
	g.Return(Id("v"))
}

func (e *emitter) unionCodec(f *jenFile) {
	for _, u := range e.pkg.Unions {
		if !u.Read {
			continue
		}
		f.at = u.Pos
		if u.Decode != "" {
			f.add([]string{u.Decode + " decodes one JSON value into the variant it holds."}, Func().Id(u.Decode).Params(Id("data").Index().Byte()).Params(Id(u.Name), Error()).
				Block(
					Id("d").Op(":=").Add(e.wire("NewDecoder")).Call(Id("data")),
					Id("v").Op(":=").Id(reader(u)).Call(e.wire("NoEscape").Call(Op("&").Id("d"))),
					If(Err().Op(":=").Id("d").Dot("Finish").Call(), Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
					Return(Id("v"), Nil()),
				))
		}
		f.Line()
		f.Func().Id(reader(u)).Params(e.decoderParam()).Id(u.Name).BlockFunc(func(g *Group) {
			whole := u.Whole()
			switch {
			case whole != nil:
				e.part(g, u, whole)
			case u.Cases != nil && u.Cases.Stated:
				e.stated(g, u)
			case u.Kind == protocol.Tagged:
				e.tagged(g, u)
			case u.Kind == protocol.Shaped:
				e.shaped(g, u)
			case u.Kind == protocol.Token:
				e.token(g, u)
			}
		})
	}
}

// part decodes through the enclosing union and rejects variants that are not in this one.
func (e *emitter) part(g *Group, u, whole *golang.Union) {
	g.Id("start").Op(":=").Id("d").Dot("Here").Call()
	g.Id("whole").Op(":=").Id(reader(whole)).Call(Id("d"))
	g.List(Id("v"), Id("ok")).Op(":=").Id("whole").Assert(Id(u.Name))
	g.If(Op("!").Id("ok").Op("&&").Op("!").Id("d").Dot("Failed").Call()).Block(
		Id("d").Dot("NotPart").Call(Id("start"), text(u.Name), String().Call(Id("whole").Dot(u.Tag.Name).Call())),
	)
	g.Return(Id("v"))
}

// tagged reads the discriminator first. Errors in a variant name it in their path. The tag only selects the decoder,
// so that one call decodes all variants.
func (e *emitter) tagged(g *Group, u *golang.Union) {
	e.otherThanObjects(g, u)
	if u.Cases.Kind == protocol.String || looksTwice(u.Cases) {
		g.Id("start").Op(":=").Id("d").Dot("Here").Call()
	}
	g.Var().Id("v").Id(u.Name)
	g.Var().Id("into").Add(e.wire("Decodable"))
	e.decide(g, u, u.Cases, nil)
	fill := Id("d").Dot("Fill").Call(Id("into"))
	if u.Cases.Kind == protocol.String {
		fill = Id("d").Dot("FillTagged").Call(Id("into"), Id("start"), Id("tag"))
	}
	g.If(Op("!").Add(fill)).Block(Return(Nil()))
	g.Return(Id("v"))
}

// looksTwice reports whether variants with the same tag are distinguished by further members, which requires going
// back to the start.
func looksTwice(d *protocol.Dispatch) bool {
	return d.Member == "" || slices.ContainsFunc(d.Cases, func(c *protocol.Case) bool { return c.Next != nil && looksTwice(c.Next) })
}

// into prints the statements that choose a variant.
func into(g *Group, s *golang.Struct) {
	g.Id("p").Op(":=").New(Id(s.Name))
	g.List(Id("v"), Id("into")).Op("=").List(Id("p"), Id("p"))
}

func tagName(depth int) string {
	return "tag" + strings.Repeat("2", min(depth, 1)) + strings.Repeat("x", max(depth-1, 0))
}

// decide prints one decision by a constant member.
func (e *emitter) decide(g *Group, u *golang.Union, d *protocol.Dispatch, made []protocol.Scalar) {
	depth := len(made)
	tag := tagName(depth)
	method := map[protocol.Scalar]string{protocol.String: "StringTag", protocol.Bool: "BoolTag", protocol.Integer: "IntTag"}[d.Kind]
	args := []Code{text(d.Member)}
	if d.Absent {
		method = "StringTagOrNone"
	}
	if d.Lenient {
		method = "StringTagIfAny"
	}
	if d.Untagged != "" {
		method, args = "StringTagOr", append(args, text(d.Untagged))
	}
	g.List(Id(tag), Id("ok")).Op(":=").Id("d").Dot(method).Call(args...)
	g.If(Op("!").Id("ok")).BlockFunc(func(g *Group) {
		if depth > 0 && made[0] == protocol.String {
			g.Id("d").Dot("Within").Call(Id("start"), String().Call(Id(tagName(0))))
		}
		g.Return(Nil())
	})
	on := Id(tag)
	if d.Kind == protocol.String {
		on = String().Call(Id(tag))
	}
	var cases []Code
	values := 0
	for _, c := range d.Cases {
		if len(c.Values) == 0 {
			continue // the general variant
		}
		values += len(c.Values)
		cases = append(cases, CaseFunc(func(g *Group) {
			for _, v := range c.Values {
				g.Add(literal(v))
			}
		}).BlockFunc(func(g *Group) {
			here := append(slices.Clone(made), d.Kind)
			switch {
			case c.Next != nil && c.Next.Member != "":
				e.decide(g, u, c.Next, here)
			case c.Next != nil:
				// The members distinguish the variants that share the tag.
				g.Id("v").Op("=").Func().Params().Id(u.Name).BlockFunc(func(g *Group) {
					e.byShape(g, c.Next, returnStruct, func(g *Group) {
						e.noneFits(g, u, c.Next)
						g.Return(Nil())
					})
				}).Call()
			default:
				into(g, e.pkg.StructOf(c.Struct))
			}
		}))
	}
	if !(d.Kind == protocol.Bool && values == 2) {
		cases = append(cases, Default().BlockFunc(func(g *Group) { e.other(g, u, d, depth, tag) }))
	}
	g.Switch(on).Block(cases...)
}

// eachVariant calls f for every variant with its distinguishing value; by formats the value in a case, or returns "".
func eachVariant(p *golang.Package, by func(*protocol.Dispatch, *protocol.Case) string, f func(s *golang.Struct, members []string)) {
	var walk func(d *protocol.Dispatch, members []string)
	walk = func(d *protocol.Dispatch, members []string) {
		if d == nil {
			return
		}
		for _, c := range d.Cases {
			told := members
			if member := by(d, c); member != "" {
				told = append(slices.Clone(members), member)
			}
			walk(c.Next, told)
			if c.Struct != nil {
				f(p.StructOf(c.Struct), told)
			}
		}
	}
	for _, u := range p.Unions {
		walk(u.Cases, nil)
	}
}

// tagFields returns the discriminators that are struct fields, because their variant has several tags. It is indexed
// by struct and wire name.
func tagFields(p *golang.Package) map[*golang.Struct]map[string]bool {
	out := map[*golang.Struct]map[string]bool{}
	eachVariant(p, func(d *protocol.Dispatch, _ *protocol.Case) string { return d.Member }, func(s *golang.Struct, members []string) {
		for _, field := range s.Fields {
			if slices.Contains(members, field.Wire) && !field.Pointer {
				each.Put(out, s, field.Wire, true)
			}
		}
	})
	return out
}

// decidingMembers returns the members that distinguish variants, by struct and wire name, without those that may be missing.
func decidingMembers(p *golang.Package) map[*golang.Struct]map[string]bool {
	out := map[*golang.Struct]map[string]bool{}
	by := func(d *protocol.Dispatch, c *protocol.Case) string {
		if d.Untagged != "" && slices.Contains(c.Values, protocol.Value{Kind: protocol.String, Str: d.Untagged}) {
			return ""
		}
		return cmp.Or(d.Member, c.Marker)
	}
	eachVariant(p, by, func(s *golang.Struct, members []string) {
		for _, member := range members {
			if !slices.ContainsFunc(s.Consts, func(c golang.Const) bool { return c.Optional && c.Wire == member }) {
				each.Put(out, s, member, true)
			}
		}
	})
	return out
}

// other prints how an unknown tag is handled.
func (e *emitter) other(g *Group, u *golang.Union, d *protocol.Dispatch, depth int, tag string) {
	if last := d.Cases[len(d.Cases)-1]; len(last.Values) == 0 {
		into(g, e.pkg.StructOf(last.Struct)) // the general variant
		return
	}
	if u.Unknown != nil && depth == 0 {
		if u.Unknown.Tag == nil {
			g.Id("v").Op("=").Op("&").Id(u.Unknown.Name).Values(
				Id(u.Unknown.Field).Op(":").Id(tag), Id("Raw").Op(":").Id("d").Dot("RawIntVariant").Call(text(d.Member), Id(tag)),
			)
			return
		}
		unknown := Id("v").Op("=").Op("&").Id(u.Unknown.Name).Values(
			Id(u.Unknown.Field).Op(":").Id(u.Unknown.Tag.Name).Call(Id(tag)),
			Id("Raw").Op(":").Id("d").Dot(rawVariant(u)).Call(text(d.Member), Id(tag)),
		)
		if u.Unknown.Owner == u || u.Apart { // the enclosing union may know the tag of an alternative that is kept
			g.Add(unknown)
			return
		}
		// A tag known to the enclosing union is not unknown; it is misplaced.
		g.If(Id(u.Unknown.Tag.Name).Call(Id(tag)).Dot("IsKnown").Call()).Block(
			Id("d").Dot("OtherTag").Call(text(u.Name), String().Call(Id(tag))),
		).Else().Block(unknown)
		return
	}
	switch d.Kind {
	case protocol.String:
		g.Id("d").Dot("UnknownTag").Call(text(u.Name), String().Call(Id(tag)))
	default:
		g.Id("d").Dot("Failf").Call(text(u.Name+": no variant has "+gotext.Format(d.Member)+" %v"), Id(tag))
	}
}

// rawVariant returns the type that keeps an unknown variant.
func rawVariant(u *golang.Union) string {
	if u.Beside {
		return "RawVariantBeside"
	}
	return "RawVariant"
}

// wireNames returns the names of all declared members.
func wireNames(s *golang.Struct) []string {
	out := each.Map(s.Consts, func(c golang.Const) string { return c.Wire })
	for _, f := range s.Fields {
		out = append(out, f.Wire)
	}
	return out
}

// otherThanObjects keeps non-objects if a union allows them as unknown variants.
func (e *emitter) otherThanObjects(g *Group, u *golang.Union) {
	if u.Anything && u.Unknown != nil {
		g.If(Id("d").Dot("Kind").Call().Op("!=").LitRune('{')).Block(Return(keptAs(u, "Raw")))
	}
}

// shaped distinguishes variants by the members present.
func (e *emitter) shaped(g *Group, u *golang.Union) {
	e.otherThanObjects(g, u)
	g.Id("start").Op(":=").Id("d").Dot("Here").Call()
	e.byShape(g, u.Cases, returnStruct, func(g *Group) {
		if u.Unknown != nil {
			g.Return(kept(u))
			return
		}
		e.noneFits(g, u, u.Cases)
		g.Return(Nil())
	})
}

// noneFits prints the error for an object with no distinguishing member.
func (e *emitter) noneFits(g *Group, u *golang.Union, d *protocol.Dispatch) {
	markers := each.Map(d.Cases, func(c *protocol.Case) string { return c.Marker })
	g.Id("d").Dot("Failf").Call(text(u.Name + ": no variant fits: it has none of " + gotext.Format(strings.Join(markers, ", "))))
}

// byShape scans member names up to the first conclusive one, then goes back to the start. A member of only one
// variant is conclusive; a shared one counts only if no other variant's members are present.
func (e *emitter) byShape(g *Group, d *protocol.Dispatch, found func(*Group, *golang.Struct), none func(*Group)) {
	if last := d.Cases[len(d.Cases)-1]; last.Marker == "" {
		none = func(g *Group) { found(g, e.pkg.StructOf(last.Struct)) }
		d = &protocol.Dispatch{Cases: d.Cases[:len(d.Cases)-1]}
	}
	for i := 0; i < len(d.Cases); i += seenBits {
		g.Var().Id(seenName(i)).Uint64()
	}
	var cases []Code
	anyDecisive := false
	for i, c := range d.Cases {
		decisive := !slices.ContainsFunc(d.Cases, func(o *protocol.Case) bool {
			return o != c && slices.Contains(wireNames(e.pkg.StructOf(o.Struct)), c.Marker)
		})
		anyDecisive = anyDecisive || decisive
		cases = append(cases, Case(text(c.Marker)).BlockFunc(func(g *Group) {
			g.Id(seenName(i)).Op("|=").Id(hex(1 << (i % seenBits)))
			if decisive {
				g.Break().Id("scan")
			}
		}))
	}
	if anyDecisive {
		g.Id("scan").Op(":")
	}
	g.For(Id("k").Op(":=").Id("d").Dot("Object").Call(), Id("k").Op("!=").Nil(), Id("k").Op("=").Id("d").Dot("NextKey").Call()).Block(
		Switch(String().Call(Id("k"))).Block(cases...),
		Id("d").Dot("Skip").Call(),
	)
	g.If(Id("d").Dot("Failed").Call()).Block(Return(Nil()))
	g.Id("d").Dot("Back").Call(Id("start"))
	var outcomes []Code
	for i, c := range d.Cases {
		outcomes = append(outcomes, Case(Id(seenName(i)).Op("&").Id(hex(1<<(i%seenBits))).Op("!=").Lit(0)).BlockFunc(func(g *Group) { found(g, e.pkg.StructOf(c.Struct)) }))
	}
	g.Switch().Block(outcomes...)
	none(g)
}

// kept returns an unknown variant holding the object that none of the known ones is.
func kept(u *golang.Union) *Statement {
	if u.Beside {
		return keptAs(u, "RawShared")
	}
	return keptAs(u, "Raw")
}

// keptAs returns an unknown variant holding what a decoder method keeps.
func keptAs(u *golang.Union, method string, args ...Code) *Statement {
	return Op("&").Id(u.Unknown.Name).Values(Id("Raw").Op(":").Id("d").Dot(method).Call(args...))
}

// token distinguishes variants by the first byte.
func (e *emitter) token(g *Group, u *golang.Union) {
	var words []string
	var cases []Code
	for _, t := range u.Tokens {
		words = append(words, t.Word)
		cases = append(cases, Case(LitRune(rune(t.Kind))).BlockFunc(func(g *Group) {
			switch {
			case t.Lists != nil:
				e.lists(g, u, t)
			case t.Struct != nil:
				returnStruct(g, t.Struct)
			case t.Union != nil:
				// A nested union: its variants also belong to this one.
				g.List(Id("v"), Id("_")).Op(":=").Id(reader(t.Union)).Call(Id("d")).Assert(Id(u.Name))
				g.Return(Id("v"))
			case t.Scalar.Type == nil:
				g.Id("d").Dot("Null").Call()
				g.Return(Id(t.Scalar.Name).Values())
			case u.Anything && (t.Kind == '[' || t.Kind == '{'):
				// Anything that does not fit is kept as other JSON.
				g.Id("at").Op(":=").Id("d").Dot("Here").Call()
				g.Id("v").Op(":=").Id(t.Scalar.Name).Call(e.readValue(t.Scalar.Type))
				g.If(Op("!").Id("d").Dot("Failed").Call()).Block(Return(Id("v")))
				g.Return(keptAs(u, "Otherwise", Id("at")))
			default:
				g.Return(Id(t.Scalar.Name).Call(e.readValue(t.Scalar.Type)))
			}
		}))
	}
	g.Switch(Id("d").Dot("Kind").Call()).Block(cases...)
	if u.Unknown != nil {
		g.Return(keptAs(u, "Raw"))
		return
	}
	g.Id("d").Dot("Mismatch").Call(text(strings.Join(words, " or ")))
	g.Return(Nil())
}

// lists prints the decision between list variants by the first item.
func (e *emitter) lists(g *Group, u *golang.Union, t *golang.Token) {
	g.Id("at").Op(":=").Id("d").Dot("Here").Call()
	first := t.Lists[0].Scalar
	g.If(Op("!").Id("d").Dot("Array").Call()).Block(Return(Id(first.Name).Values()))
	found := func(g *Group, item *golang.Struct) {
		for _, l := range t.Lists {
			if l.Item == item {
				g.Id("d").Dot("Back").Call(Id("at"))
				g.Return(Id(l.Scalar.Name).Call(e.readValue(l.Scalar.Type)))
			}
		}
	}
	if t.Items.Member == "" {
		g.Id("start").Op(":=").Id("d").Dot("Here").Call()
		e.byShape(g, t.Items, found, func(g *Group) {
			e.noneFits(g, u, t.Items)
			g.Return(Nil())
		})
		return
	}
	method := map[protocol.Scalar]string{protocol.String: "StringTag", protocol.Bool: "BoolTag", protocol.Integer: "IntTag"}[t.Items.Kind]
	g.List(Id("tag"), Id("ok")).Op(":=").Id("d").Dot(method).Call(text(t.Items.Member))
	g.If(Op("!").Id("ok")).Block(Return(Nil()))
	on := Id("tag")
	if t.Items.Kind == protocol.String {
		on = String().Call(on)
	}
	g.Switch(on).BlockFunc(func(g *Group) {
		for _, c := range t.Items.Cases {
			g.CaseFunc(func(g *Group) {
				for _, v := range c.Values {
					g.Add(literal(v))
				}
			}).BlockFunc(func(g *Group) { found(g, e.pkg.StructOf(c.Struct)) })
		}
	})
	g.Id("d").Dot("Failf").Call(text(u.Name + ": no variant has items with this " + gotext.Format(t.Items.Member)))
	g.Return(Nil())
}
