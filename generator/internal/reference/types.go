// Types: one page for each object, union, enum and alias.

package reference

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// typePage is the data of a type's page.
type typePage struct {
	Name, Go   string
	Kind       string // "object", "union", "enum", "flags" or "alias"
	Deprecated bool
	Stability  string
	Instead    *page.Link
	Open       bool   // unknown values are kept
	By         string // the discriminator of a union
	Partial    *page.Link
	Doc        template.HTML
	Members    []member
	Target     template.HTML
	GoTarget   string
	Picture    template.HTML
	Lives      []life
	Samples    []sample
	Uses       []use
	Position   position
}

func (s *site) typePages() {
	for _, t := range s.p.Types {
		href := s.typeHref(t)
		if st, ok := t.(*protocol.Struct); href == "" || ok && s.byType[st] != nil {
			continue
		}
		content := s.from(href).typ(t)
		s.add(href, "type", t.Head().Name, content, wide)
		s.entries = append(s.entries, entry{kind: content.Kind, name: t.Head().Name, goName: content.Go, href: href, text: markup.Text(t.Head().Doc)})
		switch t := t.(type) {
		case *protocol.Struct:
			s.indexMembers(t, href, t.Name)
		case *protocol.Enum:
			for i, m := range t.Members {
				s.entries = append(s.entries, entry{
					kind: "value", name: m.Value.String(), goName: content.Members[i].Go, owner: t.Name, href: href + "#" + content.Members[i].Anchor, text: markup.Text(m.Doc),
				})
			}
		}
	}
}

func (p at) typ(t protocol.Type) *typePage {
	h := t.Head()
	out := &typePage{
		Name: h.Name, Go: p.goName(t), Deprecated: h.Deprecated, Stability: h.Stability.String(), Instead: p.instead(h.Instead), Doc: p.html(h.Doc), Uses: p.usesOf(t), Position: p.position(h.Pos),
		Lives: p.lives(func(l *protocol.Lifecycle) bool { return l.Type == t }, nil),
	}
	switch t := t.(type) {
	case *protocol.Struct:
		out.Kind, out.Members = "object", p.members(t, "")
		if t.Partial != nil {
			out.Partial = &page.Link{Text: t.Partial.Name, Href: p.to(p.typeHref(t.Partial))}
		}
	case *protocol.Union:
		p.union(t, out)
	case *protocol.Enum:
		p.enum(t, out)
	case *protocol.Alias:
		out.Kind, out.Target = "alias", p.expr(t.Target)
		out.GoTarget = golang.TypeText(p.pkg.AliasOf(t).Target)
	}
	if v := p.maker.Of(t); v != nil {
		out.Samples = p.samples(v)
	}
	if u, ok := t.(*protocol.Union); ok {
		out.Samples = append(out.Samples, p.typeSwitch(u))
	}
	return out
}

func (p at) union(t *protocol.Union, out *typePage) {
	out.Kind, out.Open, out.Picture = "union", t.Open, p.unionPicture(t)
	switch t.Kind {
	case protocol.Tagged:
		out.By = strings.Join(discriminators(t.Dispatch, nil), ", then ")
	case protocol.Shaped:
		out.By = cmp.Or(t.Dispatch.Inside(), "the members that it has")
	default:
		out.By = "the kind of JSON value"
	}
	for _, b := range p.branches(t) {
		m := member{Name: b.tag, Anchor: anchorOf("", b.tag), Type: b.html, Go: b.goName}
		if b.typ != nil {
			if m.Go == "*"+b.typ.Head().Name || m.Go == b.typ.Head().Name {
				m.Go = "" // already shown
			}
			m.Doc = template.HTML(template.HTMLEscapeString(markup.First(b.typ.Head().Doc))) //nolint:gosec // escaped
		}
		out.Members = append(out.Members, m)
	}
}

// discriminators returns the members that a decision looks at, in order.
func discriminators(d *protocol.Dispatch, out []string) []string {
	if d == nil {
		return out
	}
	if d.Member != "" {
		out = each.With(out, d.Member)
	}
	for _, c := range d.Cases {
		out = discriminators(c.Next, out)
	}
	return out
}

