// Chosen names by subject: once emitted, a name stays.

package golang

// Names holds Go names by definition, or by path for inline types.
type Names map[string]TypeNames

// TypeNames holds the name of a type and those of its fields or constants by wire name or value.
type TypeNames struct {
	Go      string            `go:"identifier"`
	Members map[string]string `go:"identifier"`
}

func (n Names) typeName(definition string) string { return n[definition].Go }

func (n Names) member(definition, wire string) string { return n[definition].Members[wire] }

// recordType records the name of a type.
func (b *builder) recordType(definition, name string) {
	t := b.out.Names[definition]
	t.Go = name
	b.out.Names[definition] = t
}

// recordMember records the name of a field or constant.
func (b *builder) recordMember(definition, member, name string) {
	t := b.out.Names[definition]
	if t.Members == nil {
		t.Members = map[string]string{}
	}
	t.Members[member] = name
	b.out.Names[definition] = t
}

// all returns the subjects with names: definitions and members.
func (n Names) all() map[string]bool {
	out := map[string]bool{}
	for definition, t := range n {
		out[definition] = true
		for member := range t.Members {
			out[definition+"."+member] = true
		}
	}
	return out
}
