// Types: structs, enums, aliases and union interfaces.

package emit

import (
	"slices"
	"strconv"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

func (e *emitter) types(f *jenFile) {
	rest := e.pkg.Aliases
	for _, s := range e.pkg.Structs {
		for len(rest) > 0 && rest[0].Place <= s.Place {
			e.alias(f, rest[0])
			rest = rest[1:]
		}
		f.at = s.Pos
		f.add(s.Doc, Type().Id(s.Name).StructFunc(func(g *Group) {
			for _, field := range s.Fields {
				addComments(g, field.Doc)
				g.Id(field.Name).Add(e.fieldType(field)).Add(structTag(field))
			}
			for _, c := range s.Choices {
				g.Comment("// " + c.Name + " is what the object is beside these members.")
				g.Id(c.Name).Id(c.Union.Name)
			}
			if s.Keeps {
				g.Id(restField).Add(e.wire("Rest")).Comment("members that no field holds")
			}
			if s.Extra != nil {
				g.Comment("// Extra holds the members that the schema does not declare by name.")
				g.Id("Extra").Map(String()).Add(e.goType(s.Extra))
			}
		}))
	}
	for _, a := range rest {
		e.alias(f, a)
	}
}

func (e *emitter) alias(f *jenFile, a *golang.Alias) {
	f.at = a.Pos
	f.add(a.Doc, Type().Id(a.Name).Op("=").Add(e.goType(a.Target)))
}

// markerName returns the name of the method that seals a union.
func markerName(u *golang.Union) string { return "is" + u.Name }

func (e *emitter) unions(f *jenFile) {
	for _, u := range e.pkg.Unions {
		f.at = u.Pos
		e.union(f, u)
		for _, s := range u.Scalars {
			e.scalar(f, s)
		}
		if u.Unknown != nil && u.Unknown.Owner == u {
			e.unknown(f, u.Unknown)
		}
	}
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		e.markers(f, s)
	}
}

func (e *emitter) union(f *jenFile, u *golang.Union) {
	code := Type().Id(u.Name).InterfaceFunc(func(g *Group) {
		for _, p := range u.Parents {
			g.Id(p.Name)
		}
		g.Id(markerName(u)).Params()
		if u.Tag != nil && u.Own {
			addComments(g, []string{u.Tag.Name + " returns the tag that says which variant it is."})
			g.Id(u.Tag.Name).Params().Id(u.Tag.Name)
		}
		for _, a := range u.Accessors {
			if !inherited(u, a) {
				g.Id(a.Name).Params().Add(e.fieldType(a.Field))
			}
		}
		if len(u.Parents) == 0 {
			g.Add(e.wire("Value"))
		}
	})
	f.Line()
	addComments(f, u.Doc)
	f.Comment("//")
	f.Comment("//sumtype:decl")
	f.Add(code)
}

// inherited reports whether an enclosing union has the same accessor.
func inherited(u *golang.Union, a golang.Accessor) bool {
	return slices.ContainsFunc(u.Family()[1:], func(p *golang.Union) bool {
		return slices.ContainsFunc(p.Accessors, func(o golang.Accessor) bool { return o.Name == a.Name })
	})
}

// unknownAccessor prints an accessor that reads a member of an unknown variant.
func (e *emitter) unknownAccessor(f *jenFile, u *golang.Unknown, a golang.Accessor) {
	read := e.readFunc(a.Field.Type)
	if a.Field.Presence != golang.Required {
		read = Func().Params(e.decoderParam()).Add(e.fieldType(a.Field)).Add(inline(Return(e.readField(a.Field, false))))
	}
	f.Func().Params(Id("v").Op("*").Id(u.Name)).Id(a.Name).Params().Add(e.fieldType(a.Field)).
		Add(inline(Return(e.codec("Member").Call(Id("v").Dot("Raw"), text(a.Field.Wire), read))))
}

