// Check: whether a description of Go code holds text only where text belongs.

package gotext

import (
	"fmt"
	"go/token"
	"reflect"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"golang.org/x/mod/module"
)

// Kinds say, as the struct tag `go`, what a string in a description of Go code is.
const (
	KindIdentifier = "identifier" // goes into code as it is, or is empty
	KindWord       = "word"       // like an identifier, but goes into names of files and comments, and may be a word of Go
	KindImport     = "import"     // an import path, or is empty
	KindComment    = "comment"    // goes through Comment
	KindText       = "text"       // goes through Literal, or is compared only
)

// Check walks through a value by way of pointers, structs, slices, interfaces and values of maps, and
// reports the first string that is not what its field's tag says it is. Strings without a tag are an
// error. It stops at types that the function keeps out.
func Check(value any, opaque func(reflect.Type) bool) error {
	c := &checker{opaque: opaque, seen: map[reference]bool{}, fields: map[reflect.Type][]field{}}
	return c.value(reflect.ValueOf(value), "", place{typ: reflect.TypeOf(value)})
}

type checker struct {
	opaque func(reflect.Type) bool
	seen   map[reference]bool
	fields map[reflect.Type][]field // of the structs met so far
}

// field is a field of a struct: its name, and what its tag says.
type field struct{ name, kind string }

// fieldsOf are the fields of a struct in order.
func (c *checker) fieldsOf(t reflect.Type) []field {
	out, ok := c.fields[t]
	if !ok {
		for i := range t.NumField() {
			f := t.Field(i)
			out = append(out, field{f.Name, f.Tag.Get("go")})
		}
		c.fields[t] = out
	}
	return out
}

// place is a field of a type, for messages.
type place struct {
	typ   reflect.Type
	field string
}

func (p place) String() string { return p.typ.String() + "." + p.field }

// reference is a pointer that was followed. A struct has the address of its first field.
type reference struct {
	address uintptr
	typ     reflect.Type
}

func (c *checker) value(v reflect.Value, kind string, at place) error {
	if !v.IsValid() || c.opaque(v.Type()) {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		return checkString(v.String(), kind, at)
	case reflect.Pointer:
		ref := reference{v.Pointer(), v.Type()}
		if v.IsNil() || c.seen[ref] {
			return nil
		}
		c.seen[ref] = true
		return c.value(v.Elem(), kind, at)
	case reflect.Interface:
		return c.value(v.Elem(), kind, at)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := c.value(v.Index(i), kind, at); err != nil {
				return err
			}
		}
	case reflect.Map:
		for key, item := range v.Seq2() {
			if err := c.value(item, kind, place{at.typ, at.field + "[" + key.String() + "]"}); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i, f := range c.fieldsOf(v.Type()) {
			if err := c.value(v.Field(i), f.kind, place{v.Type(), f.name}); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkString(text, kind string, at place) error {
	ok := false
	switch kind {
	case KindIdentifier:
		ok = text == "" || IsIdentifier(text)
	case KindWord:
		ok = text == "" || IsIdentifier(text) || token.IsKeyword(text)
	case KindImport:
		ok = text == "" || module.CheckImportPath(text) == nil
	case KindComment, KindText:
		ok = true
	default:
		return fmt.Errorf("%s: nothing says what kind of text it is", at)
	}
	if !ok {
		return fmt.Errorf("%s: %q is no %s", at, visible.Name(text), kind)
	}
	return nil
}
