// Spelling: types as Go text. Package emit prints the same as code.

package golang

import "strings"

// TypeText returns a type as Go text, or "".
func TypeText(t Type) string { return Spell(t, TypeName) }

// FieldText returns the type of a field, which depends on presence.
func FieldText(f *Field) string {
	text := TypeText(f.Type)
	_, isStruct := Underlying(f.Type).(StructType)
	switch {
	case f.Presence == Maybe && isStruct:
		return "wire.Nullable[*" + text + "]"
	case f.Presence == Maybe:
		return "wire.Nullable[" + text + "]"
	case f.Pointer:
		return "*" + text
	}
	return text
}

// Spell formats lists and maps, and their elements through a function.
func Spell(t Type, name func(Type) string) string {
	var b strings.Builder
	for {
		switch c := t.(type) {
		case Slice:
			b.WriteString("[]")
			t = c.Elem
		case Map:
			b.WriteString("map[string]")
			t = c.Elem
		default:
			return b.String() + name(t)
		}
	}
}

// TypeName returns the name of a type other than a list or map, or "".
func TypeName(t Type) string {
	switch t := t.(type) {
	case Basic:
		if t == RawObject {
			return string(Raw)
		}
		return string(t)
	case StructType:
		if t.Floor {
			return "wire." + t.Name
		}
	case CustomType:
		return t.Import.Name + "." + t.Name
	}
	return declaredName(t)
}

// declaredName returns the name of a declared type, or "".
func declaredName(t Type) string {
	switch t := t.(type) {
	case EnumType:
		return t.Name
	case StructType:
		return t.Name
	case UnionType:
		return t.Name
	case AliasType:
		return t.Name
	}
	return ""
}

// Resolved returns a type without aliases.
func Resolved(t Type) Type {
	switch t := Underlying(t).(type) {
	case Slice:
		return Slice{Resolved(t.Elem)}
	case Map:
		return Map{Resolved(t.Elem)}
	default:
		return t
	}
}

// Innermost returns the element type of nested lists and maps, without aliases.
func Innermost(t Type) Type {
	for {
		switch under := Underlying(t).(type) {
		case Slice:
			t = under.Elem
		case Map:
			t = under.Elem
		default:
			return under
		}
	}
}

// Zero returns the zero value of a type as a method returns it: nil for a pointer to a struct.
func Zero(t Type) string {
	switch t := Underlying(t).(type) {
	case EnumType:
		if t.Base == "string" {
			return `""`
		}
		return "0"
	case Basic:
		switch t {
		case String, Number:
			return `""`
		case Bool:
			return "false"
		case Raw, RawObject:
			return "nil"
		}
		return "0"
	}
	return "nil"
}
