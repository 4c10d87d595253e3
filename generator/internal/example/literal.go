// Literal: writing an example as a Go expression for the generated package.

package example

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Go returns an example as an expression of the generated package, not yet formatted. It is a pointer for types that are
// passed by pointer: variants and parameters.
func (v *Value) Go(pkg *golang.Package) string {
	w := &writer{pkg: pkg}
	if len(v.Types) == 0 {
		return ""
	}
	switch t := pkg.TypeOf(v.Types[0]).(type) {
	case nil:
		return ""
	case golang.StructType:
		return "&" + w.value(v, t)
	default:
		return w.value(v, t)
	}
}

// writer writes Go expressions.
type writer struct {
	pkg   *golang.Package
	depth int // of braces
}

func (w *writer) own(name string) string { return w.pkg.Name + "." + name }

// name returns a type as written outside its package.
func (w *writer) name(t golang.Type) string {
	return golang.Spell(t, func(t golang.Type) string {
		_, builtIn := t.(golang.Basic)
		if s, ok := t.(golang.StructType); builtIn || ok && s.Floor {
			return golang.TypeName(t)
		}
		return w.own(golang.TypeName(t))
	})
}

// value returns a value of the given type.
func (w *writer) value(v *Value, t golang.Type) string {
	switch u := golang.Underlying(t).(type) {
	case golang.Basic:
		return basic(v, u)
	case golang.EnumType:
		return w.enum(v, u.Enum)
	case golang.StructType:
		return w.name(u) + w.fields(v, u.Struct)
	case golang.UnionType:
		return w.variant(v, u.Union)
	case golang.Slice:
		return w.name(u) + w.block(len(v.Items), func(i int) string { return w.item(v.Items[i], u.Elem) })
	case golang.Map:
		return w.name(u) + w.block(len(v.Members), func(i int) string {
			return strconv.Quote(v.Members[i].Name) + ": " + w.item(v.Members[i].Value, u.Elem)
		})
	}
	return ""
}

// item returns an element of a list or map, whose type may be elided.
func (w *writer) item(v *Value, t golang.Type) string {
	if s, ok := golang.Underlying(t).(golang.StructType); ok {
		return w.fields(v, s.Struct)
	}
	return w.value(v, t)
}

// maxBlock is the maximum length of a composite literal on one line.
const maxBlock = 34

// block returns braces with what is in them: on one line if it is short, or one per line.
func (w *writer) block(n int, part func(i int) string) string {
	w.depth++
	parts := make([]string, n)
	length := 0
	for i := range n {
		parts[i] = part(i)
		length += len(parts[i]) + 2
	}
	w.depth--
	inside := strings.Join(parts, ", ")
	if n == 0 || length <= maxBlock && w.depth > 0 && !strings.Contains(inside, "\n") {
		return "{" + inside + "}"
	}
	return "{\n" + strings.Join(parts, ",\n") + ",\n}"
}

func basic(v *Value, t golang.Basic) string {
	switch t {
	case golang.Raw, golang.RawObject:
		return "json.RawMessage(" + raw(v.JSON()) + ")"
	case golang.Number:
		return "json.Number(" + strconv.Quote(v.Text) + ")"
	case golang.String:
		return goString(v.Text)
	}
	return v.Text
}

// raw returns text as a Go string, in backquotes if possible.
func raw(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// goString converts a JSON string to a Go literal.
func goString(text string) string {
	var s string
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err) // examples hold valid JSON strings
	}
	return strconv.Quote(s)
}

func (w *writer) enum(v *Value, e *golang.Enum) string {
	i := slices.IndexFunc(e.Members, func(m golang.EnumMember) bool { return m.Value.JSON() == v.Text })
	switch {
	case i >= 0:
		return w.own(e.Members[i].Name)
	case e.Base == "string":
		return w.own(e.Name) + "(" + goString(v.Text) + ")"
	}
	return w.own(e.Name) + "(" + v.Text + ")"
}

// fields returns the fields of a struct literal in braces.
func (w *writer) fields(v *Value, s *golang.Struct) string {
	var list []func() string
	for _, m := range v.Members {
		f := s.Field(m.Name)
		if f == nil || golang.HasCustom(f.Type) {
			continue // written by the codec, or of a type that only its functions make
		}
		list = append(list, func() string { return f.Name + ": " + w.field(m.Value, f) })
	}
	for _, c := range v.Choices {
		for _, choice := range s.Choices {
			if choice.Name == cmp.Or(c.Choice.GoName, choice.Name) && w.pkg.UnionOf(c.Choice.Type) == choice.Union {
				list = append(list, func() string { return choice.Name + ": " + w.variant(c.Value, choice.Union) })
			}
		}
	}
	return w.block(len(list), func(i int) string { return list[i]() })
}

// field returns the value of a field, or its address if needed.
func (w *writer) field(v *Value, f *golang.Field) string {
	_, isStruct := golang.Underlying(f.Type).(golang.StructType)
	switch {
	case f.Presence == golang.Maybe && isStruct:
		return "wire.Of(&" + w.value(v, f.Type) + ")"
	case f.Presence == golang.Maybe:
		return "wire.Of(" + w.typed(v, f.Type) + ")"
	case f.Pointer && isStruct:
		return "&" + w.value(v, f.Type)
	case f.Pointer:
		return "wire.Pointer(" + w.typed(v, f.Type) + ")"
	}
	return w.value(v, f.Type)
}

// typed returns a value with an explicit type where the default type would differ.
func (w *writer) typed(v *Value, t golang.Type) string {
	basic, ok := golang.Underlying(t).(golang.Basic)
	sized, _ := basic.Sized()
	if ok && (sized || basic == golang.Int64 || basic == golang.Float64) {
		return string(basic) + "(" + v.Text + ")"
	}
	return w.value(v, t)
}

// variant returns a union variant.
func (w *writer) variant(v *Value, u *golang.Union) string {
	if s := w.structOf(v); s != nil {
		return "&" + w.value(v, golang.StructType{Struct: s})
	}
	token := each.First(u.Tokens, func(t *golang.Token) bool { return v.Branch != nil && t.Word == v.Branch.Name })
	switch {
	case token == nil:
		return "nil"
	case len(token.Lists) > 0:
		return w.list(v, token.Lists)
	case token.Union != nil:
		return w.variant(v, token.Union)
	case token.Scalar == nil:
		return "nil"
	case token.Scalar.Type == nil:
		return w.own(token.Scalar.Name) + "{}"
	}
	return w.scalar(v, token.Scalar)
}

// list returns a list variant, chosen by the type of its items.
func (w *writer) list(v *Value, lists []golang.List) string {
	branch, _ := protocol.Underlying(v.Branch.Type).(protocol.List)
	s := protocol.As[*protocol.Struct](branch.Elem)
	for _, l := range lists {
		if s != nil && l.Item == w.pkg.StructOf(s) {
			return w.scalar(v, l.Scalar)
		}
	}
	return "nil"
}

// scalar converts a value to a variant that is no object.
func (w *writer) scalar(v *Value, s *golang.Scalar) string {
	if golang.Underlying(s.Type) == golang.Number {
		return w.own(s.Name) + "(" + strconv.Quote(v.Text) + ")"
	}
	return w.own(s.Name) + "(" + w.value(v, s.Type) + ")"
}

// structOf returns the struct of an object in a union, or nil.
func (w *writer) structOf(v *Value) *golang.Struct {
	if v.Kind != Object {
		return nil
	}
	for _, t := range slices.Backward(v.Types) {
		if s, ok := t.(*protocol.Struct); ok {
			return w.pkg.StructOf(s)
		}
	}
	return nil
}
