// Random values: a package for tests, with a function for each type.

package emit

import (
	"math"
	"path"
	"slices"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// random prints the package of random values.
func (e *emitter) random(f *jenFile) {
	if !e.pkg.Parts[golang.PartRandom] {
		return
	}
	outside := *e
	outside.outside = e.itself()
	f.imports = append(f.imports, golang.CustomImport{
		Path: e.pkg.ImportPath, Name: outside.outside, Renamed: outside.outside != path.Base(e.pkg.ImportPath),
	})
	f.doc = comment("Package " + e.pkg.Random + " makes random values of package " + e.pkg.Name + " that satisfy the constraints of their schemas, for tests. Raw JSON in them is arbitrary.")
	outside.template(f, "random", &randomizer{view: view{Package: e.pkg}, emitter: &outside, heights: heightsOf(e.pkg)})
}

// itself returns the name by which another package imports this one: its own, unless that is the name of something else there.
func (e *emitter) itself() string {
	if slices.Contains([]string{"d", "v", "r", "fmt", "json", "rand", "random", "reflect", "wire"}, e.pkg.Name) {
		return e.pkg.Name + "types"
	}
	return e.pkg.Name
}

// randomizer is what the template of random values sees.
type randomizer struct {
	view
	*emitter
	heights heights
}

// fn refers to an identifier of package random.
func (r *randomizer) fn(name string) *Statement { return Id("random." + name) }

func (r *randomizer) draw() Code { return Id("d").Op("*").Add(r.fn("Draw")) }

// made returns the name of the function that makes values of a type.
func made(name string) string { return "make" + name }

// Itself returns the name by which the package of the types is imported.
func (r *randomizer) Itself() string { return r.outside }

// Made lists the types of which there are values.
func (r *randomizer) Made() []string {
	out := each.Map(r.Structs, func(s *golang.Struct) string { return s.Name })
	for _, u := range r.Unions {
		if !r.isVoid(u) {
			out = append(out, u.Name)
		}
	}
	for _, enum := range r.Enums {
		out = append(out, enum.Name)
	}
	return out
}

// Sequences lists the channels of which there are sequences of actions.
func (r *randomizer) Sequences() []*golang.ChannelReducer {
	if r.Reducers == nil || !r.Parts[golang.PartReducers] {
		return nil
	}
	return r.Reducers.Channels
}

// About returns the comment of what makes a sequence of actions.
func (r *randomizer) About(c *golang.ChannelReducer) []string {
	return comment(c.Method + "Actions yields n random actions, each with the state that the reducer makes of the one before, from a state on. " +
		"They refer to what is in the state, and are not those that a host would refuse only: a state may stay as it is.")
}

// Always reports whether a member is set in any case, if only to null or absent.
func (r *randomizer) Always(f *golang.Field) bool {
	return f.Presence == golang.Required || f.Presence == golang.Maybe
}

// Wire lists the names of the members that a struct declares.
func (r *randomizer) Wire(s *golang.Struct) []string { return wireNames(s) }

// Variant returns a random variant of a union.
func (r *randomizer) Variant(u *golang.Union) gotext.Code {
	return r.code(r.value(golang.UnionType{Union: u}, nil))
}

// Maker returns a function that makes values of a type.
func (r *randomizer) Maker(t golang.Type, limits *protocol.Constraints) gotext.Code {
	return r.code(r.maker(t, limits))
}

// Value returns a random value of a field.
func (r *randomizer) Value(f *golang.Field) gotext.Code {
	value := r.value(f.Type, f.Limits)
	switch {
	case len(f.Values) > 0:
		args := []Code{Id("d")}
		for _, v := range f.Values {
			args = append(args, text(v))
		}
		value = r.fn("Pick").Types(r.goType(f.Type)).Call(args...)
	case f.URI && f.Limits.IsZero():
		value = r.plainText(nil, "uri")
	}
	if f.Pointer || f.Presence == golang.Maybe && isStruct(f.Type) {
		value = r.fn("Ptr").Call(value)
	}
	if f.Presence == golang.Maybe {
		value = r.fn("Nullable").Call(Id("d"), Func().Params(r.draw()).Add(r.maybeType(f.Type)).Add(inline(Return(value))))
	}
	return r.code(value)
}

// maker prints a function that makes values of a type.
func (r *randomizer) maker(t golang.Type, limits *protocol.Constraints) *Statement {
	under, _ := golang.Limited(t, limits)
	switch under := under.(type) {
	case golang.StructType:
		if !under.Floor {
			return Id(made(under.Name))
		}
	case golang.UnionType:
		if !r.isVoid(under.Union) {
			return Id(made(under.Name))
		}
	case golang.EnumType:
		return Id(made(under.Name))
	}
	return Func().Params(r.draw()).Add(r.goType(unaliased(t))).Add(inline(Return(r.value(t, limits))))
}

// value prints a random value of a type.
func (r *randomizer) value(t golang.Type, limits *protocol.Constraints) *Statement {
	t, limits = golang.Limited(t, limits)
	switch t := t.(type) {
	case golang.StructType:
		if t.Floor {
			return r.structName(t.Struct).Values()
		}
		return Id(made(t.Name)).Call(Id("d"))
	case golang.UnionType:
		if r.isVoid(t.Union) {
			return Nil()
		}
		return Id(made(t.Name)).Call(Id("d"))
	case golang.EnumType:
		return Id(made(t.Name)).Call(Id("d"))
	case golang.Slice:
		least, most, unique := counted(t, limits)
		return r.fn("List").Call(Id("d"), Lit(least), Lit(most), Lit(unique), r.maker(t.Elem, limits.OfItems()))
	case golang.Map:
		least, most, _ := counted(t, limits)
		return r.fn("Map").Call(Id("d"), Lit(least), Lit(most), r.maker(t.Elem, limits.OfItems()))
	case golang.CustomType:
		return r.custom(t.Custom, limits)
	case golang.Basic:
		return r.basic(t, limits)
	}
	return Nil()
}

// counted returns the bounds of a list or map, and whether its items have to be unique.
func counted(t golang.Type, limits *protocol.Constraints) (least, most int, unique bool) {
	most = -1
	for _, rule := range golang.Rules(t, limits) {
		switch rule.Name {
		case "MinItems", "MinProperties":
			least = rule.Count
		case "MaxItems", "MaxProperties":
			most = rule.Count
		case "UniqueItems":
			unique = true
		}
	}
	return least, most, unique
}

func (r *randomizer) basic(t golang.Basic, limits *protocol.Constraints) *Statement {
	switch t {
	case golang.String:
		if limits.IsZero() {
			return Id("d").Dot("String").Call()
		}
		return r.plainText(limits, limits.Format)
	case golang.Bool:
		return Id("d").Dot("Bool").Call()
	case golang.Raw:
		return Id("d").Dot("JSON").Call()
	case golang.RawObject:
		return Id("d").Dot("Object").Call()
	case golang.Float64, golang.Number:
		bounds := Dict{}
		for _, rule := range golang.Rules(t, limits) {
			bounds[Id(rule.Name)] = text(rule.Number)
		}
		name := "Float"
		if t == golang.Number {
			name = "Number"
		}
		return Id("d").Dot(name).Call(r.fn("Bounds").Values(bounds))
	}
	return r.integer(t, limits)
}

func (r *randomizer) plainText(limits *protocol.Constraints, format string) *Statement {
	most := -1
	said := Dict{}
	var patterns []Code
	for _, rule := range golang.Rules(golang.String, limits) {
		switch rule.Name {
		case "MinLength":
			said[Id("Min")] = Lit(rule.Count)
		case "MaxLength":
			most = rule.Count
		case "Pattern":
			patterns = append(patterns, raw(rule.Text))
		}
	}
	said[Id("Max")] = Lit(most)
	if format != "" {
		said[Id("Format")] = text(format)
	}
	if len(patterns) > 0 {
		said[Id("Patterns")] = Index().String().Values(patterns...)
	}
	return Id("d").Dot("Text").Call(r.fn("Text").Values(said))
}

// integer prints a random integer.
func (r *randomizer) integer(t golang.Basic, limits *protocol.Constraints) *Statement {
	low, high := t.Range()
	multiple := int64(1)
	for _, rule := range golang.Rules(t, limits) {
		bound, exclusive := rule.Integer, int64(0)
		if rule.Name == "ExclusiveMinimum" || rule.Name == "ExclusiveMaximum" {
			exclusive = 1
		}
		switch rule.Name {
		case "Minimum", "ExclusiveMinimum":
			if rule.IsFloat {
				bound = int64(math.Ceil(max(-1<<62, min(rule.Float, 1<<62))))
			}
			low = max(low, bound+exclusive)
		case "Maximum", "ExclusiveMaximum":
			if rule.IsFloat {
				bound = int64(math.Floor(max(-1<<62, min(rule.Float, 1<<62))))
			}
			high = min(high, bound-exclusive)
		case "MultipleOf":
			if !rule.IsFloat && rule.Integer < 1<<31 && multiple < 1<<31 {
				multiple *= rule.Integer
			}
		}
	}
	return r.fn("Int").Types(Id(string(t))).Call(Id("d"), Lit(int(low)), Lit(int(high)), Lit(int(multiple)))
}

// isVoid reports whether a union has no variants that can be made.
func (r *randomizer) isVoid(u *golang.Union) bool { return len(u.Structs)+len(u.Scalars) == 0 }

// Variants returns a random value of each variant of a union, that with the least in it first.
func (r *randomizer) Variants(u *golang.Union) []gotext.Code {
	type variant struct {
		height int
		value  *Statement
	}
	var variants []variant
	for _, s := range u.Structs {
		value := r.fn("Ptr").Call(Id(made(s.Name)).Call(Id("d")))
		if s.Floor {
			value = Op("&").Add(r.structName(s)).Values()
		}
		variants = append(variants, variant{r.heights.of(golang.StructType{Struct: s}, nil), value})
	}
	for _, s := range u.Scalars {
		if s.Type == nil {
			variants = append(variants, variant{0, r.named(s.Name).Values()})
			continue
		}
		value := r.value(s.Type, s.Limits)
		if golang.Underlying(s.Type) == golang.Raw && slices.ContainsFunc(u.Tokens, func(t *golang.Token) bool { return t.Scalar == s && t.Kind == '{' }) {
			value = Id("d").Dot("Object").Call() // other raw JSON would be another variant
		}
		variants = append(variants, variant{r.heights.of(s.Type, s.Limits), r.named(s.Name).Call(value)})
	}
	slices.SortStableFunc(variants, func(a, b variant) int { return a.height - b.height })
	return each.Map(variants, func(v variant) gotext.Code { return r.code(v.value) })
}

// Member returns a random value of an enum, and one of none of its members if it has none.
func (r *randomizer) Member(enum *golang.Enum) gotext.Code {
	if len(enum.Members) == 0 && enum.Base != "string" {
		return r.code(r.named(enum.Name).Call(Lit(0)))
	} else if len(enum.Members) == 0 {
		return r.code(r.named(enum.Name).Call(Lit("0")))
	}
	args := []Code{Id("d")}
	for _, m := range enum.Members {
		args = append(args, r.named(m.Name))
	}
	return r.code(r.fn("Pick").Call(args...))
}

// heights are how deep the least values of types are nested. Types without finite values have very high ones.
type heights map[any]int

const endless = 1 << 20

// heightsOf computes heights until none gets lower.
func heightsOf(p *golang.Package) heights {
	h := heights{}
	lower := func(t any, height int) bool {
		old, ok := h[t]
		if ok && old <= height || height >= endless {
			return false
		}
		h[t] = height
		return true
	}
	for changed := true; changed; {
		changed = false
		for _, s := range slices.Backward(p.Structs) {
			height := 0
			for _, f := range s.Fields {
				if f.Presence == golang.Required {
					height = max(height, h.of(f.Type, f.Limits))
				}
			}
			for _, c := range s.Choices {
				height = max(height, h.of(golang.UnionType{Union: c.Union}, nil))
			}
			changed = lower(s, height+1) || changed
		}
		for _, u := range slices.Backward(p.Unions) {
			height := endless
			for _, s := range u.Structs {
				height = min(height, h.of(golang.StructType{Struct: s}, nil))
			}
			for _, s := range u.Scalars {
				if s.Type == nil {
					height = 0
				} else {
					height = min(height, h.of(s.Type, s.Limits))
				}
			}
			changed = lower(u, height) || changed
		}
	}
	return h
}

// of returns the height of a type.
func (h heights) of(t golang.Type, limits *protocol.Constraints) int {
	t, limits = golang.Limited(t, limits)
	var key any
	switch t := t.(type) {
	case golang.StructType:
		if t.Floor {
			return 0
		}
		key = t.Struct
	case golang.UnionType:
		key = t.Union
	case golang.Slice:
		if least, _, _ := counted(t, limits); least > 0 {
			return h.of(t.Elem, limits.OfItems())
		}
		return 0
	case golang.Map:
		if least, _, _ := counted(t, limits); least > 0 {
			return h.of(t.Elem, limits.OfItems())
		}
		return 0
	default:
		return 0
	}
	if height, ok := h[key]; ok {
		return height
	}
	return endless
}
