// Validation: methods that check values against constraints.

package emit

import (
	"strconv"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// validation prints the method Validate of each type that has something to check.
func (e *emitter) validation(f *jenFile) {
	if !e.pkg.Parts[golang.PartValidate] {
		return
	}
	v := &validator{emitter: e, patterns: map[string]string{}, held: map[*golang.Union]bool{}}
	for _, s := range e.pkg.Structs {
		if s.Validates {
			f.at = s.Pos
			v.object(f, s)
		}
	}
	for _, u := range e.pkg.Unions {
		for _, s := range u.Scalars {
			if s.Type != nil {
				f.at = u.Pos
				v.scalar(f, s)
			}
		}
	}
	for _, u := range e.pkg.Unions {
		if v.held[u] {
			f.at = u.Pos
			v.union(f, u)
		}
	}
	if len(v.texts) > 0 {
		f.add([]string{"Regular expressions are compiled when they are first needed."}, Var().DefsFunc(func(g *Group) {
			for i, p := range v.texts {
				g.Id("pattern" + strconv.Itoa(i+1)).Op("=").Add(v.fn("NewRegexp")).Call(raw(p))
			}
		}))
	}
}

// validator prints checks.
type validator struct {
	*emitter
	texts    []string               // regular expressions
	patterns map[string]string      // their variables
	held     map[*golang.Union]bool // that a value may be
	depth    int                    // of loops
}

// fn refers to an identifier of package validate.
func (v *validator) fn(name string) *Statement { return Id("validate." + name) }

func (v *validator) checker() Code { return Id("c").Op("*").Add(v.fn("Checker")) }

// methods prints Validate, which runs the method that checks.
func (v *validator) methods(f *jenFile, receiver *Statement, body []Code) {
	f.add(comment("Validate returns nil, or a *validate.Error that lists the violated constraints of the schema."),
		Func().Params(Id("v").Add(receiver.Clone())).Id("Validate").Params().Error().Add(inline(Return(v.fn("Run").Call(Id("v").Dot("validate"))))))
	f.Line()
	f.Func().Params(Id("v").Add(receiver)).Id("validate").Params(v.checker()).Block(body...)
}

func (v *validator) object(f *jenFile, s *golang.Struct) {
	var body []Code
	if l := s.Limits; l != nil {
		for _, r := range golang.Rules(golang.Map{Elem: golang.Raw}, l) {
			body = append(body, v.rule(r, golang.Map{}, v.fn("Members").Call(Id("v"))))
		}
	}
	for _, field := range s.Fields {
		body = append(body, v.field(field)...)
	}
	for _, c := range s.Choices {
		body = append(body, v.value(golang.UnionType{Union: c.Union}, Id("v").Dot(c.Name), nil)...)
	}
	if s.Extra != nil {
		body = append(body, v.each(golang.Map{Elem: s.Extra}, Id("v").Dot("Extra"), &protocol.Constraints{Items: s.ExtraLimits})...)
	}
	v.methods(f, Op("*").Id(s.Name), body)
}

// field prints the checks of a member, or nothing.
func (v *validator) field(f *golang.Field) []Code {
	at := Id("v").Dot(f.Name)
	within := func(checks []Code) []Code {
		if len(checks) == 0 {
			return nil
		}
		return append(append([]Code{Id("c").Dot("Member").Call(text(f.Wire))}, checks...), leave())
	}
	var there *Statement // nil if it always is
	var checks []Code
	switch {
	case f.Presence == golang.Maybe:
		there = List(Id("x"), Id("ok")).Op(":=").Add(at).Dot("Get").Call().Op(";").Id("ok")
		checks = v.value(f.Type, Id("x"), f.Limits)
	case f.Presence != golang.Required, f.Lenient && isUnion(f):
		there = at.Clone().Op("!=").Nil()
		value := at.Clone()
		if f.Pointer && !isStruct(f.Type) {
			value = Op("*").Add(value)
		}
		checks = v.value(f.Type, value, f.Limits)
	default:
		checks = append(v.set(f, at), v.value(f.Type, at, f.Limits)...)
	}
	checks = within(checks)
	if there == nil || len(checks) == 0 {
		return checks
	}
	return []Code{If(there).Block(checks...)}
}

// set prints the checks that a member which must be there is.
func (v *validator) set(f *golang.Field, at *Statement) []Code {
	switch {
	case len(f.Values) > 0:
		return []Code{Id("c").Dot("OneOf").Call(String().Call(at.Clone()), text(listed(f.Values)))}
	case isUnion(f), !f.MustBeSet():
		return nil
	case f.URI:
		return []Code{v.required(at.Clone().Op("!=").Lit(""))}
	}
	return []Code{v.required(at.Clone().Op("!=").Nil())}
}

func isStruct(t golang.Type) bool {
	_, ok := golang.Underlying(t).(golang.StructType)
	return ok
}

func leave() Code { return Id("c").Dot("Leave").Call() }

func (v *validator) required(condition Code) Code { return Id("c").Dot("Required").Call(condition) }

// value prints the checks of a value that is there.
func (v *validator) value(t golang.Type, at *Statement, limits *protocol.Constraints) []Code {
	t, limits = golang.Limited(t, limits)
	var out []Code
	for _, r := range golang.Rules(t, limits) {
		out = append(out, v.rule(r, t, at.Clone()))
	}
	switch t := t.(type) {
	case golang.StructType:
		if t.Validates {
			out = append(out, at.Clone().Dot("validate").Call(Id("c")))
		}
	case golang.UnionType:
		v.held[t.Union] = true
		out = append(out, Id(validates(t.Union)).Call(Id("c"), at.Clone()))
	case golang.EnumType:
		switch {
		case t.Closed:
			out = append(out, v.fn("Enum").Call(Id("c"), at.Clone()))
		case t.Named:
			out = append(out, v.required(at.Clone().Op("!=").Lit("")))
		}
	case golang.Slice, golang.Map:
		out = append(out, v.each(t, at, limits)...)
	}
	return out
}

// each prints the checks of the items of a list or the values of a map.
func (v *validator) each(t golang.Type, at *Statement, limits *protocol.Constraints) []Code {
	v.depth++
	defer func() { v.depth-- }()
	suffix := ""
	if v.depth > 1 {
		suffix = strconv.Itoa(v.depth)
	}
	switch t := t.(type) {
	case golang.Slice:
		i := Id("i" + suffix)
		checks := v.value(t.Elem, at.Clone().Index(i.Clone()), limits.OfItems())
		if len(checks) == 0 {
			return nil
		}
		body := append(append([]Code{Id("c").Dot("Item").Call(i.Clone())}, checks...), leave())
		return []Code{For(i.Clone().Op(":=").Range().Add(at.Clone())).Block(body...)}
	case golang.Map:
		k, x := Id("k"+suffix), Id("x"+suffix)
		checks := v.value(t.Elem, x, limits.OfItems())
		if len(checks) == 0 {
			return nil
		}
		body := append(append([]Code{Id("c").Dot("Key").Call(k.Clone()), x.Clone().Op(":=").Add(at.Clone()).Index(k.Clone())}, checks...), leave())
		return []Code{For(List(Id("_"), k.Clone()).Op(":=").Range().Add(v.fn("Keys")).Call(at.Clone())).Block(body...)}
	}
	return nil
}

// rule prints a check of a value.
func (v *validator) rule(r golang.Rule, t golang.Type, at *Statement) Code {
	c := Id("c")
	switch r.Name {
	case "MinItems", "MaxItems":
		return c.Dot(r.Name).Call(Len(at), Lit(r.Count))
	case "MinProperties", "MaxProperties":
		if m, ok := t.(golang.Map); ok && m.Elem != nil {
			at = Len(at)
		}
		return c.Dot(r.Name).Call(at, Lit(r.Count))
	case "UniqueItems":
		return v.fn(r.Name).Call(c, at)
	case "MinLength", "MaxLength":
		return c.Dot(r.Name).Call(at, Lit(r.Count))
	case "Pattern":
		return c.Dot(r.Name).Call(at, Id(v.pattern(r.Text)))
	case "Format":
		return c.Dot(r.Name).Call(at, text(r.Text))
	}
	if r.IsFloat && t != golang.Float64 {
		if t == golang.Number {
			at = v.fn("Float").Call(at)
		} else {
			at = Float64().Call(at)
		}
	}
	if r.Name == "MultipleOf" && r.IsFloat {
		return v.fn("MultipleOfFloat").Call(c, at, text(r.Number))
	}
	if r.IsFloat {
		return v.fn(r.Name).Call(c, at, Lit(r.Float))
	}
	return v.fn(r.Name).Call(c, at, Lit(int(r.Integer)))
}

// pattern returns the variable of a regular expression.
func (v *validator) pattern(text string) string {
	if v.patterns[text] == "" {
		v.texts = append(v.texts, text)
		v.patterns[text] = "pattern" + strconv.Itoa(len(v.texts))
	}
	return v.patterns[text]
}

// validates returns the name of the function that checks a variant of a union.
func validates(u *golang.Union) string { return "validate" + u.Name }

// union prints the function that checks a variant of a union.
func (v *validator) union(f *jenFile, u *golang.Union) {
	var cases []Code
	seen := map[string]bool{}
	add := func(name string, pointer bool) {
		if seen[name] {
			return
		}
		seen[name] = true
		t := Id(name)
		if pointer {
			t = Op("*").Id(name)
		}
		cases = append(cases, Case(t).Block(Id("v").Dot("validate").Call(Id("c"))))
	}
	for _, s := range u.Structs {
		if s.Validates {
			add(s.Name, true)
		}
	}
	for _, s := range u.Scalars {
		if s.Type != nil && len(v.value(s.Type, v.unwrapped(s), s.Limits)) > 0 {
			add(s.Name, false)
		}
	}
	switchOver := Null()
	if len(cases) > 0 {
		switchOver = Switch(Id("v").Op(":=").Id("v").Assert(Type())).Block(cases...)
	}
	f.used = true
	f.Line()
	f.Func().Id(validates(u)).Params(v.checker(), Id("v").Id(u.Name)).Block(
		If(v.wire("IsNil").Call(Id("v"))).Block(v.required(False()), Return()),
		switchOver,
	)
}

// unwrapped prints the value that a scalar variant wraps.
func (v *validator) unwrapped(s *golang.Scalar) *Statement {
	return Add(v.goType(s.Type)).Call(Id("v"))
}

// scalar prints the methods of a variant that is no object.
func (v *validator) scalar(f *jenFile, s *golang.Scalar) {
	if body := v.value(s.Type, v.unwrapped(s), s.Limits); len(body) > 0 {
		v.methods(f, Id(s.Name), body)
	}
}
