// Codec: how each type is decoded from and encoded to JSON.

package emit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (e *emitter) codec(f *jenFile) {
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		e.structDecoder(f, s)
		e.structEncoder(f, s)
		f.add([]string{"Decode" + s.Name + " decodes one JSON value. Members it does not know are passed over."},
			Func().Id("Decode"+s.Name).Params(Id("data").Index().Byte()).Params(Op("*").Id(s.Name), Error()).
				Block(
					Id("v").Op(":=").New(Id(s.Name)),
					If(Err().Op(":=").Id("decodeInto").Call(Id("data"), Id("v")), Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
					Return(Id("v"), Nil()),
				))
		f.add([]string{"MarshalJSON implements [json.Marshaler]."},
			Func().Params(Id("v").Id(s.Name)).Id("MarshalJSON").Params().Params(Index().Byte(), Error()).
				Add(inline(Return(Id("v").Dot("AppendJSON").Call(Nil())))))
		f.add([]string{"UnmarshalJSON implements [json.Unmarshaler]."},
			Func().Params(Id("v").Op("*").Id(s.Name)).Id("UnmarshalJSON").Params(Id("data").Index().Byte()).Error().
				Add(inline(Return(Id("unmarshalJSON").Call(Id("data"), Id("v"))))))
	}
	for _, enum := range e.enumsRead() {
		e.enumReader(f, enum)
	}
	if len(e.pkg.Structs) > 0 {
		// The comments above link to encoding/json, and godoc resolves links through imports.
		f.Line()
		f.Var().Id("_").Qual(jsonPath, "Marshaler").Op("=").Op("(*").Id(e.pkg.Structs[0].Name).Op(")").Call(Nil())
	}
}

// seenBits is how many required members one variable keeps track of.
const seenBits = 64

func seenName(i int) string {
	if i < seenBits {
		return "seen"
	}
	return "seen" + strconv.Itoa(i/seenBits)
}

func (e *emitter) structDecoder(f *jenFile, s *golang.Struct) {
	var required []string // in the order of their bits
	see := func(g *Group, wire string) {
		i := len(required)
		g.Id(seenName(i)).Op("|=").Id(hex(1 << (i % seenBits)))
		required = append(required, wire)
	}
	var cases []Code
	for _, c := range s.Consts {
		cases = append(cases, Case(text(c.Wire)).BlockFunc(func(g *Group) {
			switch c.Value.Kind {
			case protocol.Integer:
				g.Id("d").Dot("expectInt").Call(Lit(int(c.Value.Int)))
			case protocol.Bool:
				g.Id("d").Dot("expectBool").Call(Lit(c.Value.Bool))
			default:
				g.Id("d").Dot("expectString").Call(text(c.Value.Str))
			}
			see(g, c.Wire)
		}))
	}
	for _, field := range s.Fields {
		cases = append(cases, Case(text(field.Wire)).BlockFunc(func(g *Group) {
			isTag := e.tags[s][field.Wire]
			if isTag {
				g.Id("tag").Op(":=").Id("v").Dot(field.Name)
			}
			decodeField(g, field)
			if isTag {
				// A tag is required, so the bit it is about to get says whether it was there before.
				i := len(required)
				g.If(Id(seenName(i)).Op("&").Id(hex(1 << (i % seenBits))).Op("!=").Lit(0)).Block(
					Id("sameTag").Call(Id("d"), text(field.Wire), Id("tag"), Id("v").Dot(field.Name)),
				)
			}
			if field.Presence == golang.Required || field.Presence == golang.Nullable {
				see(g, field.Wire)
			}
		}))
	}
	if s.Extra != nil {
		cases = append(cases, Default().Block(
			If(Id("v").Dot("Extra").Op("==").Nil()).Block(Id("v").Dot("Extra").Op("=").Make(Map(String()).Add(goType(s.Extra)))),
			Id("key").Op(":=").String().Call(Id("k")),
			Id("v").Dot("Extra").Index(Id("key")).Op("=").Add(readValue(s.Extra)),
		))
	} else {
		cases = append(cases, Default().Block(Id("d").Dot("skip").Call()))
	}
	f.used = true
	f.Line()
	f.Func().Params(Id("v").Op("*").Id(s.Name)).Id("decodeJSON").Params(Id("d").Op("*").Id("decoder")).BlockFunc(func(g *Group) {
		for i := 0; i < len(required); i += seenBits {
			g.Var().Id(seenName(i)).Uint64()
		}
		loop := g.For(Id("k").Op(":=").Id("d").Dot("object").Call(), Id("k").Op("!=").Nil(), Id("k").Op("=").Id("d").Dot("nextKey").Call())
		if len(cases) == 1 && s.Extra == nil {
			loop.Block(Id("d").Dot("skip").Call())
		} else {
			loop.Block(Switch(String().Call(Id("k"))).Block(cases...))
		}
		for i := 0; i < len(required); i += seenBits {
			chunk := required[i:min(i+seenBits, len(required))]
			all := ^uint64(0) >> (seenBits - len(chunk))
			g.If(Id(seenName(i)).Op("!=").Id(hex(all))).Block(
				Id("d").Dot("missingOf").CallFunc(func(g *Group) {
					g.Id(seenName(i))
					for _, name := range chunk {
						g.Add(text(name))
					}
				}),
			)
		}
	})
}

