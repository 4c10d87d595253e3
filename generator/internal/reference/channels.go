// Channels: one page for each kind of channel with its state, actions and methods.

package reference

import (
	"html/template"
	"slices"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// channelPage is the data of a channel's page.
type channelPage struct {
	Name, URI, Prefix string
	PassThrough       string
	Shared            bool
	Stability         string
	Constant          string
	Doc               template.HTML
	State             *page.Link
	Members           []member
	Client, Host      []row // actions
	Methods           []row
	Picture           template.HTML
	Lives             []life
	Position          position
}

// row is an entry of a list with a short description.
type row struct {
	Name, Href string
	Go         string
	Kind       string
	From       protocol.Side // the sender, or "" if it is not sent
	Since      string
	Text       string
	Deprecated bool
}

func (s *site) channelPages() {
	for _, c := range s.p.Channels {
		name := s.channelHref(c)
		content := s.from(name).channel(c)
		s.add(name, "channel", "Channel "+c.Name, content, func(f *page.Frame) {
			section := func(title, anchor string, is bool) {
				if is {
					f.Contents = append(f.Contents, page.Link{Text: title, Href: "#" + anchor})
				}
			}
			section(s.p.Sides.In("What a client may do"), "client", len(content.Client) > 0)
			section(s.p.Sides.In("What the host does"), "host", len(content.Host) > 0)
			section("Life of its values", "lives", len(content.Lives) > 0)
			section("State", "state", len(content.Members) > 0)
			section("Methods", "methods", len(content.Methods) > 0)
			section("Picture", "picture", content.Picture != "")
		})
		s.entries = append(s.entries, entry{kind: "channel", name: c.Name, goName: content.Constant, href: name, text: strings.TrimSpace(markup.Text(c.Doc) + " " + c.URI)})
	}
}

func (p at) channel(c *protocol.Channel) *channelPage {
	doc := c.Doc
	if doc == "" && c.State != nil {
		doc = c.State.Doc
	}
	out := &channelPage{
		Stability: c.Stability.String(),
		Name:      c.Name, URI: c.URI, Prefix: c.Prefix, PassThrough: c.PassThrough, Shared: c.Shared, Doc: p.html(doc),
		Picture: p.channelPicture(c), Position: p.position(c.Pos),
		Lives: p.lives(func(l *protocol.Lifecycle) bool { return l.Channel == c }, nil),
	}
	for _, g := range p.pkg.Channels {
		if g.Name == c.Name {
			out.Constant = g.Const
		}
	}
	if c.State != nil {
		out.State = &page.Link{Text: c.State.Name, Href: p.to(p.typeHref(c.State))}
		for _, m := range p.members(c.State, "") {
			m.Href, m.Anchor = out.State.Href+"#"+m.Anchor, ""
			out.Members = append(out.Members, m)
		}
	}
	client, host := p.actionsOn(c)
	out.Client, out.Host = p.actionRows(client), p.actionRows(host)
	for _, m := range p.p.Methods {
		if p.isAbout(m, c) {
			out.Methods = append(out.Methods, p.methodRow(m))
		}
	}
	return out
}

func (p at) actionRows(list []*action) []row {
	return each.Map(list, p.actionRow)
}

func (p at) actionRow(a *action) row {
	r := row{Name: a.Type, Href: p.to(p.actionHref(a)), Kind: "action", From: protocol.FromHost, Since: a.since(), Text: markup.First(p.docOf(a))}
	if a.client() {
		r.From = protocol.FromClient
	}
	var names []string
	r.Deprecated = true
	for _, row := range a.Rows {
		names = append(names, p.goName(row.Struct))
		r.Deprecated = r.Deprecated && row.Struct.Deprecated
	}
	r.Go = strings.Join(names, ", ")
	return r
}

// isAbout reports whether a method belongs to a channel, judged by the prefix of its name, the URI in its parameters,
// a word in its name, or else the description of its parameters.
func (p at) isAbout(m *protocol.Method, c *protocol.Channel) bool {
	if first, _, ok := strings.Cut(m.Name, "/"); ok {
		return first == c.Name
	}
	if hasWords(m.Name, c.Name) {
		// The longest matching name wins: a method of a resource watch is not about a watch.
		return !slices.ContainsFunc(p.p.Channels, func(o *protocol.Channel) bool {
			return len(o.Name) > len(c.Name) && hasWords(m.Name, o.Name) && hasWords(o.Name, c.Name)
		})
	}
	params, _ := m.Params.(*protocol.Struct)
	if params == nil {
		return false
	}
	for _, f := range params.Fields {
		if f.Const != nil && c.URI != "" && f.Const.Str == c.URI {
			return true
		}
	}
	return p.addressed(m, params) == c
}

// addressed returns the only channel named in the description of a parameter, or nil.
func (p at) addressed(m *protocol.Method, params *protocol.Struct) *protocol.Channel {
	if p.p.Replication == nil || p.p.Replication.Session == nil || p.p.Replication.Session.Subscribe.Channel == nil {
		return nil
	}
	f := params.Field(p.p.Replication.Session.Subscribe.Channel.Name)
	if f == nil || f.Const != nil {
		return nil
	}
	var found *protocol.Channel
	for _, c := range p.p.Channels {
		if !hasWords(f.Doc, c.Name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	if found != nil && slices.ContainsFunc(p.p.Channels, func(c *protocol.Channel) bool { return c != found && hasWords(m.Name, c.Name) }) {
		return nil // its name says otherwise
	}
	return found
}

// hasWords reports whether text contains the words in sequence.
func hasWords(text, name string) bool {
	all, wanted := words(text), words(name)
	for i := range all {
		if len(wanted) > 0 && i+len(wanted) <= len(all) && slices.Equal(all[i:i+len(wanted)], wanted) {
			return true
		}
	}
	return false
}

// words splits text at capitals and non-letters.
func words(text string) []string {
	var out []string
	start := true
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			start = true
			continue
		case start || unicode.IsUpper(r):
			out = append(out, "")
		}
		start = false
		out[len(out)-1] += string(unicode.ToLower(r))
	}
	return out
}
