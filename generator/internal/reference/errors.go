// Errors: one page for each error code.

package reference

import (
	"html/template"

	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// errorPage is the data of an error's page.
type errorPage struct {
	Name     string
	Code     int64
	Go       string
	Doc      template.HTML
	Data     *shape
	DataLink *page.Link
	Samples  []sample
	Position position
	Methods  []row // that may be answered with it
}

func (s *site) errorPages() {
	for _, e := range s.p.Errors {
		name := s.errorHref(e)
		content := s.from(name).error(e)
		s.add(name, "error", e.Name, content, wide)
		s.entries = append(s.entries, entry{kind: "error", name: e.Name, goName: content.Go, href: name, text: protocol.Value{Kind: protocol.Integer, Int: e.Code}.String() + " " + markup.Text(e.Doc)})
	}
}

// errorConst returns the Go name of an error code.
func (s *site) errorConst(e *protocol.ErrorCode) string {
	for _, g := range s.pkg.Errors {
		if g.Name == e.Name && g.Code == e.Code {
			return g.Const
		}
	}
	return ""
}

func (p at) error(e *protocol.ErrorCode) *errorPage {
	out := &errorPage{Name: e.Name, Code: e.Code, Go: p.errorConst(e), Doc: p.html(e.Doc), Position: p.position(e.Pos)}
	values := map[string]*example.Value{
		"code":    {Text: protocol.Value{Kind: protocol.Integer, Int: e.Code}.String()},
		"message": example.Text("A few words."),
	}
	for _, named := range p.envelope().Codes {
		if named.Code == e.Code {
			values["code"] = example.Text(named.Name)
		}
	}
	if e.Data != nil {
		out.DataLink = &page.Link{Text: e.Data.Head().Name, Href: p.to(p.typeHref(e.Data))}
		if st, ok := e.Data.(*protocol.Struct); ok {
			s := p.shape(st, "data")
			out.Data = &s
		}
		if v := p.maker.Of(e.Data); v != nil {
			values["data"] = v
		}
	}
	for _, m := range p.p.Methods {
		if p.fails(m, e) {
			out.Methods = append(out.Methods, p.methodRow(m))
		}
	}
	out.Samples = []sample{{Title: "Response", Code: p.message(p.envelope().Error, values)}}
	if out.Go != "" {
		out.Samples = append(out.Samples, sample{Title: "In Go", Code: paintGo("if errors.Is(err, " + p.pkg.Name + "." + out.Go + ") {\n\t// …\n}")})
	}
	return out
}
