// Present: what stands in one protocol at the subject of a change, so that one can tell whether it has the change already.

package change

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Present returns the shapes that the subject of a change may have, as Change.Shapes gives them, in a protocol.
func Present(p *protocol.Protocol, subject string) []string {
	var out []string
	note := func(shape string) { out = append(out, shape) }
	for _, t := range p.Types {
		name := publicName(t)
		if name == subject {
			presentIn(t, note)
		}
		s, ok := t.(*protocol.Struct)
		if member, inside := strings.CutPrefix(subject, name+"."); ok && inside {
			for _, f := range s.Whole() {
				if f.Name == member {
					note(fieldShape(f))
				}
			}
		}
	}
	row := func(kind, name string, r Row) {
		if subject == kind+" "+name {
			note(rowShape(r))
		}
	}
	for _, a := range p.AllActions() {
		row("action", a.Type, a)
	}
	for _, m := range p.Methods {
		row("method", m.Name, m)
	}
	for _, c := range p.Channels {
		row("channel", c.Name, c)
	}
	return slices.Compact(out)
}

// presentIn gives the shapes of a type, of its values and of its variants.
func presentIn(t protocol.Type, note func(shape string)) {
	note(typeShape(t))
	switch t := t.(type) {
	case *protocol.Enum:
		for _, m := range t.Members {
			note(valueText(m.Value))
		}
	case *protocol.Union:
		for _, v := range outcomes(t) {
			note(v.key)
			note(variantShape(v.typ))
		}
	}
}