func hex(bits uint64) string { return "0x" + strconv.FormatUint(bits, 16) }

// optionalReaders are the runtime's functions for the most frequent optional values.
var optionalReaders = map[string]string{
	"string": "optionalString", "bool": "optionalBool", "int64": "optionalInt64", "float64": "optionalFloat64",
	"[]string": "optionalStrings", "map[string]json.RawMessage": "optionalRawMap",
}

// kindOf names the Go type that a field's value has below all aliases, where it is built in.
func kindOf(f *golang.Field) string {
	switch t := golang.Underlying(f.Type).(type) {
	case golang.Basic:
		return string(t)
	case golang.Slice:
		if golang.Underlying(t.Elem) == golang.String {
			return "[]string"
		}
	case golang.Map:
		if golang.Underlying(t.Elem) == golang.Raw {
			return "map[string]json.RawMessage"
		}
	}
	return ""
}

// decodeField prints what reads a member into its field.
func decodeField(g *Group, f *golang.Field) {
	v := func() *Statement { return Id("v").Dot(f.Name) }
	isStruct := false
	if _, ok := golang.Underlying(f.Type).(golang.StructType); ok {
		isStruct = true
	}
	if name := optionalReaders[kindOf(f)]; name != "" && f.Presence != golang.Required && f.Presence != golang.Maybe {
		g.Add(v().Op("=").Id(name).Call(Id("d")))
		return
	}
	// The last of several equal names counts, so null takes an earlier value back.
	orNull := func(read ...Code) *Statement {
		return If(Id("d").Dot("null").Call()).Block(v().Op("=").Nil()).Else().Block(read...)
	}
	switch {
	case f.Presence == golang.Maybe:
		g.If(Id("d").Dot("null").Call()).Block(
			v().Op("=").Id("Null").Types(maybeType(f.Type)).Call(),
		).Else().BlockFunc(func(g *Group) {
			if !isStruct {
				g.Add(v().Op("=").Id("Of").Call(readValue(f.Type)))
				return
			}
			g.Id("value").Op(":=").New(goType(f.Type))
			g.Id("value").Dot("decodeJSON").Call(Id("d"))
			g.Add(v().Op("=").Id("Of").Call(Id("value")))
		})
	case f.Presence == golang.Required && isStruct:
		g.Add(v().Op("=").Add(goType(f.Type)).Values()) // what came before is replaced, not merged into
		g.Add(v().Dot("decodeJSON").Call(Id("d")))
	case f.Presence == golang.Required, golang.HasNull(f.Type):
		g.Add(v().Op("=").Add(readValue(f.Type)))
	case f.Pointer && isStruct:
		g.Add(orNull(
			v().Op("=").New(goType(f.Type)),
			v().Dot("decodeJSON").Call(Id("d")),
		))
	case f.Pointer:
		g.Add(v().Op("=").Id("optional").Call(Id("d"), readFunc(f.Type)))
	default:
		g.Add(orNull(v().Op("=").Add(readValue(f.Type))))
	}
	if len(f.Values) > 0 {
		g.Switch(v()).Block(
			CaseFunc(func(g *Group) {
				for _, value := range f.Values {
					g.Add(text(value))
				}
			}).Block(),
			Default().Block(Id("d").Dot("notOwnTag").Call(text(f.Wire), String().Call(v()))),
		)
	}
}

var readMethods = map[golang.Basic]string{
	golang.String: "string", golang.Bool: "bool", golang.Int64: "int64", golang.Float64: "float64", golang.Raw: "raw", golang.Number: "number",
}

