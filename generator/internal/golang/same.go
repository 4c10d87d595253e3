// Same: equal inline types are declared once, and empty ones use a runtime type.

package golang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// same finds inline types that are equal: in their members, the types and presence of these, their
// constants, values and defaults, and how they are read; unions in their variants and in how these are told apart. What they are
// called by a profile or an earlier run keeps them apart. It leaves out what has more to it than its members: variants of
// several unions, and what stands in a table.
func (b *builder) same() (out sameTypes) {
	s := &sameness{b: b, class: map[protocol.Type]int{}, classes: map[string]int{}}
	bundles := b.bundles()
	apart := b.apart(bundles)
	// Nested inline types come later and must be handled first.
	for _, t := range slices.Backward(b.in.Types) {
		if t.Head().Inline && !apart[t] {
			s.classify(t)
		}
	}
	groups := map[string][]protocol.Type{} // by class and name, or where they are used
	joined := map[string]string{}          // first name of a class where it is used
	circles := s.circles(b.in.Types)
	for _, t := range b.in.Types {
		class, ok := s.class[t]
		if !ok || bundles.of[t] != nil {
			continue
		}
		name := b.claim(t)
		if first, ok := joined[circles[t]]; !ok {
			joined[circles[t]] = name
		} else if name == "" { // any name is acceptable
			name = first
		}
		key := strconv.Itoa(class) + " " + name
		if name == "" {
			key = circles[t]
		}
		groups[key] = append(groups[key], t)
	}
	out.together = map[protocol.Type][]protocol.Type{}
	out.first = map[protocol.Type]protocol.Type{}
	join := func(list []protocol.Type) {
		out.together[list[0]] = list
		for _, t := range list[1:] {
			out.first[t] = list[0]
		}
	}
	for _, list := range groups {
		join(list)
		for i := range bundles.parts[list[0]] {
			join(each.Map(list, func(u protocol.Type) protocol.Type { return bundles.parts[u][i] }))
		}
	}
	out.types = each.Where(b.in.Types, func(t protocol.Type) bool { return out.first[t] == nil && !b.isEmpty(t, out.together) })
	return out
}

// circles divides equal types by where they are used, and returns a key of the part that a type is in. Uses by members of the
// same name, or of the same object, belong together. If their name would be that of one of them alone, only members of the same
// name do; so it is with unions of scalars, in which equal alternatives say little.
func (s *sameness) circles(types []protocol.Type) map[protocol.Type]string {
	all := map[int][]protocol.Type{}
	for _, t := range types {
		if class, ok := s.class[t]; ok {
			all[class] = append(all[class], t)
		}
	}
	out := map[protocol.Type]string{}
	for class, list := range all {
		for i, part := range divide(list, byObject) {
			parts := [][]protocol.Type{part}
			if isOfScalars(list[0]) || s.b.shared(part) == part[0].Head().Name {
				parts = divide(part, byMember)
			}
			for j, part := range parts {
				for _, t := range part {
					out[t] = fmt.Sprintf("%d of %d in %d", j, i, class)
				}
			}
		}
	}
	return out
}

// divide returns the parts of a list whose paths are connected by keys that they share.
func divide(list []protocol.Type, keys func(path string) []string) (parts [][]protocol.Type) {
	next := map[string][]string{}
	for _, t := range list {
		all := keys(t.Head().Name)
		for _, key := range all[1:] {
			next[all[0]], next[key] = append(next[all[0]], key), append(next[key], all[0])
		}
	}
	part := map[string]int{}
	for _, t := range list {
		key := keys(t.Head().Name)[0]
		if _, ok := part[key]; !ok {
			for _, reached := range graph.Reach([]string{key}, func(key string) []string { return next[key] }) {
				part[reached] = len(parts)
			}
			parts = append(parts, nil)
		}
		parts[part[key]] = append(parts[part[key]], t)
	}
	return parts
}

// byMember and byObject are what connects uses: the member of an object, with the way into it, and the object too.
func byMember(path string) []string {
	end := len(path)
	for strings.HasSuffix(path[:end], ".item") || strings.HasSuffix(path[:end], ".value") {
		end = strings.LastIndexByte(path[:end], '.')
	}
	return []string{"member " + path[strings.LastIndexByte(path[:end], '.')+1:]}
}

