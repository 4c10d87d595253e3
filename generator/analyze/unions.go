// Unions: what the alternatives are, and by what a decoder tells them apart.

package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// jsonToken is the JSON token a value of the schema starts with, "" where that is not one token.
func (b *builder) jsonToken(s *schema.Schema) string {
	if s == nil {
		return ""
	}
	if token, ok := b.tokens[s]; ok {
		return token
	}
	token := b.findToken(s)
	b.tokens[s] = token
	return token
}

func (b *builder) findToken(s *schema.Schema) string {
	switch b.shapeOf(s) {
	case shapeStruct:
		return "object"
	case shapeEnum:
		values, _, _ := enumValues(s)
		if n := firstValue(values); n != nil && n.Kind == schema.Number || s.Extension(schema.KeywordBitset) != nil {
			return "number"
		}
		return "string"
	case shapeChoice:
		token := ""
		for _, branch := range known(withoutNull(choices(s))) {
			t := b.jsonToken(resolve(branch))
			if token != "" && t != token {
				return ""
			}
			token = t
		}
		return token
	}
	for _, t := range s.Types {
		switch t {
		case "null":
		case "integer":
			return "number"
		default:
			return t
		}
	}
	switch {
	case isNull(s):
		return "null"
	case s.Items != nil:
		return "array"
	case s.Additional != nil:
		return "object"
	}
	return ""
}

func firstValue(values []*schema.Schema) *schema.Node {
	if len(values) == 0 {
		return nil
	}
	if values[0].Const != nil {
		return values[0].Const
	}
	if len(values[0].Enum) > 0 {
		return values[0].Enum[0]
	}
	return nil
}

// branch is one alternative on its way into a union.
type branch struct {
	written *schema.Schema
	target  *schema.Schema // references followed
	token   string
}

// branches returns the alternatives of a choice, a list of types counting as one each.
func (b *builder) branches(u *protocol.Union, s *schema.Schema) []branch {
	list := known(choices(s))
	if list == nil {
		for _, t := range s.Types {
			c := *s
			c.Types, c.Description = []string{t}, ""
			list = append(list, &c)
		}
	}
	if !isPrimitiveChoice(s) {
		list = withoutNull(list)
	}
	var out []branch
	for i, written := range list {
		target := resolve(written)
		if target == nil {
			b.bad[u] = true
			continue // a reference that leads nowhere is reported where it stands
		}
		if target.Any || target.Never {
			b.diags.Errorf(written.Pos, "open-branch", "remove the entry, or say what it holds; an overlay can do it",
				"%s: alternative %d says nothing about its values, so everything would match it", u.Name, i+1)
			b.bad[u] = true
			continue
		}
		token := b.jsonToken(target)
		if token == "" {
			b.diags.Errorf(written.Pos, "unclear-branch", "give each alternative one type", "%s: alternative %d has no single JSON type", u.Name, i+1)
			b.bad[u] = true
			continue
		}
		out = append(out, branch{written, target, token})
	}
	return out
}

func (b *builder) fillUnion(u *protocol.Union, s *schema.Schema) {
	b.unknown[u] = slices.ContainsFunc(choices(s), func(s *schema.Schema) bool { return s.Unknown })
	list := b.branches(u, s)
	objects := slices.DeleteFunc(slices.Clone(list), func(br branch) bool { return br.token != "object" })
	if len(objects) == len(list) {
		u.Kind = protocol.Tagged // settled by unions
		for i, name := range b.variantNames(u, s, list) {
			b.addVariant(u, list[i], name)
		}
		return
	}
	u.Kind = protocol.Token
	byToken := map[string]branch{}
	for _, br := range list {
		if first, ok := byToken[br.token]; ok {
			b.diags.Errorf(br.written.Pos, "ambiguous-union",
				fmt.Sprintf("the other stands at %s; give them one schema, or tell objects apart by a constant member", first.written.Pos),
				"%s: two alternatives are a JSON %s", u.Name, br.token)
			b.bad[u] = true
			continue
		}
		byToken[br.token] = br
		b.addVariant(u, br, br.token)
	}
}

