// Lists: overviews of all entries of a kind, and the schema files.

package reference

import (
	"html/template"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// listPage is the data of a grouped list.
type listPage struct {
	Title  string
	Intro  string
	Groups []group
	Jump   bool // the page starts with links to the groups
}

type group struct {
	Title, Anchor, Href string
	Rows                []row
}

// lists adds the overview pages.
func (s *site) lists() {
	for _, l := range []struct {
		name  string
		build func(at) *listPage
	}{
		{"actions/index.html", at.actionList}, {"methods/index.html", at.methodList},
		{"types/index.html", at.typeList}, {"errors/index.html", at.errorList},
	} {
		content := l.build(s.from(l.name))
		if len(content.Groups) == 0 {
			continue
		}
		s.add(l.name, "list", content.Title, content, func(f *page.Frame) {
			if !content.Jump {
				for _, g := range content.Groups {
					f.Contents = append(f.Contents, page.Link{Text: g.Title, Href: "#" + g.Anchor})
				}
			}
		})
	}
}

// grouped groups rows in order of first appearance.
func grouped(of func(i int) (title, href string), rows []row) []group {
	var out []group
	index := map[string]int{}
	for i, r := range rows {
		title, href := of(i)
		g, ok := index[title]
		if !ok {
			g = len(out)
			index[title] = g
			out = append(out, group{Title: title, Anchor: page.Slug(title), Href: href})
		}
		out[g].Rows = append(out[g].Rows, r)
	}
	return out
}

func (p at) actionList() *listPage {
	of := func(i int) (string, string) {
		if c := p.actions[i].channel(); c != nil {
			return c.Name, p.to(p.channelHref(c))
		}
		return "no channel", ""
	}
	return &listPage{Title: "Actions", Intro: "Actions change the state of a channel. " + p.p.Sides.In("The host sends them to all who have subscribed; some of them a client may dispatch."), Groups: grouped(of, p.actionRows(p.actions))}
}

func (p at) methodList() *listPage {
	var rows []row
	var sides []string
	order := []protocol.Side{protocol.FromClient, protocol.FromBoth, protocol.FromHost}
	titles := map[protocol.Side]string{protocol.FromClient: p.p.Sides.In("Sent by clients"), protocol.FromBoth: "Sent by either side", protocol.FromHost: p.p.Sides.In("Sent by hosts")}
	for _, side := range order {
		for _, m := range p.p.Methods {
			if m.From == side {
				rows, sides = append(rows, p.methodRow(m)), append(sides, titles[side])
			}
		}
	}
	return &listPage{Title: "Methods", Intro: "Requests are answered, notifications are not.", Groups: grouped(func(i int) (string, string) { return sides[i], "" }, rows)}
}

func (p at) typeList() *listPage {
	var rows []row
	for _, t := range p.p.Types {
		href := p.typeHref(t)
		if href == "" {
			continue
		}
		h := t.Head()
		r := row{Name: h.Name, Href: p.to(href), Go: p.goName(t), Text: markup.First(h.Doc), Deprecated: h.Deprecated}
		switch t := t.(type) {
		case *protocol.Struct:
			r.Kind = "object"
			if p.byType[t] != nil {
				r.Kind = "action"
			}
		case *protocol.Union:
			r.Kind = "union"
		case *protocol.Enum:
			r.Kind = "enum"
		case *protocol.Alias:
			r.Kind = "alias"
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return &listPage{
		Title: "Types", Intro: "Everything that messages are made of.", Jump: true,
		Groups: grouped(func(i int) (string, string) { return initial(rows[i].Name), "" }, rows),
	}
}

func (p at) errorList() *listPage {
	var rows []row
	for _, e := range p.p.Errors {
		rows = append(rows, row{Name: e.Name, Href: p.to(p.errorHref(e)), Go: p.errorConst(e), Kind: strconv.FormatInt(e.Code, 10), Text: markup.First(e.Doc)})
	}
	return &listPage{Title: "Errors", Intro: "What a request may be refused with.", Groups: grouped(func(int) (string, string) { return "Codes", "" }, rows)}
}

// sourcePage is the data of a schema file's page.
type sourcePage struct {
	Name  string
	Lines []template.HTML
}

func sourceHref(name string) string {
	return path.Join("source", page.Slug(strings.TrimSuffix(name, ".json"))+".html")
}

// sources adds a page for each schema file, the target of positions.
func (s *site) sources() {
	for _, f := range s.Sources {
		content := &sourcePage{Name: f.Name}
		for line := range strings.Lines(string(f.Data)) {
			content.Lines = append(content.Lines, paintLine(strings.TrimRight(line, "\r\n")))
		}
		s.add(sourceHref(f.Name), "source", f.Name, content, nil)
	}
}

// paintLine highlights one line of a schema: strings, and whether they are keys.
func paintLine(line string) template.HTML {
	line = visible.Lines(visible.Cut(line, 4_000))
	var p paint
	for line != "" {
		open := strings.IndexByte(line, '"')
		if open < 0 {
			break
		}
		end := open + 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(line))
		p.text("", line[:open])
		class := "s"
		if strings.HasPrefix(strings.TrimLeft(line[end:], " "), ":") {
			class = "n"
		}
		p.text(class, line[open:end])
		line = line[end:]
	}
	p.text("", line)
	return p.html()
}