func enumRead(enum *golang.Enum) *Statement {
	if enum.Base == "string" {
		return Id("read" + enum.Name).Call(Id("d"))
	}
	return Id(enum.Name).Call(Id("d").Dot(enum.Base).Call())
}

// enumReader prints the function that reads a string enum. A known value is the constant's, so
// that it costs no copy.
func (e *emitter) enumReader(f *jenFile, enum *golang.Enum) {
	f.used = true
	f.Line()
	f.Func().Id("read"+enum.Name).Params(Id("d").Op("*").Id("decoder")).Id(enum.Name).Block(
		Id("text").Op(":=").Id("d").Dot("text").Call(),
		Switch(Id(enum.Name).Call(Id("text"))).BlockFunc(func(g *Group) {
			for _, m := range enum.Members {
				g.Case(Id(m.Name)).Block(Return(Id(m.Name)))
			}
		}),
		Return(Id(enum.Name).Call(Id("text"))),
	)
}

// enumsRead lists the string enums that some value is read as, in order.
func (e *emitter) enumsRead() []*golang.Enum {
	used := map[*golang.Enum]bool{}
	var walk func(golang.Type)
	walk = func(t golang.Type) {
		switch t := golang.Underlying(t).(type) {
		case golang.EnumType:
			used[t.Enum] = true
		case golang.Slice:
			walk(t.Elem)
		case golang.Map:
			walk(t.Elem)
		}
	}
	for _, s := range e.pkg.Structs {
		for _, f := range s.Fields {
			walk(f.Type)
		}
		if s.Extra != nil {
			walk(s.Extra)
		}
	}
	for _, u := range e.pkg.Unions {
		for _, s := range u.Scalars {
			if s.Type != nil {
				walk(s.Type)
			}
		}
	}
	var out []*golang.Enum
	for _, enum := range e.pkg.Enums {
		if used[enum] && enum.Base == "string" {
			out = append(out, enum)
		}
	}
	return out
}

// readValue prints an expression that reads a value of the type.
func readValue(t golang.Type) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		return Id("d").Dot(readMethods[t]).Call()
	case golang.EnumType:
		return enumRead(t.Enum)
	case golang.StructType:
		return Id("structValue").Types(Id(t.Name)).Call(Id("d"))
	case golang.UnionType:
		return Id(reader(t.Union)).Call(Id("d"))
	case golang.Slice:
		switch elem := golang.Underlying(t.Elem).(type) {
		case golang.StructType:
			return Id("decodeStructs").Types(Id(elem.Name)).Call(Id("d"))
		case golang.Basic:
			if elem == golang.String {
				return Id("decodeStrings").Call(Id("d"))
			}
		}
		return Id("decodeList").Call(Id("d"), readFunc(t.Elem))
	case golang.Map:
		switch elem := golang.Underlying(t.Elem).(type) {
		case golang.StructType:
			return Id("decodeStructMap").Types(Id(elem.Name)).Call(Id("d"))
		case golang.Basic:
			if elem == golang.Raw {
				return Id("decodeRawMap").Call(Id("d"))
			}
		}
		return Id("decodeMap").Call(Id("d"), readFunc(t.Elem))
	}
	panic(fmt.Sprintf("emit: no decoder for %T", t)) // the set of types is closed
}

// readFunc prints a function that reads a value of the type.
func readFunc(t golang.Type) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		return Parens(Op("*").Id("decoder")).Dot(readMethods[t])
	case golang.UnionType:
		return Id(reader(t.Union))
	case golang.EnumType:
		if t.Base == "string" {
			return Id("read" + t.Name)
		}
	case golang.StructType:
		return Id("structValue").Types(Id(t.Name))
	case golang.Slice:
		switch elem := golang.Underlying(t.Elem).(type) {
		case golang.StructType:
			return Id("decodeStructs").Types(Id(elem.Name))
		case golang.Basic:
			if elem == golang.String {
				return Id("decodeStrings")
			}
		}
	}
	return Func().Params(Id("d").Op("*").Id("decoder")).Add(goType(t)).Add(inline(Return(readValue(t))))
}

// writer prints the body of an AppendJSON method, joining constant text on the way.
type writer struct {
	g    *Group
	text string
}

// flush prints the constant text gathered so far.
func (w *writer) flush(g *Group) {
	if w.text != "" {
		g.Id("dst").Op("=").Append(Id("dst"), raw(w.text).Op("..."))
		w.text = ""
	}
}

