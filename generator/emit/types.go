// Types: structs, enums, aliases and union interfaces.

package emit

import (
	"strconv"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (e *emitter) types(f *jenFile) {
	for _, a := range e.pkg.Aliases {
		f.at = a.Pos
		f.add(a.Doc, Type().Id(a.Name).Op("=").Add(goType(a.Target)))
	}
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		f.add(s.Doc, Type().Id(s.Name).StructFunc(func(g *Group) {
			for _, field := range s.Fields {
				for _, c := range comments(field.Doc) {
					g.Add(c)
				}
				g.Id(field.Name).Add(fieldType(field))
			}
			if s.Extra != nil {
				g.Comment("// Extra holds the members that the schema does not declare by name.")
				g.Id("Extra").Map(String()).Add(goType(s.Extra))
			}
		}))
		if s.New != nil {
			e.constructor(f, s)
		}
	}
}

func (e *emitter) constructor(f *jenFile, s *golang.Struct) {
	doc := []string{"New" + s.Name + " returns a [" + s.Name + "] with its required members set."}
	f.add(doc, Func().Id("New"+s.Name).ParamsFunc(func(g *Group) {
		for _, field := range s.New {
			g.Id(field.Param).Add(fieldType(field))
		}
	}).Op("*").Id(s.Name).Block(
		Return(Op("&").Id(s.Name).ValuesFunc(func(g *Group) {
			for _, field := range s.New {
				g.Id(field.Name).Op(":").Id(field.Param)
			}
		})),
	))
}

func (e *emitter) enums(f *jenFile) {
	for _, enum := range e.pkg.Enums {
		f.at = enum.Pos
		f.add(enum.Doc, Type().Id(enum.Name).Id(enum.Base))
		if len(enum.Members) > 0 {
			what := "values"
			if enum.Bitset {
				what = "flags"
			}
			f.add([]string{"The " + what + " of [" + enum.Name + "]."}, Const().DefsFunc(func(g *Group) {
				for _, m := range enum.Members {
					for _, c := range comments(m.Doc) {
						g.Add(c)
					}
					g.Id(m.Name).Id(enum.Name).Op("=").Add(literal(m.Value))
				}
			}))
		}
		if enum.Bitset {
			e.bitset(f, enum)
		} else {
			f.add([]string{"IsKnown reports whether v is one of the values above. Others are kept, as a newer peer may send them."},
				Func().Params(Id("v").Id(enum.Name)).Id("IsKnown").Params().Bool().BlockFunc(func(g *Group) {
					if len(enum.Members) > 0 {
						g.Switch(Id("v")).Block(CaseFunc(func(g *Group) {
							for _, m := range enum.Members {
								g.Id(m.Name)
							}
						}).Block(Return(True())))
					}
					g.Return(False())
				}))
		}
		f.add([]string{"AppendJSON appends v as JSON. It never fails."},
			appendMethod(enum.Name).Add(inline(Return(enumAppend(enum, Id("v")), Nil()))))
	}
}

func (e *emitter) bitset(f *jenFile, enum *golang.Enum) {
	flag := func(name, doc string, result Code, body Code) {
		f.add([]string{doc}, Func().Params(Id("v").Id(enum.Name)).Id(name).Params(Id("flags").Id(enum.Name)).Add(result).Add(inline(Return(body))))
	}
	flag("Has", "Has reports whether all the flags are set in v.", Bool(), Id("v").Op("&").Id("flags").Op("==").Id("flags"))
	flag("With", "With returns v with the flags set as well; other bits stay as they are.", Id(enum.Name), Id("v").Op("|").Id("flags"))
	flag("Without", "Without returns v with the flags cleared; other bits stay as they are.", Id(enum.Name), Id("v").Op("&^").Id("flags"))
}

// appendMethod starts the AppendJSON method of a type with a value receiver.
func appendMethod(name string) *Statement {
	return Func().Params(Id("v").Id(name)).Id("AppendJSON").Params(Id("dst").Index().Byte()).Params(Index().Byte(), Error())
}

func enumAppend(enum *golang.Enum, v Code) *Statement {
	switch enum.Base {
	case "int64":
		return Id("appendInt").Call(Id("dst"), Int64().Call(v))
	case "uint64":
		return Id("appendUint").Call(Id("dst"), Uint64().Call(v))
	}
	return Id("appendString").Call(Id("dst"), String().Call(v))
}

func literal(v protocol.Value) Code {
	switch v.Kind {
	case protocol.Integer:
		return Lit(int(v.Int))
	case protocol.Bool:
		return Lit(v.Bool)
	}
	return text(v.Str)
}

// markerName is the method that seals a union.
func markerName(u *golang.Union) string { return "is" + u.Name }

