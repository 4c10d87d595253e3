// Members: the rows of a type's page.

package reference

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// member is a row in a table of members, values or variants.
type member struct {
	Anchor     string
	Name       string
	Href       string // address of a variant's page
	Go         string
	Type       template.HTML
	GoType     string
	Presence   string // "required" or "optional"
	Nullable   bool
	Deprecated bool
	Stability  string
	Time       string     // unit of time, or ""
	Instead    *page.Link // replacement of a deprecated member
	Doc        template.HTML
}

// memberAnchor returns the anchor of a member on its type's page.
func memberAnchor(href, name string) string {
	if strings.Contains(href, "#") { // the page shows several types
		return "." + page.Slug(name)
	}
	return "#" + anchorOf("", name)
}

// anchorOf returns the anchor of a member. Its prefix is distinct from all other anchors.
func anchorOf(prefix, name string) string { return prefix + "." + page.Slug(name) }

// instead returns the replacement of a deprecated entity, or nil if it is unknown or has no page.
func (p at) instead(i *protocol.Instead) *page.Link {
	if i == nil {
		return nil
	}
	href := p.typeHref(i.Type)
	if href == "" {
		return nil
	}
	if i.Field != nil {
		href += memberAnchor(href, i.Field.Name)
	}
	return &page.Link{Text: i.String(), Href: p.to(href)}
}

// members returns the rows of a struct. The prefix distinguishes structs on one page.
func (p at) members(t *protocol.Struct, prefix string) []member {
	g := p.pkg.StructOf(t)
	var out []member
	for _, f := range t.Fields {
		m := member{
			Anchor: anchorOf(prefix, f.Name), Name: f.Name, Type: p.expr(f.Type), Presence: "optional", Nullable: f.Nullable,
			Time: f.Reading.Time(), Deprecated: f.Deprecated, Stability: f.Stability.String(), Instead: p.instead(f.Instead), Doc: p.html(f.Doc),
		}
		if f.Required {
			m.Presence = "required"
		}
		switch {
		case f.Const != nil:
			m.Type = constantHTML(*f.Const)
		case len(f.Values) > 0:
			list := each.Map(f.Values, func(v protocol.Value) string { return string(constantHTML(v)) })
			m.Type = template.HTML(strings.Join(list, " or ")) //nolint:gosec // parts are escaped
		}
		if g != nil {
			if field := g.Field(f.Name); field != nil {
				m.Go, m.GoType = field.Name, golang.FieldText(field)
			}
		}
		out = append(out, m)
	}
	if t.Extra != nil {
		out = append(out, member{
			Name: "any other name", Type: p.expr(t.Extra), Presence: "optional", Go: "Extra", Doc: "<p>Members that the schema does not name.</p>",
		})
	}
	return out
}

// constantHTML returns a constant value as HTML.
func constantHTML(v protocol.Value) template.HTML {
	text := v.String()
	if v.Kind == protocol.String {
		text = strconv.Quote(text)
	}
	return template.HTML(`<code class="const">` + template.HTMLEscapeString(visible.Name(text)) + `</code>`) //nolint:gosec // escaped
}

// expr describes a type with links to the types in it.
func (p at) expr(e protocol.Expr) template.HTML {
	var b strings.Builder
	p.writeExpr(&b, e)
	return template.HTML(b.String()) //nolint:gosec // names are escaped when written
}

func (p at) writeExpr(b *strings.Builder, e protocol.Expr) {
	switch e := e.(type) {
	case protocol.Scalar:
		if e == protocol.Any {
			b.WriteString("any value")
			return
		}
		b.WriteString(e.String())
	case protocol.List:
		b.WriteString("list of ")
		p.writeExpr(b, e.Elem)
	case protocol.Map:
		if e.Elem == protocol.Any {
			b.WriteString("any object")
			return
		}
		b.WriteString("map of ")
		p.writeExpr(b, e.Elem)
	case protocol.Ref:
		p.writeRef(b, e.Type)
	default:
		b.WriteString("any value")
	}
}

func (p at) writeRef(b *strings.Builder, t protocol.Type) {
	name := template.HTMLEscapeString(visible.Name(t.Head().Name))
	href := p.typeHref(t)
	if href == "" {
		b.WriteString(name)
		return
	}
	b.WriteString(`<a class="ref" href="` + template.HTMLEscapeString(p.to(href)) + `">` + name + `</a>`)
}

// position returns a schema position as a link to the page of that file.
type position struct{ Text, Href string }

func (p at) position(pos diag.Pos) position {
	if pos.IsZero() {
		return position{}
	}
	text := pos
	text.Col = 0
	for _, f := range p.Sources {
		if f.Display == pos.File {
			return position{text.String(), p.to(sourceHref(f.Name) + "#L" + strconv.Itoa(pos.Line))}
		}
	}
	return position{Text: text.String()}
}
