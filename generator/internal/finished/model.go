// The model: how a package declares what finished reducers use.

package finished

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// Model answers what a package calls a symbol, and how it declares it.
type Model struct {
	pkg         *golang.Package
	definitions map[string]string // by Go name
	structs     map[string]*golang.Struct
	unions      map[string]*golang.Union
	enums       map[string]*golang.Enum
	aliases     map[string]*golang.Alias
	variants    map[*golang.Union][]string
}

// NewModel indexes a package. Types are as in [Uses].
func NewModel(pkg *golang.Package, types map[string]string) *Model {
	m := &Model{
		pkg: pkg, definitions: make(map[string]string, len(pkg.Names)), structs: map[string]*golang.Struct{},
		unions: map[string]*golang.Union{}, enums: map[string]*golang.Enum{}, aliases: map[string]*golang.Alias{},
	}
	m.identify(types)
	for _, s := range pkg.Structs {
		m.structs[m.definitions[s.Name]] = s
	}
	for _, u := range pkg.Unions {
		m.unions[m.definitions[u.Name]] = u
	}
	for _, e := range pkg.Enums {
		m.enums[m.definitions[e.Name]] = e
	}
	for _, a := range pkg.Aliases {
		m.aliases[m.definitions[a.Name]] = a
	}
	return m
}

// identify settles which definition each Go type is called by here: the one that it was called by where
// the sources were type-checked, if it can be found. Types that are equal may be one in Go, with several
// definitions; there the first of them counts. A definition that is only called otherwise is known by its
// name in Go.
func (m *Model) identify(types map[string]string) {
	names := m.pkg.Names
	if types == nil {
		types = m.Types()
	}
	first := make(map[string]string, len(types)) // by Go name
	for definition, name := range types {
		name = cmp.Or(name, definition)
		if first[name] == "" || definition < first[name] {
			first[name] = definition
		}
	}
	canonical := func(definition string) string {
		if name, ok := types[definition]; ok {
			return first[cmp.Or(name, definition)]
		}
		return ""
	}
	sorted := slices.Sorted(maps.Keys(names))
	claim := func(same func(definition, name string) string) {
		for _, definition := range sorted {
			name := names[definition].Go
			if c := same(definition, name); c != "" && m.definitions[name] == "" {
				m.definitions[name] = c
			}
		}
	}
	claim(func(definition, name string) string {
		if c := canonical(definition); names[c].Go == name {
			return c
		}
		return ""
	})
	claimed := map[string]bool{}
	elsewhere := func(c string) string { // unless the package has it, or another type stands for it
		if _, there := names[c]; c == "" || there || claimed[c] {
			return ""
		}
		claimed[c] = true
		return c
	}
	claim(func(definition, name string) string {
		if m.definitions[name] != "" {
			return ""
		}
		return elsewhere(canonical(definition))
	})
	claim(func(definition, name string) string {
		if _, known := types[definition]; known || m.definitions[name] != "" {
			return ""
		}
		return elsewhere(first[name])
	})
	claim(func(definition, _ string) string { return definition })
}

// Types is what [Uses] has to know about the types of the package.
func (m *Model) Types() map[string]string {
	out := map[string]string{}
	for definition, names := range m.pkg.Names {
		out[definition] = ""
		if names.Go != definition {
			out[definition] = names.Go
		}
	}
	return out
}

// Definition is the definition that has a Go name.
func (m *Model) Definition(name string) string { return m.definitions[name] }

// Look says how the package calls and declares a symbol. It is not ok if there is none.
func (m *Model) Look(kind, typ, member string) (name, as string, ok bool) {
	switch kind {
	case Type:
		return m.typ(typ)
	case Field:
		if s := m.structs[typ]; s != nil {
			if f := s.Field(member); f != nil {
				return f.Name, m.field(f), true
			}
		}
	case Whole:
		return m.whole(typ)
	case Const:
		if e := m.enums[typ]; e != nil {
			for _, c := range e.Members {
				if c.Value.String() == member {
					return c.Name, e.Base, true
				}
			}
		}
	case Method:
		return m.method(typ, member)
	case Convertible:
		return "", "", m.convertible(m.structs[typ], m.structs[member])
	case Own:
		return m.pkg.Own(typ), "", true
	case Import:
		return "", "", true
	}
	return m.ofUnion(kind, typ, member)
}

func (m *Model) ofUnion(kind, typ, member string) (name, as string, ok bool) {
	u := m.unions[typ]
	if u == nil {
		return "", "", false
	}
	switch kind {
	case Decode:
		return u.Decode, "", u.Decode != ""
	case Unknown:
		if u.Unknown != nil {
			return u.Unknown.Name, m.definitions[u.Unknown.Owner.Name], true
		}
	case UnknownField:
		if u.Unknown != nil && u.Unknown.Field != "" {
			return u.Unknown.Field, m.enumName(u.Unknown.Tag), true
		}
	case Scalar:
		for _, t := range u.Tokens {
			if t.Scalar != nil && token(t) == member {
				return t.Scalar.Name, m.scalarType(t.Scalar), true
			}
		}
	case Variants:
		all := m.variantsOf(u)
		open := "closed"
		if u.Unknown != nil {
			open = "open"
		}
		return "", open + " " + strings.Join(all, " "), true
	case Variant:
		return "", "", slices.Contains(m.variantsOf(u), member) || m.isBelow(member, u)
	}
	return "", "", false
}

