// Chosen names by subject: once emitted, a name stays.

package golang

import (
	"maps"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

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

// kept returns the names with those that a lock has for types by their former paths.
func (n Names) kept(p *protocol.Protocol) Names {
	out := n
	current := each.SetFunc(p.Types, func(t protocol.Type) string { return t.Head().Name })
	for _, t := range p.Types {
		h := t.Head()
		its, ok := n[h.Former]
		if _, has := n[h.Name]; h.Former == "" || current[h.Former] || !ok || has {
			continue
		}
		if len(out) == len(n) {
			out = maps.Clone(n)
		}
		out[h.Name] = its
	}
	return out
}

// Current returns what a subject is called that is stated by the former path of an inline type, or "".
func Current(p *protocol.Protocol, subject string) string {
	for _, t := range p.Types {
		h := t.Head()
		if h.Former == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(subject, h.Former); ok && (rest == "" || rest[0] == '.' && !strings.Contains(rest[1:], ".")) {
			return h.Name + rest
		}
	}
	return ""
}
