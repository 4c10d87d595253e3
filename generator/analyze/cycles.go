// Cycles: definitions that lead back to themselves and could never end.

package analyze

import (
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// checkCycles refuses names that only refer to each other and structs that would have to contain
// themselves.
func (b *builder) checkCycles() {
	for _, def := range b.set.Definitions() {
		if def.Schema == nil {
			continue
		}
		if _, ok := isReference(def.Schema); ok && inCircle(def) {
			b.diags.Errorf(def.Pos, "cyclic-alias", "give one of them a schema of its own", "definition %s only refers to itself", def.Name)
		}
	}
	for _, t := range b.out.Types {
		a, ok := t.(*protocol.Alias)
		if ok && isContainer(a.Target) && containsAlias(a.Target, a, 0) {
			b.diags.Errorf(a.Pos, "cyclic-alias", "put the list or map into an object", "%s only contains itself", a.Name)
		}
	}
	for _, t := range b.out.Types {
		s, ok := t.(*protocol.Struct)
		if !ok {
			continue
		}
		if f := b.endless(s, s, map[*protocol.Struct]bool{}); f != nil {
			b.diags.Errorf(f.Pos, "endless-struct", "make the member optional, or put it into a list",
				"%s requires a value of its own type: no value can be finite", s.Name)
		}
	}
}

// endlessChoices refuses unions that are alternatives of themselves.
func (b *builder) endlessChoices() bool {
	found := false
	for _, def := range b.set.Definitions() {
		if def.Schema != nil && reaches(def.Schema, def, map[*schema.Definition]bool{}) {
			b.diags.Errorf(def.Pos, "cyclic-union", "take it out of its own alternatives", "union %s is an alternative of itself", def.Name)
			found = true
		}
	}
	return found
}

// reaches reports whether choices alone lead from a schema to the definition.
func reaches(s *schema.Schema, goal *schema.Definition, seen map[*schema.Definition]bool) bool {
	for _, branch := range choices(s) {
		ref, ok := isReference(branch)
		if !ok {
			if reaches(branch, goal, seen) {
				return true
			}
			continue
		}
		if ref.Target == nil || ref.Target.Schema == nil {
			continue
		}
		if ref.Target == goal {
			return true
		}
		if seen[ref.Target] {
			continue
		}
		seen[ref.Target] = true
		if reaches(ref.Target.Schema, goal, seen) {
			return true
		}
	}
	return false
}

// isContainer reports whether an expression is a list or a map.
func isContainer(e protocol.Expr) bool {
	switch e.(type) {
	case protocol.List, protocol.Map:
		return true
	}
	return false
}

// containsAlias reports whether lists and maps alone lead from an expression to the alias.
func containsAlias(e protocol.Expr, goal *protocol.Alias, depth int) bool {
	if depth > schema.MaxDepth {
		return false
	}
	switch e := e.(type) {
	case protocol.List:
		return containsAlias(e.Elem, goal, depth+1)
	case protocol.Map:
		return containsAlias(e.Elem, goal, depth+1)
	case protocol.Ref:
		if a, ok := e.Type.(*protocol.Alias); ok {
			return a == goal || containsAlias(a.Target, goal, depth+1)
		}
	}
	return false
}

func inCircle(def *schema.Definition) bool {
	at := def
	for seen := map[*schema.Definition]bool{}; !seen[at]; {
		seen[at] = true
		ref, ok := isReference(at.Schema)
		if !ok || ref.Target == nil || ref.Target.Schema == nil {
			return false
		}
		at = ref.Target
		if at == def {
			return true
		}
	}
	return false
}

// endless returns the required field through which from leads back to goal.
func (b *builder) endless(goal, from *protocol.Struct, seen map[*protocol.Struct]bool) *protocol.Field {
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, f := range from.Fields {
		if !f.Required || f.Nullable {
			continue
		}
		e := protocol.Underlying(f.Type)
		ref, ok := e.(protocol.Ref)
		if !ok {
			continue
		}
		next, ok := ref.Type.(*protocol.Struct)
		if !ok {
			continue
		}
		if next == goal || b.endless(goal, next, seen) != nil {
			return f
		}
	}
	return nil
}
