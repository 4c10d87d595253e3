// Cycles: definitions that lead back to themselves and could never end.

package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// endlessNames refuses definitions that only name each other and unions that are alternatives of
// themselves, through whatever names. It reports whether there are such unions: nothing can be said
// about their values. Names that lead in a circle lead nowhere from then on.
func (b *builder) endlessNames() bool {
	defs := b.Set.Definitions()
	circle := graph.Circles(defs, func(def *schema.Definition) []*schema.Definition { return named(def.Schema, nil) })
	choice := map[int]bool{} // circles that go through alternatives
	for _, def := range defs {
		if n := circle[def]; n != 0 && def.Schema.Choices() != nil {
			choice[n] = true
		}
	}
	for _, def := range defs {
		n := circle[def]
		ref, isName := (*schema.Reference)(nil), false
		if n != 0 {
			ref, isName = def.Schema.Reference()
		}
		switch {
		case n == 0:
		case !choice[n]:
			b.Unread(def.Pos, "cyclic-alias", "give one of them a schema of its own", "definition %s only refers to itself", def.Name)
			ref.Target = nil
		case !isName:
			b.Errorf(def.Pos, "cyclic-union", "take it out of its own alternatives", "union %s is an alternative of itself", def.Name)
		}
	}
	b.longNames(defs)
	return len(choice) > 0
}

// named lists the definitions that a schema stands for, or that alternatives alone lead to.
func named(s *schema.Schema, out []*schema.Definition) []*schema.Definition {
	if ref, ok := s.Reference(); ok {
		if ref.Target != nil {
			out = append(out, ref.Target)
		}
		return out
	}
	for _, branch := range s.Choices() {
		out = named(branch, out)
	}
	return out
}

// longNames refuses more definitions in a row than resolve follows.
func (b *builder) longNames(defs []*schema.Definition) {
	length := map[*schema.Definition]int{}
	for _, def := range defs {
		var way []*schema.Definition
		at := def
		for at != nil && length[at] == 0 {
			way = append(way, at)
			length[at] = 1
			next := (*schema.Definition)(nil)
			if ref, ok := at.Schema.Reference(); ok {
				next = ref.Target
			}
			at = next
		}
		n := length[at] // 0 for nil
		for i := len(way) - 1; i >= 0; i-- {
			n++
			length[way[i]] = n
			if n == shape.MaxAliases+1 {
				b.Errorf(way[i].Pos, "long-alias", "let it refer to what the last of them stands for",
					"definition %s only names another, and so do %d more in a row", way[i].Name, shape.MaxAliases)
				if ref, ok := way[i].Schema.Reference(); ok {
					ref.Target = nil // said; nobody has to follow it any more
				}
			}
		}
	}
}

// checkCycles refuses lists of nothing but themselves and structs that would have to contain
// themselves.
func (b *builder) checkCycles() {
	b.endlessLists(slices.Collect(protocol.Each[*protocol.Alias](b.All)))
	structs := slices.Collect(protocol.Each[*protocol.Struct](b.All))
	circle := graph.Circles(structs, func(s *protocol.Struct) (out []*protocol.Struct) {
		for _, f := range s.Fields {
			if held := holds(f); held != nil {
				out = append(out, held)
			}
		}
		return out
	})
	for _, s := range structs {
		if circle[s] == 0 {
			continue
		}
		for _, f := range s.Fields {
			if held := holds(f); held != nil && circle[held] == circle[s] {
				b.Errorf(f.Pos, "endless-struct", "make the member optional, or put it into a list",
					"%s requires a value of its own type: no value can be finite", s.Name)
				break
			}
		}
	}
}

// holds returns the struct that every value of a member contains, nil if there is none.
func holds(f *protocol.Field) *protocol.Struct {
	if !f.Required || f.Nullable {
		return nil
	}
	return phase.StructOf(f.Type)
}

// endlessLists refuses lists and maps that hold nothing but themselves, and those that are nested
// deeper than any file could write them in place. To whatever looks at them afterwards they hold
// any value, so that it comes to an end.
func (b *builder) endlessLists(aliases []*protocol.Alias) {
	circle := graph.Circles(aliases, func(a *protocol.Alias) []*protocol.Alias {
		if next, _ := innerAlias(a); next != nil {
			return []*protocol.Alias{next}
		}
		return nil
	})
	refused := b.deepLists(aliases, circle)
	for _, a := range aliases {
		if circle[a] == 0 {
			continue
		}
		refused = append(refused, a)
		if _, levels := innerAlias(a); levels > 0 {
			b.Unread(a.Pos, "cyclic-alias", "put the list or map into an object", "%s only contains itself", a.Name)
		}
	}
	for _, a := range refused {
		switch a.Target.(type) {
		case protocol.List:
			a.Target = protocol.List{Elem: protocol.Any}
		case protocol.Map:
			a.Target = protocol.Map{Elem: protocol.Any}
		}
	}
}

// innerAlias is the alias that the lists and maps of another hold in the end, nil for none, with their number.
func innerAlias(a *protocol.Alias) (next *protocol.Alias, levels int) {
	e := a.Target
	for {
		switch at := e.(type) {
		case protocol.List:
			e = at.Elem
			levels++
		case protocol.Map:
			e = at.Elem
			levels++
		case protocol.Ref:
			next, _ = at.Type.(*protocol.Alias)
			return next, levels
		default:
			return nil, levels
		}
	}
}

// deepLists refuses lists and maps that are nested too deeply, and returns them. Those in a circle have no depth.
func (b *builder) deepLists(aliases []*protocol.Alias, circle map[*protocol.Alias]int) (refused []*protocol.Alias) {
	depth := map[*protocol.Alias]int{}
	for _, a := range aliases {
		var way []*protocol.Alias
		at := a
		for at != nil && circle[at] == 0 {
			if _, known := depth[at]; known {
				break
			}
			way = append(way, at)
			at, _ = innerAlias(at)
		}
		n := depth[at]
		for _, in := range slices.Backward(way) {
			_, levels := innerAlias(in)
			if n <= schema.MaxDepth && n+levels > schema.MaxDepth {
				refused = append(refused, in)
				b.Errorf(in.Pos, "too-deep", "put one of the lists or maps into an object",
					"%s is nested deeper than %d levels of lists and maps", in.Name, schema.MaxDepth)
			}
			n += levels
			depth[in] = n
		}
	}
	return refused
}
