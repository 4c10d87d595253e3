// Uses: where each type is used.

package reference

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// use is one place that needs a type.
type use struct {
	Text, Href string // relative to the site
	How        string
}

// collectUses goes through everything that may name a type.
func (s *site) collectUses() {
	for _, t := range s.p.Types {
		owner := t.Head().Name
		href := s.typeHref(t)
		switch t := t.(type) {
		case *protocol.Struct:
			for _, f := range t.Fields {
				s.used(f.Type, use{owner + "." + f.Name, href + memberAnchor(href, f.Name), "member"})
			}
			s.used(t.Extra, use{owner, href, "other members"})
		case *protocol.Union:
			for _, v := range t.Variants {
				s.used(v.Type, use{owner, href, "variant"})
			}
			if t.Scope != protocol.Declared {
				for _, l := range t.Leaves() {
					s.used(protocol.Ref{Type: l}, use{owner, href, "variant"})
				}
			}
		case *protocol.Alias:
			s.used(t.Target, use{owner, href, "another name"})
		}
	}
	for _, m := range s.p.Methods {
		s.usedBy(m.Params, use{m.Name, s.methodHref(m), "parameters"})
		s.usedBy(m.Result, use{m.Name, s.methodHref(m), "result"})
	}
	for _, c := range s.p.Channels {
		if c.State != nil {
			s.usedBy(c.State, use{c.Name, s.channelHref(c), "state of the channel"})
		}
	}
	for _, e := range s.p.Errors {
		s.usedBy(e.Data, use{e.Name, s.errorHref(e), "data of the error"})
	}
}

func (s *site) usedBy(t protocol.Type, u use) {
	if t != nil {
		s.used(protocol.Ref{Type: t}, u)
	}
}

func (s *site) used(e protocol.Expr, u use) {
	if t := protocol.Held(e); t != nil && t.Head().Name != u.Text && !slices.Contains(s.uses[t], u) {
		s.uses[t] = append(s.uses[t], u)
	}
}

// usesOf lists the uses of a type as seen from a page.
func (p at) usesOf(t protocol.Type) []use {
	var out []use
	for _, u := range p.uses[t] {
		if u.Href != "" {
			out = append(out, use{u.Text, p.to(u.Href), u.How})
		}
	}
	return out
}