// addVariant appends one alternative; name is the last part of the path of an inline type.
func (b *builder) addVariant(u *protocol.Union, br branch, name string) {
	v := &protocol.Variant{Name: br.token, Pos: br.written.Pos}
	if isNull(br.target) {
		v.Type = protocol.Null
	} else {
		v.Type, _ = b.expr(br.written, u.Name+"."+name)
	}
	if u.Kind == protocol.Token && slices.Contains(br.target.Types, "number") {
		// Such a union stands for any configuration value: 2⁵³+1 has to survive as well as 0.5.
		v.Type = protocol.Number
	}
	u.Variants = append(u.Variants, v)
}

// variantNames names inline alternatives after the constant that tells them apart, and after their
// place where there is none.
func (b *builder) variantNames(u *protocol.Union, s *schema.Schema, list []branch) []string {
	names := make([]string, len(list))
	for i := range names {
		names[i] = fmt.Sprintf("variant%d", i+1)
	}
	want := s.Discriminator
	if rule, _ := b.unionRule(u); rule != nil && rule.Discriminator != "" {
		want = rule.Discriminator
	}
	candidates := []string{want}
	if want == "" {
		candidates = slices.Clone(b.prof.Unions.Discriminators)
		for _, br := range list {
			for _, p := range br.target.Properties {
				candidates = append(candidates, p.Name)
			}
		}
	}
	for _, c := range candidates {
		found := make([]string, len(list))
		seen := map[string]bool{}
		ok := true
		for i, br := range list {
			p := br.target.Property(c)
			if p == nil {
				ok = false
				break
			}
			n := constant(p.Schema)
			if n == nil || n.Kind != schema.String || seen[n.Text] {
				ok = false
				break
			}
			found[i] = n.Text
			seen[n.Text] = true
		}
		if ok {
			return found
		}
	}
	for i, br := range list {
		if br.written.Title != "" {
			names[i] = br.written.Title
		}
	}
	return names
}

// unionRule joins the rules for a union; what an earlier one says comes first.
func (b *builder) unionRule(u *protocol.Union) (*unionRule, bool) {
	var out *unionRule
	for i, r := range b.prof.Unions.Rules {
		if r.Union != u.Name || !b.prof.Applies(r) {
			continue
		}
		b.prof.Use(pointer("/unions/rules", i))
		if out == nil {
			out = &unionRule{}
		}
		out.Discriminator = cmp.Or(out.Discriminator, r.Discriminator)
		out.Tag = cmp.Or(out.Tag, r.Tag)
		if out.Open == nil {
			out.Open = r.Open
		}
	}
	return out, out != nil
}

type unionRule struct {
	Discriminator string
	Open          *bool
	Tag           string
}

// unions settles for every union of objects how its variants are told apart, and whether it is open.
func (b *builder) unions() {
	for _, t := range slices.Clone(b.out.Types) {
		if u, ok := t.(*protocol.Union); ok && !b.bad[u] && u.Kind != protocol.Token {
			b.settle(u)
		}
		if u, ok := t.(*protocol.Union); ok && u.Kind == protocol.Token {
			b.unionRule(u)
		}
	}
}

