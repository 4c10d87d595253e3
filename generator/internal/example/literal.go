// Literal: writing an example as a Go expression for the generated package.

package example

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Go returns an example as an expression of the generated package. It is a pointer for types that are passed by
// pointer: variants and parameters.
func (v *Value) Go(pkg *golang.Package) string {
	w := &writer{pkg: pkg}
	if len(v.Types) == 0 {
		return ""
	}
	t := pkg.TypeOf(v.Types[0])
	if t == nil {
		return ""
	}
	if s, ok := t.(golang.StructType); ok {
		w.text("&")
		w.object(v, s.Struct)
	} else {
		w.value(v, t)
	}
	return string(w.b)
}

// writer writes Go expressions.
type writer struct {
	pkg   *golang.Package
	b     []byte
	depth int
}

func (w *writer) text(s string) { w.b = append(w.b, s...) }

func (w *writer) own(name string) { w.text(w.pkg.Name + "." + name) }

// name returns a type as written outside its package.
func (w *writer) name(t golang.Type) string {
	return golang.Spell(t, func(t golang.Type) string {
		_, builtIn := t.(golang.Basic)
		if s, ok := t.(golang.StructType); builtIn || ok && s.Floor {
			return golang.TypeName(t)
		}
		return w.pkg.Name + "." + golang.TypeName(t)
	})
}

// value writes a value of the given type.
func (w *writer) value(v *Value, t golang.Type) {
	switch u := golang.Underlying(t).(type) {
	case golang.Basic:
		w.basic(v, u)
	case golang.EnumType:
		w.enum(v, u.Enum)
	case golang.StructType:
		w.object(v, u.Struct)
	case golang.UnionType:
		w.variant(v, u.Union)
	case golang.Slice:
		w.text(w.name(u))
		w.block(len(v.Items), func(i int) { w.item(v.Items[i], u.Elem) })
	case golang.Map:
		w.text(w.name(u))
		w.block(len(v.Members), func(i int) {
			w.text(strconv.Quote(v.Members[i].Name) + ": ")
			w.item(v.Members[i].Value, u.Elem)
		})
	}
}

// item writes an element of a list or map, whose type may be elided.
func (w *writer) item(v *Value, t golang.Type) {
	if s, ok := golang.Underlying(t).(golang.StructType); ok {
		w.fields(v, s.Struct)
		return
	}
	w.value(v, t)
}

// maxBlock is the maximum length of a composite literal on one line.
const maxBlock = 34

// block writes the contents of braces: on one line if they are short, or one per line.
func (w *writer) block(n int, each func(i int)) {
	w.depth++
	parts := make([]string, n)
	length := 0
	for i := range n {
		parts[i] = w.apart(func() { each(i) })
		length += len(parts[i]) + 2
		if strings.Contains(parts[i], "\n") {
			length += maxBlock
		}
	}
	w.depth--
	w.text("{")
	if length <= maxBlock && w.depth > 0 {
		w.text(strings.Join(parts, ", ") + "}")
		return
	}
	indent := "\n" + strings.Repeat("\t", w.depth)
	for _, part := range parts {
		w.text(indent + "\t" + part + ",")
	}
	if n > 0 {
		w.text(indent)
	}
	w.text("}")
}

// apart returns what f writes, without adding it to the output.
func (w *writer) apart(write func()) string {
	outer := w.b
	w.b = nil
	write()
	out := string(w.b)
	w.b = outer
	return out
}

