// Accessors: methods for members shared by all variants of a union.

package golang

import "slices"

// Accessor is a method that returns a field of each variant.
type Accessor struct {
	Name  string `go:"identifier"`
	Field *Field
}

// accessors gives the unions that a schema declares a method for each member that all variants known
// to it have, in the same Go type and with the same presence. It is called Get and then as the field is,
// because a struct cannot have a field and a method of one name. If some variant has a field or a tag
// of that name too, there is none.
func (b *builder) accessors() {
	for _, u := range b.out.Unions {
		if u.Decode == "" || u.Cases == nil || len(u.Structs) < 2 {
			continue
		}
		for _, f := range u.Structs[0].Fields {
			a := Accessor{Name: "Get" + f.Name, Field: f}
			if slices.ContainsFunc(u.Structs, func(s *Struct) bool { return !s.offers(a) }) || u.Unknown != nil && u.Unknown.taken(a) {
				continue
			}
			u.Accessors = append(u.Accessors, a)
			for _, s := range u.Structs {
				s.Accessors = addAccessor(s.Accessors, Accessor{Name: a.Name, Field: s.Field(f.Wire)})
			}
		}
	}
	for _, u := range b.out.Unions {
		if x := u.Unknown; x != nil && x.Owner == u {
			for _, m := range x.Markers {
				for _, a := range m.Accessors {
					x.Accessors = addAccessor(x.Accessors, a)
				}
			}
		}
	}
}

func addAccessor(list []Accessor, a Accessor) []Accessor {
	if slices.ContainsFunc(list, func(o Accessor) bool { return o.Name == a.Name }) {
		return list
	}
	return append(list, a)
}

// sameType reports whether two fields have one Go type.
func sameType(a, b *Field) bool {
	return a.Presence == b.Presence && Resolved(a.Type) == Resolved(b.Type)
}

// offers reports whether a struct has the accessor's field and no conflicting method.
func (s *Struct) offers(a Accessor) bool {
	f := s.Field(a.Field.Wire)
	if f == nil || f.Name != a.Field.Name || !sameType(f, a.Field) {
		return false
	}
	return !slices.ContainsFunc(s.Fields, func(f *Field) bool { return f.Name == a.Name }) &&
		!slices.ContainsFunc(s.Tags, func(t Tag) bool { return t.Enum.Name == a.Name })
}

// taken reports whether the unknown variant has a conflicting member.
func (x *Unknown) taken(a Accessor) bool {
	if x.Field == a.Name || x.Tag != nil && x.Tag.Name == a.Name || slices.ContainsFunc(x.Others, func(o OtherTag) bool { return o.Enum.Name == a.Name }) {
		return true
	}
	for _, m := range x.Markers {
		for _, o := range m.Accessors {
			if o.Name == a.Name && (o.Field.Wire != a.Field.Wire || !sameType(o.Field, a.Field)) {
				return true
			}
		}
	}
	return false
}
