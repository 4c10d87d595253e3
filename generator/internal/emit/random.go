// Random values: a package for tests, with a function for each type.

package emit

import (
	"math"
	"path"
	"slices"
	"strconv"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// random prints the package of random values.
func (e *emitter) random(f *jenFile) {
	if !e.pkg.Parts[golang.PartRandom] {
		return
	}
	e.importItself(f)
	outside := *e
	outside.outside = true
	r := &randomizer{emitter: &outside, heights: heightsOf(e.pkg)}
	r.head(f)
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		r.object(f, s)
	}
	for _, u := range e.pkg.Unions {
		f.at = u.Pos
		r.union(f, u)
	}
	for _, enum := range e.pkg.Enums {
		f.at = enum.Pos
		r.enum(f, enum)
	}
	if e.pkg.Reducers != nil && e.pkg.Parts[golang.PartReducers] {
		for _, c := range e.pkg.Reducers.Channels {
			r.actions(f, c)
		}
	}
}

// actions prints what makes a sequence of actions of a channel.
func (r *randomizer) actions(f *jenFile, c *golang.ChannelReducer) {
	state, action := Op("*").Add(r.structName(c.State)), r.named(c.Union.Name)
	f.add(comment(c.Method+"Actions yields n random actions, each with the state that the reducer makes of the one before, from a state on. "+
		"They refer to what is in the state, and are not those that a host would refuse only: a state may stay as it is."),
		Func().Id(c.Method+"Actions").Params(Id("src").Add(r.fn("Source")), Id("r").Op("*").Add(r.named(r.pkg.Own("Reducer"))), Id("s").Add(state), Id("n").Int()).
			Qual("iter", "Seq2").Types(action, state).Block(
			Return(r.fn("Actions").Call(Id("src"), Id("s"), Id("n"), Id(made(c.Union.Name)), r.fn("As").Types(action).Call(r.named(r.pkg.Actions.Union.Decode)), Id("r").Dot(c.Method))),
		))
}

// importItself has a file of another package import this one: by its name, unless that is the name of something else there.
func (e *emitter) importItself(f *jenFile) {
	name := e.pkg.Name
	if slices.Contains([]string{"d", "v", "r", "fmt", "json", "rand", "random", "reflect", "wire"}, name) {
		name += "types"
	}
	f.named[e.pkg.ImportPath] = name
	if name != path.Base(e.pkg.ImportPath) {
		f.alias = [2]string{e.pkg.ImportPath, name}
	}
	f.begin()
}

// randomizer prints functions that make random values.
type randomizer struct {
	*emitter
	heights heights
}

// fn refers to an identifier of package random.
func (r *randomizer) fn(name string) *Statement { return Qual(r.pkg.Wire+"/random", name) }

func (r *randomizer) draw() Code { return Id("d").Op("*").Add(r.fn("Draw")) }

// made returns the name of the function that makes values of a type.
func made(name string) string { return "make" + name }

// head prints what makes values of any type.
func (r *randomizer) head(f *jenFile) {
	f.doc = comment("Package " + r.pkg.Random + " makes random values of package " + r.pkg.Name + " that satisfy the constraints of their schemas, for tests. Raw JSON in them is arbitrary.")
	f.add(comment("Of returns a random value of a struct, union or enum of package "+r.pkg.Name+". It panics for other types. "+
		"Equal numbers from the source give equal values, and smaller numbers smaller values."),
		Func().Id("Of").Types(Id("T").Any()).Params(Id("src").Add(r.fn("Source"))).Params(Id("v").Id("T")).Block(
			Id("fill").Call(r.fn("New").Call(Id("src")), Op("&").Id("v")), Return(Id("v")),
		))
	f.add(comment("Any is a random value for package testing/quick: func(v "+r.pkg.Random+".Any[T]) bool { use(v.Value) }."),
		Type().Id("Any").Types(Id("T").Any()).Struct(Id("Value").Id("T")))
	f.add(comment("Generate implements quick.Generator. The size is ignored."),
		Func().Params(Id("Any").Types(Id("T"))).Id("Generate").Params(Id("r").Op("*").Qual("math/rand", "Rand"), Id("_").Int()).Qual("reflect", "Value").Block(
			Return(Qual("reflect", "ValueOf").Call(Id("Any").Types(Id("T")).Values(Id("Of").Types(Id("T")).Call(Id("r"))))),
		))
	var cases []Code
	add := func(name string) {
		cases = append(cases, Case(Op("*").Add(r.named(name))).Block(Op("*").Id("v").Op("=").Id(made(name)).Call(Id("d"))))
	}
	for _, s := range r.pkg.Structs {
		add(s.Name)
	}
	for _, u := range r.pkg.Unions {
		if !r.isVoid(u) {
			add(u.Name)
		}
	}
	for _, enum := range r.pkg.Enums {
		add(enum.Name)
	}
	cases = append(cases, Default().Block(Panic(Qual("fmt", "Sprintf").Call(Lit("%T points to no type of package "+r.pkg.Name), Id("v")))))
	f.Line()
	f.Func().Id("fill").Params(r.draw(), Id("v").Any()).Block(Switch(Id("v").Op(":=").Id("v").Assert(Type())).Block(cases...))
}

