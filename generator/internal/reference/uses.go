// Uses: where each type is used.

package reference

import "github.com/ahpgen/ahpgen/generator/protocol"

// use is one place where a type is used.
type use struct {
	Text, Href string // relative to the site
	How        string
}

// collectUses records where each type is used.
func (s *site) collectUses() {
	for t, list := range s.p.Uses() {
		for _, u := range list {
			s.uses[t] = append(s.uses[t], use{u.By(), s.useHref(u), u.As})
		}
	}
}

// useHref returns the address of the page that uses a type, or "".
func (s *site) useHref(u protocol.Use) string {
	switch {
	case u.Field != nil:
		href := s.typeHref(u.Type)
		return href + memberAnchor(href, u.Field.Name)
	case u.Type != nil:
		return s.typeHref(u.Type)
	case u.Method != nil:
		return s.methodHref(u.Method)
	case u.Channel != nil:
		return s.channelHref(u.Channel)
	}
	return s.errorHref(u.Error)
}

// usesOf returns the uses of a type, with addresses relative to a page.
func (p at) usesOf(t protocol.Type) []use {
	var out []use
	for _, u := range p.uses[t] {
		if u.Href != "" {
			out = append(out, use{u.Text, p.to(u.Href), u.How})
		}
	}
	return out
}
