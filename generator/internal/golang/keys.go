// Keys: identifying list items.

package golang

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// KeyArg is a function that returns the key of an item.
type KeyArg struct {
	Func string  `go:"identifier"` // an existing function, or a closure:
	Own  bool    // Func is emitted; otherwise it is in package state
	Item *Struct // type of the item
	Keys []Place // of the variable item; the first non-nil one counts
}

// KeyFunc is a function that returns the key of a union's item.
type KeyFunc struct {
	Name  string `go:"identifier"`
	Union *Union
	Paths [][]string `go:"text"` // stated paths of wire names
	Cases []KeyCase
}

// KeyCase returns the key of some variants.
type KeyCase struct {
	Struct *Struct
	Keys   []Place // of the variable v
	Union  Place   // for a nested union: the union
	Func   string  `go:"identifier"` // and the function that returns its key
}

// key returns the key of a list's items.
func (e *stepBuilder) key(k protocol.Key, list *protocol.Field) *KeyArg {
	elem := Underlying(e.b.fieldOf[list].Type).(Slice).Elem // verified by the analysis
	switch t := Underlying(elem).(type) {
	case StructType:
		return &KeyArg{Item: t.Struct, Keys: memberKeys(t.Struct, k.Paths, "item")}
	case UnionType:
		in := protocol.As[*protocol.Union](protocol.Underlying(list.Type).(protocol.List).Elem)
		return &KeyArg{Own: true, Func: e.keys.of(in, t.Union, k)}
	}
	return &KeyArg{Func: "Itself"}
}

// memberKeys returns the possible keys of an object, up to one that is always present.
func memberKeys(s *Struct, paths [][]string, on string) []Place {
	var out []Place
	for _, path := range paths {
		if place, ok := memberKey(s, path, on); ok {
			if out = append(out, place); !place.Optional() {
				break
			}
		}
	}
	return out
}

// memberKey follows wire names from a variable to a string.
func memberKey(s *Struct, path []string, on string) (Place, bool) {
	out := Place{Var: on}
	for i, name := range path {
		f := s.Field(name)
		if f == nil {
			return out, false
		}
		out.Path = append(out.Path, f)
		if i == len(path)-1 {
			return out, Underlying(f.Type) == String
		}
		next, isStruct := Underlying(f.Type).(StructType)
		if !isStruct || f.Pointer {
			return out, false
		}
		s = next.Struct
	}
	return out, false
}

// keyFuncs collects the key functions of unions.
type keyFuncs struct {
	b     *builder
	out   *Reducers
	names map[string]bool // names of existing functions
}

// of returns the function for a union and key, creating it if needed.
func (k *keyFuncs) of(in *protocol.Union, u *Union, key protocol.Key) string {
	for _, f := range k.out.Keys {
		if f.Union == u && slices.EqualFunc(f.Paths, key.Paths, slices.Equal) {
			return f.Name
		}
	}
	base := k.b.namer.local(u.Name) + "Key"
	name := base
	for i := 2; k.names[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	k.names[name] = true
	f := &KeyFunc{Name: name, Union: u, Paths: key.Paths}
	k.out.Keys = append(k.out.Keys, f)
	for _, s := range in.Leaves() {
		if c, ok := k.variant(s, key.Paths); ok {
			f.Cases = append(f.Cases, c)
		}
	}
	return name
}

// variant returns the key of one variant, which may be that of a nested union.
func (k *keyFuncs) variant(s *protocol.Struct, paths [][]string) (KeyCase, bool) {
	out := KeyCase{Struct: k.b.StructOf(s)}
	if out.Keys = memberKeys(out.Struct, paths, "v"); len(out.Keys) > 0 {
		return out, true
	}
	var member *protocol.Field
	var inside *protocol.Union
	var rest [][]string // remaining paths in the nested union
	for _, path := range paths {
		f, u := protocol.UnionMember(s, path)
		if u != nil && (member == nil || f == member) {
			member, inside, rest = f, u, append(rest, path[1:])
		}
	}
	if member == nil {
		return out, false
	}
	out.Union = Place{"v", []*Field{k.b.fieldOf[member]}}
	out.Func = k.of(inside, k.b.UnionOf(inside), protocol.Key{Paths: rest})
	return out, true
}
