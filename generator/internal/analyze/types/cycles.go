// Cycles: definitions without finite values.

package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// endlessNames rejects definitions that only name each other, and unions that contain themselves as alternatives. It
// reports whether there are such unions. Cyclic names are cut.
func (b *builder) endlessNames() bool {
	defs := b.Set.Definitions()
	circle := graph.Circles(defs, func(def *schema.Definition) []*schema.Definition { return named(def.Schema, nil) })
	choice := map[int]bool{} // cycles through alternatives
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

// named returns the definitions a schema refers to directly or as alternatives.
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

// longNames rejects chains of definitions longer than resolve follows.
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
					ref.Target = nil // reported, and cut
				}
			}
		}
	}
}

// checkCycles rejects lists of only themselves and structs that contain themselves.
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

// holds returns the struct that every value of a member contains, or nil.
func holds(f *protocol.Field) *protocol.Struct {
	if !f.Required || f.Nullable {
		return nil
	}
	return phase.StructOf(f.Type)
}

// endlessLists rejects lists and maps of only themselves, and those nested too deeply. Afterwards they hold any
// value, so that traversals end.
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

// innerAlias returns the alias within nested lists and maps, or nil, with their depth.
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

// deepLists rejects and returns lists and maps nested too deeply. Cyclic ones have no depth.
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
