// Own: what a schema says itself, in its members and in parts of it without a name, and what it takes in from definitions.

package schema

// Own returns the member at a path that a schema declares itself, and not what it takes in from a definition, or nil.
func (s *Schema) Own(path ...string) *Property {
	var p *Property
	for _, name := range path {
		if p = s.ownMember(name); p == nil {
			return nil
		}
		s = p.Schema
	}
	return p
}

// ownMember returns the member of a name that a schema declares itself, in its members or in a part without a name.
func (s *Schema) ownMember(name string) *Property {
	if s == nil {
		return nil
	}
	p := s.Property(name)
	for _, part := range s.AllOf {
		if _, ok := part.Reference(); p == nil && !ok {
			p = part.ownMember(name)
		}
	}
	return p
}

// OwnDescription returns the description of a schema, which may stand in a part without a name.
func (s *Schema) OwnDescription() string {
	if s.Description != "" {
		return s.Description
	}
	for _, part := range s.AllOf {
		if _, ok := part.Reference(); !ok && part.Description != "" {
			return part.Description
		}
	}
	return ""
}

// Bases returns the definitions that a schema takes in.
func (s *Schema) Bases() (out []*Definition) {
	if s == nil {
		return nil
	}
	for _, part := range s.AllOf {
		if ref, ok := part.Reference(); ok && ref.Target != nil && ref.Target.Schema != nil {
			out = append(out, ref.Target)
		}
	}
	return out
}

// OnlyText returns the only text that a member can have, also if that is a definition of its own, or "". It takes nil for no member.
func (p *Property) OnlyText() string {
	if p == nil {
		return ""
	}
	s := p.Schema.Follow()
	switch {
	case s == nil:
		return ""
	case len(s.Enum) == 1:
		return s.Enum[0].Str()
	}
	return s.Const.Str()
}
