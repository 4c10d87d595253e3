// Spelling: types as text, the way Go writes them. Package emit prints the same as code.

package golang

import "strings"

// TypeText is a type as the emitted package writes it, "" for none.
func TypeText(t Type) string { return Spell(t, TypeName) }

// FieldText is the type of a field, which depends on its presence too.
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

// Spell writes lists and maps, and what they are made of as a function has it.
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

// TypeName is the name of a type that is no list and no map, "" for others.
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
	}
	return declaredName(t)
}

// declaredName is the name of a declaration where it stands, "" for what is none.
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

// Resolved is a type without the aliases in it: to the compiler, an alias and its target are one type.
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

// Innermost is what lists and maps are made of in the end, behind all aliases.
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