func byObject(path string) []string {
	member := byMember(path)[0]
	return []string{member, "object " + strings.TrimSuffix(path, strings.TrimPrefix(member, "member "))}
}

// isEmpty reports whether a type is an inline object without members, which is a runtime type.
func (b *builder) isEmpty(t protocol.Type, together map[protocol.Type][]protocol.Type) bool {
	s, ok := t.(*protocol.Struct)
	return ok && len(together[t]) > 0 && len(s.Fields) == 0 && len(s.Choices) == 0 && s.Extra == nil && b.claim(t) == "" && !b.in.Keeps
}

// claim returns the existing name of a type, or "".
func (b *builder) claim(t protocol.Type) string {
	return cmp.Or(b.stated(t), b.locked.typeName(t.Head().Name))
}

// apart are the types with additional properties besides members.
func (b *builder) apart(bundles bundles) map[protocol.Type]bool {
	out := b.tabled()
	for u := range protocol.Each[*protocol.Union](b.in.Types) {
		for _, s := range u.Leaves() {
			out[s] = out[s] || bundles.of[s] == nil
		}
		if u.Tag != nil {
			out[u.Tag] = out[u.Tag] || bundles.of[u.Tag] == nil
		}
		out[u] = out[u] || bundles.parts[u] == nil
	}
	return out
}

// tabled are the types that stand in a table.
func (b *builder) tabled() map[protocol.Type]bool {
	out := map[protocol.Type]bool{}
	for _, state := range b.in.States() {
		out[state] = true
	}
	for _, m := range b.in.Methods {
		out[m.Params], out[m.Result] = true, true
	}
	for _, e := range b.in.Errors {
		out[e.Data] = true
	}
	return out
}

// sameness numbers equivalence classes of types.
type sameness struct {
	b       *builder
	class   map[protocol.Type]int
	classes map[string]int // by description
}

// insteadIn returns a member's replacement relative to its object.
func insteadIn(t *protocol.Struct, f *protocol.Field) string {
	if f.Instead != nil && f.Instead.Type == protocol.Type(t) {
		return f.Instead.Field.Name
	}
	return f.Instead.String()
}

func (s *sameness) classify(t protocol.Type) {
	var w strings.Builder
	switch t := t.(type) {
	case *protocol.Struct:
		fmt.Fprintf(&w, "struct %t %q", t.Deprecated, t.Stability)
		for _, f := range t.Fields {
			name := s.b.fieldName(t, f)
			fmt.Fprintf(&w, "\n%q %q %t %t %t %q %s", f.Name, name, f.Required, f.Nullable, f.Deprecated, insteadIn(t, f), s.expr(f.Type))
			if f.Const != nil {
				fmt.Fprintf(&w, " const %v", *f.Const)
			}
			fmt.Fprintf(&w, " %q %q %v %t %v%s", f.Values, s.defaultOf(f), f.Reading, f.URI, f.Lenience, s.b.customKey(t, f))
		}
		for _, c := range t.Choices {
			fmt.Fprintf(&w, "\nchoice %q %q", c.Name, c.Type.Name)
		}
		if t.Extra != nil {
			fmt.Fprintf(&w, "\nextra %s", s.expr(t.Extra))
		}
	case *protocol.Enum:
		fmt.Fprintf(&w, "enum %t %q %s %t %t", t.Deprecated, t.Stability, t.Kind, t.Bitset, t.Open)
		for _, m := range t.Members {
			fmt.Fprintf(&w, "\n%q %q %v %q", m.Name, m.Title, m.Value, s.b.pins.name(t.Name+"."+m.Value.String()))
		}
	case *protocol.Union:
		s.union(&w, t)
	default:
		return
	}
	text := w.String()
	if _, ok := s.classes[text]; !ok {
		s.classes[text] = len(s.classes)
	}
	s.class[t] = s.classes[text]
}

