// Methods: one page for each request and notification.

package reference

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// methodPage is the data of a method's page.
type methodPage struct {
	Name         string
	Notification bool
	From         protocol.Side
	Since        string
	Stability    string
	Go           string
	Doc          template.HTML
	Params       *shape
	ParamsLink   *page.Link
	Result       *shape
	ResultLink   *page.Link
	NullResult   bool // null is allowed beside the result
	Stream       bool // there are several results
	Channels     []page.Link
	Samples      []sample
	Position     position
	Errors       []member // that its description names, and those of any request
}

func (s *site) methodPages() {
	for _, m := range s.p.Methods {
		name := s.methodHref(m)
		content := s.from(name).method(m)
		s.add(name, "method", m.Name, content, wide)
		s.entries = append(s.entries, entry{kind: m.Kind(), name: m.Name, goName: content.Go, href: name, text: markup.Text(s.methodDoc(m))})
	}
}

func (s *site) methodDoc(m *protocol.Method) string {
	if m.Doc == "" && m.Params != nil {
		return m.Params.Head().Doc
	}
	return m.Doc
}

func (p at) methodRow(m *protocol.Method) row {
	r := row{Name: m.Name, Href: p.to(p.methodHref(m)), Kind: m.Kind(), From: m.From, Since: m.Since, Text: markup.First(p.methodDoc(m))}
	for _, g := range p.pkg.Methods {
		if g.Wire == m.Name && g.From == m.From {
			r.Go = g.Name
		}
	}
	return r
}

func (p at) method(m *protocol.Method) *methodPage {
	r := p.methodRow(m)
	out := &methodPage{
		Name: m.Name, Notification: m.Notification, From: m.From, Since: m.Since, Stability: m.Stability().String(), Go: r.Go, Doc: p.html(p.methodDoc(m)), Position: p.position(m.Pos),
	}
	for _, c := range p.p.Channels {
		if p.isAbout(m, c) {
			out.Channels = append(out.Channels, page.Link{Text: c.Name, Href: p.to(p.channelHref(c))})
		}
	}
	part := func(t protocol.Type, anchor string) (*shape, *page.Link) {
		if t == nil {
			return nil, nil
		}
		link := &page.Link{Text: t.Head().Name, Href: p.to(p.typeHref(t))}
		if st, ok := t.(*protocol.Struct); ok {
			s := p.shape(st, anchor)
			return &s, link
		}
		return nil, link
	}
	out.Params, out.ParamsLink = part(m.Params, "params")
	out.Result, out.ResultLink = part(m.Result, "result")
	out.NullResult, out.Stream = m.NullResult, m.Stream
	out.Samples = p.conversation(m)
	for _, e := range p.p.Errors {
		if p.fails(m, e) {
			out.Errors = append(out.Errors, member{Name: e.Name, Href: p.to(p.errorHref(e)), Type: template.HTML(strconv.FormatInt(e.Code, 10)), Go: p.errorConst(e), Doc: p.html(e.Doc)}) //nolint:gosec // a number
		}
	}
	return out
}

// fails reports whether a request may be answered with an error: any may fail with those that JSON-RPC reserves, and
// others are named by code or name in the descriptions of the method, its parameters and its result.
func (s *site) fails(m *protocol.Method, e *protocol.ErrorCode) bool {
	if m.Notification {
		return false
	}
	if e.Code >= -32768 && e.Code <= -32600 || s.p.Handshake != nil && s.p.Handshake.Method == m && s.p.Handshake.Error == e {
		return true
	}
	said := []string{m.Doc}
	for _, t := range []protocol.Type{m.Params, m.Result} {
		if t == nil {
			continue
		}
		said = append(said, t.Head().Doc)
		if st, ok := t.(*protocol.Struct); ok {
			for _, f := range st.Fields {
				said = append(said, f.Doc)
			}
		}
	}
	words := strings.FieldsFunc(strings.Join(said, " "), func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.Contains(words, strconv.FormatInt(e.Code, 10)) || slices.Contains(words, e.Name)
}

// conversation shows the messages of a method and the Go code for them.
func (p at) conversation(m *protocol.Method) []sample {
	var params, result *example.Value
	if m.Params != nil {
		params = p.maker.Of(m.Params)
	}
	if m.Result != nil {
		result = p.maker.Of(m.Result)
	}
	method, forms := example.Text(m.Name), p.envelope()
	sent := map[string]*example.Value{"method": method, "params": params}
	if m.Notification {
		return p.withCall([]sample{{Title: "Notification", Code: p.message(forms.Notification, sent)}}, m, params)
	}
	answer := sample{Title: "Response", Code: p.message(forms.Result, map[string]*example.Value{"method": method, "result": result})}
	if m.Stream {
		answer.Title = "Response, one of several"
	}
	return p.withCall([]sample{{Title: "Request", Code: p.message(forms.Request, sent)}, answer}, m, params)
}

// withCall adds the Go code that calls a method.
func (p at) withCall(out []sample, m *protocol.Method, params *example.Value) []sample {
	if call := p.call(m, params); call != "" {
		out = append(out, sample{Title: "In Go", Code: paintGo(call)})
	}
	return out
}

// call returns the Go code that calls a method.
func (p at) call(m *protocol.Method, params *example.Value) string {
	if p.pkg.RPC == nil {
		return ""
	}
	for _, side := range p.pkg.RPC.Sides {
		for _, c := range side.Sends {
			if c.Wire != m.Name || c.From != m.From {
				continue
			}
			args := "ctx"
			if params != nil {
				args += ", " + params.Go(p.pkg)
			}
			results := "err"
			if m.Stream {
				return fmt.Sprintf("for result, err := range %s.%s(%s) {\n\t// …\n}", strings.ToLower(side.Name), c.Name, args)
			}
			if m.Result != nil {
				results = "result, err"
			}
			return fmt.Sprintf("%s := %s.%s(%s)", results, strings.ToLower(side.Name), c.Name, args)
		}
	}
	return ""
}

// samples returns an example as JSON and as Go.
func (p at) samples(v *example.Value) []sample {
	out := []sample{{Title: "On the wire", Code: paintJSON(v)}}
	if text := v.Go(p.pkg); text != "" {
		out = append(out, sample{Title: "In Go", Code: paintGo(text)})
	}
	return out
}
