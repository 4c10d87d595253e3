// Keywords: facts that the schemas state themselves join those of the profile.

package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/gotext"
	"github.com/ahpgen/ahpgen/generator/profile"
	"github.com/ahpgen/ahpgen/generator/schema"
	"github.com/ahpgen/ahpgen/generator/version"
)

// absorb reads the vendor keywords of the schemas into the profile. What the profile states about
// the same thing comes first.
func (b *builder) absorb() {
	if n := b.set.RootKeyword(schema.KeywordInitialisms); n != nil {
		for _, item := range n.Items {
			b.prof.Naming.Initialisms = append(b.prof.Naming.Initialisms, item.Text)
		}
	}
	for _, def := range b.set.Definitions() {
		if def.Schema != nil && (!b.omit[def] || slices.Contains(b.prof.Errors.Enums, def.Name)) {
			b.absorbDefinition(def)
		}
	}
	if n := b.set.RootKeyword(schema.KeywordChannels); n != nil {
		for _, item := range n.Items {
			b.absorbChannel(channelOf(item, ""), item)
		}
	}
	b.absorbConversation()
}

// absorbProtocol reads what a file says about the protocol as a whole, and returns the version that it
// states.
func absorbProtocol(set *schema.Set, prof *profile.Profile, diags *diag.List) string {
	n := set.RootKeyword(schema.KeywordProtocol)
	if n == nil {
		return ""
	}
	prof.Name = cmp.Or(prof.Name, text(n.Get("name")))
	prof.Title = cmp.Or(prof.Title, text(n.Get("title")))
	prof.Package = cmp.Or(prof.Package, gotext.PackageName(prof.Name))
	if supported := n.Get("supported"); supported != nil && len(prof.Versions.Supported) == 0 {
		for _, item := range supported.Items {
			prof.Versions.Supported = append(prof.Versions.Supported, item.Text)
		}
	}
	stated := n.Get("version")
	if _, err := version.Parse(text(stated)); text(stated) != "" && err != nil {
		if diags.At(stated.Pos) {
			return ""
		}
		diags.Errorf(stated.Pos, "bad-version", "versions look like 0.7.0", "%s", err)
		return ""
	}
	return text(stated)
}

// text is the string a node holds, "" for none.
func text(n *schema.Node) string {
	if n == nil || n.Kind != schema.String {
		return ""
	}
	return n.Text
}

func isTrue(n *schema.Node) bool { return n != nil && n.Kind == schema.Bool && n.Bool }

func channelOf(n *schema.Node, state string) profile.Channel {
	return profile.Channel{
		Name: text(n.Get("name")), URI: text(n.Get("uri")), Prefix: text(n.Get("prefix")), Doc: text(n.Get("description")), State: state,
		PassThrough: text(n.Get("passThrough")), Shared: isTrue(n.Get("shared")),
	}
}

func (b *builder) absorbDefinition(def *schema.Definition) {
	s := def.Schema
	if name := text(s.Extension(schema.KeywordGoName)); name != "" {
		b.prof.AddName(profile.Name{At: def.Name, Name: name}, s.Pos)
	}
	if rule, ok := unionKeywords(s); ok {
		rule.Union = def.Name
		b.prof.AddUnion(rule, s.Pos)
	}
	if of := text(s.Extension(schema.KeywordPartialOf)); of != "" && b.isObject(of) && b.isObject(def.Name) {
		b.prof.AddPartial(profile.Partial{At: def.Name, Of: of, Name: text(s.Extension(schema.KeywordGoName))}, s.Pos)
	}
	if n := s.Extension(schema.KeywordChannel); n != nil {
		b.absorbChannel(channelOf(n, def.Name), n)
	}
	if n := s.Extension(schema.KeywordActions); n != nil && b.prof.Actions.Union == "" {
		b.prof.SetActions(def.Name, text(n.Get("client")), n.Pos)
	}
	if n := s.Extension(schema.KeywordMethod); n != nil {
		b.absorbMethod(def, n)
	}
	if isTrue(s.Extension(schema.KeywordErrorCodes)) {
		b.absorbErrors(def)
	}
}