// expr returns text that is equal for equal types only.
func (s *sameness) expr(e protocol.Expr) string {
	switch e := e.(type) {
	case protocol.Scalar:
		return "scalar " + strconv.Itoa(int(e))
	case protocol.List:
		return "[]" + s.expr(e.Elem)
	case protocol.Map:
		return "map " + s.expr(e.Elem)
	case protocol.Ref:
		if class, ok := s.class[e.Type]; ok {
			return "class " + strconv.Itoa(class) + " " + s.b.claim(e.Type)
		}
		return fmt.Sprintf("%T %q", e.Type, e.Type.Head().Name)
	}
	return ""
}

// shared returns the path that equal types are named after: what all their paths begin with, or else the whole way to
// the first of them, and the words in which their last parts agree. Of two that agree in no word both are named. It
// is the first path if this leads to nothing better.
func (b *builder) shared(list []protocol.Type) string {
	first := list[0].Head().Name
	owner, last := cutLast(first)
	common := strings.Split(owner, ".")
	ends := []string{last}
	for _, t := range list[1:] {
		o, l := cutLast(t.Head().Name)
		parts := strings.Split(o, ".")
		n := 0
		for n < min(len(common), len(parts)) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
		ends = each.With(ends, l)
	}
	if len(common) > 0 {
		owner = strings.Join(common, ".")
	}
	if len(ends) == 1 {
		return owner + "." + last
	}
	words := b.agreement(ends)
	switch {
	case words != "":
		return owner + "." + words
	case len(ends) == 2:
		return owner + "." + ends[0] + "_or_" + ends[1]
	}
	return first
}

func cutLast(path string) (owner, last string) {
	i := strings.LastIndex(path, ".")
	return path[:max(i, 0)], path[i+1:]
}

// agreement returns the words that names have in common at the end, or else at the beginning.
func (b *builder) agreement(names []string) string {
	var end, begin []string
	for i, name := range names {
		words := b.namer.words(name)
		if i == 0 {
			end, begin = words, words
			continue
		}
		n := 0
		for n < min(len(end), len(words)) && end[len(end)-1-n] == words[len(words)-1-n] {
			n++
		}
		end = end[len(end)-n:]
		n = 0
		for n < min(len(begin), len(words)) && begin[n] == words[n] {
			n++
		}
		begin = begin[:n]
	}
	if len(end) > 0 {
		return strings.Join(end, "_")
	}
	return strings.Join(begin, "_")
}

// alias makes a type and its members share the declarations of an equal one.
func (b *builder) alias() {
	empty := StructType{&Struct{Name: "Empty", Floor: true}}
	for _, t := range b.in.Types {
		if s, ok := t.(*protocol.Struct); ok && b.isEmpty(cmp.Or(b.first[t], t), b.together) {
			b.declaredTypes[s], b.names[s] = empty, "wire.Empty"
		} else if first := b.first[t]; first != nil {
			b.declaredTypes[t] = b.declaredTypes[first]
		}
	}
}

// aliasMembers is alias for nested types.
func (b *builder) aliasMembers() {
	for t, first := range b.first {
		head := t.Head()
		switch t := t.(type) {
		case *protocol.Struct:
			of := first.(*protocol.Struct)
			for i, f := range t.Fields {
				if field := b.fieldOf[of.Fields[i]]; field != nil {
					b.fieldOf[f] = field
					b.recordMember(head.Name, f.Name, field.Name)
				}
			}
		case *protocol.Enum:
			of := first.(*protocol.Enum)
			b.members[t] = b.members[of]
			for i, m := range t.Members {
				b.recordMember(head.Name, m.Value.String(), b.members[of][i])
			}
		}
	}
}

// nameShared names a type shared by several places. Of two such types with the same name in common, the second one is called like its
// first use.
func (b *builder) nameShared(t protocol.Type, pinned map[string]string, taken map[string]bool) string {
	own := b.path(t.Head().Name, pinned)
	list := b.together[t]
	if len(list) < 2 {
		return own
	}
	if name := b.path(b.shared(list), pinned); !taken[name] {
		taken[name] = true
		return name
	}
	return own
}

// defaultOf returns the default of a member that may be left out. That of another one is for older versions alone.
func (s *sameness) defaultOf(f *protocol.Field) string {
	if f.Required {
		return ""
	}
	return f.Default
}
