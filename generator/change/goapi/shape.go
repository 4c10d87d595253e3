// Shape: Go types as text, for messages and to see whether they are the same.

package goapi

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// find returns the field for a member, nil where the codec keeps it as a constant.
func find(s *golang.Struct, f *protocol.Field) *golang.Field {
	if f == nil {
		return nil
	}
	for _, field := range s.Fields {
		if field.Wire == f.Name {
			return field
		}
	}
	return nil
}

func fieldText(f *golang.Field) string {
	switch {
	case f.Presence == golang.Maybe:
		if _, ok := golang.Underlying(f.Type).(golang.StructType); ok {
			return "Nullable[*" + typeText(f.Type) + "]"
		}
		return "Nullable[" + typeText(f.Type) + "]"
	case f.Pointer:
		return "*" + typeText(f.Type)
	}
	return typeText(f.Type)
}

// typeText spells a type with aliases resolved: an alias and its target are one type.
func typeText(t golang.Type) string {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		return string(t)
	case golang.EnumType:
		return t.Name
	case golang.StructType:
		return t.Name
	case golang.UnionType:
		return t.Name
	case golang.Slice:
		return "[]" + typeText(t.Elem)
	case golang.Map:
		return "map[string]" + typeText(t.Elem)
	}
	return ""
}

// typeName is the declared type that a type is made of, "" where it is built in.
func typeName(t golang.Type) string {
	switch t := golang.Underlying(t).(type) {
	case golang.EnumType:
		return t.Name
	case golang.StructType:
		return t.Name
	case golang.UnionType:
		return t.Name
	case golang.Slice:
		return typeName(t.Elem)
	case golang.Map:
		return typeName(t.Elem)
	}
	return ""
}

// parameters spells the parameters of a struct's constructor.
func parameters(s *golang.Struct) string {
	var list []string
	for _, f := range s.New {
		list = append(list, fieldText(f))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// canCompare reports whether values of a struct compare with ==.
func canCompare(s *golang.Struct) bool { return comparesWith(s, map[*golang.Struct]bool{}) }

// comparesWith is canCompare with the structs that were looked at: one that does not compare has
// settled it already.
func comparesWith(s *golang.Struct, seen map[*golang.Struct]bool) bool {
	if s.Extra != nil {
		return false
	}
	if seen[s] {
		return true
	}
	seen[s] = true
	for _, f := range s.Fields {
		if !fieldComparable(f, seen) {
			return false
		}
	}
	return true
}

func fieldComparable(f *golang.Field, seen map[*golang.Struct]bool) bool {
	if _, ok := golang.Underlying(f.Type).(golang.StructType); ok && f.Presence == golang.Maybe {
		return true // held by pointer
	}
	return f.Pointer || typeComparable(f.Type, seen)
}

func typeComparable(t golang.Type, seen map[*golang.Struct]bool) bool {
	switch t := golang.Underlying(t).(type) {
	case golang.Basic:
		return t != golang.Raw
	case golang.StructType:
		return comparesWith(t.Struct, seen)
	case golang.Slice, golang.Map:
		return false
	}
	return true
}

// holds reports whether a struct holds another by value. Seen are those that do not.
func holds(s, target *golang.Struct, seen map[*golang.Struct]bool) bool {
	if s == target {
		return true
	}
	if seen[s] {
		return false
	}
	seen[s] = true
	for _, f := range s.Fields {
		t, ok := golang.Underlying(f.Type).(golang.StructType)
		if ok && !f.Pointer && f.Presence != golang.Maybe && holds(t.Struct, target, seen) {
			return true
		}
	}
	return false
}
