// Renamed: types with a new name after a bump whose uses are unchanged.

package generator

import (
	"regexp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// renamedTypes returns the new names of renamed structs: every member of a remaining struct that held the old one
// holds the new one, and both have the same members.
func renamedTypes(old, now *golang.Package) map[string]string {
	structs := map[string]*golang.Struct{}
	for _, s := range now.Structs {
		structs[s.Name] = s
	}
	out := map[string]string{}
	for _, holder := range old.Structs {
		if structs[holder.Name] == nil {
			continue
		}
		for _, f := range holder.Fields {
			was := structIn(f.Type)
			if was == nil || structs[was.Name] != nil {
				continue
			}
			for _, g := range structs[holder.Name].Fields {
				if g.Wire != f.Wire {
					continue
				}
				name := ""
				if is := structIn(g.Type); is != nil && slices.Equal(wireNames(was), wireNames(is)) {
					name = is.Name
				}
				if first, ok := out[was.Name]; ok && first != name {
					name = ""
				}
				out[was.Name] = name
			}
		}
	}
	return out
}

// structIn returns the struct in a type, or nil.
func structIn(t golang.Type) *golang.Struct {
	s, _ := golang.Innermost(t).(golang.StructType)
	return s.Struct
}

func wireNames(s *golang.Struct) []string {
	out := each.Map(s.Fields, func(f *golang.Field) string { return f.Wire })
	slices.Sort(out)
	return out
}

// undefined matches the compiler's message for an unknown name.
var undefined = regexp.MustCompile(`^undefined: (?:\w+\.)?(\w+)$`)

// withNewName adds a type's new name to a compiler message.
func withNewName(message string, renamed map[string]string) string {
	if m := undefined.FindStringSubmatch(message); m != nil && renamed[m[1]] != "" {
		return message + "; it is called " + renamed[m[1]] + " now"
	}
	return message
}
