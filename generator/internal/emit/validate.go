// Validation: methods that check values against constraints.

package emit

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// validation prints the method Validate of each type that has something to check.
func (e *emitter) validation(f *jenFile) {
	if e.pkg.Parts[golang.PartValidate] {
		e.template(f, "validate", &validator{view: view{Package: e.pkg}, held: map[*golang.Union]bool{}})
	}
}

// validator is what the template of checks sees. It notes what the checks refer to.
type validator struct {
	view
	patterns []gotext.Code          // regular expressions
	held     map[*golang.Union]bool // that a value may be
	depth    int                    // of loops
}

// validated is a type with its checks.
type validated struct {
	Receiver gotext.Code
	Checks   []gotext.Code
}

// Objects returns the structs that have something to check.
func (v *validator) Objects() []validated {
	var out []validated
	for _, s := range v.Structs {
		if s.Validates {
			out = append(out, validated{gotext.Code("*" + s.Name), v.object(s)})
		}
	}
	return out
}

// Scalars returns the variants that are no objects and have something to check.
func (v *validator) Scalars() []validated {
	var out []validated
	for _, u := range v.Unions {
		for _, s := range u.Scalars {
			if checks := v.scalar(s); len(checks) > 0 {
				out = append(out, validated{gotext.Code(s.Name), checks})
			}
		}
	}
	return out
}

// Held returns the unions that a value may be.
func (v *validator) Held() []*golang.Union {
	return slices.DeleteFunc(slices.Clone(v.Unions), func(u *golang.Union) bool { return !v.held[u] })
}