// unionKeywords reads what a union says about itself. An alternative for unknown variants makes it
// open; where the vocabulary is used and there is none, it is closed.
func unionKeywords(s *schema.Schema) (profile.Union, bool) {
	rule := profile.Union{Discriminator: s.Discriminator, Tag: text(s.Extension(schema.KeywordTag)), Untagged: text(s.Extension(schema.KeywordUntagged))}
	open := false
	for _, branch := range choices(s) {
		open = open || branch.Unknown
	}
	if s.Discriminator == "" && rule.Tag == "" && rule.Untagged == "" && !open {
		return rule, false
	}
	rule.Open = &open
	return rule, true
}

// absorbChannel reads a channel. Its state has to be an object: actions change its members.
func (b *builder) absorbChannel(c profile.Channel, n *schema.Node) {
	if b.again("channel", c.Name, n.Pos) {
		b.clashing = true // nothing is said about actions that lose their channel by it
		return
	}
	if c.State != "" && b.shaky && !b.isObject(c.State) {
		b.clashing = true
		return
	}
	if c.State != "" && !b.isObject(c.State) {
		b.diags.Errorf(n.Pos, "bad-channel", "describe the channel on the definition of an object, or under x-channels where it has no state",
			"%s is to be the state of the channel %s, and is no object", c.State, c.Name)
		b.clashing = true
		return
	}
	b.prof.AddChannel(c, n.Pos)
}

// isObject reports whether a definition is an object, perhaps by another name.
func (b *builder) isObject(name string) bool {
	def := b.set.Lookup(name)
	if def == nil || def.Schema == nil {
		return false
	}
	s := resolve(def.Schema)
	return s != nil && b.shapeOf(s) == shapeStruct
}

// again reports whether schemas have stated something of a name before, which is an error.
func (b *builder) again(what, name string, pos diag.Pos) bool {
	if b.places == nil {
		b.places = map[string]diag.Pos{}
	}
	first, ok := b.places[what+" "+name]
	if ok {
		b.diags.Errorf(pos, "duplicate-"+what, fmt.Sprintf("rename one of the two; the other stands at %s", first), "the %s %q is declared twice", what, name)
		return true
	}
	b.places[what+" "+name] = pos
	return false
}

// said reports whether something is wrong with the keywords of a schema, which has been said then.
func (b *builder) said(s *schema.Schema) bool {
	return slices.ContainsFunc(s.Node.Members, func(m schema.Member) bool { return b.diags.At(m.KeyPos) || b.diags.At(m.Value.Pos) })
}

// senders says who sends a method, by who receives it.
var senders = map[string]string{"host": "client", "client": "host", "both": "both"}

func (b *builder) absorbMethod(def *schema.Definition, name *schema.Node) {
	s := def.Schema
	side := s.Extension(schema.KeywordSide)
	from, ok := senders[text(side)]
	if !ok {
		if b.said(s) {
			return
		}
		b.diags.Errorf(name.Pos, "bad-keyword", `write "x-side": "host", "client" or "both" beside it`, "nothing says who receives the method %q", text(name))
		return
	}
	if b.again("method", text(name), name.Pos) {
		return
	}
	m := profile.Method{
		Name: text(name), From: from, Kind: "request", Params: def.Name, Since: b.since(s),
		Result: text(s.Extension(schema.KeywordResult)), Doc: s.Description,
	}
	if isTrue(s.Extension(schema.KeywordNotification)) {
		m.Kind = "notification"
	}
	b.prof.AddMethod(m, name.Pos)
}

func (b *builder) absorbErrors(def *schema.Definition) {
	s := def.Schema
	b.omit[def] = true
	if !slices.Contains(b.prof.Errors.Enums, def.Name) {
		b.prof.Errors.Enums = append(b.prof.Errors.Enums, def.Name)
	}
	names := s.Extension(schema.KeywordEnumNames)
	data := s.Extension(schema.KeywordErrorData)
	if data != nil {
		for _, m := range data.Members {
			if !slices.ContainsFunc(s.Enum, func(n *schema.Node) bool { return n.Text == m.Key }) {
				b.diags.Errorf(m.KeyPos, "unknown-code", "write one of the codes of "+def.Name+", or add this one to its values", "%s has no code %s that data could come with", def.Name, m.Key)
			}
		}
	}
	for i, n := range s.Enum {
		code, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || names == nil || i >= len(names.Items) {
			continue // a code without a name is reported where codes are read
		}
		c := profile.Code{Code: code, Name: text(names.Items[i]), Data: text(data.Get(n.Text))}
		b.prof.AddCode(c, n.Pos)
	}
}
