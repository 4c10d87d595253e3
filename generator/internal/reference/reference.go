// Package reference builds the pages that document a protocol: its channels, actions, methods and types, on the wire
// and in Go. It only presents what earlier stages determined.
package reference

import (
	"cmp"
	"html/template"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Input is the data of a reference.
type Input struct {
	Protocol *protocol.Protocol
	Package  *golang.Package
	Import   string               // import path of the package, or ""
	Sources  []Source             // the schema files
	Finished map[string]string    // descriptions of finished reducers by action type
	Touched  map[string][]Touched // members that finished reducers read and write, by action type
	Coverage *Coverage            // nil without a package
	Changes  []Changes            // comparisons of other versions with this one
	Older    []Older              // older versions that the package speaks
}

// Source is a schema file.
type Source struct {
	Name    string // relative to the folder
	Display string // name shown in positions
	Data    []byte
}

// Changes is a change report rendered elsewhere.
type Changes struct {
	From, To string // versions
	Summary  string
	Render   func(page.Frame) ([]byte, error)
}

// site holds the state while pages are built.
type site struct {
	Input
	p     *protocol.Protocol
	pkg   *golang.Package
	maker *example.Maker

	typeSlugs, actionSlugs, methodSlugs, channelSlugs, errorSlugs page.Names

	actions []*action                    // by wire type, in table order
	byType  map[*protocol.Struct]*action // actions by struct
	uses    map[protocol.Type][]use
	known   map[string]string // names in text and their addresses
	files   []page.File
	drafts  []draft
	entries []entry // search index
}

// action is an action with all structs that carry it.
type action struct {
	Type string
	Rows []*protocol.Action
}

// Pages returns all pages of a site.
func Pages(in Input) ([]page.File, error) {
	s := &site{
		Input: in, p: in.Protocol, pkg: in.Package, maker: example.New(in.Protocol),
		byType: map[*protocol.Struct]*action{}, uses: map[protocol.Type][]use{}, known: map[string]string{},
	}
	s.collectActions()
	s.collectUses()
	s.collectNames()
	assets, err := page.Assets()
	if err != nil {
		return nil, err
	}
	s.files = assets
	for _, make := range []func(){
		s.overview, s.channelPages, s.actionPages, s.methodPages, s.typePages, s.errorPages, s.lists, s.sources, s.coverage, s.older,
	} {
		make()
	}
	for _, make := range []func() error{s.changes, s.render} {
		if err := make(); err != nil {
			return nil, err
		}
	}
	index, err := s.index()
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, index)
	slices.SortFunc(s.files, func(a, b page.File) int { return strings.Compare(a.Name, b.Name) })
	return s.files, nil
}

func (s *site) collectActions() {
	at := map[string]*action{}
	for _, row := range s.p.AllActions() {
		a := at[row.Type]
		if a == nil {
			a = &action{Type: row.Type}
			at[row.Type] = a
			s.actions = append(s.actions, a)
		}
		a.Rows = append(a.Rows, row)
		if s.byType[row.Struct] == nil {
			s.byType[row.Struct] = a
		}
	}
}

// channel returns the channel of an action, or nil.
func (a *action) channel() *protocol.Channel { return a.Rows[0].Channel }

// client reports whether clients may dispatch the action.
func (a *action) client() bool {
	return slices.ContainsFunc(a.Rows, func(r *protocol.Action) bool { return r.Client })
}

func (a *action) since() string { return a.Rows[0].Since }

// leads reports whether the action changes a value from one status to another.
func (a *action) leads(m *protocol.Transition) bool { return m.Action == a.Type }

// actionsOn returns the actions of a channel, those clients may dispatch and those only hosts may.
func (s *site) actionsOn(c *protocol.Channel) (client, host []*action) {
	for _, a := range s.actions {
		switch {
		case a.channel() != c:
		case a.client():
			client = append(client, a)
		default:
			host = append(host, a)
		}
	}
	return client, host
}

// doc returns the description of an action. If several structs carry it, the union may describe it.
func (s *site) docOf(a *action) string {
	if len(a.Rows) > 1 {
		for u := range protocol.Each[*protocol.Union](s.p.Types) {
			if u.Doc != "" && u.Scope == protocol.Declared && len(u.Leaves()) == len(a.Rows) && !slices.ContainsFunc(u.Leaves(), func(l *protocol.Struct) bool { return s.byType[l] != a }) {
				return u.Doc
			}
		}
	}
	return a.Rows[0].Struct.Doc
}

// Addresses of pages, relative to the site.

func (s *site) actionHref(a *action) string { return "actions/" + s.actionSlugs.Of(a.Type) + ".html" }

func (s *site) methodHref(m *protocol.Method) string {
	return "methods/" + s.methodSlugs.Of(m.Name) + ".html"
}

func (s *site) channelHref(c *protocol.Channel) string {
	return "channels/" + s.channelSlugs.Of(c.Name) + ".html"
}

func (s *site) errorHref(e *protocol.ErrorCode) string {
	return "errors/" + s.errorSlugs.Of(e.Name) + ".html"
}