// branch is a variant of a union with its tag.
type branch struct {
	tag    string // discriminator value or JSON kind
	typ    protocol.Type
	html   template.HTML
	goName string
	inner  *protocol.Union // a nested union
}

// branches returns the variants of a union in schema order.
func (p at) branches(t *protocol.Union) []branch {
	tags := map[*protocol.Struct]string{}
	var walk func(*protocol.Dispatch, string)
	walk = func(d *protocol.Dispatch, before string) {
		if d == nil {
			return
		}
		for _, c := range d.Cases {
			values := each.Map(c.Values, protocol.Value.String)
			tag := before + strings.Join(values, " or ") + c.Marker
			if d.Member != "" && len(c.Values) == 0 {
				tag = before + "any other " + d.Member
			}
			if c.Struct != nil && tags[c.Struct] == "" {
				tags[c.Struct] = tag
			}
			walk(c.Next, tag+", "+deeper(c.Next))
		}
	}
	walk(t.Dispatch, "")
	var out []branch
	for _, v := range t.Variants {
		b := branch{tag: cmp.Or(v.Title, v.Name), html: p.expr(v.Type)}
		ref, _ := protocol.Underlying(v.Type).(protocol.Ref)
		switch of := ref.Type.(type) {
		case *protocol.Struct:
			b.typ, b.goName = of, "*"+p.goName(of)
			if tag := tags[of]; tag != "" {
				b.tag = tag
			}
		case *protocol.Union:
			b.typ, b.inner, b.goName = of, of, p.goName(of)
			if t.Kind != protocol.Token {
				b.tag = of.Name
			}
		}
		if b.tag == "" {
			b.tag = b.goName
		}
		out = append(out, b)
	}
	same := map[string]int{}
	for _, b := range out {
		same[b.tag]++
	}
	for i, b := range out {
		if b.typ != nil && same[b.tag] > 1 {
			out[i].tag = b.typ.Head().Name
		}
	}
	return out
}

// deeper prefixes the tag of a second decision with its member.
func deeper(d *protocol.Dispatch) string {
	if d == nil || d.Member == "" {
		return ""
	}
	return d.Member + " "
}

func (p at) enum(t *protocol.Enum, out *typePage) {
	out.Kind, out.Open = "enum", t.Open
	if t.Bitset {
		out.Kind = "flags"
	}
	g := p.pkg.EnumOf(t)
	for i, v := range t.Members {
		m := member{Name: v.Value.String(), Anchor: anchorOf("", v.Value.String()), Doc: p.html(v.Doc)}
		if a := p.actionOf(v.Value.Str); a != nil && v.Doc == "" {
			m.Href = p.to(p.actionHref(a))
		}
		if g != nil && i < len(g.Members) {
			m.Go = g.Members[i].Name
		}
		out.Members = append(out.Members, m)
	}
}

// actionOf returns the action of a type, or nil.
func (s *site) actionOf(name string) *action {
	return each.First(s.actions, func(a *action) bool { return a.Type == name })
}

// maxCases is the number of cases shown in an example switch.
const maxCases = 12

// typeSwitch returns a Go type switch over a union.
func (p at) typeSwitch(t *protocol.Union) sample {
	u := p.pkg.UnionOf(t)
	if u == nil {
		return sample{}
	}
	pkg := p.pkg.Name
	var b strings.Builder
	if u.Decode != "" {
		fmt.Fprintf(&b, "value, err := %s.%s(data)\nif err != nil {\n\treturn err\n}\n", pkg, u.Decode)
	}
	b.WriteString("switch v := value.(type) {\n")
	cases := 0
	for _, s := range u.Structs {
		if cases++; cases <= maxCases {
			fmt.Fprintf(&b, "case *%s.%s:\n", pkg, s.Name)
		}
	}
	for _, s := range u.Scalars {
		fmt.Fprintf(&b, "case %s.%s:\n", pkg, s.Name)
	}
	if cases > maxCases {
		fmt.Fprintf(&b, "// and %d more\n", cases-maxCases)
	}
	if u.Unknown != nil {
		fmt.Fprintf(&b, "case *%s.%s: // from a newer version\n", pkg, u.Unknown.Name)
	}
	b.WriteString("}")
	return sample{Title: "A switch in Go", Code: paintGo(b.String())}
}
