// Overview: the home page.

package reference

import (
	"html/template"

	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// overviewPage is the data of the home page.
type overviewPage struct {
	Title, Name, Version string
	Import, GoPackage    string
	Supported            []string
	Counts               []count
	Channels             []channelCard
	Picture              template.HTML
	Sequence             template.HTML
	Changes              []changeCard
	Lives                []life
	Coverage             string // address of the coverage page, or ""
}

type count struct {
	N          int
	What, Href string
}

type channelCard struct {
	Name, Href, URI, Text string
	Client, Host, Methods int
}

type changeCard struct{ From, To, Href, Summary string }

func (s *site) overview() {
	p := s.from("index.html")
	out := &overviewPage{
		Title: s.p.Title, Name: s.p.Name, Version: s.p.Version, Import: s.Import, GoPackage: s.pkg.Name, Supported: s.p.Supported,
		Picture: p.protocolPicture(), Sequence: p.sequencePicture(),
		Lives: p.lives(func(*protocol.Lifecycle) bool { return true }, nil),
	}
	if out.Title == "" {
		out.Title = s.p.Name
	}
	types := 0
	for _, t := range s.p.Types {
		if s.typeHref(t) != "" {
			types++
		}
	}
	for _, c := range []count{
		{len(s.p.Channels), "channel", ""}, {len(s.actions), "action", "actions/index.html"}, {len(s.p.Methods), "method", "methods/index.html"},
		{types, "type", "types/index.html"}, {len(s.p.Errors), "error", "errors/index.html"},
	} {
		if c.N > 0 {
			out.Counts = append(out.Counts, c)
		}
	}
	for _, c := range s.p.Channels {
		card := channelCard{Name: c.Name, Href: s.channelHref(c), URI: c.URI, Text: markup.First(c.Doc)}
		if card.Text == "" && c.State != nil {
			card.Text = markup.First(c.State.Doc)
		}
		client, host := s.actionsOn(c)
		card.Client, card.Host = len(client), len(host)
		for _, m := range s.p.Methods {
			if p.isAbout(m, c) {
				card.Methods++
			}
		}
		out.Channels = append(out.Channels, card)
	}
	for _, c := range s.Changes {
		out.Changes = append(out.Changes, changeCard{c.From, c.To, changesHref(c), c.Summary})
	}
	if s.Coverage != nil {
		out.Coverage = "coverage.html"
	}
	s.add("index.html", "overview", "Overview", out, nil)
}
