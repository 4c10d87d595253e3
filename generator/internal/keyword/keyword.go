// Package keyword reads vendor keywords: facts that schemas state about themselves.
package keyword

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Protocol reads the file-level facts about the protocol before schemas are parsed. The version order is that of the
// profile, or the stated one if it is "".
func Protocol(set *schema.Set, order version.Order) (*facts.Facts, []diag.Diagnostic) {
	out := &facts.Facts{Versions: facts.Versions{Order: order}}
	n := set.RootKeyword("x-protocol")
	if n == nil {
		return out, nil
	}
	out.Name, out.Title = n.Get("name").Str(), n.Get("title").Str()
	v := &out.Versions
	v.Supported = texts(n.Get("supported"))
	if stated := n.Get("order"); order == "" {
		v.Order = version.Order(stated.Str())
	} else if own := version.Order(stated.Str()); stated != nil && own != order {
		return out, []diag.Diagnostic{diag.Errorf(stated.Pos, "bad-version", fmt.Sprintf(`state "order": %q under versions in the profile as well`, own),
			"the versions are in the order of %s here, and of %s in the profile", own, order)}
	}
	if wire := n.Get("wire"); wire != nil {
		if w, err := facts.Decode[facts.Wire](wire); err == nil { // otherwise already reported
			v.Wire, v.WirePos = &w, wire.Pos
		}
	}
	out.Sides = texts(n.Get("sides"))
	out.Synonyms = each.Map(n.Get("synonyms").List(), texts)
	var diags diag.List
	diags.AddNew(v.Check(n)...)
	if stated := n.Get("version"); stated != nil {
		diags.AddNew(facts.CheckVersion(v.Order, stated.Str(), stated.Pos)...)
		if at, err := v.Order.Parse(stated.Str()); err == nil {
			v.At = at
		}
	}
	return out, diags.Items()
}

// Read returns the facts stated in parsed schemas, except in omitted definitions. Nothing is said about places that
// are known to be wrong.
func Read(set *schema.Set, sides facts.Sides, leftOut func(*schema.Definition) bool, wrong diag.Places) (*facts.Facts, []diag.Diagnostic) {
	r := &reader{wrong: wrong, sides: sides, out: &facts.Facts{}}
	r.out.Initialisms = texts(set.RootKeyword("x-initialisms"))
	for _, def := range set.Definitions() {
		if !leftOut(def) {
			r.definition(def)
		}
	}
	for _, item := range set.RootKeyword("x-channels").List() {
		r.channel(item, "")
	}
	r.conversation(set)
	if n := set.RootKeyword("x-objects"); n != nil {
		r.out.Keep, r.out.NullAbsent = n.Get("undeclared").Str() == "keep", n.Get("null").Str() == "absent"
		r.out.Untagged, r.out.OpenUnions = n.Get("untagged").True(), n.Get("open").True()
		r.out.UndecidedRaw = n.Get("undecided").Str() == "raw"
	}
	if n := set.RootKeyword("x-replication"); n != nil {
		r.out.Replication = &facts.Replication{Origin: from(n.Pos), Statement: n}
	}
	return r.out, r.Items()
}

// reader collects facts.
type reader struct {
	diag.List             // what is wrong
	wrong     diag.Places // what is known to be wrong
	sides     facts.Sides
	out       *facts.Facts
}

func from(pos diag.Pos) facts.Origin { return facts.Origin{Pos: pos, Source: facts.Schema} }

func (r *reader) definition(def *schema.Definition) {
	s, out := def.Schema, r.out
	word := func(keyword string) string { return s.Extension(keyword).Str() }
	if name := word("x-go-name"); name != "" {
		out.Names = append(out.Names, &facts.Name{Origin: from(s.Pos), At: def.Name, Name: name})
	}
	if rule := union(s); rule != nil {
		rule.Union = def.Name
		out.Unions = append(out.Unions, rule)
	}
	if of := word("x-partial-of"); of != "" {
		out.Partials = append(out.Partials, &facts.Partial{Origin: from(s.Pos), At: def.Name, Of: of, Name: word("x-go-name")})
	}
	if n := s.Extension("x-channel"); n != nil {
		r.channel(n, def.Name)
	}
	if n := s.Extension("x-actions"); n != nil && out.Actions == nil {
		out.Actions = &facts.Actions{Union: def.Name, Client: n.Get("client").Str(), UnionPos: n.Pos, ClientPos: n.Pos}
	}
	r.action(def)
	if n := s.Extension("x-lifecycle"); n != nil {
		out.Lifecycles = append(out.Lifecycles, &facts.Lifecycle{Origin: from(n.Pos), Type: def.Name, Statement: n})
	}
	if n := s.Extension("x-method"); n != nil {
		r.method(def, n)
	}
	if s.Extension("x-error-codes").True() {
		r.codes(def)
	}
}

// texts returns the texts in a list.
func texts(list *schema.Node) []string { return each.Map(list.List(), (*schema.Node).Str) }

// union reads the facts about a union, or returns nil. An alternative for unknown variants makes it open; if the
// vocabulary is used without one, it is closed. A discriminator alone is standard and implies neither.
func union(s *schema.Schema) *facts.Union {
	rule := &facts.Union{
		Origin: from(s.Pos), Discriminator: s.Discriminator,
		Tag: s.Extension("x-tag").Str(), Untagged: s.Extension("x-untagged").Str(),
	}
	open := slices.ContainsFunc(s.Choices(), func(branch *schema.Schema) bool { return branch.Unknown })
	rule.Otherwise = texts(s.Extension("x-otherwise"))
	for _, item := range s.Extension("x-decide").List() {
		if d, err := facts.Decode[facts.Decision](item); err == nil { // otherwise the vocabulary has complained
			rule.Decide = append(rule.Decide, d)
		}
	}
	if s.Discriminator == "" && rule.Decide == nil && rule.Tag == "" && rule.Untagged == "" && rule.Otherwise == nil && !open {
		return nil
	}
	if open || rule.Tag != "" || rule.Untagged != "" {
		rule.Open = &open
	}
	return rule
}