func (b *builder) settle(u *protocol.Union) {
	for _, v := range u.Variants {
		ref, ok := protocol.Underlying(v.Type).(protocol.Ref)
		if !ok {
			b.diags.Errorf(v.Pos, "map-variant", "give the alternative named members", "%s: an alternative without named members cannot be told from the others", u.Name)
			b.bad[u] = true
			return
		}
		v.Type = ref
		if inner, ok := ref.Type.(*protocol.Union); ok && b.bad[inner] {
			b.bad[u] = true
			return
		}
	}
	rule, _ := b.unionRule(u)
	if rule == nil {
		rule = &unionRule{}
	}
	want := rule.Discriminator
	if def := b.set.Lookup(u.Name); want == "" && def != nil && def.Schema != nil {
		want = def.Schema.Discriminator
	}
	leaves := u.Leaves()
	if len(leaves) == 0 {
		return // a list without alternatives is reported where it stands
	}
	if slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { return b.broken[s] }) {
		b.bad[u] = true // what would tell it apart may be what is missing: reported where it stands
		return
	}
	d, clash := b.dispatch(u, leaves, want)
	if d == nil {
		b.diags.Errorf(u.Pos, "ambiguous-union",
			"give each alternative a required constant member of its own, name the discriminator in the schema or the profile, or repair the schemas with an overlay",
			"%s: its alternatives cannot be told apart: %s", u.Name, clash)
		b.bad[u] = true
		return
	}
	u.Dispatch = d
	u.Kind = protocol.Shaped
	if d.Member != "" {
		u.Kind = protocol.Tagged
	}
	u.Open = u.Kind == protocol.Tagged && d.Kind != protocol.Bool && b.prof.Unions.Open
	if b.unknown[u] {
		u.Open = true
	}
	if rule.Open != nil {
		u.Open = *rule.Open
		if u.Open && d.Kind == protocol.Bool {
			u.Open = false // both values are taken
		}
	}
}

// constants returns the values a required member of a struct is limited to, nil where it is not.
func constants(s *protocol.Struct, name string) []protocol.Value {
	f := s.Field(name)
	if f == nil || !f.Required {
		return nil
	}
	if f.Const != nil {
		return []protocol.Value{*f.Const}
	}
	if f.Values != nil {
		return f.Values
	}
	ref, ok := protocol.Underlying(f.Type).(protocol.Ref)
	if !ok {
		return nil
	}
	e, ok := ref.Type.(*protocol.Enum)
	if !ok || e.Bitset {
		return nil
	}
	var out []protocol.Value
	for _, m := range e.Members {
		out = append(out, m.Value)
	}
	return out
}

// candidate is a member that could be the discriminator of some structs.
type candidate struct {
	name   string
	groups [][]*protocol.Struct // structs that share a value stand in one group
	single bool                 // every struct owns exactly one value
	rank   int                  // place in the profile's order of preference
}

// dispatch finds the decision that tells the structs apart: by a constant member, with a second
// one where some share the value, or by required members that exclude each other. When there is
// none, the second result says which two clash.
func (b *builder) dispatch(u *protocol.Union, leaves []*protocol.Struct, want string) (*protocol.Dispatch, string) {
	if len(leaves) == 0 {
		return nil, "it has none"
	}
	list := b.candidates(leaves, want)
	if len(list) > 1 && b.sameRank(list[0], list[1]) && len(leaves) > 1 {
		return nil, fmt.Sprintf("both %q and %q would do", list[0].name, list[1].name)
	}
	for _, c := range list {
		if d := b.byConstant(u, c); d != nil {
			return d, ""
		}
	}
	if want != "" {
		return nil, fmt.Sprintf("member %q is not a required constant of each, or its values repeat", want)
	}
	return byShape(leaves)
}

