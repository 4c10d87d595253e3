// Names of types: no two have the same.

package phase

import (
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Names are the names of types, with how many asked for each.
type Names map[string]int

// NamesOf returns the names of some types.
func NamesOf(types []protocol.Type) Names {
	out := Names{}
	for _, t := range types {
		out[t.Head().Name] = 1
	}
	return out
}

// Distinct returns the name of a type that none has yet: what is known by its path could not be told
// apart otherwise. Paths of inline types can be equal, as those of a member called "value" and of the
// members that an object does not declare, or of alternatives that share a title. The first keeps the
// path as it is, and definitions come before all of them.
func (n Names) Distinct(path string) string {
	name := path
	for n[name] > 0 {
		n[path]++
		name = path + "#" + strconv.Itoa(n[path])
	}
	n[name] = 1
	return name
}

// Stated is Distinct for a name that schemas or profile state for a type of the package: it is meant as it is. Other is the
// type that has the name already, nil for none.
func (w *Work) Stated(names Names, other protocol.Type, name, what string, pos diag.Pos) string {
	if other != nil {
		w.Errorf(pos, "name-collision", "state another name for it, or rename the definition",
			"%s is to be called %s, and so is what stands at %s", what, name, other.Head().Pos)
	}
	return names.Distinct(name)
}