func (e *emitter) structEncoder(f *jenFile, s *golang.Struct) {
	always := len(s.Consts) > 0 || len(s.Fields) > 0 && (s.Fields[0].Presence == golang.Required || s.Fields[0].Presence == golang.Nullable)
	doc := []string{"AppendJSON appends v as JSON."}
	f.add(doc, Func().Params(Id("v").Op("*").Id(s.Name)).Id("AppendJSON").Params(Id("dst").Index().Byte()).Params(Index().Byte(), Error()).BlockFunc(func(g *Group) {
		g.Add(refuseNil())
		if len(s.Consts) == 0 && len(s.Fields) == 0 && s.Extra == nil {
			g.Return(Append(Id("dst"), Lit("{}").Op("...")), Nil())
			return
		}
		w := &writer{g: g}
		if canFail(s) {
			g.Var().Err().Error()
		}
		if always {
			w.text = "{"
		} else {
			// Every member starts with a comma; the first one is turned into the brace at the end.
			g.Id("start").Op(":=").Len(Id("dst"))
		}
		first := always
		key := func(wire string) string {
			k := "," + quoteJSON(wire) + ":"
			if first {
				k, first = k[1:], false
			}
			return k
		}
		for _, c := range s.Consts {
			w.text += key(c.Wire) + valueJSON(c.Value)
		}
		for _, field := range s.Fields {
			w.field(field, key(field.Wire))
		}
		if s.Extra != nil {
			w.flush(g)
			g.If(List(Id("dst"), Err()).Op("=").Id("appendExtra").CallFunc(func(g *Group) {
				g.Id("dst")
				g.Id("v").Dot("Extra")
				g.Add(appendFunc(s.Extra))
				for _, name := range wireNames(s) {
					g.Add(text(name))
				}
			}), Err().Op("!=").Nil()).
				Block(Return(Id("dst"), Err()))
		}
		if always {
			w.text += "}"
			if len(w.text) == 1 {
				g.Return(Append(Id("dst"), LitRune('}')), Nil())
				return
			}
			g.Return(Append(Id("dst"), raw(w.text).Op("...")), Nil())
			return
		}
		w.flush(g)
		g.Return(Id("closeObject").Call(Id("dst"), Id("start")), Nil())
	}))
}

// refuseNil prints what keeps a method that encodes from following a nil pointer.
func refuseNil() *Statement {
	return If(Id("v").Op("==").Nil()).Block(Return(Id("dst"), Id("errNoVariant")))
}

// canFail reports whether encoding a struct's own members can go wrong.
func canFail(s *golang.Struct) bool {
	return s.Extra != nil || slices.ContainsFunc(s.Fields, func(f *golang.Field) bool {
		_, fails := appendValue(f.Type, Id("v"))
		return fails
	})
}

func (w *writer) field(f *golang.Field, key string) {
	v := Id("v").Dot(f.Name)
	switch f.Presence {
	case golang.Required:
		w.check(f)
		w.text += key
		w.flush(w.g)
		w.value(w.g, f, v)
	case golang.Optional:
		w.flush(w.g)
		w.g.If(Id("v").Dot(f.Name).Op("!=").Nil()).BlockFunc(func(g *Group) {
			g.Id("dst").Op("=").Append(Id("dst"), raw(key).Op("..."))
			w.value(g, f, deref(f, v))
		})
	case golang.Nullable:
		w.text += key
		w.flush(w.g)
		w.g.If(Id("v").Dot(f.Name).Op("==").Nil()).Block(
			Id("dst").Op("=").Append(Id("dst"), Lit("null").Op("...")),
		).Else().BlockFunc(func(g *Group) { w.value(g, f, deref(f, v)) })
	case golang.Maybe:
		w.flush(w.g)
		w.g.If(Op("!").Id("v").Dot(f.Name).Dot("IsAbsent").Call()).BlockFunc(func(g *Group) {
			g.Id("dst").Op("=").Append(Id("dst"), raw(key).Op("..."))
			g.If(List(Id("value"), Id("ok")).Op(":=").Id("v").Dot(f.Name).Dot("Get").Call(), Id("ok")).
				BlockFunc(func(g *Group) {
					switch golang.Underlying(f.Type).(type) {
					case golang.UnionType, golang.StructType:
						g.If(Id("value").Op("==").Nil()).Block(Return(Id("dst"), Id("atMember").Call(text(f.Wire), Id("errNoVariant"))))
					}
					w.value(g, f, Id("value"))
				}).
				Else().Block(Id("dst").Op("=").Append(Id("dst"), Lit("null").Op("...")))
		})
	}
}

