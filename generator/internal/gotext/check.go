// Check: verifies that strings in a description of Go code are of their declared kind.

package gotext

import (
	"fmt"
	"go/token"
	"reflect"

	"golang.org/x/mod/module"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Kinds of strings in a description of Go code, as values of the struct tag `go`.
const (
	KindIdentifier = "identifier" // an identifier or empty
	KindWord       = "word"       // like an identifier, but used in file names and comments, where Go keywords are allowed
	KindImport     = "import"     // an import path or empty
	KindComment    = "comment"    // escaped by Comment
	KindText       = "text"       // escaped by Literal, or only compared
)

// Check traverses pointers, structs, slices, interfaces and map values, and returns an error for the first string
// that is not of the kind in its tag, or has no tag. It does not descend into excluded types.
func Check(value any, opaque func(reflect.Type) bool) error {
	c := &checker{opaque: opaque, seen: map[reference]bool{}, fields: map[reflect.Type][]field{}}
	return c.value(reflect.ValueOf(value), "", place{typ: reflect.TypeOf(value)})
}

type checker struct {
	opaque func(reflect.Type) bool
	seen   map[reference]bool
	fields map[reflect.Type][]field // fields by struct type, cached
}

// field is a struct field with its tag.
type field struct{ name, kind string }

// fieldsOf returns the fields of a struct in order.
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

// place names a field for messages.
type place struct {
	typ   reflect.Type
	field string
}

func (p place) String() string { return p.typ.String() + "." + p.field }

// reference identifies a followed pointer. A struct and its first field share an address.
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
