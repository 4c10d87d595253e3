// Values: expressions that decode and append values of each type.

package emit

import (
	"fmt"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// basics maps basic types to the common part of the names of their runtime functions.
var basics = map[golang.Basic]struct {
	read, write string
	fails       bool // encoding can fail
	alone       bool // optional values have functions of their own
}{
	golang.String: {"Str", "Str", false, true}, golang.Bool: {"Bool", "Bool", false, true}, golang.Int64: {"Int64", "Int", false, true},
	golang.Float64: {"Float64", "Float", true, true}, golang.Number: {"Number", "Number", true, false},
	golang.Raw: {"Raw", "Raw", true, false}, golang.RawObject: {"RawObject", "Raw", true, false},
}

var enumMethods = map[string]string{"string": "Str", "int64": "Int64", "uint64": "Uint64"}

// readValue prints an expression that decodes a value.
func (e *emitter) readValue(t golang.Type) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		if ok, _ := t.Sized(); ok {
			return e.readSized(t).Call(Id("d"))
		}
		return Id("d").Dot(basics[t].read).Call()
	case golang.CustomType:
		return Id(t.Reader).Call(Id("d"))
	case golang.EnumType:
		return Id(t.Name).Call(Id("d").Dot(enumMethods[t.Base]).Call())
	case golang.StructType:
		return e.codec("Struct").Types(e.structName(t.Struct)).Call(Id("d"))
	case golang.UnionType:
		return Id(reader(t.Union)).Call(Id("d"))
	case golang.Slice, golang.Map:
		return e.readContainer("", t)
	}
	panic(fmt.Sprintf("emit: no decoder for %T", t)) // the set of types is closed
}

// readSized prints the function that decodes a sized integer.
func (e *emitter) readSized(t golang.Basic) *Statement {
	if _, signed := t.Sized(); !signed {
		return e.codec("Unsigned").Types(Id(string(t)))
	}
	return e.codec("Signed").Types(Id(string(t)))
}

// container returns the common part of the names of the runtime functions for a list or map, what is in it, and whether
// the functions are told how to read and append that.
func container(t golang.Type) (name string, elem golang.Type, told bool) {
	kind := "Map"
	switch t := t.(type) {
	case golang.Slice:
		kind, elem = "List", t.Elem
	case golang.Map:
		elem = t.Elem
	}
	under := golang.Underlying(elem)
	switch {
	case isStruct(elem):
		return map[string]string{"List": "Structs", "Map": "StructMap"}[kind], elem, false
	case kind == "List" && under == golang.String:
		return "Strs", elem, false
	case kind == "Map" && under == golang.Raw:
		return "RawMap", elem, false
	}
	return kind, elem, true
}

// readContainer prints an expression that decodes a list or map. The prefix is for optional ones.
func (e *emitter) readContainer(prefix string, t golang.Type) *Statement {
	name, elem, told := container(t)
	switch {
	case told:
		return e.codec(prefix+name).Call(Id("d"), e.readFunc(elem))
	case isStruct(elem):
		return e.codec(prefix + name).Types(e.goType(golang.Underlying(elem))).Call(Id("d"))
	}
	return e.codec(prefix + name).Call(Id("d"))
}

// readOptional prints an expression that decodes a value for which null means none.
func (e *emitter) readOptional(t golang.Type) *Statement {
	switch u := golang.Underlying(t).(type) {
	case golang.Basic:
		if b := basics[u]; b.alone {
			return e.codec("Opt" + b.read).Call(Id("d"))
		}
	case golang.EnumType:
		if u.Base == "string" {
			return e.codec("OptText").Types(Id(u.Name)).Call(Id("d"))
		}
	case golang.StructType:
		return e.codec("OptStruct").Types(e.structName(u.Struct)).Call(Id("d"))
	case golang.UnionType:
		return e.codec("OptNil").Call(Id("d"), Id(reader(u.Union)))
	case golang.Slice, golang.Map:
		return e.readContainer("Opt", u)
	}
	return e.codec("Opt").Call(Id("d"), e.readFunc(t))
}

// readFunc prints a function that decodes a value.
func (e *emitter) readFunc(t golang.Type) *Statement {
	switch u := golang.Underlying(t).(type) {
	case golang.Basic:
		if ok, _ := u.Sized(); ok {
			return e.readSized(u)
		}
		return Parens(Op("*").Add(e.wire("Decoder"))).Dot(basics[u].read)
	case golang.CustomType:
		return Id(u.Reader)
	case golang.EnumType:
		if u.Base == "string" {
			return e.codec("Text").Types(Id(u.Name))
		}
	case golang.UnionType:
		return Id(reader(u.Union))
	}
	return Func().Params(e.decoderParam()).Add(e.goType(t)).Add(inline(Return(e.readValue(t))))
}

// enumAppender returns the function that appends an enum, and its parameter type.
func enumAppender(enum *golang.Enum) (name string, as *Statement) {
	switch enum.Base {
	case "int64":
		return "AppendInt", Int64()
	case "uint64":
		return "AppendUint", Uint64()
	}
	return "AppendStr", String()
}

// isNamed reports whether a type is a string enum without an empty value, so that an empty member is a forgotten one,
// even if the enum is open.
func isNamed(t golang.Type) bool {
	u, ok := golang.Underlying(t).(golang.EnumType)
	return ok && u.Named
}