// candidates lists the members that are a required constant of every struct and part them, best first.
func (b *builder) candidates(leaves []*protocol.Struct, want string) []candidate {
	var out []candidate
	for _, f := range leaves[0].Fields {
		if want != "" && f.Name != want {
			continue
		}
		groups, single, ok := group(leaves, f.Name)
		if !ok || len(groups) == 1 && len(leaves) > 1 {
			continue
		}
		rank := slices.Index(b.prof.Unions.Discriminators, f.Name)
		if rank < 0 {
			rank = len(b.prof.Unions.Discriminators)
		}
		out = append(out, candidate{f.Name, groups, single, rank})
	}
	slices.SortStableFunc(out, func(x, y candidate) int {
		return cmp.Or(
			-cmp.Compare(len(x.groups), len(y.groups)),
			cmpBool(y.single, x.single),
			cmp.Compare(x.rank, y.rank))
	})
	return out
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// sameRank reports whether nothing prefers one candidate to the other.
func (b *builder) sameRank(x, y candidate) bool {
	return len(x.groups) == len(y.groups) && x.single == y.single && x.rank == y.rank
}

// group puts structs together that share a value of the member. It fails where one of them has no
// constant there, or where kinds differ.
func group(leaves []*protocol.Struct, name string) (groups [][]*protocol.Struct, single, ok bool) {
	single = true
	var values [][]protocol.Value
	for _, s := range leaves {
		own := constants(s, name)
		if len(own) == 0 || len(values) > 0 && own[0].Kind != values[0][0].Kind {
			return nil, false, false
		}
		single = single && len(own) == 1
		i := slices.IndexFunc(values, func(g []protocol.Value) bool {
			return slices.ContainsFunc(own, func(v protocol.Value) bool { return slices.Contains(g, v) })
		})
		if i < 0 {
			groups = append(groups, []*protocol.Struct{s})
			values = append(values, slices.Clone(own))
			continue
		}
		groups[i] = append(groups[i], s)
		values[i] = append(values[i], own...)
	}
	return groups, single, true
}

func (b *builder) byConstant(u *protocol.Union, c candidate) *protocol.Dispatch {
	d := &protocol.Dispatch{Member: c.name, Kind: constants(c.groups[0][0], c.name)[0].Kind}
	for _, g := range c.groups {
		first := constants(g[0], c.name)
		if len(g) == 1 {
			d.Cases = append(d.Cases, &protocol.Case{Values: first, Struct: g[0]})
			continue
		}
		for _, s := range g[1:] {
			if !slices.Equal(constants(s, c.name), first) {
				return nil // they share some values and not others
			}
		}
		next, _ := b.dispatch(u, g, "")
		if next == nil {
			return nil
		}
		d.Cases = append(d.Cases, &protocol.Case{Values: first, Next: next})
	}
	return d
}

// byShape orders structs so that each is recognised by a required member that none of those after
// it declares. A decoder that looks in this order never takes one for another.
func byShape(leaves []*protocol.Struct) (*protocol.Dispatch, string) {
	d := &protocol.Dispatch{}
	rest := slices.Clone(leaves)
	for len(rest) > 0 {
		i, marker := -1, ""
		for j, s := range rest {
			if marker = markerOf(s, rest); marker != "" {
				i = j
				break
			}
		}
		if i < 0 {
			return nil, describeClash(rest)
		}
		d.Cases = append(d.Cases, &protocol.Case{Marker: marker, Struct: rest[i]})
		rest = slices.Delete(rest, i, i+1)
	}
	return d, ""
}

// markerOf returns a required member of s that no other struct declares, "" where there is none.
func markerOf(s *protocol.Struct, all []*protocol.Struct) string {
	for _, f := range s.Fields {
		if !f.Required {
			continue
		}
		if !slices.ContainsFunc(all, func(o *protocol.Struct) bool { return o != s && o.Field(f.Name) != nil }) {
			return f.Name
		}
	}
	return ""
}

func describeClash(rest []*protocol.Struct) string {
	var names []string
	for _, s := range rest {
		names = append(names, s.Name)
	}
	const most = 4
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return "no constant member has values of its own in each, and " + strings.Join(names, ", ") + " have no required member that the others lack"
}

// parents finds the unions that contain others: a ToolCallConfirmation that holds two of the seven
// variants of a ToolCall is a ToolCall as well.
func (b *builder) parents() {
	var list []*protocol.Union
	leaves := map[*protocol.Union]map[*protocol.Struct]bool{}
	for _, t := range b.out.Types {
		u, ok := t.(*protocol.Union)
		if !ok || u.Kind != protocol.Tagged || u.Dispatch == nil {
			continue
		}
		list = append(list, u)
		leaves[u] = map[*protocol.Struct]bool{}
		for _, s := range u.Leaves() {
			leaves[u][s] = true
		}
	}
	inside := func(u, v *protocol.Union) bool {
		whole := u.Scope == protocol.ChannelScope && v == b.out.Actions.Union // the only channel there is
		if u == v || len(leaves[u]) > len(leaves[v]) || len(leaves[u]) == len(leaves[v]) && !whole {
			return false
		}
		for s := range leaves[u] {
			if !leaves[v][s] {
				return false
			}
		}
		return true
	}
	parent := func(u, v *protocol.Union) bool {
		// What a client may dispatch says nothing about a kind of action that newer versions may
		// add to.
		passing := v.Scope == protocol.DispatchScope && (u.Open || u.Scope != protocol.Declared)
		return inside(u, v) && !passing
	}
	for _, u := range list {
		for _, v := range list {
			if !parent(u, v) {
				continue
			}
			nearest := !slices.ContainsFunc(list, func(w *protocol.Union) bool { return parent(u, w) && parent(w, v) })
			if nearest {
				u.Parents = append(u.Parents, v)
			}
		}
	}
}

// tags gives every union that is tagged by strings a type for its tags. Unions inside another use
// the other's; several unions may share one by name.
func (b *builder) tags() {
	made := map[string]*protocol.Enum{}
	var done func(u *protocol.Union)
	seen := map[*protocol.Union]bool{}
	done = func(u *protocol.Union) {
		if seen[u] || u.Kind != protocol.Tagged || u.Dispatch == nil || u.Dispatch.Kind != protocol.String {
			return
		}
		seen[u] = true
		rule, _ := b.unionRule(u)
		name := ""
		if rule != nil {
			name = rule.Tag
		}
		if name == "" {
			for _, p := range u.Parents {
				done(p)
				if p.Tag != nil && p.Dispatch.Member == u.Dispatch.Member {
					u.Tag = p.Tag
					u.Tag.Open = u.Tag.Open || u.Open
					b.useTag(u)
					return
				}
			}
			name = u.Name + "." + u.Dispatch.Member
		}
		tag := made[name]
		if tag == nil {
			tag = b.tagEnum(name, u)
			made[name] = tag
		}
		tag.Open = tag.Open || u.Open
		for _, c := range u.Dispatch.Cases {
			for _, v := range c.Values {
				if !slices.ContainsFunc(tag.Members, func(m *protocol.EnumMember) bool { return m.Value == v }) {
					tag.Members = append(tag.Members, &protocol.EnumMember{Value: v, Pos: u.Pos})
				}
			}
		}
		u.Tag = tag
		b.useTag(u)
	}
	for _, t := range slices.Clone(b.out.Types) {
		if u, ok := t.(*protocol.Union); ok {
			done(u)
		}
	}
	for _, tag := range made {
		b.enumRule(tag)
	}
}

// tagEnum makes the type of a union's tags, or takes the definition of that name.
func (b *builder) tagEnum(name string, u *protocol.Union) *protocol.Enum {
	if e, ok := b.out.Lookup(name).(*protocol.Enum); ok && e.Kind == protocol.String {
		return e
	}
	e := &protocol.Enum{Kind: protocol.String, Header: protocol.Header{
		Name: name, Pos: u.Pos, Inline: true,
		Doc: fmt.Sprintf("The values of %q that tell the variants of {@link %s} apart.", u.Dispatch.Member, u.Name),
	}}
	i := slices.IndexFunc(b.out.Types, func(t protocol.Type) bool { return t == protocol.Type(u) })
	b.out.Types = slices.Insert(b.out.Types, i+1, protocol.Type(e))
	return e
}

// useTag types the discriminator of structs that own several of its values. The inline enum that
// stood there before is no longer needed.
func (b *builder) useTag(u *protocol.Union) {
	for _, c := range u.Dispatch.Cases {
		structs := []*protocol.Struct{c.Struct}
		if c.Next != nil {
			structs = dispatched(c.Next)
		}
		for _, s := range structs {
			b.typeTag(u, s.Field(u.Dispatch.Member), c.Values)
		}
	}
}

func (b *builder) typeTag(u *protocol.Union, f *protocol.Field, values []protocol.Value) {
	ref, ok := f.Type.(protocol.Ref)
	if f.Const != nil || !ok {
		return
	}
	if len(values) == 1 {
		f.Const = &values[0]
		f.Type = values[0].Kind
	} else {
		f.Values = values
		f.Type = protocol.Ref{Type: u.Tag}
	}
	if ref.Type.Head().Inline && ref.Type != protocol.Type(u.Tag) {
		b.replaced[ref.Type] = true
	}
}
