// Renamed: types that a bump calls something else, though the members that hold them are where they were.

package generator

import (
	"regexp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// renamedTypes tells, by their former names, which structs that are gone are there under another name: every member
// that held one, in a struct that is still there, holds the other now, and both have the same members.
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

// structIn is the struct that a type holds, nil if it holds none.
func structIn(t golang.Type) *golang.Struct {
	s, _ := golang.Innermost(t).(golang.StructType)
	return s.Struct
}

func wireNames(s *golang.Struct) []string {
	var out []string
	for _, f := range s.Fields {
		out = append(out, f.Wire)
	}
	slices.Sort(out)
	return out
}

// undefined is what the compiler says of a name that is gone.
var undefined = regexp.MustCompile(`^undefined: (?:\w+\.)?(\w+)$`)

// withNewName adds to what the compiler says what a type is called now.
func withNewName(message string, renamed map[string]string) string {
	if m := undefined.FindStringSubmatch(message); m != nil && renamed[m[1]] != "" {
		return message + "; it is called " + renamed[m[1]] + " now"
	}
	return message
}