func (w *writer) basic(v *Value, t golang.Basic) {
	switch t {
	case golang.Raw, golang.RawObject:
		w.text("json.RawMessage(" + raw(v.JSON()) + ")")
	case golang.Number:
		w.text("json.Number(" + strconv.Quote(v.Text) + ")")
	case golang.String:
		w.text(goString(v.Text))
	default:
		w.text(v.Text)
	}
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

func (w *writer) enum(v *Value, e *golang.Enum) {
	i := slices.IndexFunc(e.Members, func(m golang.EnumMember) bool { return m.Value.JSON() == v.Text })
	switch {
	case i >= 0:
		w.own(e.Members[i].Name)
	case e.Base == "string":
		w.own(e.Name + "(" + goString(v.Text) + ")")
	default:
		w.own(e.Name + "(" + v.Text + ")")
	}
}

// object writes a struct literal with its type.
func (w *writer) object(v *Value, s *golang.Struct) {
	w.text(w.name(golang.StructType{Struct: s}))
	w.fields(v, s)
}

// fields writes the fields of a struct literal.
func (w *writer) fields(v *Value, s *golang.Struct) {
	var list []func()
	for _, m := range v.Members {
		f := s.Field(m.Name)
		if f == nil || golang.HasCustom(f.Type) {
			continue // written by the codec, or of a type that only its functions make
		}
		list = append(list, func() {
			w.text(f.Name + ": ")
			w.field(m.Value, f)
		})
	}
	for _, c := range v.Choices {
		for _, choice := range s.Choices {
			if choice.Name == cmp.Or(c.Choice.GoName, choice.Name) && w.pkg.UnionOf(c.Choice.Type) == choice.Union {
				list = append(list, func() {
					w.text(choice.Name + ": ")
					w.variant(c.Value, choice.Union)
				})
			}
		}
	}
	w.block(len(list), func(i int) { list[i]() })
}

// field writes the value of a field, taking its address if needed.
func (w *writer) field(v *Value, f *golang.Field) {
	_, isStruct := golang.Underlying(f.Type).(golang.StructType)
	switch {
	case f.Presence == golang.Maybe:
		w.text("wire.Of(")
		if isStruct {
			w.text("&")
		}
		w.typed(v, f.Type)
		w.text(")")
	case f.Pointer && isStruct:
		w.text("&")
		w.value(v, f.Type)
	case f.Pointer:
		w.text("wire.Pointer(")
		w.typed(v, f.Type)
		w.text(")")
	default:
		w.value(v, f.Type)
	}
}

// typed writes a value with an explicit type where the default type would differ.
func (w *writer) typed(v *Value, t golang.Type) {
	basic, ok := golang.Underlying(t).(golang.Basic)
	sized, _ := basic.Sized()
	if ok && (sized || basic == golang.Int64 || basic == golang.Float64) {
		w.text(string(basic) + "(" + v.Text + ")")
		return
	}
	w.value(v, t)
}

// variant writes a union variant.
func (w *writer) variant(v *Value, u *golang.Union) {
	if s := w.structOf(v); s != nil {
		w.text("&")
		w.object(v, s)
		return
	}
	var token *golang.Token
	for _, t := range u.Tokens {
		if v.Branch != nil && t.Word == v.Branch.Name {
			token = t
		}
	}
	switch {
	case token == nil:
		w.text("nil")
	case len(token.Lists) > 0:
		w.list(v, token.Lists)
	case token.Union != nil:
		w.variant(v, token.Union)
	case token.Scalar == nil:
		w.text("nil")
	case token.Scalar.Type == nil:
		w.own(token.Scalar.Name + "{}")
	default:
		w.own(token.Scalar.Name)
		w.scalar(v, token.Scalar.Type)
	}
}

// list writes a list variant, chosen by the type of its items.
func (w *writer) list(v *Value, lists []golang.List) {
	branch, _ := protocol.Underlying(v.Branch.Type).(protocol.List)
	s := protocol.As[*protocol.Struct](branch.Elem)
	for _, l := range lists {
		if s != nil && l.Item == w.pkg.StructOf(s) {
			w.own(l.Scalar.Name)
			w.scalar(v, l.Scalar.Type)
			return
		}
	}
	w.text("nil")
}

// scalar converts a value to the named type of a variant.
func (w *writer) scalar(v *Value, t golang.Type) {
	w.text("(")
	if golang.Underlying(t) == golang.Number {
		w.text(strconv.Quote(v.Text))
	} else {
		w.value(v, t)
	}
	w.text(")")
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