// Cases returns the variants of a union that have something to check, each once.
func (v *validator) Cases(u *golang.Union) []gotext.Code {
	var out []gotext.Code
	for _, s := range u.Structs {
		if t := gotext.Code("*" + s.Name); s.Validates && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, s := range u.Scalars {
		if t := gotext.Code(s.Name); len(v.scalar(s)) > 0 && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// Patterns returns the regular expressions of all checks.
func (v *validator) Patterns() []gotext.Code { return v.patterns }

// Number returns the number of a regular expression.
func (*validator) Number(i int) int { return i + 1 }

func (v *validator) object(s *golang.Struct) []gotext.Code {
	var out []gotext.Code
	if l := s.Limits; l != nil {
		for _, r := range golang.Rules(golang.Map{Elem: golang.Raw}, l) {
			out = append(out, v.rule(r, golang.Map{}, "validate.Members(v)"))
		}
	}
	for _, field := range s.Fields {
		out = append(out, v.field(field)...)
	}
	for _, c := range s.Choices {
		out = append(out, v.value(golang.UnionType{Union: c.Union}, gotext.Code("v."+c.Name), nil)...)
	}
	if s.Extra != nil {
		out = append(out, v.each(golang.Map{Elem: s.Extra}, "v.Extra", &protocol.Constraints{Items: s.ExtraLimits})...)
	}
	return out
}

// scalar returns the checks of a variant that is no object.
func (v *validator) scalar(s *golang.Scalar) []gotext.Code {
	if s.Type == nil {
		return nil
	}
	return v.value(s.Type, v.Type(s.Type)+"(v)", s.Limits)
}

// within returns checks between what begins and what ends them, or nothing.
func within(begin gotext.Code, checks []gotext.Code, end gotext.Code) []gotext.Code {
	if len(checks) == 0 {
		return nil
	}
	return append(append([]gotext.Code{begin}, checks...), end)
}

// field returns the checks of a member, or nothing.
func (v *validator) field(f *golang.Field) []gotext.Code {
	at := gotext.Code("v." + f.Name)
	member := func(checks []gotext.Code) []gotext.Code {
		return within(gotext.Code("c.Member("+gotext.Literal(f.Wire)+")"), checks, "c.Leave()")
	}
	switch {
	case f.Presence == golang.Maybe:
		return within("if x, ok := "+at+".Get(); ok {", member(v.value(f.Type, "x", f.Limits)), "}")
	case f.Filled != "":
		return within("if "+at+` != "" {`, member(v.value(f.Type, at, f.Limits)), "}")
	case f.Presence != golang.Required, f.Lenient && isUnion(f):
		value := at
		if f.Pointer && !isStruct(f.Type) {
			value = "*" + at
		}
		return within("if "+at+" != nil {", member(v.value(f.Type, value, f.Limits)), "}")
	}
	return member(append(v.set(f, at), v.value(f.Type, at, f.Limits)...))
}

// set returns the checks that a member which must be there is.
func (v *validator) set(f *golang.Field, at gotext.Code) []gotext.Code {
	switch {
	case len(f.Values) > 0:
		return []gotext.Code{"c.OneOf(string(" + at + "), " + gotext.Code(gotext.Literal(listed(f.Values))) + ")"}
	case isUnion(f), !f.MustBeSet():
		return nil
	case f.URI:
		return []gotext.Code{"c.Required(" + at + ` != "")`}
	}
	return []gotext.Code{"c.Required(" + at + " != nil)"}
}

func isStruct(t golang.Type) bool {
	_, ok := golang.Underlying(t).(golang.StructType)
	return ok
}

// value returns the checks of a value that is there.
func (v *validator) value(t golang.Type, at gotext.Code, limits *protocol.Constraints) []gotext.Code {
	t, limits = golang.Limited(t, limits)
	out := each.Map(golang.Rules(t, limits), func(r golang.Rule) gotext.Code { return v.rule(r, t, at) })
	switch t := t.(type) {
	case golang.StructType:
		if t.Validates {
			out = append(out, at+".validate(c)")
		}
	case golang.UnionType:
		v.held[t.Union] = true
		out = append(out, gotext.Code("validate"+t.Name)+"(c, "+at+")")
	case golang.EnumType:
		switch {
		case t.Closed:
			out = append(out, "validate.Enum(c, "+at+")")
		case t.Named:
			out = append(out, "c.Required("+at+` != "")`)
		}
	case golang.Slice, golang.Map:
		out = append(out, v.each(t, at, limits)...)
	}
	return out
}

// each returns the checks of the items of a list or the values of a map.
func (v *validator) each(t golang.Type, at gotext.Code, limits *protocol.Constraints) []gotext.Code {
	v.depth++
	defer func() { v.depth-- }()
	suffix := gotext.Code("")
	if v.depth > 1 {
		suffix = gotext.Code(strconv.Itoa(v.depth))
	}
	switch t := t.(type) {
	case golang.Slice:
		i := "i" + suffix
		return within("for "+i+" := range "+at+" {\nc.Item("+i+")", v.value(t.Elem, at+"["+i+"]", limits.OfItems()), "c.Leave()\n}")
	case golang.Map:
		k, x := "k"+suffix, "x"+suffix
		return within("for _, "+k+" := range validate.Keys("+at+") {\nc.Key("+k+")\n"+x+" := "+at+"["+k+"]", v.value(t.Elem, x, limits.OfItems()), "c.Leave()\n}")
	}
	return nil
}

// rule returns a check of a value.
func (v *validator) rule(r golang.Rule, t golang.Type, at gotext.Code) gotext.Code {
	name, count := gotext.Code(r.Name), gotext.Code(strconv.Itoa(r.Count))
	switch r.Name {
	case "MinItems", "MaxItems":
		return "c." + name + "(len(" + at + "), " + count + ")"
	case "MinProperties", "MaxProperties":
		if m, ok := t.(golang.Map); ok && m.Elem != nil {
			at = "len(" + at + ")"
		}
		return "c." + name + "(" + at + ", " + count + ")"
	case "UniqueItems":
		return "validate." + name + "(c, " + at + ")"
	case "MinLength", "MaxLength":
		return "c." + name + "(" + at + ", " + count + ")"
	case "Pattern":
		return "c." + name + "(" + at + ", " + v.pattern(gotext.Code(gotext.RawLiteral(r.Text))) + ")"
	case "Format":
		return "c." + name + "(" + at + ", " + gotext.Code(gotext.Literal(r.Text)) + ")"
	}
	limit := gotext.Code(strconv.Itoa(int(r.Integer)))
	if r.IsFloat {
		limit = v.emitter().code(jen.Lit(r.Float))
		switch t {
		case golang.Float64:
		case golang.Number:
			at = "validate.Float(" + at + ")"
		default:
			at = "float64(" + at + ")"
		}
		if r.Name == "MultipleOf" {
			name, limit = "MultipleOfFloat", gotext.Code(gotext.Literal(r.Number))
		}
	}
	return "validate." + name + "(c, " + at + ", " + limit + ")"
}

// pattern returns the variable of a regular expression.
func (v *validator) pattern(literal gotext.Code) gotext.Code {
	i := slices.Index(v.patterns, literal)
	if i < 0 {
		i, v.patterns = len(v.patterns), append(v.patterns, literal)
	}
	return gotext.Code("pattern" + strconv.Itoa(i+1))
}
