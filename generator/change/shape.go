// Shapes: the structure of a type, member or row without its own name and documentation. Equal shapes suggest a
// rename; an accepted change applies only while its shapes are unchanged.

package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Shapes returns the shapes on the old and new side of a change. Other named types are included by name only.
func (c Change) Shapes() (old, new string) {
	p := c.Place
	switch {
	case c.Rule.IsLimit():
		return c.From, c.To
	case p.OldField != nil || p.NewField != nil:
		return fieldShape(p.OldField), fieldShape(p.NewField)
	case c.Rule == VariantAdded || c.Rule == VariantRemoved:
		return variantShape(p.OldVariant), variantShape(p.NewVariant)
	case c.Rule == TypeAdded || c.Rule == TypeRemoved:
		return typeShape(p.OldType), typeShape(p.NewType)
	case p.OldRow != nil || p.NewRow != nil:
		return c.From + rowShape(p.OldRow), c.To + rowShape(p.NewRow)
	}
	return c.From, c.To
}

func fieldShape(f *protocol.Field) string {
	if f == nil {
		return ""
	}
	if values := valuesOf(f); values != nil {
		return fmt.Sprintf("%s null=%v %s", presence(f), f.Nullable, strings.Join(values, "|"))
	}
	return fmt.Sprintf("%s null=%v %s", presence(f), f.Nullable, exprShape(f.Type, map[protocol.Type]bool{}))
}

func variantShape(e protocol.Expr) string {
	if e == nil {
		return ""
	}
	return exprShape(e, map[protocol.Type]bool{})
}

// exprShape formats an expression. Inline types are expanded once.
func exprShape(e protocol.Expr, seen map[protocol.Type]bool) string {
	switch e := protocol.Underlying(e).(type) {
	case protocol.List:
		return "[" + exprShape(e.Elem, seen) + "]"
	case protocol.Map:
		return "{" + exprShape(e.Elem, seen) + "}"
	case protocol.Ref:
		if e.Type.Head().Inline && !seen[e.Type] {
			seen[e.Type] = true
			return innerShape(e.Type, seen)
		}
		return publicName(e.Type)
	case protocol.Scalar:
		return e.String()
	}
	return "nothing"
}

func typeShape(t protocol.Type) string {
	if t == nil {
		return ""
	}
	return innerShape(t, map[protocol.Type]bool{t: true})
}

// innerShape formats the contents of a declared type, independent of schema order.
func innerShape(t protocol.Type, seen map[protocol.Type]bool) string {
	var parts []string
	switch t := t.(type) {
	case *protocol.Struct:
		for _, f := range t.Whole() {
			what := exprShape(f.Type, seen)
			if values := valuesOf(f); values != nil {
				what = strings.Join(values, "|")
			}
			parts = append(parts, fmt.Sprintf("%s:%s null=%v %s", f.Name, presence(f), f.Nullable, what))
		}
		if t.Extra != nil {
			parts = append(parts, "*:"+exprShape(t.Extra, seen))
		}
	case *protocol.Enum:
		parts = each.Map(t.Members, func(m *protocol.EnumMember) string { return valueText(m.Value) })
		parts = append(parts, fmt.Sprintf("open=%v %s", t.Open, enumKind(t)))
	case *protocol.Union:
		parts = each.Map(outcomes(t), func(o outcome) string { return o.key + ":" + exprShape(o.typ, seen) })
		parts = append(parts, fmt.Sprintf("open=%v %s", t.Open, unionKind(t)))
	case *protocol.Alias:
		return exprShape(t.Target, seen)
	}
	slices.Sort(parts)
	return kind(t) + "(" + strings.Join(parts, ",") + ")"
}

func rowShape(row Row) string {
	switch r := row.(type) {
	case *protocol.Method:
		return fmt.Sprintf("%s from=%s params=%s result=%s since=%s", r.Kind(), r.From, nameOf(r.Params), nameOf(r.Result), r.Since)
	case *protocol.Action:
		return fmt.Sprintf("%s channel=%s client=%v since=%s", publicName(r.Struct), channelName(r), r.Client, r.Since)
	case *protocol.Channel:
		return fmt.Sprintf("uri=%s prefix=%s state=%s", r.URI, r.Prefix, nameOf(structType(r.State)))
	case *protocol.ErrorCode:
		return fmt.Sprintf("%d %s data=%s", r.Code, r.Name, nameOf(r.Data))
	}
	return ""
}

func nameOf(t protocol.Type) string {
	if t == nil {
		return "nothing"
	}
	return publicName(t)
}
