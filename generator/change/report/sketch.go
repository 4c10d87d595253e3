// Sketches: short excerpts of declarations before and after a change.

package report

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxSketch is the number of members shown.
const maxSketch = 14

// sketches returns the excerpts before and after a change.
func sketches(sides protocol.Sides, c change.Change) (before, after string) {
	p := c.Place
	switch {
	case p.OldField != nil || p.NewField != nil:
		return inType(p.OldType, sketchField(p.OldField)), inType(p.NewType, sketchField(p.NewField))
	case p.OldVariant != nil || p.NewVariant != nil:
		return inUnion(p.OldType, p.OldVariant), inUnion(p.NewType, p.NewVariant)
	case p.OldRow != nil || p.NewRow != nil:
		before, after = sketchRow(sides, p.OldRow), sketchRow(sides, p.NewRow)
	case c.Rule == change.TypeAdded || c.Rule == change.TypeRemoved:
		return sketchType(p.OldType), sketchType(p.NewType)
	}
	if before == after || before == "" && after == "" || c.From != "" && c.To != "" && p.OldRow == nil && p.NewRow == nil {
		return c.From, c.To
	}
	if before != "" && after != "" && c.From+c.To != "" && !strings.Contains(before, c.From) {
		before, after = before+"\n"+c.From, after+"\n"+c.To
	}
	if p := c.Proof; p != nil {
		from := fmt.Sprintf("\non the state %s\n%s\nleads to ", p.State, p.Action)
		before, after = before+visible.Lines(from+p.OldPart), after+visible.Lines(from+p.NewPart)
	}
	return before, after
}

func inType(t protocol.Type, line string) string {
	if line == "" {
		return ""
	}
	if t == nil {
		return line
	}
	return name(t) + " {\n  " + line + "\n}"
}

func inUnion(t protocol.Type, v protocol.Expr) string {
	if v == nil {
		return ""
	}
	if t == nil {
		return sketchExpr(v)
	}
	return name(t) + " =\n  … | " + sketchExpr(v)
}

func name(t protocol.Type) string { return visible.Name(t.Head().Name) }

// sketchField formats a member; a question mark denotes an optional one.
func sketchField(f *protocol.Field) string {
	if f == nil {
		return ""
	}
	mark := ""
	if !f.Required {
		mark = "?"
	}
	typ := sketchExpr(f.Type)
	if f.Const != nil {
		typ = sketchValue(*f.Const)
	}
	if len(f.Values) > 0 {
		typ = strings.Join(each.Map(f.Values, sketchValue), " | ")
	}
	if f.Nullable {
		typ += " | null"
	}
	return visible.Name(f.Name) + mark + ": " + typ
}

func sketchValue(v protocol.Value) string {
	if v.Kind == protocol.String {
		return fmt.Sprintf("%q", visible.Name(v.Str))
	}
	return v.String()
}

func sketchExpr(e protocol.Expr) string {
	switch e := e.(type) {
	case protocol.Scalar:
		return e.String()
	case protocol.List:
		return sketchExpr(e.Elem) + "[]"
	case protocol.Map:
		return "{[key]: " + sketchExpr(e.Elem) + "}"
	case protocol.Ref:
		return name(e.Type)
	}
	return "any"
}

// sketchType formats a type with its contents.
func sketchType(t protocol.Type) string {
	var lines []string
	switch t := t.(type) {
	case *protocol.Struct:
		return name(t) + " {\n  " + strings.Join(short(each.Map(t.Fields, sketchField)), "\n  ") + "\n}"
	case *protocol.Union:
		lines = each.Map(t.Variants, func(v *protocol.Variant) string { return "| " + sketchExpr(v.Type) })
	case *protocol.Enum:
		lines = each.Map(t.Members, func(m *protocol.EnumMember) string { return "| " + sketchValue(m.Value) })
	case *protocol.Alias:
		return name(t) + " = " + sketchExpr(t.Target)
	default:
		return ""
	}
	return name(t) + " =\n  " + strings.Join(short(lines), "\n  ")
}

// short truncates a long list.
func short(lines []string) []string {
	if len(lines) <= maxSketch {
		return lines
	}
	return append(lines[:maxSketch-1:maxSketch-1], fmt.Sprintf("… and %d more", len(lines)-maxSketch+1))
}

// sketchRow formats a table row.
func sketchRow(sides protocol.Sides, row change.Row) string {
	switch r := row.(type) {
	case *protocol.Action:
		who := "the host alone"
		if r.Client {
			who = "a client may dispatch it"
		}
		text := "action " + visible.Name(r.Type) + "\n" + sides.In(who)
		if r.Struct != nil {
			text += "\n" + sketchType(r.Struct)
		}
		return text
	case *protocol.Method:
		from := "either side"
		if r.From != protocol.FromBoth {
			from = "the " + sides.Name(r.From)
		}
		text := fmt.Sprintf("%s %s\nfrom %s", r.Kind(), visible.Name(r.Name), from)
		if r.Params != nil {
			text += "\nparams: " + name(r.Params)
		}
		if r.Result != nil {
			text += "\nresult: " + name(r.Result)
		}
		return text
	case *protocol.Channel:
		return strings.TrimSpace(fmt.Sprintf("channel %s\n%s", visible.Name(r.Name), visible.Name(r.URI)))
	case *protocol.ErrorCode:
		text := fmt.Sprintf("error %s\ncode %d", visible.Name(r.Name), r.Code)
		if r.Data != nil {
			text += "\ndata: " + name(r.Data)
		}
		return text
	}
	return ""
}
