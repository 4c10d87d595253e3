// Shape: Go types as text, for messages and to see whether they are the same.

package goapi

import (
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// find returns the field for a member, nil if the codec keeps it as a constant.
func find(s *golang.Struct, f *protocol.Field) *golang.Field {
	if f == nil {
		return nil
	}
	for _, c := range s.Choices {
		if c.Key == f.Name {
			return &golang.Field{Name: c.Name, Wire: c.Key, Type: golang.UnionType{Union: c.Union}, Presence: golang.Required}
		}
	}
	return s.Field(f.Name)
}

// fieldText returns the Go type of a field, with aliases resolved: an alias and its target are one type.
func fieldText(f *golang.Field) string {
	resolved := *f
	resolved.Type = golang.Resolved(f.Type)
	return golang.FieldText(&resolved)
}

// typeName returns the declared type at the core of a type, "" if that is built in.
func typeName(t golang.Type) string {
	inner := golang.Innermost(t)
	if _, builtIn := inner.(golang.Basic); builtIn {
		return ""
	}
	return golang.TypeName(inner)
}

// canCompare reports whether values of a struct compare with ==. No struct can hold itself by value.
func (n *names) canCompare(s *golang.Struct) bool {
	if known, ok := n.compares[s]; ok {
		return known
	}
	n.compares[s] = true
	can := s.Extra == nil
	for _, f := range s.Fields {
		can = can && n.fieldComparable(f)
	}
	n.compares[s] = can
	return can
}

func (n *names) fieldComparable(f *golang.Field) bool {
	t := golang.Underlying(f.Type)
	if _, ok := t.(golang.StructType); ok && f.Presence == golang.Maybe {
		return true // held by pointer
	}
	if f.Pointer {
		return true
	}
	switch t := t.(type) {
	case golang.Basic:
		return t != golang.Raw && t != golang.RawObject
	case golang.StructType:
		return n.canCompare(t.Struct)
	case golang.Slice, golang.Map:
		return false
	}
	return true
}
