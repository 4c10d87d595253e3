// Keep: undeclared members, alternatives in the same object, and members that may be malformed.

package emit

import (
	"slices"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// restField is the field that holds undeclared members.
const restField = "rest"

// undeclared prints how an undeclared member is handled, or returns nil if it is skipped.
func (e *emitter) undeclared(s *golang.Struct) Code {
	var out Code
	switch {
	case s.Extra != nil:
		out = e.codec("AddExtra").Call(Id("d"), Op("&").Id("v").Dot("Extra"), Id("k"), e.readFunc(s.Extra))
	case s.Keeps:
		out = Id("d").Dot("Keep").Call(Op("&").Id("v").Dot(restField), Id("k"))
	}
	if out == nil || len(s.Choices) == 0 {
		return out
	}
	others := Null()
	for i, c := range s.Choices {
		if i > 0 {
			others.Op("&&")
		}
		others.Op("!").Id(declares(c.Union)).Call(Id("v").Dot(c.Name), Id("k"))
	}
	return If(others).Block(out)
}

// declares returns the name of the function that reports whether an alternative declares a member.
func declares(u *golang.Union) string { return "declares" + u.Name }

// keepingDecoder prints the decoder of a struct that keeps undeclared members or has alternatives.
func (e *emitter) keepingDecoder(f *jenFile, s *golang.Struct, cases []Code, seen required) {
	var lenient, absent []string
	for _, field := range s.Fields {
		if field.Lenient && !(isUnion(field) && field.Presence == golang.Required && !s.Keeps) { // nothing could be encoded then
			lenient = append(lenient, field.Wire)
		}
		if field.Presence == golang.Optional && !golang.HasNull(field.Type) {
			absent = append(absent, field.Wire)
		}
	}
	f.Func().Params(Id("v").Op("*").Id(s.Name)).Id("DecodeJSON").Params(e.decoderParam()).BlockFunc(func(g *Group) {
		e.decodeChoices(g, s)
		if s.Keeps {
			g.Id("v").Dot(restField).Op("=").Add(e.wire("Rest")).Values()
		}
		var body []Code
		if len(lenient) > 0 {
			body = append(body, Id("at").Op(":=").Id("d").Dot("Here").Call())
		}
		if s.Keeps && len(absent) > 0 {
			body = append(body, If(Id("d").Dot("IsNull").Call()).Block(
				Id("d").Dot("KeepNull").Call(Op("&").Id("v").Dot(restField), Id("k"), text(listed(absent)))))
		}
		switch {
		case len(wireNames(s)) > 0:
			body = append(body, Switch(String().Call(Id("k"))).Block(cases...))
		case len(cases) > 0:
			body = append(body, e.undeclared(s))
		}
		if len(lenient) > 0 {
			into := Nil()
			if s.Keeps {
				into = Op("&").Id("v").Dot(restField)
			}
			body = append(body, If(Id("d").Dot("Failed").Call()).Block(
				Id("d").Dot("Forgive").Call(Id("at"), Id("k"), into, text(listed(lenient)))))
		}
		e.eachMember(g, s, seen, body...)
		e.need(g, s, seen)
	})
}

// decodeChoices prints the decoding of alternatives, each from the start of the object.
func (e *emitter) decodeChoices(g *Group, s *golang.Struct) {
	if len(s.Choices) == 0 {
		return
	}
	g.Id("start").Op(":=").Id("d").Dot("Here").Call()
	g.Id("before").Op(":=").Id("d").Dot("Share").Call(text(listed(wireNames(s))))
	for i, c := range s.Choices {
		if i > 0 {
			g.Id("d").Dot("Back").Call(Id("start"))
		}
		g.Id("v").Dot(c.Name).Op("=").Id(reader(c.Union)).Call(Id("d"))
	}
	g.Id("d").Dot("Unshare").Call(Id("before"))
	g.Id("d").Dot("Back").Call(Id("start"))
}

// appendBeyond prints the encoding of alternatives and undeclared members.
func (e *emitter) appendBeyond(w *writer, s *golang.Struct) {
	for _, c := range s.Choices {
		w.flush()
		w.set(e.codec("AppendBeside").Call(Id("dst"), Id("e"), Id("v").Dot(c.Name)))
	}
	if s.Keeps {
		w.flush()
		w.set(Id("v").Dot(restField).Dot("Append").Call(Id("dst"), Id("start"), text(listed(wireNames(s)))))
	}
}

// besides prints the functions that report which members the alternatives of a struct declare.
func (e *emitter) besides(f *jenFile) {
	asked := e.asked()
	for _, u := range e.pkg.Unions {
		if !asked[u] {
			continue
		}
		f.at = u.Pos
		f.Line()
		f.Func().Id(declares(u)).Params(Id("v").Id(u.Name), Id("k").Index().Byte()).Bool().BlockFunc(func(g *Group) {
			cases := each.Map(u.Structs, func(s *golang.Struct) Code {
				return Case(Op("*").Id(s.Name)).BlockFunc(func(g *Group) { e.declared(g, s) })
			})
			if u.Unknown != nil {
				cases = append(cases, Case(Op("*").Id(u.Unknown.Name)).Block(Return(True())).Comment("it keeps them"))
			}
			on := Id("v").Assert(Type())
			if slices.ContainsFunc(u.Structs, func(s *golang.Struct) bool { return s.Extra == nil && len(s.Choices) > 0 }) {
				on = Id("v").Op(":=").Id("v").Assert(Type())
			}
			g.Switch(on).Block(cases...)
			g.Return(False())
		})
	}
}

// asked returns the unions in an object for which a struct must know the declared members, because it handles
// undeclared ones. Variants may contain such unions in turn.
func (e *emitter) asked() map[*golang.Union]bool {
	asked := map[*golang.Union]bool{}
	var ask func(s *golang.Struct)
	ask = func(s *golang.Struct) {
		for _, c := range s.Choices {
			if asked[c.Union] {
				continue
			}
			asked[c.Union] = true
			for _, variant := range c.Union.Structs {
				if variant.Extra == nil {
					ask(variant)
				}
			}
		}
	}
	for _, s := range e.pkg.Structs {
		if e.undeclared(s) != nil {
			ask(s)
		}
	}
	return asked
}

// declared prints the check whether a struct declares the member k.
func (e *emitter) declared(g *Group, s *golang.Struct) {
	if s.Extra != nil {
		g.Return(True())
		return
	}
	is := e.codec("Listed").Call(Id("k"), text(listed(wireNames(s))))
	for _, c := range s.Choices {
		is.Op("||").Id(declares(c.Union)).Call(Id("v").Dot(c.Name), Id("k"))
	}
	g.Return(is)
}

// readFitting prints an expression that reads the items of a list that are not malformed. The others are kept where a struct
// keeps what it does not know.
func (e *emitter) readFitting(f *golang.Field, keeps bool) *Statement {
	prefix := "Fitting"
	if f.Presence != golang.Required || f.NullEmpty {
		prefix = "OptFitting"
	}
	rest, member := Nil(), Lit("")
	if keeps {
		rest, member = Op("&").Id("v").Dot(restField), text(f.Wire)
	}
	elem := golang.Underlying(f.Type).(golang.Slice).Elem //nolint:forcetypeassert // only lists have items
	if t, ok := golang.Underlying(elem).(golang.StructType); ok {
		return e.codec(prefix+"Structs").Types(e.structName(t.Struct)).Call(Id("d"), rest, member)
	}
	return e.codec(prefix+"List").Call(Id("d"), e.readFunc(elem), rest, member)
}

// appendFitting prints an expression that appends a list with the items that were malformed.
func (e *emitter) appendFitting(prefix string, f *golang.Field, key *Statement) *Statement {
	elem := golang.Underlying(f.Type).(golang.Slice).Elem //nolint:forcetypeassert // only lists have items
	return e.call(prefix+"FittingList", key, Id("v").Dot(f.Name), e.itemFunc(elem), Id("v").Dot(restField).Dot("Items").Call(text(f.Wire)))
}

// unlessKept prints whether a member that may be malformed has a value of its own, nil for members that are always written:
// one that was malformed stands among what the struct keeps until its field is set.
func unlessKept(s *golang.Struct, f *golang.Field) *Statement {
	if !f.Lenient || !s.Keeps || f.Presence != golang.Required && f.Presence != golang.Nullable {
		return nil
	}
	v := Id("v").Dot(f.Name)
	there := Add(v).Op("!=")
	switch t := golang.Underlying(f.Type).(type) {
	case golang.Slice, golang.Map, golang.UnionType:
		there.Nil()
	case golang.Basic:
		switch {
		case f.Presence == golang.Nullable || t == golang.Raw || t == golang.RawObject:
			there.Nil()
		case t == golang.String || t == golang.Number:
			there.Lit("")
		default:
			return nil // any value may be meant
		}
	default:
		if f.Presence != golang.Nullable {
			return nil
		}
		there.Nil()
	}
	return there.Op("||").Op("!").Id("v").Dot(restField).Dot("Has").Call(text(f.Wire))
}

func isUnion(f *golang.Field) bool {
	_, ok := golang.Underlying(f.Type).(golang.UnionType)
	return ok
}