func deref(f *golang.Field, v *Statement) *Statement {
	if !f.Pointer {
		return v
	}
	if _, ok := golang.Underlying(f.Type).(golang.StructType); ok {
		return v // the method takes a pointer
	}
	return Op("*").Add(v)
}

// check prints what refuses a field that holds nothing the protocol allows.
func (w *writer) check(f *golang.Field) {
	v := Id("v").Dot(f.Name)
	if len(f.Values) > 0 {
		w.g.Switch(v.Clone()).Block(
			CaseFunc(func(g *Group) {
				for _, value := range f.Values {
					g.Add(text(value))
				}
			}).Block(),
			Default().Block(Return(Id("dst"), Id("atMember").Call(text(f.Wire), Id("wrongTag").Call(String().Call(v))))),
		)
	}
	if _, ok := golang.Underlying(f.Type).(golang.UnionType); ok {
		w.g.If(v.Clone().Op("==").Nil()).Block(Return(Id("dst"), Id("atMember").Call(text(f.Wire), Id("errNoVariant"))))
	}
}

// value prints what appends a value that is there.
func (w *writer) value(g *Group, f *golang.Field, v *Statement) {
	code, fails := appendValue(f.Type, v)
	if !fails {
		g.Id("dst").Op("=").Add(code)
		return
	}
	g.If(List(Id("dst"), Err()).Op("=").Add(code), Err().Op("!=").Nil()).
		Block(Return(Id("dst"), Id("atMember").Call(text(f.Wire), Err())))
}

// appendValue prints an expression that appends v to dst, and says whether it returns an error too.
func appendValue(t golang.Type, v Code) (code *Statement, fails bool) {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		switch t {
		case golang.String:
			return Id("appendString").Call(Id("dst"), v), false
		case golang.Bool:
			return Id("appendBool").Call(Id("dst"), v), false
		case golang.Int64:
			return Id("appendInt").Call(Id("dst"), v), false
		case golang.Float64:
			return Id("appendFloat").Call(Id("dst"), v), true
		case golang.Number:
			return Id("appendNumber").Call(Id("dst"), v), true
		}
		return Id("appendRaw").Call(Id("dst"), v), true
	case golang.EnumType:
		return enumAppend(t.Enum, v), false
	case golang.StructType, golang.UnionType:
		return Add(v).Dot("AppendJSON").Call(Id("dst")), true
	case golang.Slice:
		switch elem := golang.Underlying(t.Elem).(type) {
		case golang.StructType:
			return Id("appendStructs").Call(Id("dst"), v), true
		case golang.Basic:
			if elem == golang.String {
				return Id("appendStrings").Call(Id("dst"), v), false
			}
		}
		return Id("appendList").Call(Id("dst"), v, appendFunc(t.Elem)), true
	case golang.Map:
		switch elem := golang.Underlying(t.Elem).(type) {
		case golang.StructType:
			return Id("appendStructMap").Call(Id("dst"), v), true
		case golang.Basic:
			if elem == golang.Raw {
				return Id("appendRawMap").Call(Id("dst"), v), true
			}
		}
		return Id("appendMap").Call(Id("dst"), v, appendFunc(t.Elem)), true
	}
	panic(fmt.Sprintf("emit: no encoder for %T", t)) // the set of types is closed
}

// appendReturn prints a return statement that appends v.
func appendReturn(t golang.Type, v Code) *Statement {
	code, fails := appendValue(t, v)
	if fails {
		return Return(code)
	}
	return Return(code, Nil())
}

// appendFunc prints a function that appends a value of the type.
func appendFunc(t golang.Type) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.UnionType:
		return Id("appendUnion").Types(Id(t.Name))
	case golang.Basic:
		if name := map[golang.Basic]string{golang.Float64: "appendFloat", golang.Number: "appendNumber", golang.Raw: "appendRaw"}[t]; name != "" {
			return Id(name)
		}
	}
	return Func().Params(Id("dst").Index().Byte(), Id("v").Add(goType(t))).Params(Index().Byte(), Error()).Block(appendReturn(t, Id("v")))
}

func quoteJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func valueJSON(v protocol.Value) string {
	switch v.Kind {
	case protocol.Integer:
		return strconv.FormatInt(v.Int, 10)
	case protocol.Bool:
		return strconv.FormatBool(v.Bool)
	}
	return quoteJSON(v.Str)
}
