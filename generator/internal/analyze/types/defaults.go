// Defaults: default values, and interpretations of values.

package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/holding"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// setReading sets the reading of a member once all types are known.
func (b *builder) setReading(f *protocol.Field, st *protocol.Struct, s *schema.Schema) {
	b.late = append(b.late, func() {
		b.WantNumber(s, f.Type, f.Name+" of "+st.Name)
		switch {
		case protocol.Underlying(f.Type) == protocol.String:
			said := b.saying(f.Type, s)
			f.Reading = textReading(said)
			f.URI = slices.ContainsFunc(said, func(s *schema.Schema) bool { return s.Format == "uri" })
		case phase.IsNumber(f.Type):
			f.Reading = timeReading(b.saying(f.Type, s))
		}
	})
}

// saying returns the schemas that describe a member's value: its own and those of the definitions it refers to.
func (b *builder) saying(e protocol.Expr, s *schema.Schema) []*schema.Schema {
	out := []*schema.Schema{s}
	for {
		ref, _ := e.(protocol.Ref)
		alias, ok := ref.Type.(*protocol.Alias)
		if !ok {
			return out
		}
		if def := b.Set.Lookup(alias.Name); def != nil {
			out = append(out, def.Schema)
		}
		e = alias.Target
	}
}

// textReading returns the reading stated for a text.
func textReading(said []*schema.Schema) protocol.Reading {
	for _, s := range said {
		switch {
		case s.Encoding == "base64", s.Format == "byte":
			return protocol.Base64
		case s.Format == "date-time":
			return protocol.DateTime
		}
	}
	return protocol.Plain
}

// setDefault sets a member's default. It is checked once all types are known.
func (b *builder) setDefault(f *protocol.Field, st *protocol.Struct, s *schema.Schema) {
	n := s.Default
	if n == nil || f.Nullable || n.Kind == schema.Null {
		b.setAbsent(f, s)
		return
	}
	f.Default = n.Compact()
	f.Absent = f.Default
	b.late = append(b.late, func() {
		if !holding.Value(f.Type, n) {
			f.Default, f.Absent = "", ""
			if f.Required {
				return // nothing depends on it but what older versions leave out
			}
			b.Warnf(n.Pos, "bad-default", "correct the default, or what the member may be", "the default of %s in %s is no value that it can have; it is passed over", f.Name, st.Name)
		}
	})
}

// setAbsent sets what a member without a default in Go stands for where it is left out: what it is said to be beside null, or by the
// definition that it refers to. That it is null says nothing.
func (b *builder) setAbsent(f *protocol.Field, s *schema.Schema) {
	n := defaultOf(s, shape.MaxAliases)
	if n == nil || n.Kind == schema.Null {
		return
	}
	f.Absent = n.Compact()
	b.late = append(b.late, func() {
		if !holding.Value(f.Type, n) {
			f.Absent = ""
		}
	})
}

// defaultOf returns the default that a schema states, or else the one that it refers to states, also beside null.
func defaultOf(s *schema.Schema, depth int) *schema.Node {
	if s == nil || depth == 0 {
		return nil
	}
	if s.Default != nil {
		return s.Default
	}
	if rest := shape.WithoutNull(s.Choices()); len(rest) == 1 && !shape.IsObject(s) {
		return defaultOf(rest[0], depth-1)
	}
	ref, ok := s.Reference()
	if !ok || ref.Target == nil {
		return nil
	}
	return defaultOf(ref.Target.Schema, depth-1)
}