func (e *emitter) unknown(f *jenFile, u *golang.Unknown) {
	what := " that this package does not know, from a newer peer."
	if d := u.Owner.Cases; d != nil && d.IsPartial() {
		what = " without " + strconv.Quote(d.Member) + ", or one that this package does not know, from a newer peer."
	}
	doc := comment(u.Name + " is " + gotext.A(u.Owner.Name) + what + " It encodes to the bytes it was decoded from.")
	f.add(doc, Type().Id(u.Name).StructFunc(func(g *Group) {
		switch {
		case u.Tag != nil:
			g.Id(u.Field).Id(u.Tag.Name)
		case u.Field != "":
			g.Id(u.Field).Int64()
		}
		if u.Owner.Anything {
			g.Comment("// Raw is the whole value.")
		} else {
			g.Comment("// Raw is the whole object.")
		}
		g.Id("Raw").Id("json.RawMessage")
	}))
	f.Line()
	for _, m := range u.Markers {
		f.Func().Params(Op("*").Id(u.Name)).Id(markerName(m)).Params().Block()
	}
	if u.Tag != nil {
		f.Func().Params(Id("v").Op("*").Id(u.Name)).Id(u.Tag.Name).Params().Id(u.Tag.Name).Add(inline(Return(Id("v").Dot(u.Field))))
	}
	if u.Tag != nil && u.Tag.Extension != "" {
		f.Comment("// IsExtension reports whether the variant is one of an extension, and not of a newer version of the protocol.")
		f.Func().Params(Id("v").Op("*").Id(u.Name)).Id("IsExtension").Params().Bool().Add(inline(Return(Id("v").Dot(u.Field).Dot("IsExtension").Call())))
	}
	for _, o := range u.Others {
		f.Func().Params(Id("v").Op("*").Id(u.Name)).Id(o.Enum.Name).Params().Id(o.Enum.Name).
			Add(inline(Return(e.codec("Member").Call(Id("v").Dot("Raw"), text(o.Member), e.readFunc(golang.EnumType{Enum: o.Enum})))))
	}
	for _, a := range u.Accessors {
		e.unknownAccessor(f, u, a)
	}
	f.Func().Params(Id("v").Op("*").Id(u.Name)).Id("EncodeJSON").Params(e.encodeParams()...).Index().Byte().
		Add(inline(Return(e.call("AppendRaw", Lit(""), Id("v").Dot("Raw")))))
}

func (e *emitter) scalar(f *jenFile, s *golang.Scalar) {
	if s.Type == nil {
		f.add(s.Doc, Type().Id(s.Name).Struct())
	} else {
		f.add(s.Doc, Type().Id(s.Name).Add(e.goType(s.Type)))
	}
	for _, m := range s.Markers {
		f.Line()
		f.Func().Params(Id(s.Name)).Id(markerName(m)).Params().Block()
	}
	f.Line()
	f.Func().Params(Id("v").Id(s.Name)).Id("EncodeJSON").Params(e.encodeParams()...).Index().Byte().BlockFunc(func(g *Group) {
		if s.Type == nil {
			g.Return(Append(Id("dst"), Lit("null").Op("...")))
			return
		}
		g.Return(e.appendValue(s.Type, Lit(""), e.goType(s.Type).Call(Id("v"))))
	})
}

// markers prints the methods that make a struct a variant.
func (e *emitter) markers(f *jenFile, s *golang.Struct) {
	if len(s.Markers) > 0 {
		f.next()
	}
	for _, u := range s.Markers {
		f.Func().Params(Op("*").Id(s.Name)).Id(markerName(u)).Params().Block()
	}
	for _, t := range s.Tags {
		if t.Field == "" && t.Const == "" {
			f.Func().Params(Op("*").Id(s.Name)).Id(t.Enum.Name).Params().Id(t.Enum.Name).Add(inline(Return(Lit(""))))
			continue
		}
		if t.Field != "" {
			tag := Id("v").Dot(t.Field)
			if t.Convert {
				tag = Id(t.Enum.Name).Call(tag)
			}
			f.Func().Params(Id("v").Op("*").Id(s.Name)).Id(t.Enum.Name).Params().Id(t.Enum.Name).Add(inline(Return(tag)))
			continue
		}
		f.Func().Params(Op("*").Id(s.Name)).Id(t.Enum.Name).Params().Id(t.Enum.Name).Add(inline(Return(Id(t.Const))))
	}
	for _, a := range s.Accessors {
		f.Func().Params(Id("v").Op("*").Id(s.Name)).Id(a.Name).Params().Add(e.fieldType(a.Field)).Add(inline(Return(Id("v").Dot(a.Field.Name))))
	}
}