func (r *randomizer) object(f *jenFile, s *golang.Struct) {
	f.used = true
	f.Line()
	name := made(s.Name)
	limited := s.Limits != nil
	if limited {
		f.Func().Id(name).Params(r.draw()).Add(r.structName(s)).Add(inline(Return(r.fn("Until").Call(
			Id("d"), Id(draftName(s)), Parens(Op("*").Add(r.structName(s))).Dot("Validate")))))
		f.Line()
		name = draftName(s)
	}
	f.Func().Id(name).Params(r.draw()).Params(Id("v").Add(r.structName(s))).BlockFunc(func(g *Group) {
		g.Defer().Id("d").Dot("Leave").Call()
		g.If(Op("!").Id("d").Dot("Enter").Call()).Block(Return(Id("v")))
		for _, field := range s.Fields {
			r.field(g, field)
		}
		for _, c := range s.Choices {
			g.Id("v").Dot(c.Name).Op("=").Add(r.value(golang.UnionType{Union: c.Union}, nil))
		}
		if s.Extra != nil {
			names := []Code{Id("d"), Lit(0), Lit(-1), r.maker(s.Extra, s.ExtraLimits)}
			for _, n := range wireNames(s) {
				names = append(names, text(n))
			}
			g.If(Id("d").Dot("Maybe").Call()).Block(Id("v").Dot("Extra").Op("=").Add(r.fn("Map")).Call(names...))
		}
		g.Return(Id("v"))
	})
}

func draftName(s *golang.Struct) string { return "draft" + s.Name }

// field prints the assignment of a member.
func (r *randomizer) field(g *Group, f *golang.Field) {
	at := Id("v").Dot(f.Name)
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
	if f.Presence == golang.Maybe {
		t := r.maybeType(f.Type)
		if isStruct(f.Type) {
			value = r.fn("Ptr").Call(value)
		}
		g.Add(at).Op("=").Add(r.fn("Nullable")).Call(Id("d"), Func().Params(r.draw()).Add(t).Add(inline(Return(value))))
		return
	}
	if f.Pointer {
		value = r.fn("Ptr").Call(value)
	}
	set := at.Op("=").Add(value)
	if f.Presence == golang.Required {
		g.Add(set)
		return
	}
	g.If(Id("d").Dot("Maybe").Call()).Block(set)
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
		if limits == nil {
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

// union prints the function that makes a variant. The first is the one with the least in it.
func (r *randomizer) union(f *jenFile, u *golang.Union) {
	if r.isVoid(u) {
		return
	}
	type variant struct {
		height int
		value  Code
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
		variants = append(variants, variant{r.heights.of(s.Type, s.Limits), r.named(s.Name).Call(r.value(s.Type, s.Limits))})
	}
	slices.SortStableFunc(variants, func(a, b variant) int { return a.height - b.height })
	f.used = true
	f.Line()
	f.Func().Id(made(u.Name)).Params(r.draw()).Add(r.named(u.Name)).BlockFunc(func(g *Group) {
		if len(variants) > 1 {
			g.Switch(Id("d").Dot("Variant").Call(Lit(len(variants)))).BlockFunc(func(g *Group) {
				for i, v := range variants[1:] {
					g.Case(Lit(i + 1)).Block(Return(v.value))
				}
			})
		}
		g.Return(variants[0].value)
	})
}

func (r *randomizer) enum(f *jenFile, enum *golang.Enum) {
	f.used = true
	f.Line()
	value := r.named(enum.Name).Call(Lit(strconv.Itoa(len(enum.Members)))) // an open enum without values
	if enum.Base != "string" {
		value = r.named(enum.Name).Call(Lit(0))
	}
	if len(enum.Members) > 0 {
		args := []Code{Id("d")}
		for _, m := range enum.Members {
			args = append(args, r.named(m.Name))
		}
		value = r.fn("Pick").Call(args...)
	}
	f.Func().Id(made(enum.Name)).Params(r.draw()).Add(r.named(enum.Name)).Add(inline(Return(value)))
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