func (r *reader) channel(n *schema.Node, state string) {
	word := func(key string) string { return n.Get(key).Str() }
	r.out.Channels = append(r.out.Channels, &facts.Channel{
		Origin: from(n.Pos), Name: word("name"), URI: word("uri"), Prefix: word("prefix"), Doc: word("description"), State: state,
		PassThrough: word("passThrough"), Shared: n.Get("shared").True(), OtherURIs: n.Get("otherURIs").True(), Stability: mark(n.Get("stability")),
	})
}

// mark returns a string or a number as it is written, or "".
func mark(n *schema.Node) facts.Mark {
	if n == nil {
		return ""
	}
	return facts.Mark(n.Text)
}

// since returns the version of introduction with its position.
func since(s *schema.Schema) (string, diag.Pos) {
	n := s.Extension("x-since")
	if n == nil {
		return "", diag.Pos{}
	}
	return n.Str(), n.Pos
}

// action reads the facts about an action, or about the actions in a union.
func (r *reader) action(def *schema.Definition) {
	s := def.Schema
	effects, may := s.Extension("x-effects"), s.Extension("x-client-dispatchable")
	if effects == nil && may == nil && s.Extension("x-since") == nil {
		return
	}
	a := &facts.Action{Origin: from(s.Pos), Definition: def.Name, Client: may.True()}
	a.Since, a.SincePos = since(s)
	r.out.Rules = append(r.out.Rules, a)
	if effects != nil {
		r.out.Effects = append(r.out.Effects, &facts.Effects{Origin: from(effects.Pos), Definition: def.Name, Steps: effects})
	}
}

// sender returns the sender of a method by its stated receiver, or "".
func (r *reader) sender(side *schema.Node) string {
	from := r.sides.Peer(side.Str())
	if side.Str() == "" || from != "" || r.wrong[side.Pos] || !r.sides.Whole() {
		return from
	}
	opens, serves := r.sides.Names()
	hint := similar.DidYouMean(side.Text, []string{serves, opens, facts.Both}, fmt.Sprintf("write %q, %q or %q", serves, opens, facts.Both))
	r.Errorf(side.Pos, "vocabulary", hint, "x-side: %q is none of %q, %q and %q", side.Text, serves, opens, facts.Both)
	return ""
}

func (r *reader) method(def *schema.Definition, name *schema.Node) {
	s := def.Schema
	m := &facts.Method{
		Origin: from(name.Pos), Name: name.Str(), From: r.sender(s.Extension("x-side")), Kind: "request",
		Params: def.Name, Result: s.Extension("x-result").Str(), Stream: s.Extension("x-stream").True(), Doc: s.Description,
	}
	m.Since, m.SincePos = since(s)
	if s.Extension("x-notification").True() {
		m.Kind = "notification"
	}
	r.out.Methods = append(r.out.Methods, m)
}

func (r *reader) codes(def *schema.Definition) {
	s := def.Schema
	r.out.ErrorEnums = append(r.out.ErrorEnums, &facts.Place{Origin: from(s.Pos), At: def.Name})
	names := s.Extension("x-enum-names")
	data := s.Extension("x-error-data")
	if data != nil {
		for _, m := range data.Members {
			if !slices.ContainsFunc(s.Enum, func(n *schema.Node) bool { return n.Text == m.Key }) {
				r.Errorf(m.KeyPos, "unknown-code", "write one of the codes of "+def.Name+", or add this one to its values", "%s has no code %s that data could come with", def.Name, m.Key)
			}
		}
	}
	for i, n := range s.Enum {
		code, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || names == nil || i >= len(names.Items) {
			continue // reported where codes are read
		}
		c := &facts.Code{Origin: from(n.Pos), Code: code, Name: names.Items[i].Str()}
		if with := data.Get(n.Text); with != nil {
			c.Data, c.DataPos = with.Str(), with.Pos
		}
		r.out.Codes = append(r.out.Codes, c)
	}
}

// conversation reads the handshake, long requests, batches and extensions from the root of a file.
func (r *reader) conversation(set *schema.Set) {
	r.out.Handshake = once[facts.Handshake](set.RootKeyword("x-handshake"))
	r.out.Calls = once[facts.Calls](set.RootKeyword("x-calls"))
	r.out.Batches = once[facts.Batches](set.RootKeyword("x-batches"))
	if n := set.RootKeyword("x-envelope"); n != nil {
		r.out.Envelope = once[facts.Envelope](n)
		r.out.Envelope.Written = n
	}
	r.out.HTTP = once[facts.HTTP](set.RootKeyword("x-http"))
	r.out.Handles = each.Map(set.RootKeyword("x-handles").List(), once[facts.Handle])
	r.out.Constructors = each.Map(set.RootKeyword("x-constructors").List(), once[facts.Constructor])
	r.out.Extensions = once[facts.Extensions](set.RootKeyword("x-extensions"))
	capabilities := set.RootKeyword("x-capabilities")
	r.out.Introduction = capabilities.Get("method").Str()
	r.out.Gates = each.Map(capabilities.Get("gates").List(), once[facts.Gate])
}

// once reads a fact that can only be stated once, or returns nil. It is validated against the vocabulary.
func once[F any, P interface {
	*F
	facts.Fact
}](n *schema.Node) P {
	if n == nil {
		return nil
	}
	out, _ := facts.Decode[F](n) // validation errors are already reported
	*P(&out).Where() = from(n.Pos)
	return &out
}
