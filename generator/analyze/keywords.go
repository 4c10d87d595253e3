// Keywords: facts that the schemas state themselves join those of the profile.

package analyze

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/gotext"
	"github.com/ahpgen/ahpgen/generator/profile"
	"github.com/ahpgen/ahpgen/generator/schema"
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
			b.prof.AddChannel(channelOf(item, ""), item.Pos)
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
	version := n.Get("version")
	if _, err := profile.ParseVersion(text(version)); text(version) != "" && err != nil {
		diags.Errorf(version.Pos, "bad-version", "versions look like 0.7.0", "%s", err)
		return ""
	}
	return text(version)
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
	if of := text(s.Extension(schema.KeywordPartialOf)); of != "" {
		b.prof.AddPartial(profile.Partial{At: def.Name, Of: of, Name: text(s.Extension(schema.KeywordGoName))}, s.Pos)
	}
	if n := s.Extension(schema.KeywordChannel); n != nil {
		b.prof.AddChannel(channelOf(n, def.Name), n.Pos)
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

// senders says who sends a method, by who receives it.
var senders = map[string]string{"host": "client", "client": "host", "both": "both"}

func (b *builder) absorbMethod(def *schema.Definition, name *schema.Node) {
	s := def.Schema
	side := s.Extension(schema.KeywordSide)
	from, ok := senders[text(side)]
	if !ok {
		b.diags.Errorf(name.Pos, "bad-keyword", `write "x-side": "host", "client" or "both" beside it`, "nothing says who receives the method %q", text(name))
		return
	}
	m := profile.Method{
		Name: text(name), From: from, Kind: "request", Params: def.Name, Since: text(s.Extension(schema.KeywordSince)),
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
	for i, n := range s.Enum {
		code, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || names == nil || i >= len(names.Items) {
			continue // a code without a name is reported where codes are read
		}
		c := profile.Code{Code: code, Name: text(names.Items[i]), Data: text(data.Get(n.Text))}
		b.prof.AddCode(c, n.Pos)
	}
}