func (e *emitter) unions(f *jenFile) {
	for _, u := range e.pkg.Unions {
		f.at = u.Pos
		doc := append(append([]string{}, u.Doc...), "", "To decode one, use [Decode"+u.Name+"]; encoding/json cannot decode into an interface.", "")
		e.union(f, u, doc)
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

func (e *emitter) union(f *jenFile, u *golang.Union, doc []string) {
	code := Type().Id(u.Name).InterfaceFunc(func(g *Group) {
		for _, p := range u.Parents {
			g.Id(p.Name)
		}
		g.Id(markerName(u)).Params()
		if u.Tag != nil && u.Own {
			g.Add(comments([]string{u.Tag.Name + " returns the tag that says which variant it is."})...)
			g.Id(u.Tag.Name).Params().Id(u.Tag.Name)
		}
		if len(u.Parents) == 0 {
			g.Comment("// AppendJSON appends the variant as JSON.")
			g.Id("AppendJSON").Params(Id("dst").Index().Byte()).Params(Index().Byte(), Error())
		}
	})
	f.used = true
	f.Line()
	for _, c := range comments(doc) {
		f.Add(c)
	}
	f.Comment("//sumtype:decl")
	f.Add(code)
}

func (e *emitter) unknown(f *jenFile, u *golang.Unknown) {
	doc := []string{
		u.Name + " is a variant of [" + u.Owner.Name + "] that this package does not know, from a newer peer. It encodes to the",
		"bytes it was decoded from.",
	}
	f.add(doc, Type().Id(u.Name).StructFunc(func(g *Group) {
		switch {
		case u.Tag != nil:
			g.Id(u.Field).Id(u.Tag.Name)
		case u.Field != "":
			g.Id(u.Field).Int64()
		}
		g.Comment("// Raw is the whole object.")
		g.Id("Raw").Qual(jsonPath, "RawMessage")
	}))
	for _, m := range u.Markers {
		f.used = true
		f.Line()
		f.Func().Params(Op("*").Id(u.Name)).Id(markerName(m)).Params().Block()
	}
	if u.Tag != nil {
		f.add([]string{u.Tag.Name + " returns the tag as it was received."},
			Func().Params(Id("v").Op("*").Id(u.Name)).Id(u.Tag.Name).Params().Id(u.Tag.Name).Add(inline(Return(Id("v").Dot(u.Field)))))
	}
	for _, t := range u.Others {
		f.add([]string{t.Enum.Name + " returns the value of " + strconv.Quote(t.Member) + " in Raw, \"\" where there is none."},
			Func().Params(Id("v").Op("*").Id(u.Name)).Id(t.Enum.Name).Params().Id(t.Enum.Name).Block(
				Id("d").Op(":=").Id("newDecoder").Call(Id("v").Dot("Raw")),
				List(Id("tag"), Id("_")).Op(":=").Id("d").Dot("stringTag").Call(text(t.Member)),
				Return(Id(t.Enum.Name).Call(Id("tag"))),
			))
	}
	f.add([]string{"AppendJSON appends the object as it was received. It fails when Raw is not valid JSON."},
		Func().Params(Id("v").Op("*").Id(u.Name)).Id("AppendJSON").Params(Id("dst").Index().Byte()).Params(Index().Byte(), Error()).
			Block(refuseNil(), Return(Id("appendRaw").Call(Id("dst"), Id("v").Dot("Raw")))))
	f.add([]string{"MarshalJSON implements [json.Marshaler]; encoding/json removes white space from what it returns."},
		Func().Params(Id("v").Id(u.Name)).Id("MarshalJSON").Params().Params(Index().Byte(), Error()).
			Add(inline(Return(Id("v").Dot("AppendJSON").Call(Nil())))))
}

func (e *emitter) scalar(f *jenFile, s *golang.Scalar) {
	if s.Type == nil {
		f.add(s.Doc, Type().Id(s.Name).Struct())
	} else {
		f.add(s.Doc, Type().Id(s.Name).Add(goType(s.Type)))
	}
	for _, m := range s.Markers {
		f.Line()
		f.Func().Params(Id(s.Name)).Id(markerName(m)).Params().Block()
	}
	f.add([]string{"AppendJSON appends v as JSON."}, appendMethod(s.Name).BlockFunc(func(g *Group) {
		if s.Type == nil {
			g.Return(Append(Id("dst"), Lit("null").Op("...")), Nil())
			return
		}
		g.Add(appendReturn(s.Type, goType(s.Type).Call(Id("v"))))
	}))
	f.add([]string{"MarshalJSON implements [json.Marshaler]."},
		Func().Params(Id("v").Id(s.Name)).Id("MarshalJSON").Params().Params(Index().Byte(), Error()).
			Add(inline(Return(Id("v").Dot("AppendJSON").Call(Nil())))))
}

// markers prints what makes a struct a variant: the sealing methods and the tag.
func (e *emitter) markers(f *jenFile, s *golang.Struct) {
	for _, u := range s.Markers {
		f.used = true
		f.Line()
		f.Func().Params(Op("*").Id(s.Name)).Id(markerName(u)).Params().Block()
	}
	for _, t := range s.Tags {
		if t.Field != "" {
			tag := Id("v").Dot(t.Field)
			if t.Convert {
				tag = Id(t.Enum.Name).Call(tag)
			}
			f.add([]string{t.Enum.Name + " returns the tag; the variant owns several."},
				Func().Params(Id("v").Op("*").Id(s.Name)).Id(t.Enum.Name).Params().Id(t.Enum.Name).Add(inline(Return(tag))))
			continue
		}
		f.add([]string{t.Enum.Name + " returns [" + t.Const + "]."},
			Func().Params(Op("*").Id(s.Name)).Id(t.Enum.Name).Params().Id(t.Enum.Name).Add(inline(Return(Id(t.Const)))))
	}
}