func token(t *golang.Token) string { return strings.TrimSpace(string(t.Kind) + " " + t.Word) }

func (m *Model) scalarType(s *golang.Scalar) string {
	if s.Type == nil {
		return "null"
	}
	return m.text(s.Type)
}

func (m *Model) enumName(e *golang.Enum) string {
	if e == nil {
		return "integer"
	}
	return m.definitions[e.Name]
}

func (m *Model) typ(definition string) (name, as string, ok bool) {
	if s := m.structs[definition]; s != nil {
		return s.Name, "struct", true
	}
	if u := m.unions[definition]; u != nil {
		return u.Name, "union", true
	}
	if e := m.enums[definition]; e != nil {
		return e.Name, m.enum(e), true
	}
	if a := m.aliases[definition]; a != nil {
		return a.Name, m.text(a.Target), true
	}
	return "", "", false
}

func (m *Model) enum(e *golang.Enum) string {
	if e.Bitset {
		return "flags"
	}
	return e.Base
}

// text says a type by the names of definitions. Aliases are looked through, as Go does.
func (m *Model) text(t golang.Type) string { return golang.Spell(golang.Resolved(t), m.name) }

// name is text for a type that is no list and no map.
func (m *Model) name(t golang.Type) string {
	switch t := t.(type) {
	case golang.Basic:
		return string(t)
	case golang.EnumType:
		return m.enum(t.Enum) + " " + m.definitions[t.Name]
	case golang.StructType:
		if t.Floor {
			return golang.TypeName(t)
		}
		return m.definitions[t.Name]
	case golang.UnionType:
		return "union " + m.definitions[t.Name]
	}
	panic(fmt.Sprintf("finished: no text for %T", t)) // the set of types is closed
}

func (m *Model) field(f *golang.Field) string {
	as := map[golang.Presence]string{
		golang.Required: "", golang.Optional: "optional ", golang.Nullable: "nullable ", golang.Maybe: "optional nullable ",
	}[f.Presence]
	if f.Pointer {
		as += "*"
	}
	return as + m.text(f.Type)
}

func (m *Model) whole(definition string) (name, as string, ok bool) {
	var parts []string
	if e := m.enums[definition]; e != nil {
		for _, c := range e.Members {
			parts = append(parts, c.Value.String())
		}
		slices.Sort(parts)
		return "", m.enum(e) + " " + strings.Join(parts, " "), true
	}
	s := m.structs[definition]
	if s == nil {
		return "", "", false
	}
	for _, c := range s.Consts {
		parts = append(parts, c.Wire+" = "+c.Value.String())
	}
	for _, f := range s.Fields {
		parts = append(parts, f.Wire+" "+m.field(f))
	}
	if s.Extra != nil {
		parts = append(parts, "... "+m.text(s.Extra))
	}
	slices.Sort(parts) // literals name the fields
	return "", strings.Join(parts, "; "), true
}

// method says how a method that comes with a type is declared. These are not renamed.
func (m *Model) method(definition, name string) (string, string, bool) {
	if e := m.enums[definition]; e != nil {
		return name, m.enum(e), true
	}
	if u := m.unions[definition]; u != nil {
		for _, a := range u.Accessors {
			if a.Name == name {
				return name, m.field(a.Field), true
			}
		}
	}
	return "", "", false
}

// convertible reports whether Go converts one struct to the other.
func (m *Model) convertible(a, b *golang.Struct) bool {
	if a == nil || b == nil || len(a.Fields) != len(b.Fields) || (a.Extra == nil) != (b.Extra == nil) {
		return false
	}
	for i, f := range a.Fields {
		g := b.Fields[i]
		if f.Name != g.Name || m.field(f) != m.field(g) {
			return false
		}
	}
	return a.Extra == nil || m.text(a.Extra) == m.text(b.Extra)
}

// variantsOf lists what is of a union's Go type: definitions of structs, and scalars.
func (m *Model) variantsOf(u *golang.Union) []string {
	if m.variants == nil {
		m.variants = map[*golang.Union][]string{}
		for _, s := range m.pkg.Structs {
			for _, u := range s.Markers {
				m.variants[u] = append(m.variants[u], m.definitions[s.Name])
			}
		}
		for _, owner := range m.pkg.Unions {
			for _, t := range owner.Tokens {
				if t.Scalar == nil {
					continue
				}
				for _, u := range t.Scalar.Markers {
					m.variants[u] = append(m.variants[u], m.definitions[owner.Name]+"/"+token(t))
				}
			}
			if x := owner.Unknown; x != nil && x.Owner == owner {
				for _, u := range x.Markers {
					m.variants[u] = append(m.variants[u], m.definitions[owner.Name]+"/unknown")
				}
			}
		}
		for _, list := range m.variants {
			slices.Sort(list)
		}
	}
	return m.variants[u]
}

// isBelow reports whether a union is part of another.
func (m *Model) isBelow(definition string, u *golang.Union) bool {
	below := m.unions[definition]
	return below != nil && slices.ContainsFunc(below.Parents, func(p *golang.Union) bool {
		return p == u || m.isBelow(m.definitions[p.Name], u)
	})
}
