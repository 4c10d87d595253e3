// Text: types as Go writes them inside their package.

package golang

// FieldText is the type of a field.
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

// TypeText is a type, "" for none.
func TypeText(t Type) string {
	switch t := t.(type) {
	case Basic:
		if t == RawObject {
			return string(Raw)
		}
		return string(t)
	case EnumType:
		return t.Name
	case StructType:
		if t.Floor {
			return "wire." + t.Name
		}
		return t.Name
	case UnionType:
		return t.Name
	case AliasType:
		return t.Name
	case Slice:
		return "[]" + TypeText(t.Elem)
	case Map:
		return "map[string]" + TypeText(t.Elem)
	}
	return ""
}