// call prints a call of an append function with dst, the encoder and further arguments.
func (e *emitter) call(name string, args ...Code) *Statement {
	return e.codec(name).Call(append([]Code{Id("dst"), Id("e")}, args...)...)
}

// bare prints a call of an append function that cannot fail.
func (e *emitter) bare(name string, args ...Code) *Statement {
	return e.codec(name).Call(append([]Code{Id("dst")}, args...)...)
}

// basic prints a call that appends a value of a basic type.
func (e *emitter) basic(prefix string, t golang.Basic, args ...Code) *Statement {
	if b := basics[t]; b.fails {
		return e.call(prefix+b.write, args...)
	}
	return e.bare(prefix+basics[t].write, args...)
}

// appendValue prints an expression that appends a key and a value.
func (e *emitter) appendValue(t golang.Type, key, v *Statement) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		if ok, signed := t.Sized(); ok && signed {
			return e.bare("AppendInt", key, Int64().Call(v))
		} else if ok {
			return e.bare("AppendUint", key, Uint64().Call(v))
		}
		return e.basic("Append", t, key, v)
	case golang.EnumType:
		if t.Named {
			return e.call("AppendEnum", key, String().Call(v))
		}
		name, as := enumAppender(t.Enum)
		return e.bare(name, key, as.Call(v))
	case golang.CustomType:
		return Id(t.Appender).Call(v, Append(Id("dst"), key.Op("...")), Id("e"))
	case golang.StructType:
		return v.Dot("EncodeJSON").Call(Append(Id("dst"), key.Op("...")), Id("e"))
	case golang.UnionType:
		return e.call("AppendValue", key, v)
	case golang.Slice, golang.Map:
		return e.collection("Append", t, key, v)
	}
	panic(fmt.Sprintf("emit: no encoder for %T", t)) // the set of types is closed
}

// collection prints the call that appends a list or map.
func (e *emitter) collection(prefix string, t golang.Type, key, v *Statement) *Statement {
	name, elem, told := container(t)
	switch {
	case told:
		return e.call(prefix+name, key, v, e.itemFunc(elem))
	case name == "Strs":
		return e.bare(prefix+name, key, v)
	}
	return e.call(prefix+name, key, v)
}

// itemFunc prints a function that appends an item.
func (e *emitter) itemFunc(t golang.Type) *Statement {
	switch u := golang.Underlying(t).(type) {
	case golang.Basic:
		if ok, signed := u.Sized(); ok && signed {
			return e.codec("IntItem").Types(Id(string(u)))
		} else if ok {
			return e.codec("UintItem").Types(Id(string(u)))
		}
		item := e.codec(basics[u].write + "Item")
		if u == golang.String || u == golang.Int64 {
			return item.Types(Id(string(u)))
		}
		return item
	case golang.CustomType:
		return Id(u.Appender)
	case golang.EnumType:
		item := map[string]string{"string": "StrItem", "int64": "IntItem", "uint64": "UintItem"}[u.Base]
		if u.Named {
			item = "EnumItem"
		}
		return e.codec(item).Types(Id(u.Name))
	case golang.UnionType:
		return e.codec("ValueItem").Types(Id(u.Name))
	}
	return Func().Params(append([]Code{Id("v").Add(e.goType(t))}, e.encodeParams()...)...).Index().Byte().
		Add(inline(Return(e.appendValue(t, Lit(""), Id("v")))))
}

// maybeFunc is like itemFunc for members that may be null or absent.
func (e *emitter) maybeFunc(t golang.Type) *Statement {
	u, ok := golang.Underlying(t).(golang.StructType)
	if !ok {
		return e.itemFunc(t)
	}
	return e.codec("ValueItem").Types(Op("*").Add(e.structName(u.Struct)))
}

// putValue prints an expression that appends an optional member.
func (e *emitter) putValue(f *golang.Field, key, v *Statement) *Statement {
	switch t := golang.Underlying(f.Type).(type) {
	case golang.Basic:
		if basics[t].alone || t == golang.Raw {
			return e.basic("Put", t, key, v)
		}
	case golang.EnumType:
		switch {
		case t.Named:
			return e.call("PutEnum", key, Parens(Op("*").String()).Call(v))
		case t.Base == "string":
			return e.bare("PutStr", key, Parens(Op("*").String()).Call(v))
		}
	case golang.StructType:
		return e.call("PutStruct", key, v)
	case golang.UnionType:
		return e.call("PutValue", key, v)
	case golang.Slice, golang.Map:
		return e.collection("Put", t, key, v)
	}
	return e.call("Put", key, v, e.itemFunc(f.Type))
}

// appendOrNull prints an expression that appends a member, or null if it is nil.
func (e *emitter) appendOrNull(f *golang.Field, key, v *Statement) *Statement {
	switch t := golang.Underlying(f.Type).(type) {
	case golang.StructType, golang.UnionType:
		return e.call("ValueOrNull", key, v)
	case golang.Slice:
		return e.call("ListOrNull", key, v, e.itemFunc(t.Elem))
	case golang.Map:
		return e.call("MapOrNull", key, v, e.itemFunc(t.Elem))
	}
	return e.call("OrNull", key, v, e.itemFunc(f.Type))
}