// typeHref returns the address of a type. A struct that carries an action is on the action's page.
func (s *site) typeHref(t protocol.Type) string {
	if t == nil {
		return ""
	}
	if st, ok := t.(*protocol.Struct); ok {
		if a := s.byType[st]; a != nil {
			if len(a.Rows) > 1 {
				return s.actionHref(a) + "#" + page.Slug(st.Name)
			}
			return s.actionHref(a)
		}
	}
	if s.goName(t) == "" {
		return ""
	}
	return "types/" + s.typeSlugs.Of(t.Head().Name) + ".html"
}

// goName returns the Go name of a type, or "" if none is declared.
func (s *site) goName(t protocol.Type) string { return s.pkg.NameOf(t) }

// collectNames records the names that become links in text.
func (s *site) collectNames() {
	note := func(name, href string) {
		if name != "" && href != "" && s.known[name] == "" {
			s.known[name] = href
		}
	}
	for _, a := range s.actions {
		note(a.Type, s.actionHref(a))
	}
	for _, m := range s.p.Methods {
		note(m.Name, s.methodHref(m))
	}
	for _, t := range s.p.Types {
		note(t.Head().Name, s.typeHref(t))
		note(s.goName(t), s.typeHref(t))
	}
	for _, e := range s.p.Errors {
		note(e.Name, s.errorHref(e))
	}
}

// at is the page from which relative addresses are computed.
type at struct {
	*site
	root string // path to the site root
	self string // address of the page
}

func (s *site) from(name string) at {
	return at{s, strings.Repeat("../", strings.Count(name, "/")), name}
}

// to returns an address relative to the page.
func (p at) to(href string) string {
	if href == "" {
		return ""
	}
	return p.root + href
}

// link resolves a name in text, except the subject of the page.
func (p at) link(name string) string {
	href := p.known[name]
	if href == "" || href == p.self {
		return ""
	}
	return p.root + href
}

func (p at) html(doc string) template.HTML   { return markup.HTML(doc, p.link) }
func (p at) inline(doc string) template.HTML { return markup.Inline(doc, p.link) }

// wide makes the page use the full width.
func wide(f *page.Frame) { f.Wide = true }

// add adds a page with the data for its template.
func (s *site) add(name, kind, title string, content any, change func(*page.Frame)) {
	p := s.from(name)
	f := p.frame(title)
	f.Content = content
	if change != nil {
		change(&f)
	}
	s.drafts = append(s.drafts, draft{name, kind, f})
}

// draft is a page that has not been rendered yet.
type draft struct {
	name, kind string
	frame      page.Frame
}

// render renders the drafts concurrently. Their data is no longer modified.
func (s *site) render() error {
	files := make([]page.File, len(s.drafts))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range s.drafts {
		g.Go(func() error {
			data, err := page.Render(d.kind, d.frame)
			files[i] = page.File{Name: d.name, Content: data}
			return err
		})
	}
	err := g.Wait()
	s.files = append(s.files, files...)
	return err
}

// frame returns the frame of a page.
func (p at) frame(title string) page.Frame {
	f := page.Frame{
		Title: title, Site: cmp.Or(p.p.Title, p.p.Name, "Protocol"), Version: p.p.Version, Home: p.to("index.html"), Root: p.root, Search: true,
		Words: p.p.Sides,
	}
	section := func(title string, links ...page.Link) {
		links = slices.DeleteFunc(links, func(l page.Link) bool { return l.Href == "" })
		for i := range links {
			links[i].Current = links[i].Href == p.to(p.self)
		}
		if len(links) > 0 {
			f.Sections = append(f.Sections, page.Section{Title: title, Links: links})
		}
	}
	link := func(text, href string) page.Link { return page.Link{Text: text, Href: p.to(href)} }
	some := func(text, href string, there bool) page.Link {
		if !there {
			href = ""
		}
		return link(text, href)
	}
	section("Reference", link("Overview", "index.html"), some("Actions", "actions/index.html", len(p.actions) > 0),
		some("Methods", "methods/index.html", len(p.p.Methods) > 0), some("Types", "types/index.html", len(p.p.Types) > 0),
		some("Errors", "errors/index.html", len(p.p.Errors) > 0), some("Your package", "coverage.html", p.Coverage != nil))
	var channels, changes []page.Link
	for _, c := range p.p.Channels {
		channels = append(channels, page.Link{Text: c.Name, Href: p.to(p.channelHref(c))})
	}
	section("Channels", channels...)
	for _, c := range p.Changes {
		changes = append(changes, page.Link{Text: "From " + c.From, Href: p.to(changesHref(c))})
	}
	section("What changed", changes...)
	older := each.Map(p.Older, func(o Older) page.Link { return page.Link{Text: "Peers of " + o.Version, Href: p.to(olderHref(o))} })
	section("Older versions", older...)
	return f
}

func changesHref(c Changes) string {
	return path.Join("changes", page.Slug(c.From)+"-to-"+page.Slug(c.To)+".html")
}

// changes adds the pages of change reports.
func (s *site) changes() error {
	for _, c := range s.Changes {
		name := changesHref(c)
		data, err := c.Render(s.from(name).frame("What changed from " + c.From))
		if err != nil {
			return err
		}
		s.files = append(s.files, page.File{Name: name, Content: data})
		s.entries = append(s.entries, entry{kind: "change", name: "From " + c.From + " to " + c.To, href: name, text: "What changed. " + c.Summary})
	}
	return nil
}
