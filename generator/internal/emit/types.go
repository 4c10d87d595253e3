// Types: structs, enums, aliases and union interfaces.

package emit

import (
	"slices"
	"strconv"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
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

// unions prints the interfaces of unions with their variants that are no structs, and what makes structs variants.
func (e *emitter) unions(f *jenFile) {
	for _, u := range e.pkg.Unions {
		f.at = u.Pos
		for _, declaration := range e.declarations("union", u) {
			f.Line()
			f.Add(Id(declaration))
		}
	}
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		for _, declaration := range e.declarations("variant", s) {
			f.next()
			f.Add(Id(declaration))
		}
	}
}

// OwnAccessors lists the accessors of a union that no enclosing one has.
func (v view) OwnAccessors(u *golang.Union) []golang.Accessor {
	return each.Where(u.Accessors, func(a golang.Accessor) bool { return !inherited(u, a) })
}

// inherited reports whether an enclosing union has the same accessor.
func inherited(u *golang.Union, a golang.Accessor) bool {
	return slices.ContainsFunc(u.Family()[1:], func(p *golang.Union) bool {
		return slices.ContainsFunc(p.Accessors, func(o golang.Accessor) bool { return o.Name == a.Name })
	})
}

// UnknownOf returns the variant that keeps what is unknown, if it is of this union and not of an enclosing one.
func (v view) UnknownOf(u *golang.Union) *golang.Unknown {
	if u.Unknown == nil || u.Unknown.Owner != u {
		return nil
	}
	return u.Unknown
}

// AboutUnknown returns the comment of the type that keeps unknown variants.
func (v view) AboutUnknown(u *golang.Unknown) []string {
	what := " that this package does not know, from a newer peer."
	if d := u.Owner.Cases; d != nil && d.IsPartial() {
		what = " without " + strconv.Quote(d.Member) + ", or one that this package does not know, from a newer peer."
	}
	return comment(u.Name + " is " + gotext.A(u.Owner.Name) + what + " It encodes to the bytes it was decoded from.")
}

// AccessorReader returns the function by which an unknown variant reads what an accessor returns.
func (v view) AccessorReader(f *golang.Field) gotext.Code {
	if f.Presence == golang.Required {
		return v.ReadFunc(f.Type)
	}
	e := v.emitter()
	return e.code(Func().Params(e.decoderParam()).Add(e.fieldType(f)).Add(inline(Return(e.readField(f, false)))))
}

// TagReader returns the function that reads a tag.
func (v view) TagReader(of *golang.Enum) gotext.Code { return v.ReadFunc(golang.EnumType{Enum: of}) }

// EncodedScalar returns the expression that appends a variant that is no object.
func (v view) EncodedScalar(s *golang.Scalar) gotext.Code {
	if s.Type == nil {
		return `append(dst, "null"...)`
	}
	e := v.emitter()
	return e.code(e.appendValue(s.Type, Lit(""), e.goType(s.Type).Call(Id("v"))))
}
