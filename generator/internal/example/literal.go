// Literal: an example as the Go that makes it, with the package that is generated.

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

// Go is an example as an expression of the emitted package. It is a pointer where values of the type are passed as such:
// as variants of unions and as parameters.
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

// name is a type as it is written outside of its package.
func (w *writer) name(t golang.Type) string {
	return golang.Spell(t, func(t golang.Type) string {
		_, builtIn := t.(golang.Basic)
		if s, ok := t.(golang.StructType); builtIn || ok && s.Floor {
			return golang.TypeName(t)
		}
		return w.pkg.Name + "." + golang.TypeName(t)
	})
}

// value writes a value where one of the type is wanted.
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

// item writes what a list or map holds, of which Go knows the type.
func (w *writer) item(v *Value, t golang.Type) {
	if s, ok := golang.Underlying(t).(golang.StructType); ok {
		w.fields(v, s.Struct)
		return
	}
	w.value(v, t)
}

// maxBlock is how long what stands between braces may be to stand on one line.
const maxBlock = 34

// block writes things between braces: on one line if they are few and short, or else each on a line.
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

// apart is what is written meanwhile, which goes nowhere else.
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

// raw is text as a Go string, between backquotes if that is possible.
func raw(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// goString is a string of JSON as a Go literal.
func goString(text string) string {
	var s string
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err) // examples have strings where the type is one
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

// object writes a struct with its type.
func (w *writer) object(v *Value, s *golang.Struct) {
	w.text(w.name(golang.StructType{Struct: s}))
	w.fields(v, s)
}

// fields writes a struct between its braces.
func (w *writer) fields(v *Value, s *golang.Struct) {
	var list []func()
	for _, m := range v.Members {
		f := s.Field(m.Name)
		if f == nil {
			continue // the codec writes it
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

// field writes the value of a field, which may be a pointer.
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
		w.text("new(")
		w.typed(v, f.Type)
		w.text(")")
	default:
		w.value(v, f.Type)
	}
}

// typed writes a value with its type where Go would otherwise take another one for it.
func (w *writer) typed(v *Value, t golang.Type) {
	basic, ok := golang.Underlying(t).(golang.Basic)
	sized, _ := basic.Sized()
	if ok && (sized || basic == golang.Int64 || basic == golang.Float64) {
		w.text(string(basic) + "(" + v.Text + ")")
		return
	}
	w.value(v, t)
}

// variant writes a variant of a union.
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

// list writes a list that is a variant, one of several: that of what the items are.
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

// structOf is the struct that an object in a union is, nil for all that is none.
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
