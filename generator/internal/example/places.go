// Places: members whose value follows from the protocol, such as the URI of a channel or a version.

package example

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// uuid stands for <uuid> in the form of a URI.
const uuid = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// uriOf returns an example of a channel's URI, or "".
func uriOf(c *protocol.Channel) string {
	before, rest, form := strings.Cut(c.URI, "<")
	what, after, _ := strings.Cut(rest, ">")
	switch {
	case !form:
		return c.URI
	case what == "uuid":
		return before + uuid + after
	}
	return before + "1" + after
}

// setPlaces determines the members whose value follows from the protocol.
func (m *Maker) setPlaces(p *protocol.Protocol) {
	m.places = map[*protocol.Field]string{}
	var usual string // URI of a channel with a form and a state, where no other fits better
	for _, c := range p.Channels {
		if c.State != nil && strings.Contains(c.URI, "<") && usual == "" {
			usual = uriOf(c)
		}
	}
	put := func(f *protocol.Field, value string) {
		if f != nil && f.Const == nil && value != "" {
			m.places[f] = value
		}
	}
	var names []string // of members that name any channel
	for _, f := range replicated(p.Replication) {
		if put(f, usual); f != nil {
			names = append(names, f.Name)
		}
	}
	about := map[*protocol.Struct]string{} // words that say what the parameters of a method are about
	for _, method := range p.Methods {
		if s, ok := method.Params.(*protocol.Struct); ok {
			about[s] = method.Name
		}
	}
	for s := range protocol.Each[*protocol.Struct](p.Types) {
		for _, f := range s.Fields {
			if f.Const != nil || m.places[f] != "" || !holdsURI(f) {
				continue
			}
			c := named(p, f.Name)
			if method := about[s]; slices.Contains(names, f.Name) && method != "" {
				if c = first(p, f.Doc); c == nil {
					c = named(p, method)
				}
				if c == nil || c.URI == "" {
					put(f, usual)
				}
			} else if slices.Contains(names, f.Name) {
				c = named(p, strings.TrimSuffix(ownID(s.Name), "Id"))
			} else if c != nil && !strings.Contains(c.URI, "<") {
				c = nil // there is one alone, which needs no member
			}
			if c != nil {
				put(f, uriOf(c))
			}
		}
	}
	setVersions(p, put)
}

// replicated returns the members that name the channels of replication. Some may be nil.
func replicated(r *protocol.Replication) []*protocol.Field {
	if r == nil {
		return nil
	}
	fields := []*protocol.Field{r.Envelope.Channel, r.Snapshot.Channel, r.Dispatch.Channel}
	if s := r.Session; s != nil {
		fields = append(fields, s.Open.Subscriptions, s.Resume.Subscriptions, s.Subscribe.Channel, s.Unsubscribe.Channel)
	}
	return fields
}

// setVersions sets the versions that the handshake offers and answers.
func setVersions(p *protocol.Protocol, put func(*protocol.Field, string)) {
	if h := p.Handshake; h != nil {
		version := p.Version
		if len(p.Supported) > 0 {
			version = p.Supported[0]
		}
		for t, member := range map[protocol.Type]string{h.Method.Params: h.Offer, h.Method.Result: h.Answer} {
			if s, ok := t.(*protocol.Struct); ok && !h.Number {
				put(s.Field(member), version)
			}
		}
	}
}

// named returns the channel whose name has the most words that stand in a text, in their order.
func named(p *protocol.Protocol, text string) (best *protocol.Channel) {
	all := " " + strings.Join(split(text), " ") + " "
	most := 0
	for _, c := range p.Channels {
		words := split(c.Name)
		if len(words) > most && strings.Contains(all, " "+strings.Join(words, " ")+" ") {
			best, most = c, len(words)
		}
	}
	return best
}

// first returns the channel that a text names first, or nil.
func first(p *protocol.Protocol, text string) *protocol.Channel {
	words := split(text)
	for i := range words {
		if c := named(p, strings.Join(words[:i+1], " ")); c != nil {
			return c
		}
	}
	return nil
}

// holdsURI reports whether a member is a URI, or some: its schema or the name of its type says so.
func holdsURI(f *protocol.Field) bool {
	e := f.Type
	if l, ok := e.(protocol.List); ok {
		e = l.Elem
	}
	if f.URI {
		return true
	}
	ref, ok := e.(protocol.Ref)
	if !ok || protocol.Underlying(e) != protocol.String {
		return false
	}
	words := split(ref.Type.Head().Name)
	return len(words) > 0 && words[len(words)-1] == "uri"
}

// locate makes a URI of a path, or of each in a list.
func (v *Value) locate() {
	if strings.HasPrefix(v.Text, `"/`) {
		v.Text = `"file://` + v.Text[1:]
	}
	for _, item := range v.Items {
		item.locate()
	}
}

// settle makes the members of an object agree: an action is in a channel that has it, and a state in its own.
func (m *Maker) settle(p *protocol.Protocol, v *Value) {
	if p.Replication == nil {
		return
	}
	r := p.Replication
	for _, pair := range [][2]*protocol.Field{{r.Envelope.Channel, r.Envelope.Action}, {r.Dispatch.Channel, r.Dispatch.Action}, {r.Snapshot.Channel, r.Snapshot.State}} {
		at := slices.IndexFunc(v.Members, func(m Member) bool { return m.Field == pair[0] && pair[0] != nil })
		of := slices.IndexFunc(v.Members, func(m Member) bool { return m.Field == pair[1] && pair[1] != nil })
		if at < 0 || of < 0 || v.Members[at].Value.Kind != Scalar {
			continue
		}
		for _, t := range v.Members[of].Value.Types {
			if c := channelOf(p, t); c != nil && c.URI != "" {
				v.Members[at].Value.Text = jsontext.Line(uriOf(c))
			}
		}
	}
}

// channelOf returns the channel that a type is the state or an action of, or nil.
func channelOf(p *protocol.Protocol, t protocol.Type) *protocol.Channel {
	for _, c := range p.Channels {
		if c.State != nil && protocol.Type(c.State) == t {
			return c
		}
	}
	for _, a := range p.AllActions() {
		if protocol.Type(a.Struct) == t {
			return a.Channel
		}
	}
	return nil
}

// stated changes a value to the example that the schema gives for its member, if it is of the same kind.
func stated(v *Value, example string) {
	same := func(v *Value, text string) bool {
		return v.Kind == Scalar && text != "" && text[0] != '{' && text[0] != '[' && (text[0] == '"') == (v.Text != "" && v.Text[0] == '"')
	}
	if v.Kind == List && len(v.Items) > 0 {
		v = v.Items[0]
	}
	if same(v, example) {
		v.Text = example
	}
}

// vague are the last words of names of types that tell nothing about what the values are.
var vague = []string{"state", "info", "summary", "params", "result", "item", "definition", "base", "data", "entry", "record", "details", "action", "changed", "set"}

// ownID names the id of a type's values, as members elsewhere that refer to them are named.
func ownID(typ string) string {
	words := split(typ)
	for len(words) > 1 && slices.Contains(vague, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return "id"
	}
	return words[len(words)-1] + "Id"
}
